"""Conversions to 16 bits on packed words: of bytes, four at a time, and of small integers of 32 bits, two at a time.

Each gives bit for bit what Triton's own conversion gives, for every element. What they spare, on sm_90:

    f8E4M3FN -> bf16    Triton converts f16 to bf16 one by one: F2F, 16 lanes a cycle; here HADD2.F32 and F2FP, 8 in all
                        (one cvt for a pair from capability 100 on)
    f8E4M3FN -> f16     Triton converts pairs, which have to be cut out of the word first; here two F2FP
    f8E5M2 -> bf16      Triton multiplies in f32, 18; here packed, 10
    i8, u8 -> f16       Triton converts one by one: I2F, 16 lanes a cycle; here 1024 + x by byte permutation, less 1024
    u8 -> bf16          likewise: 128 + the low bits, and 128 or 256 by the high one
    i32 -> f16, bf16    of numbers that fit into 8 and 7 bits, likewise: 1024 + x and 128 + x

(CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; i8 -> bf16 and f8E5M2 -> f16 are packed in
Triton already.) Sums and products here are exact, so that no rounding mode matters.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from dotload.passes.analysis.intervals import Interval

ELEMENTS = 4
"""Bytes that are converted at a time."""
NUMBERS = 2
"""Integers of 32 bits that are."""
BITS_OF_NUMBERS = 8
"""Most bits of these, a sign included."""
SIGNED, UNSIGNED = "arith.sitofp", "arith.uitofp"
MAX_OFFSET = 128
"""What is taken away of integers at most: sums and differences are exact."""


@dataclass(frozen=True)
class Bits:
    """Some bits of a byte x, as a number: (x >> shift) & mask."""

    shift: int
    mask: int

    def of_masked(self, mask: int) -> Bits:
        """These bits of x & mask."""
        return Bits(self.shift, self.mask & mask >> self.shift)

    def of_shifted(self, count: int, *, is_signed: bool) -> Bits | None:
        """These bits of x >> count; None where copies of a sign are among them."""
        shift = self.shift + count
        zeros = self.mask & ~(BYTE_MASK >> shift)
        return None if zeros and is_signed else Bits(shift, self.mask & BYTE_MASK >> shift)


BYTE_MASK = 0xFF
ALL_BITS = Bits(0, BYTE_MASK)


@dataclass(frozen=True)
class PackedConversion:
    """PTX of a conversion of `elements` elements, for capabilities from `since` to `until`.

    Of bytes, `$0` and `$1` are the results, `$2` the word; of integers, `$0` is the word of results.
    """

    lines: tuple[str, ...]
    since: int = 80
    until: int = 1000
    elements: int = ELEMENTS
    constraints: str = "=r,=r,r"

    @property
    def asm(self) -> str:
        """The PTX, in a scope of its own."""
        return "{ " + " ".join(self.lines) + " }"

    def runs_on(self, capability: int) -> bool:
        """Whether GPUs of the capability have the instructions, and none that are better."""
        return self.since <= capability < self.until

    def of_bits(self, bits: Bits) -> PackedConversion:
        """The conversion of some bits of each byte, which two instructions bring down for all four."""
        if bits == ALL_BITS:
            return self
        taken = (".reg .b32 u;", f"shr.b32 u, $2, {bits.shift};", f"and.b32 u, u, {bits.mask * 0x01010101:#010x};")
        return replace(self, lines=(*taken, *(line.replace("$2", "u") for line in self.lines)))


@dataclass(frozen=True)
class Binade:
    """Numbers of 2^n and more in a 16-bit format, whose low `bits` bits count up by one; `high` is the byte above.

    All integers up to `exact` are numbers of the format. `less` is the instruction that takes `c` from both halves.
    """

    name: str
    first: int
    high: int
    bits: int
    exact: int
    less: str

    def word(self, number: int) -> str:
        """An integer in both halves of a word."""
        wide: int = struct.unpack("<I", struct.pack("<f", number))[0]
        half: int = wide >> 16 if self.name == "bf16" else struct.unpack("<H", struct.pack("<e", number))[0]
        return f"{half * 0x00010001:#010x}"

    def has(self, number: int) -> bool:
        """Whether the format has the number."""
        return abs(number) <= self.exact or (abs(number) <= 2 * self.exact and number % 2 == 0)


BINADES = {
    each.name: each
    for each in (
        Binade("f16", 1024, 0x64, 10, 2048, "sub.f16x2 {0}, {1}, c;"),
        Binade("bf16", 128, 0x43, 7, 256, "fma.rn.bf16x2 {0}, {1}, one, c;"),
    )
}


def taken_away(binade: Binade, number: int) -> tuple[str, ...]:
    """The registers that `less` reads."""
    if binade.name == "f16":
        return (".reg .b32 c;", f"mov.b32 c, {binade.word(number)};")
    return (".reg .b32 one, c;", "mov.b32 one, 0x3f803f80;", f"mov.b32 c, {binade.word(-number)};")


def by_f16(pair: str, *, since: int, until: int) -> PackedConversion:
    """To bf16 by way of f16 and f32, all three exact."""
    halves = (
        line
        for result, half in (("$0", "lo"), ("$1", "hi"))
        for line in (
            f"{pair} w, {half};",
            "mov.b32 {h0, h1}, w;",
            "cvt.f32.f16 f0, h0;",
            "cvt.f32.f16 f1, h1;",
            f"cvt.rn.bf16x2.f32 {result}, f1, f0;",
        )
    )
    registers = (".reg .b16 lo, hi, h0, h1;", ".reg .b32 w;", ".reg .f32 f0, f1;")
    return PackedConversion((*registers, "mov.b32 {lo, hi}, $2;", *halves), since, until)


def bytes_by_binade(binade: Binade, *, is_signed: bool) -> PackedConversion:
    """The byte becomes the low bits of 2^n + x, less 2^n. Signed ones have 128 added before, by flipping the sign."""
    flip, high = ("0x80808080", 128) if is_signed else ("0", 0)
    return PackedConversion(
        (
            ".reg .b32 w, x, y;",
            *taken_away(binade, binade.first + high),
            f"xor.b32 w, $2, {flip};",
            f"prmt.b32 x, w, {binade.high * 0x01010101:#010x}, 0x4140;",
            f"prmt.b32 y, w, {binade.high * 0x01010101:#010x}, 0x4342;",
            binade.less.format("$0", "x"),
            binade.less.format("$1", "y"),
        )
    )


def numbers_by_binade(binade: Binade, offset: int, bits: int, bias: int, op: str) -> PackedConversion:
    """Likewise of the low bits of two integers, less an offset; a bias makes them positive. (a & b) ^ c: lop3 0x6a."""
    return PackedConversion(
        (
            f"/* {op} */",
            ".reg .b32 w, low, high;",
            *taken_away(binade, binade.first + bias + offset),
            f"mov.b32 low, {((1 << bits) - 1) * 0x00010001:#010x};",
            f"mov.b32 high, {(binade.high << 8 | bias) * 0x00010001:#010x};",
            "prmt.b32 w, $1, $2, 0x5410;",
            "lop3.b32 w, w, low, high, 0x6a;",
            binade.less.format("$0", "w"),
        ),
        elements=NUMBERS,
        constraints="=r,r,r",
    )


def fields_by_binade(binade: Binade, offset: int, mask: int, distance: int) -> PackedConversion:
    """Of two fields of one integer, the second one so many bits above the first, which is so many above the lowest.

    `$1` and `$2` are the integer, `$3` and `$4` the places of the fields. (a & b) | c is lop3 0xea.
    """
    return PackedConversion(
        (
            ".reg .b32 t, u, w;",
            *taken_away(binade, binade.first + offset),
            "shr.b32 t, $1, $3;",
            f"shl.b32 u, t, {16 - distance};",
            f"lop3.b32 w, t, {mask:#x}, {(binade.high << 8) * 0x00010001:#010x}, 0xea;",
            f"lop3.b32 w, u, {mask << 16:#x}, w, 0xea;",
            binade.less.format("$0", "w"),
        ),
        elements=NUMBERS,
        constraints="=r,r,r,r,r",
    )


E4M3_TO_F16 = PackedConversion(
    (
        ".reg .b16 lo, hi;",
        "mov.b32 {lo, hi}, $2;",
        "cvt.rn.f16x2.e4m3x2 $0, lo;",
        "cvt.rn.f16x2.e4m3x2 $1, hi;",
    ),
    since=89,
)

E5M2_TO_BF16 = PackedConversion(
    (
        ".reg .b32 x, y, a, b, scale, zero;",
        "mov.b32 scale, 0x77807780;",  # 2^112, the difference of the biases
        "mov.b32 zero, 0;",
        "prmt.b32 x, $2, 0, 0x1404;",
        "prmt.b32 y, $2, 0, 0x3424;",
        "shr.b32 a, x, 3;",
        "shr.b32 b, y, 3;",
        "and.b32 a, a, 0x0fff0fff;",
        "and.b32 b, b, 0x0fff0fff;",
        "fma.rn.bf16x2 a, a, scale, zero;",
        "fma.rn.bf16x2 b, b, scale, zero;",
        "lop3.b32 $0, x, 0x80008000, a, 0xea;",  # (x & sign) | a
        "lop3.b32 $1, y, 0x80008000, b, 0xea;",
    )
)


U8_TO_BF16 = PackedConversion(
    (
        ".reg .b32 x, y, a, b;",
        *taken_away(BINADES["bf16"], 256),
        "prmt.b32 x, $2, 0x43434343, 0x4140;",
        "prmt.b32 y, $2, 0x43434343, 0x4342;",
        "and.b32 a, x, 0xff7fff7f;",  # 128 + the low bits
        "and.b32 b, y, 0xff7fff7f;",
        "and.b32 x, x, 0xff80ff80;",  # 128, or 256
        "and.b32 y, y, 0xff80ff80;",
        "fma.rn.bf16x2 a, a, one, c;",
        "fma.rn.bf16x2 b, b, one, c;",
        "fma.rn.bf16x2 $0, x, one, a;",
        "fma.rn.bf16x2 $1, y, one, b;",
    )
)

CONVERSIONS: dict[tuple[str, str], PackedConversion] = {
    ("f8E4M3FN", "bf16"): by_f16("cvt.rn.f16x2.e4m3x2", since=89, until=100),
    ("f8E4M3FN", "f16"): E4M3_TO_F16,
    ("f8E5M2", "bf16"): E5M2_TO_BF16,
    ("i8", "f16"): bytes_by_binade(BINADES["f16"], is_signed=True),
    ("u8", "f16"): bytes_by_binade(BINADES["f16"], is_signed=False),
    ("u8", "bf16"): U8_TO_BF16,
}
"""By the types of element and result; u8: the bytes of `arith.uitofp`."""


def find_conversion(source: str, target: str, capability: int) -> PackedConversion | None:
    """The conversion that beats Triton's own on this capability; None where none does."""
    found = CONVERSIONS.get((source, target))
    return found if found is not None and found.runs_on(capability) else None


@lru_cache(maxsize=256)
def convert_numbers(values: Interval, target: str, offset: int = 0, op: str = SIGNED) -> PackedConversion | None:
    """Of integers in an interval, less an offset; None of those that are too large. `op`: what it stands for."""
    binade, is_signed = BINADES.get(target), values.low < 0
    if binade is None or abs(offset) > MAX_OFFSET:
        return None
    bits = min(binade.bits, BITS_OF_NUMBERS)
    bias = 1 << bits - 1 if is_signed else 0
    is_small = Interval.of_bits(bits, is_signed=is_signed).holds(values)
    if not is_small or not binade.has(binade.first + bias + offset):
        return None
    return numbers_by_binade(binade, offset, bits, bias, op)


@lru_cache(maxsize=256)
def convert_fields(target: str, mask: int, distance: int, offset: int = 0) -> PackedConversion | None:
    """Of two fields of an integer, less an offset, if they are small and lie apart."""
    binade = BINADES.get(target)
    if binade is None or abs(offset) > MAX_OFFSET or not binade.has(binade.first + offset):
        return None
    is_small = 0 < mask < 1 << min(binade.bits, BITS_OF_NUMBERS) and 0 < distance <= 16
    return fields_by_binade(binade, offset, mask, distance) if is_small else None


@lru_cache(maxsize=1)
def meanings() -> dict[str, tuple[str, int]]:
    """Which op the PTX of conversions stands for, and the offset that is taken away before, as strict mode asks."""
    by_type = {"f8": "tt.fp_to_fp", "i8": SIGNED, "u8": UNSIGNED}
    found = {made.asm: (by_type[source[:2]], 0) for (source, _), made in CONVERSIONS.items()}
    offsets = range(-MAX_OFFSET, MAX_OFFSET + 1)
    for target, offset, low, op in product(BINADES, offsets, (0, -1), (SIGNED, UNSIGNED)):
        if (made := convert_numbers(Interval(low, 0), target, offset, op)) is not None:
            found[made.asm] = (op, offset)
    return found
