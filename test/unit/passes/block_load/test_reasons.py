"""Every reason to keep a load or a prefetch has a test that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotload.layout.block_load import LayoutReason
from dotload.passes.block_load.rules import BlockReason

TESTS = Path(__file__).parents[3]
FOLDERS = ("lower_to_2d_block_load", "lower_to_2d_block_prefetch")
REMARKS = "".join(path.read_text() for folder in FOLDERS for path in (TESTS / "lit" / folder).glob("*.mlir"))
PLANNER_TESTS = (TESTS / "unit" / "layout" / "test_block_load.py", Path(__file__).with_name("test_request.py"))
PLANNER = "".join(path.read_text() for path in PLANNER_TESTS)


@pytest.mark.parametrize("reason", BlockReason)
def test_a_remark_with_this_reason_is_expected_somewhere(reason):
    assert f"[{reason.name}]" in REMARKS


@pytest.mark.parametrize("reason", LayoutReason)
def test_the_planner_is_seen_to_give_this_reason(reason):
    assert f"LayoutReason.{reason.name}" in PLANNER
