"""Parses Triton's IR: xDSL's parser, plus the syntax that only MLIR's accepts.

1. Aliases of locations may be used before their definition: MLIR puts them at the end of the file.
2. Locations: fused ones with metadata, ranges; an op without one gets its place in the text, as in MLIR.
3. Hexadecimal floats in `dense<...>`.
4. Errors are reported at their place, including those that a type rule or a verifier finds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, AttributeInvT, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.constraints import VerificationContext
from xdsl.parser import UnresolvedOperand
from xdsl.utils.exceptions import ParseError, UnregisteredConstructException, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from dotload.dialect_ext import former_names, structure
from dotload.dialect_ext.contexts import DIALECTS, make_context
from dotload.dialect_ext.errors import SourceError, source_error, worded
from dotload.dialect_ext.lexer import Lexer
from dotload.dialect_ext.xdsl_private import OpenParser, current_token, resume_from

_ALIAS_DEFINITION = re.compile(r"^([#!][A-Za-z_][\w.$-]*)\s*=(?!=)", re.MULTILINE)
_ALIAS_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|[#!][A-Za-z_][\w$-]*(?![\w.<])')
_OP_NAME = re.compile(r'(?:%[^="]*=\s*)?("?)([\w.$-]*)')

SEGMENT_SIZES = "operandSegmentSizes"

# All types and attributes of these are defined here.
COMPLETE_DIALECTS = ("tt", "ttg", "ttig", "triton_intel_gpu", "triton_gen", "gluon")
# All ops, too.
COMPLETE_OPS = ("tt", "ttg", "ttng", "ttig", "triton_gen", "gluon")


class TritonParser(OpenParser):
    """A parser of MLIR's textual form, for whole modules.

    `later_aliases`: whether the alias of any attribute or type may stand before its definition.
    """

    def __init__(self, ctx: Context, input: str, name: str = "-", *, later_aliases: bool = False):
        super().__init__(ctx, Lexer(Input(input, name)))
        self._alias_values: dict[str, int] = {}
        for match in _ALIAS_DEFINITION.finditer(input):
            self._alias_values.setdefault(match[1], match.end())
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", input))]
        self._file_attr = StringAttr(name)
        self._first_uses: dict[str, Span] = {}
        self._segments: list[Attribute] | None = None
        self._later_aliases = later_aliases

    # Aliases

    def present_name(self, name: str) -> str:
        return former_names.present(name)

    def parse_prefixed(self, name: str, is_type: bool) -> Attribute:
        name = former_names.present(name)
        if "." not in name and current_token(self).kind != MLIRTokenKind.LESS:
            self._find_alias(("!" if is_type else "#") + name)
        elif name not in DIALECTS and "." not in name:
            return self._without_aliases(self._parse_opaque(name, is_type))
        start = self.pos
        found = self._without_aliases(super().parse_prefixed(name, is_type))
        if isinstance(found, UnregisteredAttr) and found.attr_name.data.partition(".")[0] in COMPLETE_DIALECTS:
            what = "type" if is_type else "attribute"
            self.raise_error(f"{what} '{found.attr_name.data}' is unknown", start, self.pos)
        return found

    def _parse_opaque(self, dialect: str, is_type: bool) -> Attribute:
        """Read `#dialect<text>`, in which MLIR wants no more than balanced brackets of an unknown dialect."""
        find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        kind = find(f"{dialect}.")
        assert kind is not None
        assert issubclass(kind, UnregisteredAttr)
        return kind(f"{dialect}.", is_type, True, self.parse_opaque_body())

    def _without_aliases(self, found: Attribute) -> Attribute:
        """An attribute of unknown syntax, with the aliases in its text replaced: their definitions are not printed."""
        if not isinstance(found, UnregisteredAttr):
            return found

        def in_full(match: re.Match[str]) -> str:
            self._define_ahead(match[0])
            return str(self.attribute_aliases.get(match[0], match[0]))

        text = _ALIAS_OR_STRING.sub(in_full, found.value.data)
        return type(found)(found.attr_name, found.is_type, found.is_opaque, text)

    def _find_alias(self, alias: str) -> None:
        """Make sure that an alias is defined, which may be further down for a location only."""
        if self._later_aliases:
            self._define_ahead(alias)
        elif alias not in self.attribute_aliases:
            end = self.lexer.input.content.rindex(alias, 0, current_token(self).span.start) + len(alias)
            what = f"undefined symbol alias id '{alias[1:]}'"
            if (defined := self._alias_values.get(alias)) is not None:
                what += f"; its definition, in line {self.line_and_column(defined)[0]}, has to stand before its use"
            self.raise_error(what, end - len(alias), end)

    def _define_ahead(self, alias: str) -> None:
        """Parse the definition of an alias that stands further down."""
        if alias in self.attribute_aliases or alias not in self._alias_values:
            return
        here = self.pos
        resume_from(self, self._alias_values.pop(alias))
        self.attribute_aliases[alias] = self.parse_attribute()
        resume_from(self, here)

    def parse_alias_definition(self) -> None:
        token = self.consume_token()
        self.parse_punctuation("=", " after alias name")
        start = self.pos
        try:
            value = self.parse_attribute()
        except _REFUSED_OP as error:
            self.raise_error(worded(str(error)), start, self.pos)
        if token.text in self.attribute_aliases and self.attribute_aliases[token.text] != value:
            self.raise_error(f"redefinition of attribute alias id '{token.text[1:]}'", token.span)
        self.attribute_aliases[token.text] = value

    # Locations

    def parse_location(self) -> LocationAttr:
        around, self._later_aliases = self._later_aliases, True
        try:
            return self._parse_any_location()
        finally:
            self._later_aliases = around

    def _parse_any_location(self) -> LocationAttr:
        if self.parse_optional_keyword("fused"):
            return self._parse_fused_location()
        location = super().parse_location()
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
            while current_token(self).kind in (MLIRTokenKind.COLON, MLIRTokenKind.INTEGER_LIT):
                self.consume_token()
        return location

    def _parse_fused_location(self) -> FusedLoc:
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        locations = self.parse_comma_separated_list(self.Delimiter.SQUARE, self.parse_location)
        return FusedLoc(ArrayAttr(locations), metadata)

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Line and column of a position in the text, both counted from 1."""
        line = bisect_right(self._line_starts, position)
        return line, position - self._line_starts[line - 1] + 1

    def location_at(self, position: int) -> FileLineColLoc:
        """A position in the text as a location."""
        line, column = self.line_and_column(position)
        return FileLineColLoc(self._file_attr, IntAttr(line), IntAttr(column))

    # Values

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if current_token(self).kind == MLIRTokenKind.EOF:  # comments only, as in MLIR an empty module
            return ModuleOp([])
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError:
            undefined = next(iter(self.forward_ssa_references), None)
            if undefined is None or current_token(self).kind != MLIRTokenKind.EOF:
                raise
        self.raise_error(f"use of undeclared SSA value name '%{undefined}'", self._first_uses[undefined])

    # Operations

    def parse_operation(self) -> Operation:
        match = _OP_NAME.match(self.lexer.input.content, self.pos)
        assert match is not None  # the pattern matches the empty string
        name_start = match.start(2)
        if match[1]:
            self._refuse_unregistered(match[2], name_start)
        op_type = self._require_known(match[2], name_start) if not match[1] and match[2] else None
        around, self._segments = self._segments, [] if getattr(op_type, "assembly_format", None) else None
        try:
            op = super().parse_operation()
        except _REFUSED_OP as error:
            self.raise_error(f"'{match[2]}' op {worded(str(error))}", name_start, match.end(2))
        if self._segments and self._segments != [op.properties.get(SEGMENT_SIZES)]:
            self.raise_error(f"'{op.name}' op {SEGMENT_SIZES} do not match its operands", name_start, match.end(2))
        self._segments = around
        if op.attributes and isinstance(op, IRDLOperation):
            _move_properties(op)
        if op.location is UNKNOWN_LOC:
            op.location = self.location_at(name_start)
        return op

    def parse_optional_attr_dict(self) -> dict[str, Attribute]:
        found = super().parse_optional_attr_dict()
        if self._segments is not None and SEGMENT_SIZES in found:  # MLIR accepts them where the operands say it all
            self._segments.append(found.pop(SEGMENT_SIZES))
        return found

    def _require_known(self, name: str, position: int) -> type[Operation] | None:
        """The definition of an op. An error for one without: it has no custom form, only the generic one."""
        op_type = self.defined_op(former_names.present(name))
        if op_type is None or issubclass(op_type, UnregisteredOp):
            known = former_names.present(name).partition(".")[0] in DIALECTS
            more = "" if known else f'; ops of other dialects are read in generic form: "{name}"(...)'
            self.raise_error(f"custom op '{name}' is unknown{more}", position, position + len(name))
        return op_type

    def _refuse_unregistered(self, name: str, position: int) -> None:
        """Raise an error for an op in generic form that its dialect does not have."""
        present = former_names.present(name)
        dialect = present.partition(".")[0]
        op_type = self.defined_op(present) if dialect in COMPLETE_OPS else None
        if op_type is not None and issubclass(op_type, UnregisteredOp):
            where = f"found in dialect ('{dialect}') that does not allow unknown operations"
            what = f"unregistered operation '{name}' {where}"
            self.raise_error(what, position, position + len(name))


def _move_properties(op: IRDLOperation) -> None:
    """Move properties from the attribute dictionary to the properties, in place of defaults; in either form."""
    properties = op.get_irdl_definition().properties
    for name in [name for name in op.attributes if name in properties]:
        if op.properties.get(name) in (None, properties[name].default_value):
            op.properties[name] = op.attributes.pop(name)


# What an op's parser, or its constructor, raises.
_REFUSED_OP = (VerifyException, LookupError, TypeError, ValueError)
# Exceptions of xDSL for unforeseen errors in the text (a number that is too large, ...).
_MALFORMED = (
    VerifyException,
    ArithmeticError,
    AssertionError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    UnregisteredConstructException,
    ValueError,
)


def parse_module(text: str, file_name: str, *, verify: bool) -> ModuleOp:
    """See `dotload.dialect_ext.parse_module`."""
    parser: TritonParser | None = None
    try:
        parser = TritonParser(make_context(), text, file_name)  # reads the first token
        module = parser.parse_module()
    except ParseError as error:
        raise source_error(error) from None
    except _MALFORMED as error:
        line, column = parser.line_and_column(parser.pos) if parser else (1, 1)
        what = "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        message = f"malformed IR: {what or type(error).__name__}"
        raise SourceError(file_name, line, column, message) from error
    if verify:
        verify_module(module, file_name)
    return module


# What a verifier raises: the latter two where it asks a type for what it does not have.
_REFUSALS = (VerifyException, ValueError, AssertionError)


def verify_module(module: Operation, file_name: str = "-") -> None:
    """Run every op's verifier; the first that fails raises SourceError at that op's location."""
    _raise_first(structure.malformed_regions(module), file_name)
    try:
        module.verify()
    except _REFUSALS as error:
        culprit = next((op for op in module.walk() if not _verifies(op)), module)
        raise _error_at(culprit, _refusal(culprit, str(error.__cause__ or error)), file_name) from None
    _raise_first(structure.problems(module), file_name)


def _raise_first(problems: Iterator[tuple[Operation, str]], file_name: str) -> None:
    for culprit, reason in problems:
        raise _error_at(culprit, reason, file_name)


def _error_at(op: Operation, reason: str, file_name: str) -> SourceError:
    file, line, column = source_position(op.location) or (file_name, 1, 1)
    return SourceError(file, line, column, f"'{op.name}' op {reason}")


def _refusal(op: Operation, message: str) -> str:
    """Why an op does not verify, with the property if one is to blame, which xDSL does not name."""
    definitions = op.get_irdl_definition().properties if isinstance(op, IRDLOperation) else {}
    for name, attr in op.properties.items():
        try:
            if (definition := definitions.get(name)) is not None:
                definition.constr.verify(attr, VerificationContext())
        except VerifyException as error:
            if str(error) == message:
                return f"property '{name}': {worded(message)}"
    return worded(message) or "does not take operands or results of these types"


def _verifies(op: Operation) -> bool:
    try:
        op.verify(verify_nested_ops=False)
    except _REFUSALS:
        return False
    return True


def source_position(location: Attribute) -> tuple[str, int, int] | None:
    """File, line and column of the innermost place that a location names; None for an unknown one."""
    if isinstance(location, FileLineColLoc):
        return location.filename.data, location.line.data, location.column.data
    for name in ("location", "callee"):
        if isinstance(inner := getattr(location, name, None), Attribute):
            return source_position(inner)
    for inner in getattr(location, "locations", ()):
        if (place := source_position(inner)) is not None:
            return place
    return None
