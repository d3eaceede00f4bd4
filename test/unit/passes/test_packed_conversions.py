"""The PTX of packed conversions is interpreted bit by bit over all bytes, and compared with the meaning of the types.

The interpreter follows the PTX ISA alone; the expected values follow the definitions of the formats (OCP 8-bit floating
point; IEEE 754; bfloat16 is the upper half of a float32).
"""

from __future__ import annotations

import itertools
import math
import re
import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dotload.passes.analysis.intervals import Interval
from dotload.passes.operand_staging.packed_conversions import (
    ALL_BITS,
    CONVERSIONS,
    Bits,
    PackedConversion,
    find_conversion,
)
from dotload.passes.operand_staging.packed_fields import Fields, convert_fields
from dotload.passes.operand_staging.packed_integers import (
    Meaning,
    convert_bytes,
    convert_field,
    convert_numbers,
)

BYTES = range(256)
NAN_16 = 0x7FFF
"""The NaN that `cvt` gives (PTX ISA, cvt: canonical NaN)."""


# The formats


def fp8(byte: int, exponent_bits: int) -> float:
    """The value of an e4m3fn or e5m2 byte."""
    mantissa_bits = 7 - exponent_bits
    sign = -1.0 if byte >> 7 else 1.0
    exponent, mantissa = byte >> mantissa_bits & (1 << exponent_bits) - 1, byte & (1 << mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent_bits == 4 and byte & 0x7F == 0x7F:
        return math.nan
    if exponent_bits == 5 and exponent == 31:
        return sign * math.inf if mantissa == 0 else math.nan
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(1 + mantissa / (1 << mantissa_bits), exponent - bias)


def f16_bits(value: float) -> int:
    """The bits of a value that binary16 can represent; NaN as `cvt` makes it."""
    return NAN_16 if math.isnan(value) else int(np.float16(value).view(np.uint16))


def f16_value(bits: int) -> float:
    return float(np.uint16(bits).view(np.float16))


def f32_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bf16_value(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def bf16_bits(value: float) -> int:
    """The nearest bfloat16, ties to even; NaN as `cvt` makes it."""
    if math.isnan(value):
        return NAN_16
    bits = f32_bits(value)
    assert struct.unpack("<f", struct.pack("<I", bits))[0] == value, "rounded once to f32 already"
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


def e5m2_to_bf16_of_triton(byte: int) -> int:
    """The conversion by Triton's PTX: exponents are increased by 112, so infinities and NaN become numbers."""
    magnitude = (byte & 0x7F) << 8 >> 3
    return bf16_bits(bf16_value(magnitude) * 2.0**112) | (byte >> 7) << 15


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


EXPECTED: dict[tuple[str, str], Callable[[int], int]] = {
    ("f8E4M3FN", "bf16"): lambda byte: bf16_bits(fp8(byte, 4)),
    ("f8E4M3FN", "f16"): lambda byte: f16_bits(fp8(byte, 4)),
    ("f8E5M2", "f16"): lambda byte: f16_bits(fp8(byte, 5)),
    ("f8E5M2", "bf16"): e5m2_to_bf16_of_triton,
}
BITS_OF = {"f16": f16_bits, "bf16": bf16_bits}


# The instructions


def prmt(a: int, b: int, selector: int) -> int:
    pool = a | b << 32
    result = 0
    for place in range(4):
        nibble = selector >> 4 * place & 15
        byte = pool >> 8 * (nibble & 7) & 255
        result |= ((255 if byte & 128 else 0) if nibble & 8 else byte) << 8 * place
    return result


def lop3(a: int, b: int, c: int, table: int) -> int:
    return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))


def by_halves(function: Callable[..., int], *words: int) -> int:
    return function(*(w & 0xFFFF for w in words)) | function(*(w >> 16 for w in words)) << 16


def fma_bf16(a: int, b: int, c: int) -> int:
    product = bf16_value(a) * bf16_value(b)  # exact: 8 bits by 8 bits
    return bf16_bits(product + bf16_value(c))


def cvt_pair(exponent_bits: int) -> Callable[[int], int]:
    return lambda pair: f16_bits(fp8(pair & 255, exponent_bits)) | f16_bits(fp8(pair >> 8, exponent_bits)) << 16


INSTRUCTIONS: dict[str, Callable[..., int]] = {
    "mov.b32": lambda a: a,
    "xor.b32": lambda a, b: a ^ b,
    "or.b32": lambda a, b: a | b,
    "and.b32": lambda a, b: a & b,
    "shr.b32": lambda a, b: a >> b,
    "mul.lo.u32": lambda a, b: a * b & 0xFFFFFFFF,
    "shl.b32": lambda a, b: a << b & 0xFFFFFFFF,
    "prmt.b32": prmt,
    "lop3.b32": lop3,
    "mul.rn.f16x2": lambda a, b: by_halves(lambda x, y: f16_bits(f16_value(x) * f16_value(y)), a, b),
    "add.rn.f16x2": lambda a, b: by_halves(lambda x, y: f16_bits(f16_value(x) + f16_value(y)), a, b),
    "sub.rn.f16x2": lambda a, b: by_halves(lambda x, y: f16_bits(f16_value(x) - f16_value(y)), a, b),
    "sub.f16x2": lambda a, b: by_halves(lambda x, y: f16_bits(f16_value(x) - f16_value(y)), a, b),
    "fma.rn.f16x2": lambda a, b, c: by_halves(
        lambda x, y, z: f16_bits(f16_value(x) * f16_value(y) + f16_value(z)), a, b, c
    ),
    "fma.rn.bf16x2": lambda a, b, c: by_halves(fma_bf16, a, b, c),
    "min.bf16x2": lambda a, b: by_halves(lambda x, y: min(x, y, key=bf16_value), a, b),
    "cvt.u32.u16": lambda a: a,
    "cvt.rn.f16x2.e4m3x2": cvt_pair(4),
    "cvt.rn.f16x2.e5m2x2": cvt_pair(5),
    "cvt.f32.f16": lambda h: f32_bits(f16_value(h)),
    "cvt.rn.bf16x2.f32": lambda high, low: (
        bf16_bits(struct.unpack("<f", struct.pack("<I", low))[0])
        | bf16_bits(struct.unpack("<f", struct.pack("<I", high))[0]) << 16
    ),
}
"""Results come first, and are left out here."""


def run(lines: tuple[str, ...], word: int) -> tuple[int, int]:
    """The values of `$0` and `$1` after the lines, for `$2` = word."""
    registers = run_with(lines, {"$2": word}, {"$0", "$1"})
    return registers["$0"], registers["$1"]


def run_with(lines: tuple[str, ...], given: dict[str, int], results: set[str]) -> dict[str, int]:
    """The values of registers after the lines."""
    registers, declared = dict(given), set(results)
    for line in lines:
        if re.fullmatch(r"/\* .* \*/", line):
            continue
        if declaration := re.fullmatch(r"\.reg \.\w+ (.*);", line):
            assert not declared & set(declaration[1].split(", ")), line
            declared |= set(declaration[1].split(", "))
        elif pair := re.fullmatch(r"mov\.b32 \{(\w+), (\w+)\}, (\$?\w+);", line):
            registers[pair[1]], registers[pair[2]] = registers[pair[3]] & 0xFFFF, registers[pair[3]] >> 16
        else:
            instruction = re.fullmatch(r"(\S+) (.*);", line)
            assert instruction, line
            result, *operands = instruction[2].split(", ")
            assert result in declared, line
            values = [registers[name] if name in registers else int(name, 0) for name in operands]
            registers[result] = INSTRUCTIONS[instruction[1]](*values)
    return registers


def check_bytes(conversion: PackedConversion, expected: list[int]) -> None:
    """Check every byte in every position of a word."""
    for byte in BYTES:
        places = [byte, byte * 7 + 3 & 255, 255 - byte, byte ^ 0x55]
        low, high = run(conversion.lines, sum(each << 8 * place for place, each in enumerate(places)))
        assert [low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16] == [expected[each] for each in places], byte


def two_of(conversion: PackedConversion, byte: int, other: int) -> list[int]:
    """What becomes of two bytes."""
    made = run_with(conversion.lines, {"$1": byte | other << 8}, {"$0"})["$0"]
    return [made & 0xFFFF, made >> 16]


@pytest.mark.parametrize("types", [each[:2] for each in CONVERSIONS if each[2] == 4], ids=" to ".join)
def test_every_float_in_every_place_becomes_what_the_types_say(types: tuple[str, str]) -> None:
    check_bytes(CONVERSIONS[(*types, 4)], [EXPECTED[types](byte) for byte in BYTES])


@pytest.mark.parametrize("types", [each[:2] for each in CONVERSIONS if each[2] == 2], ids=" to ".join)
def test_two_floats_at_a_time(types: tuple[str, str]) -> None:
    conversion = CONVERSIONS[(*types, 2)]
    assert (conversion.elements, conversion.constraints) == (2, "=r,h")
    expected = [EXPECTED[types](byte) for byte in BYTES]
    for byte in BYTES:
        other = byte ^ 0x55
        assert two_of(conversion, byte, other) == [expected[byte], expected[other]]


@pytest.mark.parametrize("types", [("i8", "f16"), ("u8", "f16"), ("u8", "bf16")], ids=" to ".join)
@pytest.mark.parametrize("less", [-128, -127, -8, 0, 1, 8, 127, 128])
def test_every_integer_in_every_place_becomes_the_number_less_the_constant(types: tuple[str, str], less: int) -> None:
    conversion = convert_bytes(*types, less)
    values = [signed(byte) if types[0] == "i8" else byte for byte in BYTES]
    assert conversion is not None
    check_bytes(conversion, [BITS_OF[types[1]](float(value - less)) for value in values])


@pytest.mark.parametrize("types", [("i8", "f16"), ("u8", "f16"), ("u8", "bf16")], ids=" to ".join)
@pytest.mark.parametrize("less", [-128, 0, 128])
def test_two_bytes_at_a_time(types: tuple[str, str], less: int) -> None:
    conversion = convert_bytes(*types, less, 2)
    assert conversion is not None
    assert (conversion.elements, conversion.constraints) == (2, "=r,h")
    values = [signed(byte) if types[0] == "i8" else byte for byte in BYTES]
    for byte in BYTES:
        other = byte ^ 0x55
        expected = [BITS_OF[types[1]](float(values[each] - less)) for each in (byte, other)]
        assert two_of(conversion, byte, other) == expected


def test_bytes_that_triton_packs_itself_and_larger_constants_have_no_packed_conversion() -> None:
    assert convert_bytes("i8", "bf16") is None
    assert convert_bytes("u8", "f32") is None
    assert convert_bytes("i4", "f16") is None
    assert convert_bytes("u8", "f16", 129) is None


@pytest.mark.parametrize("count", range(8))
@pytest.mark.parametrize("mask", [15, 240, 60, 255])
def test_bits_of_masked_and_shifted_bytes(count: int, mask: int) -> None:
    shifted = ALL_BITS.of_shifted(count, is_signed=False)
    assert shifted is not None
    masked = ALL_BITS.of_masked(mask)
    for byte in BYTES:
        inner = shifted.of_masked(mask)  # the mask first, then the shift
        assert byte >> inner.shift & inner.mask == (byte & mask) >> count
        outer = masked.of_shifted(count, is_signed=False)  # the shift first
        assert outer is not None
        assert byte >> outer.shift & outer.mask == byte >> count & mask
        signs = masked.of_shifted(count, is_signed=True)
        if signs is not None:
            assert byte >> signs.shift & signs.mask == signed(byte) >> count & mask
    assert (masked.of_shifted(count, is_signed=True) is None) == bool(mask & ~(255 >> count))


def number_of(bits: Bits, byte: int) -> int:
    """The number that a field of a byte means."""
    field = byte >> bits.shift & bits.mask
    return field - 2 * (field & bits.sign)


SIGNED_BYTE = replace(ALL_BITS, is_signed=True)
STEPS: dict[str, Callable[[int, int], int]] = {
    "masked": lambda byte, count: byte & (0x5A, 0x0F, 0xF0, 0x80, 0xFF)[count % 5],
    "left": lambda byte, count: byte << count & 0xFF,
    "right": lambda byte, count: byte >> count,
    "arithmetic": lambda byte, count: signed(byte) >> count & 0xFF,
}


def of_step(bits: Bits, step: str, count: int) -> Bits | None:
    """The same field of a byte before one mask or shift."""
    if step == "masked":
        return bits.of_masked(STEPS[step](0xFF, count))
    return bits.of_shifted_left(count) if step == "left" else bits.of_shifted(count, is_signed=step == "arithmetic")


@pytest.mark.parametrize("whole", [ALL_BITS, SIGNED_BYTE], ids=["unsigned", "signed"])
@pytest.mark.parametrize("steps", list(itertools.product(STEPS, STEPS, STEPS)), ids="-".join)
def test_a_field_behind_masks_and_shifts_means_what_these_compute(steps: tuple[str, ...], whole: Bits) -> None:
    for counts in itertools.product(range(8), range(0, 8, 2), range(1, 8, 3)):
        bits: Bits | None = whole
        for step, count in zip(reversed(steps), reversed(counts), strict=True):
            bits = None if bits is None else of_step(bits, step, count)
        if bits is None:
            continue
        for byte in (0, 1, 8, 0x5A, 0x7F, 0x80, 0xA5, 0xF7, 0xFF):
            result = byte
            for step, count in zip(steps, counts, strict=True):
                result = STEPS[step](result, count)
            assert number_of(bits, byte) == number_of(whole, result), (counts, byte)


def test_signed_halves_of_bytes_are_fields() -> None:
    upper = SIGNED_BYTE.of_shifted(4, is_signed=True)
    assert upper is not None
    assert upper == Bits(4, 15, is_signed=True)
    assert upper.of_shifted_left(4) == Bits(0, 15, is_signed=True)
    assert ALL_BITS.of_shifted(4, is_signed=True) is None


FIELDS = [
    Bits(0, 15),
    Bits(4, 15),
    Bits(2, 3),
    Bits(0, 15, True),
    Bits(4, 15, True),
    Bits(1, 127, True),
    Bits(7, 1, True),
]


@pytest.mark.parametrize("bits", FIELDS, ids=str)
@pytest.mark.parametrize("target", BITS_OF)
@pytest.mark.parametrize("less", [0, 8])
def test_bits_are_brought_down_for_four_bytes_at_once(bits: Bits, target: str, less: int) -> None:
    conversion = convert_field(bits, target, less)
    assert conversion is not None
    assert "min." not in conversion.asm  # small numbers fit into the mantissa of either type
    expected = [BITS_OF[target](float(number_of(bits, byte) - less)) for byte in BYTES]
    check_bytes(conversion, expected)


def test_whole_bytes_are_fields_too() -> None:
    assert convert_field(ALL_BITS, "f16", 8) == convert_bytes("u8", "f16", 8)
    assert convert_field(SIGNED_BYTE, "f16", 8) == convert_bytes("i8", "f16", 8)
    assert convert_field(SIGNED_BYTE, "bf16") is None


EITHER_SIGN = {"f16": Interval(-128, 127), "bf16": Interval(-64, 63)}
POSITIVE = {"f16": Interval(0, 255), "bf16": Interval(0, 127)}


@pytest.mark.parametrize("target", BITS_OF)
@pytest.mark.parametrize("offset", [-128, -1, 0, 8, 64, 128])
@pytest.mark.parametrize("intervals", [EITHER_SIGN, POSITIVE], ids=["signed", "unsigned"])
def test_every_small_integer_becomes_the_number_less_the_offset(
    target: str, offset: int, intervals: dict[str, Interval]
) -> None:
    values = intervals[target]
    conversion = convert_numbers(values, target, Meaning("arith.sitofp", offset - offset // 2, offset // 2))
    assert conversion is not None
    for number in range(values.low, values.high + 1):
        other = values.high + values.low - number
        held = {"$1": number & 0xFFFFFFFF, "$2": other & 0xFFFFFFFF}
        word = run_with(conversion.lines, held, {"$0"})["$0"]
        assert [word & 0xFFFF, word >> 16] == [BITS_OF[target](float(each - offset)) for each in (number, other)]


PLAIN = Meaning("arith.sitofp")
FIRST = {"f16": 1024, "bf16": 128}


@pytest.mark.parametrize("target", BITS_OF)
def test_conversions_that_are_subtracted_are_larger_by_the_first_number_of_a_binade(target: str) -> None:
    """Two instructions fewer; fields of one integer and of two, and other integers."""
    first = FIRST[target]
    integers = convert_numbers(POSITIVE[target], target, Meaning("arith.sitofp", behind=-first))
    assert integers is not None
    assert "sub" not in integers.asm
    for number in range(POSITIVE[target].high + 1):
        word = run_with(integers.lines, {"$1": number, "$2": 5}, {"$0"})["$0"]
        assert [word & 0xFFFF, word >> 16] == [BITS_OF[target](float(each + first)) for each in (number, 5)]
    for distance in (0, 4, 16):
        fields = convert_fields(Fields(15, distance, -first), target)
        assert fields is not None
        for word in (0x12345678, 0xFEDCBA98):
            made = run_with(fields.lines, {"$1": word, "$2": word, "$3": 4, "$4": 4 + distance}, {"$0"})["$0"]
            found = [float(first + (word >> place & 15)) for place in (4, 4 + distance)]
            assert [made & 0xFFFF, made >> 16] == [BITS_OF[target](each) for each in found]


@pytest.mark.parametrize("target", BITS_OF)
def test_larger_integers_and_offsets_have_no_packed_conversion(target: str) -> None:
    for values in (EITHER_SIGN[target], POSITIVE[target]):
        assert convert_numbers(Interval(values.low, values.high + 1), target, PLAIN) is None
        assert convert_numbers(values, target, Meaning("arith.sitofp", 129)) is None
        assert convert_numbers(values, target, Meaning("arith.sitofp", behind=129)) is None
    assert convert_numbers(Interval(EITHER_SIGN[target].low - 1, 0), target, PLAIN) is None
    assert convert_numbers(Interval(0, 1), "f32", PLAIN) is None


@pytest.mark.parametrize("target", BITS_OF)
@pytest.mark.parametrize("mask", [1, 3, 15, 31, 127, 255])
@pytest.mark.parametrize("distance", [1, 2, 4, 7, 8, 10, 16])
@pytest.mark.parametrize(("highest", "in_bytes"), [(None, False), (None, True), (255, False), (255, True), (63, False)])
def test_two_fields_of_an_integer(
    target: str, mask: int, distance: int, highest: int | None, *, in_bytes: bool
) -> None:
    conversion = convert_fields(Fields(mask, distance, 8, highest, in_bytes), target)
    assert (conversion is None) == (mask == 255 and target == "bf16")
    if conversion is None:
        return
    most = 0xFFFFFFFF if highest is None else highest
    for word in {0x12345678 & most, 0xFEDCBA98 & most, 0x0F1E2D3C & most, most, 1, 5, 33}:
        for shift in range(0, 32 - distance - mask.bit_length() + 1, 8 if in_bytes else 3):
            held = {"$1": word, "$2": word, "$3": shift, "$4": shift + distance}
            made = run_with(conversion.lines, held, {"$0"})["$0"]
            fields = [word >> place & mask for place in (shift, shift + distance)]
            assert [made & 0xFFFF, made >> 16] == [BITS_OF[target](float(each - 8)) for each in fields]


@pytest.mark.parametrize("target", BITS_OF)
@pytest.mark.parametrize("mask", [1, 3, 15, 127, 255])
def test_the_same_field_of_two_integers(target: str, mask: int) -> None:
    conversion = convert_fields(Fields(mask, 0, 8), target)
    assert (conversion is None) == (mask == 255 and target == "bf16")
    if conversion is None:
        return
    words = [0x12345678, 0xFEDCBA98, 0x0F1E2D3C, 0xFFFFFFFF, 0]
    for first, second in itertools.product(words, words):
        for place in (each for each in range(32) if each % 8 + mask.bit_length() <= 8):
            made = run_with(conversion.lines, {"$1": first, "$2": second, "$3": place, "$4": place}, {"$0"})["$0"]
            fields = [word >> place & mask for word in (first, second)]
            assert [made & 0xFFFF, made >> 16] == [BITS_OF[target](float(each - 8)) for each in fields]


def test_fields_that_lie_too_far_apart_or_are_too_large_are_none() -> None:
    assert convert_fields(Fields(15, 17), "f16") is None
    assert convert_fields(Fields(15, -4), "f16") is None
    assert convert_fields(Fields(256, 8), "f16") is None
    assert convert_fields(Fields(255, 8), "bf16") is None
    assert convert_fields(Fields(15, 4, 129), "bf16") is None


def test_the_interpreter_sees_a_wrong_permutation() -> None:
    conversion = convert_bytes("i8", "f16")
    assert conversion is not None
    lines = tuple(line.replace("0x4140", "0x4141") for line in conversion.lines)
    assert run(lines, 0x04030201)[0] != run(conversion.lines, 0x04030201)[0]


@pytest.mark.parametrize(
    ("types", "capability", "found"),
    [
        (("f8E4M3FN", "bf16"), 80, False),
        (("f8E4M3FN", "bf16"), 89, True),
        (("f8E4M3FN", "bf16"), 100, False),
        (("f8E5M2", "bf16"), 80, True),
        (("f8E5M2", "f16"), 80, False),
        (("f8E5M2", "f16"), 89, True),
    ],
)
def test_a_conversion_is_found_where_it_beats_tritons(types: tuple[str, str], capability: int, *, found: bool) -> None:
    assert (find_conversion(*types, capability) is not None) == found
