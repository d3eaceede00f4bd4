"""Operand bundles of LLVM's calls and assumptions: `["align"(%p, %n : !llvm.ptr, i32), "cold"()]`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from typing_extensions import Self
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.typed import create, dims_of

NO_SIZES = DenseArrayBase.from_list(i32, ())


@dataclass(frozen=True)
class Bundles:
    """The bundles of an operation: a tag and operands each."""

    tags: tuple[str, ...] = ()
    operands: tuple[tuple[SSAValue, ...], ...] = ()

    @property
    def flat(self) -> list[SSAValue]:
        """The operands of all bundles, in order."""
        return [value for values in self.operands for value in values]

    def properties(self) -> dict[str, Attribute]:
        """The properties that say which operands belong to which bundle."""
        sizes = {"op_bundle_sizes": DenseArrayBase.from_list(i32, [len(values) for values in self.operands])}
        return {**sizes, **({"op_bundle_tags": ArrayAttr(map(StringAttr, self.tags))} if self.tags else {})}


def parse_bundles(parser: Parser) -> Bundles:
    """The bundles that follow, if any do."""
    if parser.parse_optional_punctuation("[") is None:
        return Bundles()
    if parser.parse_optional_punctuation("]"):
        return Bundles()
    found = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_bundle(parser))
    parser.parse_punctuation("]")
    return Bundles(tuple(tag for tag, _ in found), tuple(values for _, values in found))


def _parse_bundle(parser: Parser) -> tuple[str, tuple[SSAValue, ...]]:
    tag = parser.parse_str_literal(" as the tag of an operand bundle")
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")"):
        return tag, ()
    values = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    position = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return tag, tuple(parser.resolve_operands(values, types, position))


def print_bundles(
    printer: Printer, sizes: DenseArrayBase, tags: ArrayAttr[StringAttr] | None, values: Sequence[SSAValue]
) -> None:
    """The inverse of `parse_bundles`; nothing for no bundles."""
    if not len(sizes):
        return
    printer.print_string(" [")
    printer.print_list(split(sizes, tags, values), lambda bundle: _print_bundle(printer, *bundle))
    printer.print_string("]")


def _print_bundle(printer: Printer, tag: str, values: Sequence[SSAValue]) -> None:
    printer.print_string_literal(tag)
    with printer.in_parens():
        if values:
            printer.print_list(values, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([value.type for value in values], printer.print_attribute)


def split(
    sizes: DenseArrayBase, tags: ArrayAttr[StringAttr] | None, values: Sequence[SSAValue]
) -> Iterator[tuple[str, Sequence[SSAValue]]]:
    """The tag and the operands of each bundle."""
    first = 0
    for number, size in enumerate(dims_of(sizes)):
        yield (tags.data[number].data if tags is not None else ""), values[first : first + size]
        first += size


def check_bundles(sizes: DenseArrayBase, tags: ArrayAttr[StringAttr] | None, values: Sequence[SSAValue]) -> None:
    """Raise VerifyException if sizes, tags and operands do not fit each other."""
    if sum(dims_of(sizes)) != len(values):
        raise VerifyException(f"has {len(values)} operands in bundles, but op_bundle_sizes says {dims_of(sizes)}")
    count = 0 if tags is None else len(tags)
    if count != len(sizes):
        raise VerifyException(f"expected {len(sizes)} operand bundle tags, but actually got {count}")


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """`llvm.intr.assume %c ["align"(%p, %n : !llvm.ptr, i32)] : i1`: the condition holds, and so does each bundle."""

    name = "llvm.intr.assume"
    cond = operand_def(i1)
    op_bundle_operands = var_operand_def()
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    op_bundle_tags = opt_prop_def(ArrayAttr[StringAttr])
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.parse_unresolved_operand()
        bundles = parse_bundles(parser)
        attributes = parser.parse_optional_attr_dict()  # its place up to LLVM 19
        parser.parse_punctuation(":")
        return create(
            cls,
            operands=[parser.resolve_operand(condition, parser.parse_type()), *bundles.flat],
            properties=bundles.properties(),
            attributes=attributes | parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        print_bundles(printer, self.op_bundle_sizes, self.op_bundle_tags, self.op_bundle_operands)
        printer.print_string(" : ")
        printer.print_attribute(self.cond.type)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        check_bundles(self.op_bundle_sizes, self.op_bundle_tags, self.op_bundle_operands)
