"""Dialect `scf` as Triton uses it: xDSL's, with unsigned loops, loops without values and MLIR's spacing in output."""

from __future__ import annotations

from typing import cast

from typing_extensions import Self
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, UnitAttr, i1
from xdsl.dialects.utils import print_assignment
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.constraints import TYPE
from dotload.dialect_ext.operations import extended
from dotload.dialect_ext.scf_regions import ExecuteRegionOp, ParallelOp, parse_types
from dotload.dialect_ext.typed import as_integer, create


@irdl_op_definition
class ForOp(scf.ForOp):
    """`%r = scf.for %i = %lb to %ub step %s iter_args(%a = %init) -> (f32)  : i32 { ... }`

    `scf.for unsigned` compares the induction variable unsigned.
    """

    name = "scf.for"
    lb = operand_def(TYPE)
    ub = operand_def(TYPE)
    step = operand_def(TYPE)
    iter_args = var_operand_def()
    unsignedCmp = opt_prop_def(UnitAttr)
    res = var_result_def()
    body = region_def("single_block")
    traits = traits_def(SingleBlockImplicitTerminator(scf.YieldOp))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        unsigned = parser.parse_optional_keyword("unsigned") is not None
        induction = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        bounds = [parser.parse_unresolved_operand()]
        for word in ("to", "step"):
            parser.parse_keyword(word)
            bounds.append(parser.parse_unresolved_operand())
        carried: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
        types: list[Attribute] = []
        position = parser.pos
        if parser.parse_optional_keyword("iter_args"):
            carried = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _assignment(parser))
            parser.parse_punctuation("->")
            types = parse_types(parser)
        values = parser.resolve_operands([value for _, value in carried], types, position)
        type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
        arguments = [argument.resolve(each) for (argument, _), each in zip(carried, types, strict=True)]
        lower, upper, step = (parser.resolve_operand(bound, type_) for bound in bounds)
        body = parser.parse_region((induction.resolve(type_), *arguments))
        if not carried and not _is_terminated(body):
            body.block.add_op(scf.YieldOp())
        return create(
            cls,
            operands=(lower, upper, step, *values),
            result_types=types,
            regions=(body,),
            properties={"unsignedCmp": UnitAttr()} if unsigned else {},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        induction, *carried = self.body.block.args
        printer.print_string(" " if self.unsignedCmp is None else " unsigned ")
        printer.print_ssa_value(induction)
        for word, bound in ((" = ", self.lb), (" to ", self.ub), (" step ", self.step)):
            printer.print_string(word)
            printer.print_ssa_value(bound)
        if carried:
            printer.print_string(" iter_args(")
            pairs = zip(carried, self.iter_args, strict=True)
            printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
            printer.print_string(") -> (")
            printer.print_list([value.type for value in carried], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        if not isinstance(induction.type, IndexType):
            printer.print_string(" : ")
            printer.print_attribute(induction.type)
            printer.print_string(" ")
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_empty_block=False,
            print_block_terminators=bool(carried),
        )
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not isinstance(self.lb.type, IndexType) and as_integer(self.lb.type) is None:
            raise VerifyException(f"operand #0 must be signless integer or index, but got {self.lb.type}")
        body = self.body.block
        types = [value.type for value in self.iter_args]
        if [argument.type for argument in body.args] != [self.lb.type, *types]:
            raise VerifyException("the body must take the induction variable and the loop-carried values")
        if list(self.result_types) != types:
            raise VerifyException("the results must have the types of the loop-carried values")
        end = body.last_op
        if not isinstance(end, scf.YieldOp) or [value.type for value in end.arguments] != types:
            raise VerifyException("the body must yield the loop-carried values")


def _assignment(parser: Parser) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def _is_terminated(body: Region) -> bool:
    return isinstance(body.block.last_op, scf.YieldOp)


class IfOp(scf.IfOp):
    """`%r = scf.if %c -> (f32) { ... } else { ... } {attributes}`"""

    def verify_(self) -> None:
        if self.results and not self.false_region.blocks:
            raise VerifyException("must have an else block if defining values")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        types = parse_types(parser) if parser.parse_optional_punctuation("->") else []
        then = cls.parse_region_with_yield(parser)
        otherwise = cls.parse_region_with_yield(parser) if parser.parse_optional_keyword("else") else Region()
        return cls(condition, types, then, otherwise, parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        attributes, self.attributes = self.attributes, {}
        super().print(printer)
        self.attributes = attributes
        printer.print_op_attributes(attributes)


class WhileOp(scf.WhileOp):
    """`scf.while : () -> () { ... } do { ... }`: MLIR omits the parentheses if a loop carries no values.

    A kernel that waits for a lock has such a loop.
    """

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        if parser.parse_optional_punctuation(":") is None:
            return cast("Self", super().parse(parser))  # pyright: ignore[reportUnknownMemberType]  # typed in xDSL in part
        type_ = parser.parse_function_type()
        before = parser.parse_region(())
        parser.parse_keyword("do")
        op = cls((), type_.outputs.data, before, parser.parse_region())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op.attributes |= {} if attributes is None else attributes.data
        return op

    def print(self, printer: Printer) -> None:
        if self.arguments:
            super().print(printer)
            return
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.before_region, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        printer.print_op_attributes(self.attributes, print_keyword=True)


SCF = extended(scf.Scf, (ForOp, IfOp, WhileOp, ParallelOp, ExecuteRegionOp))
