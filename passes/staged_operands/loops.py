"""Loops behind Triton's pipeliner: the tiles that they use in turn, and how their ops are moved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.types import element_bits
from dotload.passes.emitter import PASSING_ON, memory_type
from dotload.passes.llvm_builder import insert_at
from dotload.passes.typed import of_kind, tensor_type

SLOTS = 2
"""Tiles that a loop stores an operand to in turn."""

PRODUCTS = (WarpGroupDotOp, DotOp)
PRODUCT_NAMES = frozenset(kind.name for kind in PRODUCTS)

ACCUMULATOR = 2
"""The place of C among the operands of a product."""

REGISTER_BITS = 32
WARP_LANES = 32


def loop_around(op: Operation) -> Operation | None:
    """The innermost loop that the op is in."""
    parent = op.parent_op()
    return parent if parent is None or isinstance(parent, scf.ForOp | scf.WhileOp) else loop_around(parent)


def products(loop: scf.ForOp) -> list[WarpGroupDotOp]:
    """The products in the loop's own block."""
    return of_kind(loop.body.block.ops, WarpGroupDotOp)


def is_only_product(product: Operation) -> bool:
    """Whether the product is the only one of the loop that it is in, and of those inside."""
    loop = product.parent_op()
    return isinstance(loop, scf.ForOp) and [op for op in loop.walk() if op.name in PRODUCT_NAMES] == [product]


def warps_of(found: Sequence[WarpGroupDotOp]) -> int:
    """The warps that compute a product."""
    encoding = tensor_type(found[0].d).encoding
    assert isinstance(encoding, attrs.NvidiaMmaEncoding)
    return math.prod(encoding.warps_per_cta)


def accumulator_registers(loop: scf.ForOp) -> int:
    """The registers of a thread that the accumulators of all products of the loop take."""
    found = products(loop)
    bits = sum(math.prod(tensor_type(op.d).get_shape()) * element_bits(tensor_type(op.d)) for op in found)
    return bits // (REGISTER_BITS * WARP_LANES * warps_of(found))


def before_views(memory: SSAValue) -> SSAValue:
    """The memory before views rename it."""
    while isinstance(memory, OpResult) and isinstance(memory.op, PASSING_ON):
        memory = memory.op.operands[memory.index]
    return memory


def slot_of(memory: SSAValue) -> MemDescIndexOp | None:
    """Where the memory is one of several tiles: what picks it."""
    owner = before_views(memory).owner
    return owner if isinstance(owner, MemDescIndexOp) else None


def alloc_of(memory: SSAValue) -> LocalAllocOp | None:
    """What allocates the memory, or all the tiles that it is one of; None where that is not known."""
    slot = slot_of(memory)
    owner = before_views(memory if slot is None else slot.src).owner
    return owner if isinstance(owner, LocalAllocOp) else None


def slots_of(memory: SSAValue) -> int:
    """How many tiles the memory is one of; 0 where that is not known."""
    slot = slot_of(memory)
    if slot is None or not isinstance(slot.src.owner, LocalAllocOp):
        return 0
    return memory_type(slot.src).get_shape()[0]


def alternates(index: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the index is the lowest bit of the number of the iteration, as `overlap.emit_slot` writes it."""
    match index.owner:
        case arith.AndIOp(lhs=count, rhs=mask) if constant_of(mask) == SLOTS - 1:
            return counts(count, loop)
        case _:
            return False


def counts(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the value is the loop's variable, less its start, in steps."""
    match value.owner:
        case arith.TruncIOp(input=wide):
            return counts(wide, loop)
        case arith.DivUIOp(lhs=distance, rhs=step) if step is loop.step:
            return is_distance(distance, loop)
        case _:
            return is_distance(value, loop) and constant_of(loop.step) == 1


def is_distance(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the value is the loop's variable, or that less something that stays the same."""
    match value.owner:
        case arith.SubiOp(lhs=start, rhs=less):
            return start is loop.body.block.args[0] and not loop.is_ancestor(less.owner)
        case _:
            return value is loop.body.block.args[0]


def constant_of(value: SSAValue) -> int | None:
    """The integer that the value always is; None if it is not known."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as constant):
            return constant.value.data
        case _:
            return None


def walk(op: Operation, *, backwards: bool = False) -> Iterator[Operation]:
    """The ops behind (or before) `op` in its block, nearest first."""
    found = op.prev_op if backwards else op.next_op
    while found is not None:
        yield found
        found = found.prev_op if backwards else found.next_op


def slice_of(roots: Iterable[Operation | Block], loop: scf.ForOp) -> list[Operation]:
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


def is_numeric(values: Iterable[SSAValue], loop: scf.ForOp) -> bool:
    """Whether the values, and what they are in the next iteration, are computed from numbers alone."""
    last = loop.body.block.last_op
    assert last is not None
    roots = list(values)
    ops = slice_of([value.owner for value in roots], loop)
    used = {*roots, *(value for op in ops for value in op.operands)}
    carried = [value for value in used if isinstance(value, BlockArgument) and value.block is loop.body.block]
    following = [last.operands[value.index - 1].owner for value in carried if value.index]
    return all(op.dialect_name() == "arith" for op in (*ops, *slice_of(following, loop)))


def raise_above(place: Operation, ops: Iterable[Operation | Block], loop: scf.ForOp) -> None:
    """Move ops of the loop's body, with all that they are computed by, above `place` where they stand below."""
    below = set(walk(place))
    for op in slice_of(ops, loop):
        if op in below:
            move(op, place)


def move(op: Operation, before: Operation) -> None:
    """Move an op."""
    op.detach()
    Rewriter.insert_op(op, InsertPoint.before(before))


def clone(ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue]) -> None:
    """Insert copies of the ops, with their operands as `values` says, where it does; it learns their results."""
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


def serving_only(ops: Sequence[Operation]) -> set[Operation]:
    """Those of the ops, which stand in order, that serve nothing but each other, or have no results."""
    found: set[Operation] = set()
    for op in reversed(ops):
        if all(use.operation in found for result in op.results for use in result.uses):
            found.add(op)
    return found


def send(ops: Iterable[Operation], where: InsertPoint, values: dict[SSAValue, SSAValue], whole: set[Operation]) -> None:
    """Move those of the ops that are in `whole`; of the others, insert copies.

    Operands become what `values` says. It learns the results of copies.
    """
    for op in ops:
        if op not in whole:
            clone([op], where, values)
            continue
        op.operands = [values.get(value, value) for value in op.operands]
        op.detach()
        insert_at(where, op)
