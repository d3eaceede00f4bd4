"""Fields of tensor descriptors: `ttig.extract_desc` in LLVM terms."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, UnrealizedConversionCastOp, i64
from xdsl.dialects.llvm import ExtractValueOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttig import ExtractDescOp
from dotload.passes.block_load.llvm_builder import GLOBAL_POINTER, struct_type


def lower_extract(op: ExtractDescOp) -> None:
    """The field of the struct that a descriptor becomes: shapes and strides as i64, then the base pointer."""
    rank = op.desc.type.block_type.get_num_dims()
    struct = struct_type([i64] * 2 * rank + [GLOBAL_POINTER])
    cast = UnrealizedConversionCastOp.get([op.desc], [struct])
    index = op.index.value.data
    field = ExtractValueOp(DenseArrayBase.from_list(i64, [index]), cast.results[0], struct.types.data[index])
    back = UnrealizedConversionCastOp.get([field.res], [op.result.type])
    new = [cast, field] if index < 2 * rank else [cast, field, back]
    for each in new:
        each.location = op.location
    Rewriter.replace_op(op, new, [new[-1].results[0]])
