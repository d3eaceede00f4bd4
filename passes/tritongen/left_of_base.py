"""Zeros in place of what a block load brings from left of its base.

The base is aligned down and x grows by as much (`block_messages`). Columns below 0 then lie inside the surface: the
hardware reads the bytes before the base, where Triton expects zeros. Unless x is known to be nonnegative, the elements
of such columns are cleared after the load:

    lane element k of lane l holds column  x + column(l) + column(k);   element & (that column >= 0 ? -1 : 0)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import SSAValue

from dotload.dialect_ext.triton_gen import BlockLoad2DOp
from dotload.dialect_ext.triton_gen_verify import constant_value, subgroup_size
from dotload.dialect_ext.typed import vector_parts
from dotload.dialect_ext.types import element_bits
from dotload.layout.block_message import Message
from dotload.layout.linear import log2_exact
from dotload.passes.llvm.types import vector_type
from dotload.passes.tritongen.asserts import compare
from dotload.passes.tritongen.builder import Callee, GenBuilder

LANE_ID = Callee("_Z22get_sub_group_local_id", memory="none")
_AT_LEAST = "sge"


def may_be_left(op: BlockLoad2DOp) -> bool:
    """Whether a load whose result is used may have columns below 0."""
    x = constant_value(op.x)
    return bool(op.res.uses) and (x is None or x < 0)


def without_left(builder: GenBuilder, op: BlockLoad2DOp, message: Message, value: SSAValue) -> SSAValue:
    """The elements of a load, with those of columns below 0 cleared."""
    length, element = vector_parts(value)
    bits = element_bits(element)
    held = log2_exact(max(1, bits // message.element_bits))
    lanes = held + log2_exact(subgroup_size(op))
    columns = [column for _, column in message.payload_order]
    found: dict[int, SSAValue] = {}
    first = _first_column(builder, op.x, columns[held:lanes])
    kinds: list[int] = []
    for at in range(length):
        column = sum(step for bit, step in enumerate(columns[lanes:]) if at >> bit & 1)
        if column not in found:
            found[column] = _mask(builder, first, column, bits)
        kinds.append(list(found).index(column))
    few, type_ = builder.vector(list(found.values())), vector_type(length, IntegerType(bits))
    mask = builder.shuffle_two(few, few, kinds, type_)
    kept = builder.binary(llvm.AndOp, builder.bitcast(value, type_), mask)
    return builder.bitcast(kept, value.type)


def _first_column(builder: GenBuilder, x: SSAValue, steps: Sequence[int]) -> SSAValue:
    """The column of a lane's first element: x, plus a step for each bit of the lane's number. Bits with the same shift
    are shifted together.
    """
    if not any(steps):
        return x
    lane = builder.call(LANE_ID, [], i32)
    masks: dict[int, int] = {}
    for bit, step in enumerate(steps):
        if step:
            distance = step.bit_length() - 1 - bit
            masks[distance] = masks.get(distance, 0) | 1 << bit
    total = x
    for distance, mask in masks.items():
        part = builder.binary(llvm.AndOp, lane, builder.constant(mask))
        shift = llvm.ShlOp if distance > 0 else llvm.LShrOp
        part = part if distance == 0 else builder.binary(shift, part, builder.constant(abs(distance)))
        total = builder.binary(llvm.AddOp, total, part)
    return total


def _mask(builder: GenBuilder, first: SSAValue, column: int, bits: int) -> SSAValue:
    """All ones if the column is at least 0, else zero."""
    at = builder.binary(llvm.AddOp, first, builder.constant(column)) if column else first
    holds = compare(builder, _AT_LEAST, at, builder.constant(0))
    return builder.make(llvm.SExtOp, [holds], IntegerType(bits))
