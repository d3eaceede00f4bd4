"""The memory accesses of an instruction or an intrinsic: address, bytes, mask."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dotload.emulator.errors import EmulatorError
from dotload.emulator.sites import Kind
from dotload.emulator.types import address_space, byte_size, split_commas, split_type, vector

_NAME = r'[%@](?:"[^"]*"|[-\w.$]+)'
_FIRST = re.compile(rf"{_NAME}|null\b|undef\b|poison\b|zeroinitializer\b")
_LAST = re.compile(rf"(?:{_NAME}|-?\d+|null|undef|poison|true|false|zeroinitializer)$")
_ATTRIBUTES = re.compile(r"^(?:(?:noundef|nonnull|readonly|writeonly|captures\([^)]*\)) )*")
_ALIGNED = re.compile(r"\balign \d+ ")
_LARGEST = 8192  # bytes; the code generator splits a value into registers
_LARGEST_ATOMIC = 8  # bytes; wider atomics become library calls


@dataclass(frozen=True)
class Operand:
    """A value as written in an instruction: `ptr addrspace(1) %p`."""

    type: str
    value: str

    def __str__(self) -> str:
        return f"{self.type} {self.value}"


@dataclass(frozen=True)
class Access:
    """`count` elements of `bytes` bytes each, contiguous or at a vector of pointers. `bytes` 0: the operand `length`
    gives their number. `mask`: the accessed elements; `packed`: these are contiguous in memory."""

    kind: Kind
    label: str
    pointer: Operand
    bytes: int
    count: int = 1
    mask: Operand | None = None
    packed: bool = False
    length: Operand | None = None

    @property
    def is_local(self) -> bool:
        return address_space(self.pointer.type) == 3


def of_instruction(text: str, opcode: str) -> Access:
    """The access of a load, store, atomicrmw or cmpxchg."""
    operands = split_commas(re.sub(rf"^.*?\b{opcode} ((atomic|volatile|weak) )*", "", text.strip(), count=1))
    if opcode == "load":
        value, pointer = split_type(operands[0])[0], operands[1]
    elif opcode == "store":
        value, pointer = split_type(operands[0])[0], operands[1]
    else:
        pointer = operands[0] if opcode == "cmpxchg" else re.sub(r"^\w+ ", "", operands[0])  # without the operation
        value = split_type(operands[1])[0]
    size = byte_size(value)
    if size > _LARGEST:
        raise EmulatorError(f"not emulated: values of more than {_LARGEST} bytes: {text.strip()[:120]}")
    if opcode not in ("load", "store") or re.search(rf"\b{opcode} atomic\b", text):
        _check_atomic(text, value, size)
    verb = Kind.LOAD if opcode == "load" else Kind.STORE
    return Access(verb, f"{opcode}_{size * 8}b", _first_operand(pointer), size)


def of_intrinsic(family: str, result: str, arguments: tuple[str, ...]) -> tuple[Access, ...]:
    """The accesses of a call of one of the intrinsics in `MEMORY`."""
    operands = tuple(map(argument, arguments))
    if family.startswith(("memcpy", "memmove")):
        copied = Access(Kind.LOAD, family, operands[1], 0, length=operands[2])
        return copied, replace(copied, kind=Kind.STORE, pointer=operands[0])
    if family.startswith("memset"):
        return (Access(Kind.STORE, family, operands[0], 0, length=operands[2]),)
    reads = family in ("masked.load", "masked.gather", "masked.expandload")
    value = result if reads else operands[0].type
    count, element = vector(value)
    # LLVM 22 moved the alignment from a parameter to an attribute, so operands are recognised by their types.
    pointer = next(operand for operand in operands if vector(operand.type)[1].startswith("ptr"))
    mask = next(operand for operand in operands[0 if reads else 1 :] if operand.type == f"<{count} x i1>")
    kind = Kind.LOAD if reads else Kind.STORE
    packed = family in ("masked.expandload", "masked.compressstore")
    return (Access(kind, family, pointer, byte_size(element), count, mask, packed),)


MEMORY = (
    "memcpy", "memcpy.inline", "memmove", "memset", "memset.inline",
    "masked.load", "masked.store", "masked.gather", "masked.scatter", "masked.expandload", "masked.compressstore",
)  # fmt: skip


def unaligned(text: str) -> str:
    """A call whose pointers promise no alignment."""
    return _ALIGNED.sub("", text)


def _check_atomic(text: str, value: str, size: int) -> None:
    aligned = re.search(r", align (\d+)", text)
    if size > _LARGEST_ATOMIC or size & (size - 1) or (aligned and int(aligned[1]) < size):
        raise EmulatorError(f"atomic accesses of {value} with this alignment are not emulated: {text.strip()}")


def _first_operand(text: str) -> Operand:
    """The operand at the start of `text`, which may be followed by an ordering."""
    type_, rest = split_type(text)
    rest = rest.lstrip()
    if match := _FIRST.match(rest):
        return Operand(type_, match[0])
    depth = 0
    for index, char in enumerate(rest):  # a constant expression ends with its parenthesis
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return Operand(type_, rest[: index + 1])
    raise EmulatorError(f"cannot read this operand of the LLVM IR: {text}")


def argument(text: str) -> Operand:
    """An argument of a call, without its attributes."""
    type_, rest = split_type(unaligned(text))
    if match := _LAST.search(rest):
        return Operand(type_, match[0])
    return Operand(
        type_, re.sub(r"^\s*(?:(?:noundef|nonnull|readonly|writeonly|captures\([^)]*\)) )*", "", rest).strip()
    )
