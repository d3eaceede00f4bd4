"""Conversions of small integers to 16 bits on packed words: four bytes, or two 32-bit integers, at a time.

Each is bit-identical to Triton's own conversion, for every element. Savings on sm_90:

    i8, u8 -> f16       Triton converts one by one: I2F, 16 lanes a cycle; here 1024 + x by byte permutation, less 1024
    u8 -> bf16          likewise: the smaller of w - 128 and w / 2, where w is the byte upon 128
    i32 -> f16, bf16    of numbers that fit into 8 and 7 bits, as i8 to f16: 1024 + x and 128 + x

(CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; i8 -> bf16 is packed in Triton already.)
Constants subtracted before or after, such as zeros of quantised weights, are merged into the subtraction at the end.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from dotload.layout.widths import BYTE_BITS, HALF_BITS
from dotload.passes.analysis.intervals import Interval
from dotload.passes.operand_staging.packed_conversions import (
    CONVERSIONS,
    ELEMENTS,
    PAIR,
    Bits,
    PackedConversion,
    of_bytes,
)

NUMBERS = 2
"""32-bit integers that are converted at a time."""
BITS_OF_NUMBERS = 8
"""The most bits of these, including a sign."""
SIGNED, UNSIGNED = "arith.sitofp", "arith.uitofp"
MAX_OFFSET = 128
"""The largest constant to subtract from integers, so that sums and differences are exact. The first number of a binade
may be added instead, for a difference of two conversions: 1024 + x is at hand, and (1024 + x) - (1024 + y) is exact."""


@dataclass(frozen=True)
class Meaning:
    """The semantics of a conversion: `op` on the elements minus `before`, with `behind` subtracted from the results."""

    op: str
    before: int = 0
    behind: int = 0

    @property
    def offset(self) -> int:
        """The sum of what is subtracted."""
        return self.before + self.behind

    @property
    def comment(self) -> str:
        """A comment that distinguishes conversions with the same instructions."""
        return f"/* {self.op}, less {self.behind} */" if self.behind else f"/* {self.op} */"


@dataclass(frozen=True)
class Binade:
    """The numbers from 2^n on in a 16-bit format, whose low `bits` bits count up by one; `high` is the upper byte.

    The format represents all integers up to `exact`. `less` is the instruction that subtracts `c` from both halves.
    """

    name: str
    first: int
    high: int
    bits: int
    exact: int
    less: str

    def word(self, lower: float, upper: float | None = None) -> str:
        """A word with a number in both halves, or with two numbers."""
        return f"{self.half(lower) | self.half(lower if upper is None else upper) << HALF_BITS:#010x}"

    def half(self, number: float) -> int:
        """The bits of a number that the format represents."""
        wide: int = struct.unpack("<I", struct.pack("<f", number))[0]
        narrow: int = struct.unpack("<H", struct.pack("<e", number))[0] if self.name == "f16" else wide >> HALF_BITS
        return narrow

    def takes(self, offset: int) -> bool:
        """Whether a conversion may subtract a number from integers."""
        return abs(offset) <= MAX_OFFSET or offset == -self.first

    def has(self, number: int) -> bool:
        """Whether the format represents the number."""
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


def less(binade: Binade, number: int) -> tuple[str, ...]:
    """Subtract a number from both halves of `w`, for the result; zero takes no instruction."""
    return (*taken_away(binade, number), binade.less.format("$0", "w")) if number else ("mov.b32 $0, w;",)


def bytes_by_binade(binade: Binade, offset: int, elements: int, *, is_signed: bool) -> tuple[str, ...]:
    """The byte becomes the low bits of 2^n + x, minus 2^n. Signed bytes are biased by 128, by flipping the sign bit."""
    flip, high = (("xor.b32 w, w, 0x80808080;",), 128) if is_signed else ((), 0)
    return (
        ".reg .b32 w, x;",
        *taken_away(binade, binade.first + high + offset),
        *word_of_bytes(elements),
        *flip,
        *(
            line
            for result, select in results_of_bytes(elements)
            for line in (
                f"prmt.b32 x, w, {binade.high * 0x01010101:#010x}, {select};",
                binade.less.format(result, "x"),
            )
        ),
    )


def unsigned_bytes_to_bf16(offset: int, elements: int) -> tuple[str, ...]:
    """The byte becomes the low bits of a word x, whose mantissa has room for only seven of the eight.

    x is 128 + n if n is below 128, and 2 n otherwise. So n is the smaller of x - 128 and x / 2.
    """
    binade = BINADES["bf16"]
    return (
        ".reg .b32 w, x, a, half, d;",
        *taken_away(binade, binade.first + offset),
        f"mov.b32 half, {binade.word(0.5)};",
        f"mov.b32 d, {binade.word(-offset)};",
        *word_of_bytes(elements),
        *(
            line
            for result, select in results_of_bytes(elements)
            for line in (
                f"prmt.b32 x, w, {binade.high * 0x01010101:#010x}, {select};",
                binade.less.format("a", "x"),
                "fma.rn.bf16x2 x, x, half, d;",
                f"min.bf16x2 {result}, a, x;",
            )
        ),
    )


def word_of_bytes(elements: int) -> tuple[str, ...]:
    """Put four bytes, or two, into a register `w`."""
    return ("mov.b32 w, $2;",) if elements == ELEMENTS else ("cvt.u32.u16 w, $1;",)


def results_of_bytes(elements: int) -> tuple[tuple[str, str], ...]:
    """The results, and the bytes of `w` in each, each under a byte of another word (PTX ISA, prmt)."""
    return (("$0", "0x4140"), ("$1", "0x4342"))[: elements // 2]


def numbers_by_binade(binade: Binade, bits: int, bias: int, meaning: Meaning) -> PackedConversion:
    """Likewise for the low bits of two integers minus an offset; a bias makes them positive. (a & b) ^ c: lop3 0x6a."""
    return PackedConversion(
        (
            meaning.comment,
            ".reg .b32 w, low, high;",
            f"mov.b32 low, {((1 << bits) - 1) * 0x00010001:#010x};",
            f"mov.b32 high, {(binade.high << 8 | bias) * 0x00010001:#010x};",
            "prmt.b32 w, $1, $2, 0x5410;",
            "lop3.b32 w, w, low, high, 0x6a;",
            *less(binade, binade.first + bias + meaning.offset),
        ),
        elements=NUMBERS,
        constraints="=r,r,r",
    )


@lru_cache(maxsize=256)
def convert_bytes(
    source: str, target: str, behind: int = 0, elements: int = ELEMENTS, width: int = BYTE_BITS
) -> PackedConversion | None:
    """Convert four or two bytes, `source` "i8" or "u8", to numbers minus an offset; None if Triton's own is as good.

    Triton's is as good for four signed bytes to bf16. `width`: how many bits of unsigned bytes are not 0.
    """
    binade, is_signed = BINADES.get(target), source == "i8"
    if binade is None or source not in ("i8", "u8") or abs(behind) > MAX_OFFSET:
        return None
    high = 128 if is_signed else 0
    if not binade.has(binade.first + high + behind) or (is_signed and binade.bits < BYTE_BITS):
        return None
    comment = Meaning(SIGNED if is_signed else UNSIGNED, behind=behind).comment
    if binade.bits >= width:
        lines = bytes_by_binade(binade, behind, elements, is_signed=is_signed)
    else:
        lines = unsigned_bytes_to_bf16(behind, elements)
    return of_bytes((comment, *lines), elements)


def convert_field(bits: Bits, target: str, behind: int = 0, elements: int = ELEMENTS) -> PackedConversion | None:
    """Convert a bit field of each of four or two bytes, to numbers minus an offset; None if Triton's own is as good."""
    if bits.is_whole:
        return convert_bytes("i8" if bits.is_signed else "u8", target, behind, elements)
    conversion = convert_bytes("u8", target, behind + bits.sign, elements, bits.mask.bit_length())
    return None if conversion is None else conversion.of_bits(bits)


@lru_cache(maxsize=256)
def convert_numbers(values: Interval, target: str, meaning: Meaning) -> PackedConversion | None:
    """The conversion of integers in an interval; None if they are too large."""
    binade, is_signed = BINADES.get(target), values.low < 0
    if binade is None or not (binade.takes(meaning.before) and binade.takes(meaning.behind)):
        return None
    bits = min(binade.bits, BITS_OF_NUMBERS)
    bias = 1 << bits - 1 if is_signed else 0
    is_small = Interval.of_bits(bits, is_signed=is_signed).holds(values)
    if not is_small or not binade.has(binade.first + bias + meaning.offset):
        return None
    return numbers_by_binade(binade, bits, bias, meaning)


@lru_cache(maxsize=1)
def meanings() -> dict[str, Meaning]:
    """The semantics of the conversions' PTX, for strict mode; for integers, with at most one offset."""
    found = {made.asm: Meaning("tt.fp_to_fp") for made in CONVERSIONS.values()}
    offsets = range(-MAX_OFFSET, MAX_OFFSET + 1)
    for target, op, offset in product(BINADES, (SIGNED, UNSIGNED), offsets):
        behind = Meaning(op, behind=offset)
        source = "i8" if op == SIGNED else "u8"
        made = [(behind, convert_bytes(source, target, offset, elements)) for elements in (ELEMENTS, PAIR)]
        for meaning, low in product((Meaning(op, before=offset), behind), (0, -1)):
            made.append((meaning, convert_numbers(Interval(low, 0), target, meaning)))
        found |= {conversion.asm: meaning for meaning, conversion in made if conversion is not None}
    return found
