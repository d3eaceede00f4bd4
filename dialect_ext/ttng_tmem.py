"""The ops of dialect `ttng` for Blackwell: the fifth-generation matrix unit and tensor memory."""

from __future__ import annotations

from typing_extensions import Self
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, UnitAttr, i1, i32
from xdsl.ir import Operation, OpResult
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE, int_attr
from dotload.dialect_ext.directives import BarriersAndPreds, Enum, Token
from dotload.dialect_ext.typed import create
from dotload.dialect_ext.types import AsyncTokenType

IN_DICT = (ParsePropInAttrDict(),)
SEGMENTS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
TOKEN = AsyncTokenType()


@irdl_op_definition
class TCGen5MMAOp(IRDLOperation):
    """d += a b, or d = a b if useD is false; d in tensor memory, b in shared memory."""

    name = "ttng.tc_gen5_mma"
    a = operand_def()
    b = operand_def()
    d = operand_def()
    acc_dep = opt_operand_def(TOKEN)
    useD = operand_def(i1)
    pred = operand_def(i1)
    barriers = var_operand_def()
    barrier_preds = var_operand_def(i1)
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    is_unsigned = opt_prop_def(UnitAttr)
    token = opt_result_def(TOKEN)
    irdl_options = SEGMENTS
    custom_directives = (Token, BarriersAndPreds)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred "
        "`` custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict "
        "`:` type($a) `,` type($b) `,` type($d) (`,` type($barriers)^)?"
    )


@irdl_op_definition
class TCGen5MMAScaledOp(IRDLOperation):
    """The same with scales for blocks of a and b."""

    name = "ttng.tc_gen5_mma_scaled"
    a = operand_def()
    b = operand_def()
    d = operand_def()
    acc_dep = opt_operand_def(TOKEN)
    a_scale = operand_def()
    b_scale = operand_def()
    a_type = prop_def(enums.SCALE_ELEM_TYPE)
    b_type = prop_def(enums.SCALE_ELEM_TYPE)
    useD = operand_def(i1)
    pred = operand_def(i1)
    barriers = var_operand_def()
    barrier_preds = var_operand_def(i1)
    is_async = opt_prop_def(UnitAttr)
    two_ctas = opt_prop_def(UnitAttr)
    multicast = opt_prop_def(UnitAttr)
    token = opt_result_def(TOKEN)
    irdl_options = SEGMENTS
    custom_directives = (Enum, Token, BarriersAndPreds)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,` $useD `,` $pred "
        "`lhs` `=` custom<Enum>($a_type) `rhs` `=` custom<Enum>($b_type) "
        "`` custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict "
        "`:` type($a) `,` type($b) `,` type($d) `,` type($a_scale) `,` type($b_scale) (`,` type($barriers)^)?"
    )


@irdl_op_definition
class TCGen5CommitOp(IRDLOperation):
    """Arrive at an mbarrier when the matrix ops issued so far are done."""

    name = "ttng.tc_gen5_commit"
    barrier = operand_def(TYPE)
    pred = opt_operand_def(i1)
    descs = var_operand_def()
    irdl_options = SEGMENTS
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` type($barrier) (`,` type($descs)^)?"


@irdl_op_definition
class TMEMWaitOp(IRDLOperation):
    """Wait for loads or stores of tensor memory."""

    name = "ttng.tmem_wait"
    kind = prop_def(enums.TMEM_WAIT_KIND)
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "custom<Enum>($kind) attr-dict"


@irdl_op_definition
class TMEMLoadOp(IRDLOperation):
    """Tensor memory to registers: `%r, %token = ttng.tmem_load %src[%dep] : !ttg.memdesc<...> -> tensor<...>`.

    A token and a reduced tensor may follow the result. Triton 3.6 has no reduction and no segment sizes, so the sizes
    are data here, not a constraint.
    """

    name = "ttng.tmem_load"
    src = operand_def(TYPE)
    dep = opt_operand_def(TOKEN)
    redOp = opt_prop_def(AnyAttr())
    abs = opt_prop_def(BoolAttr.constr(i1))
    NaN = opt_prop_def(BoolAttr.constr(i1))
    resultSegmentSizes = opt_prop_def(DenseArrayBase)
    result = result_def(OTHER)
    more = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def token(self) -> OpResult | None:
        return next((value for value in self.more if value.type == TOKEN), None)

    @property
    def red(self) -> OpResult | None:
        return next((value for value in self.more if value.type != TOKEN), None)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_unresolved_operand()
        makes_token = parser.parse_optional_punctuation("[") is not None
        dep = parser.parse_optional_unresolved_operand() if makes_token else None
        if makes_token:
            parser.parse_punctuation("]")
        entries = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operands = [parser.resolve_operand(source, parser.parse_type())]
        if dep is not None:
            operands.append(parser.resolve_operand(dep, TOKEN))
        parser.parse_punctuation("->")
        result, *red = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        names = cls.get_irdl_definition().properties
        properties = {name: entries.pop(name) for name in list(entries) if name in names}
        properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, [1, int(makes_token), len(red)])
        return create(
            cls,
            operands=operands,
            result_types=[result, *([TOKEN] if makes_token else []), *red],
            properties=properties,
            attributes=entries,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.src)
        if self.token is not None:
            with printer.in_square_brackets():
                if self.dep is not None:
                    printer.print_operand(self.dep)
        shown = {name: value for name, value in self.properties.items() if name != "resultSegmentSizes"}
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.src.type)
        printer.print_string(" -> ")
        types = [value.type for value in (self.result, self.red) if value is not None]
        printer.print_list(types, printer.print_attribute)


@irdl_op_definition
class TMEMStoreOp(IRDLOperation):
    """Registers to tensor memory."""

    name = "ttng.tmem_store"
    dst = operand_def(TYPE)
    dep = opt_operand_def(TOKEN)
    src = operand_def(OTHER)
    pred = operand_def(i1)
    token = opt_result_def(TOKEN)
    irdl_options = IN_DICT
    custom_directives = (Token,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred attr-dict `:` type($src) `->` type($dst)"
    )


@irdl_op_definition
class TMEMAllocOp(IRDLOperation):
    """Allocate tensor memory, filled with `src` if given."""

    name = "ttng.tmem_alloc"
    src = opt_operand_def()
    result = result_def()
    token = opt_result_def(TOKEN)
    irdl_options = IN_DICT
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "($src^)? attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class TMEMSubSliceOp(IRDLOperation):
    """A part of tensor memory, from `offset` along `dim`."""

    name = "ttng.tmem_subslice"
    src = operand_def(TYPE)
    offset = opt_prop_def(int_attr(32))
    N = opt_prop_def(int_attr(32))
    dim = opt_prop_def(int_attr(32), default_value=IntegerAttr(1, i32))
    result = result_def(OTHER)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class TMEMCopyOp(IRDLOperation):
    """Shared memory to tensor memory."""

    name = "ttng.tmem_copy"
    src = operand_def()
    dst = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$src `,` $dst attr-dict `:` type(operands)"


TMEM_OPS: tuple[type[Operation], ...] = (
    TCGen5MMAOp,
    TCGen5MMAScaledOp,
    TCGen5CommitOp,
    TMEMWaitOp,
    TMEMLoadOp,
    TMEMStoreOp,
    TMEMAllocOp,
    TMEMSubSliceOp,
    TMEMCopyOp,
)
