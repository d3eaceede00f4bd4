"""Moving and copying ops within a loop: program slices, hoisting, copies with other operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.traits import is_removable
from dotload.dialect_ext.typed import is_splat


def walk(op: Operation, *, backwards: bool = False) -> Iterator[Operation]:
    """The ops behind (or before) `op` in its block, nearest first."""
    found = op.prev_op if backwards else op.next_op
    while found is not None:
        yield found
        found = found.prev_op if backwards else found.next_op


def only_user(value: SSAValue) -> Operation | None:
    """The op that uses the value, if there is one use."""
    uses = list(value.uses)
    return uses[0].operation if len(uses) == 1 else None


def erase_unused(values: Iterable[SSAValue]) -> None:
    """Erase the ops that values are computed by, as far as nobody uses their results."""
    for value in values:
        op = value.owner
        if isinstance(op, Operation) and is_removable(op) and not any(result.first_use for result in op.results):
            above = list(op.operands)
            Rewriter.erase_op(op)
            erase_unused(above)


def ops_behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> Iterator[Operation]:
    """The ops of some kinds, of one operand each, that the value is made by, the last one first."""
    while isinstance(value.owner, kinds):
        yield value.owner
        value = value.owner.operands[0]


def behind(value: SSAValue, kinds: tuple[type[Operation], ...]) -> SSAValue:
    """What the value is made of by such ops."""
    for op in ops_behind(value, kinds):
        value = op.operands[0]
    return value


def constant_of(value: SSAValue) -> int | None:
    """The integer that the value always is; None if it is not known."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as constant):
            return constant.value.data
        case _:
            return None


def splat_of(value: SSAValue | None) -> float | None:
    """The number that all elements of a constant are; None for other values."""
    owner = None if value is None else value.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    constant = owner.properties.get("value", owner.attributes.get("value"))
    return constant.get_values()[0] if is_splat(constant) else None


def is_zero(value: SSAValue | None) -> bool:
    """Whether a value is a constant of zeros."""
    return splat_of(value) == 0


def backward_slice(roots: Iterable[Operation | Block], loop: scf.ForOp) -> list[Operation]:
    """The ops of the loop's body that the roots are computed by, in order, with the roots; blocks do not count."""
    found: set[Operation] = set()
    waiting = list(roots)
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and op.parent_block() is loop.body.block:
            found.add(op)
            waiting += [value.owner for value in op.operands]
    in_order = (op for op in loop.body.block.ops if op in found)
    return list(islice(in_order, len(found)))  # no further than to the last of them


def is_scalar_arithmetic(values: Iterable[SSAValue], loop: scf.ForOp) -> bool:
    """Whether the values, and those of the next iteration, are computed by arithmetic alone: no memory is read."""
    last = loop.body.block.last_op
    assert last is not None
    roots = list(values)
    ops = backward_slice([value.owner for value in roots], loop)
    used = {*roots, *(value for op in ops for value in op.operands)}
    carried = [value for value in used if isinstance(value, BlockArgument) and value.block is loop.body.block]
    following = [last.operands[value.index - 1].owner for value in carried if value.index]
    return all(op.dialect_name() == "arith" for op in (*ops, *backward_slice(following, loop)))


def hoist_above(place: Operation, ops: Iterable[Operation | Block], loop: scf.ForOp) -> None:
    """Move ops of the loop's body, with all that they are computed by, above `place` where they stand below."""
    below = set(walk(place))
    for op in backward_slice(ops, loop):
        if op in below:
            move(op, place)


def insert_at(where: InsertPoint, op: Operation) -> None:
    """Insert one op; xDSL's own way is for sequences of them, and hundreds are inserted."""
    if where.insert_before is not None:
        where.block.insert_op_before(op, where.insert_before)
    else:
        where.block.add_op(op)


def move(op: Operation, before: Operation) -> None:
    """Move an op."""
    op.detach()
    insert_at(InsertPoint.before(before), op)


def clone(ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue]) -> None:
    """Insert copies of the ops, with their operands as `values` says; it learns their results."""
    for op in ops:
        copy = copy_of(op, values)
        insert_at(where, copy)
        values.update(zip(op.results, copy.results, strict=True))


def copy_of(op: Operation, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """A copy of an op, with its operands as `values` says."""
    if op.regions or op.successors:
        return cast("Any", op).clone(value_mapper=dict(values))
    operands = [values.get(value, value) for value in op.operands]
    types = [result.type for result in op.results]
    copy = assemble(type(op), operands, types, op.properties, op.attributes, op.location)
    for old, new in zip(op.results, copy.results, strict=True):
        new.name_hint = old.name_hint
    return copy


def used_only_within(ops: Sequence[Operation]) -> set[Operation]:
    """Those of the ops, which stand in order, whose results only the others of these use."""
    found: set[Operation] = set()
    for op in reversed(ops):
        if all(use.operation in found for result in op.results for use in result.uses):
            found.add(op)
    return found


def move_or_clone(
    ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue], moved: set[Operation]
) -> None:
    """Move those of the ops that are in `moved`; insert copies of the others.

    Operands become what `values` says. It learns the results of copies.
    """
    for op in ops:
        if op not in moved:
            clone([op], where, values)
            continue
        op.operands = [values.get(value, value) for value in op.operands]
        op.detach()
        insert_at(where, op)
