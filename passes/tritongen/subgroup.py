"""1D block accesses, predicated accesses, barriers and conversions of dialect `triton_gen` as calls."""

from __future__ import annotations

from xdsl.ir import Attribute

from dotload.dialect_ext import enums
from dotload.dialect_ext.triton_gen_attrs import CACHE_CONTROLS, decorations_of
from dotload.dialect_ext.triton_gen_subgroup import (
    BarrierOp,
    FToTf32Op,
    PredicatedLoadOp,
    PredicatedStoreOp,
    SplitBarrierSignalOp,
    SplitBarrierWaitOp,
    SubGroupBlockReadOp,
    SubGroupBlockWriteOp,
    address_space,
)
from dotload.dialect_ext.typed import as_integer, as_vector
from dotload.passes.tritongen.builder import Callee, GenBuilder
from dotload.passes.tritongen.mangling import code, genisa, mangled, pointer

# Element bits -> letters of the OpenCL function (cl_intel_subgroups, _short, _char, _long).
_BLOCK_SUFFIXES = {8: "uc", 16: "us", 32: "ui", 64: "ul"}
# SPIR-V: Scope, and bits of Memory Semantics.
_WORKGROUP = 2
_SEQUENTIALLY_CONSISTENT, _WORKGROUP_MEMORY, _CROSS_WORKGROUP_MEMORY = 0x10, 0x100, 0x200
_FENCES = {"None": 0, "Local": _WORKGROUP_MEMORY, "Global": _CROSS_WORKGROUP_MEMORY}
_SCOPES = {"CrossDevice": 0, "Device": 1, "WorkGroup": 2, "SubGroup": 3, "WorkItem": 4}


def _block_callee(access: str, where: Attribute, value: Attribute, *, memory: str) -> Callee:
    """`_Z30intel_sub_group_block_read_us8PU3AS3t`, `_Z31intel_sub_group_block_write_us8PU3AS3tDv8_t`"""
    vector = as_vector(value)
    element = as_integer(value if vector is None else vector.element_type)
    assert element is not None  # the op's verifier
    length = "" if vector is None else str(vector.element_count())
    name = f"intel_sub_group_block_{access}_{_BLOCK_SUFFIXES[element.width.data]}{length}"
    types = pointer(code(element, unsigned=True), address_space(where) or 0)
    if access == "write":
        types += code(value, unsigned=True)
    return Callee(f"_Z{len(name)}{name}{types}", memory=memory)


def lower_block_read(builder: GenBuilder, op: SubGroupBlockReadOp) -> None:
    """cl_intel_subgroups"""
    callee = _block_callee("read", op.ptr.type, op.res.type, memory="read")
    builder.replace(builder.call(callee, [op.ptr], op.res.type))


def lower_block_write(builder: GenBuilder, op: SubGroupBlockWriteOp) -> None:
    """cl_intel_subgroups"""
    builder.call_void(_block_callee("write", op.ptr.type, op.val.type, memory="readwrite"), [op.ptr, op.val])
    builder.replace()


def lower_predicated_load(builder: GenBuilder, op: PredicatedLoadOp) -> None:
    """PredicatedLoad of GenISA: (pointer, alignment, predicate, default value)."""
    element = genisa(op.res.type)
    name = f"llvm.genx.GenISA.PredicatedLoad.{element}.p{address_space(op.ptr.type)}{element}.{element}"
    arguments = [op.ptr, op.alignment, op.predicate, op.default_value]
    control = enums.LOAD_CACHE_CONTROL.name_of(op.cache_control)
    decorations = decorations_of(control, 0)
    extra = {} if decorations is None else {CACHE_CONTROLS: decorations}
    builder.replace(builder.call(Callee(name, memory="read"), arguments, op.res.type, **extra))


def lower_predicated_store(builder: GenBuilder, op: PredicatedStoreOp) -> None:
    """PredicatedStore of GenISA: (pointer, value, alignment, predicate)."""
    element = genisa(op.value.type)
    name = f"llvm.genx.GenISA.PredicatedStore.p{address_space(op.ptr.type)}{element}.{element}"
    control = enums.STORE_CACHE_CONTROL.name_of(op.cache_control)
    decorations = decorations_of(control, 0, store=True)
    extra = {} if decorations is None else {CACHE_CONTROLS: decorations}
    builder.call_void(Callee(name, memory="readwrite"), [op.ptr, op.value, op.alignment, op.predicate], **extra)
    builder.replace()


def lower_barrier(builder: GenBuilder, op: BarrierOp) -> None:
    """OpControlBarrier"""
    fence = enums.MEM_FENCE.name_of(op.mem_fence)
    _control_barrier(builder, "__spirv_ControlBarrier", _WORKGROUP, fence)


def lower_split_barrier(builder: GenBuilder, op: SplitBarrierSignalOp | SplitBarrierWaitOp) -> None:
    """SPV_INTEL_split_barrier"""
    half = "Arrive" if isinstance(op, SplitBarrierSignalOp) else "Wait"
    fence, scope = enums.MEM_FENCE.name_of(op.mem_fence), enums.MEM_SCOPE.name_of(op.mem_scope)
    _control_barrier(builder, f"__spirv_ControlBarrier{half}INTEL", _SCOPES[scope], fence)


def _control_barrier(builder: GenBuilder, name: str, memory_scope: int, fence: str) -> None:
    """(Execution scope, memory scope, memory semantics)"""
    semantics = _FENCES[fence] | (_SEQUENTIALLY_CONSISTENT if fence != "None" else 0)
    arguments = [builder.constant(number) for number in (_WORKGROUP, memory_scope, semantics)]
    builder.call_void(Callee(mangled(name, [value.type for value in arguments]), convergent=True), arguments)
    builder.replace()


def lower_f_to_tf32(builder: GenBuilder, op: FToTf32Op) -> None:
    """SPV_INTEL_tensor_float32_conversion"""
    callee = Callee(mangled("__spirv_RoundFToTF32INTEL", [op.arg.type]), memory="none")
    builder.replace(builder.call(callee, [op.arg], op.res.type))
