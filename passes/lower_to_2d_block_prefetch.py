"""`lower-to-2d-block-prefetch`: prefetches of a block of memory become 2D block prefetches, dealt to the warps.

Candidates: `ttig.prefetch` through a block pointer that comes from one `tt.make_tensor_ptr`. What is known of base,
width and pitch must agree with the hardware, as for loads (passes/block_load/rules.py). Others stay, with a remark.

Plan: dotload.layout.block_prefetch. Every warp prefetches other rows and columns than the others, whichever of them it
loads itself: the cache is theirs together.

    ttig.prefetch %block_ptr : !tt.ptr<tensor<64x32xf16, #dot0>>
  becomes, for 4 warps,
    %warp = gpu.subgroup_id : index
    %row = ...                      16 times the number of the warp
    triton_gen.2Dblockprefetch %base, %width, %height, %pitch, %x, %row
        {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C}
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp, i32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.triton_gen import BlockPrefetch2DOp
from dotload.dialect_ext.triton_gen_verify import PREFETCH_256
from dotload.dialect_ext.ttig import PrefetchOp
from dotload.dialect_ext.typed import as_tensor, create, number_of
from dotload.dialect_ext.types import PointerType, element_bits
from dotload.layout.block_prefetch import PrefetchPlan, plan_prefetch
from dotload.layout.xe_targets import Emit
from dotload.passes import remarks
from dotload.passes.analysis.block_pointers import Offsets, Origin, constant_of, find_origin
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load import rules
from dotload.passes.block_load.emit_ttig import Inserter, Memory, memory_of
from dotload.passes.block_load.questions import Axes, Question, axes_of, first_problem
from dotload.passes.block_load.request import target_for
from dotload.passes.block_load.rules import Kept, Reason, kept
from dotload.passes.llvm_types import GLOBAL_POINTER

CACHED = "L1C_L3C"
"""A prefetch is for a cache: level 1 and level 3."""


@dataclass(frozen=True)
class Prefetch:
    """A prefetch through a block pointer, and the messages that it becomes."""

    op: PrefetchOp
    origin: Origin
    axes: Axes
    bits: int
    plan: PrefetchPlan


@dataclass(frozen=True)
class LowerTo2DBlockPrefetchPass(ModulePass):
    """Lower prefetches through block pointers to 2D block prefetches.

    `target` is pvc, xe2 (bmg), lnl, xe3 (ptl) or xe3p (cri).
    """

    name = "lower-to-2d-block-prefetch"

    target: str = "xe2"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [each for each in op.walk() if isinstance(each, PrefetchOp)]
        if not found:
            return
        target, warps = target_for(self.target, op), number_of(op.attributes.get("ttg.num-warps")) or 1
        question = Question(target, Emit.TRITON_GEN, Strides(op))
        verdicts = [judge(each, question, warps, wide=PREFETCH_256 in op.attributes) for each in found]
        offsets = Offsets()
        for each, verdict in zip(found, verdicts, strict=True):
            if isinstance(verdict, Kept):
                remarks.emit("missed", self.name, each, f"kept {each.name}: {verdict.message}", verdict.reason.name)
                continue
            plan = verdict.plan
            shape = f"{verdict.bits}b_{plan.rows}r{plan.columns}x{plan.blocks}c"
            remarks.emit("passed", self.name, each, f"{each.name} becomes {plan.messages} x {shape}, of all warps")
            emit(verdict, offsets, warps)


def judge(op: PrefetchOp, question: Question, warps: int, *, wide: bool) -> Prefetch | Kept:
    """What a prefetch can become, or why it stays."""
    origin = find_origin(op.ptr) if isinstance(op.ptr.type, PointerType) else None
    if origin is None or not isinstance(op.ptr.type, PointerType):
        return kept(Reason.UNKNOWN_POINTER)
    type_, make = as_tensor(op.ptr.type.pointee), origin.make
    axes = axes_of([question.strides.of(stride).constant == 1 for stride in make.strides])
    if type_ is None or axes is None:
        return kept(Reason.CONTIGUITY)
    if any(size > 1 for size in type_.get_shape()[:-2]):
        return kept(Reason.BATCH, 0)
    bits, shape = element_bits(type_), type_.get_shape()
    plan = plan_prefetch(shape[axes.row], shape[axes.column], bits, warps, wide=wide)
    if plan is None:
        return kept(Reason.WASTE, 2)
    problem = _problem(origin, axes, shape[axes.column], bits // 8, question)
    return problem or Prefetch(op, origin, axes, bits, plan)


def _problem(origin: Origin, axes: Axes, columns: int, size: int, question: Question) -> Kept | None:
    """What the memory has that the hardware does not take."""
    make, target = origin.make, question.target
    unit = max(target.x_multiple_bytes, size)
    pitch, width = question.extent(make.strides[axes.row], size), question.extent(make.shape[axes.column], size)
    x = min(question.strides.of(value).align for value in origin.offsets_along(axes.column)) * size
    return first_problem(
        rules.check_pitch(pitch, columns * size, target),
        rules.check_width(width, pitch, unit, target),
        rules.check_height(question.strides.of(make.shape[axes.row]).constant, target),
        rules.check_base(question.strides.of(make.base).align, unit, target),
        rules.check_x(x, unit, target),
    )


def emit(found: Prefetch, offsets: Offsets, warps: int) -> None:
    """The messages of one warp: its number says which."""
    op, plan = found.op, found.plan
    here = Inserter(op)
    memory = memory_of(found.origin.make, op.ptr, found.axes, found.bits // 8, offsets, op)
    base = here.insert(create(UnrealizedConversionCastOp, operands=[memory.base], result_types=[GLOBAL_POINTER]))
    warp = here.insert(arith.IndexCastOp(here.insert(gpu.SubgroupIdOp()), i32))
    for first in range(0, plan.messages, warps):
        number = here.insert(arith.AndIOp(warp, here.constant(min(warps, plan.messages) - 1)))
        if first:
            number = here.insert(arith.AddiOp(number, here.constant(first)))
        x, y = _corner(here, number, memory, plan)
        shape = {"tile_width": plan.columns, "tile_height": plan.rows, "v_blocks": plan.blocks}
        surface = (base, memory.width, memory.height, memory.pitch, x, y)
        message = BlockPrefetch2DOp(*surface, elem_size_in_bits=found.bits, cache_control=CACHED, **shape)
        here.run(message)
    Rewriter.erase_op(op)


def _corner(here: Inserter, number: SSAValue, memory: Memory, plan: PrefetchPlan) -> tuple[SSAValue, SSAValue]:
    """x and y of the message of this number; messages are counted along rows first."""
    if plan.across == 1:
        return memory.x, _further(here, memory.y, here.times(number, plan.rows))
    down = here.insert(arith.ShRUIOp(number, here.constant(plan.across.bit_length() - 1)))
    along = here.insert(arith.AndIOp(number, here.constant(plan.across - 1)))
    x, y = here.times(along, plan.width), here.times(down, plan.rows)
    return _further(here, memory.x, x), _further(here, memory.y, y)


def _further(here: Inserter, start: SSAValue, by: SSAValue) -> SSAValue:
    """A coordinate, so much further."""
    return by if constant_of(start) == 0 else here.insert(arith.AddiOp(start, by))
