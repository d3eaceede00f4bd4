"""Weights that a kernel unpacks and scales in registers, as A of wgmma: how their tiles are loaded."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="compiles with Triton")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

import microscaled_weights
import quantised_weights
import sass
import triton
import triton.language as tl
from ahead_of_time import source
from sampling import sampled
from triton.backends.compiler import GPUTarget

import dotload

WEIGHTS = {
    "MXFP8, row-major": microscaled_weights.Kernel("MXFP8", "r", 64, 128, 128),
    "MXFP8, K contiguous": microscaled_weights.Kernel("MXFP8", "c", 64, 128, 128),
    "MXFP4, row-major": microscaled_weights.Kernel("MXFP4", "r", 64, 128, 128),
    "MXFP4, K contiguous": microscaled_weights.Kernel("MXFP4", "c", 64, 128, 128),
    "bytes, row-major": quantised_weights.Kernel("bytes, row-major", 64, 128, 128),
}
CONTIGUOUS_IN_N = ("MXFP8, row-major", "bytes, row-major")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")


@pytest.mark.parametrize("name", sampled(WEIGHTS, 0, CONTIGUOUS_IN_N.__contains__))
def test_tiles_are_copied_in_vectors_and_read_without_a_transpose_by_elements(name, tmp_path):
    """Stock copies 4 bytes at a time, or stores single bytes. No register changes while wgmma reads it."""
    kernel = WEIGHTS[name]
    with dotload.enabled():
        compiled = kernel.compile()
    ptx = compiled.asm["ptx"]
    tile_bytes = kernel.n * kernel.k // (2 if "MXFP4" in name else 1)
    vectors = tile_bytes // (16 * 32 * kernel.num_warps)
    copies = len(re.findall(r"cp\.async\.cg\.shared\.global", ptx))
    assert copies == kernel.num_stages * (vectors + 2 * kernel.m * kernel.k // (16 * 32 * kernel.num_warps))
    assert not re.search(r"st\.shared(?:::cta)?\.(?:b8|u8|b16)\b", ptx)
    if "row-major" in name:
        assert len(re.findall(r"ldmatrix\.sync\.aligned\.m8n8\.x4\.trans", ptx)) == vectors
        assert not re.search(r"ld\.shared(?:::cta)?\.(?:b8|u8)\b", ptx)
    (loop,) = sass.dot_loops(sass.disassemble(compiled.asm["cubin"], tmp_path))
    assert sass.writes_to_registers_in_flight(loop) == []


@triton.jit
def scaled_weights(
    a_ptr, b_ptr, s_ptr, c_ptr, columns, depth, N: tl.constexpr, K: tl.constexpr, FORM: tl.constexpr
):  # fmt: skip
    """B is a difference of two integers; or computed from rows alone; or from tiles of two sizes."""
    m, n, k = tl.arange(0, 64), tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, K)
    scale, acc = tl.load(s_ptr + n)[None, :], tl.zeros((64, N), tl.float32)
    for first in range(0, depth, K):
        a = tl.load(a_ptr + m[:, None] * depth + first + k[None, :])
        at = b_ptr + n[None, :] * depth + first
        if FORM == "difference":
            b = tl.load(b_ptr + (k[:, None] + first) * columns + n[None, :]).to(tl.int32)
            b = b - tl.load(b_ptr + n + first)[None, :].to(tl.int32)
        elif FORM == "rows":
            b = tl.load(b_ptr + first + k)[:, None]
        else:
            b = tl.load(at + k[:, None]) | tl.load(at + k[:, None] // 2 * 2 + depth * N)
        acc = tl.dot(a, b.to(a.dtype) * scale, acc)
    tl.store(c_ptr + m[:, None] * columns + n[None, :], acc.to(c_ptr.dtype.element_ty))


@pytest.mark.parametrize("form", ["difference", "rows", "two sizes"])
def test_every_form_of_scaled_weights_compiles(form):
    """Strict mode raises if a pass fails, and compares what the kernel stores."""
    types = {"a_ptr": "*bf16", "b_ptr": "*u8", "s_ptr": "*bf16", "c_ptr": "*bf16"}
    made = source(scaled_weights, types, {"N": 128, "K": 64, "FORM": form})
    with dotload.enabled():
        kernel = triton.compile(made, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4, "num_stages": 3})
    assert "wgmma.mma_async" in kernel.asm["ptx"]


@triton.jit
def packed_along_columns(a_ptr, b_ptr, c_ptr, columns, depth, N: tl.constexpr, K: tl.constexpr):
    """Each byte of B holds four numbers of a row."""
    m, n, k = tl.arange(0, 64), tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((64, N), tl.float32)
    for first in range(0, depth, K):
        a = tl.load(a_ptr + m[:, None] * depth + first + k[None, :])
        b = tl.load(b_ptr + (k[:, None] + first) * (columns // 4) + n[None, :] // 4)
        acc = tl.dot(a, ((b >> (n % 4 * 2)[None, :]) & 3).to(a.dtype), acc)
    tl.store(c_ptr + m[:, None] * columns + n[None, :], acc)


def test_numbers_of_one_byte_are_not_taken_for_numbers_of_one_column():
    """Triton computes elements once that its axis analysis takes for equal: those of one byte, in the same row."""
    made = source(packed_along_columns, {"a_ptr": "*fp16", "b_ptr": "*u8", "c_ptr": "*fp32"}, {"N": 128, "K": 64})
    with dotload.enabled():
        kernel = triton.compile(made, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4, "num_stages": 2})
    assert "unpack-operands-in-registers" in kernel.metadata.dotload_passes
    assert len(re.findall(r"ld\.shared(?:::cta)?\.(?:b8|u8)\b", kernel.asm["ptx"])) == 128 * 64 // (4 * 32)
