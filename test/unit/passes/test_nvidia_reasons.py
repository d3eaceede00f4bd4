"""Every reason of the NVIDIA passes has a lit test that shows it, and a line in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotload.passes.operand_staging.reasons import StagingReason
from dotload.passes.pipelined_loops.reasons import LoopReason, ReadReason

ROOT = Path(__file__).parents[3]
TESTS = {
    StagingReason: ("stage_dot_operands", "stage_dot_loads", "unpack_operands_in_registers"),
    LoopReason: (
        *("pipeline_operand_copies", "sink_wgmma_waits", "deduplicate_scale_loads"),
        *("sink_operand_conversions", "split_dot_along_n", "interleave_dots_and_loads", "hoist_async_copies"),
        "permute_k_for_fragments",
    ),
    ReadReason: ("convert_staged_operands_to_llvm", "lower_staged_reads"),
}
"""The folders of the passes that give these reasons."""

PAGES = {
    StagingReason: ("stage_dot_operands", "stage_dot_loads", "unpack_operands_in_registers"),
    LoopReason: ("pipelined_loops",),
    ReadReason: ("convert_staged_operands_to_llvm", "lower_staged_reads"),
}
REASONS = [reason for catalogue in TESTS for reason in catalogue]

GUARDS = {
    StagingReason.UNPROVED,  # an error of the planner, which the proof would detect
    ReadReason.UNPROVED,
    StagingReason.ACCUMULATOR_MOVES,  # mma.sync permutes both dims; wgmma takes the other route without a remark
    StagingReason.NO_DOT_OPERAND,  # Triton's verifier rejects such a dot, and a module without a number of warps
    StagingReason.NO_WARPS,
}
"""Reasons that no remark gives."""


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason not in GUARDS], ids=str)
def test_a_remark_with_this_code_is_expected_somewhere(reason):
    tests = [path for folder in TESTS[type(reason)] for path in (ROOT / "test" / "lit" / folder).glob("*.mlir")]
    assert any(f"[{reason.code}]" in path.read_text() for path in tests)


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason not in GUARDS], ids=str)
def test_the_docs_explain_the_code(reason):
    pages = [ROOT / "docs" / "passes" / f"{page}.md" for page in PAGES[type(reason)]]
    assert any(f"`{reason.code}`" in page.read_text() for page in pages)
