"""The input: layouts and tensor types read from the command line and from alias files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dotload.layout.encodings import DotOperand, Dpas, Encoding, NvidiaMma
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.tools.failures import Unreadable, read_text
from dotload.tools.opt.errors import displayed

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from dotload.dialect_ext.encodings import EncodingAttr

ELEMENT = re.compile(r"(?:tensor|memdesc)<(?:\d+x)+([a-zA-Z]\w*|!\S+)")
ALIAS = re.compile(r"^#([A-Za-z_][\w.$-]*)\s*=", re.MULTILINE)
DEFAULT_ELEMENT_BITS = 16
MOST_PLACES = 1 << 24
MOST_ELEMENTS = 1 << 20  # triton.language.TRITON_MAX_TENSOR_NUMEL


class UserError(ValueError):
    """An invalid request; the text is the whole diagnostic."""


@dataclass(frozen=True)
class TensorType:
    """`tensor<256x32xf16, #encoding>`: shape in elements, element bits, and the encoding if the type has one."""

    text: str
    shape: tuple[int, ...]
    element: str
    element_bits: int
    encoding: Encoding | None = None


@dataclass(frozen=True)
class Subject:
    """A layout with the data for its drawing."""

    name: str
    layout: LinearLayout
    shape: tuple[int, ...]
    element: str = "f16"
    element_bits: int = DEFAULT_ELEMENT_BITS
    axes: tuple[str, str] = ("row", "column")
    """Names of rows and columns: M, N and K for a layout of a matrix unit."""

    @property
    def is_shared(self) -> bool:
        """Whether the layout is offset -> dims, not register, lane, warp -> dims."""
        return "offset" in self.layout.in_sizes

    @property
    def title(self) -> str:
        """One line: the tensor, then the encoding."""
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}> {self.name}"


def located(text: str, where: str, line: int, column: int, message: str) -> UserError:
    """A diagnostic with the source line and a caret under `column` (1-based)."""
    lines = text.splitlines() or [""]
    source = lines[min(line, len(lines)) - 1]
    caret = " " * (column - 1) + "^"
    return UserError(f"{where}:{line}:{column}: error: {message}\n{source}\n{caret}")


def parse_layout(text: str, where: str = "<layout>") -> Encoding:
    """An encoding attribute such as `#ttg.blocked<{...}>`."""
    return _encoding_of(_parse(text, where, "attribute"), text, where)


def parse_tensor(text: str, where: str = "<tensor>") -> TensorType:
    """A ranked tensor (or memory descriptor) type, with or without an encoding."""
    from xdsl.dialects.builtin import NoneAttr, ShapedType

    parsed = _parse(text, where, "type")
    shape = parsed.get_shape() if isinstance(parsed, ShapedType) else None
    if shape is None and hasattr(parsed, "shape"):
        shape = tuple(int(getattr(size, "data", size)) for size in getattr(parsed, "shape", ()))
    if not shape or min(shape) < 1:
        raise located(text, where, 1, 1, "expected a tensor type with a static shape, such as tensor<256x32xf16>")
    if math.prod(shape) > MOST_ELEMENTS:
        raise located(text, where, 1, 1, f"Triton's tensors have at most {MOST_ELEMENTS} elements")
    encoding = getattr(parsed, "encoding", None)
    known = None if encoding is None or isinstance(encoding, NoneAttr) else _encoding_of(encoding, text, where)
    element = _element_name(text, where)
    return TensorType(text, tuple(shape), element, element_bits_of(element), known)


def parse_type(text: str, where: str = "<type>") -> Attribute:
    """Any type."""
    return _parse(text, where, "type")


def text_of(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        return read_text(path)
    except Unreadable as error:
        raise UserError(f"error: {error}") from None


def read_aliases(path: str, wanted: list[str] | None = None) -> dict[str, Encoding]:
    """The encodings that a file defines as `#name = #ttg...`; those in `wanted`, or every one with a layout."""
    text = text_of(path)
    path = displayed(path)
    names = [name for name in dict.fromkeys(ALIAS.findall(text)) if not name.startswith("loc")]
    for name in wanted or []:
        if name.lstrip("#") not in names:
            raise UserError(f"{path}: error: no alias #{name.lstrip('#')}; the file defines {_listed(names)}")
    found: dict[str, Encoding] = {}
    for name in [name.lstrip("#") for name in wanted] if wanted else names:
        attribute = _parse(f"#{name}\n{text}", path, "attribute", first_line=0)
        try:
            found[name] = cast("EncodingAttr", attribute).to_encoding()
        except (AttributeError, LayoutError):
            if wanted:
                raise UserError(f"{path}: error: #{name} is not an encoding with a layout") from None
    if not found:
        raise UserError(f"{path}: error: no layouts: the file defines no encoding alias such as #blocked = ...")
    return found


def subject(name: str, encoding: Encoding, tensor: TensorType) -> Subject:
    """The layout of this tensor under this encoding; an error says why the shape does not fit."""
    layout = layout_for(name, encoding, tensor.shape)
    return Subject(name, layout, tensor.shape, tensor.element, tensor.element_bits, axes_of(encoding))


AXES = {"A": ("M", "K"), "B": ("K", "N"), "C": ("M", "N")}


def axes_of(encoding: Encoding) -> tuple[str, str]:
    """The axes of an operand or a result of a matrix unit."""
    if isinstance(encoding, DotOperand):
        return AXES["AB"[encoding.op_index]]
    return AXES["C"] if isinstance(encoding, NvidiaMma | Dpas) else ("row", "column")


def layout_for(name: str, encoding: Encoding, shape: tuple[int, ...]) -> LinearLayout:
    """`to_linear_layout`, with an error in one line."""
    try:
        layout = encoding.to_linear_layout(shape)
    except LayoutError as error:
        raise UserError(f"error: {name} cannot lay out {'x'.join(map(str, shape))}: {error}") from None
    if math.prod(layout.in_sizes.values()) > MOST_PLACES:
        raise UserError(f"error: {name} has more than {MOST_PLACES} registers, or offsets, in all lanes and warps")
    return layout


def element_bits_of(element: str) -> int:
    """Bits of an MLIR element type: f16 16, f8E4M3FN 8, i1 8 (a byte in memory), pointers 64."""
    if element.startswith("!"):
        return 64
    digits = re.match(r"[a-z]+(\d+)", element)
    bits = int(digits[1]) if digits else DEFAULT_ELEMENT_BITS
    return {1: 8}.get(bits, bits)


def _element_name(text: str, where: str) -> str:
    match = ELEMENT.search(text)
    if not match:
        raise located(text, where, 1, 1, "expected a tensor type such as tensor<256x32xf16>")
    return match[1]


def _parse(text: str, where: str, what: str, first_line: int = 1) -> Attribute:
    """Parse with the project's dialects; a mistake becomes one located error with a caret."""
    from xdsl.utils.exceptions import ParseError, VerifyException

    from dotload.dialect_ext import context
    from dotload.dialect_ext.errors import SourceError, source_error
    from dotload.dialect_ext.syntax import TritonParser

    shift = first_line - 1
    try:
        parser = TritonParser(context(), text, where, later_aliases=True)  # the rest of the file defines them
        parsed = parser.parse_attribute() if what == "attribute" else parser.parse_type()
        if first_line and parser.pos < len(text.rstrip()):
            parser.raise_error("unexpected text behind the end", parser.pos, len(text))
        return parsed
    except ParseError as error:
        found = source_error(error)
    except SourceError as error:
        found = error
    except (VerifyException, LayoutError) as error:
        found = SourceError(where, first_line or 1, 1, str(error))
    source = text if first_line else text.partition("\n")[2]
    raise located(source, where, max(1, found.line + shift), max(1, found.column), found.message)


def _encoding_of(attribute: Attribute, text: str, where: str) -> Encoding:
    try:
        return cast("EncodingAttr", attribute).to_encoding()
    except AttributeError:
        raise located(
            text, where, 1, 1, f"{attribute} is not a layout; expected #ttg.blocked<...> or the like"
        ) from None
    except LayoutError as error:
        raise located(text, where, 1, 1, str(error)) from None


def _listed(names: list[str]) -> str:
    return ", ".join(f"#{name}" for name in names) or "none"
