"""Quoted file names in MLIR and PTX, which escape every byte that is not printable ASCII."""

from __future__ import annotations

import re

_HEXADECIMAL = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")
_OCTAL = re.compile(rb"\\([0-3][0-7]{2}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t"}


def from_mlir(text: str, errors: str = "replace") -> str:
    r"""The unescaped text of an MLIR string, which has \C3\A9 for an é. `errors`: as for `bytes.decode`."""
    if "\\" not in text:
        return text
    return _HEXADECIMAL.sub(lambda match: _byte(match[1], 2, 16), text.encode()).decode(errors=errors)


def from_ptx(text: str) -> str:
    r"""The unescaped text of a `.file` directive or of nvdisasm's listing, which have \303\251 for an é."""
    if "\\" not in text:
        return text
    return _OCTAL.sub(lambda match: _byte(match[1], 3, 8), text.encode()).decode(errors="replace")


def ascii_ptx(ptx: str) -> str:
    """The PTX with ? for each character that is not ASCII: LLVM's comments have file names, and ptxas rejects these."""
    return ptx if ptx.isascii() else ptx.encode("ascii", "replace").decode()


def _byte(code: bytes, digits: int, base: int) -> bytes:
    return bytes([int(code, base)]) if len(code) == digits else _LETTERS.get(code, code)
