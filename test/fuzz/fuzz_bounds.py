"""Random memory accesses on the emulator near the edges of an array, with canaries on both sides. A kernel must fail if
and only if one of its accesses leaves the array, and must write nothing outside of it."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import forked
from mutation import REPOSITORY

BYTES = 256  # of the array
MARGIN = 4096  # on each side
CANARY = 0x5A
TYPES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "<4 x i32>": 16, "<3 x i16>": 6, "<16 x i64>": 128,
         "[3 x i32]": 12, "{ i8, i32 }": 8, "<{ i8, i32 }>": 5}  # fmt: skip
POINTER = "ptr addrspace(1)"


@dataclass(frozen=True)
class Operation:
    """Instructions at a pointer %pN, which stands `offset` bytes into the array. From there they touch bytes `first`
    to `end`."""

    text: str
    offset: int
    first: int
    end: int
    declares: str = ""

    @property
    def stays_inside(self) -> bool:
        return self.first == self.end or (self.offset + self.first >= 0 and self.offset + self.end <= BYTES)


def prepare() -> None:
    sys.path[:0] = [str(REPOSITORY / "test" / "unit" / "emulator")]
    import llvmlite.binding  # noqa: F401

    import dotload.emulator  # noqa: F401


def check(seed: int) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        ended = forked.run(lambda: _compare(seed), Path(folder))
    fault = ended.fault or (ended.errors.strip().splitlines()[-1] if ended.status else None)
    return f"{fault}\n{kernel(seed)[0]}" if fault else None


def kernel(seed: int) -> tuple[str, bool]:
    """LLVM IR of a kernel, and whether all of its accesses stay inside the array."""
    from xe_kernels import module

    random = Random(seed)
    drawn = [_operation(random, number) for number in range(random.randint(1, 4))]
    lines = [
        f"  %p{number} = getelementptr i8, {POINTER} %out, i64 {operation.offset}\n{operation.text}"
        for number, operation in enumerate(drawn)
    ]
    declarations = "\n".join(sorted({operation.declares for operation in drawn}))
    return module("".join(lines), f"{POINTER} %out", declarations), all(one.stays_inside for one in drawn)


def _operation(random: Random, number: int) -> Operation:
    at = f"{POINTER} %p{number}"
    offset = random.choice((0, 0, BYTES // 2, BYTES)) + random.randint(-9, 9) * random.choice((0, 1, 4))
    kind = random.choice(("load", "store", "atomicrmw", "memset", "memcpy", "masked", "predicated"))
    if kind == "load":
        type_ = random.choice(sorted(TYPES))
        return Operation(f"  %v{number} = load {type_}, {at}\n", offset, 0, TYPES[type_])
    if kind == "store":
        type_ = random.choice(sorted(TYPES))
        return Operation(f"  store {type_} poison, {at}\n", offset, 0, TYPES[type_])
    if kind == "atomicrmw":
        return Operation(f"  %v{number} = atomicrmw add {at}, i32 1 seq_cst\n", offset // 4 * 4, 0, 4)
    if kind == "masked":
        return _masked(random, at, offset)
    if kind == "predicated":
        return _predicated(random, at, offset, f"%v{number}")
    size = random.choice((0, 1, 7, 64, BYTES, BYTES + 1, 1 << 20, -1))
    sources = {"memset": ("i8 1", "i8", "p1"), "memcpy": (at, POINTER, "p1.p1")}
    value, type_, spaces = sources[kind]
    symbol = f"@llvm.{kind}.{spaces}.i64"
    text = f"  call void {symbol}({at}, {value}, i64 {size}, i1 false)\n"
    return Operation(text, offset, 0, size % (1 << 64), f"declare void {symbol}({POINTER}, {type_}, i64, i1)")


def _masked(random: Random, at: str, offset: int) -> Operation:
    mask = [random.random() < 0.6 for _ in range(4)]
    bits = ", ".join(f"i1 {str(bit).lower()}" for bit in mask)
    symbol = "@llvm.masked.store.v4i32.p1"
    text = f"  call void {symbol}(<4 x i32> zeroinitializer, {at}, <4 x i1> <{bits}>)\n"
    touched = [index for index, bit in enumerate(mask) if bit] or [0]
    first, end = 4 * touched[0], 4 * touched[-1] + 4 * any(mask)
    return Operation(text, offset, first, end, f"declare void {symbol}(<4 x i32>, {POINTER}, <4 x i1>)")


def _predicated(random: Random, at: str, offset: int, result: str) -> Operation:
    on = random.random() < 0.6
    condition, end = f"i1 {str(on).lower()}", 4 * on
    if random.random() < 0.5:
        symbol = "@llvm.genx.GenISA.PredicatedLoad.i32.p1i32.i32"
        text = f"  {result} = call i32 {symbol}({at}, i64 4, {condition}, i32 7)\n"
        return Operation(text, offset, 0, end, f"declare i32 {symbol}({POINTER}, i64, i1, i32)")
    symbol = "@llvm.genx.GenISA.PredicatedStore.p1i32.i32"
    text = f"  call void {symbol}({at}, i32 7, i64 4, {condition})\n"
    return Operation(text, offset, 0, end, f"declare void {symbol}({POINTER}, i32, i64, i1)")


def _compare(seed: int) -> int:
    """Exit with status 1, and the reason on standard error, if the emulator misjudged an access."""
    import numpy as np

    from dotload.emulator import EmulatorError, run

    text, stays_inside = kernel(seed)
    whole = np.full(BYTES + 2 * MARGIN, CANARY, np.uint8)
    try:
        run(text, (1,), [whole[MARGIN : MARGIN + BYTES]], 1, timeout=60)
        ended_well, message = True, ""
    except EmulatorError as error:
        ended_well, message = "outside every array" not in str(error), str(error)
    if np.any(whole[:MARGIN] != CANARY) or np.any(whole[-MARGIN:] != CANARY):
        print("wrote outside of its array", file=sys.stderr)
        return 1
    if ended_well != stays_inside:
        print(f"inside: {stays_inside}; ended well: {ended_well} {message}", file=sys.stderr)
        return 1
    return 0
