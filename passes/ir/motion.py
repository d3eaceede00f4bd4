"""Moving and copying ops within a loop: program slices, hoisting, copies with other operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.traits import is_pure, writes_global
from dotload.passes.ir.loops import terminator_operands

HINTS = frozenset(("tt.contiguity", "tt.constancy", "tt.divisibility"))
"""What a user may have said of a tensor (tl.multiple_of and the like), on the op that makes it."""


def walk(op: Operation, *, backwards: bool = False) -> Iterator[Operation]:
    """The ops behind (or before) `op` in its block, nearest first."""
    found = op.prev_op if backwards else op.next_op
    while found is not None:
        yield found
        found = found.prev_op if backwards else found.next_op


def backward_slice(roots: Iterable[Operation | Block], loop: scf.ForOp) -> list[Operation]:
    """The ops of the loop's body that the roots are computed by, in order, with the roots; blocks do not count.

    What an op with regions takes from outside of these counts as its operands.
    """
    found: set[Operation] = set()
    waiting = list(roots)
    while waiting:
        op = waiting.pop()
        if isinstance(op, Operation) and op not in found and op.parent_block() is loop.body.block:
            found.add(op)
            waiting += [value.owner for each in (op.walk() if op.regions else (op,)) for value in each.operands]
    in_order = (op for op in loop.body.block.ops if op in found)
    return list(islice(in_order, len(found)))  # no further than to the last of them


def is_scalar_arithmetic(values: Iterable[SSAValue], loop: scf.ForOp) -> bool:
    """Whether the values, and those of the next iteration, are computed by arithmetic alone: no memory is read."""
    roots, yielded = list(values), terminator_operands(loop.body.block)
    ops = backward_slice([value.owner for value in roots], loop)
    used = {*roots, *(value for op in ops for value in op.operands)}
    carried = [value for value in used if isinstance(value, BlockArgument) and value.block is loop.body.block]
    following = [yielded[value.index - 1].owner for value in carried if value.index]
    return all(op.dialect_name() == "arith" for op in (*ops, *backward_slice(following, loop)))


def hoist_above(place: Operation, ops: Iterable[Operation | Block], loop: scf.ForOp) -> None:
    """Move ops of the loop's body, with all that they are computed by, above `place` where they stand below."""
    below = set(walk(place))
    for op in backward_slice(ops, loop):
        if op in below:
            move(op, place)


def may_move_above(load: Operation, place: Operation, loop: scf.ForOp) -> bool:
    """Whether a load below `place` may run above it: no op up to there writes, and its addresses are only computed."""
    if (between := ops_from(place, load)) is None:
        return False
    computing = backward_slice([load], loop)
    return not any(writes_global(op) or (op in computing and not is_pure(op)) for op in between)


def ops_from(place: Operation, op: Operation) -> list[Operation] | None:
    """The ops from `place` on to `op`, which is not one of them; None where it stands above `place` itself."""
    found: list[Operation] = []
    for each in walk(op, backwards=True):
        found.append(each)
        if each is place:
            return found
    return None


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


def copy_of_others(op: Operation, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """A copy whose result has other elements than the op's, or in another order: what a user said holds of the latter.

    Of every eighth pointer, `tt.contiguity` would be false: Triton loads by vectors under one mask, out of bounds.
    """
    copy = copy_of(op, values)
    copy.attributes = {name: attr for name, attr in copy.attributes.items() if name not in HINTS}
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
