"""Functions without a body: xDSL neither keeps nor prints the attributes of their parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from dotload.dialect_ext.xdsl_private import resume_from

NO_ATTRIBUTES = DictionaryAttr({})
_SYMBOL = re.compile(r'@(?:"(?:[^"\\]|\\.)*"|[\w$.-]+)')


def declared_attributes(parser: Parser, start: int) -> ArrayAttr[DictionaryAttr] | None:
    """The parameter attributes of the declaration that begins at `start`, and has been read."""
    end = parser.pos
    name = _SYMBOL.search(parser.lexer.input.content, start)
    assert name is not None
    resume_from(parser, name.end())
    parameters = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parameter(parser))
    resume_from(parser, end)
    return all_attributes([each[1] for each in parameters if each is not None])


def _parameter(parser: Parser) -> tuple[Attribute, DictionaryAttr] | None:
    """A parameter of a declaration; None for `...`."""
    if parser.parse_optional_punctuation("..."):
        return None
    if parser.parse_optional_unresolved_operand() is not None:  # its name
        parser.parse_punctuation(":")
    found = type_and_attributes(parser)
    parser.parse_optional_location()
    return found


def type_and_attributes(parser: Parser) -> tuple[Attribute, DictionaryAttr]:
    """`!llvm.ptr {llvm.nonnull}`"""
    type_ = parser.parse_type()
    return type_, DictionaryAttr(dict(parser.parse_optional_attr_dict()))


def all_attributes(each: Sequence[DictionaryAttr]) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of all parameters or results; None if none has any."""
    return ArrayAttr(each) if any(attrs.data for attrs in each) else None


def print_types(printer: Printer, types: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None) -> None:
    """The types with their attributes, separated by commas."""
    dictionaries = [NO_ATTRIBUTES] * len(types) if attributes is None else list(attributes)

    def print_one(pair: tuple[Attribute, DictionaryAttr]) -> None:
        printer.print_attribute(pair[0])
        printer.print_op_attributes(pair[1].data)

    printer.print_list(zip(types, dictionaries, strict=True), print_one)
