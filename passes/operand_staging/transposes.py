"""Transposes of loaded tiles for mma.sync, moved to the load, so that the tile is staged like any other.

    %l = ttg.convert_layout %k : tensor<512x32xi8> -> tensor<512x32, #linear>      as Triton has it
    %t = tt.trans %l : ... -> tensor<32x512, #dot_op>

    %r = tt.trans %k : ... -> tensor<32x512>                                       as `find_operand` looks for it
    %t = ttg.convert_layout %r : ... -> tensor<32x512, #dot_op>

Conversions of the elements, above or below the transpose, go after the layout conversion; two transposes cancel. In
latent attention the values are the transpose of the keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import EXCHANGED, DotOp, TransOp
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.layout.views import Transpose
from dotload.layout.widths import RANK
from dotload.passes.ir.conversions import converted
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.ir.emitter import Emitter


@dataclass(frozen=True)
class TransposeAtLoad:
    """An operand whose transpose is moved to its load: the dot's operand `before` and `after` that."""

    dot: DotOp
    index: int
    before: SSAValue
    after: SSAValue

    def undo(self) -> None:
        """Restore the dot's old operand."""
        self.dot.operands[self.index] = self.before
        erase_unused([self.after])

    def finish(self) -> None:
        """Erase ops that have become dead."""
        erase_unused([self.before])


def transposes_at_load(dot: Operation, indices: Collection[int]) -> Iterator[Sequence[TransposeAtLoad]]:
    """Move the operands with these indices that are transposes of loaded tiles to the loads: all, then B, then A.

    Each is finished or undone before the next ones are moved.
    """
    moved = [index for index in (1, 0) if index in indices and is_transposed(dot, index)]
    for chosen in [moved, *([[index] for index in moved] if len(moved) > 1 else [])]:
        if found := [each for index in chosen if (each := transpose_at_load(dot, index))]:
            yield found


def is_transposed(dot: Operation, index: int) -> bool:
    """Whether the operand is the transpose of a loaded tile, and mma.sync takes it."""
    return isinstance(dot, DotOp) and transposing_ops(dot, index) is not None


def transpose_at_load(dot: Operation, index: int) -> TransposeAtLoad | None:
    """Move the operand's transpose to the load, if it is that of a loaded tile; else None, with nothing changed."""
    if not isinstance(dot, DotOp) or (ops := transposing_ops(dot, index)) is None:
        return None
    before, emitter = dot.operands[index], Emitter.before(ops[0])
    is_odd = sum(isinstance(op, TransOp) for op in ops) % 2
    tile = emitter.tensor_views(ops[0].operands[0], [Transpose(EXCHANGED)] * is_odd)
    value = emitter.in_layout(tile, tensor_type(before).encoding)
    for op in filter(is_elementwise, ops):
        value = converted(op, value, emitter)
    dot.operands[index] = value
    return TransposeAtLoad(dot, index, before, value)


def transposing_ops(dot: DotOp, index: int) -> Sequence[Operation] | None:
    """The transposes and conversions from a load to the operand, in order, in one block; None if others are there.

    None too for a batch of matrices.
    """
    value, found = dot.operands[index], list[Operation]()
    tensor = as_tensor(value.type)
    if tensor is None or len(tensor.get_shape()) != RANK or not isinstance(tensor.encoding, attrs.DotOperandEncoding):
        return None
    while isinstance(value, OpResult) and not isinstance(value.op, Load):
        op = value.op
        is_followed = isinstance(op, TransOp | ConvertLayoutOp) or (is_elementwise(op) and len(op.operands) == 1)
        if not is_followed or op.parent_block() is not dot.parent_block():
            return None
        found.append(op)
        value = op.operands[0]
    is_loaded = isinstance(value, OpResult) and value.op.parent_block() is dot.parent_block()
    return found[::-1] if is_loaded and any(isinstance(op, TransOp) for op in found) else None
