"""Swizzle atoms, canonical layouts and the choice of a mode agree with the PTX ISA's tables and the blog's figures."""

import itertools
import re

import pytest
from canonical import Canonical

from dotload.layout.cute import CuteLayout, Swizzle
from dotload.layout.linear import LayoutError
from dotload.layout.swizzle import (
    Atom,
    AtomOrder,
    Major,
    Mode,
    Tile,
    canonical_formula,
    request_bytes,
)

K, MN = Major.K, Major.MN
NONE, B32, B64, B128 = Mode.NONE, Mode.B32, Mode.B64, Mode.B128

# PTX ISA Table 38, in units of 128-bit elements, written as there: M/N first, then K.
TABLE_38 = {
    (B128, MN): (8, 8), (B128, K): (8, 8),
    (B64, MN): (4, 8), (B64, K): (8, 4),
    (B32, MN): (2, 8), (B32, K): (8, 2),
    (NONE, MN): (1, 8), (NONE, K): (8, 1),
}  # fmt: skip

# PTX ISA, "Canonical Layouts".
CANONICAL = {
    (MN, NONE): "Swizzle<0,4,3> o ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))",
    (MN, B32): "Swizzle<1,4,3> o ((T,2,m),(8,k)):((1,T,LBO),(2T,SBO))",
    (MN, B64): "Swizzle<2,4,3> o ((T,4,m),(8,k)):((1,T,LBO),(4T,SBO))",
    (MN, B128): "Swizzle<3,4,3> o ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO))",
    (K, NONE): "Swizzle<0,4,3> o ((8,m),(T,2k)):((1T,SBO),(1,LBO))",
    (K, B32): "Swizzle<1,4,3> o ((8,m),(T,2k)):((2T,SBO),(1,T))",
    (K, B64): "Swizzle<2,4,3> o ((8,m),(T,2k)):((4T,SBO),(1,T))",
    (K, B128): "Swizzle<3,4,3> o ((8,m),(T,2k)):((8T,SBO),(1,T))",
}

# The chunk orders that the swizzle blog draws, one line per 128 bytes of shared memory; chunk = line * width/16 + q.
CHUNK_ORDERS = {
    NONE: ["0 1 2 3 4 5 6 7"],
    B32: ["0 1 2 3 4 5 6 7", "9 8 11 10 13 12 15 14"],
    B64: ["0 1 2 3 4 5 6 7", "9 8 11 10 13 12 15 14", "18 19 16 17 22 23 20 21", "27 26 25 24 31 30 29 28"],
    B128: [
        "0 1 2 3 4 5 6 7",
        "9 8 11 10 13 12 15 14",
        "18 19 16 17 22 23 20 21",
        "27 26 25 24 31 30 29 28",
        "36 37 38 39 32 33 34 35",
        "45 44 47 46 41 40 43 42",
        "54 55 52 53 50 51 48 49",
        "63 62 61 60 59 58 57 56",
    ],
}


@pytest.mark.parametrize(("mode", "major"), TABLE_38)
@pytest.mark.parametrize("bits", [4, 8, 16, 32, 64, 128])
def test_table_38(mode: Mode, major: Major, bits: int) -> None:
    mn, k = TABLE_38[(mode, major)]
    factor = 128 // bits  # "multiplied along the leading dimension"
    expected = (mn, k * factor) if major is K else (mn * factor, k)
    assert Atom(major, mode, bits).shape == expected


def test_the_manuals_tf32_example_is_32_by_8() -> None:
    assert Atom(MN, B128, 32).shape == (32, 8)


@pytest.mark.parametrize(("major", "mode"), CANONICAL)
def test_the_canonical_table_comes_from_one_formula(major: Major, mode: Mode) -> None:
    assert canonical_formula(major, mode) == CANONICAL[(major, mode)]


@pytest.mark.parametrize("major", Major)
@pytest.mark.parametrize("mode", Mode)
def test_chunk_orders_of_all_eight_layouts(major: Major, mode: Mode) -> None:
    expected = [int(chunk) for line in CHUNK_ORDERS[mode] for chunk in line.split()]
    assert Atom(major, mode, 16).chunk_order() == expected


@pytest.mark.parametrize(("major", "mode", "bits"), list(itertools.product(Major, Mode, [4, 8, 16, 32, 64])))
def test_every_atom_byte_by_byte(major: Major, mode: Mode, bits: int) -> None:
    """The rule of the module's table as plain arithmetic: chunk q of line r lies at q ^ (r / (128 / width) mod W)."""
    atom = Atom(major, mode, bits)
    to_offset = Tile(atom, atom.shape).to_linear_layout().invert()
    for mn, k in itertools.product(range(atom.shape[0]), range(atom.shape[1])):
        line, along = (mn, k) if major is K else (k, mn)
        chunk, inside = divmod(along, atom.chunk)
        stored = chunk ^ (line // (128 // mode.width_bytes) % mode.chunks if mode is not NONE else 0)
        expected = line * mode.chunks * atom.chunk + stored * atom.chunk + inside
        assert to_offset.apply({"dim0": mn, "dim1": k}) == {"offset": expected}


@pytest.mark.parametrize("atomicity", [16, 32, 64])
def test_coarser_atomicity_keeps_its_bytes_together(atomicity: int) -> None:
    atom = Atom(K, B128, 8, atomicity)
    to_offset = Tile(atom, atom.shape).to_linear_layout().invert()
    for row, start in itertools.product(range(8), range(0, 128, atomicity)):
        offsets = [to_offset.apply({"dim0": row, "dim1": start + i})["offset"] for i in range(atomicity)]
        assert offsets == list(range(offsets[0], offsets[0] + atomicity))
        assert offsets[0] == row * 128 + (start // atomicity ^ row % (128 // atomicity)) * atomicity


def test_coarser_atomicity_exists_in_the_128b_mode_only() -> None:
    with pytest.raises(LayoutError, match="no 64B swizzle of 32-byte atomicity"):
        Atom(K, B64, 8, 32)


# The exact layouts of figures 166 to 170 (figure 167 corrected below), with their element and address counts.
FIGURES = {
    166: (Canonical(K, NONE, 32, 2, 4, 256, 128), "Swizzle<0,4,3> o ((8,2),(4,4)):((4,32),(1,64))", 256),
    168: (Canonical(MN, NONE, 16, 2, 2, 256, 128), "Swizzle<0,4,3> o ((8,1,2),(8,2)):((1,8,64),(8,128))", 256),
    169: (Canonical(MN, B32, 16, 2, 2, 256, 512), "Swizzle<1,4,3> o ((8,2,2),(8,2)):((1,8,128),(16,256))", 512),
    170: (Canonical(MN, B64, 16, 2, 2, 512, 1024), "Swizzle<2,4,3> o ((8,4,2),(8,2)):((1,8,256),(32,512))", 1024),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_the_exact_layouts_of_the_figures(figure: int) -> None:
    canonical, text, elements = FIGURES[figure]
    canonical.check()
    assert str(canonical.cute) == text
    assert canonical.cute.distinct_offsets == elements


def test_the_manuals_figure_167_is_no_layout() -> None:
    """The manual prints k = 2 for the 32B swizzle: four chunks of stride T along k in lines two chunks wide."""
    printed = Canonical(K, B32, 32, 2, 4, 16, 256)
    assert str(printed.cute) == "Swizzle<1,4,3> o ((8,2),(4,4)):((8,64),(1,4))"
    assert printed.cute.distinct_offsets == 136  # for 256 coordinates
    with pytest.raises(LayoutError, match="chunk 2 of a row is chunk 0 of the next"):
        printed.check()
    right = Canonical(K, B32, 32, 2, 2, 16, 256)
    assert str(right.cute) == "Swizzle<1,4,3> o ((8,2),(4,2)):((8,64),(1,4))"
    assert right.cute.distinct_offsets == 128
    right.check()


@pytest.mark.parametrize(("mode", "most"), [(B32, 2), (B64, 4), (B128, 8)])
def test_a_swizzled_line_holds_this_many_chunks_along_k(mode: Mode, most: int) -> None:
    stride = 8 * mode.width_bytes
    Canonical(K, mode, 16, 4, most, 16, stride).check()
    with pytest.raises(LayoutError, match="do not fit in a line"):
        Canonical(K, mode, 16, 4, most + 1, 16, stride).check()


def test_without_a_swizzle_the_chunks_along_k_have_their_own_stride() -> None:
    Canonical(K, NONE, 16, 4, 8, 512, 128).check()
    with pytest.raises(LayoutError, match="share"):
        Canonical(K, NONE, 16, 4, 2, 128, 128).check()


@pytest.mark.parametrize("order", AtomOrder)
def test_tiles_of_several_atoms_in_both_orders(order: AtomOrder) -> None:
    """The blog's 16 x 64-byte tile: 2 x 2 atoms of the 32B swizzle."""
    atom = Atom(K, B32, 16)
    to_offset = Tile(atom, (16, 32), order).to_linear_layout().invert()
    starts = {
        (i, j): to_offset.apply({"dim0": 8 * i, "dim1": 16 * j})["offset"] * 2 // atom.size_bytes
        for i in range(2)
        for j in range(2)
    }
    if order is AtomOrder.K_FIRST:  # row-major atoms: 0 1 / 2 3
        assert starts == {(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 3}
    else:
        assert starts == {(0, 0): 0, (1, 0): 1, (0, 1): 2, (1, 1): 3}


@pytest.mark.parametrize(("major", "mode", "order"), list(itertools.product(Major, Mode, AtomOrder)))
def test_a_tile_and_its_expression_are_the_same(major: Major, mode: Mode, order: AtomOrder) -> None:
    atom = Atom(major, mode, 16)
    tile = Tile(atom, (atom.shape[0] * 2, atom.shape[1] * 4), order)
    to_offset = tile.to_linear_layout().invert()
    for coordinate, offset in tile.cute.offsets():
        assert to_offset.apply({"dim0": coordinate[0], "dim1": coordinate[1]}) == {"offset": offset}


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("mode", [B32, B64, B128])
def test_libtritons_nvmma_shared_is_a_tile_of_atoms(mode: Mode, bits: int) -> None:
    """Triton places the atoms of one column below each other: m or n first. An independent implementation."""
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    tile = Tile(Atom(K, mode, bits), (32, 2 * mode.width_bytes * 8 // bits), AtomOrder.MN_FIRST)
    printed = gluon.NVMMASharedLayout(mode.value, bits, 2)
    if not hasattr(printed, "format_hardware_view"):
        pytest.skip("this Triton has no layout views")
    lines = [line for line in printed.format_hardware_view(list(tile.shape)).splitlines() if line.startswith("Offset")]
    pattern = re.compile(r"Offset: (\d+) -> \( *(\d+), *(\d+)\)")
    found = [tuple(map(int, pattern.match(line).groups())) for line in lines]
    layout = tile.to_linear_layout()
    assert found == [(offset, *layout.apply({"offset": offset}).values()) for offset in range(len(found))]
    assert len(found) == tile.shape[0] * tile.shape[1]


def test_a_tile_of_three_atoms_is_an_expression_but_not_linear() -> None:
    tile = Tile(Atom(K, B128, 16), (24, 64))
    assert str(tile.cute) == "Swizzle<3,4,3> o ((8,3),(8,8,1)):((64,512),(1,8,1536))"
    assert tile.cute.distinct_offsets == 24 * 64
    with pytest.raises(LayoutError, match="24 is not a power of two"):
        tile.to_linear_layout()


def test_a_shape_that_the_atom_does_not_tile_is_refused() -> None:
    with pytest.raises(LayoutError, match="48 elements along k are not a whole number of 128B swizzle atoms of 64"):
        Tile(Atom(K, B128, 16), (64, 48))


# Global memory


@pytest.mark.parametrize("major", Major)
@pytest.mark.parametrize(("mode", "request_size"), [(NONE, 16), (B32, 32), (B64, 64), (B128, 128)])
def test_the_blogs_global_request_sizes(major: Major, mode: Mode, request_size: int) -> None:
    assert request_bytes(Atom(major, mode, 16)) == request_size


# CuTe expressions


def test_the_blogs_tv_layout_and_its_inverse() -> None:
    tv = CuteLayout(((4, 8), (2, 2)), ((32, 1), (16, 8)), 16)
    inverse = CuteLayout(((8, 2), (2, 4)), ((4, 64), (32, 1)), 16)
    assert str(tv) == "((4,8),(2,2)):((32,1),(16,8))"
    for (thread, value), place in tv.offsets():
        m, k = place % 16, place // 16
        assert inverse.offset(m, k) == thread + 32 * value


def test_swizzle_is_its_own_inverse_and_repeats() -> None:
    for bits in range(4):
        swizzle = Swizzle(bits, 4, 3)
        assert swizzle.period_bytes == 128 << bits
        for address in range(0, 4096, 8):
            assert swizzle(swizzle(address)) == address
            assert swizzle(address + swizzle.period_bytes) == swizzle(address) + swizzle.period_bytes


def test_bad_expressions_are_refused() -> None:
    with pytest.raises(LayoutError, match="do not match"):
        CuteLayout(((8, 2), (4,)), ((4, 32), (1, 64)), 32)
    with pytest.raises(LayoutError, match="needs 0 <= bits <= shift"):
        Swizzle(4, 4, 3)
    with pytest.raises(LayoutError, match="leaves holes"):
        CuteLayout((8, 8), (16, 1), 16).to_linear_layout()
