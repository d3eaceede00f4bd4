"""The wgmma matrix descriptor agrees with the worked examples of the PTX ISA and with its own inverse."""

import itertools
import random

import pytest
from canonical import Canonical

from dotload.layout.descriptors import DescriptorError, MatrixDescriptor, describe, describe_tile, read_layout
from dotload.layout.encodings import NvmmaShared
from dotload.layout.fragments import ELEMENT_BITS, WGMMA_TYPES, wgmma_k
from dotload.layout.linear import LinearLayout
from dotload.layout.swizzle import Atom, AtomOrder, Major, Mode, Tile

K, MN = Major.K, Major.MN
NONE, B32, B64, B128 = Mode.NONE, Mode.B32, Mode.B64, Mode.B128


# The LBO and SBO fields printed with figures 166 to 170. One instruction reads 2 chunks (K-major) of figure 166's 4.
@pytest.mark.parametrize(
    ("canonical", "k", "leading_field", "stride_field"),
    [
        (Canonical(K, NONE, 32, 2, 4, 256, 128), 8, 16, 8),
        (Canonical(K, B32, 32, 2, 2, 16, 256), 8, 1, 16),
        (Canonical(MN, NONE, 16, 2, 2, 256, 128), 16, 16, 8),
        (Canonical(MN, B32, 16, 2, 2, 256, 512), 16, 16, 32),
        (Canonical(MN, B64, 16, 2, 2, 512, 1024), 16, 32, 64),
        (Canonical(MN, B128, 16, 2, 2, 1024, 2048), 16, 64, 128),
    ],
    ids=["166", "167-corrected", "168", "169", "170", "mn-128B"],
)
def test_the_figures_offsets_are_read_back_from_the_layout(
    canonical: Canonical, k: int, leading_field: int, stride_field: int
) -> None:
    forms = read_layout(canonical.cute.to_linear_layout(), canonical.element_bits, k)
    form = next(f for f in forms if (f.major, f.mode) == (canonical.major, canonical.mode))
    descriptor = MatrixDescriptor(0, form.leading_bytes, form.stride_bytes, form.mode).encode()
    assert descriptor >> 16 & 0x3FFF == leading_field
    assert descriptor >> 32 & 0x3FFF == stride_field


@pytest.mark.parametrize(
    ("mode", "expected"), [(B128, 0x4000004000010040), (B64, 0x8000002000010040), (B32, 0xC000001000010040)]
)
def test_dense_k_major_descriptors(mode: Mode, expected: int) -> None:
    atom = Atom(K, mode, 16)
    descriptor = describe_tile(Tile(atom, (64, atom.shape[1])), "f16", "A", 0x400)
    assert descriptor.encode() == expected
    assert f"{expected:#018x}" in descriptor.explain()


def test_encode_and_decode_are_inverse() -> None:
    rng = random.Random(3)
    for mode in Mode:
        for _ in range(50):
            fields = [16 * rng.randrange(1 << 14) for _ in range(3)]
            descriptor = MatrixDescriptor(*fields, mode, 0 if mode is NONE else rng.randrange(8))
            assert MatrixDescriptor.decode(descriptor.encode()) == descriptor


@pytest.mark.parametrize(
    ("dtype", "major", "mode", "order"), list(itertools.product(WGMMA_TYPES, Major, Mode, AtomOrder))
)
def test_a_described_tile_is_where_the_descriptor_says(dtype: str, major: Major, mode: Mode, order: AtomOrder) -> None:
    """Every byte address is recomputed from the descriptor alone, by the manual's canonical formulas."""
    bits = ELEMENT_BITS[dtype]
    atom = Atom(major, mode, bits)
    k = wgmma_k(dtype)
    tile = Tile(atom, (max(128, atom.shape[0]), max(2 * k, atom.shape[1])), order)
    if major is MN and bits != 16:
        with pytest.raises(DescriptorError, match="only f16 and bf16"):
            describe_tile(tile, dtype)
        return
    to_offset = tile.to_linear_layout().invert()
    swizzle = mode.swizzle()
    for k_start in range(0, tile.shape[1], k):
        descriptor = describe_tile(tile, dtype, "B", 0x2000, k_start)
        for mn, step in itertools.product(range(0, tile.shape[0], 3), range(k)):
            address = read_by_hand(descriptor, major, mode, bits, mn, step)
            expected = 0x2000 + to_offset.apply({"dim0": mn, "dim1": k_start + step})["offset"] * bits // 8
            assert swizzle(address) == expected


def read_by_hand(descriptor: MatrixDescriptor, major: Major, mode: Mode, bits: int, mn: int, k: int) -> int:
    """The byte address before the swizzle, by the tables of the PTX ISA."""
    size, chunk = bits // 8, 128 // bits
    lbo, sbo, start = descriptor.leading_bytes, descriptor.stride_bytes, descriptor.start_address
    width = max(16, mode.value)
    if major is K:
        step = lbo if mode is NONE else 16
        return start + mn // 8 * sbo + mn % 8 * width + k // chunk * step + k % chunk * size
    per_line = width // size
    outer, k_outer = (sbo, lbo) if mode is NONE else (lbo, sbo)
    return start + mn // per_line * outer + mn % per_line * size + k // 8 * k_outer + k % 8 * width


@pytest.mark.parametrize("width", [32, 64, 128])
@pytest.mark.parametrize("dtype", ["e4m3", "f16", "tf32"])
def test_tritons_nvmma_shared_is_readable(width: int, dtype: str) -> None:
    bits = ELEMENT_BITS[dtype]
    columns = 128 * 8 // bits
    layout = NvmmaShared(width, False, bits).to_linear_layout((64, columns)).restrict(["offset"], ["dim0", "dim1"])
    descriptor = describe(layout, dtype, "A")
    assert (descriptor.mode.value, descriptor.stride_bytes) == (width, 8 * width)


def test_plain_row_major_is_not_readable() -> None:
    """Triton's width 0 is row-major over the tile, not the interleaved layout that the hardware means by none."""
    row_major = LinearLayout.from_bases(
        {"offset": [(0, 1 << i) for i in range(6)] + [(1 << i, 0) for i in range(6)]}, {"dim0": 64, "dim1": 64}
    )
    with pytest.raises(DescriptorError, match="none of the eight canonical forms"):
        describe(row_major, "f16", "A")


REFUSED = [
    (lambda: MatrixDescriptor(8, 16, 16, NONE), "start address 8 is not a multiple of 16 bytes"),
    (lambda: MatrixDescriptor(1 << 18, 16, 16, NONE), "start address 262144 is out of range"),
    (lambda: MatrixDescriptor(0, -16, 16, NONE), "leading byte offset -16 is out of range"),
    (lambda: MatrixDescriptor(0, 16, 24, NONE), "stride byte offset 24 is not a multiple"),
    (lambda: MatrixDescriptor(0, 16, 16, B128, 8), "base offset 8 is out of range"),
    (lambda: MatrixDescriptor(0, 16, 16, NONE, 1), "no meaning without a swizzle"),
    (lambda: MatrixDescriptor.decode(1 << 46), "reserved bits"),
    (lambda: MatrixDescriptor.decode(1 << 64), "does not fit in 64 bits"),
    (lambda: describe_tile(Tile(Atom(K, B128, 64), (64, 16)), "f64"), "wgmma reads f16"),
    (lambda: describe_tile(Tile(Atom(K, B128, 16), (32, 64)), "f16", "A"), "wgmma reads 64 rows of A"),
    (lambda: describe_tile(Tile(Atom(K, B128, 16), (64, 64)), "f16", "D"), "operand D"),
    (lambda: describe_tile(Tile(Atom(K, B128, 16), (64, 64)), "f16", "A", 0, 8), "cannot start at 8 of 64"),
    (lambda: describe_tile(Tile(Atom(K, B128, 16, 32), (64, 64)), "f16"), "16-byte atomicity only"),
    (lambda: describe_tile(Tile(Atom(K, B128, 8), (64, 128)), "f16"), "f16 has 16 bits, the atom has 8"),
]


@pytest.mark.parametrize(("build", "rule"), REFUSED, ids=[rule for _, rule in REFUSED])
def test_what_is_refused_and_why(build: object, rule: str) -> None:
    assert callable(build)
    with pytest.raises(DescriptorError, match=rule):
        build()


def test_a_pattern_off_its_period_gets_a_base_offset() -> None:
    tile = Tile(Atom(K, B128, 16), (64, 64))
    assert describe_tile(tile, "f16", "A", 0x400).base_offset == 0
    assert describe_tile(tile, "f16", "A", 0x480).base_offset == 1
