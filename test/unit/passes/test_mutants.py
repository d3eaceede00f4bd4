"""Validation rejects mutants of emitted code; `make check-mutants` runs more of them. Also checks the oracle itself."""

import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench")]

import delayed  # noqa: E402
import hazards  # noqa: E402
import nvidia_mutants as mutants  # noqa: E402
from triton import knobs  # noqa: E402
from xdsl.dialects.builtin import IntegerAttr  # noqa: E402

COUNT = 6
KERNEL = "gemm-fp8-cr-ptr-128x128x128-w4-s3-sm90"
REFUSING = ("hazards", "validation", "verifier")


@pytest.fixture(autouse=True)
def up_to_ttgir(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("DOTLOAD_STRICT", raising=False)
    monkeypatch.setattr(knobs.runtime, "add_stages_inspection_hook", hazards.stop_behind_ttgir)


def test_no_wrong_mutant_is_accepted():
    rows = mutants.tally(COUNT, seed=1)
    assert not any(row["WRONG"] for row in rows.values())
    assert sum(row[verdict] for row in rows.values() for verdict in REFUSING) > COUNT // 2


@pytest.mark.parametrize(("op", "name"), [("ttg.async_wait", "num"), ("ttng.warp_group_dot_wait", "pendings")])
def test_the_oracle_and_the_check_notice_waits_that_are_too_short(op, name):
    module, wanted = mutants.compiled(KERNEL)
    assert not delayed.is_wrong(module, wanted)
    hasty = module.clone()
    for wait in [each for each in hasty.walk() if each.name == op]:
        wait.properties[name] = IntegerAttr(9, wait.properties[name].type)
    assert delayed.is_wrong(hasty, wanted)
    assert mutants.verdict_of(hasty, wanted) == "hazards"
