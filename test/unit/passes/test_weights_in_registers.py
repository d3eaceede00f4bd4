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
from sampling import sampled

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
