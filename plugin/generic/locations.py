"""Locations of a module: MLIR's text <-> xDSL's attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    IntAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, BuiltinAttribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dotload.plugin.escapes import from_mlir

_LOCATION = re.compile(
    r"""\"(?P<file>[^"\\]*(?:\\.[^"\\]*)*)\":(?P<line>\d+):(?P<column>\d+)
        | \"(?P<name>[^"\\]*(?:\\.[^"\\]*)*)\"(?:\((?P<inner>.*)\))?
        | callsite\((?P<callee>\#\w+)\ at\ (?P<caller>\#\w+)\)""",  # nested locations are printed as aliases
    re.VERBOSE,
)
_NO_PLACE = NoneAttr()
STRING_OR_ALIAS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[#!][A-Za-z_]\w*\b(?![.<"])')


@irdl_attr_definition
class OpaqueLoc(Data[str], BuiltinAttribute):
    """A location that xDSL has no class for, as MLIR printed it, aliases expanded: `fused<...>[...]` and the like."""

    name = "dotload.opaque_loc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_str_literal()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data)

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string(self.data)


@dataclass
class Locations:
    """The locations of one module: alias -> text, and text -> attribute once it was requested.

    A text is what stands between the parentheses of `loc(...)`. `shared` has the locations of all modules: parts ->
    attribute, which keeps its parts alive.
    """

    aliases: Mapping[str, str]
    shared: dict[object, Attribute]
    known: dict[str, Attribute] = field(default_factory=lambda: {"unknown": UNKNOWN_LOC})

    def get(self, text: str) -> Attribute:
        """The attribute of a text."""
        if (found := self.known.get(text)) is None:
            spelled = self.aliases.get(text, text)
            found = self.known.get(spelled) or self.shared.get(spelled) or self._parse(spelled)
            self.known[text] = found
        return found

    def _parse(self, text: str) -> Attribute:
        match = _LOCATION.fullmatch(text)
        if match is None:
            return OpaqueLoc(self._expand(text))
        try:
            name = from_mlir(match["file"] or match["name"] or "", "strict")
        except UnicodeDecodeError:  # a path that is not UTF-8
            return OpaqueLoc(self._expand(text))
        if match["file"] is not None:
            return self._shared(text, lambda: _file_line_col(name, match))
        if match["name"] is not None:
            inner = _NO_PLACE if match["inner"] is None else self.get(match["inner"])
            return self._nested(text, (name, inner), lambda: NameLoc(StringAttr(name), inner))
        callee, caller = self.get(match["callee"]), self.get(match["caller"])
        return self._nested(text, (callee, caller), lambda: CallSiteLoc(callee, caller))

    def _nested(self, text: str, parts: tuple[object, object], make: Callable[[], Attribute]) -> Attribute:
        if any(isinstance(part, OpaqueLoc) for part in parts):
            return OpaqueLoc(self._expand(text))  # xDSL's classes hold only xDSL's locations
        key = tuple(part if isinstance(part, str) else id(part) for part in parts)
        return self._shared(key, make)

    def _shared(self, key: object, make: Callable[[], Attribute]) -> Attribute:
        if (found := self.shared.get(key)) is None:
            found = self.shared[key] = make()
        return found

    def _expand(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            found = self.aliases.get(match[0])
            return match[0] if found is None else self._expand(found)

        return STRING_OR_ALIAS.sub(replace, text)


def _file_line_col(name: str, match: re.Match[str]) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(int(match["line"])), IntAttr(int(match["column"])))
