"""Tiles that products take turned: memory that is turned itself, rather than through a view.

A product computed as its transposed takes the tile of the other operand through `ttg.memdesc_trans`:

    %m = ttg.local_alloc %x : (tensor<128x64, #blocked>) -> !ttg.memdesc<128x64, #shared>
    %t = ttg.memdesc_trans %m : ... -> !ttg.memdesc<64x128, #turned>

What fills the tile may as well write it under turned indices. Values, and the pointers of asynchronous copies, stay in
their registers for that, and go to the same addresses:

    %n = tt.trans %x : ... -> tensor<64x128, #linear>
    %t = ttg.local_alloc %n : (tensor<64x128, #linear>) -> !ttg.memdesc<64x128, #turned>

Worth it where views cost more than ops on tensors: Triton 3.9 writes down each address of each view, twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    LocalAllocOp,
    LocalDeallocOp,
    MemDescIndexOp,
    MemDescTransOp,
)
from dotload.layout.linear import LayoutError
from dotload.layout.views import Transpose
from dotload.passes.emitter import Emitter, memory_type, ring_of, viewed_memory, viewed_tensor
from dotload.passes.typed import as_tensor, dims_of, of_kind, tensor_type

TURN = Transpose((1, 0))


@dataclass(frozen=True)
class TurnedTiles:
    """A tile, or several that a loop uses in turn: what allocates them, fills them, picks one, and turns one."""

    alloc: LocalAllocOp
    fills: tuple[LocalAllocOp | AsyncCopyGlobalToLocalOp, ...]
    slots: tuple[MemDescIndexOp, ...]
    views: tuple[MemDescTransOp, ...]

    @property
    def tile(self) -> SSAValue:
        """One of them."""
        return self.slots[0].result if self.slots else self.alloc.result

    @property
    def values(self) -> list[SSAValue]:
        """What they are filled with: values, pointers, masks."""
        return [value for op in self.fills for value in op.operands if as_tensor(value.type) is not None]


def turn_tiles(function: FuncOp) -> None:
    """Turn all tiles of the function that can be."""
    allocs = of_kind(function.walk(), LocalAllocOp)
    for found in [plan(alloc) for alloc in allocs]:
        if found is not None:
            turn(found)


def plan(alloc: LocalAllocOp) -> TurnedTiles | None:
    """The tiles, if all that is done with them is to fill them and to turn them."""
    slots = tuple(users(alloc.result, MemDescIndexOp))
    tiles = [slot.result for slot in slots] or [alloc.result]
    if len({tile.type for tile in tiles}) > 1:
        return None
    views = tuple(view for tile in tiles for view in users(tile, MemDescTransOp))
    copies = tuple(copy for tile in tiles for copy in users(tile, AsyncCopyGlobalToLocalOp))
    if not views or (bool(copies) == (alloc.src is not None)) or (slots and alloc.src is not None):
        return None
    known = {*slots, *views, *copies}
    others = {use.operation for value in (alloc.result, *tiles) for use in value.uses} - known
    if not all(isinstance(op, LocalDeallocOp) for op in others):
        return None
    found = TurnedTiles(alloc, copies or (alloc,), slots, views)
    return found if may_turn(found) else None


def may_turn(found: TurnedTiles) -> bool:
    """Whether the views are of the type that `turn` will give a tile, and all layouts are known."""
    memory, values = memory_type(found.tile), [tensor_type(value) for value in found.values]
    if any(dims_of(view.order) != TURN.order or view.src.type != memory for view in found.views):
        return False
    if not all(isinstance(type_.encoding, EncodingAttr) for type_ in (memory, *values)):
        return False
    try:
        for value in values:
            viewed_tensor(value, TURN)
        return {view.result.type for view in found.views} == {viewed_memory(memory, TURN)}
    except LayoutError:
        return False


def turn(found: TurnedTiles) -> None:
    """Fill the tiles turned, and use them as they are."""
    tile, memory = viewed_memory(memory_type(found.tile), TURN), memory_type(found.alloc.result)
    for op in found.fills:
        emitter = Emitter.before(op)
        for place, value in enumerate(op.operands):
            if as_tensor(value.type) is not None:
                op.operands[place] = emitter.tensor_views(value, (TURN,))
    for slot in found.slots:
        Rewriter.replace_value_with_new_type(slot.result, tile)
    Rewriter.replace_value_with_new_type(
        found.alloc.result, ring_of(tile, memory.get_shape()[0]) if found.slots else tile
    )
    for view in found.views:
        view.result.replace_all_uses_with(view.src)
        Rewriter.erase_op(view)


Used = TypeVar("Used", bound=Operation)


def users(value: SSAValue, kind: type[Used]) -> list[Used]:
    """The ops of this kind that use the value."""
    return [use.operation for use in value.uses if isinstance(use.operation, kind)]
