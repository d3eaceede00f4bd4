"""`fold-memdesc-trans`: store tiles transposed if dots take them through a transpose.

A transposed dot takes the tile of the other operand through `ttg.memdesc_trans`:

    %m = ttg.local_alloc %x : (tensor<128x64, #blocked>) -> !ttg.memdesc<128x64, #shared>
    %t = ttg.memdesc_trans %m : ... -> !ttg.memdesc<64x128, #transposed>

The op that fills the tile can write it under transposed indices instead. Values, and the pointers of asynchronous
copies, stay in their registers, and go to the same addresses:

    %n = tt.trans %x : ... -> tensor<64x128, #linear>
    %t = ttg.local_alloc %n : (tensor<64x128, #linear>) -> !ttg.memdesc<64x128, #transposed>

This pays if an alias of memory costs more compile time than an op on tensors: Triton 3.9 visits all addresses of each
alias, twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    LocalAllocOp,
    LocalDeallocOp,
    MemDescIndexOp,
    MemDescTransOp,
)
from dotload.dialect_ext.typed import as_tensor, dims_of, of_kind, tensor_type
from dotload.layout.linear import LayoutError
from dotload.layout.views import Transpose
from dotload.passes.ir.emitter import Emitter, transposed_memory, viewed_tensor
from dotload.passes.ir.memory import buffers_type, memory_type
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.rewriting import RewritePass

TRANSPOSE = Transpose((1, 0))


@dataclass(frozen=True)
class TransposedTiles:
    """A tile, or its buffers: the allocation, and the ops that fill, select and transpose tiles."""

    alloc: LocalAllocOp
    fills: tuple[LocalAllocOp | AsyncCopyGlobalToLocalOp, ...]
    indices: tuple[MemDescIndexOp, ...]
    views: tuple[MemDescTransOp, ...]

    @property
    def tile(self) -> SSAValue:
        """One of them."""
        return self.indices[0].result if self.indices else self.alloc.result

    @property
    def values(self) -> list[SSAValue]:
        """The values, pointers and masks by which they are filled."""
        return [value for op in self.fills for value in op.operands if as_tensor(value.type) is not None]


def plan(alloc: LocalAllocOp) -> TransposedTiles | None:
    """The tiles, if they are only filled and transposed."""
    indices = tuple(of_kind((use.operation for use in alloc.result.uses), MemDescIndexOp))
    tiles = [index.result for index in indices] or [alloc.result]
    if len({tile.type for tile in tiles}) > 1:
        return None
    users = [use.operation for tile in tiles for use in tile.uses]
    views, copies = tuple(of_kind(users, MemDescTransOp)), tuple(of_kind(users, AsyncCopyGlobalToLocalOp))
    if not views or (bool(copies) == (alloc.src is not None)) or (indices and alloc.src is not None):
        return None
    known = {*indices, *views, *copies}
    others = {*users, *(use.operation for use in alloc.result.uses)} - known
    if not all(isinstance(op, LocalDeallocOp) for op in others):
        return None
    found = TransposedTiles(alloc, copies or (alloc,), indices, views)
    return found if may_fold(found) else None


def may_fold(found: TransposedTiles) -> bool:
    """Whether the views have the type that `emit` gives a tile, and all layouts are known."""
    memory, values = memory_type(found.tile), [tensor_type(value) for value in found.values]
    if any(dims_of(view.order) != TRANSPOSE.order or view.src.type != memory for view in found.views):
        return False
    if not all(isinstance(type_.encoding, EncodingAttr) for type_ in (memory, *values)):
        return False
    try:
        for value in values:
            viewed_tensor(value, TRANSPOSE)
        return {view.result.type for view in found.views} == {transposed_memory(memory)}
    except LayoutError:
        return False


def emit(found: TransposedTiles) -> None:
    """Fill the tiles transposed, and use them without a transpose."""
    tile, memory = transposed_memory(memory_type(found.tile)), memory_type(found.alloc.result)
    for op in found.fills:
        emitter = Emitter.before(op)
        for place, value in enumerate(op.operands):
            if as_tensor(value.type) is not None:
                op.operands[place] = emitter.tensor_views(value, (TRANSPOSE,))
    for index in found.indices:
        Rewriter.replace_value_with_new_type(index.result, tile)
    Rewriter.replace_value_with_new_type(
        found.alloc.result, buffers_type(tile, memory.get_shape()[0]) if found.indices else tile
    )
    for view in found.views:
        Rewriter.replace_op(view, (), [view.src])


@dataclass(frozen=True)
class FoldMemDescTransPass(RewritePass):
    """Store tiles transposed that are only taken through ttg.memdesc_trans."""

    name = "fold-memdesc-trans"

    def rewrite(self, module: ModuleOp) -> bool:
        allocs = [] if is_in_cluster(module) else of_kind(module.walk(), LocalAllocOp)
        found = [tiles for tiles in map(plan, allocs) if tiles is not None]
        for tiles in found:
            emit(tiles)
        return bool(found)
