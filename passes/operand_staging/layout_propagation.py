"""Partial dots, whose results a loop goes on with: whether the rows of their results may still be permuted.

    %part = ttng.warp_group_dot %a, %b, %zero         its rows permuted, as A comes through registers
    %back = tt.reshape, tt.trans of %part             permutes them back; moves no data
    %old = ttg.convert_layout %back                   to the layout that the result had
    %sum = arith.addf %acc, (arith.mulf %old, %scale)

Triton's `tritongpu-remove-layout-conversions` propagates the layout of %back forward and removes the conversion, if
%scale and the initial %acc can have that layout as well. If they cannot, Triton converts a whole tile in each
iteration. This module predicts which of the two happens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import AnyLayout, is_elementwise
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.passes.ir.def_use import holds
from dotload.passes.ir.loops import ACCUMULATOR, carried_by_loop, threads_of


def is_partial(dot: Operation) -> bool:
    """Whether the dot starts from a constant in each iteration of its loop, and its result may be permuted at once.

    Everything that the loop computes from it must be elementwise, with values that Triton can have in any layout.
    """
    loop = dot.parent_op()
    if not isinstance(loop, scf.ForOp) or not isinstance(dot.operands[ACCUMULATOR].owner, arith.ConstantOp):
        return False
    computed = elementwise_results(dot.results, loop)
    if computed is None:
        return False
    others = {source for value in computed for source in sources_of(value) or ()} - {*computed, *dot.operands}
    return come_in_any_layout(others, threads_of(dot))


def elementwise_results(values: Iterable[SSAValue], loop: scf.ForOp) -> list[SSAValue] | None:
    """The values, and everything the loop computes from them; None if an op among that is not elementwise."""
    found, block = list(values), loop.body.block
    for value in found:  # grows during the iteration
        for use in value.uses:
            user = use.operation
            if user is not block.last_op and not (user.parent_block() is block and is_elementwise(user)):
                return None
            following = user.results or (block.args[1 + use.index],)
            found += [each for each in following if each not in found]
    return found


def come_in_any_layout(values: Iterable[SSAValue], threads: int) -> bool:
    """Whether Triton can rematerialize the values in any layout, from scalars, or converts them anyway.

    Triton does not repeat loads with at least as many elements as there are `threads`. If a 2D value is already
    converted, Triton might as well convert the dot's result to the value's layout.
    """

    def needed(each: SSAValue) -> Sequence[SSAValue] | None:
        if as_tensor(each.type) is None or is_converted_line(each.owner):
            return ()
        may_change = not isinstance(each, OpResult) or is_computed_anew(each.op, threads)
        return sources_of(each) if may_change else None

    return holds(values, needed)


def sources_of(value: SSAValue) -> Sequence[SSAValue] | None:
    """The operands of a value; for a loop-carried one, the initial and the yielded value; None if not known."""
    if isinstance(value, OpResult):
        return value.op.operands
    carried = carried_by_loop(value)
    return None if carried is None else (carried.init, carried.back)


def is_converted_line(op: Operation | Block) -> bool:
    """Whether the op converts a 1D tensor that is not a slice of another: a small conversion in any case."""
    if not isinstance(op, ConvertLayoutOp):
        return False
    source = tensor_type(op.src)
    return len(source.get_shape()) == 1 and isinstance(source.encoding, attrs.BlockedEncoding)


def is_computed_anew(op: Operation, threads: int) -> bool:
    """Whether Triton can repeat the op in another layout; `threads` as above."""
    if isinstance(op, LoadOp):
        pointers = as_tensor(op.ptr.type)  # None for a block pointer
        return pointers is not None and math.prod(pointers.get_shape()) < threads
    return op.has_trait(AnyLayout) or is_elementwise(op)
