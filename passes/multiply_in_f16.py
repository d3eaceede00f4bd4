"""`multiply-in-f16`: attention in bf16 over keys and values that are converted from e4m3 is computed in f16, exactly.

Before Blackwell, a GPU converts a pair of e4m3 to f16 by one instruction, and to bf16 by four, by way of f16 and f32
(operand_staging/packed_conversions.py). In latent attention with few heads, these are two thirds of what a loop issues.
f16 holds every e4m3. It also holds a bf16 x, with all 8 bits of its mantissa, where 2^-17 <= |x| < 2^16. So the pass
brings the other factor into that range by a power of two:

    rows from before the loop    each row by the power that puts its largest element into [2^15, 2^16); the sum is
    (the queries)                scaled back in the loop
    probabilities, exp(s - m)    by 2^15: none is more than 1, as m is at least the maximum of s (or than 2, where a
                                 fused multiply-add rounds s in m only, for s below 2^24); the accumulator is scaled
                                 back behind the loop

    %k = tt.fp_to_fp %b : ... -> tensor<512x64xbf16, #b>         %k = tt.fp_to_fp %b : ... -> tensor<512x64xf16, #b>
    %s = tt.dot %q, %k, %zero                                    %t = tt.dot %scaled, %k, %zero
                                                                 %s = arith.mulf %t, %back

A power of two changes no mantissa, in factors or sums. So the result is that of bf16 bit for bit, where no factor is
smaller than 2^-32 of the largest of its row, or of 1. A smaller one is rounded, by 2^-40 of that at most; sums in f32
keep 2^-24. Rows with infinities or NaN stay such rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import ExtFOp, TruncFOp
from dotload.dialect_ext.tt_compute import BroadcastOp, DotOp, ExpandDimsOp, FpToFpOp, TransOp
from dotload.dialect_ext.tt_regions import ReduceOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import create, of_kind, tensor_type
from dotload.dialect_ext.types import with_element
from dotload.passes import remarks
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of, erase_unused, is_zero, only_user
from dotload.passes.ir.row_scales import BIAS, RowScales, splat
from dotload.passes.ir.targets import capability_of
from dotload.passes.operand_staging.packed_conversions import find_conversion
from dotload.passes.rewriting import RewritePass

LAST_BINADE = 15
"""Of f16: it holds the bf16 below 2^16."""

MOVING = (ConvertLayoutOp, TransOp)
SPREADING = (BroadcastOp, ConvertLayoutOp, ExpandDimsOp)
MAXIMA = ("arith.maxnumf", "arith.maximumf")


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
            if len(sources) == len(dots) and all(is_from_e4m3(each, 1 - index, loop) for each in dots):
                yield Scores(loop, tuple(dots), index, tuple(sources))


def chain_from(dot: DotOp) -> list[DotOp]:
    """The dot, and those that go on adding to its result, as long as nothing else uses that."""
    chain = [dot]
    while isinstance(user := only_user(chain[-1].d), DotOp) and user.c is chain[-1].d:
        chain.append(user)
    return chain


def source_of(dot: DotOp, index: int, loop: scf.ForOp) -> SSAValue | None:
    """The bf16 tensor from before the loop that an operand is, before it has the layout of fragments."""
    owner = dot.operands[index].owner
    if not isinstance(owner, ConvertLayoutOp) or loop.is_ancestor(owner):
        return None
    source = tensor_type(owner.src)
    return owner.src if source.element_type == bf16 and isinstance(source.encoding, attrs.BlockedEncoding) else None


def is_from_e4m3(dot: DotOp, index: int, loop: scf.ForOp) -> bool:
    """Whether an operand is converted from e4m3 to bf16 in the loop."""
    conversion = behind(dot.operands[index], MOVING).owner
    if not isinstance(conversion, FpToFpOp) or not loop.is_ancestor(conversion):
        return False
    source, result = tensor_type(conversion.src), tensor_type(conversion.result)
    return str(source.element_type) == "f8E4M3FN" and result.element_type == bf16


def find_averages(loop: scf.ForOp) -> Iterator[Average]:
    """The dots that average by probabilities."""
    for dot in of_kind(loop.body.block.ops, DotOp):
        carried = carried_of(dot, loop)
        for index in (0, 1):
            probabilities = probabilities_of(dot, index)
            if carried is not None and probabilities is not None and is_from_e4m3(dot, 1 - index, loop):
                yield Average(loop, dot, index, probabilities, carried)


def probabilities_of(dot: DotOp, index: int) -> OpResult | None:
    """An operand in bf16, before it has the layout of fragments, if it is exp(s - m), m at least the maximum of s."""
    rounded = behind(dot.operands[index], (ConvertLayoutOp,))
    if not isinstance(rounded, OpResult) or not isinstance(rounded.op, TruncFOp):
        return None
    power = rounded.op.operands[0].owner
    less = power.operands[0].owner if isinstance(power, math.ExpOp | math.Exp2Op) else None
    is_probability = isinstance(less, arith.SubfOp) and is_maximum(less.rhs, less.lhs)
    return rounded if is_probability and tensor_type(rounded).element_type == bf16 else None


def is_maximum(value: SSAValue, scores: SSAValue) -> bool:
    """Whether each element of the value is at least the maximum of its row of the scores."""
    views = list(ops_behind(value, SPREADING))
    axes = [view.axis for view in views if isinstance(view, ExpandDimsOp)]
    owner = behind(value, SPREADING).owner
    largest = [owner] if not isinstance(owner, Operation) or owner.name not in MAXIMA else owners_behind(owner)
    reductions = [each for each in largest if isinstance(each, ReduceOp) and is_reduction_of(each, scores)]
    return any(axes == [reduction.axis] for reduction in reductions)


def owners_behind(maximum: Operation) -> list[Operation | Block]:
    """What the operands of an op are made by, before they have its layout."""
    return [behind(operand, (ConvertLayoutOp,)).owner for operand in maximum.operands]


def is_reduction_of(reduction: ReduceOp, scores: SSAValue) -> bool:
    """Whether an op takes the maxima of the scores."""
    combining, *_ = reduction.combineOp.block.ops
    sources = [behind(source, (ConvertLayoutOp,)) for source in reduction.srcs]
    same = sources == [behind(scores, (ConvertLayoutOp,))]
    return same and combining.name in MAXIMA and tuple(combining.operands) == reduction.combineOp.block.args


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


# Emission


def emit_scores(scores: Scores) -> None:
    """Scale rows up before the loop, and the sums of dots back."""
    dots, index = scores.dots, scores.index
    rows = RowScales(1 - index, Emitter.before(scores.loop, dots[0]))
    result, emitter = tensor_type(dots[-1].d), rows.emitter
    largest, *others = (rows.in_rows_of(result, rows.largest_exponents(source)) for source in scores.sources)
    for other in others:
        largest = emitter.add(arith.MaxSIOp(largest, other))
    raised = rows.less(LAST_BINADE + 2 * BIAS, largest)
    up = rows.with_number(arith.MinSIOp, raised, 2 * BIAS - 1)  # so that 2^-e is a normal number of f32
    powers, back = rows.power_of_two(up), rows.spread(rows.power_of_two(rows.less(2 * BIAS, up)), result)
    for dot, source in zip(dots, scores.sources, strict=True):
        factor = scaled_half(source, rows.spread(powers, tensor_type(source)), emitter)
        multiply(dot, index, factor, emitter)
    scale_back(dots[-1].d, back, Emitter.after(dots[-1]))


def emit_average(average: Average) -> None:
    """Scale probabilities up, and what the loop makes of them back."""
    loop, dot, rounded = average.loop, average.dot, average.probabilities
    emitter = Emitter.after(rounded.op)
    scale = splat(2.0**LAST_BINADE, with_element(tensor_type(rounded), f32), emitter)
    multiply(dot, average.index, scaled_half(rounded, scale, emitter), Emitter.before(dot))
    outside, result = Emitter.after(loop, dot), loop.results[average.carried]
    scale_back(result, splat(2.0**-LAST_BINADE, tensor_type(result), outside), outside)


def scaled_half(value: SSAValue, scale: SSAValue, emitter: Emitter) -> SSAValue:
    """A bf16 tensor times one of f32, in f16."""
    type_ = tensor_type(value)
    wide = emitter.add(create(ExtFOp, operands=[value], result_types=[with_element(type_, f32)]))
    scaled = emitter.add(arith.MulfOp(wide, scale))
    return emitter.add(create(TruncFOp, operands=[scaled], result_types=[with_element(type_, f16)]))


def multiply(dot: DotOp, index: int, factor: SSAValue, emitter: Emitter) -> None:
    """Have the dot multiply by the f16 factor, and the other operand be converted to f16."""
    old = [dot.operands[0], dot.operands[1]]
    dot.operands[index] = emitter.add(ConvertLayoutOp(factor, with_element(tensor_type(old[index]), f16)))
    dot.operands[1 - index] = in_half(old[1 - index])
    erase_unused(old)


def in_half(value: SSAValue) -> SSAValue:
    """What is converted to bf16, and moved, in f16."""
    op = value.owner
    assert isinstance(op, Operation)
    made = copy_of(op, {} if isinstance(op, FpToFpOp) else {op.operands[0]: in_half(op.operands[0])})
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
        self.tell([found.dots[0] for found in scores], "each row of the other factor is scaled before the loop")
        self.tell([found.dot for found in averages], "probabilities are scaled by 2^15")
        for found in scores:
            emit_scores(found)
        for found in averages:
            emit_average(found)
        return bool(scores or averages)

    def tell(self, dots: Sequence[DotOp], how: str) -> None:
        """Tell what is done."""
        for dot in dots:
            remarks.emit("passed", self.name, dot, f"bf16 times converted e4m3 is multiplied in f16: {how}")
