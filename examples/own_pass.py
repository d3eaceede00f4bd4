"""A pass of one's own in Triton's pipeline: division by a power of two becomes multiplication by its reciprocal.

python examples/own_pass.py          # compiles a kernel for sm_90, needs no GPU
"""

import sys
from pathlib import Path

import triton
import triton.language as tl

import dotload

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "tutorials"))

import exact_reciprocal  # the pass of docs/tutorials/your-first-pass.md; importing it registers it


@triton.jit
def quarter(x, y, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(y + at, tl.load(x + at) / 4.0)


def main() -> None:
    print("registered:", exact_reciprocal.ExactReciprocalPass.name)
    report = dotload.inspect(quarter, ["*fp32:16", "*fp32:16"], constants={"SIZE": 1024}, target="sm_90")
    print(report)
    assert "dense<2.5" in report.dotload.ttgir, "the reciprocal is a constant"
    assert "dense<2.5" not in report.stock.ttgir, "stock Triton computes it at run time"


if __name__ == "__main__":
    main()
