"""Def-use chains: users of values, backward and forward traversals, and removal of dead ops."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.traits import is_removable

Asked = TypeVar("Asked", bound=Hashable)


def are_alike(one: Operation, other: Operation) -> bool:
    """Whether two ops differ in their operands and types at most."""
    return (one.name, one.properties, one.attributes) == (other.name, other.properties, other.attributes)


def only_user(value: SSAValue) -> Operation | None:
    """The only user of the value, if it has exactly one use."""
    return value.get_user_of_unique_use()


def replace_uses_except(value: SSAValue, new: SSAValue, user: Operation) -> None:
    """Replace the uses of a value by `new`, except those in `user`, which computes `new` from it."""
    value.replace_uses_with_if(new, lambda use: use.operation is not user)


def ops_behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> Iterator[Operation]:
    """The chain of ops of these kinds that computes the value along first operands, the last op first."""
    while isinstance(op := value.owner, kinds):
        yield op
        if not op.operands:
            return  # an allocation without an initial value
        value = op.operands[0]


def behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> SSAValue:
    """The value at the start of such a chain."""
    for op in ops_behind(value, kinds):
        value = op.operands[0]
    return value


def uses_behind(op: Operation, follows: Callable[[Operation], bool]) -> Iterator[Use]:
    """The uses of the op's results, and of all results computed from them by ops for which `follows` is true."""
    waiting, seen = list(op.results), set(op.results)
    while waiting:
        for use in waiting.pop().uses:
            yield use
            if follows(use.operation):
                waiting += [result for result in use.operation.results if result not in seen]
                seen.update(use.operation.results)


def holds(asked: Iterable[Asked], needed: Callable[[Asked], Iterable[Asked] | None]) -> bool:
    """Whether a property holds for all of `asked`. It holds for one if it does for all its `needed`; None: it does not.

    Each is visited once: along a chain of values whose two operands are equal, the number of paths is exponential.
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
    """Erase the ops of the values' backward slices that have no uses."""
    waiting = [value.owner for value in values]
    for op in waiting:  # grows during the iteration
        if not isinstance(op, Operation) or op.parent is None:
            continue  # already erased, as the other operand of the same op
        if is_removable(op) and not any(result.first_use for result in op.results):
            waiting += [value.owner for value in op.operands]
            Rewriter.erase_op(op)
