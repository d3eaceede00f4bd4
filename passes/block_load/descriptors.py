"""Fields of tensor descriptors: `ttig.extract_desc` in LLVM terms."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, UnrealizedConversionCastOp, i64
from xdsl.dialects.llvm import ExtractValueOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttig import ExtractDescOp
from dotload.dialect_ext.types import TensorDescType
from dotload.passes.block_load.llvm_builder import GLOBAL_POINTER, struct_type


def lower_extract(op: ExtractDescOp) -> None:
    """The field of the struct that a descriptor becomes: shapes and strides as i64, then the base pointer."""
    assert isinstance(op.desc.type, TensorDescType)
    rank = len(op.desc.type.block_type.get_shape())
    struct = struct_type([i64] * 2 * rank + [GLOBAL_POINTER])
    cast = UnrealizedConversionCastOp(operands=[[op.desc]], result_types=[[struct]])
    index = op.index.value.data
    field = ExtractValueOp(DenseArrayBase.from_list(i64, [index]), cast.results[0], struct.types.data[index])
    back = UnrealizedConversionCastOp(operands=[[field.res]], result_types=[[op.result.type]])
    new = [cast, field] if index < 2 * rank else [cast, field, back]
    for each in new:
        each.location = op.location
    Rewriter.replace_op(op, new, [new[-1].results[0]])
