"""Code motion within a loop: program slices, hoisting, copies with other operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.traits import is_pure, writes_global
from dotload.passes.ir.loops import terminator

HINTS = frozenset(("tt.contiguity", "tt.constancy", "tt.divisibility"))
"""A user's hints about a tensor (tl.multiple_of and the like), on the op that defines it."""


def walk(op: Operation, *, backwards: bool = False) -> Iterator[Operation]:
    """The ops after (or before) `op` in its block, nearest first."""
    found = op.prev_op if backwards else op.next_op
    while found is not None:
        yield found
        found = found.prev_op if backwards else found.next_op


def around(op: Operation, until: Operation | None = None) -> list[Operation]:
    """The ops of a loop's body that run after `op`, those below it and then those above it, until it runs again.

    `until`: an op to stop before.
    """
    ops = [*walk(op), *reversed([*walk(op, backwards=True)])]
    return list(takewhile(lambda each: each is not until, ops))


def backward_slice(roots: Iterable[Operation | Block], loop: scf.ForOp) -> list[Operation]:
    """The roots' backward slice in the loop's body, in program order, with the roots themselves; blocks are ignored.

    Values that an op's regions use from outside count as its operands.
    """
    found: set[Operation] = set()
    waiting = list(roots)
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and op.parent_block() is loop.body.block:
            found.add(op)
            waiting += [value.owner for each in (op.walk() if op.regions else (op,)) for value in each.operands]
    in_order = (op for op in loop.body.block.ops if op in found)
    return list(islice(in_order, len(found)))  # up to the last of them


def is_scalar_arithmetic(values: Iterable[SSAValue], loop: scf.ForOp) -> bool:
    """Whether the values are computed by arithmetic alone, across iterations: no memory is read."""
    roots, yielded = list(values), terminator(loop.body.block).operands
    ops = backward_slice([value.owner for value in roots], loop)
    used = {*roots, *(value for op in ops for value in op.operands)}
    carried = [value for value in used if isinstance(value, BlockArgument) and value.block is loop.body.block]
    following = [yielded[value.index - 1].owner for value in carried if value.index]
    return all(op.dialect_name() == "arith" for op in (*ops, *backward_slice(following, loop)))


def hoist_above(place: Operation, ops: Iterable[Operation | Block], loop: scf.ForOp) -> None:
    """Move ops of the loop's body, and their backward slices, above `place` if they are below it."""
    below = set(walk(place))
    for op in backward_slice(ops, loop):
        if op in below:
            move(op, place)


def may_move_above(load: Operation, place: Operation, loop: scf.ForOp) -> bool:
    """Whether a load below `place` may run above it: no op in between writes, and its addresses are pure arithmetic."""
    if not place.is_before_in_block(load):
        return False
    between = takewhile(lambda op: op is not load, (place, *walk(place)))
    computing = backward_slice([load], loop)
    return not any(writes_global(op) or (op in computing and not is_pure(op)) for op in between)


def insert_at(where: InsertPoint, op: Operation) -> None:
    """Insert one op. xDSL's own function is for sequences, and slow for hundreds of single ops."""
    if where.insert_before is not None:
        where.block.insert_op_before(op, where.insert_before)
    else:
        where.block.add_op(op)


def move(op: Operation, before: Operation) -> None:
    """Move an op."""
    op.detach()
    insert_at(InsertPoint.before(before), op)


def clone(ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue]) -> None:
    """Insert copies of the ops, with operands mapped by `values`, to which their results are added."""
    for op in ops:
        copy = copy_of(op, values)
        insert_at(where, copy)
        values.update(zip(op.results, copy.results, strict=True))


def copy_of(op: Operation, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """A copy of an op, with operands mapped by `values`."""
    if op.regions or op.successors:
        return cast("Any", op).clone(value_mapper=dict(values))
    operands = [values.get(value, value) for value in op.operands]
    types = [result.type for result in op.results]
    copy = assemble(type(op), operands, types, op.properties, op.attributes, op.location)
    for old, new in zip(op.results, copy.results, strict=True):
        new.name_hint = old.name_hint
    return copy


def copy_of_others(op: Operation, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """A copy whose result has other elements, or another order; it drops the user's hints, which no longer hold.

    `tt.contiguity` is false of every eighth pointer, say: Triton would load vectors under one mask, out of bounds.
    """
    copy = copy_of(op, values)
    copy.attributes = {name: attr for name, attr in copy.attributes.items() if name not in HINTS}
    return copy


def used_only_within(ops: Sequence[Operation]) -> set[Operation]:
    """The ops, of a sequence in program order, whose results are only used within the sequence."""
    found: set[Operation] = set()
    for op in reversed(ops):
        if all(use.operation in found for result in op.results for use in result.uses):
            found.add(op)
    return found


def move_or_clone(
    ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue], moved: set[Operation]
) -> None:
    """Move the ops that are in `moved`; insert copies of the others.

    Operands are mapped by `values`, to which the results of copies are added.
    """
    for op in ops:
        if op not in moved:
            clone([op], where, values)
            continue
        op.operands = [values.get(value, value) for value in op.operands]
        op.detach()
        insert_at(where, op)
