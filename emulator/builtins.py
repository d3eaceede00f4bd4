"""The table of builtins: the symbols of a kernel that the emulator implements.

A symbol is `_Z<length><name><argument types>` (Itanium mangling) or the bare name. Its family turns the signature
into a `Builtin`: the body of a wrapper function that the kernel calls instead, and the `Site` of each call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dotload.emulator.errors import EmulatorError
from dotload.emulator.sites import Site
from dotload.emulator.types import byte_size, split_type

SLOT_BYTES = 64  # slot_bytes of emulator/native/abi.hpp


@dataclass(frozen=True)
class Signature:
    """The declaration of a builtin in the kernel."""

    symbol: str
    result: str
    parameters: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name without its mangling."""
        return demangle(self.symbol)[0]

    @property
    def mangled_types(self) -> str:
        return demangle(self.symbol)[1]

    def need(self, count: int) -> None:
        """Raise an error if the symbol is declared with another number of arguments than its builtin takes."""
        if len(self.parameters) != count:
            raise EmulatorError(f"{self.name} takes {count} arguments, the kernel declares {len(self.parameters)}")


@dataclass(frozen=True)
class Builtin:
    """`body`: LLVM IR of the wrapper, whose parameters are %site, %p0, %p1, ... `site`: argument texts -> Site, or None
    for a builtin without a site (an id, a mathematical function). `declares`: the C function that it calls. `data`: the
    index of the argument that points at the lane's own data of a block message."""

    body: str
    site: Callable[[tuple[str, ...]], Site] | None = None
    declares: str = ""
    data: int | None = None


def demangle(symbol: str) -> tuple[str, str]:
    """(name, the mangled types of its arguments)."""
    if match := re.match(r"_Z(\d+)", symbol):
        length = int(match.group(1))
        rest = symbol[match.end() :]
        return rest[:length], rest[length:]
    return symbol, ""


def collective(result: str, operands: list[str], prelude: str = "") -> str:
    """The wrapper's body of a collective: it waits for the other lanes; operand i is stored at i * SLOT_BYTES."""
    for type_ in (result, *(split_type(operand)[0] for operand in operands)):
        if type_ != "void" and byte_size(type_) > SLOT_BYTES:
            raise EmulatorError(f"an operand or result of type {type_} has more than the {SLOT_BYTES} bytes of a lane")
    lines = [prelude] if prelude else []
    lines.append(f"  %pack = alloca [{max(1, len(operands)) * SLOT_BYTES} x i8], align 64")
    lines.append(f"  %answer = alloca [{SLOT_BYTES} x i8], align 64")
    for index, operand in enumerate(operands):
        lines.append(f"  %slot{index} = getelementptr i8, ptr %pack, i64 {index * SLOT_BYTES}")
        lines.append(f"  store {operand}, ptr %slot{index}, align 4")
    lines.append("  call void @xe_collective(i32 %site, ptr %pack, ptr %answer)")
    if result == "void":
        lines.append("  ret void")
    elif result == "i1":  # a bool in memory is a byte
        lines += ["  %byte = load i8, ptr %answer", "  %value = trunc i8 %byte to i1", "  ret i1 %value"]
    else:
        lines += [f"  %value = load {result}, ptr %answer, align 4", f"  ret {result} %value"]
    return "\n".join(lines)


def constant(arguments: tuple[str, ...], index: int, what: str) -> int:
    """Argument `index` of a call, which the specification requires to be a constant."""
    text = arguments[index].split()[-1]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text in ("true", "false"):
        return int(text == "true")
    raise EmulatorError(f"{what} must be a constant, got {arguments[index]}")


Family = Callable[["re.Match[str]", Signature, int], Builtin]


def find(signature: Signature, lanes: int) -> Builtin | None:
    """The builtin for this symbol in a subgroup of `lanes`, or None if there is none."""
    from dotload.emulator import builtin_blocks, builtin_functions, builtin_groups, builtin_lanes

    for table in (builtin_blocks, builtin_groups, builtin_lanes, builtin_functions):
        for pattern, family in table.FAMILIES:
            if match := re.fullmatch(pattern, signature.name):
                return family(match, signature, lanes)
    return None
