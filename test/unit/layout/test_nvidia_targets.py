"""Limits of NVIDIA's GPUs agree with the tables of NVIDIA's guide and its occupancy calculator."""

import pytest

from dotload.layout.nvidia_targets import HOPPER, TARGETS, find_target

KB = 1024


@pytest.mark.parametrize(("capability", "kilobytes"), [(80, 163), (86, 99), (89, 99), (90, 227), (100, 227), (120, 99)])
def test_a_block_may_have_what_the_guide_says(capability, kilobytes):
    assert find_target(capability).max_block_bytes == kilobytes * KB


@pytest.mark.parametrize(
    ("warps", "shared_bytes", "blocks"),
    [(4, 113 * KB, 2), (4, 113 * KB + 1, 1), (4, 0, 2), (8, 0, 1), (8, 227 * KB, 1), (16, 16 * KB, 1), (2, 56 * KB, 4)],
)
def test_registers_and_shared_memory_bound_the_blocks(warps, shared_bytes, blocks):
    assert HOPPER.resident_blocks(warps, shared_bytes) == blocks


@pytest.mark.parametrize(("warps", "registers", "blocks"), [(4, 128, 4), (4, 32, 16), (1, 16, 32), (8, 64, 4)])
def test_fewer_registers_let_more_blocks_run(warps, registers, blocks):
    assert HOPPER.resident_blocks(warps, 0, registers) == blocks


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_what_is_spare_keeps_no_block_out(warps):
    most = HOPPER.resident_blocks(warps, 0)
    assert HOPPER.resident_blocks(warps, HOPPER.spare_bytes(warps)) == most
    assert HOPPER.resident_blocks(warps, HOPPER.spare_bytes(warps) + 1) < most


def test_a_capability_without_a_row_has_that_of_the_nearest_below():
    assert find_target(88).capability == 87
    assert find_target(130) is TARGETS[-1]
    assert find_target(70) is TARGETS[0]
