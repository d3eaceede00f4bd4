"""Sums of dots: values that a loop accumulates by dots alone, so that a common factor can be taken out.

from zero, in each iteration                 carried from zero, and multiplied, but else only added to

%s = tt.dot %q, %k, %zero                    scf.for ... iter_args(%acc = %zero)
%t = tt.dot %q_rope, %k_rope, %s               %old = arith.mulf %acc, %correction
                                               %new = tt.dot %p, %v, %old
                                               scf.yield %new
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.def_use import only_user, replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import Carried


@dataclass(frozen=True)
class DotSum:
    """Dots of a loop, each of which accumulates into the result of the previous one, which has no other use.

    `carried`: the loop-carried accumulator; None if each iteration starts from zero.
    """

    loop: scf.ForOp
    dots: tuple[DotOp, ...]
    carried: Carried | None

    @property
    def result(self) -> SSAValue:
        """The sum after the last dot."""
        return self.dots[-1].d if self.carried is None else self.carried.result

    def emitter(self) -> Emitter:
        """An emitter right after the result."""
        return Emitter.after(self.dots[-1] if self.carried is None else self.loop, self.dots[-1])


def find_sums(loop: scf.ForOp) -> Iterator[DotSum]:
    """The sums from which a factor may be taken out."""
    for first in of_kind(loop.body.block.ops, DotOp):
        dots = _chain_from(first)
        if is_zero(first.c):
            yield DotSum(loop, dots, None)
        elif (carried := _carried_by(loop, dots)) is not None:
            yield DotSum(loop, dots, carried)


def _chain_from(dot: DotOp) -> tuple[DotOp, ...]:
    """The dot, and the dots that accumulate into its result, as long as the result has no other use."""
    chain = [dot]
    while isinstance(user := only_user(chain[-1].d), DotOp) and user.c is chain[-1].d:
        chain.append(user)
    return tuple(chain)


def _carried_by(loop: scf.ForOp, dots: tuple[DotOp, ...]) -> Carried | None:
    """The loop-carried value that starts from zero, is only multiplied, and accumulates the dots."""
    first, last = dots[0], dots[-1]
    end = only_user(last.d)
    if end is None or end is not loop.body.block.last_op:
        return None
    carried, product = Carried(loop, end.operands.index(last.d)), first.c.owner
    argument = carried.argument
    is_scaled = isinstance(product, arith.MulfOp) and argument in product.operands and only_user(first.c) is first
    only = product if is_scaled else first
    return carried if is_zero(carried.init) and only_user(argument) is only else None


def scale(value: SSAValue, factor: SSAValue, emitter: Emitter) -> None:
    """Multiply a value for all of its users."""
    product = arith.MulfOp(value, factor)
    replace_uses_except(value, emitter.insert(product), product)
