"""What is done on packed words: conversions of 8-bit floats to 16 bits, four at a time, and arithmetic of two.

Each gives bit for bit what Triton's own conversion gives, for every element. What they spare, on sm_90:

    f8E4M3FN -> bf16    Triton converts f16 to bf16 one by one: F2F, 16 lanes a cycle; here HADD2.F32 and F2FP, 8 in all
                        (one cvt for a pair from capability 100 on)
    f8E4M3FN -> f16     Triton converts pairs, which have to be cut out of the word first; here two F2FP
    f8E5M2 -> bf16      Triton multiplies in f32, 18; here packed, 10

(CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; f8E5M2 -> f16 is packed in Triton already.)
Products here are exact, so that no rounding mode matters. Integers are in `packed_integers`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ELEMENTS, PAIR = 4, 2
"""Bytes that are converted at a time, and elements of 16 bits in a word."""


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

    Of four bytes, `$0` and `$1` are the results, `$2` the word; of two elements, `$0` is the word of results.
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
        assert self.elements == ELEMENTS, "of two bytes, the word is another operand"
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

CONVERSIONS: dict[tuple[str, str], PackedConversion] = {
    ("f8E4M3FN", "bf16"): by_f16("cvt.rn.f16x2.e4m3x2", since=89, until=100),
    ("f8E4M3FN", "f16"): E4M3_TO_F16,
    ("f8E5M2", "bf16"): E5M2_TO_BF16,
}
"""By the types of element and result."""


def find_conversion(source: str, target: str, capability: int) -> PackedConversion | None:
    """The conversion that beats Triton's own on this capability; None where none does."""
    found = CONVERSIONS.get((source, target))
    return found if found is not None and found.runs_on(capability) else None


ARITHMETIC: dict[tuple[str, str], str] = {
    ("arith.mulf", "f16"): "mul.rn.f16x2 $0, $1, $2;",
    ("arith.addf", "f16"): "add.rn.f16x2 $0, $1, $2;",
    ("arith.subf", "f16"): "sub.rn.f16x2 $0, $1, $2;",
    ("arith.mulf", "bf16"): "{ .reg .b32 zero; mov.b32 zero, 0x80008000; fma.rn.bf16x2 $0, $1, $2, zero; }",
    ("arith.addf", "bf16"): "{ .reg .b32 one; mov.b32 one, 0x3f803f80; fma.rn.bf16x2 $0, $1, one, $2; }",
    ("arith.subf", "bf16"): "{ .reg .b32 minus; mov.b32 minus, 0xbf80bf80; fma.rn.bf16x2 $0, $2, minus, $1; }",
}
"""PTX of an op on words of two, by its name and type. bf16 has no more than fma before capability 90: a product is less
zero, so that -0 stays, a sum has a factor of one."""
