"""The parts of xDSL's private interface that dotload uses, under public names; no other module touches it.

xDSL may change these members in any release. They were checked with xDSL 0.73 to 0.75, the versions that
pyproject.toml allows: raise its upper bound after the tests of dialect_ext and plugin have passed with a newer one.

`OpenLexer`, `OpenParser` and `OpenPrinter` are base classes. xDSL calls the private methods that they override, and
these call the public ones of the same purpose, which subclasses override in turn. The functions take any parser or
printer, because xDSL hands its own to attributes and operations too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType, LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import AttrParser, Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

# Parsers and printers that xDSL hands to an attribute or an operation


def current_token(parser: AttrParser) -> MLIRToken:
    """The token that is read next."""
    return parser._current_token  # pyright: ignore[reportPrivateUsage]  # xDSL has no public way to look ahead


def resume_from(parser: AttrParser, position: int) -> None:
    """Continue at a position in the text."""
    parser._resume_from(position)  # pyright: ignore[reportPrivateUsage]  # xDSL has no public way back


def print_new_line(printer: Printer) -> None:
    """Print a new line, indented for the current operation."""
    printer._print_new_line()  # pyright: ignore[reportPrivateUsage]  # xDSL keeps the depth to itself


# Base classes

WIDEST_ELEMENT = 64  # of a constant tensor; xDSL packs no wider ones
MOST_ELEMENTS = 1 << 24  # of a constant tensor; Triton's tensors have 2^20 at most
# How errors of xDSL begin that concern a whole dense<...>, which has been read by then.
AFTER_LITERAL = ("Shape mismatch in dense", "Dense literal", "Expected at least one element", "Hex string")
# How those begin that concern a type, or a number, which have been read by then.
AFTER_TYPE = ("Dense literal", "Expected memref, vector or tensor type")
AFTER_NUMBER = "Floating point value is not valid"
UNREAD_ATTRIBUTES = ("sparse",)
WIDEST_INTEGER = (1 << 24) - 1  # MLIR's IntegerType::kMaxWidth; xDSL would compute 2^N for any N


class OpenLexer(MLIRLexer):
    r"""xDSL's lexer, with a pattern for strings that takes linear time.

    xDSL's own pattern has catastrophic backtracking on an unterminated string.
    A string with an escaped é (\C3\A9) is text here; xDSL lexes it as bytes, which Triton's attributes reject.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"')

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        token = super()._lex_string_literal(start_pos)
        if token.kind is MLIRTokenKind.BYTES_LIT and _is_text(token.span):
            return Token(MLIRTokenKind.STRING_LIT, token.span)
        return token


def _is_text(span: Span) -> bool:
    assert isinstance(span, StringLiteral)
    try:
        span.bytes_contents.decode()
    except UnicodeDecodeError:
        return False
    return True


class TensorElement(Parser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]  # the only name it has
    """An element of `dense<...>`. Among floats, a hexadecimal number gives the bits: 0xFF800000 is -inf."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        """The element as a number of `type`."""
        text = self.span.text
        if isinstance(type, AnyFloat) and text[:2] in ("0x", "0X"):
            bits = int(text, 16).to_bytes(type.compile_time_size, "little")
            return next(iter(type.iter_unpack(bits)))
        value: Any = super().to_type(parser, type)
        if isinstance(type, IntegerType) and type.normalized_value(value) is None:
            parser.raise_error(f"integer constant out of range for {type}", self.span)
        return value


class OpenParser(Parser):
    """xDSL's parser, over a lexer of the caller's choice."""

    def __init__(self, ctx: Context, lexer: OpenLexer):
        super().__init__(ctx, "", lexer.input.name)
        self._parser_state = ParserState(lexer)

    def consume_token(self) -> MLIRToken:
        """The token that is read next; the parser moves behind it."""
        return self._consume_token()

    def defined_op(self, name: str) -> type[Operation] | None:
        """The definition of an operation's name, looked up with the parser's dialect stack; None without one."""
        return self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)

    def present_name(self, name: str) -> str:
        """The name of an op, or of an entry of a dictionary of attributes, as it is known; given as it stands there."""
        return name

    def _get_op_by_name(self, name: str) -> type[Operation]:
        return super()._get_op_by_name(self.present_name(name))

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        name, value = super()._parse_attribute_entry()
        return self.present_name(name), value

    def parse_opaque_body(self) -> str:
        """The text between the angle brackets that follow, as it is; brackets and strings within are balanced."""
        return self._parse_dialect_symbol_body()

    def _parse_external_resources(self) -> None:
        # Those of other tools, such as the passes of a reproducer; MLIR ignores those that it does not know, too.
        self._parse_token(MLIRTokenKind.L_BRACE, "expected '{'")
        depth = 1
        while depth:
            kind = self._consume_token().kind
            depth += (kind is MLIRTokenKind.L_BRACE) - (kind is MLIRTokenKind.R_BRACE)
            if kind is MLIRTokenKind.EOF:
                self.raise_error("expected '}' at the end of external_resources")

    def op_by_name(self, name: str) -> type[Operation]:
        """The class of the operations of this name; raises ParseError for a name that the context does not allow."""
        return self._get_op_by_name(name)

    # xDSL calls each private method below.

    def parse_block_body(self, block: Block) -> None:
        """Add the operations up to the end of the block."""
        super()._parse_block_body(block)

    def _parse_block_body(self, block: Block) -> None:
        self.parse_block_body(block)

    def _parse_block(self) -> Block:
        # A region that goes on with something else, or ends with the file; xDSL says "in block definition" only.
        if self._current_token.kind is not MLIRTokenKind.CARET_IDENT:
            self.raise_error("expected an operation or '}'")
        return super()._parse_block()

    def parse_block_arguments(self, block: Block) -> Block | None:
        """Add the next arguments in parentheses; None if there are none."""
        return super()._parse_optional_block_arg_list(block)

    def _parse_optional_block_arg_list(self, block: Block) -> Block | None:
        return self.parse_block_arguments(block)

    def define_values(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        """Bind a name in the text to the values that it defines."""
        super()._register_ssa_definition(name, values, span)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        self.define_values(name, values, span)

    def parse_alias_definition(self) -> None:
        """Read `#alias = attribute` or `!alias = type`."""
        super()._parse_alias_def()

    def _parse_alias_def(self) -> None:
        self.parse_alias_definition()

    def parse_prefixed(self, name: str, is_type: bool) -> Attribute:
        """The type after `!` or the attribute after `#`; `name` is an alias, or begins with a dialect's name."""
        return super()._parse_extended_type_or_attribute(name, is_type)

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool = True) -> Any:
        return self.parse_prefixed(attr_or_dialect_name, is_type)

    def _parse_optional_integer_or_float_type(self) -> Any:
        name = self._current_token.text
        if (match := self._builtin_integer_type_regex.match(name)) and int(match[1]) > WIDEST_INTEGER:
            self.raise_error(f"integer bitwidth is limited to {WIDEST_INTEGER} bits")
        return super()._parse_optional_integer_or_float_type()

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr[Any] | FloatAttr[Any] | None:
        """A number; a decimal integer is none of a float type, as in MLIR."""
        start, kind, text = self.pos, self._current_token.kind, self._current_token.text
        try:
            found = super().parse_optional_builtin_int_or_float_attr()
        except VerifyException as error:  # out of range
            self.raise_error(str(error), start, self.pos)
        except ParseError as error:
            if str(error.msg).startswith(AFTER_NUMBER):
                self.raise_error(f"{text} for a value of a type that is none of floats", start, self.pos)
            raise
        if isinstance(found, FloatAttr) and kind is MLIRTokenKind.INTEGER_LIT and text.isdigit():
            self.raise_error(f"integer {text} for a value of {found.type}; write {text}.0", start, start + len(text))
        if isinstance(found, FloatAttr) and found.type.bitwidth > WIDEST_ELEMENT:
            self.raise_error(f"floats have at most {WIDEST_ELEMENT} bits here, got {found.type}", start, self.pos)
        return found

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        """A splat is packed once; xDSL would pack each of its elements."""
        start = self.pos
        if type is None and (splat := self.parse_optional_splat()) is not None:
            return splat
        self._resume_from(start)
        try:
            return super().parse_dense_int_or_fp_elements_attr(type)
        except ParseError as error:
            if str(error.msg).startswith(AFTER_LITERAL):
                self.raise_error(str(error.msg), start, self.pos)
            raise

    def parse_optional_splat(self) -> DenseIntOrFPElementsAttr | None:
        """The splat that follows; None for other constants."""
        self.parse_punctuation("<", " in dense attribute")
        if self._current_token.kind in (MLIRTokenKind.L_SQUARE, MLIRTokenKind.STRING_LIT, MLIRTokenKind.GREATER):
            return None
        element = self._parse_tensor_literal_element()
        self.parse_punctuation(">", " in dense attribute")
        self.parse_punctuation(":", " in dense attribute")
        type: Any = self._parse_dense_literal_type()
        return DenseIntOrFPElementsAttr.from_list(type, [element.to_type(self, type.element_type)])

    def _parse_dense_literal_type(self) -> Any:
        start = self.pos
        try:
            type = super()._parse_dense_literal_type()
        except ParseError as error:
            if str(error.msg).startswith(AFTER_TYPE):
                self.raise_error(str(error.msg), start, self.pos)
            raise
        bits, count = getattr(type.element_type, "bitwidth", 0), math.prod(type.get_shape())
        if bits > WIDEST_ELEMENT:
            self.raise_error(
                f"elements of dense<...> have at most {WIDEST_ELEMENT} bits here, got {bits}", start, self.pos
            )
        if count > MOST_ELEMENTS:
            self.raise_error(f"dense<...> has at most {MOST_ELEMENTS} elements here, got {count}", start, self.pos)
        return type

    def _parse_optional_builtin_parametrized_attr(self) -> Any:
        if self._current_token.text in UNREAD_ATTRIBUTES:
            name = self._current_token.text
            self.raise_error(f"{name}<...> is not read here; write dense<...>", self._current_token.span)
        return super()._parse_optional_builtin_parametrized_attr()

    def _parse_tensor_literal_element(self) -> TensorElement:
        element = super()._parse_tensor_literal_element()
        return TensorElement(element.is_negative, element.value, element.span)

    def parse_location(self) -> LocationAttr:
        """Parse the text between the parentheses of `loc(...)`."""
        return super()._parse_location()

    def _parse_location(self) -> LocationAttr:
        return self.parse_location()


class OpenPrinter(Printer):
    """xDSL's printer."""

    @property
    def value_names(self) -> dict[SSAValue, str]:
        """The names of the values seen in this scope, without `%`."""
        return self._ssa_values

    def new_number(self) -> str:
        """The next number for a value without a name."""
        return self._get_new_valid_name_id()

    def print_results(self, op: Operation) -> None:
        """Print the names of the results and `=`."""
        super()._print_results(op)

    def _print_results(self, op: Operation) -> None:
        self.print_results(op)
