"""The cost formulas agree with counts of words and sectors, from a list of every lane's addresses."""

import csv
import random
from pathlib import Path

import pytest

from dotload.layout.access import (
    Addresses,
    addresses,
    count_matrix_wavefronts,
    count_sectors,
    count_wavefronts,
    global_access,
    global_vector_elements,
    matrix_access,
    shared_access,
    strided_global_access,
    transposed_matrix_access,
    vector_access,
    vector_elements,
)
from dotload.layout.linear import LayoutError, LinearLayout

COUNTERS = Path(__file__).with_name("data") / "h200_counters.csv"
LANES_PER_PASS = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}


def wavefronts_by_sets(starts: list[int], lane_bytes: int, direction: str) -> int:
    """The bank rule word by word: per pass, the largest number of distinct words of one bank."""
    total = 0
    size = LANES_PER_PASS[lane_bytes]
    pairs = [all(starts[lane] == starts[lane ^ bit] for lane in range(32)) for bit in (1, 2)]
    if direction == "load" and any(pairs):
        size = min(32, 2 * size)
    for first in range(0, len(starts), size):
        words: dict[int, set[int]] = {}
        for start in starts[first : first + size]:
            for byte in range(start, start + lane_bytes):
                words.setdefault(byte // 4 % 32, set()).add(byte // 4)
        total += max(len(found) for found in words.values())
    return total


def nvmma_shared(rows: int, cols: int, width: int, bits: int, *, transposed: bool = False) -> LinearLayout:
    """The offset formula of the encoding, element by element: offset -> (row, column), as a layout."""
    size = bits // 8
    coordinate_of = {}
    for row in range(rows):
        for col in range(cols):
            byte = col * size
            swizzled = (byte % width) ^ (16 * ((row // (128 // width)) % (width // 16)))
            coordinate_of[(byte // width * rows * width + row * width + swizzled) // size] = (row, col)
    bases = [coordinate_of[1 << bit] for bit in range((rows * cols).bit_length() - 1)]
    if transposed:
        return LinearLayout.from_bases({"offset": [(c, r) for r, c in bases]}, {"dim0": cols, "dim1": rows})
    return LinearLayout.from_bases({"offset": bases}, {"dim0": rows, "dim1": cols})


def random_addresses(rng: random.Random, element_bits: int, run: int) -> Addresses:
    """A random linear access of `run` elements per lane, with copies and conflicts."""

    def column() -> int:
        return rng.choice([0, rng.randrange(0, 4096), 1 << rng.randrange(12)]) // run * run

    return Addresses(
        tuple(1 << bit for bit in range(run.bit_length() - 1)), tuple(column() for _ in range(5)), (), element_bits
    )


@pytest.mark.parametrize("element_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("seed", range(25))
def test_the_rank_formula_counts_wavefronts(element_bits: int, seed: int) -> None:
    rng = random.Random(seed)
    for run in (1, 2, 4, 8, 16):
        lane_bytes = run * element_bits // 8
        if lane_bytes > 16:
            continue
        where = random_addresses(rng, element_bits, run)
        starts = [int(row[0]) * element_bits // 8 for row in where.table()[0]]
        for direction in ("load", "store"):
            access = vector_access(where, direction)
            assert access.lane_bytes == lane_bytes
            assert access.wavefronts == wavefronts_by_sets(starts, lane_bytes, direction)
            assert access.wavefronts == count_wavefronts(starts, lane_bytes, direction)


def test_the_counts_are_those_of_a_real_gpu() -> None:
    """Counts of Nsight Compute on an H200 for random accesses: wavefronts in shared memory (less the one that every
    launch has), sectors in global memory. test/gpu/test_access_counters.py wrote the file."""
    with COUNTERS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 398
    for row in rows:
        kernel, lanes = row["kernel"], [int(lane) for lane in row["lanes"].split()]
        size = int(kernel.removesuffix("_trans").split("_")[-1])
        if "matrix" in kernel:
            found = count_matrix_wavefronts(lanes[: 8 * size])
        elif kernel.startswith("shared"):
            found = count_wavefronts(lanes, size, "load" if "_ld_" in kernel else "store")
        else:
            found = count_sectors(lanes, size)
        assert found == int(row["counted"]), row


@pytest.mark.parametrize(("width", "ways"), [(32, 2), (64, 4), (128, 8)])
def test_ldmatrix_rows_conflict_without_a_swizzle_and_never_with_it(width: int, ways: int) -> None:
    plain = [row * width for row in range(8)]
    swizzled = [row * width + 16 * ((row // (128 // width)) % (width // 16)) for row in range(8)]
    assert count_matrix_wavefronts(plain) == ways
    assert count_matrix_wavefronts(swizzled) == 1


def test_eight_rows_of_an_atom_column_are_conflict_free_iff_they_differ_mod_8() -> None:
    rng = random.Random(1)
    for width in (16, 32, 64, 128):
        for _ in range(200):
            rows = rng.sample(range(16), 8)
            chunk = rng.randrange(width // 16)
            starts = [r * width + 16 * (chunk ^ ((r // (128 // width)) % (width // 16))) for r in rows]
            differ = len({r % 8 for r in rows}) == 8
            assert (count_matrix_wavefronts(starts) == 1) == differ


# Stock Triton's staging of non-K-major operands: 64x128 fp8 and 32x128 tf32, four warps.
FP8_COALESCED = LinearLayout.from_bases(
    {
        "register": [(0, 1), (0, 2), (0, 4), (0, 8), (16, 0), (32, 0)],
        "lane": [(0, 16), (0, 32), (0, 64), (1, 0), (2, 0)],
        "warp": [(4, 0), (8, 0)],
    },
    {"dim0": 64, "dim1": 128},
)
TF32_COALESCED = LinearLayout.from_bases(
    {
        "register": [(0, 1), (0, 2), (4, 0), (8, 0), (16, 0)],
        "lane": [(0, 4), (0, 8), (0, 16), (0, 32), (0, 64)],
        "warp": [(1, 0), (2, 0)],
    },
    {"dim0": 32, "dim1": 128},
)


def test_stock_fp8_staging_costs_512_wavefronts_a_warp_instead_of_16() -> None:
    where = addresses(FP8_COALESCED, nvmma_shared(128, 64, 64, 8, transposed=True), 8)
    access = shared_access(where, "store")
    assert access.mnemonic == "st.shared.b8"
    assert (access.instructions, access.wavefronts, access.warps) == (64, 8, 4)
    assert access.instructions * access.wavefronts == 512


def test_stock_tf32_staging_costs_512_wavefronts_a_warp_instead_of_32() -> None:
    where = addresses(TF32_COALESCED, nvmma_shared(128, 32, 128, 32, transposed=True), 32)
    access = shared_access(where, "store")
    assert access.mnemonic == "st.shared.b32"
    assert access.instructions * access.wavefronts == 512


# Accesses of Triton's lowering of these register layouts, counted in its PTX: i8 32x64 in nvmma_shared 32 B transposed.
@pytest.mark.parametrize(
    ("registers", "lanes", "store", "load"),
    [
        ([(1, 0), (2, 0), (16, 0), (0, 8)], [(4, 0), (8, 0), (0, 1), (0, 2), (0, 4)], "stmatrix.m8n8.x4", "ldmatrix"),
        ([(1, 0), (2, 0), (4, 0), (8, 0)], [(16, 0), (0, 1), (0, 2), (0, 4), (0, 8)], "st.shared.v4.b32", "ld.shared"),
        ([(1, 0), (2, 0), (16, 0), (0, 8)], [(0, 1), (0, 2), (0, 4), (4, 0), (8, 0)], "st.shared.b32", "ld.shared.b32"),
    ],
)
def test_the_access_is_the_one_that_triton_picks(
    registers: list[tuple[int, int]], lanes: list[tuple[int, int]], store: str, load: str
) -> None:
    layout = LinearLayout.from_bases(
        {"register": registers, "lane": lanes, "warp": [(0, 16), (0, 32)]}, {"dim0": 32, "dim1": 64}
    )
    where = addresses(layout, nvmma_shared(64, 32, 32, 8, transposed=True), 8)
    assert shared_access(where, "store").mnemonic.startswith(store)
    assert shared_access(where, "load").mnemonic.startswith(load)
    assert shared_access(where, "store").conflict_ways == 1


def test_a_16_bit_operand_in_the_other_order_is_read_with_trans() -> None:
    # B fragment of m16n8k16 (k, n) from memory that is contiguous along n.
    fragment = LinearLayout.from_bases(
        {"register": [(1, 0), (8, 0)], "lane": [(2, 0), (4, 0), (0, 1), (0, 2), (0, 4)]}, {"dim0": 16, "dim1": 8}
    )
    memory = LinearLayout.from_bases(
        {"offset": [(0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0), (8, 0)]}, {"dim0": 16, "dim1": 8}
    )
    where = addresses(fragment, memory, 16)
    assert matrix_access(where) is None
    access = transposed_matrix_access(where)
    assert access is not None
    assert (access.mnemonic, access.wavefronts) == ("ldmatrix.m8n8.x2.trans.shared.b16", 2)


def test_matrix_wavefronts_agree_with_listing_the_rows() -> None:
    rng = random.Random(5)
    for _ in range(100):
        free = [8 * rng.choice([rng.randrange(1, 512), 1 << rng.randrange(9)]) for _ in range(5)]
        where = Addresses((1, free[0], free[1]), (2, 4, free[2], free[3], free[4]), (), 16)
        access = matrix_access(where)
        assert access is not None
        table = where.table()[0] * 2
        matrices = [int(table[0, register]) for register in range(0, 8, 2)]
        rows = [start ^ int(table[lane, 0]) for start in matrices for lane in range(0, 32, 4)]
        assert access.wavefronts * access.instructions == count_matrix_wavefronts(rows)


def test_a_run_must_be_aligned_in_every_other_column() -> None:
    assert vector_elements(Addresses((1, 2), (4, 8, 16, 32, 64), (), 32)) == 4
    assert vector_elements(Addresses((1, 2), (6, 8, 16, 32, 64), (), 32)) == 2
    assert vector_elements(Addresses((2, 1), (4, 8, 16, 32, 64), (), 32)) == 4
    assert vector_elements(Addresses((2, 4), (1, 8, 16, 32, 64), (), 32)) == 1


def test_copies_are_stored_once_and_loaded_by_everyone() -> None:
    where = Addresses((1, 0), (2, 4, 8, 16, 32), (0, 64), 32)
    assert (vector_access(where, "store").instructions, vector_access(where, "store").warps) == (1, 2)
    assert (vector_access(where, "load").instructions, vector_access(where, "load").warps) == (1, 4)


@pytest.mark.parametrize("pitch", [128, 160, 5120])
def test_sectors_of_a_coalesced_tile_hold_nothing_else(pitch: int) -> None:
    access = strided_global_access(FP8_COALESCED, 8, {"dim0": pitch, "dim1": 1})
    assert access.lane_bytes == 16
    assert access.sectors == 64 * 128 // 32
    assert access.efficiency == 1.0


def test_the_count_is_the_same_for_every_pitch() -> None:
    rng = random.Random(9)
    for _ in range(40):
        coordinates = [(1 << bit, 0) for bit in range(4)] + [(0, 1 << bit) for bit in range(6)]
        rng.shuffle(coordinates)
        layout = LinearLayout.from_bases(
            {"register": coordinates[:3], "lane": coordinates[3:8], "warp": coordinates[8:]}, {"dim0": 16, "dim1": 64}
        )
        for bits in (8, 16, 32):
            expected = global_access(layout, bits)
            for pitch_bytes in (512, 544, 2592):
                strides = {"dim0": pitch_bytes * 8 // bits, "dim1": 1}
                assert strided_global_access(layout, bits, strides) == expected


def test_a_strided_byte_load_wastes_31_bytes_of_each_sector() -> None:
    column = LinearLayout.from_bases(
        {"register": [], "lane": [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0)]}, {"dim0": 32, "dim1": 1}
    )
    access = strided_global_access(column, 8, {"dim0": 1024, "dim1": 1})
    assert (access.sectors, access.bytes_used) == (32, 32)
    assert access.efficiency == 1 / 32


def test_sectors_count_both_ends_of_an_access() -> None:
    assert count_sectors([24], 16) == 2
    assert count_sectors(range(0, 512, 16), 16) == 16


def test_the_vector_of_a_global_access_stops_at_an_odd_pitch() -> None:
    strides = {"dim0": 130, "dim1": 1}
    assert global_vector_elements(FP8_COALESCED, 8, strides) == 2


def test_different_tensors_are_refused() -> None:
    with pytest.raises(LayoutError, match="different tensors"):
        addresses(FP8_COALESCED, nvmma_shared(64, 64, 64, 8), 8)
