"""LLVM types as text: how to read one off the front of a line, and how many bytes it takes."""

from __future__ import annotations

import re

_SCALAR = re.compile(r"void|i\d+|half|bfloat|float|double|ptr(?:\s+addrspace\(\d+\))?|metadata|token|label")
_FLOAT_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}
_CLOSING = {"<": ">", "[": "]", "{": "}"}


def split_type(text: str) -> tuple[str, str]:
    """The type at the start of `text`, and what follows it."""
    text = text.lstrip()
    if match := _SCALAR.match(text):
        return match.group(), text[match.end() :]
    if text[:1] not in _CLOSING:
        raise ValueError(f"no LLVM type at: {text[:40]}")
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "<[{(") - (char in ">]})")
        if depth == 0:
            return text[: index + 1], text[index + 1 :]
    raise ValueError(f"unbalanced LLVM type: {text[:40]}")


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
    """Bits of a value of this type in memory; pointers have 64."""
    if text.startswith("<"):
        count, element = vector(text)
        return count * bit_width(element)
    if text.startswith("["):
        array = re.fullmatch(r"\[(\d+) x (.+)\]", text)
        assert array is not None, text
        return int(array[1]) * byte_size(array[2]) * 8
    if text.startswith("{"):
        return sum(byte_size(part) * 8 for part in split_commas(text[1:-1]))
    if text.startswith("ptr"):
        return 64
    return int(text[1:]) if text[0] == "i" else _FLOAT_BYTES[text] * 8


def byte_size(text: str) -> int:
    """Whole bytes of a value of this type in memory."""
    return (bit_width(text) + 7) // 8


def is_pointer(text: str) -> bool:
    return text.startswith("ptr")


def address_space(text: str) -> int:
    """Address space of a pointer type: 0 private, 1 global, 2 constant, 3 local, 4 generic."""
    match = re.search(r"addrspace\((\d+)\)", text)
    return int(match.group(1)) if match else 0
