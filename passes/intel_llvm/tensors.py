"""Ops of dialect `tt` that create, reshape, load and store tensors, and ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import UnrealizedConversionCastOp, i64
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.llvm import PoisonOp
from dotload.dialect_ext.triton_gen_subgroup import BarrierOp, PredicatedLoadOp, PredicatedStoreOp
from dotload.dialect_ext.typed import as_tensor, create, number_of
from dotload.dialect_ext.types import element_bits, element_of
from dotload.layout.encodings import REGISTER
from dotload.passes.block_load.spelling import SUBGROUP_ID
from dotload.passes.intel_llvm.block_pointers import load_block, lower_advance, lower_make_block_pointer, store_block
from dotload.passes.intel_llvm.descriptors import lower_descriptor_load, lower_descriptor_store, lower_make_descriptor
from dotload.passes.intel_llvm.dots import lower_dot
from dotload.passes.intel_llvm.rearranging import REARRANGING
from dotload.passes.intel_llvm.reductions import lower_reduce
from dotload.passes.intel_llvm.regions import DEFAULT_CACHE, padding_value
from dotload.passes.intel_llvm.values import Conversion, element_type, is_block_pointer
from dotload.passes.ir.layouts import layout_of
from dotload.passes.tritongen.builder import Callee

GROUP_ID, GROUPS = "_Z12get_group_idj", "_Z14get_num_groupsj"


def _make_range(conversion: Conversion, op: Operation) -> None:
    layout = layout_of(op.results[0])
    start = number_of(op.properties.get("start")) or 0
    builder, first = conversion.builder, conversion.coordinate(layout)
    registers: list[SSAValue] = []
    for (place,) in conversion.places(layout):
        value = builder.binary(llvm.XOrOp, first, builder.constant(place))
        registers.append(builder.binary(llvm.AddOp, value, builder.constant(start)))
    conversion.registers[op.results[0]] = registers


def _splat(conversion: Conversion, op: Operation) -> None:
    count = layout_of(op.results[0]).in_sizes[REGISTER]
    conversion.registers[op.results[0]] = [conversion.scalar(op.operands[0])] * count


def _unsplat(conversion: Conversion, op: Operation) -> None:
    conversion.registers[op.results[0]] = [conversion.of(op.operands[0])[0]]


def _poison(conversion: Conversion, op: Operation) -> None:
    tensor = as_tensor(op.results[0].type)
    count = 1 if tensor is None else layout_of(op.results[0]).in_sizes[REGISTER]
    made = conversion.builder.make(PoisonOp, [], element_type(element_of(op.results[0].type)))
    conversion.registers[op.results[0]] = [made] * count


def _add_pointer(conversion: Conversion, op: Operation) -> None:
    pointers, offsets = conversion.of(op.operands[0]), conversion.of(op.operands[1])
    pointee = getattr(element_of(op.operands[0].type), "pointee", None)
    assert isinstance(pointee, Attribute)
    step, builder = element_type(pointee), conversion.builder
    registers: list[SSAValue] = []
    for pointer, offset in zip(pointers, offsets, strict=True):
        assert isinstance(pointer.type, llvm.LLVMPointerType)
        registers.append(builder.insert(llvm.GEPOp(pointer, [llvm.GEP_USE_SSA_VAL], step, [offset], pointer.type)))
    conversion.registers[op.results[0]] = registers


def _load(conversion: Conversion, op: Any) -> None:
    """A load lane by lane, where no block load serves."""
    if is_block_pointer(op.ptr.type):
        load_block(conversion, op)
        return
    pointers, builder = conversion.of(op.ptr), conversion.builder
    type_ = element_type(element_of(op.result.type))
    if op.mask is None:
        registers = [builder.make(llvm.LoadOp, [pointer], type_) for pointer in pointers]
    else:
        alignment = builder.constant(element_bits(op.result.type) // 8, i64)
        others = conversion.of(op.other) if op.other is not None else [padding_value(conversion, type_)] * len(pointers)
        registers = [
            builder.make(PredicatedLoadOp, [pointer, alignment, mask, other], type_, **DEFAULT_CACHE)
            for pointer, mask, other in zip(pointers, conversion.of(op.mask), others, strict=True)
        ]
    conversion.registers[op.result] = registers


def _store(conversion: Conversion, op: Any) -> None:
    """A store lane by lane; lanes that hold the same element write the same value."""
    if is_block_pointer(op.ptr.type):
        store_block(conversion, op)
        return
    pointers, values, builder = conversion.of(op.ptr), conversion.of(op.value), conversion.builder
    if op.mask is None:
        for pointer, value in zip(pointers, values, strict=True):
            builder.run(llvm.StoreOp(value, pointer))
        return
    alignment = builder.constant(element_bits(op.value.type) // 8, i64)
    for pointer, value, mask in zip(pointers, values, conversion.of(op.mask), strict=True):
        builder.run(create(PredicatedStoreOp, operands=[pointer, value, alignment, mask], properties=DEFAULT_CACHE))


def _query(name: str) -> Callable[[Conversion, Operation], None]:
    """A number of the launch, along the op's axis."""

    def lower(conversion: Conversion, op: Operation) -> None:
        axis = number_of(op.properties.get("axis")) or 0
        callee = Callee(name, memory="none")
        wide = conversion.builder.call(callee, [conversion.builder.constant(axis)], i64)
        conversion.registers[op.results[0]] = [conversion.builder.trunc(wide)]

    return lower


def _barrier(conversion: Conversion, _: Operation) -> None:
    conversion.builder.run(create(BarrierOp, properties={"mem_fence": enums.MEM_FENCE.attr("Local")}))


def _subgroup_id(conversion: Conversion, op: Operation) -> None:
    conversion.registers[op.results[0]] = [conversion.query(SUBGROUP_ID)]


def _cast(conversion: Conversion, op: UnrealizedConversionCastOp) -> None:
    """A cast between a tensor and the struct of its registers, or between a pointer and LLVM's pointer."""
    (source,), (result,) = op.operands, op.results
    if as_tensor(result.type) is not None:
        conversion.structs[result] = source
    else:
        conversion.registers[result] = [conversion.struct(source)]


LOWERINGS: Mapping[str, Callable[[Conversion, Any], None]] = {
    "tt.make_range": _make_range,
    "tt.splat": _splat,
    "tt.unsplat": _unsplat,
    "ub.poison": _poison,
    **REARRANGING,
    "tt.addptr": _add_pointer,
    "tt.load": _load,
    "tt.store": _store,
    "tt.make_tensor_ptr": lower_make_block_pointer,
    "tt.advance": lower_advance,
    "tt.make_tensor_descriptor": lower_make_descriptor,
    **dict.fromkeys(("tt.descriptor_load", "tt.experimental_descriptor_load"), lower_descriptor_load),
    **dict.fromkeys(("tt.descriptor_store", "tt.experimental_descriptor_store"), lower_descriptor_store),
    "tt.dot": lower_dot,
    "tt.reduce": lower_reduce,
    "tt.get_program_id": _query(GROUP_ID),
    "tt.get_num_programs": _query(GROUPS),
    "gpu.barrier": _barrier,
    "ttg.barrier": _barrier,
    "gpu.subgroup_id": _subgroup_id,
    "builtin.unrealized_conversion_cast": _cast,
}
