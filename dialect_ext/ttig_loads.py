"""2D block loads of dialect `ttig`, and the op that reads the fields of a tensor descriptor for them.

`memory_layout` says which dim of the tensor is contiguous in memory: `row_major` the last one, `column_major` the one
before it. Widths and pitches are bytes, x is elements, y and heights are rows (cl_intel_subgroup_2d_block_io).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE, int_attr
from dotload.dialect_ext.directives import EitherTensorDesc, Enum, ResultType
from dotload.dialect_ext.shape_rules import check_elements, signless
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import PointerType, TensorDescType, mask_type, pointee_of, pointee_type

SEGMENTS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
ROW_MAJOR, COLUMN_MAJOR = "row_major", "column_major"


def memory_layout_attr(layout: str) -> IntegerAttr:
    """`row_major` or `column_major` as the attribute that the ops hold."""
    return IntegerAttr(enums.MEMORY_LAYOUT.cases[layout], i32)


class BlockLoadBase(IRDLOperation):
    """Base of both block loads: a tensor result and its memory layout."""

    memory_layout = prop_def(enums.MEMORY_LAYOUT)
    result = result_def(OTHER)

    @property
    def is_row_major(self) -> bool:
        return self.memory_layout == memory_layout_attr(ROW_MAJOR)

    def verify_(self) -> None:
        type_ = self.result.type
        if not isinstance(type_, TensorType) or len(type_.get_shape()) < 2:
            raise VerifyException(f"result must be a ranked tensor of rank 2 or more, got {type_}")


@irdl_op_definition
class BlockLoadOp(BlockLoadBase):
    """The tile at row y and element x of the 2D memory region (base, width, height, pitch).

    %a = ttig.2d_block_load %ptr, %width, %height, %pitch[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot0>

    Elements outside width x height are zero, NaN with `pad_nan`.

    For a tensor of rank 3 or more, the base is that of plane 0, and `planes` has for each dim before the last two the
    index of the tensor's first plane, the number of planes, and the bytes from one to the next. Planes beyond that
    number are outside as well. These operands are dotload's own: Intel's op has none.

    %a = ttig.2d_block_load %ptr, %width, %height, %pitch[%x, %y] {row_major} planes(%z, %depth, %stride)
           : !tt.ptr<f16> -> tensor<2x64x32xf16, #dot0>
    """

    name = "ttig.2d_block_load"
    base_ptr = operand_def(TYPE)
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    offset_x = operand_def(i32)
    offset_y = operand_def(i32)
    planes = var_operand_def(i64)
    pad_nan = opt_prop_def(UnitAttr)
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$base_ptr `,` $base_width `,` $base_height `,` $base_pitch `[` $offset_x `,` $offset_y `]` "
        "` ` `{` custom<Enum>($memory_layout) (`,` `pad_nan` $pad_nan^)? `}` "
        "(`planes` `(` $planes^ `)`)? attr-dict `:` type($base_ptr) `->` type($result)"
    )

    def __init__(
        self,
        base_ptr: SSAValue | Operation,
        base_width: SSAValue | Operation,
        base_height: SSAValue | Operation,
        base_pitch: SSAValue | Operation,
        offset_x: SSAValue | Operation,
        offset_y: SSAValue | Operation,
        result_type: Attribute,
        memory_layout: str = ROW_MAJOR,
        *,
        planes: Sequence[SSAValue] = (),
        pad_nan: bool = False,
    ):
        super().__init__(
            operands=[base_ptr, base_width, base_height, base_pitch, offset_x, offset_y, planes],
            result_types=[result_type],
            properties={
                "memory_layout": memory_layout_attr(memory_layout),
                "pad_nan": UnitAttr() if pad_nan else None,
            },
        )

    def verify_(self) -> None:
        super().verify_()
        type_, pointee = tensor_type(self.result), pointee_of(self.base_ptr.type)
        if pointee is None:
            raise VerifyException(f"operand #0 must be a pointer, but got {self.base_ptr.type}")
        check_elements(pointee, type_)
        wanted = 3 * (len(type_.get_shape()) - 2)
        if self.planes and len(self.planes) != wanted:
            raise VerifyException(f"planes take {wanted} operands for {type_}, got {len(self.planes)}")


@irdl_op_definition
class BlockLoadFromPtrOp(BlockLoadBase):
    """A tile whose corner is the first pointer of a tensor of pointers.

    %a = ttig.2d_block_load_from_ptr %ptrs, %pitch {row_major} {base_height = 8 : i32, base_width = 64 : i32}
           : (tensor<64x32x!tt.ptr<f16>, #dot0>, i32) -> tensor<64x32xf16, #dot0>
    """

    name = "ttig.2d_block_load_from_ptr"
    ptrs = operand_def()
    base_pitch = operand_def(i32)
    mask = opt_operand_def()
    other = opt_operand_def()
    base_width = prop_def(int_attr(32))
    base_height = prop_def(int_attr(32))
    irdl_options = SEGMENTS
    custom_directives = (Enum, ResultType)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$ptrs `,` $base_pitch (`,` $mask^)? (`,` $other^)? ` ` `{` custom<Enum>($memory_layout) `}` attr-dict "
        "`:` `(` type($ptrs) `,` type($base_pitch) (`,` type($mask)^)? (`,` type($other)^)? `)` "
        "`->` custom<ResultType>(type($result))"
    )

    def __init__(
        self,
        ptrs: SSAValue | Operation,
        base_pitch: SSAValue | Operation,
        result_type: Attribute,
        memory_layout: str = ROW_MAJOR,
        *,
        base_width: int,
        base_height: int,
        mask: SSAValue | Operation | None = None,
        other: SSAValue | Operation | None = None,
    ):
        super().__init__(
            operands=[ptrs, base_pitch, mask, other],
            result_types=[result_type],
            properties={
                "memory_layout": memory_layout_attr(memory_layout),
                "base_width": IntegerAttr(base_width, i32),
                "base_height": IntegerAttr(base_height, i32),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        if (self.mask is None) != (self.other is None):
            raise VerifyException("a mask and the value of the masked elements (other) must come together")
        pointers = self.ptrs.type
        wanted = (pointee_type(pointers), mask_type(pointers), pointee_type(pointers))
        found = (self.result, self.mask, self.other)
        for what, type_, value in zip(("result", "mask", "other"), wanted, found, strict=True):
            if value is not None and value.type != type_:
                raise VerifyException(f"the {what} has the type {type_}, as follows from {pointers}, got {value.type}")


@irdl_op_definition
class ExtractDescOp(IRDLOperation):
    """Field `index` of a descriptor of rank r: shapes 0..r-1, strides r..2r-1, base pointer 2r.

    %base = ttig.extract_desc %desc[4] : !tt.tensordesc<tensor<256x32xf16>> -> !tt.ptr<f16>
    """

    name = "ttig.extract_desc"
    desc = operand_def(TYPE)
    index = prop_def(int_attr(32))
    result = result_def(OTHER)
    traits = traits_def(Pure())
    custom_directives = (EitherTensorDesc,)
    assembly_format = "$desc `[` $index `]` attr-dict `:` custom<EitherTensorDesc>(type($desc)) `->` type($result)"

    def verify_(self) -> None:
        if not isinstance(self.desc.type, TensorDescType):
            raise VerifyException(f"operand #0 must be a tensor descriptor, but got {self.desc.type}")
        block = self.desc.type.block_type
        rank, index = len(block.get_shape()), self.index.value.data
        if not 0 <= index <= 2 * rank:
            raise VerifyException(f"index {index} out of range [0, {2 * rank}] for a descriptor of rank {rank}")
        element = block.element_type
        wanted = (PointerType(signless(element)), PointerType(element)) if index == 2 * rank else (i64,)
        if self.result.type not in wanted:
            what = "the base pointer" if index == 2 * rank else "a shape" if index < rank else "a stride"
            raise VerifyException(f"field {index} is {what} of type {wanted[0]}, but the result is {self.result.type}")

    def __init__(self, desc: SSAValue | Operation, index: int, result_type: Attribute):
        super().__init__(operands=[desc], result_types=[result_type], properties={"index": IntegerAttr(index, i32)})
