"""`lower-to-2d-block-load`: lower loads to `ttig.2d_block_load[_from_ptr]` where 2D block loads can fill their layout.

Candidates are loads through a block pointer, through a tensor of pointers, and by a tensor descriptor. Strides,
contiguity and alignment are derived from how the pointers were computed, so a `ttig.block_io` mark is not needed. With
`hints=required` (as under this pass's name in Intel's backend), only marked loads are candidates, and only in modules
with `ttig.support_2d_block_io`. A load is rewritten if

- the planner finds messages that fill its layout, and proves them (dotload.layout.block_load);
- what is known of base, width, height, pitch and offsets agrees with the hardware (dotload.passes.block_load.rules);
- a mask, if there is one, is constant within each message.

Any other load stays as it is, and a remark says why. With `hints=derive`, it loses a mark that would make Intel's
lowering send messages that break a rule (dotload.passes.block_load.broken_marks).

    %a = tt.load %block_ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<256x32xf16, #dot0>>
  becomes
    %a = ttig.2d_block_load %base, %width, %height, %pitch[%x, %y] {row_major}
           : !tt.ptr<f16> -> tensor<256x32xf16, #dot0>
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from dotload.dialect_ext.tt import DescriptorGatherOp
from dotload.dialect_ext.typed import as_tensor
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit
from dotload.passes import remarks
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.broken_marks import drop_broken_mark
from dotload.passes.block_load.candidates import BlockPointerLoad, Candidate, DescriptorLoad, judge
from dotload.passes.block_load.emit_ttig import emit_block_pointer, emit_descriptor, emit_pointer_tensor
from dotload.passes.block_load.emit_versions import Versions
from dotload.passes.block_load.guards import Policy
from dotload.passes.block_load.questions import Load, Question, check_marks, check_one_plane, is_for_dpas, is_marked
from dotload.passes.block_load.request import ONE_MATRIX_PER_LOAD, print_plan, target_for
from dotload.passes.block_load.rules import BlockReason
from dotload.passes.block_load.versions import Version, find_version
from dotload.passes.block_prefetch.candidates import Prefetch
from dotload.passes.errors import option_of
from dotload.passes.rematerialization.offsets import Offsets

SUPPORT_ATTRIBUTES = (
    "ttig.support_2d_block_io",
    "ttig.support_sg_2d_block",
    "triton_intel_gpu.support_sg_2d_block",
)


class Hints(enum.Enum):
    """Whether a load must be marked to be a candidate."""

    DERIVE = "derive"
    REQUIRED = "required"


@dataclass(frozen=True)
class LowerTo2DBlockLoadPass(ModulePass):
    """Rewrite loads of matrix operands as Intel 2D block loads.

    `target` is pvc, xe2 (bmg) or xe3. `emit` is the spelling that convert-2d-block-load-to-llvm will use; the load must
    fit its forms, of which triton-gen and spirv have more than opencl. `guard` is gathers, checked or never: the loads
    whose messages are not sent if they lie entirely outside their memory. `hints` is derive or required: whether only
    loads marked by materialize-block-pointer are candidates. With `versions`, a load that only the kernel can judge
    becomes a branch between a block load and a gather, if that pays. With `planes`, a load of several planes of a batch
    becomes a block load with operands for them, which Intel's op lacks. Without `all_layouts`, only operands and
    results of DPAS become block loads. `one_matrix_per_load` sets or clears `ttig.one_matrix_per_load` on every load.
    """

    name = "lower-to-2d-block-load"

    target: str = "xe2"
    emit: str = "triton-gen"
    guard: str = "gathers"
    hints: str = "derive"
    all_layouts: bool = True
    planes: bool = True
    versions: bool = True
    one_matrix_per_load: bool | None = None
    print_block_load_layout: bool = False

    def __post_init__(self) -> None:
        option_of(Emit, "emit", self.emit)
        option_of(Policy, "guard", self.guard)
        option_of(Hints, "hints", self.hints)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, emit = target_for(self.target, op), option_of(Emit, "emit", self.emit)
        policy, hints = option_of(Policy, "guard", self.guard), option_of(Hints, "hints", self.hints)
        loads = [load for load in op.walk() if isinstance(load, Load)]
        prefetches = [each for each in op.walk() if isinstance(each, Prefetch) and is_marked(each)]
        if not loads and not prefetches:
            return
        check_marks([*loads, *prefetches])
        if self.one_matrix_per_load is not None:
            for load in loads:
                _mark_one_matrix(load, set_it=self.one_matrix_per_load)
        supported = any(name in op.attributes for name in SUPPORT_ATTRIBUTES)
        question = Question(target, emit, Strides(op), policy, as_intel=hints is Hints.REQUIRED)
        verdicts = [self._refusal(load, hints, supported) or self._judge(load, question, op) for load in loads]
        if hints is Hints.DERIVE:
            kept = (load for load, verdict in zip(loads, verdicts, strict=True) if isinstance(verdict, Reject))
            for each in (*kept, *prefetches):
                drop_broken_mark(self.name, each, question)
        offsets, versions = Offsets(), Versions()
        for load, verdict in zip(loads, verdicts, strict=True):
            match verdict:
                case None:
                    continue
                case Reject():
                    remarks.missed(self.name, load, verdict)
                case Version(candidate=candidate):
                    versions.wrap(verdict)
                    self._rewrite(candidate, offsets, ", if a check at run time allows it, else a gather")
                case candidate:
                    self._rewrite(candidate, offsets)

    def _judge(self, load: Load, question: Question, module: ModuleOp) -> Candidate | Version | Reject | None:
        """What a load can become, always or under conditions that the kernel checks."""
        verdict = judge(load, question)
        if not self.versions or not isinstance(verdict, Reject) or isinstance(load, DescriptorGatherOp):
            return verdict
        return find_version(load, verdict, question, module) or verdict

    def _refusal(self, load: Load, hints: Hints, supported: bool) -> Reject | None:
        """Why a load is not a candidate. If marks are optional, a mark still says that the device has block loads."""
        marked = is_marked(load)
        if not supported and (hints is Hints.REQUIRED or not marked):
            return Reject(BlockReason.NO_BLOCK_IO)
        if hints is Hints.REQUIRED and not marked:
            return Reject(BlockReason.NO_HINT)
        type_ = as_tensor(load.results[0].type)
        if not self.planes and type_ is not None and (problem := check_one_plane(type_.get_shape())) is not None:
            return problem
        return None if self.all_layouts or is_for_dpas(load) else Reject(BlockReason.NOT_FOR_DPAS)

    def _rewrite(self, candidate: Candidate, offsets: Offsets, when: str = "") -> None:
        load, plan = candidate.load, candidate.plan
        if self.print_block_load_layout:
            print_plan(load, self.name, plan)
        guarded = ", guarded" if candidate.guarded else ""
        message = f"{load.name} becomes {plan.messages} x {plan.message}, proved{guarded}{when}"
        remarks.emit("passed", self.name, load, message)
        match candidate:
            case BlockPointerLoad():
                emit_block_pointer(candidate, offsets)
            case DescriptorLoad():
                emit_descriptor(candidate)
            case _:
                emit_pointer_tensor(candidate)


def _mark_one_matrix(load: Load, *, set_it: bool) -> None:
    if set_it:
        load.attributes[ONE_MATRIX_PER_LOAD] = UnitAttr()
    else:
        load.attributes.pop(ONE_MATRIX_PER_LOAD, None)
