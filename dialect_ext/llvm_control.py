"""LLVM's branches with the parts that xDSL lacks: weights, annotations of loops, switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typing_extensions import Self
from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, DenseIntElementsAttr, IntegerType, VectorType, i1, i32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from dotload.dialect_ext.cf import CONDITIONAL_BRANCH, target
from dotload.dialect_ext.operations import OwnSyntax
from dotload.dialect_ext.typed import create, dims_of


@irdl_op_definition
class BrOp(OwnSyntax, llvm.BrOp):
    """`llvm.br ^body(%x : i32) {loop_annotation = #llvm.loop_annotation<mustProgress = true>}`"""

    name = "llvm.br"
    arguments = var_operand_def()
    successor = successor_def()
    loop_annotation = opt_prop_def(Attribute)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = f"{target('successor', 'arguments')} attr-dict"


@irdl_op_definition
class CondBrOp(OwnSyntax, llvm.CondBrOp):
    """`llvm.cond_br %c weights([5, 10]), ^then(%x : i32), ^else`"""

    name = "llvm.cond_br"
    cond = operand_def(i1)
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    then_block = successor_def()
    else_block = successor_def()
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    loop_annotation = opt_prop_def(Attribute)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = CONDITIONAL_BRANCH


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """`llvm.switch %i : i32, ^default(%x : i32) [ 42: ^one(%x : i32), -1: ^other ]`"""

    name = "llvm.switch"
    value = operand_def(IntegerType)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    default_destination = successor_def()
    case_destinations = var_successor_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation(",")
        block, passed = _parse_target(parser)
        cases: list[tuple[int, Block, Sequence[SSAValue]]] = []
        parser.parse_punctuation("[")
        while parser.parse_optional_punctuation("]") is None:
            if cases:
                parser.parse_punctuation(",")
            cases.append(_parse_case(parser))
        attributes = parser.parse_optional_attr_dict()
        case_operands = [each for _, _, values in cases for each in values]
        properties: dict[str, Attribute] = {
            "case_operand_segments": DenseArrayBase.from_list(i32, [len(values) for _, _, values in cases]),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, len(passed), len(case_operands)]),
        }
        if cases:
            numbers: Any = VectorType(type_, [len(cases)])
            properties["case_values"] = DenseIntElementsAttr.from_list(numbers, [number for number, _, _ in cases])
        if (weights := attributes.pop("branch_weights", None)) is not None:
            properties["branch_weights"] = weights
        op = create(
            cls,
            operands=[parser.resolve_operand(value, type_), *passed, *case_operands],
            properties=properties,
            attributes=attributes,
        )
        op.successors = [block, *(target for _, target, _ in cases)]
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        _print_target(printer, self.default_destination, self.default_operands)
        printer.print_string(" [")
        numbers = () if self.case_values is None else self.case_values.get_values()
        first = 0
        counts = dims_of(self.case_operand_segments)
        for place, (number, block, count) in enumerate(zip(numbers, self.case_destinations, counts, strict=True)):
            printer.print_string(f"{',' if place else ''} {number}: ")
            _print_target(printer, block, self.case_operands[first : first + count])
            first += count
        printer.print_string(" ]")
        weights = {} if self.branch_weights is None else {"branch_weights": self.branch_weights}
        printer.print_op_attributes({**weights, **self.attributes})


Target = tuple[Block, Sequence[SSAValue]]


def _parse_target(parser: Parser) -> Target:
    """`^block(%x, %y : i32, f32)`"""
    block = parser.parse_successor()
    if parser.parse_optional_punctuation("(") is None:
        return block, ()
    values = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return block, parser.resolve_operands(values, types, parser.pos)


def _parse_case(parser: Parser) -> tuple[int, Block, Sequence[SSAValue]]:
    number = parser.parse_integer()
    parser.parse_punctuation(":")
    return number, *_parse_target(parser)


def _print_target(printer: Printer, block: Block, values: Sequence[SSAValue]) -> None:
    printer.print_block_name(block)
    if not values:
        return
    with printer.in_parens():
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)


CONTROL = (BrOp, CondBrOp, SwitchOp)
