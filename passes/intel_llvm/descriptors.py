"""Tensor descriptors as structs, and their loads lane by lane, for those that are no block loads.

A descriptor is the struct of its shapes and strides (i64, in elements), then the base pointer. Element p of the tensor
lies at base + sum((index + p) * stride) over all dims, and is there where each index + p is less than the shape, as
unsigned numbers; it is the descriptor's padding elsewhere.
"""

from __future__ import annotations

import functools
import math

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.llvm import ConstantOp
from dotload.dialect_ext.triton_gen_subgroup import PredicatedLoadOp
from dotload.dialect_ext.tt import DescriptorLoadOp, MakeTensorDescOp
from dotload.dialect_ext.typed import as_integer, tensor_type
from dotload.dialect_ext.types import TensorDescType, element_bits, element_of
from dotload.passes.analysis.block_pointers import descriptor_makers
from dotload.passes.block_load.candidates import DESCRIPTOR_PADDING
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.values import Conversion, element_type
from dotload.passes.ir.layouts import layout_of
from dotload.passes.llvm_types import GLOBAL_POINTER
from dotload.passes.tritongen.asserts import compare

NAN_OF_8_BITS = 0x7F  # of f8E4M3FN and of f8E5M2


def lower_make_descriptor(conversion: Conversion, op: MakeTensorDescOp) -> None:
    """The struct of its operands."""
    builder = conversion.builder
    shape = [builder.make(llvm.SExtOp, [conversion.scalar(size)], i64) for size in op.shape]
    strides = [conversion.scalar(stride) for stride in op.strides]
    conversion.registers[op.result] = [conversion.packed([*shape, *strides, conversion.scalar(op.base)])]


def lower_descriptor_load(conversion: Conversion, op: DescriptorLoadOp) -> None:
    """One predicated load a register."""
    type_ = tensor_type(op.result)
    if not isinstance(op.desc.type, TensorDescType) or op.desc.type.block_type.get_shape() != type_.get_shape():
        raise LocatedFailure(op, f"'{op.name}' of another shape than the descriptor's block is not lowered here")
    builder, rank = conversion.builder, len(type_.get_shape())
    *numbers, base = conversion.fields(conversion.scalar(op.desc))
    shape, strides = numbers[:rank], numbers[rank:]
    layout, element = layout_of(op.result), element_type(element_of(type_))
    starts = [builder.make(llvm.SExtOp, [conversion.scalar(index)], i64) for index in op.indices]
    firsts = [conversion.coordinate(layout, dim) for dim in range(rank)]
    alignment = builder.constant(element_bits(type_) // 8, i64)
    padding = _padding(conversion, op, element)

    @functools.cache
    def along(dim: int, place: int) -> tuple[SSAValue, SSAValue]:
        """How far from the base, and whether there is such an element."""
        within = builder.binary(llvm.XOrOp, firsts[dim], builder.constant(place))
        at = builder.binary(llvm.AddOp, starts[dim], builder.make(llvm.SExtOp, [within], i64))
        return builder.binary(llvm.MulOp, at, strides[dim]), compare(builder, "ult", at, shape[dim])

    registers: list[SSAValue] = []
    for place in conversion.places(layout):
        parts = [along(dim, at) for dim, at in enumerate(place)]
        offset = functools.reduce(lambda a, b: builder.binary(llvm.AddOp, a, b), [part for part, _ in parts])
        inside = functools.reduce(lambda a, b: builder.make(llvm.AndOp, [a, b], i1), [there for _, there in parts])
        pointer = builder.insert(llvm.GEPOp(base, [llvm.GEP_USE_SSA_VAL], element, [offset], GLOBAL_POINTER))
        operands = [pointer, alignment, inside, padding]
        registers.append(builder.make(PredicatedLoadOp, operands, element, cache_control=IntegerAttr(0, 32)))
    conversion.registers[op.result] = registers


def _padding(conversion: Conversion, op: DescriptorLoadOp, element: Attribute) -> SSAValue:
    """Zero, or NaN where the descriptor's maker or a mark says so."""
    nan = IntegerAttr(enums.PADDING.cases["nan"], 32)
    makers = [make.padding for make in descriptor_makers(op.desc) or () if make is not None]
    marked = nan in (*makers, op.attributes.get(DESCRIPTOR_PADDING))
    if (integer := as_integer(element)) is not None:
        return conversion.builder.constant(NAN_OF_8_BITS if marked else 0, integer)
    value = FloatAttr(math.nan if marked else 0.0, element)  # pyright: ignore[reportArgumentType, reportCallIssue]  # a float then
    return conversion.builder.make(ConstantOp, [], element, value=value)
