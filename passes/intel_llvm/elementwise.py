"""Elementwise ops of the dialects `arith` and `tt`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    f32,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.llvm import ConstantOp, FPToSIOp, FPToUIOp, UIToFPOp
from dotload.dialect_ext.llvm_constrained import ConstrainedFPTruncOp
from dotload.dialect_ext.typed import as_integer, as_tensor, is_splat, number_of
from dotload.dialect_ext.types import element_bits, element_of
from dotload.layout.encodings import REGISTER
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.float8 import FLOATS_8, widened
from dotload.passes.intel_llvm.mathematics import MATHEMATICS, Rule
from dotload.passes.intel_llvm.values import Conversion, element_type
from dotload.passes.ir.layouts import layout_of_type
from dotload.passes.tritongen.builder import GenBuilder

_BINARY: Mapping[str, type[Operation]] = {
    **{"arith.addi": llvm.AddOp, "arith.subi": llvm.SubOp, "arith.muli": llvm.MulOp},
    **{"arith.divsi": llvm.SDivOp, "arith.divui": llvm.UDivOp, "arith.remsi": llvm.SRemOp, "arith.remui": llvm.URemOp},
    **{"arith.andi": llvm.AndOp, "arith.ori": llvm.OrOp, "arith.xori": llvm.XOrOp},
    **{"arith.shli": llvm.ShlOp, "arith.shrsi": llvm.AShrOp, "arith.shrui": llvm.LShrOp},
}
_FLOAT: Mapping[str, type[Operation]] = {
    **{"arith.addf": llvm.FAddOp, "arith.subf": llvm.FSubOp, "arith.mulf": llvm.FMulOp},
    **{"arith.divf": llvm.FDivOp, "arith.remf": llvm.FRemOp},
}
_CAST: Mapping[str, type[Operation]] = {
    **{"arith.extsi": llvm.SExtOp, "arith.extui": llvm.ZExtOp, "arith.trunci": llvm.TruncOp},
    **{"arith.sitofp": llvm.SIToFPOp, "arith.uitofp": UIToFPOp, "arith.fptosi": FPToSIOp, "arith.fptoui": FPToUIOp},
    **{"arith.extf": llvm.FPExtOp, "arith.truncf": llvm.FPTruncOp},
    **{"tt.ptr_to_int": llvm.PtrToIntOp, "tt.int_to_ptr": llvm.IntToPtrOp},
}
_NO_OVERFLOW = {"overflowFlags": llvm.OverflowAttr("none")}
_NO_FLAGS = {"fastmathFlags": llvm.FastMathAttr("none")}

# Triton's rounding modes -> LLVM's.
_ROUNDING = {enums.ROUNDING.cases["rtz"]: "towardzero", enums.ROUNDING.cases["rtne"]: "tonearest"}
LEAST_FLOAT_BITS = 16
"""LLVM's conversions have no 8-bit floats."""


def _binary(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.make(_BINARY[op.name], operands, result)


def _float(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.make(_FLOAT[op.name], operands, result, **_NO_FLAGS)


def _cast(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    kind = _CAST[op.name]
    return builder.make(kind, operands, result, **(_NO_OVERFLOW if kind is llvm.TruncOp else {}))


def _convert_float(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    """A conversion by LLVM's ops; to a narrower float, with the rounding mode that the op names."""
    source, target = (element_of(value.type) for value in (op.operands[0], op.results[0]))
    before, after = (element_bits(each) for each in (source, target))
    if isinstance(source, FLOATS_8) and after >= LEAST_FLOAT_BITS:
        return widened(builder, operands[0], source, result)
    if min(before, after) < LEAST_FLOAT_BITS:
        raise LocatedFailure(op, f"'{op.name}' from {source} to {target} is not lowered here")
    if source == target:
        return operands[0]
    if after > before:
        return builder.make(llvm.FPExtOp, operands, result)
    if after == before:  # f16 and bf16: f32 holds the numbers of both
        operands = [builder.make(llvm.FPExtOp, operands, f32)]
    if (rounding := op.properties.get("rounding")) is None:
        return builder.make(llvm.FPTruncOp, operands, result)
    return builder.insert(ConstrainedFPTruncOp(operands[0], result, _ROUNDING[number_of(rounding) or 0]))


def _bitcast(builder: GenBuilder, _: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.bitcast(operands[0], result)


def _index_cast(builder: GenBuilder, _: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    """An index is an i32 here."""
    (value,) = operands
    source, target = as_integer(value.type), as_integer(result)
    assert source is not None
    assert target is not None
    if source == target:
        return value
    if source.width.data > target.width.data:
        return builder.make(llvm.TruncOp, [value], result, **_NO_OVERFLOW)
    return builder.make(llvm.SExtOp, [value], result)


def _compare(builder: GenBuilder, op: Operation, operands: Sequence[SSAValue], _: Attribute) -> SSAValue:
    kind, extra = (llvm.ICmpOp, {}) if op.name == "arith.cmpi" else (llvm.FCmpOp, _NO_FLAGS)
    # Both use arith's predicate codes.
    return builder.make(kind, operands, i1, predicate=op.properties["predicate"], **extra)


def _select(builder: GenBuilder, _: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
    return builder.make(llvm.SelectOp, operands, result, **_NO_FLAGS)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_FLOAT, _float),
    **dict.fromkeys(_CAST, _cast),
    **MATHEMATICS,
    **dict.fromkeys(("arith.bitcast", "tt.bitcast"), _bitcast),
    **dict.fromkeys(("arith.cmpi", "arith.cmpf"), _compare),
    **dict.fromkeys(("arith.index_cast", "arith.index_castui"), _index_cast),
    "arith.select": _select,
    "tt.fp_to_fp": _convert_float,
}


def lower_elementwise(conversion: Conversion, op: Operation) -> None:
    """One LLVM op per register; a scalar operand is used for all of them."""
    operands = [conversion.of(operand) for operand in op.operands]
    count = max(map(len, operands))
    columns = [each if len(each) == count else each * count for each in operands]
    tensor = as_tensor(op.results[0].type)
    result = element_type(op.results[0].type if tensor is None else tensor.element_type)
    rule, builder = RULES[op.name], conversion.builder
    conversion.registers[op.results[0]] = [rule(builder, op, each, result) for each in zip(*columns, strict=True)]


def lower_constant(conversion: Conversion, op: Operation) -> None:
    """A constant: a number, or a splat."""
    value, type_ = op.properties["value"], op.results[0].type
    tensor = as_tensor(type_)
    if tensor is None:
        number = number_of(value) if isinstance(type_, IndexType) else None
        if number is not None:
            conversion.registers[op.results[0]] = [conversion.builder.constant(number)]
        else:
            conversion.registers[op.results[0]] = [conversion.builder.make(ConstantOp, [], type_, value=value)]
        return
    if not is_splat(value):
        raise LocatedFailure(op, f"'{op.name}' of a tensor whose elements differ is not lowered here")
    made = conversion.builder.make(ConstantOp, [], element_type(tensor.element_type), value=_element_of(value, tensor))
    conversion.registers[op.results[0]] = [made] * layout_of_type(tensor).in_sizes[REGISTER]


def _element_of(splat: DenseIntOrFPElementsAttr, tensor: TensorType[Attribute]) -> Attribute:
    first = splat.get_attrs()[0]
    element = element_type(tensor.element_type)
    if isinstance(first, FloatAttr) and (integer := as_integer(element)) is not None:
        return IntegerAttr(splat.data.data[0], integer)  # an 8-bit float, as its bits
    return FloatAttr(first.value.data, cast("AnyFloat", element)) if isinstance(first, FloatAttr) else first
