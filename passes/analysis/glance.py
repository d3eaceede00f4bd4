"""A look at the types of a few operations that says whether a kernel can hold a candidate: a fraction of a millisecond.

It may say yes where there is nothing to do, never no where there is: what it does not recognize counts as a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Seen:
    """An operation at a glance: the types of its operands and results as MLIR prints them, encodings in full."""

    operands: tuple[str, ...]
    results: tuple[str, ...]


class Kernel(Protocol):
    """What a glance sees of a kernel."""

    def ops(self, *names: str) -> Iterable[Seen]:
        """The operations of these names."""
        ...


PRODUCTS = ("tt.dot", "ttng.warp_group_dot")
"""The products of matrix units, in Triton's language and behind it."""

_ELEMENT = r"(?:f8\w+|i8|f32)"
_FACTOR = re.compile(rf"(?:!ttg\.memdesc|tensor)<\w*x{_ELEMENT}[,>]")
_NARROW = re.compile(r"[x<](?:f8\w+|i8)[,>]")
_NARROW_POINTERS = re.compile(r"x!tt\.ptr<(?:f8\w+|i8)>")
_MATRIX = re.compile(rf"tensor<(?:\d+x){{2}}{_ELEMENT}, ")
_BLOCKED_ORDER = re.compile(r"#ttg\.blocked<\{.*order = \[(\d), \d\]")
_SHARED = re.compile(r"#ttg\.nvmma_shared<\{.*transposed = (true|false)")
_DOT_OPERAND = re.compile(r"#ttg\.dot_op<\{opIdx = (\d)")
_RAW = re.compile(r"#ttg\.(?:shared_linear|nvmma_shared)<")
_MMA_OPERAND = re.compile(r"#ttg\.dot_op<\{.*parent = #ttg\.nvidia_mma<")


def anything_goes(_: Kernel) -> bool:
    """Of any kernel, yes."""
    return True


def may_become_wrong_order(source: Kernel) -> bool:
    """Whether a kernel that comes to its "ttgir" stage may be one that `may_hold_wrong_order` is true of later on.

    Which way its operands lie in memory is not seen yet, but which elements there are.
    """
    if any(source.ops("tt.dot_scaled")):
        return True
    factors = (operand for product in source.ops(*PRODUCTS) for operand in product.operands[:2])
    return any(map(_FACTOR.match, factors)) or any(
        _NARROW.search(load.operands[0]) for load in source.ops("tt.load", "tt.descriptor_load")
    )


def has_layouts(source: Kernel) -> bool:
    """Whether a kernel comes to its "ttgir" stage with products that have layouts already, as one in Gluon does."""
    return any("#" in operand for product in source.ops(*PRODUCTS) for operand in product.operands)


def may_hold_wrong_order(kernel: Kernel) -> bool:
    """Whether a kernel may hold a product with an 8- or 32-bit operand that is loaded with M or N contiguous, or a
    product of wider elements that are converted from 8-bit ones.

    The layout that such an operand is loaded in names the axis that is contiguous in memory first in its order; the
    product wants K there, the last axis of its first operand and the first of its second, and an nvmma_shared that is
    not `transposed` has its last axis contiguous.
    """
    if not any(_FACTOR.match(product.operands[0]) for product in kernel.ops(*PRODUCTS)):
        loads = kernel.ops("tt.load") if any(kernel.ops("ttng.warp_group_dot")) else ()
        return any(_NARROW_POINTERS.search(load.operands[0]) for load in loads)
    if any(kernel.ops("tt.descriptor_load")):  # contiguous in its last axis, whatever layout it is loaded in
        return True
    staged = [
        (op.operands[0], op.results[0])
        for op in kernel.ops("ttg.local_alloc", "ttg.convert_layout")
        if op.operands and _MATRIX.match(op.operands[0]) and _is_staging(op.results[0])
    ]
    return not staged or any(not _has_k_first(source, target) for source, target in staged)


def _is_staging(target: str) -> bool:
    """Whether a type is memory, or an operand's fragments."""
    return target.startswith("!ttg.memdesc") or _DOT_OPERAND.search(target) is not None


def _has_k_first(source: str, target: str) -> bool:
    """Whether a tile is known to come from memory in the order that the product wants."""
    order = _BLOCKED_ORDER.search(source)
    return order is not None and int(order[1]) == _k_axis(target)


def _k_axis(target: str) -> int | None:
    """The axis of k of what is staged for a product; None where the type does not tell."""
    if shared := _SHARED.search(target):
        return 0 if shared[1] == "true" else 1
    operand = _DOT_OPERAND.search(target)
    return 1 - int(operand[1]) if operand else None


def may_load_fragments(kernel: Kernel) -> bool:
    """Whether a kernel loads in a layout of NVIDIA's matrix units."""
    return any(_MMA_OPERAND.search(load.results[0]) for load in kernel.ops("tt.load"))


def may_read_staged_tile(kernel: Kernel) -> bool:
    """Whether a kernel reads a tile that `stage-dot-operands` may have staged."""
    return any(_RAW.search(read.operands[0]) for read in kernel.ops("ttg.local_load"))
