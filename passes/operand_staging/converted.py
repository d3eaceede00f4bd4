"""Operands of wgmma that are loaded in a narrower type and converted in the loop before they are stored for the dot.

    %w = tt.load %pointers : tensor<64x128xi8>
    %f = arith.sitofp %w : ... to tensor<64x128xf16>
    %b = ttg.local_alloc %f
    %d = ttng.warp_group_dot %a, %b, %acc

If ops of one operand are all that converts the tile, wgmma may take it from registers (`as_operand`). If not, it is
stored to two buffers (`double_buffering.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dotload.dialect_ext.traits import is_elementwise, is_pure_function
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.raw_tiles import Tile
from dotload.layout.widths import BYTE_BITS, RANK
from dotload.passes.ir.def_use import ops_behind
from dotload.passes.ir.layouts import contiguous_axis
from dotload.passes.ir.motion import backward_slice
from dotload.passes.operand_staging.candidates import Operand, k_axis_of, layout_of_tma
from dotload.passes.operand_staging.loop_loads import is_copied_by_vectors

AWAITED_DOTS = 2
"""Dots of an attention loop: Q K^T, and P V."""


@dataclass(frozen=True)
class Converted:
    """An operand that is loaded in a narrower type than it is multiplied in; `k_axis`: the dim of k in the tile."""

    dot: WarpGroupDotOp
    index: int
    load: Load
    alloc: LocalAllocOp
    k_axis: int

    @property
    def as_operand(self) -> Operand | None:
        """The operand as a candidate for registers.

        None if an op of two operands converts it, or if it is not loaded in vectors.
        """
        chain, conversion = list[Operation](), list[Operation]()
        value = self.dot.operands[self.index]
        while isinstance(value, OpResult) and value.op is not self.load:
            if len(value.op.operands) != 1:
                return None
            (conversion if self.alloc in chain else chain).append(value.op)
            value = value.op.operands[0]
        tensor = tensor_type(self.load.results[0])
        if element_bits(tensor) != BYTE_BITS or len(tensor.get_shape()) != RANK or not is_copied_by_vectors(self.load):
            return None
        tile = Tile.of(tensor.get_shape(), contiguous_axis(self.load), BYTE_BITS, layout_of_tma(self.load))
        return Operand(self.index, self.load, tuple(reversed(chain)), tile, conversion=tuple(reversed(conversion)))

    @property
    def name(self) -> str:
        """The operand as a remark names it."""
        order = "K-major" if contiguous_axis(self.load) == self.k_axis else "not K-major"
        bits = [element_bits(value.type) for value in (self.load.results[0], self.alloc.operands[0])]
        return f"{'AB'[self.index]} ({order}, {bits[0]} bits, converted to {bits[1]})"


def is_one_of_several(converted: Converted) -> bool:
    """Whether both dots of a loop that goes on with a result take converted tiles: K and V of attention.

    Such a loop waits for its dots, so that a second buffer keeps less of it waiting, and room for more blocks is worth
    more. Latent attention, which has three dots, was not measured.
    """
    block = converted.dot.parent_block()
    assert block is not None
    dots = of_kind(block.ops, WarpGroupDotOp)
    users = (use.operation for dot in dots for use in dot.d.uses)
    if len(dots) != AWAITED_DOTS or all(isinstance(user, WarpGroupDotOp | scf.YieldOp) for user in users):
        return False
    return any(takes_converted(dot) for dot in dots if dot is not converted.dot)


def is_awaited_for_a(dot: WarpGroupDotOp) -> bool:
    """Whether the loop waits for the dot before it computes A in registers again (`await-register-operands`).

    Registers of A that are cast to fragments may be computed part by part (`sink-operand-conversions`), and what is
    computed from another dot, as in attention, comes after a wait for that one.
    """
    loop = dot.parent_op()
    if as_tensor(dot.a.type) is None or not isinstance(loop, scf.ForOp):
        return False
    ops = backward_slice([dot.a.owner], loop)
    return bool(ops) and not any(isinstance(op, WarpGroupDotOp | UnrealizedConversionCastOp) for op in ops)


def takes_converted(dot: Operation) -> bool:
    """Whether an operand of the dot is one."""
    return any(find_converted(dot, index) for index in (0, 1))


def find_converted(dot: Operation, index: int) -> Converted | None:
    """The operand, if it is one: a load, elementwise ops on it, and its staging, all in the loop of the dot."""
    chain, loop = list(ops_behind(dot.operands[index], (LocalAllocOp, MemDescTransOp))), dot.parent_op()
    alloc = chain[-1] if chain else None
    if not isinstance(dot, WarpGroupDotOp) or not isinstance(loop, scf.ForOp):
        return None
    if not isinstance(alloc, LocalAllocOp) or alloc.src is None:
        return None
    load = _source(alloc.src, loop.body.block)
    if load is None or element_bits(load.results[0].type) >= element_bits(alloc.src.type):
        return None
    return Converted(dot, index, load, alloc, k_axis_of(index, chain))


def _source(value: SSAValue, block: Block) -> Load | None:
    """The load that the value is computed from, element by element, in the block: the first by order of operands.

    Assembly takes bytes from words of four. A register of wgmma's A holds two neighbours along k, so words would be
    taken apart and put together again.
    """
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        op = value.owner
        if value in seen or not isinstance(op, Operation) or op.parent_block() is not block:
            continue
        if isinstance(op, Load):
            return op
        seen.add(value)
        if (is_elementwise(op) and not is_pure_function(op)) or isinstance(op, ConvertLayoutOp):
            waiting += reversed(op.operands)
    return None
