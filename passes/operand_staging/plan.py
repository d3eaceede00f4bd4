"""Plans of `stage-dot-operands`: for each dot, the cheapest routes of its non-K-major operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout import staging
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS, REGISTER_BITS, WARP_LANES
from dotload.layout.raw_tiles import Tile
from dotload.layout.reject import Reject
from dotload.layout.staging import RegisterRoute, SharedRoute
from dotload.layout.widths import HALF_BITS
from dotload.passes.ir.layouts import bits_of_thread, encoding_as, encoding_attribute
from dotload.passes.ir.loops import loop_around
from dotload.passes.ir.memory import memory_type
from dotload.passes.ir.motion import walk
from dotload.passes.operand_staging.accumulators import Accumulator, find_accumulator
from dotload.passes.operand_staging.candidates import Operand, find_operand
from dotload.passes.operand_staging.loop_loads import may_be_copied_ahead
from dotload.passes.operand_staging.reasons import StagingReason
from dotload.passes.operand_staging.stock import OTHER_REGISTERS, stock_wavefronts


@dataclass(frozen=True)
class Plan:
    """What to do about one dot.

    `registers`: the operand that goes through registers and its route, per operand index of the present dot; `shared`:
    the operands that go through a K-major copy; `transposed`: compute the transposed dot; `mma`: the encoding of the
    accumulator that this needs; `alike`: further dots that take their A from the same registers.
    """

    registers: tuple[tuple[Operand, RegisterRoute], ...] = ()
    shared: tuple[tuple[Operand, SharedRoute], ...] = ()
    transposed: bool = False
    mma: enc.NvidiaMma | None = None
    alike: tuple[WarpGroupDotOp, ...] = ()

    @property
    def routes(self) -> tuple[tuple[Operand, RegisterRoute | SharedRoute], ...]:
        """Every operand that is staged, and its route."""
        return (*self.registers, *self.shared)

    @property
    def cost(self) -> tuple[int, int]:
        """Wavefronts and instructions of all tiles of one iteration."""
        costs = [route.cost for _, route in self.routes]
        return sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)

    @property
    def is_proved(self) -> bool:
        """Every element of every tile ends where it belongs."""
        return all(staging.prove(route) for _, route in self.routes)

    def type_of_accumulator(self, present: TensorType[Attribute]) -> TensorType[Attribute]:
        """The type that a value of the accumulator gets, which may be the present one."""
        if self.mma is None or (not self.transposed and encoding_as(enc.NvidiaMma, present.encoding) == self.mma):
            return present
        shape = present.get_shape()[::-1] if self.transposed else present.get_shape()
        return TensorType(present.element_type, shape, encoding_attribute(self.mma))

    def result_permutation(self, shape: Sequence[int]) -> IndexPermutation:
        """What permutes a result of this shape back."""
        return staging.result_permutation(shape, self.permutations(), transposed=self.transposed)

    def permutations(self) -> list[BitPermutation | None]:
        """How the rows and the columns of the accumulator are permuted."""
        permuted: list[BitPermutation | None] = [None, None]
        for _, route in self.registers:
            permuted[route.operand.op_index] = route.permutation
        return permuted


def plan_dot(
    dot: Operation,
    operands: Sequence[Operand],
    accumulator: Accumulator | Reject,
    *,
    k_within_columns: bool,
    num_stages: int,
) -> Plan:
    """The cheapest plan; raises Reject when there is none. `accumulator`: or why it cannot be permuted.

    `k_within_columns`, `num_stages`: the options of `stage-dot-operands`.
    """
    if isinstance(dot, WarpGroupDotOp):
        return plan_wgmma(dot, operands, accumulator, k_within_columns=k_within_columns)
    return plan_mma(dot, operands, accumulator, num_stages)


def mma_of(dot: Operation) -> enc.NvidiaMma:
    """The encoding of the accumulator; raises Reject when it is not one of NVIDIA's or spans a cluster."""
    result = dot.results[0].type
    encoding = encoding_as(enc.NvidiaMma, result.encoding) if isinstance(result, TensorType) else None
    if encoding is None:
        raise Reject(StagingReason.ACCUMULATOR_LAYOUT)
    if encoding.cga.bases:
        raise Reject(StagingReason.CLUSTER)
    return encoding


# wgmma


def plan_wgmma(
    dot: WarpGroupDotOp, operands: Sequence[Operand], accumulator: Accumulator | Reject, *, k_within_columns: bool
) -> Plan:
    """The cheapest plan for wgmma; raises Reject when there is none."""
    warps = math.prod(mma_of(dot).warps_per_cta)
    if operands[0].conversion or operands[0].flow:
        return plan_converted(dot, operands[0], warps, accumulator)
    plans: list[Plan] = []
    for operand in for_registers(dot, operands, accumulator):
        if k_within_columns and operand.tile.k > columns_of(dot, operand):
            continue
        register = plan_registers(dot, operand, warps)
        if register is not None:
            shared = plan_copies([other for other in operands if other is not operand], warps)
            alike = () if operand.is_only_use else dots_alike(dot, operand)
            plans.append(through_registers(operand, register, shared, alike))
    if not plans:
        plans.append(Plan(shared=plan_copies(operands, warps)))
    return min(plans, key=lambda plan: plan.cost)


def plan_converted(dot: WarpGroupDotOp, operand: Operand, warps: int, accumulator: Accumulator | Reject) -> Plan:
    """The plan for an operand that is converted in registers, from which wgmma takes it; raises Reject if none."""
    if isinstance(accumulator, Reject):
        raise accumulator
    multiplied = cast("TensorType[Attribute] | MemDescType", dot.operands[operand.index].type)
    bits, partner = element_bits(multiplied), dot.operands[1 - operand.index].type
    if bits != HALF_BITS or not isinstance(partner, MemDescType):
        raise Reject(StagingReason.CONVERTED)
    if not operand.is_only_use or len(operand.dots) > 1:
        raise Reject(StagingReason.OTHER_USES)
    if accumulator.is_partial:
        raise Reject(StagingReason.ACCUMULATOR_USED)
    held = (bits_of_thread(dot.d) + math.prod(multiplied.get_shape()) * bits // (warps * WARP_LANES)) // REGISTER_BITS
    if held + OTHER_REGISTERS > MAX_THREAD_REGISTERS:
        raise Reject(StagingReason.MANY_REGISTERS, value=held)
    route = converted_route(dot, operand, warps, bits)
    if route is None:
        raise Reject(StagingReason.SMALL_TILE)
    return through_registers(operand, route)


def through_registers(
    operand: Operand,
    route: RegisterRoute,
    shared: tuple[tuple[Operand, SharedRoute], ...] = (),
    alike: tuple[WarpGroupDotOp, ...] = (),
) -> Plan:
    """The plan in which wgmma takes the operand from registers, as its A."""
    parent = route.operand.parent
    assert isinstance(parent, enc.NvidiaMma)
    return Plan(((operand, route),), shared, transposed=operand.index == 1, mma=parent, alike=alike)


def converted_route(dot: WarpGroupDotOp, operand: Operand, warps: int, bits: int) -> RegisterRoute | None:
    """The route of a converted operand; its fragments are those of the kernel if it converts in registers itself."""
    if operand.flow is None:
        return staging.plan_converted_registers(operand.tile, operand.k_axis, columns_of(dot, operand), warps, bits)
    return staging.plan_fragments(operand.tile, operand.k_axis, fragments_of(operand, mma_of(dot)))


def for_registers(dot: WarpGroupDotOp, operands: Sequence[Operand], accumulator: Accumulator | Reject) -> list[Operand]:
    """The operands of which one may go through registers into wgmma.

    A partial dot is not transposed for that: each thread would have as many of its rows as it has columns now, and may
    need a value of each row in every iteration, a scale for example. The same goes for a result that is combined with
    other tensors as often as the dot runs. Where several dots share the operand, each has to take it from these
    registers. A tile that is loaded before the loop is copied once, but would be read in every iteration.
    """
    if isinstance(accumulator, Reject):
        return []
    in_loop = [each for each in operands if not is_loaded_before_loop(each, dot)]
    is_integer = isinstance(tensor_type(dot.d).element_type, IntegerType)  # Triton waits for each such dot at once
    if len(operands) == len(in_loop) == 1 and not is_integer and dots_alike(dot, operands[0]):
        return in_loop
    keeps_rows = accumulator.is_partial or accumulator.is_combined
    return [each for each in in_loop if each.is_only_use and not (keeps_rows and each.index == 1)]


def is_loaded_before_loop(operand: Operand, dot: WarpGroupDotOp) -> bool:
    """Whether the loop around the dot does not load the tile."""
    loop = loop_around(dot)
    return loop is not None and not loop.is_ancestor(operand.load)


def dots_alike(dot: WarpGroupDotOp, operand: Operand) -> tuple[WarpGroupDotOp, ...]:
    """The other dots that share A, if nothing else does, and all may take it from the registers that `dot` has."""
    *views, memory = (op.results[0] for op in (operand.load, *operand.chain))
    users = {use.operation for use in memory.uses}
    if not all(view.has_one_use() for view in views) or any(use.index or operand.index for use in memory.uses):
        return ()
    others = tuple(op for op in walk(dot) if isinstance(op, WarpGroupDotOp) and op in users and is_alike(op, dot))
    return others if len(others) == len(users) - 1 else ()


def is_alike(other: WarpGroupDotOp, dot: WarpGroupDotOp) -> bool:
    """Whether the dot has the shape and precision of `dot`, rows that may be permuted, and nothing but A to stage."""
    if (other.d.type, other.maxNumImpreciseAcc) != (dot.d.type, dot.maxNumImpreciseAcc) or find_operand(other, 1):
        return False
    try:
        return not find_accumulator(other).is_partial
    except Reject:
        return False


def columns_of(dot: Operation, operand: Operand) -> int:
    """The columns of the dot with `operand` as its A."""
    return tensor_type(dot.results[0]).get_shape()[1 - operand.index]


def plan_registers(dot: WarpGroupDotOp, operand: Operand, warps: int) -> RegisterRoute | None:
    """The REGISTERS route of one operand of wgmma; None when the dot or the tile does not allow it."""
    if not isinstance(dot.operands[1 - operand.index].type, MemDescType):
        return None  # wgmma takes one operand from registers, and that is the partner already
    if has_promotion(dot, operand.tile):
        return None  # Triton's pipeliner splits dots with A in registers along k, and drops the promotion
    kind = "integer" if isinstance(tensor_type(operand.load.results[0]).element_type, IntegerType) else "float"
    return staging.plan_wgmma_registers(operand.tile, columns_of(dot, operand), warps, kind)


def has_promotion(dot: WarpGroupDotOp, tile: Tile) -> bool:
    """Whether an fp8 dot is to add up in fp32 before the end of the tile (max_num_imprecise_acc)."""
    is_integer = isinstance(tensor_type(dot.d).element_type, IntegerType)
    return tile.element_bits == 8 and not is_integer and dot.maxNumImpreciseAcc.value.data <= tile.k


def plan_copies(operands: Sequence[Operand], warps: int) -> tuple[tuple[Operand, SharedRoute], ...]:
    """The SHARED routes of operands of wgmma, one for both where they are the same tile."""
    tiles = {operand.chain[0]: operand for operand in operands}
    return tuple((operand, plan_shared(operand, warps)) for operand in tiles.values())


def plan_shared(operand: Operand, warps: int) -> SharedRoute:
    """The SHARED route of one operand of wgmma; raises Reject when there is none."""
    alloc = operand.chain[0]
    memory = memory_type(alloc.result) if isinstance(alloc, LocalAllocOp) else None
    target = None if memory is None else encoding_as(enc.NvmmaShared, memory.encoding)
    if target is None:
        raise Reject(StagingReason.NOT_IN_SHARED_MEMORY)
    if target.swizzle_bytes == 0:
        raise Reject(StagingReason.SHORT_K, value=operand.tile.k * operand.tile.element_bits // 8)
    route = staging.plan_shared_route(operand.tile, target, warps)
    if route is None:
        raise Reject(StagingReason.SMALL_TILE)
    return route


# mma.sync


def plan_mma(dot: Operation, operands: Sequence[Operand], accumulator: Accumulator | Reject, num_stages: int) -> Plan:
    """The plan for mma.sync: every operand through registers; raises Reject when there is none."""
    encoding = mma_of(dot)
    if isinstance(accumulator, Reject):
        raise accumulator
    routes = [
        (operand, staging.plan_register_route(operand.tile, fragments_of(operand, encoding), others_of(operand)))
        for operand in operands
    ]
    if all(gains_nothing(operand, route, num_stages) for operand, route in routes):
        raise Reject(StagingReason.SINGLE_BYTES)
    return Plan(tuple(routes), mma=encoding)


def gains_nothing(operand: Operand, route: RegisterRoute, num_stages: int) -> bool:
    """Whether the tile is read byte by byte as in stock, and is not copied asynchronously or has bank conflicts."""
    if not route.reads_bytes:
        return False
    return not may_be_copied_ahead(operand.load, num_stages) or route.read.total_wavefronts > stock_wavefronts(operand)


def fragments_of(operand: Operand, mma: enc.NvidiaMma) -> enc.DotOperand:
    """The layout of the fragments in registers, as the kernel has it."""
    fragments = operand.chain[-1].results[0].type
    if not isinstance(fragments, TensorType) or not isinstance(fragments.encoding, attrs.DotOperandEncoding):
        raise Reject(StagingReason.NO_DOT_OPERAND)
    return enc.DotOperand(operand.index, mma, fragments.encoding.k_width)


def others_of(operand: Operand) -> tuple[enc.DotOperand, ...]:
    """What else the tile is read into, in the order of memory."""
    results = (tensor_type(conversion.result) for conversion in of_kind(operand.others, ConvertLayoutOp))
    return tuple(filter(None, (encoding_as(enc.DotOperand, result.encoding) for result in results)))
