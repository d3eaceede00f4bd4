"""Fields of tensor descriptors: `ttig.extract_desc` in LLVM terms."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, UnrealizedConversionCastOp, i64
from xdsl.dialects.llvm import ExtractValueOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt import MakeTensorDescOp
from dotload.dialect_ext.ttig import ExtractDescOp
from dotload.dialect_ext.types import TensorDescType
from dotload.passes.llvm.types import descriptor_type


def lower_extract(op: ExtractDescOp) -> None:
    """The maker's operand if the op that made the descriptor is known, else a field of the descriptor's struct."""
    make = op.desc.owner
    if isinstance(make, MakeTensorDescOp):
        _take_operand(op, make)
    else:
        _take_field(op)


def _take_operand(op: ExtractDescOp, make: MakeTensorDescOp) -> None:
    """Take the maker's operand, extended: shapes are i32 there, strides i64."""
    value = (*make.shape, *make.strides, make.base)[op.index.value.data]
    wider: list[Operation] = [arith.ExtSIOp(value, i64)] if value in make.shape else []
    for each in wider:
        each.location = op.location
    Rewriter.replace_op(op, wider, [wider[0].results[0] if wider else value])


def _take_field(op: ExtractDescOp) -> None:
    assert isinstance(op.desc.type, TensorDescType)
    struct = descriptor_type(op.desc.type)
    base, index = len(struct.types.data) - 1, op.index.value.data
    cast = UnrealizedConversionCastOp(operands=[[op.desc]], result_types=[[struct]])
    field = ExtractValueOp(DenseArrayBase.from_list(i64, [index]), cast.results[0], struct.types.data[index])
    back = UnrealizedConversionCastOp(operands=[[field.res]], result_types=[[op.result.type]])
    new = [cast, field] if index < base else [cast, field, back]
    for each in new:
        each.location = op.location
    Rewriter.replace_op(op, new, [new[-1].results[0]])
