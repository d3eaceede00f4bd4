"""Dots that are staged together: their accumulators have one order of rows and columns.

    %s = tt.dot %a0, %b0, %acc
    %d = tt.dot %a1, %b1, %s                  a loop that the kernel unrolls, or tl.static_range in its body

An accumulator that passes from one dot to the next is permuted for both. So are those of two dots that take values
computed from one tile by mma.sync, such as the halves of bytes that hold two numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Operation

from dotload.dialect_ext.encodings import NvidiaMmaEncoding
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.typed import tensor_type
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.reject import Reject
from dotload.passes.ir.loops import ACCUMULATOR, loop_around
from dotload.passes.operand_staging.accumulator_flow import find_flow
from dotload.passes.operand_staging.accumulators import Accumulator, find_accumulator
from dotload.passes.operand_staging.candidates import Operand, find_operands
from dotload.passes.operand_staging.ordering import refusal
from dotload.passes.operand_staging.reasons import StagingReason
from dotload.passes.operand_staging.stock import reads_transposed, stores_columns


def dots_together(dot: Operation) -> tuple[Operation, ...]:
    """The dots to stage together with this one, in the order of the block."""
    found, block = [dot], dot.parent_block()
    for each in found:  # grows during the iteration
        sharing = (other for operand in eligible_operands(each) for other in operand.dots if isinstance(each, DotOp))
        found += [other for other in dict.fromkeys((*neighbours(each), *sharing)) if other not in found]
    assert block is not None
    return tuple(op for op in block.ops if op in found)


def neighbours(dot: Operation) -> Iterator[Operation]:
    """The dots of the block that the accumulator comes from or goes to."""
    if loop_around(dot) is None:  # there, each result is permuted back at once
        return
    before = dot.operands[ACCUMULATOR].owner
    after = (use.operation for use in dot.results[0].uses if use.index == ACCUMULATOR)
    for other in (before, *after):
        if isinstance(other, type(dot)) and other.parent_block() is dot.parent_block():
            yield other


def why_not(dot: Operation, operand: Operand) -> Reject | None:
    """Why the operand may not be staged, whatever the plan; None if it may."""
    if has_words(dot, operand):
        return Reject(StagingReason.WORDS_OF_MMA)
    if (reject := refusal(dot, operand)) is not None:
        return reject
    if reads_transposed(dot, operand):
        return Reject(StagingReason.READ_TRANSPOSED)
    if stores_columns(dot, operand):
        return Reject(StagingReason.LOADED_BY_ELEMENTS)
    may_be = operand.is_only_use or operand.may_be_copied or operand.may_be_shared
    return None if may_be else Reject(StagingReason.OTHER_USES)


def has_words(dot: Operation, operand: Operand) -> bool:
    """Whether mma.sync multiplies a tile of 32-bit elements: each fills a register, in either order."""
    is_mma = isinstance(dot, DotOp) and isinstance(tensor_type(dot.d).encoding, NvidiaMmaEncoding)
    return is_mma and operand.tile.element_bits == REGISTER_BITS


def eligible_operands(dot: Operation) -> list[Operand]:
    """The operands of a dot that may be staged."""
    return [operand for operand in find_operands(dot) if why_not(dot, operand) is None]


def operands_of(dots: Sequence[Operation], known: Mapping[Operation, list[Operand]]) -> dict[Operation, list[Operand]]:
    """The operands of dots that go together, each tile with the first dot that takes it.

    Raises Reject if a dot has none: the accumulator is permuted for all of them.
    """
    taken: dict[Operation, list[Operand]] = {}
    covered: set[Operation] = set()
    for dot in dots:
        found = known.get(dot) or eligible_operands(dot)
        if dot not in covered:
            taken[dot] = found
            covered |= {dot, *(other for operand in found for other in operand.dots)}
    if not all(taken.values()):
        raise Reject(StagingReason.ACCUMULATOR_SHARED)
    return taken


def accumulator_of(dots: Sequence[Operation], operands: Mapping[Operation, Sequence[Operand]]) -> Accumulator | Reject:
    """The accumulator of dots that go together, or why its indices may not be permuted."""
    permuting: Reject | None = None
    first, is_alone = dots[0], len(dots) == 1
    found = [operand for each in operands.values() for operand in each]
    axes = sorted({operand.index for operand in found})
    shares = any(len(operand.dots) > 1 for operand in found)
    if not is_alone and (loop_around(first) is None or (shares and len(axes) > 1)):
        return Reject(StagingReason.OTHER_USES)
    if isinstance(first, DotOp) and loop_around(first) is not None:
        try:
            return find_flow(dots, axes)
        except Reject as reject:
            if not is_alone:
                return reject
            permuting = reject
    try:
        return find_accumulator(*dots)
    except Reject as reject:
        return permuting or reject
