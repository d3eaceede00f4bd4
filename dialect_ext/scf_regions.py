"""Ops of dialect `scf` that Triton itself does not make: parallel loops and regions that run once."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Self
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


def parse_types(parser: Parser) -> list[Attribute]:
    """`(f32, i32)`, or one type without parentheses, as in MLIR."""
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if found is None else [*found]


class ParallelOp(scf.ParallelOp):
    """`%r = scf.parallel (%i) = (%lb) to (%ub) step (%s) init (%x) -> f32 { ... scf.reduce(%y : f32) { ... } }`"""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _bounds(parser)
        parser.parse_keyword("to")
        upper = _bounds(parser)
        parser.parse_keyword("step")
        steps = _bounds(parser)
        position = parser.pos
        initial = _values(parser) if parser.parse_optional_keyword("init") else []
        types = parse_types(parser) if parser.parse_optional_punctuation("->") else []
        carried = parser.resolve_operands(initial, types, position)
        body = parser.parse_region([index.resolve(IndexType()) for index in indices])
        if not isinstance(body.block.last_op, scf.ReduceOp):
            body.block.add_op(scf.ReduceOp())
        op = cls(lower, upper, steps, body, carried)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_values(printer, self.body.block.args)
        for word, values in ((" = ", self.lowerBound), (" to ", self.upperBound), (" step ", self.step)):
            printer.print_string(word)
            _print_values(printer, values)
        if self.initVals:
            printer.print_string(" init ")
            _print_values(printer, self.initVals)
            _print_results(printer, self.initVals.types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        printer.print_op_attributes(self.attributes)


class ExecuteRegionOp(scf.ExecuteRegionOp):
    """`%r = scf.execute_region -> i32 { ... scf.yield %x : i32 }`"""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        types = parse_types(parser) if parser.parse_optional_punctuation("->") else []
        region: Region = parser.parse_region()
        op = cls(types, region)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        if self.outs:
            _print_results(printer, self.outs.types)
        printer.print_string(" ")
        printer.print_region(self.region, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


def _values(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)


def _bounds(parser: Parser) -> Sequence[SSAValue]:
    position = parser.pos
    values = _values(parser)
    return parser.resolve_operands(values, [IndexType()] * len(values), position)


def _print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(values, printer.print_ssa_value)


def _print_results(printer: Printer, types: Sequence[Attribute]) -> None:
    printer.print_string(" -> ")
    if len(types) == 1:
        printer.print_attribute(types[0])
        return
    with printer.in_parens():
        printer.print_list(types, printer.print_attribute)
