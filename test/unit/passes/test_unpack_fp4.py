"""Both numbers of every byte, computed with the constants of `unpack-fp4`, agree with the definition of e2m1."""

import numpy as np
import pytest

from dotload.dialect_ext import parse_module
from dotload.passes.unpack_fp4 import FLOATS, MAGNITUDE, SIGNS, UnpackFp4Pass, bits_of

E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""OCP Microscaling Formats 1.0, table 3: by exponent and mantissa, and below their negatives."""
BYTES = np.arange(256, dtype=np.uint32)


def value_of(bits: np.ndarray, mantissa_bits: int, bias: int) -> np.ndarray:
    """The value of a 16-bit float, including subnormals, by IEEE 754's definition."""
    mantissa, exponent = bits & (1 << mantissa_bits) - 1, bits >> mantissa_bits & (1 << 15 - mantissa_bits) - 1
    significand = np.where(exponent == 0, 0.0, 1.0) + mantissa / (1 << mantissa_bits)
    value = np.ldexp(significand, (np.maximum(exponent, 1) - np.uint32(bias)).astype(np.int32))
    return np.where(bits >> 15, -value, value)


@pytest.mark.parametrize(("name", "mantissa_bits", "bias"), [("bf16", 7, 127), ("f16", 10, 15)])
def test_every_byte(name, mantissa_bits, bias):
    """The product with a power of two is exact for both numbers, including signs of zeros."""
    kind = FLOATS[name]
    word = np.zeros_like(BYTES)
    for bits in (bits_of(MAGNITUDE, kind.moved), SIGNS):
        word |= BYTES * np.uint32(bits.factor) & np.uint32(bits.mask)
    for half, number in ((word & 0xFFFF, BYTES & 15), (word >> 16, BYTES >> 4)):
        found = value_of(half, mantissa_bits, bias) * kind.factor
        expected = np.array([-E2M1[each & 7] if each >> 3 else E2M1[each] for each in number.tolist()])
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


LANES = "lane = [[0, {0}], [0, {1}], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []"
BYTES_OF = f"#ttg.linear<{{register = [[0, 8], [8, 0], [0, 4]], {LANES.format(1, 2)}}}>"
APART = f"#ttg.linear<{{register = [[0, 16], [0, 1], [8, 0], [0, 8]], {LANES.format(2, 4)}}}>"
BESIDE = f"#ttg.linear<{{register = [[0, 1], [0, 16], [8, 0], [0, 8]], {LANES.format(2, 4)}}}>"


@pytest.mark.parametrize(("layout", "last"), [(APART, "ttg.convert_layout"), (BESIDE, "tt.reshape")])
def test_numbers_of_a_byte_that_are_wanted_apart_are_brought_there(layout, last):
    """Triton 3.6 wants the two numbers apart for row-major weights; the join puts them next to each other."""
    module = parse_module(f"""
        module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
          tt.func @f(%x: tensor<64x16xi8, {BYTES_OF}>) -> tensor<64x32xbf16, {layout}> {{
            %y = ttg.fp4_to_fp %x {{axis = 1 : i32}} : tensor<64x16xi8, {BYTES_OF}> -> tensor<64x32xbf16, {layout}>
            tt.return %y : tensor<64x32xbf16, {layout}>
          }}
        }}""")
    assert UnpackFp4Pass().rewrite(module)
    (product,) = (op for op in module.walk() if op.name == "arith.mulf")
    assert product.operands[0].owner.name == last
