"""`python -m dotload --compare` on a GPU: two variants of a kernel that dotload changes, and another kernel."""

import subprocess
import sys

import pytest

pytest.importorskip("torch")

SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def product(a, b, c, K, N: tl.constexpr, SPLIT: tl.constexpr):
    m, n, k = tl.arange(0, 128), tl.arange(0, N), tl.program_id(0) * K + tl.arange(0, 64)
    sums = tl.zeros((128, N), tl.float32)
    for _ in range(0, K, 64):
        sums += tl.dot(tl.load(a + m[:, None] * K * SPLIT + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]))
        k += 64
    to = c + m[:, None] * N + n[None, :]
    if SPLIT == 1:
        tl.store(to, sums)
    else:
        tl.atomic_add(to, sums)

@triton.jit
def copy(a, c, N: tl.constexpr):
    tl.store(c + tl.arange(0, N), tl.load(a + tl.arange(0, N)))

a, b = (torch.randn(size, device="cuda").to(torch.float8_e4m3fn) for size in ((128, 4096), (4096, 128)))
for split in (1, 64):
    c = torch.zeros(128, 128, device="cuda")
    product[(split,)](a, b, c, 4096 // split, 128, split)
    print("close", torch.allclose(c, a.float() @ b.float(), atol=2.0))
copy[(1,)](c, torch.empty_like(c), 128)
"""


@pytest.mark.gpu
def test_results_and_times_of_a_program(hopper, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "dotload", "--compare", "script.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "close True\nclose True\n", ran.stderr
    header, row, total = ran.stderr.splitlines()[-3:]
    assert header.startswith("kernel   at")
    assert row.startswith("product  script.py:5  ")
    assert row.endswith("(2 variants)")
    assert total == "dotload changes 1 of the 2 kernels that were launched."
