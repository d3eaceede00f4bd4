"""Block pointers as structs, and lane-by-lane loads and stores through those that are not block loads.

The struct of a block pointer holds offsets (i32), shapes and strides (i64, in elements), then the base pointer.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.tt import AdvanceOp, LoadOp, MakeTensorPtrOp, StoreOp
from dotload.dialect_ext.typed import dims_of, tensor_type
from dotload.passes.intel_llvm.regions import NAN, Region, load, store
from dotload.passes.intel_llvm.values import Conversion


def lower_make_block_pointer(conversion: Conversion, op: MakeTensorPtrOp) -> None:
    """The struct of its operands."""
    numbers = [conversion.scalar(value) for value in (*op.offsets, *op.shape, *op.strides, op.base)]
    conversion.registers[op.result] = [conversion.builder.struct(numbers)]


def lower_advance(conversion: Conversion, op: AdvanceOp) -> None:
    """The struct with its offsets moved."""
    fields, builder = conversion.fields(conversion.scalar(op.ptr)), conversion.builder
    for dim, offset in enumerate(op.offsets):
        fields[dim] = builder.binary(llvm.AddOp, fields[dim], conversion.scalar(offset))
    conversion.registers[op.result] = [conversion.builder.struct(fields)]


def load_block(conversion: Conversion, op: LoadOp) -> None:
    """One load per register, predicated if boundaries are checked."""
    region = _region(conversion, op.ptr, op.result, op.boundaryCheck)
    conversion.registers[op.result] = load(conversion, region, pad_nan=op.padding == NAN)


def store_block(conversion: Conversion, op: StoreOp) -> None:
    """One store per register, predicated if boundaries are checked."""
    store(conversion, _region(conversion, op.ptr, op.value, op.boundaryCheck), conversion.of(op.value))


def _region(conversion: Conversion, pointer: SSAValue, tensor: SSAValue, checked: Attribute | None) -> Region:
    type_ = tensor_type(tensor)
    rank = len(type_.get_shape())
    *numbers, base = conversion.fields(conversion.scalar(pointer))
    starts, shape, strides = numbers[:rank], numbers[rank : 2 * rank], numbers[2 * rank :]
    return Region(base, shape, strides, starts, type_, dims_of(checked))
