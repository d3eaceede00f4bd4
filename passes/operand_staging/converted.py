"""Operands of wgmma that are loaded in a narrower type and converted in the loop before they are stored for the dot."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.passes.operand_staging.candidates import contiguous_axis


@dataclass(frozen=True)
class Converted:
    """An operand that is loaded in a narrower type than it is multiplied in; `k_axis`: the dim of k in the tile."""

    index: int
    load: LoadOp
    alloc: LocalAllocOp
    k_axis: int

    @property
    def name(self) -> str:
        """The operand as a remark names it."""
        order = "K-major" if contiguous_axis(self.load) == self.k_axis else "not K-major"
        bits = [element_bits(tensor_type(value)) for value in (self.load.results[0], self.alloc.operands[0])]
        return f"{'AB'[self.index]} ({order}, {bits[0]} bits, converted to {bits[1]})"


def find_converted(dot: Operation, index: int) -> Converted | None:
    """The operand, if it is one: a load, elementwise ops on it, and its staging, all in the loop of the dot."""
    value, k_axis = dot.operands[index], 1 - index
    while isinstance(value, OpResult) and isinstance(value.op, MemDescTransOp):
        value, k_axis = value.op.operands[0], 1 - k_axis
    if not isinstance(dot, WarpGroupDotOp) or not isinstance(value, OpResult):
        return None
    alloc, loop = value.op, dot.parent_op()
    if not isinstance(alloc, LocalAllocOp) or alloc.src is None or not isinstance(loop, scf.ForOp):
        return None
    load = _source(alloc.src, loop.body.block)
    if load is None or element_bits(tensor_type(load.results[0])) >= element_bits(tensor_type(alloc.src)):
        return None
    return Converted(index, load, alloc, k_axis)


def _source(value: SSAValue, block: Block) -> LoadOp | None:
    """The load that the value is computed from, element by element, in the block."""
    op = value.owner
    if not isinstance(op, Operation) or op.parent_block() is not block:
        return None
    if isinstance(op, LoadOp):
        return op
    if not is_elementwise(op) and not isinstance(op, ConvertLayoutOp):
        return None
    return next((load for load in (_source(operand, block) for operand in op.operands) if load), None)
