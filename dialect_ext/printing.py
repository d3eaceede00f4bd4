"""Printing Triton's IR as MLIR does: encodings under their aliases, several results as %0:2, dictionaries sorted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, ModuleOp, NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from dotload.dialect_ext.struct_attr import StructAttr

_NAMED_LOCATIONS = (FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc)


@dataclass(eq=False, repr=False)
class TritonPrinter(Printer):
    """Prints ops and collects the aliases they need in `aliases`, in the order in which they are met."""

    aliases: dict[Attribute, str] = field(default_factory=dict[Attribute, str], init=False)
    location_aliases: dict[Attribute, str] = field(default_factory=dict[Attribute, str], init=False)
    _stem_counts: dict[str, int] = field(default_factory=dict[str, int], init=False)

    # Attributes

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, StructAttr) and (name := self._alias(attribute)) is not None:
            self.print_string(name)
        elif isinstance(attribute, _NAMED_LOCATIONS):
            with self.in_location():
                self.print_string(self._location_alias(attribute))
        else:
            super().print_attribute(attribute)

    def _alias(self, attribute: StructAttr) -> str | None:
        stem = getattr(attribute, "alias", None)
        if stem is None:
            return None
        if (name := self.aliases.get(attribute)) is None:
            name = self.aliases[attribute] = self._unique(stem)
        return name

    def _location_alias(self, location: Attribute) -> str:
        if (name := self.location_aliases.get(location)) is None:
            for inner in _inner_locations(location):  # MLIR wants them defined first
                self._location_alias(inner)
            name = self.location_aliases[location] = self._unique("loc")
        return name

    def _unique(self, stem: str) -> str:
        count = self._stem_counts.get(stem, 0)
        self._stem_counts[stem] = count + 1
        return f"#{stem}{count or ''}"

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        super().print_attr_dict(dict(sorted(attr_dict.items())))

    # Operations

    def print_op(self, op: Operation) -> None:
        if not isinstance(op, ModuleOp) or self.print_generic_format:
            super().print_op(op)
            return
        self.print_string("module")
        self.enter_scope()
        op.print(self)
        self.exit_scope()
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)

    def _print_results(self, op: Operation) -> None:
        if len(op.results) < 2:
            super()._print_results(op)
            return
        first = op.results[0]
        if first not in self._ssa_values:
            with _discarded(self):
                name = self.print_ssa_value(first)
            for index, result in enumerate(op.results):
                self._ssa_values[result] = f"{name}#{index}"
        name = self._ssa_values[first].partition("#")[0]
        self.print_string(f"%{name}:{len(op.results)} = ")


def _inner_locations(location: Attribute) -> list[Attribute]:
    """The locations that a location is made of, those with a text of their own."""
    match location:
        case NameLoc():
            parts = [location.location]
        case CallSiteLoc():
            parts = [location.callee, location.caller]
        case FusedLoc():
            assert isinstance(location.locations, ArrayAttr)
            parts = list(location.locations)
        case _:
            parts = []
    return [part for part in parts if isinstance(part, _NAMED_LOCATIONS)]


class _discarded:
    """Printing inside goes nowhere."""

    def __init__(self, printer: Printer):
        self.printer = printer

    def __enter__(self) -> None:
        self.stream, self.printer.stream = self.printer.stream, StringIO()
        self.column = self.printer._current_column  # pyright: ignore[reportPrivateUsage]

    def __exit__(self, *_: object) -> None:
        self.printer.stream = self.stream
        self.printer._current_column = self.column  # pyright: ignore[reportPrivateUsage]


def print_module(module: Operation, *, generic: bool, print_locations: bool) -> str:
    """See `dotload.dialect_ext.print_module`."""
    body = StringIO()
    printer = TritonPrinter(stream=body, print_generic_format=generic, print_debuginfo=print_locations)
    printer.print_op(module)
    encodings = _definitions(printer, printer.aliases)
    locations = _definitions(printer, printer.location_aliases)
    return "".join((*sorted(encodings, key=_stem_and_number), body.getvalue(), "\n", *locations))


def _definitions(printer: TritonPrinter, aliases: dict[Attribute, str]) -> list[str]:
    """`#name = attribute` lines; printing one may need more aliases, which then follow."""
    lines: list[str] = []
    done: set[str] = set()
    while pending := [(attribute, name) for attribute, name in aliases.items() if name not in done]:
        for attribute, name in pending:
            printer.stream = StringIO()
            Printer.print_attribute(printer, attribute)
            lines.append(f"{name} = {printer.stream.getvalue()}\n")
            done.add(name)
    return lines


def _stem_and_number(line: str) -> tuple[str, int]:
    name = line.split(" ", 1)[0]
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)
