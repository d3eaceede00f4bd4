"""Conversions of 8-bit elements to 16 bits, four at a time: PTX for one word of four bytes and two words of results.

Each gives bit for bit what Triton's own conversion gives, for every byte. What they spare (instructions a word, sm_90):

    f8E4M3FN -> bf16    Triton converts f16 to bf16 one by one: F2F, 16 lanes a cycle; here HADD2.F32 and F2FP, 8 in all
                        (one cvt for a pair from capability 100 on)
    f8E4M3FN -> f16     Triton converts pairs, which have to be cut out of the word first; here two F2FP
    f8E5M2 -> bf16      Triton multiplies in f32, 18; here packed, 10
    i8, u8 -> f16       Triton converts one by one: I2F, 16 lanes a cycle; here 1024 + x by byte permutation, less 1024
    u8 -> bf16          likewise: 128 + the low bits, and 128 or 256 by the high one

(CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; i8 -> bf16 and f8E5M2 -> f16 are packed in
Triton already.) Sums and products here are exact, so that no rounding mode matters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

CONSTRAINTS = "=r,=r,r"
ELEMENTS = 4


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
    """PTX of a conversion: `$0` and `$1` are the results, `$2` the word; for capabilities from `since` to `until`."""

    lines: tuple[str, ...]
    since: int = 80
    until: int = 1000

    @property
    def asm(self) -> str:
        """The PTX, in a scope of its own."""
        return "{ " + " ".join(self.lines) + " }"

    def of_bits(self, bits: Bits) -> PackedConversion:
        """The conversion of some bits of each byte, which two instructions bring down for all four."""
        if bits == ALL_BITS:
            return self
        taken = (".reg .b32 u;", f"shr.b32 u, $2, {bits.shift};", f"and.b32 u, u, {bits.mask * 0x01010101:#010x};")
        return replace(self, lines=(*taken, *(line.replace("$2", "u") for line in self.lines)))


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


def integer_by_f16(flip: str, less: str) -> PackedConversion:
    """To f16: the byte becomes the low bits of 1024 + x, and `less` is taken away. `flip` makes x of signed bytes."""
    return PackedConversion(
        (
            ".reg .b32 w, x, y, c;",
            f"xor.b32 w, $2, {flip};",
            f"mov.b32 c, {less};",
            "prmt.b32 x, w, 0x64646464, 0x4140;",
            "prmt.b32 y, w, 0x64646464, 0x4342;",
            "sub.f16x2 $0, x, c;",
            "sub.f16x2 $1, y, c;",
        )
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
        ".reg .b32 x, y, a, b, one, less;",
        "mov.b32 one, 0x3f803f80;",
        "mov.b32 less, 0xc380c380;",  # -256
        "prmt.b32 x, $2, 0x43434343, 0x4140;",
        "prmt.b32 y, $2, 0x43434343, 0x4342;",
        "and.b32 a, x, 0xff7fff7f;",  # 128 + the low bits
        "and.b32 b, y, 0xff7fff7f;",
        "and.b32 x, x, 0xff80ff80;",  # 128, or 256
        "and.b32 y, y, 0xff80ff80;",
        "fma.rn.bf16x2 a, a, one, less;",
        "fma.rn.bf16x2 b, b, one, less;",
        "fma.rn.bf16x2 $0, x, one, a;",
        "fma.rn.bf16x2 $1, y, one, b;",
    )
)

CONVERSIONS: dict[tuple[str, str], PackedConversion] = {
    ("f8E4M3FN", "bf16"): by_f16("cvt.rn.f16x2.e4m3x2", since=89, until=100),
    ("f8E4M3FN", "f16"): E4M3_TO_F16,
    ("f8E5M2", "bf16"): E5M2_TO_BF16,
    ("i8", "f16"): integer_by_f16("0x80808080", "0x64806480"),
    ("u8", "f16"): integer_by_f16("0", "0x64006400"),
    ("u8", "bf16"): U8_TO_BF16,
}
"""By the types of element and result; u8: the bytes of `arith.uitofp`."""


def find_conversion(source: str, target: str, capability: int) -> PackedConversion | None:
    """The conversion that beats Triton's own on this capability; None where none does."""
    found = CONVERSIONS.get((source, target))
    return found if found is not None and found.since <= capability < found.until else None
