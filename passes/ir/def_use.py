"""Definitions and uses of values: what uses one, what it is made of, and ops that nobody uses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.traits import is_removable

Asked = TypeVar("Asked", bound=Hashable)


def only_user(value: SSAValue) -> Operation | None:
    """The op that uses the value, if there is one use."""
    uses = list(value.uses)
    return uses[0].operation if len(uses) == 1 else None


def ops_behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> Iterator[Operation]:
    """The ops of some kinds, of one operand at most, that the value is made by, the last one first."""
    while isinstance(op := value.owner, kinds):
        yield op
        if not op.operands:
            return  # memory that nothing is stored to as it is allocated
        value = op.operands[0]


def behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> SSAValue:
    """What the value is made of by such ops."""
    for op in ops_behind(value, kinds):
        value = op.operands[0]
    return value


def uses_behind(op: Operation, follows: Callable[[Operation], bool]) -> Iterator[Use]:
    """The uses of the op's results, and of all that is computed from these by ops that `follows` is true of."""
    waiting, seen = list(op.results), set(op.results)
    while waiting:
        for use in waiting.pop().uses:
            yield use
            if follows(use.operation):
                waiting += [result for result in use.operation.results if result not in seen]
                seen.update(use.operation.results)


def holds(asked: Iterable[Asked], needed: Callable[[Asked], Iterable[Asked] | None]) -> bool:
    """Whether something holds, of values say, that holds of each where it does of those `needed`; None: it does not.

    Each is asked once: a value of two operands that are made of one value, and so on, is reached by very many ways.
    """
    waiting = list(asked)
    seen = set(waiting)
    while waiting:
        found = needed(waiting.pop())
        if found is None:
            return False
        new = [each for each in dict.fromkeys(found) if each not in seen]
        waiting += new
        seen.update(new)
    return True


def erase_unused(values: Iterable[SSAValue]) -> None:
    """Erase the ops that values are computed by, as far as nobody uses their results."""
    waiting = [value.owner for value in values]
    for op in waiting:  # grows as it goes
        if not isinstance(op, Operation) or op.parent is None:
            continue  # erased already, for an op that takes it twice
        if is_removable(op) and not any(result.first_use for result in op.results):
            waiting += [value.owner for value in op.operands]
            Rewriter.erase_op(op)
