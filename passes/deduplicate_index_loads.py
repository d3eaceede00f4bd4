"""`deduplicate-index-loads`: an index that operands are found through is loaded once, not by each thread.

    %s = tt.load %p : tensor<32x!tt.ptr<i64>, #ttg.slice<{dim = 0, parent = #blocked}>>    8 loads a thread
    ... tt.addptr %keys, %s ... tt.load

Tiles of a paged cache lie where an index says. Triton gives a tensor of fewer elements than threads the layout that it
is wanted in (its isExpensiveLoadOrStore): all threads that load a part of a row load the row's number, each for itself,
and once for each layout in which tiles are loaded. Its pipeliner makes asynchronous copies of 4 or 8 bytes of that, one
a row, where one for all rows does:

    %n = tt.load %q : tensor<32x!tt.ptr<i64>, #ttg.blocked<{sizePerThread = [1], ...}>>    1 load a thread
    %s = ttg.convert_layout %n                       which the pipeliner makes a read of the copy in shared memory

Candidates: the index of a tile of 8 bits, in a loop that is pipelined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.passes import remarks
from dotload.passes.ir.conversions import BYTE
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, layout_of
from dotload.passes.ir.loops import DOTS
from dotload.passes.operand_staging.latencies import MIN_COPY_BITS, is_copied_ahead, loads_found_by, loads_of
from dotload.passes.operand_staging.layout_propagation import threads_of
from dotload.passes.rematerialization.layouts import Layouts, is_same_but_for_layout, may_be_recomputed
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class IndexLoads:
    """Loads of one index by the `threads` of a loop's dots, which differ in nothing but their layouts."""

    loads: tuple[LoadOp, ...]
    threads: int

    @property
    def count(self) -> int:
        """How many elements a thread loads."""
        return sum(layout_of(load.result).in_sizes[enc.REGISTER] for load in self.loads)

    @property
    def count_of_line(self) -> int:
        """How many are left of these where threads have one element after the other."""
        (size,) = shape_of(self.loads[0].result.type)
        return math.ceil(size / self.threads)


# Candidates


def find_indices(loop: scf.ForOp, num_stages: int) -> list[IndexLoads]:
    """The indices of a loop that threads load more often than they have to."""
    threads = max((threads_of(op) for op in loop.body.block.ops if isinstance(op, DOTS)), default=0)
    if not threads or any(map(writes_global, loop.walk())):
        return []
    found: dict[LoadOp, list[LoadOp]] = {}
    for load in of_kind(loads_of(loop), LoadOp):
        if is_index(load) and is_copied_ahead(load, loop, num_stages):
            first = next((each for each in found if is_same_load(each, load)), load)
            found.setdefault(first, []).append(load)
    indices = [IndexLoads(tuple(loads), threads) for loads in found.values()]
    return [index for index in indices if index.count > index.count_of_line]


def is_index(load: LoadOp) -> bool:
    """Whether a line is loaded that says where tiles of 8 bits lie, by addresses that can be computed anew."""
    tensor = as_tensor(load.result.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.SliceEncoding) or len(tensor.get_shape()) != 1:
        return False
    if load.isVolatile.value.data or element_bits(tensor) < MIN_COPY_BITS:
        return False
    tiles, layout = loads_found_by(load), layout_of(load.result)
    is_of_bytes = bool(tiles) and all(element_bits(tile.results[0].type) == BYTE for tile in tiles)
    is_of_one_block = layout.in_sizes[enc.BLOCK] == 1
    return is_of_bytes and is_of_one_block and may_be_recomputed(load.operands)


def is_same_load(first: LoadOp, second: LoadOp) -> bool:
    """Whether two loads of one iteration bring the same, in whatever layouts."""
    is_alike = first.properties == second.properties and first.attributes == second.attributes
    operands = zip((first.ptr, first.mask, first.other), (second.ptr, second.mask, second.other), strict=True)
    return is_alike and all(is_same_but_for_layout(*each) for each in operands)


# Emission


def emit(index: IndexLoads) -> None:
    """Load the index once, and convert the layout to each that it is wanted in."""
    line = encoding_attribute(enc.Blocked((1,), (WARP_LANES,), (index.threads // WARP_LANES,), (0,)))
    loaded = Layouts().load(index.loads[0], line).results[0]
    for load in index.loads:
        load.result.replace_all_uses_with(Emitter.before(load).add(ConvertLayoutOp(loaded, tensor_type(load.result))))
        Rewriter.erase_op(load)


# The pass


@dataclass(frozen=True)
class DeduplicateIndexLoadsPass(RewritePass):
    """Load the index that operands are found through once, not by each thread.

    `num_stages`: the kernel's option of that name, 0 where it is not known.
    """

    name: ClassVar[str] = "deduplicate-index-loads"

    num_stages: int = 0

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every loop."""
        found = [each for loop in of_kind(list(op.walk()), scf.ForOp) for each in find_indices(loop, self.num_stages)]
        for index in found:
            remarks.emit("passed", self.name, index.loads[0], f"loaded once, not {index.count} times by each thread")
            emit(index)
        return bool(found)
