"""Triton's rule that a tensor's layout is for as many warps, and as many lanes, as the module says."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

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


def wrong_counts(module: Operation) -> Iterator[tuple[Operation, str]]:
    """The ops of Triton with a tensor in a layout for other numbers, each with what is wrong."""
    known: dict[Attribute, tuple[int, int | None] | None] = {}
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
            if counts is not None and (reason := _mismatch(op, *counts)):
                yield op, f"{what} has an invalid layout: {tensor.encoding}. {reason}"
                break


def _counts(encoding: Attribute) -> tuple[int, int | None] | None:
    """Warps and lanes of a layout; None for layouts that were not checked when they had this name, and for others."""
    match encoding:
        case DotOperandEncoding() | SliceEncoding():
            return _counts(encoding.parent)
        case LegacyDpasEncoding():
            return None
        case BlockedEncoding():
            return prod(encoding.warps_per_cta), prod(encoding.threads_per_warp)
        case DpasEncoding() | Subgroup2DBlockEncoding():
            return prod(encoding.warps_per_cta), encoding.threads_per_warp
        case NvidiaMmaEncoding():
            return prod(encoding.warps_per_cta), None
        case LinearEncoding():
            return 1 << len(encoding.warp), 1 << len(encoding.lane)
        case _:
            return None


def _mismatch(op: Operation, warps: int, lanes: int | None) -> str | None:
    for name, count, what in ((_LANES, lanes, "threads per warp"), (_WARPS, warps, "warps per CTA")):
        wanted = _asked(op, name)
        if None not in (count, wanted) and count != wanted:
            return f"Layout has {count} {what}, but the context requires {wanted} {what}"
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
