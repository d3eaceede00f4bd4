"""`convert-2d-block-load-to-llvm`: lower 2D block loads to messages and shuffle-vectors in the LLVM dialect.

Each `ttig.2d_block_load` and `ttig.2d_block_load_from_ptr` is planned, the plan is proved, and its messages are emitted
in one of three spellings (option `emit`). The elements form the struct that Triton's type converter uses for the
tensor. A `builtin.unrealized_conversion_cast` turns it into the tensor, so that Triton's own patterns can convert the
rest of the module.

    %a = ttig.2d_block_load %base, %width, %height, %pitch[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<..., #dot0>
  becomes
    llvm.call spir_funccc @_Z42intel_sub_group_2d_block_read_16b_32r16x2cPU3AS1viiiDv2_iPt(...)
    %v = llvm.load %room : !llvm.ptr -> vector<64xi16>
    %tile = llvm.shufflevector %v, %v [0, 1, 2, 3, 4, 5, 6, 7] : vector<64xi16>
    ...
    %a = builtin.unrealized_conversion_cast %struct : !llvm.struct<(f16, ...)> to tensor<..., #dot0>
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from dotload.dialect_ext.tt import ReshapeOp
from dotload.dialect_ext.ttig import BlockLoadFromPtrOp, BlockLoadOp, ExtractDescOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit, XeTarget
from dotload.passes import remarks
from dotload.passes.analysis.signs import is_nonnegative
from dotload.passes.analysis.stride_info import divisor
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.descriptors import lower_extract
from dotload.passes.block_load.emit_loads import Site, lower_block_load, lower_from_pointers
from dotload.passes.block_load.pressure import REGISTERS, held_by_loops, pressure, registers_of
from dotload.passes.block_load.request import (
    NO_BOUNDS,
    Bounds,
    find_plan,
    one_tile,
    print_plan,
    promised_bounds,
    repeats_rows,
    row_step_for,
    target_for,
)
from dotload.passes.block_load.rules import Extent, least_pitch
from dotload.passes.block_load.surfaces import left_of, load_may_be_cut
from dotload.passes.block_load.validation.block_loads import Groups, wrong_registers
from dotload.passes.errors import LocatedFailure, option_of
from dotload.passes.ir.constants import constant_of, is_zero
from dotload.passes.ir.loops import function_around
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.entry_block import EntryBlock

Load = BlockLoadOp | BlockLoadFromPtrOp
PASS_NAME = "convert-2d-block-load-to-llvm"


@dataclass(frozen=True)
class Convert2DBlockLoadToLLVMPass(ModulePass):
    """Lower 2D block loads to messages and shuffle-vectors in the LLVM dialect.

    `emit` is triton-gen, spirv or opencl; `target` is pvc, xe2 (bmg), lnl, xe3 (ptl) or xe3p (cri). A load that the
    target cannot do in this spelling is an error, since the pass that made it a block load promised that it can.
    Surfaces are cut to their pitch; without `cut_surfaces`, the kernel is trusted with that, as in Intel's lowering.
    Without `align_bases`, which only emit=triton-gen supports, bases are left to convert-tritongen-to-llvm. With
    `validate`, the emitted code is executed on the names of elements and compared with what the load asks for.
    """

    name = PASS_NAME

    emit: str = "triton-gen"
    target: str = "xe2"
    cut_surfaces: bool = True
    align_bases: bool = True
    validate: bool = True
    print_block_load_layout: bool = False

    def __post_init__(self) -> None:
        option_of(Emit, "emit", self.emit)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        emit, target = option_of(Emit, "emit", self.emit), target_for(self.target, op)
        if emit is not Emit.TRITON_GEN and not self.align_bases:
            raise PassFailedException(
                f"emit={emit.value}: bases of messages of this spelling are aligned here, or not at all"
            )
        surfaces = target if self.align_bases else replace(target, base_multiple_bytes=target.x_multiple_bytes)
        loads = [load for load in op.walk() if isinstance(load, Load)]
        strides = Strides(op if any(map(_wants_analysis, loads)) else None)
        bounds = [_bounds(load, strides, target) for load in loads]
        plans = [self._plan(load, within, target, emit) for load, within in zip(loads, bounds, strict=True)]
        loops = held_by_loops(zip(loads, plans, strict=True))
        entries: dict[Operation, EntryBlock] = {}
        for load, plan, within in zip(loads, plans, bounds, strict=True):
            function = _function_of(load)
            entry = entries.setdefault(function, EntryBlock(function, op))
            groups = Groups(within.max_rows, within.max_columns, within.repeated_rows)
            site = Site(LLVMBuilder(load, entry), emit, surfaces, plan, tensor_type(load.result))
            self._lower(load, site, groups, strides)
        for loop, held in loops.items():
            if (text := pressure(held, target)) is not None:
                remarks.emit("missed", self.name, loop, text, REGISTERS)
        for extract in [found for found in op.walk() if isinstance(found, ExtractDescOp)]:
            lower_extract(extract)

    def _plan(self, load: Load, bounds: Bounds, target: XeTarget, emit: Emit) -> BlockLoadPlan:
        type_ = cast("TensorType[Attribute]", load.result.type)
        plan = find_plan(type_, not load.is_row_major, target, emit, bounds)
        if isinstance(plan, Reject):
            raise LocatedFailure(load, f"{load.name} of {type_} with emit={emit.value}: {plan.message}")
        if self.print_block_load_layout:
            print_plan(load, self.name, plan)
        return plan

    def _lower(self, load: Load, site: Site, groups: Groups, strides: Strides) -> None:
        builder, plan = site.builder, site.plan
        if isinstance(load, BlockLoadOp):
            x, align = load.offset_x, strides.of(load.offset_x).align
            dense = self.cut_surfaces and load_may_be_cut(plan, site.target, load)
            groups = replace(groups, x_multiple=0 if is_nonnegative(x) else divisor(align), dense=dense)
            values = lower_block_load(site, load, left_of(plan, site.target, x, align), dense=dense)
        else:
            if self.cut_surfaces:
                groups = replace(groups, least_pitch=_least_pitch(load, strides, site.target))
            values = lower_from_pointers(site, load, groups.least_pitch, zero_other=is_zero(load.other))
        struct = builder.struct(values)
        if self.validate and (problem := wrong_registers(load, struct, site.target, groups)) is not None:
            raise LocatedFailure(load, f"what was emitted for {load.name} is wrong: {problem}")
        tensor = builder.cast(struct, site.result)
        if _is_analysed(load, builder.entry.module):
            reshape = ReshapeOp(tensor, site.result)
            reshape.allow_reorder = UnitAttr()
            tensor = builder.insert(reshape)
        Rewriter.replace_op(load, [], [tensor])
        registers = registers_of(plan)
        remarks.emit("passed", self.name, load, f"{plan.messages} x {plan.message}, proved, {registers} registers")


def _is_analysed(load: Load, module: ModuleOp) -> bool:
    """Whether an axis analysis that fails on the cast will look at the load.

    That of Triton 3.3 (where the dialect is triton_intel_gpu) assumes that a tensor cast from a struct has one dim, as
    the struct has, and fails on elementwise ops of the tensor. A reshape of the tensor to itself stops it.
    """
    old = any(name.startswith("triton_intel_gpu.") for name in module.attributes)
    return old and any(use.operation.name != "tt.dot" for use in load.result.uses)


def _wants_analysis(load: Load) -> bool:
    """Whether the analysis of a load's pointers, or of its x, is needed."""
    return isinstance(load, BlockLoadFromPtrOp) or not is_nonnegative(load.offset_x)


def _bounds(load: Load, strides: Strides, target: XeTarget) -> Bounds:
    """The limits of a message, as lower-to-2d-block-load saw them."""
    step = row_step_for(constant_of(load.base_pitch), target)
    if isinstance(load, BlockLoadOp):
        return replace(NO_BOUNDS, one_tile=one_tile(load), max_row_step=step)
    row, column = (-2, -1) if load.is_row_major else (-1, -2)
    values = [strides.of(value) for value in (load.ptrs, load.mask) if value is not None]
    bounds = functools.reduce(Bounds.and_, [promised_bounds(value, row, column) for value in values])
    rows = cast("TensorType[Attribute]", load.result.type).get_shape()[row]
    repeated = repeats_rows(values, row, rows)
    if values[0].strides[row] == 0 or load.base_height.value.data == 1:
        bounds = replace(bounds, max_rows=1)  # there is no second row, whatever the pitch
    return replace(bounds, one_tile=one_tile(load), repeated_rows=repeated, max_row_step=step)


def _least_pitch(load: BlockLoadFromPtrOp, strides: Strides, target: XeTarget) -> int:
    """A lower bound of the pitch, in bytes. Without a mask, a row of the tensor is known to exist."""
    type_ = tensor_type(load.result)
    column = type_.get_shape()[-1 if load.is_row_major else -2]
    row_bytes = 0 if load.mask is not None else column * element_bits(type_) // 8
    info = strides.of(load.base_pitch)
    return least_pitch(Extent(info.constant, divisor(info.align)), row_bytes, target)


def _function_of(op: Operation) -> Operation:
    """The function around an op."""
    parent = function_around(op)
    if parent is None:
        raise LocatedFailure(op, f"{op.name} stands outside of a tt.func")
    return parent
