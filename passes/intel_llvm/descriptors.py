"""Tensor descriptors as structs, and lane-by-lane loads and stores through those that are not block loads.

The struct of a descriptor holds shapes and strides (i64, in elements), then the base pointer. Elements outside the
shape are the descriptor's padding.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt import DescriptorLoadOp, DescriptorStoreOp, MakeTensorDescOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import TensorDescType
from dotload.passes.analysis.block_pointers import descriptor_makers
from dotload.passes.block_load.candidates import DESCRIPTOR_PADDING
from dotload.passes.block_load.questions import transposes
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.regions import NAN, Region, load, store
from dotload.passes.intel_llvm.values import Conversion


def lower_make_descriptor(conversion: Conversion, op: MakeTensorDescOp) -> None:
    """The struct of its operands."""
    builder = conversion.builder
    shape = [builder.make(llvm.SExtOp, [conversion.scalar(size)], i64) for size in op.shape]
    strides = [conversion.scalar(stride) for stride in op.strides]
    conversion.registers[op.result] = [conversion.builder.struct([*shape, *strides, conversion.scalar(op.base)])]


def lower_descriptor_load(conversion: Conversion, op: DescriptorLoadOp) -> None:
    """One predicated load per register."""
    pad_nan = op.attributes.get(DESCRIPTOR_PADDING) == NAN
    conversion.registers[op.result] = load(conversion, _region(conversion, op, op.result), pad_nan=pad_nan)


def lower_descriptor_store(conversion: Conversion, op: DescriptorStoreOp) -> None:
    """One predicated store per register."""
    store(conversion, _region(conversion, op, op.src), conversion.of(op.src))


def _region(conversion: Conversion, op: DescriptorLoadOp | DescriptorStoreOp, tensor: SSAValue) -> Region:
    type_ = tensor_type(tensor)
    shape = type_.get_shape()
    dims = [*range(len(shape))]  # of the descriptor, in the order of the tensor's
    if transposes(op):
        dims[-2:] = reversed(dims[-2:])
    block = op.desc.type.block_type.get_shape() if isinstance(op.desc.type, TensorDescType) else ()
    if [shape[dim] for dim in dims] != [*block]:
        raise LocatedFailure(op, f"'{op.name}' of another shape than the descriptor's block is not lowered here")
    *numbers, base = conversion.fields(conversion.scalar(op.desc))
    sizes, strides = ([part[dim] for dim in dims] for part in (numbers[: len(dims)], numbers[len(dims) :]))
    starts = [conversion.scalar(op.indices[dim]) for dim in dims]
    return Region(base, sizes, strides, starts, type_, range(len(dims)))


def mark_padding(load: DescriptorLoadOp) -> None:
    """Mark a load with its descriptor's padding, while the loops and branches that the descriptor comes through are
    still as they were."""
    paddings = {make.padding for make in descriptor_makers(load.desc) or () if make is not None}
    if len(paddings) > 1:
        raise LocatedFailure(load, f"'{load.name}' of descriptors with different paddings is not lowered here")
    for padding in paddings:
        load.attributes[DESCRIPTOR_PADDING] = padding
