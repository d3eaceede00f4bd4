"""Blocks on a multiprocessor, against NVIDIA's occupancy tables for compute capability 9.0."""

import pytest

from dotload.layout.occupancy import BLOCK_BYTES, resident_blocks, spare_bytes

KB = 1024


def test_a_block_may_have_what_the_guide_says():
    assert BLOCK_BYTES == 227 * KB


@pytest.mark.parametrize(
    ("warps", "shared_bytes", "blocks"),
    [(4, 113 * KB, 2), (4, 113 * KB + 1, 1), (4, 0, 2), (8, 0, 1), (8, 227 * KB, 1), (16, 16 * KB, 1), (2, 56 * KB, 4)],
)
def test_registers_and_shared_memory_bound_the_blocks(warps, shared_bytes, blocks):
    assert resident_blocks(warps, shared_bytes) == blocks


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_what_is_spare_keeps_no_block_out(warps):
    most = resident_blocks(warps, 0)
    assert resident_blocks(warps, spare_bytes(warps)) == most
    assert resident_blocks(warps, spare_bytes(warps) + 1) < most
