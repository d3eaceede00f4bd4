"""The cost of one operation of a TTGIR module: its access, sectors or wavefronts, compared with the minimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dotload.layout.access import (
    BANK_ROW_BYTES,
    Direction,
    GlobalAccess,
    SharedAccess,
    addresses,
    global_vector_elements,
    shared_access,
    strided_global_access,
)
from dotload.layout.descriptors import DescriptorError, describe
from dotload.layout.encodings import OFFSET, dim_names
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.tools.viewer.findings import Finding, target_of
from dotload.tools.viewer.picture import bank_picture

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue

    from dotload.dialect_ext.encodings import EncodingAttr
    from dotload.passes.analysis.stride_info import Info
    from dotload.passes.analysis.strides import Strides

Looker: TypeAlias = "Callable[[Operation, Strides], Iterator[Finding]]"
"""Gives the findings on an operation, with the strides of its module."""
Place: TypeAlias = "Callable[[Operation], SSAValue | None]"
"""Selects an operand or result of an operation."""

RUN_TIME_STRIDE = 1 << 24  # elements; stands for a stride known only at run time: large, and a power of two
LANE_BYTES = 16
LDMATRIX_CAPABILITY, STMATRIX_CAPABILITY = 75, 90


def _capability(op: Operation) -> int:
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    _, _, number = target_of(top).partition(":")
    return int(number) if number.isdigit() else 0


# Looking at one operation


def _finding(op: Operation, type_: object, access: str, cost: str, **more: Any) -> Finding:
    used, moved = more.pop("bytes_used", 0), more.pop("bytes_moved", 0)
    return Finding(
        "", op.name, str(type_), access, cost, used, moved, more.pop("verdict", ""), picture=more.get("picture")
    )


def _layout(type_: Attribute) -> tuple[LinearLayout, int] | None:
    """The linear layout of a tensor or memdesc type and its element bits; None if there is none."""
    from dotload.dialect_ext.types import element_bits

    encoding = getattr(type_, "encoding", None)
    if not hasattr(encoding, "to_encoding"):
        return None
    try:
        return cast("EncodingAttr", encoding).to_encoding().to_linear_layout(shape_of(type_)), element_bits(type_)
    except (LayoutError, ValueError):
        return None


def shape_of(type_: Any) -> tuple[int, ...]:
    """The shape of a tensor or memdesc type."""
    if hasattr(type_, "get_shape"):
        return tuple(type_.get_shape())
    return tuple(size.data for size in type_.shape)


def _global(op: Operation, strides: Strides) -> Iterator[Finding]:
    """tt.load and tt.store of tensors of pointers."""
    pointer = op.operands[0]
    value = op.results[0] if op.results else op.operands[1]
    found = _layout(value.type)
    if found is None:
        return
    layout, bits = found
    access, words = _global_access(layout, bits, pointer, strides)
    if access is None:
        yield _finding(op, value.type, words, "unknown")
        return
    yield _finding(
        op,
        value.type,
        f"{'ld' if op.results else 'st'}.global, {access.lane_bytes} B a lane, {words}",
        f"{access.sectors} sectors in {access.requests} requests",
        bytes_used=access.bytes_used,
        bytes_moved=access.bytes_moved,
        verdict="full sectors" if access.efficiency == 1 else f"{access.efficiency:.0%} of each sector used",
    )


def _global_access(
    layout: LinearLayout, bits: int, pointer: SSAValue, strides: Strides
) -> tuple[GlobalAccess | None, str]:
    """The access, and a description of the known strides."""
    info = strides.of(pointer)
    if len(info.strides) != len(layout.out_dims) or all(stride is None for stride in info.strides):
        return None, "strides not known"
    size = max(1, bits // 8)
    names = dim_names(len(info.strides))
    by_name: dict[str, int] = {}
    words: list[str] = []
    for name, stride in zip(names, info.strides, strict=True):
        elements = abs(stride) // size if isinstance(stride, int) and stride % size == 0 else None
        by_name[name] = RUN_TIME_STRIDE if elements is None else elements
        words.append(f"{name} stride {'known at run time' if elements is None else elements}")
    vector = _vector_bytes(layout, bits, by_name, info, strides)
    return strided_global_access(layout, bits, _distinct(by_name, layout), vector), ", ".join(words)


def _distinct(strides: dict[str, int], layout: LinearLayout) -> dict[str, int]:
    """Strides, with the run-time strides made different from each other so that their dims do not overlap."""
    scale = 1
    found: dict[str, int] = {}
    for name, stride in strides.items():
        found[name] = stride * scale if stride == RUN_TIME_STRIDE else stride
        if stride == RUN_TIME_STRIDE:
            scale *= 2 * layout.out_sizes[name]
    return found


def _vector_bytes(layout: LinearLayout, bits: int, strides: dict[str, int], info: Info, analysis: Strides) -> int:
    """The widest access in bytes that layout, contiguity and alignment together allow."""
    size = max(1, bits // 8)
    names = list(strides)
    contiguous = [at for at, name in enumerate(names) if strides[name] == 1]
    if not contiguous:
        return size
    run = global_vector_elements(layout, bits, strides, LANE_BYTES) * size
    limits = [run, info.runs[contiguous[0]] * size, info.align]
    limits += [analysis.divisor_of(stride) for at, stride in enumerate(info.strides) if at not in contiguous]
    least = min(limit for limit in limits if limit)
    return max(size, 1 << int(math.log2(max(1, least))))


def _shared(direction: Direction, registers_at: Place, memory_at: Place) -> Looker:
    """A looker for an access between a tensor in registers and a memory descriptor."""

    def look(op: Operation, strides: Strides) -> Iterator[Finding]:
        registers, memory = registers_at(op), memory_at(op)
        if registers is None or memory is None:
            return
        held, lies = _layout(registers.type), _layout(memory.type)
        if held is None or lies is None or held[0].out_dims != lies[0].out_dims:
            return
        yield _shared_finding(op, direction, held[0], lies[0], held[1], registers.type)

    return look


def _shared_finding(
    op: Operation, direction: Direction, held: LinearLayout, lies: LinearLayout, bits: int, type_: object
) -> Finding:
    where = addresses(held, lies.transpose_outs(held.out_dims), bits)
    needed = LDMATRIX_CAPABILITY if direction == "load" else STMATRIX_CAPABILITY
    access = shared_access(where, direction, has_matrix_moves=_capability(op) >= needed)
    used = (1 << lies.restrict([OFFSET], lies.out_dims).rank) * bits // 8
    return _finding(
        op,
        type_,
        access.mnemonic,
        f"{access.total_wavefronts} wavefronts ({access.instructions} x {access.wavefronts} x {access.warps} warps)",
        bytes_used=used,
        bytes_moved=access.total_wavefronts * BANK_ROW_BYTES,
        verdict=_bank_verdict(access),
        picture=bank_picture(where, access, f"{op.name}: distinct words in each bank"),
    )


def _bank_verdict(access: SharedAccess) -> str:
    if access.conflict_ways > 1:
        return f"{access.conflict_ways}-way bank conflicts"
    narrow = access.kind == "vector" and access.lane_bytes < 4
    return f"no conflict, but {access.lane_bytes} B a lane" if narrow else "no conflict"


def _copy(op: Operation, strides: Strides) -> Iterator[Finding]:
    """cp.async: a global read and a shared write of the same vectors."""
    pointer, memory = op.operands[0], op.operands[1]
    held, lies = _layout(pointer.type), _layout(memory.type)
    if held is None or lies is None:
        return
    layout, bits = held[0], lies[1]
    access, words = _global_access(layout, bits, pointer, strides)
    where = addresses(layout, lies[0].transpose_outs(layout.out_dims), bits)
    from dotload.layout.access import vector_access

    limit = access.lane_bytes if access else LANE_BYTES
    write = vector_access(where, "store", limit)
    if access is not None and write.lane_bytes < access.lane_bytes:
        access = strided_global_access(layout, bits, _named_strides(layout, pointer, bits, strides), write.lane_bytes)
    cost = f"{access.sectors} sectors" if access else "sectors unknown"
    yield _finding(
        op,
        memory.type,
        f"cp.async, {write.lane_bytes} B a lane, {words}",
        f"{cost}; {write.total_wavefronts} wavefronts",
        bytes_used=access.bytes_used if access else 0,
        bytes_moved=access.bytes_moved if access else 0,
        verdict=_bank_verdict(write),
        picture=bank_picture(where, write, f"{op.name}: distinct words in each bank"),
    )


def _named_strides(layout: LinearLayout, pointer: SSAValue, bits: int, strides: Strides) -> dict[str, int]:
    size = max(1, bits // 8)
    known = {
        name: stride // size if isinstance(stride, int) else RUN_TIME_STRIDE
        for name, stride in zip(dim_names(len(layout.out_dims)), strides.of(pointer).strides, strict=True)
    }
    return _distinct(known, layout)


def _descriptor_copy(op: Operation, strides: Strides) -> Iterator[Finding]:
    """Loads and stores through tensor descriptors: TMA moves whole boxes."""
    value = op.results[0] if op.results else op.operands[1]
    from dotload.dialect_ext.types import element_bits

    size = math.prod(shape_of(value.type)) * element_bits(value.type) // 8
    access = "bulk tensor copy (TMA)" if _capability(op) else "through a tensor descriptor"
    yield _finding(op, value.type, access, f"{size} B", bytes_used=size, bytes_moved=size)


def _conversion(op: Operation, strides: Strides) -> Iterator[Finding]:
    """ttg.convert_layout: register renaming, shuffles, or a round trip through shared memory."""
    source, target = _layout(op.operands[0].type), _layout(op.results[0].type)
    if source is None or target is None:
        return
    from dotload.tools.viewer.compare import distance

    try:
        words = distance(target[0].invert_and_compose(source[0]))
    except LayoutError:
        return
    yield _finding(op, op.results[0].type, "layout conversion", words)


def _product(op: Operation, strides: Strides) -> Iterator[Finding]:
    """ttng.warp_group_dot: the descriptors of wgmma's operands, or the rule that they break."""
    from dotload.dialect_ext.types import element_of
    from dotload.tools.viewer.ptx import WGMMA_NAME

    for operand, value in zip("AB", op.operands, strict=False):
        found = _layout(value.type)
        if found is None or OFFSET not in found[0].in_sizes or len(found[0].out_dims) != 2:
            continue
        layout = found[0].restrict([OFFSET], found[0].out_dims)
        if operand == "B":  # k x n in the IR, n x k for the descriptor
            layout = layout.rename_outs({"dim0": "dim1", "dim1": "dim0"})
        element = str(element_of(value.type))
        try:
            read = describe(layout, WGMMA_NAME.get(element, element), operand)
        except DescriptorError as error:
            yield _finding(op, value.type, f"wgmma operand {operand}", "not readable", verdict=str(error))
            continue
        offsets = f"LBO {read.leading_bytes} B, SBO {read.stride_bytes} B"
        yield _finding(op, value.type, f"wgmma operand {operand}", f"{read.mode} swizzle, {offsets}")


def _result(op: Operation) -> SSAValue:
    return op.results[0]


def _first(op: Operation) -> SSAValue | None:
    return op.operands[0] if op.operands else None


def _second(op: Operation) -> SSAValue:
    return op.operands[1]


LOOKERS: dict[str, Looker] = {
    "tt.load": _global,
    "tt.store": _global,
    "tt.descriptor_load": _descriptor_copy,
    "tt.descriptor_store": _descriptor_copy,
    "ttg.async_copy_global_to_local": _copy,
    "ttg.local_alloc": _shared("store", _first, _result),
    "ttg.local_store": _shared("store", _first, _second),
    "ttg.local_load": _shared("load", _result, _first),
    "ttg.convert_layout": _conversion,
    "ttng.warp_group_dot": _product,
}
