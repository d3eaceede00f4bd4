"""Dialect `ttig`: Intel's part of Triton GPU (`triton_intel_gpu` up to Triton 3.3).

    ttig.2d_block_load            one tile at [x, y] of a tensor in memory, by 2D block loads
    ttig.2d_block_load_from_ptr   the same from a tensor of pointers, whose tile shape says how it lies in memory
    ttig.prefetch, ttig.descriptor_prefetch      bring a tile into the cache
    ttig.extract_desc             one field of a tensor descriptor: shapes, then strides, then the base pointer

`memory_layout` says which dim of the tensor is contiguous in memory: `row_major` the last one, `column_major` the one
before it. Widths and pitches are bytes, x is elements, y and heights are rows (cl_intel_subgroup_2d_block_io).
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Self
from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, PTR, TYPE, Derived, int_attr
from dotload.dialect_ext.directives import CachePolicies, EitherTensorDesc, Enum, ResultType
from dotload.dialect_ext.encodings import (
    DpasEncoding,
    LegacyDpasEncoding,
    LegacyWarpEncoding,
    Subgroup2DBlockEncoding,
    WarpEncoding,
)
from dotload.dialect_ext.errors import verified
from dotload.dialect_ext.typed import create, number_of
from dotload.dialect_ext.types import PointerType, TensorDescType, mask_type

SEGMENTS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
ROW_MAJOR, COLUMN_MAJOR = "row_major", "column_major"


def memory_layout_attr(layout: str) -> IntegerAttr:
    """`row_major` or `column_major` as the attribute that the ops hold."""
    return IntegerAttr(enums.MEMORY_LAYOUT.cases[layout], i32)


class BlockLoadBase(IRDLOperation):
    """What both block loads have: a tensor result and how it lies in memory."""

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

    Of a tensor of rank 3 or more, the base is that of plane 0 where there are `planes`: for each dim before the last
    two, the index of the tensor's first plane, how many planes there are, and the bytes from one to the next. Planes
    that are not there are outside as well. These operands are dotload's own: Intel's op has none.

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
        type_ = self.result.type
        assert isinstance(type_, TensorType)
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


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Bring what a tt.load of the same operands would read into the cache.

    ttig.prefetch %ptr, %mask cacheModifier = ca : tensor<64x32x!tt.ptr<f16>>
    ttig.prefetch %ptr, %mask {cache = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0>} : tensor<64x32x!tt.ptr<f16>>

    In the second form it has the attributes of the load that it serves, segment sizes included.
    """

    name = "ttig.prefetch"
    ptr = operand_def(PTR)
    mask = opt_operand_def(Derived("PTR", mask_type))
    cache = opt_prop_def(enums.CACHE_MODIFIER)
    evict = opt_prop_def(enums.EVICTION_POLICY)
    isVolatile = opt_prop_def(BoolAttr.constr(i1))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        policies = _parse_policies(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pointer = parser.parse_type()
        with verified(parser, position):
            types = (pointer, mask_type(pointer))[: len(operands)]
        names = cls.get_irdl_definition().properties
        return create(
            cls,
            operands=parser.resolve_operands(operands, types, position),
            properties={**policies, **{name: value for name, value in attributes.items() if name in names}},
            attributes={name: value for name, value in attributes.items() if name not in names},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.isVolatile is None and "operandSegmentSizes" not in self.attributes:
            for word, (name, enum) in _POLICIES.items():
                if (value := number_of(self.properties.get(name))) not in (None, _DEFAULT_POLICY):
                    printer.print_string(f" {word} = {enum.name_of(IntegerAttr(value or 0, i32))}")
            printer.print_op_attributes(self.attributes)
        else:
            printer.print_op_attributes(self.attributes | self.properties)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


_POLICIES = {"cacheModifier": ("cache", enums.CACHE_MODIFIER), "evictionPolicy": ("evict", enums.EVICTION_POLICY)}
_DEFAULT_POLICY = 1


def _parse_policies(parser: Parser) -> dict[str, Attribute]:
    """`cacheModifier = ca evictionPolicy = evict_last`, in any order."""
    found: dict[str, Attribute] = {}
    while word := next((each for each in _POLICIES if parser.parse_optional_keyword(each)), None):
        name, enum = _POLICIES[word]
        parser.parse_punctuation("=")
        start = parser.pos
        case = parser.parse_identifier(f" naming a {enum.enum}")
        if case not in enum.cases:
            parser.raise_error(f"expected {enum.enum} to be one of: {', '.join(enum.cases)}", start, parser.pos)
        found[name] = enum.attr(case)
    return found


class LegacyPrefetchOp(PrefetchOp):
    """The same under the dialect's older name."""

    name = "triton_intel_gpu.prefetch"


@irdl_op_definition
class DescriptorPrefetchOp(IRDLOperation):
    """`ttig.descriptor_prefetch %desc[%i, %j] cacheModifier = ca : !tt.tensordesc<tensor<256x32xf16>>`"""

    name = "ttig.descriptor_prefetch"
    desc = operand_def(TYPE)
    indices = var_operand_def(i32)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (CachePolicies, EitherTensorDesc)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$desc `[` $indices `]` custom<CachePolicies>($cache, $evict) attr-dict "
        "`:` custom<EitherTensorDesc>(type($desc))"
    )


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
        wanted = PointerType(block.element_type) if index == 2 * rank else i64
        if self.result.type != wanted:
            what = "the base pointer" if index == 2 * rank else "a shape" if index < rank else "a stride"
            raise VerifyException(f"field {index} is {what} of type {wanted}, but the result is {self.result.type}")

    def __init__(self, desc: SSAValue | Operation, index: int, result_type: Attribute):
        super().__init__(operands=[desc], result_types=[result_type], properties={"index": IntegerAttr(index, i32)})


TTIG = Dialect(
    "ttig",
    [BlockLoadOp, BlockLoadFromPtrOp, PrefetchOp, DescriptorPrefetchOp, ExtractDescOp],
    [DpasEncoding, Subgroup2DBlockEncoding, WarpEncoding],
)

# The name of the dialect up to Triton 3.3.
TRITON_INTEL_GPU = Dialect("triton_intel_gpu", [LegacyPrefetchOp], [LegacyDpasEncoding, LegacyWarpEncoding])
