"""Fragments agree with the PTX ISA's per-element formulas, restated here with divisions instead of bases."""

import itertools

import pytest

from dotload.layout.encodings import DotOperand, NvidiaMma
from dotload.layout.fragments import (
    ELEMENT_BITS,
    MMA_SHAPES,
    WGMMA_TYPES,
    MatrixMove,
    mma_fragment,
    wgmma_a_fragment,
    wgmma_accumulator,
    wgmma_k,
)
from dotload.layout.linear import LayoutError

EVERY = [(dtype, shape) for dtype, shapes in MMA_SHAPES.items() for shape in shapes]

# (shape, bits) -> A's (row, k) and B's k for element i, with g = lane / 4 and c = lane mod 4: PTX ISA, figures of the
# matrix fragments for mma.m16n8k4 to mma.m16n8k32.
A_TABLE = {
    ((16, 8, 8), 16): lambda i, g, c: (g + 8 * (i >= 2), 2 * c + (i & 1)),
    ((16, 8, 16), 16): lambda i, g, c: (g + 8 * (i >> 1 & 1), 2 * c + (i & 1) + 8 * (i >> 2)),
    ((16, 8, 4), 32): lambda i, g, c: (g + 8 * i, c),
    ((16, 8, 8), 32): lambda i, g, c: (g + 8 * (i & 1), c + 4 * (i >> 1)),
    ((16, 8, 16), 8): lambda i, g, c: (g + 8 * (i >> 2), 4 * c + (i & 3)),
    ((16, 8, 32), 8): lambda i, g, c: (g + 8 * (i >> 2 & 1), 4 * c + (i & 3) + 16 * (i >> 3)),
    ((16, 8, 64), 4): lambda i, g, c: (g + 8 * (i >> 3 & 1), 8 * c + (i & 7) + 32 * (i >> 4)),
    ((16, 8, 256), 1): lambda i, g, c: (g + 8 * (i >> 5 & 1), 32 * c + (i & 31) + 128 * (i >> 6)),
    ((8, 8, 4), 64): lambda i, g, c: (g, c),
    ((16, 8, 8), 64): lambda i, g, c: (g + 8 * (i & 1), c + 4 * (i >> 1)),
}
B_TABLE = {
    ((16, 8, 8), 16): lambda i, c: 2 * c + i,
    ((16, 8, 16), 16): lambda i, c: 2 * c + (i & 1) + 8 * (i >> 1),
    ((16, 8, 4), 32): lambda i, c: c,
    ((16, 8, 8), 32): lambda i, c: c + 4 * i,
    ((16, 8, 16), 8): lambda i, c: 4 * c + i,
    ((16, 8, 32), 8): lambda i, c: 4 * c + (i & 3) + 16 * (i >> 2),
    ((16, 8, 64), 4): lambda i, c: 8 * c + (i & 7) + 32 * (i >> 3),
    ((16, 8, 256), 1): lambda i, c: 32 * c + (i & 31) + 128 * (i >> 5),
    ((8, 8, 4), 64): lambda i, c: c,
    ((16, 8, 8), 64): lambda i, c: c + 4 * i,
}


@pytest.mark.parametrize(("dtype", "shape"), EVERY)
def test_fragments_hold_the_whole_operand_once(dtype: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    for operand, extents in (("A", (m, k)), ("B", (k, n)), ("C", (m, n))):
        layout = mma_fragment(operand, shape, dtype)
        assert tuple(layout.out_sizes.values()) == extents
        back = layout.invert()
        for lane, register in itertools.product(range(32), range(layout.in_sizes["register"])):
            assert back.apply(layout.apply({"register": register, "lane": lane})) == {
                "register": register,
                "lane": lane,
            }


@pytest.mark.parametrize(("dtype", "shape"), EVERY)
def test_fragments_follow_the_manuals_formulas(dtype: str, shape: tuple[int, int, int]) -> None:
    key = (shape, ELEMENT_BITS[dtype])
    c_fragment = mma_fragment("C", shape, dtype)
    for lane in range(32):
        g, c = divmod(lane, 4)
        for i in range(c_fragment.in_sizes["register"]):
            place = c_fragment.apply({"register": i, "lane": lane})
            assert (place["dim0"], place["dim1"]) == (g + 8 * (i >> 1), 2 * c + (i & 1))
        if key in A_TABLE:
            a_fragment, b_fragment = mma_fragment("A", shape, dtype), mma_fragment("B", shape, dtype)
            for i in range(a_fragment.in_sizes["register"]):
                place = a_fragment.apply({"register": i, "lane": lane})
                assert (place["dim0"], place["dim1"]) == A_TABLE[key](i, g, c)
            for i in range(b_fragment.in_sizes["register"]):
                place = b_fragment.apply({"register": i, "lane": lane})
                assert (place["dim0"], place["dim1"]) == (B_TABLE[key](i, c), g)


@pytest.mark.parametrize(("dtype", "k_width", "k"), [("tf32", 1, 8), ("f16", 2, 16), ("s8", 4, 32)])
def test_fragments_are_tritons_dot_operands(dtype: str, k_width: int, k: int) -> None:
    parent = NvidiaMma(2, 0, (1, 1), (16, 8))
    for operand, index, shape in (("A", 0, (16, k)), ("B", 1, (k, 8))):
        triton = (
            DotOperand(index, parent, k_width).to_linear_layout(shape).restrict(["register", "lane"], ["dim0", "dim1"])
        )
        assert mma_fragment(operand, (16, 8, k), dtype).equivalent(triton)


@pytest.mark.parametrize("dtype", WGMMA_TYPES)
def test_wgmma_operand_a_in_registers(dtype: str) -> None:
    warp_tile = mma_fragment("A", (16, 8, wgmma_k(dtype)), dtype)
    layout = wgmma_a_fragment(dtype)
    assert layout.in_sizes["register"] * ELEMENT_BITS[dtype] == 4 * 32
    for warp, lane, register in itertools.product(range(4), range(32), range(layout.in_sizes["register"])):
        inside = warp_tile.apply({"register": register, "lane": lane})
        assert layout.apply({"register": register, "lane": lane, "warp": warp}) == {
            "dim0": inside["dim0"] + 16 * warp,
            "dim1": inside["dim1"],
        }


@pytest.mark.parametrize("n", range(8, 257, 8))
def test_wgmma_accumulators(n: int) -> None:
    layout = wgmma_accumulator(n)
    seen = set()
    for warp, lane, i in itertools.product(range(4), range(32), range(n // 2)):
        g, c = divmod(lane, 4)
        place = layout.apply({"register": i, "lane": lane, "warp": warp})
        expected = (16 * warp + g + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * c + (i & 1))
        assert (place["dim0"], place["dim1"]) == expected
        seen.add(expected)
    assert len(seen) == 64 * n


def move_by_hand(trans: bool, row: int, byte: int) -> tuple[int, int]:
    """(lane, byte in the register) that receives this byte of this row of one 8x8 matrix of 16-bit elements."""
    if not trans:
        return 4 * row + byte // 4, byte % 4
    column = byte // 2
    return 4 * column + row // 2, 2 * (row % 2) + byte % 2


@pytest.mark.parametrize("matrices", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
def test_ldmatrix(matrices: int, trans: bool) -> None:
    layout = MatrixMove(matrices, trans=trans).to_linear_layout()
    for lane, byte in itertools.product(range(8 * matrices), range(16)):
        to_lane, to_byte = move_by_hand(trans, lane % 8, byte)
        assert layout.apply({"byte": byte, "lane": lane}) == {"byte": to_byte, "register": lane // 8, "lane": to_lane}
    assert layout.invert().compose(layout).is_invertible  # stmatrix reads the same map backwards


@pytest.mark.parametrize("matrices", [1, 2])
def test_ldmatrix_of_bytes(matrices: int) -> None:
    """.m16n16 .trans .b8: register 0 holds rows 4c to 4c + 3 of column g, register 1 those of column g + 8."""
    layout = MatrixMove(matrices, trans=True, unit_bits=8).to_linear_layout()
    for matrix, lane, register, byte in itertools.product(range(matrices), range(32), range(2), range(4)):
        g, c = divmod(lane, 4)
        source = layout.invert().apply({"byte": byte, "register": 2 * matrix + register, "lane": lane})
        assert source == {"byte": g + 8 * register, "lane": 16 * matrix + 4 * c + byte}


def test_the_blogs_k_major_load_gives_two_elements_a_lane() -> None:
    """The blog lists four (M0K0 .. M0K3 in T0): a lane of one x1 load holds 4 bytes, so two. The fragment of the whole
    16x8 tile has four, the second half from rows 8 further down."""
    back = MatrixMove(1).to_linear_layout().invert()

    def elements(lane: int) -> list[tuple[int, int]]:
        found = [back.apply({"byte": byte, "register": 0, "lane": lane}) for byte in (0, 2)]
        return [(source["lane"], source["byte"] // 2) for source in found]

    assert elements(0) == [(0, 0), (0, 1)]  # M0K0 M0K1
    assert elements(22) == [(5, 4), (5, 5)]  # M5K4 M5K5
    fragment = mma_fragment("A", (16, 8, 8), "bf16")
    held = [tuple(fragment.apply({"register": i, "lane": 22}).values()) for i in range(4)]
    assert held == [(5, 4), (5, 5), (13, 4), (13, 5)]


@pytest.mark.parametrize(
    ("trans", "t0", "t22"),
    [
        (False, ["M0K0", "M1K0"], ["M4K5", "M5K5"]),
        (True, ["M0K0", "M0K1"], ["M5K4", "M5K5"]),
    ],
)
def test_the_blogs_m_major_load(trans: bool, t0: list[str], t22: list[str]) -> None:
    """Rows are k, bytes run along m. The blog prints the untransposed list in both places; with .trans it is the
    fragment that mma.sync wants."""
    back = MatrixMove(1, trans=trans).to_linear_layout().invert()
    for lane, expected in ((0, t0), (22, t22)):
        found = [back.apply({"byte": byte, "register": 0, "lane": lane}) for byte in (0, 2)]
        assert [f"M{source['byte'] // 2}K{source['lane']}" for source in found] == expected


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(LayoutError, match=r"mma\.sync has no m16n8k16 for tf32; it has m16n8k4, m16n8k8"):
        mma_fragment("A", (16, 8, 16), "tf32")
    with pytest.raises(LayoutError, match="no type f8"):
        mma_fragment("A", (16, 8, 16), "f8")
    with pytest.raises(LayoutError, match="no N = 12"):
        wgmma_accumulator(12)
    with pytest.raises(LayoutError, match="no type f64"):
        wgmma_k("f64")
    with pytest.raises(LayoutError, match="no x3"):
        MatrixMove(3)
    with pytest.raises(LayoutError, match=r"\.trans only"):
        MatrixMove(1, unit_bits=8)
