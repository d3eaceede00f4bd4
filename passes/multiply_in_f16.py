"""`multiply-in-f16`: attention in bf16 over keys and values that are converted from e4m3 is multiplied in f16.

    %k = tt.fp_to_fp %b : ... -> tensor<512x64xbf16, #b>         %k = tt.fp_to_fp %b : ... -> tensor<512x64xf16, #b>
    %s = tt.dot %q, %k, %zero                                    %t = tt.dot %scaled, %k, %zero
                                                                 %s = arith.mulf %t, %back

Before Blackwell, a GPU converts a pair of e4m3 to f16 by one instruction, and to bf16 by four, by way of f16 and f32
(operand_staging/packed_conversions.py). f16 holds every e4m3. It also holds a bf16 x, with all 8 bits of its mantissa,
where 2^-17 <= |x| < 2^16. So the pass brings the other factor into that range by a power of two, which changes no
mantissa, neither of factors nor of sums:

    rows from before the loop     each row by the power that puts its largest element into [2^15, 2^16); the sum is
    (the queries)                 scaled back in the loop
    probabilities, exp(s - m)     by 2^15; the accumulator is scaled back behind the loop

m is the maximum of s, or the running one. So no probability is more than 1, and one of a row was 1 when m was found. A
fused multiply-add rounds s in m and not in s - m: for scores below 2^24, the exponential is then less than 2.

Results are the same bit for bit, but where a factor is not 0 and smaller than 2^-32 of its row's largest (of 1, for
probabilities). It is rounded, by at most 2^-40 of the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import ExtFOp, TruncFOp
from dotload.dialect_ext.tt_compute import DotOp, FpToFpOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import create, of_kind, tensor_type
from dotload.dialect_ext.types import with_element
from dotload.passes import remarks
from dotload.passes.analysis.softmax import are_probabilities
from dotload.passes.ir.constants import is_zero, splat
from dotload.passes.ir.def_use import behind, erase_unused, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of
from dotload.passes.ir.row_scales import BIAS, RowScales
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.packed_conversions import find_conversion
from dotload.passes.rewriting import RewritePass

LAST_BINADE = 15
"""Of f16: it holds the bf16 below 2^16."""

MMA_SYNC = 2
"""The version of #ttg.nvidia_mma whose dots are mma.sync's."""
RANK = 2

MOVING = (ConvertLayoutOp, TransOp)
"""What an operand may go through behind its conversion."""


@dataclass(frozen=True)
class Scores:
    """Dots of one loop that add up to one tensor, from zero.

    Operand `index` of each is one of the `sources`, from before the loop, in the layout of fragments.
    """

    loop: scf.ForOp
    dots: tuple[DotOp, ...]
    index: int
    sources: tuple[SSAValue, ...]


@dataclass(frozen=True)
class Average:
    """A dot whose operand `index` is `probabilities` in the layout of fragments.

    It adds to what the loop carries as its value `carried`.
    """

    loop: scf.ForOp
    dot: DotOp
    index: int
    probabilities: OpResult
    carried: int


# Candidates


def find_scores(loop: scf.ForOp) -> Iterator[Scores]:
    """The sums that may be computed in f16 after rows are scaled."""
    for dot in of_kind(loop.body.block.ops, DotOp):
        for index in (0, 1) if is_zero(dot.c) else ():
            dots = chain_from(dot)
            sources = [source for each in dots if (source := source_of(each, index, loop))]
            if len(sources) == len(dots) and all(takes_e4m3(each, 1 - index, loop) for each in dots):
                yield Scores(loop, tuple(dots), index, tuple(sources))


def chain_from(dot: DotOp) -> list[DotOp]:
    """The dot, and those that go on adding to its result, as long as nothing else uses that."""
    chain = [dot]
    while isinstance(user := only_user(chain[-1].d), DotOp) and user.c is chain[-1].d:
        chain.append(user)
    return chain


def source_of(dot: DotOp, index: int, loop: scf.ForOp) -> SSAValue | None:
    """The tensor from before the loop that an operand is, before it has the layout of fragments."""
    owner = dot.operands[index].owner
    if not isinstance(owner, ConvertLayoutOp) or loop.is_ancestor(owner):
        return None
    return owner.src if isinstance(tensor_type(owner.src).encoding, attrs.BlockedEncoding) else None


def takes_e4m3(dot: DotOp, index: int, loop: scf.ForOp) -> bool:
    """Whether a matrix product by mma.sync has an operand that is converted from e4m3 to bf16 for it, in the loop."""
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


def find_averages(loop: scf.ForOp) -> Iterator[Average]:
    """The dots that average by probabilities."""
    for dot in of_kind(loop.body.block.ops, DotOp):
        carried = carried_of(dot, loop)
        for index in (0, 1):
            probabilities = probabilities_of(dot, index, loop)
            if carried is not None and probabilities is not None and takes_e4m3(dot, 1 - index, loop):
                yield Average(loop, dot, index, probabilities, carried)


def probabilities_of(dot: DotOp, index: int, loop: scf.ForOp) -> OpResult | None:
    """An operand before it has the layout of fragments, if it is probabilities, rounded."""
    rounded = behind(dot.operands[index], (ConvertLayoutOp,))
    if not isinstance(rounded, OpResult) or not isinstance(rounded.op, TruncFOp):
        return None
    return rounded if are_probabilities(rounded.op.operands[0], loop) else None


def carried_of(dot: DotOp, loop: scf.ForOp) -> int | None:
    """Which of the loop's values starts from zero, and is but multiplied, added to by the dot, and carried on."""
    end = only_user(dot.d)
    if end is None or end is not loop.body.block.last_op:
        return None
    index = end.operands.index(dot.d)
    carried, product = loop.body.block.args[index + 1], dot.c.owner
    is_scaled = isinstance(product, arith.MulfOp) and carried in product.operands and only_user(dot.c) is dot
    only = product if is_scaled else dot
    return index if is_zero(loop.iter_args[index]) and only_user(carried) is only else None


# Emission


def emit_scores(scores: Scores) -> None:
    """Scale rows up before the loop, and the sums of dots back."""
    dots, index = scores.dots, scores.index
    rows = RowScales(1 - index, Emitter.before(place_of(scores), dots[0]))
    result, emitter = tensor_type(dots[-1].d), rows.emitter
    largest, *others = (rows.in_rows_of(result, rows.largest_exponents(source)) for source in scores.sources)
    for other in others:
        largest = emitter.add(arith.MaxSIOp(largest, other))
    raised = rows.number_minus(LAST_BINADE + 2 * BIAS, largest)
    up = rows.combined(arith.MinSIOp, raised, 2 * BIAS - 1)  # so that 2^-e is a normal number of f32
    powers, back = rows.power_of_two(up), rows.spread(rows.power_of_two(rows.number_minus(2 * BIAS, up)), result)
    for dot, source in zip(dots, scores.sources, strict=True):
        factor = scaled_in_f16(source, rows.spread(powers, tensor_type(source)), emitter)
        multiply(dot, index, factor, emitter)
    scale_back(dots[-1].d, back, Emitter.after(dots[-1]))


def place_of(scores: Scores) -> scf.ForOp:
    """The outermost loop that the sources come from before."""
    place = scores.loop
    while isinstance(around := place.parent_op(), scf.ForOp):
        if any(around.is_ancestor(source.owner) for source in scores.sources):
            break
        place = around
    return place


def emit_average(average: Average) -> None:
    """Scale probabilities up, and what the loop makes of them back."""
    loop, dot, rounded = average.loop, average.dot, average.probabilities
    emitter = Emitter.after(rounded.op)
    scale = emitter.add(splat(2.0**LAST_BINADE, with_element(tensor_type(rounded), f32)))
    multiply(dot, average.index, scaled_in_f16(rounded, scale, emitter), Emitter.before(dot))
    outside, result = Emitter.after(loop, dot), loop.results[average.carried]
    scale_back(result, outside.add(splat(2.0**-LAST_BINADE, tensor_type(result))), outside)


def scaled_in_f16(value: SSAValue, scale: SSAValue, emitter: Emitter) -> SSAValue:
    """A bf16 tensor times one of f32, in f16."""
    type_ = tensor_type(value)
    wide = emitter.add(create(ExtFOp, operands=[value], result_types=[with_element(type_, f32)]))
    scaled = emitter.add(arith.MulfOp(wide, scale))
    return emitter.add(create(TruncFOp, operands=[scaled], result_types=[with_element(type_, f16)]))


def multiply(dot: DotOp, index: int, factor: SSAValue, emitter: Emitter) -> None:
    """Have the dot multiply by the f16 factor, and the other operand be converted to f16."""
    old = [dot.operands[0], dot.operands[1]]
    dot.operands[index] = emitter.add(ConvertLayoutOp(factor, with_element(tensor_type(old[index]), f16)))
    dot.operands[1 - index] = in_f16(old[1 - index])
    erase_unused(old)


def in_f16(value: SSAValue) -> SSAValue:
    """What is converted to bf16, and moved, in f16."""
    op = value.owner
    assert isinstance(op, Operation)
    made = copy_of(op, {} if isinstance(op, FpToFpOp) else {op.operands[0]: in_f16(op.operands[0])})
    Emitter.after(op).run(made)
    return Rewriter.replace_value_with_new_type(made.results[0], with_element(tensor_type(value), f16))


def scale_back(value: SSAValue, scale: SSAValue, emitter: Emitter) -> None:
    """Multiply a value for all that use it."""
    product = arith.MulfOp(value, scale)
    emitter.run(product)
    value.replace_uses_with_if(product.result, lambda use: use.operation is not product)


@dataclass(frozen=True)
class MultiplyInF16Pass(RewritePass):
    """Multiply in f16 what is exact there, where a conversion to bf16 takes more instructions."""

    name: ClassVar[str] = "multiply-in-f16"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every dot that gains."""
        if find_conversion("f8E4M3FN", str(bf16), capability_of(op)) is None:
            return False
        loops = of_kind(list(op.walk()), scf.ForOp)
        scores = [found for loop in loops for found in find_scores(loop)]
        averages = [found for loop in loops for found in find_averages(loop)]
        self.tell([dot for found in scores for dot in found.dots], "each row is scaled before the loop")
        self.tell([found.dot for found in averages], "probabilities are scaled by 2^15")
        for found in scores:
            emit_scores(found)
        for found in averages:
            emit_average(found)
        return bool(scores or averages)

    def tell(self, dots: Sequence[DotOp], how: str) -> None:
        """Tell that the dots are done in f16, and how their factors are scaled."""
        for dot in dots:
            remarks.emit("passed", self.name, dot, f"bf16 times converted e4m3 is multiplied in f16: {how}")
