"""Prints Triton's IR as MLIR does: encodings as aliases, several results as %0:2, dictionaries sorted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from io import StringIO
from typing import IO, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, ArrayAttr, Builtin, CallSiteLoc, FileLineColLoc, FusedLoc, ModuleOp, NameLoc
from xdsl.dialects.llvm import LinkageAttr, LLVMFunctionType
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from dotload.dialect_ext.struct_attr import StructAttr
from dotload.dialect_ext.value_names import NamingPrinter

_NAMED_LOCATIONS = (FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc)

# A struct that is filled field by field is printed once per field. With more fields than this it gets an alias, so that
# the text grows linearly in the number of fields, not quadratically.
MOST_FIELDS_IN_FULL = 256


class TritonPrinter(NamingPrinter):
    """Prints ops and collects the aliases that they need, in order of occurrence; none if `local_scope`."""

    def __init__(
        self, stream: IO[str], *, print_generic_format: bool, print_debuginfo: bool, local_scope: bool = False
    ):
        super().__init__(stream, print_generic_format=print_generic_format, print_debuginfo=print_debuginfo)
        self._local_scope = local_scope
        self.aliases: dict[Attribute, str] = {}
        self.location_aliases: dict[Attribute, str] = {}
        self._structs: dict[int, str] = {}  # by identity: hashing is slow
        self._stem_counts: dict[str, int] = {}

    # Attributes

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, StructAttr) and (name := self._alias(attribute)) is not None:
            self.print_string(name)
        elif isinstance(attribute, llvm.LLVMStructType):
            self.print_string(self._struct_text(attribute))
        elif isinstance(attribute, _NAMED_LOCATIONS) and not self._local_scope:
            with self.in_location():
                self.print_string(self._location_alias(attribute))
        elif isinstance(attribute, LinkageAttr):
            self.print_string(f"#llvm.linkage<{attribute.linkage.data}>")
        elif isinstance(attribute, LLVMFunctionType):
            self._print_llvm_function(attribute)
        elif isinstance(attribute, llvm.LLVMArrayType):
            self.print_string(f"!llvm.array<{attribute.size.data} x {self._inside_llvm_type(attribute.type)}>")
        else:
            super().print_attribute(attribute)

    def _print_llvm_function(self, type_: LLVMFunctionType) -> None:
        """`!llvm.func<void (ptr<1>, i32)>`: inside the type, LLVM's own types have no prefix."""
        inputs = [self._inside_llvm_type(each) for each in type_.inputs]
        dots = ["..."] if type_.is_variadic else []
        self.print_string(f"!llvm.func<{self._inside_llvm_type(type_.output)} ({', '.join(inputs + dots)})>")

    def _print_llvm_struct(self, type_: llvm.LLVMStructType) -> None:
        """`!llvm.struct<(i64, ptr<1>)>`, likewise."""
        name = f'"{type_.struct_name.data}", ' if type_.struct_name.data else ""
        self.print_string(f"!llvm.struct<{name}({', '.join(map(self._inside_llvm_type, type_.types))})>")

    def _inside_llvm_type(self, type_: Attribute) -> str:
        outer, self.stream = self.stream, StringIO()
        self.print_attribute(type_)
        text, self.stream = self.stream.getvalue(), outer
        return text.removeprefix("!llvm.")

    def _alias(self, attribute: StructAttr) -> str | None:
        stem = getattr(attribute, "alias", None)
        if stem is None or self._local_scope:
            return None
        if (name := self.aliases.get(attribute)) is None:
            name = self.aliases[attribute] = self._unique(stem)
        return name

    def _struct_text(self, struct: llvm.LLVMStructType) -> str:
        if (text := self._structs.get(id(struct))) is None:
            if len(struct.types) > MOST_FIELDS_IN_FULL:
                text = self.aliases.get(struct) or self._unique("struct", "!")
                self.aliases[struct] = text
            else:
                text = self.in_full(struct)
            self._structs[id(struct)] = text
        return text

    def in_full(self, attribute: Attribute) -> str:
        """The text of an attribute that may have an alias."""
        stream, self.stream = self.stream, StringIO()
        if isinstance(attribute, llvm.LLVMStructType):
            self._print_llvm_struct(attribute)
        else:
            Printer.print_attribute(self, attribute)
        text, self.stream = self.stream.getvalue(), stream
        return text

    def _location_alias(self, location: Attribute) -> str:
        if (name := self.location_aliases.get(location)) is None:
            for inner in _inner_locations(location):  # MLIR wants them defined first
                self._location_alias(inner)
            name = self.location_aliases[location] = self._unique("loc")
        return name

    def _unique(self, stem: str, sigil: str = "#") -> str:
        count = self._stem_counts.get(stem, 0)
        self._stem_counts[stem] = count + 1
        return f"{sigil}{stem}{count or ''}"

    def print_float(self, value: float, type: AnyFloat) -> None:
        if math.isfinite(value):
            super().print_float(value, type)
        else:  # the bits, in upper case as in MLIR
            self.print_string(f"0x{type.pack((value,))[::-1].hex().upper()}")

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
        self._print_location(op.location)

    def print_op_with_default_format(self, op: Operation) -> None:
        super().print_op_with_default_format(op)
        self._print_location(op.location)

    def print_operation_type(self, op: Operation) -> None:
        """Print the type without the location, which xDSL prints here: scf.while has a region after its type."""
        self.print_function_type(op.operand_types, op.result_types)

    def _print_location(self, location: Attribute) -> None:
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(location)


def _inner_locations(location: Attribute) -> list[Attribute]:
    """The locations nested in a location."""
    match location:
        case NameLoc():
            parts = [location.location]
        case CallSiteLoc():
            parts = [location.callee, location.caller]
        case FusedLoc():
            parts = list(cast("ArrayAttr[Attribute]", location.locations))
        case _:
            parts = []
    return [part for part in parts if isinstance(part, _NAMED_LOCATIONS)]


def print_module(module: Operation, *, generic: bool, print_locations: bool, local_scope: bool = False) -> str:
    """See `dotload.dialect_ext.print_module`."""
    body = StringIO()
    printer = TritonPrinter(
        stream=body, print_generic_format=generic, print_debuginfo=print_locations, local_scope=local_scope
    )
    printer.print_op(module)
    printer.print_metadata((Builtin,))
    encodings = _definitions(printer, printer.aliases)
    locations = _definitions(printer, printer.location_aliases)
    return "".join((*sorted(encodings, key=_stem_and_number), body.getvalue(), "\n", *locations))


def _definitions(printer: TritonPrinter, aliases: dict[Attribute, str]) -> list[str]:
    """`#name = attribute` lines; printing one may need more aliases, which follow."""
    lines: list[str] = []
    done: set[str] = set()
    while pending := [(attribute, name) for attribute, name in aliases.items() if name not in done]:
        for attribute, name in pending:
            lines.append(f"{name} = {printer.in_full(attribute)}\n")
            done.add(name)
    return lines


def _stem_and_number(line: str) -> tuple[str, int]:
    name = line.split(" ", 1)[0]
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)
