"""Triton's rules that a tensor's layout is of the tensor's rank, and for the warps and lanes that the module says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext.encodings import (
    BlockedEncoding,
    DotOperandEncoding,
    DpasEncoding,
    LegacyDpasEncoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
    Subgroup2DBlockEncoding,
)
from dotload.dialect_ext.typed import as_tensor, number_of

_WARPS, _LANES = "ttg.num-warps", "ttg.threads-per-warp"
_OF_TRITON = ("tt.", "ttg.", "ttig.")
# What a layout counts, and who says how many there have to be.
_COUNTED = ((_LANES, "threads per warp", "module specifies"), (_WARPS, "warps per CTA", "context requires"))


@dataclass(frozen=True)
class _Counts:
    """`lanes` is None for layouts that are always for 32."""

    rank: int
    warps: int
    lanes: int | None


def wrong_counts(module: Operation) -> Iterator[tuple[Operation, str]]:
    """The ops of Triton with a tensor in a layout for other numbers, each with what is wrong."""
    known: dict[Attribute, _Counts | None] = {}
    for op in module.walk():
        if not op.name.startswith(_OF_TRITON) or not (op.results or op.operands):
            continue
        kinds = (("Result", op.results), ("Operand", op.operands))
        for what, type_ in ((what, value.type) for what, values in kinds for value in values):
            tensor = as_tensor(type_)
            if tensor is None:
                continue
            if tensor.encoding not in known:
                known[tensor.encoding] = _counts(tensor.encoding)
            counts = known[tensor.encoding]
            if counts is not None and (reason := _mismatch(op, tensor, counts)):
                yield op, f"{what} has an invalid layout: {tensor.encoding}. {reason}"
                break


def _counts(encoding: Attribute) -> _Counts | None:
    """The numbers of a layout; None for layouts that were not checked when they had this name, and for others."""
    match encoding:
        case DotOperandEncoding():
            return _counts(encoding.parent)
        case SliceEncoding():
            parent = _counts(encoding.parent)
            return None if parent is None else replace(parent, rank=parent.rank - 1)
        case LegacyDpasEncoding():
            return None
        case BlockedEncoding():
            return _Counts(len(encoding.order), prod(encoding.warps_per_cta), prod(encoding.threads_per_warp))
        case DpasEncoding() | Subgroup2DBlockEncoding():
            return _Counts(len(encoding.warps_per_cta), prod(encoding.warps_per_cta), encoding.threads_per_warp)
        case NvidiaMmaEncoding():
            return _Counts(len(encoding.warps_per_cta), prod(encoding.warps_per_cta), None)
        case LinearEncoding(register=register, lane=lane, warp=warp, block=block):
            bases = (*register, *lane, *warp, *block)
            return _Counts(len(bases[0]), 1 << len(warp), 1 << len(lane)) if bases else None
        case _:
            return None


def _mismatch(op: Operation, tensor: TensorType[Attribute], counts: _Counts) -> str | None:
    rank = len(tensor.get_shape())
    if counts.rank != rank:
        return f"Layout has rank {counts.rank}, but the tensor it's attached to has rank {rank}"
    for (name, what, who), count in zip(_COUNTED, (counts.lanes, counts.warps), strict=True):
        wanted = _asked(op, name)
        if None not in (count, wanted) and count != wanted:
            return f"Layout has {count} {what}, but the {who} {wanted} {what}"
    return None


def _asked(op: Operation, name: str) -> int | None:
    """The number that the closest op around says; None in a partition of warps, which has its own."""
    parent = op.parent_op()
    while parent is not None:
        if parent.name.startswith("ttg.warp_specialize"):
            return None
        if name in parent.attributes:
            return number_of(parent.attributes[name])
        parent = parent.parent_op()
    return None
