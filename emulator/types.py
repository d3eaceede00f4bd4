"""LLVM types as text: parsing one at the start of a line, and its size in bytes."""

from __future__ import annotations

import re

from dotload.emulator.errors import EmulatorError

_SCALAR = re.compile(r"void|i\d+|half|bfloat|float|double|ptr(?:\s+addrspace\(\d+\))?|metadata|token|label")
_FLOAT_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}
_CLOSING = {"<": ">", "[": "]", "{": "}"}
_POINTER_BYTES = 8


def split_type(text: str) -> tuple[str, str]:
    """The type at the start of `text`, and the rest."""
    text = text.lstrip()
    if match := _SCALAR.match(text):
        return match.group(), text[match.end() :]
    if text[:1] not in _CLOSING:
        raise EmulatorError(f"no type that is emulated at: {text[:40]}")
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "<[{(") - (char in ">]})")
        if depth == 0:
            return text[: index + 1], text[index + 1 :]
    raise EmulatorError(f"unbalanced LLVM type: {text[:40]}")


_NAME = r'%(?:"[^"]*"|[-\w.$]+)'
_DEFINITION = re.compile(rf"^({_NAME}) = type ([{{<].*)$", re.MULTILINE)


def spelled_out(module: str) -> str:
    """A module's text in which structs stand for the names of their types, as in the device library's functions."""
    known = {match[1]: match[2] for match in _DEFINITION.finditer(module)}
    if not known:
        return module
    names = re.compile("|".join(rf"{re.escape(name)}(?![-\w.$])" for name in known))
    text = _DEFINITION.sub("", module)
    for _ in known:  # a struct may have fields of other named types
        if not names.search(text):
            break
        text = names.sub(lambda match: known[match[0]], text)
    return text


def split_commas(text: str) -> list[str]:
    """Split at the commas outside all brackets and quotes."""
    parts: list[str] = []
    depth, start, quoted = 0, 0, False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        if quoted:
            continue
        depth += (char in "<[{(") - (char in ">]})")
        if char == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def vector(text: str) -> tuple[int, str]:
    """(length, element type); a scalar counts as one element."""
    match = re.fullmatch(r"<(\d+) x (.+)>", text)
    return (int(match.group(1)), match.group(2)) if match else (1, text)


def bit_width(text: str) -> int:
    """Bits of a number, a pointer, or a whole vector."""
    if match := re.fullmatch(r"<(\d+) x (.+)>", text):
        return int(match[1]) * bit_width(match[2])
    if text.startswith("ptr"):
        return _POINTER_BYTES * 8
    if re.fullmatch(r"i\d+", text):
        return int(text[1:])
    if text not in _FLOAT_BYTES:
        raise EmulatorError(f"values of type {text} are not emulated")
    return _FLOAT_BYTES[text] * 8


def byte_size(text: str) -> int:
    """Bytes that a value of this type takes in memory, padding included."""
    if text.startswith("["):
        count, element = _array(text)
        return count * _stride(element)
    if text.startswith(("{", "<{")):
        parts, packed = _struct(text)
        end = 0
        for part in parts:
            end = (end if packed else _up(end, _alignment(part))) + _stride(part)
        return end if packed else _up(end, _alignment(text))
    return (bit_width(text) + 7) // 8


def is_pointer(text: str) -> bool:
    return text.startswith("ptr")


def address_space(text: str) -> int:
    """Address space of a pointer type: 0 private, 1 global, 2 constant, 3 local, 4 generic."""
    match = re.search(r"addrspace\((\d+)\)", text)
    return int(match.group(1)) if match else 0


def _array(text: str) -> tuple[int, str]:
    match = re.fullmatch(r"\[(\d+) x (.+)\]", text)
    if match is None:
        raise EmulatorError(f"values of type {text} are not emulated")
    return int(match[1]), match[2]


def _struct(text: str) -> tuple[list[str], bool]:
    """The types of a struct's fields, and whether it is packed."""
    packed = text.startswith("<")
    return split_commas(text[1 + packed : -1 - packed].strip()), packed


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def _stride(text: str) -> int:
    """The distance between elements of an array, in bytes."""
    return _up(byte_size(text), _alignment(text))


def _alignment(text: str) -> int:
    """The ABI alignment on 64-bit targets of this machine: the next power of two of the size of a number or vector."""
    if text.startswith("["):
        return _alignment(_array(text)[1])
    if text.startswith(("{", "<{")):
        parts, packed = _struct(text)
        return 1 if packed else max(map(_alignment, parts), default=1)
    return 1 << (byte_size(text) - 1).bit_length() if byte_size(text) else 1
