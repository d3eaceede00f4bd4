"""Texts of remarks about an operand: memory order, route, cost of accesses, and what would make it faster."""

from __future__ import annotations

from collections.abc import Sequence

from dotload.dialect_ext.tt_memory import DescriptorLoadOp, LoadOp
from dotload.dialect_ext.types import element_bits
from dotload.layout.raw_tiles import VECTOR_BYTES
from dotload.layout.staging import RegisterRoute, SharedRoute
from dotload.passes.analysis.strides import Strides
from dotload.passes.operand_staging.candidates import Operand


def describe(operand: Operand, route: RegisterRoute | SharedRoute) -> str:
    """One line for the remark: the operand, its route, and what the accesses cost."""
    name = name_of(operand)
    read = f"{route.read.mnemonic}, {conflicts(route.read.conflict_ways)}"
    if isinstance(route, RegisterRoute):
        return f"{name} is staged through shared memory into registers: {read}{advice_on_bytes(operand, route)}"
    write = f"{route.write.mnemonic}, {conflicts(route.write.conflict_ways)}"
    return f"{name} is copied K-major in shared memory: {read}; {write}"


def advice_on_bytes(operand: Operand, route: RegisterRoute) -> str:
    """How a tile could be read in words. Along k, a lane takes pairs of numbers, whatever the tile is."""
    is_k_major = operand.tile.x_axis == operand.k_axis
    return (
        f"; use a larger BLOCK_{'MN'[operand.kernel_index]} or fewer warps to read words"
        if route.reads_bytes and not is_k_major
        else ""
    )


def name_of(operand: Operand) -> str:
    """The operand as a remark names it."""
    tile, is_k_major = operand.tile, operand.tile.x_axis == operand.k_axis
    by_rows = is_k_major == (operand.kernel_index == 0)
    order = f"{'row' if by_rows else 'column'}-major {'AB'[operand.kernel_index]}"
    described = describe_tile(tile.shape, tile.element_bits, operand.converted_bits)
    return f"{order} ({'' if is_k_major else 'not '}K-major, {described})"


def describe_tile(shape: Sequence[int], bits: int, converted: int | None = None) -> str:
    """Size of a tile and of its elements, in bits, as loaded and as `converted`."""
    conversion = f", converted to {converted}" if converted else ""
    return f"{bits} bits{conversion}, tile {shape_text(shape)}"


def shape_text(shape: Sequence[int]) -> str:
    """A shape as MLIR prints it: 128x64."""
    return "x".join(map(str, shape))


def conflicts(ways: int) -> str:
    """How many bank conflicts an access has."""
    return "bank-conflict-free" if ways == 1 else f"{ways}-way bank conflicts"


def advice(operand: Operand, strides: Strides) -> str | None:
    """What the user may change where a thread loads less at once than it could; None for nothing."""
    if isinstance(operand.load, DescriptorLoadOp):
        return None
    vector = bytes_at_once(operand.load, operand.tile.x_axis, strides)
    if vector is None or vector >= VECTOR_BYTES:
        return None
    bytes_ = "one byte" if vector == 1 else f"{vector} bytes"
    wanted = f"pass pointers and strides divisible by {VECTOR_BYTES}; use `tl.multiple_of` for an index"
    return f"loaded {bytes_} at a time; {wanted}: {name_of(operand)}"


def bytes_at_once(load: LoadOp, axis: int, strides: Strides) -> int | None:
    """How many bytes along a dim are known to be contiguous and aligned; None if elements are not contiguous.

    An element is aligned, also one at an address that the kernel loads.
    """
    pointers, size = strides.of(load.ptr), element_bits(load.result.type) // 8
    if pointers.strides[axis] != size:
        return None
    along = [run if dim == axis else 1 for dim, run in enumerate(pointers.runs)]
    return max(size, min(strides.aligned_by(load.ptr, along), pointers.runs[axis] * size))
