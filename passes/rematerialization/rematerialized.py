"""Bases of rematerialized values: each is created once, next to the original. What forwards that forwards both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext.typed import as_tensor
from dotload.passes.ir.def_use import holds
from dotload.passes.ir.loops import (
    Carried,
    add_operand,
    add_result,
    carried_by_loop,
    carry,
    terminator,
)

Form = TypeVar("Form", bound=Hashable)


@dataclass
class Rematerialized(ABC, Generic[Form]):
    """Recomputed values, each in the requested forms."""

    known: dict[tuple[SSAValue, Form], SSAValue] = field(default_factory=dict[tuple[SSAValue, Form], SSAValue])

    def of(self, value: SSAValue, form: Form) -> SSAValue:
        """The value in that form."""
        if self.stays(value, form):
            return value
        chain = [value]
        while (chain[-1], form) not in self.known and (before := self.before(chain[-1])) is not None:
            chain.append(before)
        for each in reversed(chain):  # a long chain would be too deep for Python's stack
            if (each, form) not in self.known:
                self._find(each, form)
        return self.known[value, form]

    def before(self, value: SSAValue) -> SSAValue | None:
        """An operand of the value's op that is needed first, in the same form."""
        return None

    @classmethod
    def stays(cls, value: SSAValue, form: Form) -> bool:
        """Whether a value already has the form; a scalar does."""
        return as_tensor(value.type) is None

    def hint(self, value: SSAValue) -> str | None:
        """The name of the argument by which a loop forwards a value's form."""
        return value.name_hint

    @abstractmethod
    def compute(self, op: Operation, form: Form) -> SSAValue:
        """The result of an op, in the form."""

    def _find(self, value: SSAValue, form: Form) -> None:
        """Make the value's form known."""
        if (carried := carried_by_loop(value)) is not None:
            self._carry(carried, form)
            return
        match value.op if isinstance(value, OpResult) else value.owner.parent_op():
            case scf.WhileOp(before_region=region) as loop if value.owner is region.block:
                self._enter(loop, value, form)
            case scf.WhileOp() as loop:
                self._leave(loop, _index(value), form)
            case scf.IfOp() as branch:
                self._join(branch, _index(value), form)
            case op:
                assert op is not None
                assert len(op.results) == 1, op.name  # `compute` is not told which result is meant
                self.known[value, form] = self.compute(op, form)

    def _carry(self, carried: Carried, form: Form) -> None:
        """Make a loop carry a carried value's form as well, known then in the body and after the loop."""
        init = self.of(carried.init, form)
        if (carried.argument, form) in self.known:
            return  # found on the way round an outer loop
        new = carry(carried.loop, init, self.hint(carried.argument))
        self.known[carried.argument, form] = new.argument
        new.yield_next(self.of(carried.back, form))
        self.known[carried.result, form] = new.result

    def _enter(self, loop: scf.WhileOp, argument: SSAValue, form: Form) -> None:
        """Make an scf.while carry the form of an argument of its condition as well."""
        index, last = _index(argument), terminator(loop.after_region.block)
        init = self.of(loop.arguments[index], form)
        if (argument, form) in self.known:
            return  # likewise
        at = add_operand(loop, init)
        add_operand(last, init)  # until the yielded form is known
        new = loop.before_region.block.insert_arg(init.type, at)
        new.name_hint = self.hint(argument)
        self.known[argument, form] = new
        last.operands[at] = self.of(last.operands[index], form)

    def _leave(self, loop: scf.WhileOp, index: int, form: Form) -> None:
        """Make the condition of an scf.while forward a form as well, known then in the body and after the loop."""
        condition, body = terminator(loop.before_region.block), loop.after_region.block
        value = self.of(condition.operands[index + 1], form)
        if (loop.results[index], form) in self.known:
            return  # found on the way round the loop
        add_operand(condition, value)
        argument = body.insert_arg(value.type, len(body.args))
        argument.name_hint = self.hint(body.args[index])
        self.known[body.args[index], form] = argument
        self.known[loop.results[index], form] = add_result(loop, value.type)

    def _join(self, branch: scf.IfOp, index: int, form: Form) -> None:
        """Make both regions of an scf.if yield the form as well."""
        values = [self.of(terminator(region.block).operands[index], form) for region in branch.regions]
        if (branch.results[index], form) in self.known:
            return  # found on the way round a loop
        for region, value in zip(branch.regions, values, strict=True):
            add_operand(terminator(region.block), value)
        self.known[branch.results[index], form] = add_result(branch, values[0].type)


class Recomputed(Rematerialized[Form]):
    """Values that are recomputed by a rule, `operands`: it says whether an op's result can be computed, and from what.

    `may_be_computed` follows the rule through a value's backward slice, and creates nothing. `computed` is given what
    the rule names, so that the two cannot disagree.
    """

    @classmethod
    @abstractmethod
    def operands(cls, op: Operation, form: Form) -> Sequence[tuple[SSAValue, Form]] | None:
        """From which operands, in which forms, the op's result is computed in the form; None if it cannot be."""

    @abstractmethod
    def computed(self, op: Operation, form: Form, operands: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The result of an op, in the form, given the operands in theirs."""

    @classmethod
    def may_be_computed(cls, values: Iterable[SSAValue], form: Form) -> bool:
        """Whether the values can be computed in the form."""
        return holds(((value, form) for value in values), lambda each: cls.needed(*each))

    @classmethod
    def needed(cls, value: SSAValue, form: Form) -> Sequence[tuple[SSAValue, Form]] | None:
        """The values, in their forms, from which a value is computed in a form; None if it cannot be."""
        if cls.stays(value, form):
            return ()
        if forwarded := cls.forwarded(value):
            return [(each, form) for each in forwarded]
        return cls.operands(value.op, form) if isinstance(value, OpResult) and len(value.op.results) == 1 else None

    @staticmethod
    def forwarded(value: SSAValue) -> Sequence[SSAValue]:
        """The values that a loop forwards to this one; none if nothing does, or if that is not to be followed."""
        carried = carried_by_loop(value)
        return () if carried is None else (carried.init, carried.back)

    def compute(self, op: Operation, form: Form) -> SSAValue:
        """The result of an op for which the rule holds."""
        found = self.operands(op, form)
        assert found is not None, op.name
        return self.computed(op, form, {operand: self.of(operand, before) for operand, before in found})


def _index(value: SSAValue) -> int:
    assert isinstance(value, BlockArgument | OpResult)
    return value.index
