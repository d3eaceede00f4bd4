"""Plans for prefetches: every element once, messages that the verifier accepts, and as many messages as warps."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntAttr, ModuleOp, UnitAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.test import TestOp as ValuesOp

from dotload.dialect_ext.triton_gen import BlockPrefetch2DOp
from dotload.layout.block_prefetch import NOT_IN_SPIRV, PrefetchPlan, plan_prefetch


def powers(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most).map(lambda bit: 1 << bit)


def verify(plan: PrefetchPlan, bits: int, wide: bool) -> None:
    """The rules of the op's verifier in Intel's backend."""
    values = ValuesOp(result_types=[LLVMPointerType(IntAttr(1)), *[i32] * 5])
    shape = {"tile_width": plan.columns, "tile_height": plan.rows, "v_blocks": plan.blocks}
    op = BlockPrefetch2DOp(*values.results, elem_size_in_bits=bits, **shape)
    ModuleOp([values, op], {"ttig.support_prefetch_256b": UnitAttr()} if wide else {}).verify()


@given(powers(9), powers(9), st.sampled_from([8, 16, 32, 64]), powers(5), st.booleans())
def test_the_messages_are_legal_and_cover_the_tile_once(rows, columns, bits, warps, wide):
    plan = plan_prefetch(rows, columns, bits, warps, wide=wide)
    if plan is None:
        assert columns * bits < 64  # smaller than any message, or a form that SPIR-V does not have
        return
    verify(plan, bits, wide)
    assert (bits, plan.columns) not in NOT_IN_SPIRV
    corners = [divmod(number, plan.across) for number in range(plan.messages)]
    covered = Counter(
        (down * plan.rows + row, along * plan.width + column)
        for down, along in corners
        for row in range(plan.rows)
        for column in range(plan.width)
    )
    assert set(covered.values()) == {1}
    assert len(covered) == rows * columns == sum(covered.values())
    assert plan.messages >= min(warps, plan.across * rows)


@given(powers(9), powers(9), st.sampled_from([8, 16, 32]), powers(5), powers(6), powers(6))
def test_no_message_crosses_its_bounds(rows, columns, bits, warps, most_rows, most_columns):
    within = (most_rows, most_columns)
    plan = plan_prefetch(rows, columns, bits, warps, within=within)
    if plan is None:
        assert min(columns, most_columns) * bits < 64
        return
    verify(plan, bits, wide=False)
    assert plan.rows <= most_rows
    assert plan.width <= most_columns
    assert (plan.rows * plan.down, plan.width * plan.across) == (rows, columns)


@pytest.mark.parametrize(
    ("shape", "bits", "warps", "wide", "expected"),
    [
        ((64, 32), 16, 4, False, PrefetchPlan(16, 16, 2, 1, 4)),
        ((256, 32), 16, 4, False, PrefetchPlan(32, 16, 2, 1, 8)),
        ((64, 64), 8, 8, False, PrefetchPlan(8, 64, 1, 1, 8)),
        ((64, 128), 16, 4, True, PrefetchPlan(16, 128, 1, 1, 4)),
        ((64, 128), 16, 4, False, PrefetchPlan(32, 16, 2, 4, 2)),
    ],
)
def test_plans(shape, bits, warps, wide, expected):
    assert plan_prefetch(*shape, bits, warps, wide=wide) == expected
