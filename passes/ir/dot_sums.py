"""Sums of dots: what a loop adds up by dots alone, which a factor of all of them may be taken out of.

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
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter


@dataclass(frozen=True)
class DotSum:
    """Dots of a loop, each of which adds to the one before, and is all that uses that.

    `carried`: which of the loop's values they add to; None where they add up from zero in each iteration.
    """

    loop: scf.ForOp
    dots: tuple[DotOp, ...]
    carried: int | None

    @property
    def result(self) -> SSAValue:
        """The sum, where nothing is added to it any more."""
        return self.dots[-1].d if self.carried is None else self.loop.results[self.carried]

    def emitter(self) -> Emitter:
        """Right behind the result."""
        return Emitter.after(self.dots[-1] if self.carried is None else self.loop, self.dots[-1])


def find_sums(loop: scf.ForOp) -> Iterator[DotSum]:
    """The sums that a factor may be taken out of."""
    for first in of_kind(loop.body.block.ops, DotOp):
        dots = _chain_from(first)
        if is_zero(first.c):
            yield DotSum(loop, dots, None)
        elif (carried := _carried_by(loop, dots)) is not None:
            yield DotSum(loop, dots, carried)


def _chain_from(dot: DotOp) -> tuple[DotOp, ...]:
    """The dot, and those that go on adding to its result, as long as nothing else uses that."""
    chain = [dot]
    while isinstance(user := only_user(chain[-1].d), DotOp) and user.c is chain[-1].d:
        chain.append(user)
    return tuple(chain)


def _carried_by(loop: scf.ForOp, dots: tuple[DotOp, ...]) -> int | None:
    """Which of the loop's values starts from zero, and is but multiplied, added to by the dots, and carried on."""
    first, last = dots[0], dots[-1]
    end = only_user(last.d)
    if end is None or end is not loop.body.block.last_op:
        return None
    index = end.operands.index(last.d)
    carried, product = loop.body.block.args[index + 1], first.c.owner
    is_scaled = isinstance(product, arith.MulfOp) and carried in product.operands and only_user(first.c) is first
    only = product if is_scaled else first
    return index if is_zero(loop.iter_args[index]) and only_user(carried) is only else None


def scale(value: SSAValue, factor: SSAValue, emitter: Emitter) -> None:
    """Multiply a value for all that use it."""
    product = arith.MulfOp(value, factor)
    emitter.run(product)
    value.replace_uses_with_if(product.result, lambda use: use.operation is not product)
