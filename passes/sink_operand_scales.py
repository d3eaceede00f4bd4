"""`sink-operand-scales`: multiply the scale of a converted operand into the sum of its dots.

    %w = tt.fp_to_fp %b : ... -> tensor<512x32xf32>          %k = tt.fp_to_fp %b : ... -> tensor<512x32xbf16>
    %x = arith.mulf %w, %scale                               %t = tt.dot %q, %k, %zero
    %k = arith.truncf %x : ... to tensor<512x32xbf16>        %s = arith.mulf %t, %scale
    %s = tt.dot %q, %k, %zero

16 bits represent every 8-bit number, so the operand is no longer rounded. It is converted like an operand without a
scale, and the multiplications are those of the sum's elements, not the operand's. A loop-carried sum is scaled once,
after the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp, bf16, f16, f32
from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext.arith import ExtFOp
from dotload.dialect_ext.traits import is_pure, writes_global
from dotload.dialect_ext.tt_compute import DotOp, SplatOp, TransOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import as_tensor, create, of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.reject import Reason, Reject
from dotload.layout.widths import BYTE_BITS
from dotload.passes import remarks
from dotload.passes.ir.constants import splat_of
from dotload.passes.ir.conversions import OF_BYTES, is_uniform, rounds_to_nearest, uniform_like
from dotload.passes.ir.def_use import erase_unused, only_user, uses_behind
from dotload.passes.ir.dot_sums import DotSum, find_sums, scale
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loads import load_like
from dotload.passes.ir.motion import backward_slice, copy_of
from dotload.passes.rewriting import RewritePass


class ScaleReason(Reason):
    """Why a scale stays with its operand."""

    OTHER_USES = "the scaled tile has other uses than dots of the loop"
    SUM = (
        "the accumulator of the scaled tile's dot does not start from zero, or adds more than dots; initialize it with"
        " zeros, and only multiply it in the loop"
    )
    OTHER_SCALES = "the dots of one accumulator have different scales, or one has no scale, or two"
    VARIES = "the scale may change in the loop that carries the accumulator"


@dataclass(frozen=True)
class ScaledTile:
    """A tile of the loop that is converted from 8 bits, scaled and rounded to 16 bits.

    `product` multiplies the result of `conversion` by `scale`, a uniform value. `dots` take `rounded`.
    """

    conversion: Operation
    scale: SSAValue
    product: arith.MulfOp
    rounded: OpResult
    dots: tuple[DotOp, ...]


# Candidates


def find_tiles(loop: scf.ForOp) -> Iterator[ScaledTile]:
    """The scaled tiles that dots of the loop take; emits a remark for those with other uses."""
    for product in of_kind(loop.body.block.ops, arith.MulfOp):
        rounded, factors = rounded_to_16(product), product.operands
        for wide, scale_ in ((factors[0], factors[1]), (factors[1], factors[0])):
            conversion = conversion_from_8(wide)
            if rounded is None or conversion is None or not is_uniform(scale_):
                continue
            dots, others = users_of(rounded.op, loop)
            if dots and others:
                remarks.missed(SinkOperandScalesPass.name, product, Reject(ScaleReason.OTHER_USES))
            elif dots:
                yield ScaledTile(conversion, scale_, product, rounded, tuple(dots))


def rounded_to_16(product: arith.MulfOp) -> OpResult | None:
    """The product rounded to 16 bits; the product itself if it has 16 bits."""
    tensor, user = as_tensor(product.result.type), only_user(product.result)
    if tensor is None or tensor.element_type not in (f16, bf16, f32):
        return None
    rounded = user.results[0] if user is not None and rounds_to_nearest(user) else product.result
    return rounded if tensor_type(rounded).element_type in (f16, bf16) else None


def conversion_from_8(value: SSAValue) -> Operation | None:
    """The op that converts the value from an 8-bit tile."""
    op = value.owner
    return op if isinstance(op, OF_BYTES) and element_bits(op.operands[0].type) == BYTE_BITS else None


def users_of(op: Operation, loop: scf.ForOp) -> tuple[list[DotOp], list[Operation]]:
    """The dots of the loop that accumulate products with the tile, perhaps transposed, in f32; and its other users."""
    uses = uses_behind(op, lambda user: isinstance(user, TransOp))
    users = [use.operation for use in uses if not isinstance(use.operation, TransOp)]
    of_loop = (dot for dot in of_kind(users, DotOp) if dot.parent_op() is loop)
    dots = [dot for dot in of_loop if tensor_type(dot.d).element_type == f32]
    return dots, [user for user in users if user not in dots]


# Plan


@dataclass(frozen=True)
class Plan:
    """The rewrite of a loop."""

    tiles: tuple[ScaledTile, ...]
    sums: tuple[DotSum, ...]


def plan(loop: scf.ForOp) -> Plan:
    """The tiles whose scales may go into the sums of their dots: a sum takes one scale, or none of its tiles'."""
    tiles, sums = list(find_tiles(loop)), list(find_sums(loop))
    while refused := [(tile, reject) for tile in tiles if (reject := refusal(tile, tiles, sums))]:
        for tile, reject in refused:
            remarks.missed(SinkOperandScalesPass.name, tile.product, reject)
            tiles.remove(tile)
    return Plan(tuple(tiles), tuple(each for each in sums if any(scales_of(each, tiles))))


def refusal(tile: ScaledTile, tiles: Sequence[ScaledTile], sums: Sequence[DotSum]) -> Reject | None:
    """Why the scale of a tile has to stay, if the scales of the other tiles move."""
    own = [each for each in sums if any(dot in each.dots for dot in tile.dots)]
    if any(all(dot not in each.dots for each in own) for dot in tile.dots):
        return Reject(ScaleReason.SUM)
    for each in own:
        numbers = [number_of(scale_) for scale_ in scales_of(each, tiles)]
        factors = [sum(other.dots.count(dot) for other in tiles) for dot in each.dots]
        if any(count != 1 for count in factors) or len(set(numbers)) > 1:
            return Reject(ScaleReason.OTHER_SCALES)
        if each.carried is not None and not is_known_before(scales_of(each, tiles)[0], each.loop):
            return Reject(ScaleReason.VARIES)
    return None


def scales_of(sum_: DotSum, tiles: Sequence[ScaledTile]) -> list[SSAValue]:
    """The scales of all factors of the sum that have one."""
    return [tile.scale for dot in sum_.dots for tile in tiles for each in tile.dots if each is dot]


def number_of(scale_: SSAValue) -> SSAValue | float | None:
    """The number that all elements of a scale are equal to."""
    return scale_.owner.src if isinstance(scale_.owner, SplatOp) else splat_of(scale_)


def is_known_before(scale_: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the scale is loop-invariant: computed from before the loop, or loaded, as in vLLM, from one address of
    memory that the loop does not write."""
    ops = backward_slice([scale_.owner], loop)
    loads = of_kind(ops, LoadOp)
    if any(operand.owner is loop.body.block for op in ops for operand in op.operands):
        return False
    if loads and (any(map(writes_global, loop.walk())) or not all(map(is_plain_scalar, loads))):
        return False
    return all(op in loads or (is_pure(op) and not op.regions) for op in ops)


def is_plain_scalar(load: LoadOp) -> bool:
    """Whether one number is loaded, given by its address alone."""
    return isinstance(load.result.type, AnyFloat) and load.mask is None and not load.is_volatile


# Emission


def emit(plan_: Plan) -> None:
    """Scale the sums instead of the tiles, which are converted to 16 bits: that is exact."""
    for each in plan_.sums:
        emitter, factor = each.emitter(), scales_of(each, plan_.tiles)[0]
        if each.carried is not None:
            factor = hoisted(factor, each.loop)
        scale(each.result, spread(factor, each.result, emitter), emitter)
    for tile in plan_.tiles:
        unscaled = Emitter.before(tile.product).insert_as(copy_of(tile.conversion, {}), tile.rounded.type)
        tile.rounded.replace_all_uses_with(unscaled)
        erase_unused([tile.rounded])


def hoisted(scale_: SSAValue, loop: scf.ForOp) -> SSAValue:
    """The scale, computed before the loop; a load moved there runs only if the loop runs."""
    values: dict[SSAValue, SSAValue] = {}
    for op in backward_slice([scale_.owner], loop):
        emitter = Emitter.before(loop, op)
        if isinstance(op, LoadOp):
            runs = emitter.insert(arith.CmpiOp(loop.lb, loop.ub, "slt"))
            one = emitter.insert(arith.ConstantOp(FloatAttr(1.0, cast("AnyFloat", op.result.type))))
            copy: Operation = load_like(op, values.get(op.ptr, op.ptr), runs, one)
        else:
            copy = copy_of(op, values)
        emitter.run(copy)
        values.update(zip(op.results, copy.results, strict=True))
    return values.get(scale_, scale_)


def spread(scale_: SSAValue, sum_: SSAValue, emitter: Emitter) -> SSAValue:
    """The scale, broadcast to the shape of the sum, in f32."""
    type_ = tensor_type(sum_)
    uniform = uniform_like(scale_, type_, emitter)
    if uniform.type == type_:
        return uniform
    return emitter.insert(create(ExtFOp, operands=[uniform], result_types=[type_]))


@dataclass(frozen=True)
class SinkOperandScalesPass(RewritePass):
    """Multiply the scales of converted operands into the sums of their dots."""

    name = "sink-operand-scales"

    def rewrite(self, module: ModuleOp) -> bool:
        """Rewrite every loop."""
        plans = [plan(loop) for loop in of_kind(module.walk(), scf.ForOp)]
        for each in plans:
            for tile in each.tiles:
                self.passed(tile.product, "the operand's scale is multiplied into the sum of its dots")
            emit(each)
        return any(each.tiles for each in plans)
