"""`lower-to-2d-block-prefetch`: lower prefetches of a block of memory to 2D block prefetches, distributed over warps.

Candidates: `ttig.prefetch` through a block pointer that comes from one `tt.make_tensor_ptr`, or through a tensor of
pointers, with or without a mask; `ttig.descriptor_prefetch`. What is known of base, width, pitch and mask must agree
with the hardware, as for loads (passes/block_load). Others stay, with a remark.

Plan: dotload.layout.block_prefetch. Each warp prefetches its own rows and columns, whichever it loads itself, since the
warps share the cache. In a tensor of pointers, the pointer at which a message begins is computed as a scalar
(dotload.passes.rematerialization.elements).

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
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dotload.dialect_ext.triton_gen_verify import PREFETCH_256
from dotload.dialect_ext.typed import number_of
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit
from dotload.passes import remarks
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.questions import Question, check_marks
from dotload.passes.block_load.request import target_for
from dotload.passes.block_prefetch.candidates import Launch, Prefetch, judge
from dotload.passes.block_prefetch.emit import Scene, emit
from dotload.passes.rematerialization.elements import Elements
from dotload.passes.rematerialization.offsets import Offsets


@dataclass(frozen=True)
class LowerTo2DBlockPrefetchPass(ModulePass):
    """Lower prefetches of blocks of memory to 2D block prefetches.

    `target` is pvc, xe2 (bmg), lnl, xe3 (ptl) or xe3p (cri). Surfaces are cut to their pitch. Without `cut_surfaces`,
    the kernel is trusted with that and marks of Triton 3.3 with alignment, as in Intel's lowering, and bases are left
    to convert-tritongen-to-llvm.
    """

    name = "lower-to-2d-block-prefetch"

    target: str = "xe2"
    cut_surfaces: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [each for each in op.walk() if isinstance(each, Prefetch)]
        if not found:
            return
        target, warps = target_for(self.target, op), number_of(op.attributes.get("ttg.num-warps")) or 1
        check_marks(found)
        question = Question(target, Emit.TRITON_GEN, Strides(op), as_intel=not self.cut_surfaces)
        launch = Launch(warps, PREFETCH_256 in op.attributes)
        verdicts = [judge(each, question, launch) for each in found]
        scene = Scene(target, warps, Offsets(), Elements(), op, {}, self.cut_surfaces)
        for each, verdict in zip(found, verdicts, strict=True):
            if isinstance(verdict, Reject):
                remarks.missed(self.name, each, verdict)
                continue
            plan = verdict.plan
            shape = f"{verdict.bits}b_{plan.rows}r{plan.columns}x{plan.blocks}c"
            remarks.emit("passed", self.name, each, f"{each.name} becomes {plan.messages} x {shape}, over all warps")
            emit(verdict, scene)
