"""NVIDIA's matrix layouts for the viewer: swizzle atoms, fragments, matrix moves, descriptors."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dotload.layout.descriptors import MatrixDescriptor, describe
from dotload.layout.fragments import (
    ELEMENT_BITS,
    MatrixMove,
    mma_fragment,
    wgmma_a_fragment,
    wgmma_accumulator,
)
from dotload.layout.linear import LayoutError
from dotload.layout.swizzle import Atom, canonical_formula, request_bytes
from dotload.tools.viewer.picture import Picture, atom_pictures, held_tensor
from dotload.tools.viewer.source import AXES, Subject, UserError, layout_for, located, parse_layout, parse_tensor
from dotload.tools.viewer.text import bases_view, hardware_view, tensor_view

__all__ = ["atom_pictures", "atom_text", "built", "decoded", "element_bits", "fragment_drawing", "fragment_subject",
           "matrix_move", "mma_pictures", "move_picture"]  # fmt: skip

MORE_TYPES = {"f32": 32, "i8": 8, "i16": 16, "i32": 32, "s32": 32, "b8": 8, "b16": 16, "b32": 32, "b64": 64}
# MLIR's names of the types that wgmma multiplies.
WGMMA_NAME = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "i8": "s8"}


def element_bits(name: str) -> int:
    """Bits of a PTX or MLIR element type name."""
    known = ELEMENT_BITS | MORE_TYPES
    if name not in known:
        raise UserError(f"error: no element type {name}; there are {', '.join(known)}")
    return known[name]


def atom_text(atom: Atom, type_name: str) -> str:
    """The atom in every notation: shape, CuTe expression, canonical form, chunk order, bases."""
    mn, k = atom.shape
    order = atom.chunk_order()
    lines = [
        f"{atom.major.value}-major, {atom.mode} swizzle, {type_name}: {mn} x {k} elements (m or n x k), "
        f"{atom.size_bytes} bytes",
        f"expression     {atom.cute}",
        f"canonical form {canonical_formula(atom.major, atom.mode)}",
        f"period         {atom.mode.swizzle(atom.atomicity_bytes).period_bytes} bytes: align buffers to it",
        f"global runs    {request_bytes(atom)} bytes behind one conflict-free 128-byte store",
        "16-byte chunks as stored, a line per 128 bytes:",
    ]
    lines += ["  " + " ".join(f"{chunk:>2}" for chunk in order[at : at + 8]) for at in range(0, len(order), 8)]
    return "\n".join([*lines, str(atom.cute.to_linear_layout()), ""])


def fragment_subject(instruction: str, what: Sequence[str]) -> Subject:
    """`mma A m16n8k16 f16`, `wgmma A e4m3`, `wgmma C 64`."""
    name = " ".join([instruction, *what])
    try:
        if instruction == "mma":
            operand, shape, dtype = what
            numbers = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape)
            if operand not in ("A", "B", "C") or numbers is None:
                raise UserError(f"error: {name}: expected mma A|B|C mMnNkK TYPE, such as mma A m16n8k16 f16")
            sizes = (int(numbers[1]), int(numbers[2]), int(numbers[3]))
            layout, element = mma_fragment(operand, sizes, dtype), dtype
        elif what[0] == "A":
            layout, element = wgmma_a_fragment(what[1]), what[1]
        elif what[0] == "C":
            layout, element = wgmma_accumulator(int(what[1])), "f32"
        else:
            raise UserError(f"error: {name}: wgmma has A TYPE and C N in registers")
    except LayoutError as error:
        raise UserError(f"error: {error}") from None
    except (ValueError, IndexError):
        raise UserError(f"error: {name}: expected mma A|B|C mMnNkK TYPE, wgmma A TYPE or wgmma C N") from None
    return Subject(name, layout, tuple(layout.out_sizes.values()), element, element_bits(element), AXES[what[0]])


def mma_pictures(shape: str, dtype: str) -> list[Picture]:
    """One MMA in the usual arrangement: A to the left of C, B above it."""
    places = {"B": (0, 1), "A": (1, 0), "C": (1, 1)}
    drawn = ((held_tensor(fragment_subject("mma", [name, shape, dtype])), place) for name, place in places.items())
    return [replace(picture, place=place) for picture, place in drawn]


@dataclass(frozen=True)
class Drawing:
    """The output of `dotload-layout fragment`."""

    title: str
    pictures: Sequence[Picture]
    text: Callable[[], str]


def fragment_drawing(instruction: str, what: Sequence[str]) -> Drawing:
    """`ldmatrix x4 trans`, `mma A m16n8k16 f16`, `mma all m16n8k16 f16` and so on."""
    if instruction in ("ldmatrix", "stmatrix"):
        move = matrix_move(what)
        picture = move_picture(move, instruction)
        return Drawing(picture.title, [picture], lambda: f"{move.to_linear_layout()}\n")
    if instruction == "mma" and what[0] == "all" and len(what) == 3:
        operands = [fragment_subject("mma", [name, *what[1:]]) for name in AXES]
        title = " ".join([instruction, *what[1:]])
        return Drawing(title, mma_pictures(*what[1:]), lambda: "\n".join(map(tensor_view, operands)))
    one = fragment_subject(instruction, what)
    views = (tensor_view, hardware_view, bases_view)
    return Drawing(one.title, [held_tensor(one)], lambda: "\n".join(view(one) for view in views))


def matrix_move(what: Sequence[str]) -> MatrixMove:
    """`x4`, `x2 trans`, `x1 trans b8`."""
    count = re.fullmatch(r"x(\d)", what[0])
    extra = set(what[1:])
    if count is None or not extra <= {"trans", "b8"}:
        raise UserError(f"error: {' '.join(what)}: expected x1, x2 or x4, then trans and b8 if wanted")
    return MatrixMove(int(count[1]), trans="trans" in extra, unit_bits=8 if "b8" in extra else 16)


def move_picture(move: MatrixMove, instruction: str) -> Picture:
    """Rows of 16 bytes down, bytes across: the lane and register of each byte."""
    layout = move.to_linear_layout()
    lane, byte = np.indices((layout.in_sizes["lane"], 16))
    to = layout.apply({"byte": byte, "lane": lane})
    fields = {"row": lane, "column": byte, "lane": to["lane"], "register": to["register"], "byte": to["byte"]}
    suffix = ".trans" if move.trans else ""
    arrow = "reads row r into" if instruction == "ldmatrix" else "writes row r from"
    return Picture(
        f"{instruction}.x{move.matrices}{suffix}.b{move.unit_bits}",
        fields,
        "T{lane}:{register}.{byte}",
        "lane",
        row_name="row (lane that gives its address)",
        column_name="byte",
        notes=(f"{instruction} {arrow} T<lane>:<register>.<byte>",),
    )


def decoded(text: str) -> MatrixDescriptor:
    """A descriptor from its 64 bits in hexadecimal, binary or decimal."""
    try:
        value = int(text, 0)
    except ValueError:
        raise located(text, "<descriptor>", 1, 1, "expected 64 bits, such as 0x4000004000010040") from None
    return MatrixDescriptor.decode(value)


def built(options: argparse.Namespace) -> MatrixDescriptor:
    """The descriptor of a shared layout, or the rule that forbids it."""
    tensor = parse_tensor(options.tensor, "--tensor")
    layout = layout_for(options.layout, parse_layout(options.layout, "--layout"), tensor.shape)
    if "offset" not in layout.in_sizes or len(tensor.shape) != 2:
        raise UserError("error: a descriptor needs a shared layout of a matrix")
    dtype = WGMMA_NAME.get(tensor.element, tensor.element)
    return describe(layout.restrict(["offset"], ["dim0", "dim1"]), dtype, options.operand, options.start, options.k)
