"""Prefilters: whether a kernel may hold a candidate, by the types of a few operations, in a fraction of a millisecond.

A prefilter may answer yes without a candidate, but never no with one. Whatever it does not recognize is a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Seen:
    """An operation's operand and result types as MLIR prints them, encodings in full."""

    operands: tuple[str, ...]
    results: tuple[str, ...]


class Kernel(Protocol):
    """A prefilter's view of a kernel."""

    def holds(self, names: Sequence[str]) -> bool:
        """Whether the kernel has one of these operations."""
        ...

    def attribute(self, name: str) -> str | None:
        """A string attribute of the module."""
        ...

    def prints(self, text: str) -> bool:
        """Whether the module's text has `text`: slower than the others, for what they do not give."""
        ...

    def ops(self, *names: str) -> Iterable[Seen]:
        """The operations of these names."""
        ...

    def holds_together(self, *names: str) -> bool:
        """Whether a block, such as the body of a loop, has an operation of each name."""
        ...


DOTS = ("tt.dot", "ttng.warp_group_dot")
"""Dots in Triton's language, and wgmma dots."""

STAGED = "dotload.staged"
"""The module attribute that says that there are reads of staged tiles (passes/operand_staging/facts.py)."""

CONVERTED = "dotload.converted"
"""The module attribute that says that a dot runs while operands of the next one are converted."""

COSTS = ("dotload.wavefronts", "dotload.stock_wavefronts", "dotload.stock_shared_bytes", "dotload.stock_registers",
         "dotload.stock_waits", "dotload.waits")  # fmt: skip
"""The module attributes by which a rewritten kernel is weighed against stock's (plugin/weighing.py)."""

_CONVERSIONS = ("tt.fp_to_fp", "arith.sitofp", "arith.uitofp")
_ELEMENT = r"(?:f8\w+|i8|f32)"
_FACTOR = re.compile(rf"(?:!ttg\.memdesc|tensor)<\w*x{_ELEMENT}[,>]")
_NARROW = re.compile(r"[x<](?:f8\w+|[su]?i8)[,>]")
_HALVES = re.compile(r"tensor<(?:\d+x)+b?f16[,>]")
_NARROW_POINTERS = re.compile(r"x!tt\.ptr<(?:f8\w+|i8)>")
_NARROW_TILE = re.compile(r"tensor<(\d+)x(\d+)x!tt\.ptr<(f8\w+|i8)>")
_PACKED_TILE = re.compile(r"tensor<\d+x\d+x!tt\.ptr<(?:i8|i16|i32|f8\w+)>")
_TENSOR = "tensor<"
_MATRIX = re.compile(rf"tensor<(?:\d+x){{2}}{_ELEMENT}, ")
_SINGLE_ELEMENTS = re.compile(rf"tensor<(?:\d+x){{2,}}{_ELEMENT}, #ttg\.blocked<\{{sizePerThread = \[1(?:, 1)+\]")
_BLOCKED_ORDER = re.compile(r"#ttg\.blocked<\{.*order = \[(\d), \d\]")
_SHARED = re.compile(r"#ttg\.nvmma_shared<\{.*transposed = (true|false)")
_DOT_OPERAND = re.compile(r"#ttg\.dot_op<\{opIdx = (\d)")
_STAGED = re.compile(r"!ttg\.memdesc|.*#ttg\.(?:dot_op<\{opIdx = \d|linear<)")
_FRAGMENTS_OF_WORDS = re.compile(r"tensor<\d+x\d+xf32, #ttg\.dot_op<\{")
_MMA_OPERAND = re.compile(r"#ttg\.dot_op<\{.*parent = #ttg\.nvidia_mma<")


def always(_: Kernel) -> bool:
    """Yes for any kernel."""
    return True


@dataclass(frozen=True)
class Holding:
    """The prefilter for kernels that hold one of these operations."""

    names: tuple[str, ...]

    def __call__(self, kernel: Kernel) -> bool:
        return kernel.holds(self.names)


def may_become_non_k_major(source: Kernel) -> bool:
    """Whether a kernel at the start of its "ttgir" stage may later satisfy `may_hold_non_k_major`.

    At that point the order of operands in memory is not visible, only their element types.
    """
    if source.holds(("tt.dot_scaled",)):
        return True
    factors = (operand for dot in source.ops(*DOTS) for operand in dot.operands[:2])
    return any(map(_FACTOR.match, factors)) or any(
        _NARROW.search(load.operands[0]) for load in source.ops("tt.load", "tt.descriptor_load")
    )


def has_layouts(source: Kernel) -> bool:
    """Whether dots have layouts already at the start of the "ttgir" stage, as in Gluon kernels."""
    return any("#" in operand for dot in source.ops(*DOTS) for operand in dot.operands)


def may_hold_non_k_major(kernel: Kernel) -> bool:
    """Whether a kernel may have operands to stage.

    That is: a dot with an 8- or 32-bit operand that is loaded MN-major or element by element, or only dots of wider
    elements, which may be converted from 8-bit ones. The order of the operand's load layout names the contiguous axis
    first; K-major means K, the last axis of A and the first of B. An nvmma_shared that is not `transposed` has its last
    axis contiguous. A linear layout tells nothing: its transpose is that of fragments.
    """
    if any(_FACTOR.match(dot.operands[1]) for dot in kernel.ops("ttng.tc_gen5_mma", "tt.dot_scaled")):  # for a remark
        return True
    factors = [dot.operands[0] for dot in kernel.ops(*DOTS) if _FACTOR.match(dot.operands[0])]
    if not any(map(_NARROW.search, factors)) and any(kernel.ops(*DOTS)) and _loads_bytes(kernel):
        return True
    if not factors:
        return False
    if any(_SINGLE_ELEMENTS.match(load.results[0]) for load in kernel.ops("tt.load")):  # for a remark
        return True
    if any(kernel.ops("tt.descriptor_load")):  # contiguous in its last axis, whatever its layout
        return True
    staged = [
        (op.operands[0], op.results[0])
        for op in kernel.ops("ttg.local_alloc", "ttg.convert_layout")
        if op.operands and _MATRIX.match(op.operands[0]) and _STAGED.match(op.results[0])
    ]
    return not staged or any(not _has_k_first(source, target) for source, target in staged)


def _loads_bytes(kernel: Kernel) -> bool:
    return any(_NARROW_POINTERS.search(load.operands[0]) for load in kernel.ops("tt.load")) or any(
        _NARROW.search(load.results[0]) for load in kernel.ops("tt.descriptor_load")
    )


def _has_k_first(source: str, target: str) -> bool:
    """Whether a tile is known to be K-major in memory."""
    order = _BLOCKED_ORDER.search(source)
    return order is not None and int(order[1]) == _k_axis(target)


def _k_axis(target: str) -> int | None:
    """The k axis of a tile that is staged for a dot; None if the type does not tell."""
    if shared := _SHARED.search(target):
        return 0 if shared[1] == "true" else 1
    operand = _DOT_OPERAND.search(target)
    return 1 - int(operand[1]) if operand else None


def may_load_fragments(kernel: Kernel) -> bool:
    """Whether a kernel loads in a layout of NVIDIA's matrix units."""
    return any(_MMA_OPERAND.search(load.results[0]) for load in kernel.ops("tt.load"))


def may_convert_operands(kernel: Kernel) -> bool:
    """Whether a kernel may convert an operand of a dot from 8 bits."""
    converted = kernel.ops(*_CONVERSIONS)
    return kernel.holds(DOTS) and any(_NARROW.search(op.operands[0]) for op in converted)


def may_convert_to_words(kernel: Kernel) -> bool:
    """Whether a kernel may convert an operand of a dot from 4 or 8 bits, or from integers, to 16 bits."""
    converted = kernel.ops(*_CONVERSIONS, "ttg.fp4_to_fp")
    return kernel.holds(DOTS) and any(
        _NARROW.search(op.operands[0]) or _HALVES.search(op.results[0]) for op in converted
    )


def may_transpose_converted(kernel: Kernel) -> bool:
    """Whether a kernel may transpose an operand of wgmma before it converts it to 16 bits."""
    return kernel.holds(("tt.trans",)) and kernel.holds(("ttng.warp_group_dot",)) and may_convert_to_words(kernel)


def may_transpose_words(kernel: Kernel) -> bool:
    """Whether a kernel may transpose a loaded tile of tf32 into fragments."""
    return any(_FRAGMENTS_OF_WORDS.match(op.results[0]) for op in kernel.ops("tt.trans"))


def may_cast_tiles(kernel: Kernel) -> bool:
    """Whether a kernel may cast a loaded tile to another type of its size for a dot."""
    return kernel.holds(DOTS) and any(op.operands[0].startswith(_TENSOR) for op in kernel.ops("tt.bitcast"))


def may_unpack_operands(kernel: Kernel) -> bool:
    """Whether a kernel may compute an operand of a dot from tiles of 8-bit elements or integers, or convert it so.

    Ops between a packed tile and the dot tell nothing: nf4 is looked up by selects, fp6 put together from its bits.
    """
    return may_convert_to_words(kernel) or _may_unpack_tiles(kernel) or (kernel.holds(DOTS) and _loads_bytes(kernel))


def may_scale_integers(kernel: Kernel) -> bool:
    """Whether a kernel may multiply integers by scales, and round the product for a dot."""
    converted = kernel.ops("arith.sitofp", "arith.uitofp")
    return (
        kernel.holds(DOTS)
        and any(op.results[0].startswith(_TENSOR) for op in converted)
        and any(_HALVES.search(op.results[0]) for op in kernel.ops("arith.truncf"))
    )


def may_scale_operands(kernel: Kernel) -> bool:
    """Whether a kernel may multiply converted 8-bit elements before a dot."""
    multiplied = {op.results[0] for op in kernel.ops("arith.mulf")}
    converted = (op for op in kernel.ops(*_CONVERSIONS) if op.results[0] in multiplied)
    return kernel.holds(DOTS) and any(_NARROW.search(op.operands[0]) for op in converted)


def may_scale_columns(kernel: Kernel) -> bool:
    """Whether a loop may scale the columns of its dot of bytes, by scales that it finds by a remainder."""
    has_remainder = any(op.results[0].startswith(_TENSOR) for op in kernel.ops("arith.remsi", "arith.remui"))
    is_of_bytes = any(_NARROW.search(dot.operands[1]) for dot in kernel.ops("tt.dot"))
    return has_remainder and is_of_bytes and kernel.holds_together("tt.dot", "arith.mulf")


def may_mask_operands(kernel: Kernel) -> bool:
    """Whether a kernel may mask 8-bit elements, or operands of tf32, before a dot."""
    selects = [op.results[0] for op in kernel.ops("arith.select") if op.results[0].startswith(_TENSOR)]
    loads = may_convert_operands(kernel) or may_become_non_k_major(kernel)
    return bool(selects) and kernel.holds(DOTS) and loads


def may_load_transposed(kernel: Kernel) -> bool:
    """Whether a kernel may load an 8-bit tile, its transpose, and a third tile for the other part of the keys."""
    tiles = [tile.groups() for load in kernel.ops("tt.load") if (tile := _NARROW_TILE.match(load.operands[0]))]
    is_turned = any((columns, rows, element) in tiles for rows, columns, element in tiles if rows != columns)
    return len(tiles) > 2 and is_turned and kernel.holds(DOTS)


def may_load_repeated(kernel: Kernel) -> bool:
    """Whether a kernel may load a tile of packed integers or of group scales: it divides."""
    divides = any(op.results[0].startswith(_TENSOR) for op in kernel.ops("arith.divsi", "arith.divui"))
    return divides and _may_unpack_tiles(kernel)


def _may_unpack_tiles(kernel: Kernel) -> bool:
    return kernel.holds(DOTS) and any(_PACKED_TILE.match(load.operands[0]) for load in kernel.ops("tt.load"))


def may_hold_tiles(source: Kernel) -> bool:
    """Whether a kernel at the start of its "ttir" stage may hold tiles that dotload loads in another way than stock."""
    return may_become_non_k_major(source) or _may_unpack_tiles(source)


def may_hold_nests(source: Kernel) -> bool:
    """Whether a kernel at the start of its "ttgir" stage may hold such tiles in a nest that Triton would fuse."""
    return may_hold_tiles(source) and _may_fuse_loops(source)


def may_hold_flattened(kernel: Kernel) -> bool:
    """Whether a kernel may have a dot of wgmma in a nest of loops that Triton would fuse."""
    return kernel.holds(("ttng.warp_group_dot",)) and _may_fuse_loops(kernel)


def _may_fuse_loops(kernel: Kernel) -> bool:
    return kernel.holds(("scf.for",)) and kernel.prints("tt.flatten")


def has_staged_operands(kernel: Kernel) -> bool:
    """Whether `stage-dot-operands` has staged operands of the kernel."""
    return kernel.attribute(STAGED) is not None


def has_overlapped_operands(kernel: Kernel) -> bool:
    """Whether `stage-dot-operands` lets dots of the kernel run while the operands of others are prepared."""
    return has_staged_operands(kernel) or kernel.attribute(CONVERTED) is not None


def has_staged_or_scales(kernel: Kernel) -> bool:
    """Whether there are staged operands, or a block that may scale the result of its wgmma dot of bytes."""
    return has_staged_operands(kernel) or _may_scale_results(kernel)


def has_overlapped_or_scales(kernel: Kernel) -> bool:
    """The same with operands that are prepared while a dot runs."""
    return has_overlapped_operands(kernel) or _may_scale_results(kernel)


def _may_scale_results(kernel: Kernel) -> bool:
    dots = kernel.ops("ttng.warp_group_dot")
    return any(_NARROW.search(dot.operands[1]) for dot in dots) and kernel.holds_together(
        "ttng.warp_group_dot", "arith.mulf"
    )
