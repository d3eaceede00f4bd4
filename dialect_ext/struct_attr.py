"""Attributes whose body is a struct: `#ttg.blocked<{sizePerThread = [1, 8], order = [1, 0]}>`.

Nearly all of Triton's encodings have this form, with small differences between versions of Triton: keys come and go
(`CTAsPerCGA`, later `CGALayout`), and defaults are printed or not. A `StructAttr` holds the keys as written, known keys
first and in MLIR's printing order, and gives typed access to the known ones through `Field`s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast, get_args, get_origin, overload

from typing_extensions import Self
from xdsl.ir import Attribute, Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from dotload.dialect_ext.errors import verified
from dotload.dialect_ext.xdsl_private import current_token, resume_from


class Keyword(str):
    """A bare word as a value: `l1 = evict_last`."""

    __slots__ = ()


@dataclass(frozen=True)
class Params(Mapping[str, "Value"]):
    """Keys and values as written: an immutable, hashable mapping."""

    items_: tuple[tuple[str, Value], ...] = ()

    def __getitem__(self, key: str) -> Value:
        for name, value in self.items_:
            if name == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def __hash__(self) -> int:
        return hash(self.items_)

    def ordered(self, keys: tuple[str, ...]) -> Params:
        """The same entries, those named in `keys` first and in that order."""
        rank = {key: position for position, key in enumerate(keys)}
        return Params(tuple(sorted(self.items_, key=lambda item: rank.get(item[0], len(rank)))))


Value: TypeAlias = "int | bool | Keyword | tuple[Value, ...] | Params | Attribute"

FieldT = TypeVar("FieldT")
_REQUIRED: Any = object()


class Field(Generic[FieldT]):
    """A known key of a `StructAttr`, read as a Python attribute; `default` is its value if absent."""

    def __init__(self, key: str, default: FieldT = _REQUIRED):
        self.key = key
        self.default = default

    @property
    def required(self) -> bool:
        return self.default is _REQUIRED

    def accepts(self, value: Value) -> bool:
        """Whether `value` is of the type that the field was declared with: `Field[int](...)`."""
        return _is_a(value, get_args(vars(self)["__orig_class__"])[0])

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, instance: StructAttr, owner: type[Any]) -> FieldT: ...
    def __get__(self, instance: StructAttr | None, owner: type[Any]) -> Self | FieldT:
        if instance is None:
            return self
        return cast(FieldT, instance.data.get(self.key, self.default))


class StructAttr(Data[Params]):
    """Base of the attributes written as a struct. Subclasses declare their keys as `Field`s, in printing order;
    those of a base class come after their own."""

    braces: ClassVar[bool] = True
    closed: ClassVar[bool] = False
    """Whether all keys are declared, of each version of Triton, so that any other is an error."""
    fields: ClassVar[dict[str, Field[Any]]] = {}

    def __init_subclass__(cls) -> None:
        own: dict[str, Field[Any]] = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        cls.fields = {**own, **{name: field for name, field in cls.fields.items() if name not in own}}

    @classmethod
    def of(cls, **values: Value | list[int] | None) -> Self:
        """Build from Python names: `BlockedEncoding.of(size_per_thread=[1, 8], ...)`; None leaves a key out."""
        return cls.from_params(
            Params(tuple((cls.fields[name].key, freeze(value)) for name, value in values.items() if value is not None))
        )

    @classmethod
    def from_params(cls, params: Params) -> Self:
        return cls(params.ordered(tuple(field.key for field in cls.fields.values())))

    @classmethod
    def check_fields(cls, params: Params) -> None:
        """Raise VerifyException for a missing or unknown key, or a value of the wrong kind."""
        known = [field.key for field in cls.fields.values()]
        if cls.closed and (unknown := [key for key in params if key not in known]):
            raise VerifyException(f"#{cls.name} has an unexpected key: {', '.join(unknown)}; known: {', '.join(known)}")
        for field in cls.fields.values():
            if field.key not in params:
                if field.required:
                    raise VerifyException(f"#{cls.name} needs '{field.key}'")
            elif not field.accepts(params[field.key]):
                raise VerifyException(f"#{cls.name}: '{field.key}' has a value of the wrong kind")

    def verify(self) -> None:
        self.check_fields(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Params:
        start = parser.pos
        with parser.in_angle_brackets():
            params = parse_body(parser, cls.braces)
        with verified(parser, start):
            return cls.from_params(params).data

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_body(printer, self.data, self.braces)


class BareStructAttr(StructAttr):
    """A struct that may be absent altogether: `#ttg.shared_memory`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Params:
        if current_token(parser).kind != MLIRTokenKind.LESS:
            return Params()
        return super().parse_parameter(parser)

    def print_parameter(self, printer: Printer) -> None:
        if self.data:
            super().print_parameter(printer)


def _is_a(value: object, declared: Any) -> bool:
    """isinstance for the types that fields are declared with: int, bool, classes, tuples of one type, unions."""
    arguments = get_args(declared)
    if not arguments:
        return type(value) is declared if declared in (int, bool) else isinstance(value, declared)
    if get_origin(declared) is tuple:
        return isinstance(value, tuple) and all(_is_a(item, arguments[0]) for item in cast("tuple[Any, ...]", value))
    return any(_is_a(value, argument) for argument in arguments)


def freeze(value: Any) -> Value:
    """Convert lists to tuples and dicts to Params, recursively."""
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in cast("list[Any]", value))
    if isinstance(value, dict):
        return Params(tuple((str(key), freeze(item)) for key, item in cast("dict[str, Any]", value).items()))
    return value


def parse_body(parser: AttrParser, braces: bool) -> Params:
    """`{a = 1, b = [2]}`, or the same without braces up to the closing `>`."""
    if braces:
        entries = parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_entry(parser))
    else:
        entries = (
            parser.parse_optional_undelimited_comma_separated_list(
                lambda: _parse_optional_entry(parser), lambda: _parse_entry(parser)
            )
            or []
        )
    names = [name for name, _ in entries]
    for name in names:
        if names.count(name) > 1:
            parser.raise_error(f"'{name}' is given twice")
    return Params(tuple(entries))


def _parse_optional_entry(parser: AttrParser) -> tuple[str, Value] | None:
    name = parser.parse_optional_identifier()
    if name is None:
        return None
    parser.parse_punctuation("=")
    return name, parse_value(parser)


def _parse_entry(parser: AttrParser) -> tuple[str, Value]:
    return parser.expect(lambda: _parse_optional_entry(parser), "expected a key")


def parse_value(parser: AttrParser) -> Value:
    """An integer, a word, a list, a struct or an attribute."""
    match current_token(parser).kind:
        case MLIRTokenKind.L_SQUARE:
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_value(parser)))
        case MLIRTokenKind.L_BRACE:
            return parse_body(parser, braces=True)
        case MLIRTokenKind.INTEGER_LIT | MLIRTokenKind.MINUS:
            start = parser.pos
            value = parser.parse_integer()
            if current_token(parser).kind != MLIRTokenKind.COLON:
                if not 0 <= value < 1 << 32:
                    parser.raise_error(f"expected an unsigned integer of 32 bits, got {value}", start, parser.pos)
                return value
            resume_from(parser, start)
            return parser.parse_attribute()
        case MLIRTokenKind.BARE_IDENT:
            word = parser.parse_identifier()
            return {"true": True, "false": False}.get(word, Keyword(word))
        case _:
            return parser.parse_attribute()


def print_body(printer: Printer, params: Params, braces: bool) -> None:
    """The inverse of `parse_body`."""
    if braces:
        printer.print_string("{")
    for position, (name, value) in enumerate(params.items_):
        printer.print_string(f", {name} = " if position else f"{name} = ")
        print_value(printer, value)
    if braces:
        printer.print_string("}")


def print_value(printer: Printer, value: Value) -> None:
    """The inverse of `parse_value`."""
    match value:
        case Params():
            print_body(printer, value, braces=True)
        case Attribute():
            printer.print_attribute(value)
        case tuple():
            with printer.in_square_brackets():
                printer.print_list(value, lambda item: print_value(printer, item))
        case bool():
            printer.print_string("true" if value else "false")
        case _:
            printer.print_string(str(value))
