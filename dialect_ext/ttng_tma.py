"""The ops of dialect `ttng` around TMA, the engine that copies tiles between global and shared memory."""

from __future__ import annotations

from typing_extensions import Self
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, PTR, TYPE, int_attr
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.traits import Queues, ReadsGlobal, ReadsShared, WritesGlobal, WritesShared
from dotload.dialect_ext.typed import create
from dotload.dialect_ext.types import MemDescType

IN_DICT = (ParsePropInAttrDict(),)
SEGMENTS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())


@irdl_op_definition
class AsyncTMACopyGlobalToLocalOp(IRDLOperation):
    """The tile at `coord` of a descriptor's tensor into shared memory, reported to an mbarrier."""

    name = "ttng.async_tma_copy_global_to_local"
    desc = operand_def(TYPE)
    coord = var_operand_def(i32)
    offsets = var_operand_def(IntegerType(16))
    barrier = operand_def(OTHER)
    result = operand_def(PTR)
    pred = operand_def(i1)
    multicast = opt_prop_def(UnitAttr)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    cachePolicy = opt_prop_def(AnyAttr())
    isVolatile = opt_prop_def(BoolAttr.constr(i1), default_value=IntegerAttr(0, i1))
    irdl_options = SEGMENTS
    traits = traits_def(ReadsGlobal(), WritesShared())
    assembly_format = (
        "$desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred attr-dict "
        "`:` type($desc) `,` type($barrier) `->` type($result)"
    )

    @property
    def mbarrier(self) -> SSAValue:
        """The mbarrier that the copy arrives at.

        Found by its type: the op of Triton 3.6 does not give the number of coordinates before it.
        """
        mbarrier, _ = (value for value in self.operands if isinstance(value.type, MemDescType))
        return mbarrier

    @property
    def tile(self) -> SSAValue:
        """The memory that the copy fills; found as above."""
        _, tile = (value for value in self.operands if isinstance(value.type, MemDescType))
        return tile


@irdl_op_definition
class AsyncTMACopyLocalToGlobalOp(IRDLOperation):
    """A tile of shared memory to `coord` of a descriptor's tensor."""

    name = "ttng.async_tma_copy_local_to_global"
    desc = operand_def(TYPE)
    coord = var_operand_def(i32)
    src = operand_def(OTHER)
    cachePolicy = opt_prop_def(AnyAttr())
    irdl_options = IN_DICT
    traits = traits_def(ReadsShared(), WritesGlobal())
    assembly_format = "$desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"


@irdl_op_definition
class AsyncTMAReduceOp(IRDLOperation):
    """A tile of shared memory combined into global memory."""

    name = "ttng.async_tma_reduce"
    kind = prop_def(enums.DESCRIPTOR_REDUCE)
    desc = operand_def(TYPE)
    coord = var_operand_def(i32)
    src = operand_def(OTHER)
    custom_directives = (Enum,)
    traits = traits_def(ReadsShared(), WritesGlobal())
    assembly_format = "custom<Enum>($kind) `,` $desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"


@irdl_op_definition
class AsyncTMAGatherOp(IRDLOperation):
    """Rows `x_offsets` from column `y_offset` on into shared memory."""

    name = "ttng.async_tma_gather"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    barrier = operand_def()
    result = operand_def()
    pred = operand_def()
    multicast = opt_prop_def(UnitAttr)
    cachePolicy = opt_prop_def(AnyAttr())
    irdl_options = IN_DICT
    traits = traits_def(ReadsGlobal(), WritesShared())
    assembly_format = (
        "$desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` type(operands)"
    )


@irdl_op_definition
class AsyncTMAScatterOp(IRDLOperation):
    """Shared memory to rows `x_offsets` from column `y_offset` on."""

    name = "ttng.async_tma_scatter"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    src = operand_def()
    cachePolicy = opt_prop_def(AnyAttr())
    irdl_options = IN_DICT
    traits = traits_def(ReadsShared(), WritesGlobal())
    assembly_format = "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)"


@irdl_op_definition
class TMAStoreWaitOp(IRDLOperation):
    """Wait until at most `pendings` stores are in flight."""

    name = "ttng.async_tma_store_wait"
    pendings = prop_def(int_attr(32))
    read_only = opt_prop_def(UnitAttr)
    irdl_options = IN_DICT
    traits = traits_def(Queues())
    assembly_format = "attr-dict"


@irdl_op_definition
class TensormapCreateOp(IRDLOperation):
    """Write a TMA descriptor to global memory."""

    name = "ttng.tensormap_create"
    desc_ptr = operand_def()
    global_address = operand_def()
    box_dim = var_operand_def(i32)
    global_dim = var_operand_def(i32)
    global_stride = var_operand_def(i64)
    element_stride = var_operand_def(i32)
    elem_type = prop_def(int_attr(32))
    interleave_layout = prop_def(int_attr(32))
    swizzle_mode = prop_def(int_attr(32))
    fill_mode = prop_def(int_attr(32))
    irdl_options = SEGMENTS
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Hand-written: one functional type covers four lists of operands."""
        groups = [[parser.parse_unresolved_operand()]]
        parser.parse_punctuation(",")
        groups.append([parser.parse_unresolved_operand()])
        for _ in range(4):
            parser.parse_punctuation(",")
            groups.append(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand))
        entries = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_function_type().inputs.data
        operands = parser.resolve_operands([operand for group in groups for operand in group], types, position)
        names = cls.get_irdl_definition().properties
        properties = {name: entries.pop(name) for name in list(entries) if name in names}
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(group) for group in groups])
        return create(cls, operands=operands, properties=properties, attributes=entries)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list((self.desc_ptr, self.global_address), printer.print_operand)
        for group in (self.box_dim, self.global_dim, self.global_stride, self.element_stride):
            printer.print_string(", ")
            with printer.in_square_brackets():
                printer.print_list(group, printer.print_operand)
        shown = {name: value for name, value in self.properties.items() if name != "operandSegmentSizes"}
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, ())


@irdl_op_definition
class TensormapFenceproxyAcquireOp(IRDLOperation):
    """Make a descriptor written by the device visible to TMA."""

    name = "ttng.tensormap_fenceproxy_acquire"
    desc_ptr = operand_def(TYPE)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$desc_ptr attr-dict `:` type($desc_ptr)"


@irdl_op_definition
class ReinterpretTensorDescOp(IRDLOperation):
    """The descriptor at a pointer."""

    name = "ttng.reinterpret_tensor_descriptor"
    rawDesc = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$rawDesc attr-dict `:` type($rawDesc) `to` type($result)"


TMA_OPS: tuple[type[Operation], ...] = (
    AsyncTMACopyGlobalToLocalOp,
    AsyncTMACopyLocalToGlobalOp,
    AsyncTMAReduceOp,
    AsyncTMAGatherOp,
    AsyncTMAScatterOp,
    TMAStoreWaitOp,
    TensormapCreateOp,
    TensormapFenceproxyAcquireOp,
    ReinterpretTensorDescOp,
)
