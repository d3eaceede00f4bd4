"""--dry-run with torch: tensors on `meta`, and torch.compile, whose kernels Inductor writes for an absent GPU."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")
pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[3] / "examples"

TRAINING = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.LayerNorm(1024)).cuda().half()
step = torch.compile(model)
for _ in range(2):
    loss = step(torch.randn(64, 512, device="cuda", dtype=torch.float16)).float().pow(2).mean()
    loss.backward()
assert loss.item() < 0.5
print(torch.compile(lambda x: (x + 1).sum())(torch.ones(10)).item())
"""

SCALED = """
import torch

torch._inductor.config.max_autotune_gemm = True
torch._inductor.config.max_autotune_gemm_backends = "TRITON"
torch._inductor.config.test_configs.max_mm_configs = 2
scaled = torch.compile(lambda x, y, scale: torch._int_mm(x, y).to(torch.bfloat16) * scale)
x, y = (torch.zeros(size, dtype=torch.int8, device="cuda") for size in ((512, 64), (64, 512)))
scaled(x, y, torch.ones(512, dtype=torch.bfloat16, device="cuda"))
"""
"""Inductor measures whether to fuse a template of `max-autotune` with what follows."""


FLEX_ATTENTION = """
import torch
from torch.nn.attention.flex_attention import flex_attention

key, value = (torch.zeros(1, 2, 256, 64, dtype=torch.float16, device="cuda", requires_grad=True) for _ in range(2))
attention = torch.compile(flex_attention)
attention(key, key, value, score_mod=lambda score, b, h, i, j: score + i - j).sum().backward()
with torch.no_grad():  # one row of queries: FlexDecoding, without gradients
    attention(key[:, :, :1], key, value)
"""
"""Refused for tensors on `meta`; its masks are constants, which Inductor folds by computing them."""


def dry_run(script: Path) -> list[str]:
    """The lines that a survey prints; each runs in its own process, since Inductor is patched."""
    command = [sys.executable, "-m", "dotload.tools.dotload_inspect", "--dry-run", str(script)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.splitlines()


def test_inductors_kernels_forward_and_backward(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text(TRAINING)
    of_the_cpu, header, *kernels = dry_run(script)
    assert of_the_cpu == "20.0", "a graph of the CPU runs as ever"
    assert header.split()[:2] == ["kernel", "at"]
    assert all(re.match(r"triton_\w+ +torch\.compile +\d+ ", kernel) for kernel in kernels)
    assert any("backward" in kernel for kernel in kernels)


def test_a_template_with_its_epilogue(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text(SCALED)
    lines = dry_run(script)
    assert not [line for line in lines if "needs a GPU" in line]
    assert any(re.match(r"triton_\w*fused\w*int_mm\w* .* 1 staged", line) for line in lines)


def test_a_kernel_of_ones_own_in_a_graph_is_staged() -> None:
    """The example asserts that its result is right, which a result without values is not."""
    own = [line for line in dry_run(EXAMPLES / "torch_compile.py") if line.startswith("matmul ")]
    assert [re.search(r"torch\.compile .* (\d+ staged)", line)[1] for line in own] == ["1 staged"]


def test_flex_attention_forward_backward_and_decoding(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text(FLEX_ATTENTION)
    lines = dry_run(script)
    assert not [line for line in lines if "needs a GPU" in line]
    names = {name for line in lines if (name := line.split(" ")[0]).startswith("triton_tem_fused")}
    assert len(names) == 3
    assert any("backward" in name for name in names)
