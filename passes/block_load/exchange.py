"""Register exchange between lanes after a message, as a plan's `exchange` says (`dotload.layout.lane_exchange`).

With b the lane's own bit, `low` the elements whose register number has the bit clear and `high` the others:

    sent = low if b else high            what the other lane needs
    got  = sent of lane ^ 2^i
    low, high = (got, high) if b else (low, got)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import SSAValue

from dotload.dialect_ext.typed import vector_parts
from dotload.dialect_ext.types import element_bits
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.lane_exchange import Exchange
from dotload.layout.widths import WORD_BITS
from dotload.passes.block_load.spelling import LANE_ID, SHUFFLE_XOR_32
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import NOT_EQUAL, vector_type


def exchanged(builder: LLVMBuilder, plan: BlockLoadPlan, vector: SSAValue) -> SSAValue:
    """A message's vector after the plan's exchange, of the same type."""
    if plan.exchange is None:
        return vector
    length, element = vector_parts(vector)
    count = length * plan.result_bits // plan.request.element_bits
    type_ = vector_type(count, IntegerType(plan.request.element_bits))
    elements = builder.bitcast(vector, type_)
    low, high = _halves(plan.exchange, count)
    distance = 1 << plan.exchange.lane
    own_bit = builder.bit_and(builder.entry.once(LANE_ID, i32), distance)
    upper = builder.compare(NOT_EQUAL, own_bit, builder.constant(0))
    pairs = [
        _between_lanes(builder, upper, distance, *words)
        for words in zip(_words(builder, elements, low), _words(builder, elements, high), strict=True)
    ]
    part = vector_type(WORD_BITS // plan.request.element_bits, type_.element_type)
    new_low, new_high = (_joined(builder, [builder.bitcast(pair[at], part) for pair in pairs]) for at in (0, 1))
    place = {register: at for at, register in enumerate([*low, *high])}
    together = builder.shuffle_two(new_low, new_high, [place[register] for register in range(count)], type_)
    return builder.bitcast(together, vector_type(length, element))


def _between_lanes(
    builder: LLVMBuilder, upper: SSAValue, distance: int, low: SSAValue, high: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """A word of either half after the exchange. Not whole vectors: Triton 3.3 cannot convert selects of those."""
    sent = builder.select(upper, low, high)
    got = builder.call(SHUFFLE_XOR_32, [sent, builder.constant(distance)], i32)
    return builder.select(upper, got, low), builder.select(upper, high, got)


def _halves(exchange: Exchange, count: int) -> tuple[list[int], list[int]]:
    """The registers whose number has the bit clear, and those in which it is set."""
    low = [register for register in range(count) if not register >> exchange.register & 1]
    return low, [register | 1 << exchange.register for register in low]


def _words(builder: LLVMBuilder, elements: SSAValue, registers: Sequence[int]) -> list[SSAValue]:
    """These elements of a vector, as words."""
    half = builder.shuffle(elements, registers)
    length, element = vector_parts(half)
    count = length * element_bits(element) // WORD_BITS
    words = builder.bitcast(half, vector_type(count, i32))
    return [builder.element(words, at) for at in range(count)]


def _joined(builder: LLVMBuilder, parts: Sequence[SSAValue]) -> SSAValue:
    """The concatenation of vectors of one type, whose count is a power of two."""
    while len(parts) > 1:
        length, element = vector_parts(parts[0])
        type_ = vector_type(2 * length, element)
        pairs = zip(parts[0::2], parts[1::2], strict=True)
        parts = [builder.shuffle_two(a, b, range(2 * length), type_) for a, b in pairs]
    return parts[0]
