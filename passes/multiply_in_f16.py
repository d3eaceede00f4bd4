"""`multiply-in-f16`: multiply in f16, not bf16, in attention over keys and values converted from e4m3.

    %k = tt.fp_to_fp %b : ... -> tensor<512x64xbf16, #b>         %k = tt.fp_to_fp %b : ... -> tensor<512x64xf16, #b>
    %s = tt.dot %q, %k, %zero                                    %t = tt.dot %scaled, %k, %zero
                                                                 %s = arith.mulf %t, %back

Before Blackwell, a GPU converts a pair of e4m3 to f16 by one instruction, and to bf16 by four, through f16 and f32
(operand_staging/packed_conversions.py). f16 represents every e4m3. It also represents a bf16 x, with all 8 bits of its
mantissa, if 2^-17 <= |x| < 2^16. So the pass scales the other factor into that range by a power of two, which changes
no mantissa, neither of factors nor of sums:

    rows from before the loop     each row by the power that puts its largest element into [2^15, 2^16); the sum is
    (the queries)                 scaled back in the loop
    probabilities, exp(s - m)     by 2^15; the accumulator is scaled back after the loop

m is the maximum of s, or the running one. So no probability exceeds 1, and one of a row was 1 when m was found. A fused
multiply-add rounds s in m and not in s - m; for scores below 2^24, the exponential is then less than 2. If a loop
carries 0 instead of a maximum of -inf, as if a score had been 0, it is changed to carry the maximum itself.

Results are bit-identical with two exceptions: rows of such a loop that begin without scores, and a factor that is not 0
and smaller than 2^-32 of its row's largest (of 1, for probabilities). It is rounded, by at most 2^-40 of the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp, bf16, f16, f32
from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import CmpfOp, CmpiOp, ExtFOp, SelectOp, TruncFOp
from dotload.dialect_ext.tt_compute import DotOp, FpToFpOp, SplatOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import with_element
from dotload.layout.widths import RANK
from dotload.passes.analysis.softmax import Softmax, find_softmax, only_corrects
from dotload.passes.ir.conversions import rounds_to_nearest
from dotload.passes.ir.def_use import behind, erase_unused, only_user
from dotload.passes.ir.dot_sums import DotSum, find_sums, scale
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import MMA_SYNC
from dotload.passes.ir.loops import ancestors
from dotload.passes.ir.motion import copy_of
from dotload.passes.ir.row_scales import BIAS, RowScales
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.packed_conversions import find_conversion
from dotload.passes.rewriting import RewritePass

LAST_BINADE = 15
"""The last binade of f16: it holds the bf16 below 2^16."""

MOVING = (ConvertLayoutOp, TransOp)
"""Ops between an operand's conversion and the dot."""


@dataclass(frozen=True)
class Scores:
    """A sum from zero: operand `index` of each dot is one of the `sources`, from before the loop, as fragments."""

    sum: DotSum
    index: int
    sources: tuple[SSAValue, ...]


@dataclass(frozen=True)
class Average:
    """A loop-carried sum of one dot, whose operand `index` is `probabilities`, rounded, in the layout of fragments."""

    sum: DotSum
    index: int
    probabilities: OpResult
    softmax: Softmax


# Candidates


def find_scores(sums: Sequence[DotSum]) -> Iterator[Scores]:
    """The sums that may be computed in f16 after their rows are scaled."""
    for each in sums:
        for index in (0, 1) if each.carried is None else ():
            sources = [source for dot in each.dots if (source := source_of(dot, index, each.loop))]
            if len(sources) == len(each.dots) and all(takes_e4m3(dot, 1 - index, each.loop) for dot in each.dots):
                yield Scores(each, index, tuple(sources))


def source_of(dot: DotOp, index: int, loop: scf.ForOp) -> SSAValue | None:
    """The tensor from before the loop behind an operand, without its conversion to the layout of fragments."""
    owner = dot.operands[index].owner
    if not isinstance(owner, ConvertLayoutOp) or loop.is_ancestor(owner):
        return None
    return owner.src if isinstance(tensor_type(owner.src).encoding, attrs.BlockedEncoding) else None


def takes_e4m3(dot: DotOp, index: int, loop: scf.ForOp) -> bool:
    """Whether an mma.sync dot has an operand that the loop converts from e4m3 to bf16 for it."""
    result, value = tensor_type(dot.d), dot.operands[index]
    is_mma_sync = isinstance(result.encoding, attrs.NvidiaMmaEncoding) and result.encoding.version_major == MMA_SYNC
    if not is_mma_sync or len(result.get_shape()) != RANK or result.element_type != f32:
        return False
    while isinstance(value.owner, MOVING) and only_user(value):
        value = value.owner.operands[0]
    conversion = value.owner
    if not isinstance(conversion, FpToFpOp) or not only_user(value) or not loop.is_ancestor(conversion):
        return False
    return str(tensor_type(conversion.src).element_type) == "f8E4M3FN" and tensor_type(value).element_type == bf16


def find_averages(sums: Sequence[DotSum]) -> Iterator[Average]:
    """The dots that average with probabilities as weights."""
    for each in sums:
        for index in (0, 1) if each.carried is not None and len(each.dots) == 1 else ():
            rounded = behind(each.dots[0].operands[index], (ConvertLayoutOp,))
            if not isinstance(rounded, OpResult) or not rounds_to_nearest(rounded.op):
                continue
            softmax = find_softmax(rounded.op.operands[0], each.loop)
            if softmax is None or not takes_e4m3(each.dots[0], 1 - index, each.loop):
                continue
            if not softmax.restarts or only_corrects(softmax):
                yield Average(each, index, rounded, softmax)


# Emission


def emit_scores(scores: Scores) -> None:
    """Scale rows up before the loop, and scale the sums of dots back."""
    dots, index = scores.sum.dots, scores.index
    rows = RowScales(1 - index, Emitter.before(place_of(scores), dots[0]))
    result, emitter = tensor_type(dots[-1].d), rows.emitter
    exponents = [rows.in_rows_of(result, rows.largest_exponents(source)) for source in scores.sources]
    largest = emitter.folded(arith.MaxSIOp, exponents)
    raised = rows.number_minus(LAST_BINADE + 2 * BIAS, largest)
    up = emitter.with_number(arith.MinSIOp, raised, 2 * BIAS - 1)  # so that 2^-e is a normal number of f32
    powers, back = rows.power_of_two(up), rows.spread(rows.power_of_two(rows.number_minus(2 * BIAS, up)), result)
    for dot, source in zip(dots, scores.sources, strict=True):
        scaled = emitter.insert(arith.MulfOp(widened(source, emitter), rows.spread(powers, tensor_type(source))))
        multiply(dot, index, in_f16(scaled, emitter), emitter)
    scale(scores.sum.result, back, scores.sum.emitter())


def place_of(scores: Scores) -> Operation:
    """The outermost loop before which the sources are defined."""

    def is_behind_sources(op: Operation) -> bool:
        return isinstance(op, scf.ForOp) and not any(op.is_ancestor(source.owner) for source in scores.sources)

    return [scores.sum.loop, *takewhile(is_behind_sources, ancestors(scores.sum.loop))][-1]


def emit_average(average: Average) -> None:
    """Scale probabilities up, and scale the loop's result back.

    They are scaled before they are rounded: LLVM treats a product of a rounded number and 2^15 as one in f16.
    """
    (dot,), rounded = average.sum.dots, average.probabilities
    emitter, exact = Emitter.after(rounded.op), average.softmax.exponentials
    up = emitter.with_number(arith.MulfOp, exact, 2.0**LAST_BINADE)
    scaled = emitter.make(TruncFOp, [up], tensor_type(rounded))
    multiply(dot, average.index, in_f16(widened(scaled, emitter), emitter), Emitter.before(dot))
    outside, result = average.sum.emitter(), average.sum.result
    scale(result, outside.splat(2.0**-LAST_BINADE, tensor_type(result)), outside)


def carry_maximum(softmax: Softmax) -> None:
    """Let the loop carry the maximum itself. After the loop, if it ran, 0 replaces -inf again."""
    assert softmax.running is not None
    loop, result = softmax.running.loop, softmax.running.result
    softmax.running.yield_next(softmax.maximum)
    uses, emitter, type_ = list(result.uses), Emitter.after(loop), tensor_type(result)
    if not uses:
        return
    zero, lowest = (emitter.insert(arith.ConstantOp(FloatAttr(number, f32))) for number in (0.0, -inf))
    runs = emitter.insert(CmpiOp(loop.lb, loop.ub, "slt"))
    instead = emitter.make(SplatOp, [emitter.insert(SelectOp(runs, zero, lowest))], type_)
    is_number = emitter.insert(CmpfOp(result, emitter.splat(-inf, type_), "ogt"))
    kept = emitter.insert(SelectOp(is_number, result, instead))
    for use in uses:
        use.operation.operands[use.index] = kept


def widened(value: SSAValue, emitter: Emitter) -> SSAValue:
    """A bf16 tensor in f32."""
    return emitter.make(ExtFOp, [value], with_element(tensor_type(value), f32))


def in_f16(value: SSAValue, emitter: Emitter) -> SSAValue:
    """A tensor of f32 in f16."""
    return emitter.make(TruncFOp, [value], with_element(tensor_type(value), f16))


def multiply(dot: DotOp, index: int, factor: SSAValue, emitter: Emitter) -> None:
    """Let the dot multiply by the f16 factor, and convert its other operand to f16."""
    old = [dot.operands[0], dot.operands[1]]
    dot.operands[index] = emitter.insert(ConvertLayoutOp(factor, with_element(tensor_type(old[index]), f16)))
    dot.operands[1 - index] = converted_to_f16(old[1 - index])
    erase_unused(old)


def converted_to_f16(value: SSAValue) -> SSAValue:
    """The value converted to f16 instead of bf16, moved likewise."""
    op = value.owner
    assert isinstance(op, Operation)
    made = copy_of(op, {} if isinstance(op, FpToFpOp) else {op.operands[0]: converted_to_f16(op.operands[0])})
    return Emitter.after(op).insert_as(made, with_element(tensor_type(value), f16))


@dataclass(frozen=True)
class MultiplyInF16Pass(RewritePass):
    """Multiply in f16 where that is exact and a conversion to bf16 takes more instructions."""

    name = "multiply-in-f16"

    def rewrite(self, module: ModuleOp) -> bool:
        if find_conversion("f8E4M3FN", str(bf16), capability_of(module)) is None:
            return False
        sums = [found for loop in of_kind(module.walk(), scf.ForOp) for found in find_sums(loop)]
        scores, averages = list(find_scores(sums)), list(find_averages(sums))
        self.report(scores, "each row is scaled before the loop")
        self.report(averages, "probabilities are scaled by 2^15")
        for found in scores:
            emit_scores(found)
        for found in averages:
            emit_average(found)
        for softmax in {found.softmax.running: found.softmax for found in averages if found.softmax.restarts}.values():
            carry_maximum(softmax)
        return bool(scores or averages)

    def report(self, found: Sequence[Scores | Average], how: str) -> None:
        """Emit the remarks that dots are computed in f16, and how their factors are scaled."""
        for dot in (dot for each in found for dot in each.sum.dots):
            self.passed(dot, f"the dot of bf16 and converted e4m3 is computed in f16: {how}")
