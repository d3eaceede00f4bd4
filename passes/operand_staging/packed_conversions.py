"""PTX on packed words: conversions of 8-bit floats to 16 bits, four at a time, and arithmetic on pairs.

Each is bit-identical to Triton's own conversion, for every element. Savings on sm_90:

    f8E4M3FN -> bf16    Triton converts f16 to bf16 one by one: F2F, 16 lanes a cycle; here HADD2.F32 and F2FP, 8 in all
                        (one cvt for a pair from capability 100 on)
    f8E4M3FN -> f16     Triton converts pairs, which have to be cut out of the word first; here two F2FP
    f8E5M2 -> f16       the same, from capability 89 on; before, Triton's byte permutations take the word
    f8E5M2 -> bf16      Triton multiplies in f32, 18; here packed, 10

(CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".)
Products here are exact, so the rounding mode does not matter. Integers are in `packed_integers`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ELEMENTS, PAIR = 4, 2
"""Bytes that are converted at a time, and 16-bit elements in a word."""


@dataclass(frozen=True)
class Bits:
    """A bit field of a byte x, as a number: (x >> shift) & mask. The highest bit of `mask` is a sign if `is_signed`."""

    shift: int
    mask: int
    is_signed: bool = False

    @property
    def sign(self) -> int:
        """The place of the sign, as a mask; 0 without one."""
        return 1 << self.mask.bit_length() - 1 if self.is_signed else 0

    @property
    def is_whole(self) -> bool:
        """Whether the field is the byte itself."""
        return self.mask == BYTE_MASK

    def of_masked(self, mask: int) -> Bits:
        """The same field of x & mask."""
        kept = self.mask & mask >> self.shift
        return Bits(self.shift, kept, bool(kept & self.sign))

    def of_shifted(self, count: int, *, is_signed: bool) -> Bits | None:
        """The same field of x >> count; None if it contains copies of the sign that are not a sign of its own."""
        shift = self.shift + count
        held = BYTE_MASK >> shift
        if not (is_signed and self.mask & ~held):
            return Bits(shift, self.mask & held, bool(held & self.sign))
        is_number = self.is_signed and held and self.mask & held == held
        return Bits(shift, held, is_signed=True) if is_number else None

    def of_shifted_left(self, count: int) -> Bits | None:
        """The same field of x << count; None if it contains zeros from there."""
        return Bits(self.shift - count, self.mask, self.is_signed) if count <= self.shift else None


BYTE_MASK = 0xFF
ALL_BITS = Bits(0, BYTE_MASK)


@dataclass(frozen=True)
class PackedConversion:
    """PTX of a conversion of `elements` elements, for capabilities from `since` to `until`.

    For four bytes, `$0` and `$1` are the results and `$2` is the word; for two elements, `$0` is the word of results.
    """

    lines: tuple[str, ...]
    elements: int
    constraints: str
    since: int = 80
    until: int = 1000

    @property
    def asm(self) -> str:
        """The PTX, in a scope of its own."""
        return "{ " + " ".join(self.lines) + " }"

    def runs_on(self, capability: int) -> bool:
        """Whether the capability has the instructions, and none that are better."""
        return self.since <= capability < self.until

    def of_bits(self, bits: Bits) -> PackedConversion:
        """The conversion of a bit field of each byte, which two instructions extract from all four.

        Signed fields are biased, so that they count up from 0, by flipping the sign bit. (a & b) ^ c: lop3 0x6a.
        """
        assert self.elements == ELEMENTS, "of two bytes, the word is another operand"
        mask, sign = (f"{each * 0x01010101:#010x}" for each in (bits.mask, bits.sign))
        extract = f"lop3.b32 u, u, {mask}, {sign}, 0x6a;" if bits.is_signed else f"and.b32 u, u, {mask};"
        taken = (".reg .b32 u;", f"shr.b32 u, $2, {bits.shift};", extract)
        return replace(self, lines=(*taken, *(line.replace("$2", "u") for line in self.lines)))


def e4m3_to_bf16(elements: int) -> PackedConversion:
    """Through f16 and f32, all three exact."""
    pairs = (
        line
        for result, pair in zip(RESULTS, pairs_of(elements), strict=False)
        for line in (
            f"cvt.rn.f16x2.e4m3x2 w, {pair};",
            "mov.b32 {h0, h1}, w;",
            "cvt.f32.f16 f0, h0;",
            "cvt.f32.f16 f1, h1;",
            f"cvt.rn.bf16x2.f32 {result}, f1, f0;",
        )
    )
    registers = (".reg .b16 h0, h1;", ".reg .b32 w;", ".reg .f32 f0, f1;")
    return of_bytes((*registers, *taken_apart(elements), *pairs), elements, since=89, until=100)


def to_f16(source: str) -> PackedConversion:
    """One instruction per pair; for a single pair, Triton's own is the same."""
    lines = (
        f"cvt.rn.f16x2.{source}x2 {result}, {pair};" for result, pair in zip(RESULTS, pairs_of(ELEMENTS), strict=True)
    )
    return of_bytes((*taken_apart(ELEMENTS), *lines), ELEMENTS, since=89)


def e5m2_to_bf16(elements: int) -> PackedConversion:
    """The bits at their places, times the power of two between the biases, 2^112."""
    word = "mov.b32 w, $2;" if elements == ELEMENTS else "cvt.u32.u16 w, $1;"
    pairs = (
        line
        for result, select in zip(RESULTS[: elements // PAIR], ("0x1404", "0x3424"), strict=False)
        for line in (
            f"prmt.b32 x, w, 0, {select};",
            "shr.b32 a, x, 3;",
            "and.b32 a, a, 0x0fff0fff;",
            "fma.rn.bf16x2 a, a, scale, zero;",
            f"lop3.b32 {result}, x, 0x80008000, a, 0xea;",  # (x & sign) | a
        )
    )
    constants = ("mov.b32 scale, 0x77807780;", "mov.b32 zero, 0;")
    return of_bytes((".reg .b32 w, x, a, scale, zero;", *constants, word, *pairs), elements)


RESULTS = ("$0", "$1")


def pairs_of(elements: int) -> tuple[str, ...]:
    """The 16-bit registers that hold two bytes each."""
    return ("lo", "hi") if elements == ELEMENTS else ("$1",)


def taken_apart(elements: int) -> tuple[str, ...]:
    """Split a word of four bytes into two registers."""
    return (".reg .b16 lo, hi;", "mov.b32 {lo, hi}, $2;") if elements == ELEMENTS else ()


def of_bytes(lines: tuple[str, ...], elements: int, *, since: int = 80, until: int = 1000) -> PackedConversion:
    """A conversion of four bytes or two."""
    constraints = "=r,=r,r" if elements == ELEMENTS else "=r,h"
    return PackedConversion(lines, elements, constraints, since, until)


CONVERSIONS: dict[tuple[str, str, int], PackedConversion] = {
    ("f8E4M3FN", "bf16", ELEMENTS): e4m3_to_bf16(ELEMENTS),
    ("f8E4M3FN", "bf16", PAIR): e4m3_to_bf16(PAIR),
    ("f8E4M3FN", "f16", ELEMENTS): to_f16("e4m3"),
    ("f8E5M2", "f16", ELEMENTS): to_f16("e5m2"),
    ("f8E5M2", "bf16", ELEMENTS): e5m2_to_bf16(ELEMENTS),
    ("f8E5M2", "bf16", PAIR): e5m2_to_bf16(PAIR),
}
"""Conversions, by the element type, the result type, and the number of elements at a time."""


def find_conversion(source: str, target: str, capability: int, elements: int = ELEMENTS) -> PackedConversion | None:
    """The conversion that beats Triton's own on this capability; None if there is none."""
    found = CONVERSIONS.get((source, target, elements))
    return found if found is not None and found.runs_on(capability) else None


ARITHMETIC: dict[tuple[str, str], str] = {
    ("arith.mulf", "f16"): "mul.rn.f16x2 $0, $1, $2;",
    ("arith.addf", "f16"): "add.rn.f16x2 $0, $1, $2;",
    ("arith.subf", "f16"): "sub.rn.f16x2 $0, $1, $2;",
    ("arith.mulf", "bf16"): "{ .reg .b32 zero; mov.b32 zero, 0x80008000; fma.rn.bf16x2 $0, $1, $2, zero; }",
    ("arith.addf", "bf16"): "{ .reg .b32 one; mov.b32 one, 0x3f803f80; fma.rn.bf16x2 $0, $1, one, $2; }",
    ("arith.subf", "bf16"): "{ .reg .b32 minus; mov.b32 minus, 0xbf80bf80; fma.rn.bf16x2 $0, $2, minus, $1; }",
}
"""PTX of an op on pairs, by its name and type. Before capability 90, bf16 has only fma: a product subtracts zero, so
that -0 stays, and a sum multiplies by one."""
