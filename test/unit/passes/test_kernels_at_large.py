"""Kernels as people write them compile with dotload: no pass fails, and passes find the dots that they are for."""

import itertools
import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "bench")]

from ahead_of_time import source  # noqa: E402
from kernels_at_large import USES, block_pointers, from_two_sources  # noqa: E402
from sampling import sampled  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

import dotload  # noqa: E402

tl = triton.language
POINTERS = {"fp8": "*fp8e4nv", "int8": "*i8", "tf32": "*fp32"}
CONTIGUOUS = {"rr": ("ak", "bn"), "cr": ("am", "bn"), "cc": ("am", "bk")}

LEFT_ALONE = {
    ("fp8", "cr", 90): {"batched", "in_three_steps", "loaded_ahead"},
    ("tf32", "rr", 90): {
        *("batched", "cast", "converted", "gram", "halves_of_bytes", "in_three_steps", "loaded_ahead", "looked_up"),
        *("scaled_by_row", "scaled_columns", "tile_after_tile", "tiles_in_one_loop", "unrolled_by_hand"),
    },
    ("int8", "cc", 80): {"batched", "clamped", "gram", "loaded_ahead", "sometimes_gated", "while_loop"},
}
"""Operands, orders, compute capability -> kernels in which dotload finds nothing that it can do.

Their operands are K-major, carried by the loop, converted in too small pieces or to another type, or have other uses;
or the accumulator has, where the operand can only go through registers.
"""


MOST = 20
"""How many uses `make check` compiles."""
SMALL = 64
"""The sides of tiles that compile three times as fast as those that people use."""


def compile_use(use, tile, kind, orders, capability):
    types = {"a": POINTERS[kind], "b": POINTERS[kind], "c": "*fp32"}
    types["d"] = "*i32" if str(use) == "gathered" else POINTERS[kind]
    constants = use.constants(kind) | tile | dict.fromkeys(CONTIGUOUS[orders], 1)
    options = {"num_warps": 4, "num_stages": 3}
    return triton.compile(source(use.kernel, types, constants), GPUTarget("cuda", capability, 32), options)


def cases():
    """Every use with every kind of operand; for `make check`, most uses with one of them in turn, and a small tile."""
    small = [
        (use, {side: min(size, SMALL) for side, size in use.tile.items()}, *operands)
        for (number, use), (place, operands) in itertools.product(enumerate(USES), enumerate(LEFT_ALONE))
        if number % len(LEFT_ALONE) == place
    ]
    yield from sampled(small, MOST)
    for use, operands in itertools.product(USES, LEFT_ALONE):
        yield pytest.param(use, use.tile, *operands, marks=pytest.mark.full)


@pytest.mark.parametrize(("use", "tile", "kind", "orders", "capability"), list(cases()), ids=str)
def test_it_compiles(use, tile, kind, orders, capability, tmp_path, monkeypatch):
    if use.kernel is block_pointers and triton.__version__ >= "3.9":
        pytest.skip("Triton 3.9 has no block pointers")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    dotload.report(clear=True)
    with dotload.enabled():
        compile_use(use, tile, kind, orders, capability)
    was_rewritten = any(remark.kind == "passed" or remark.reason == "OUTWEIGHED" for remark in dotload.report())
    assert was_rewritten == (str(use) not in LEFT_ALONE[kind, orders, capability])


def test_weights_that_are_looked_up_stay_in_registers(tmp_path, monkeypatch):
    """No op between the packed tile and the dot converts bytes; the operand is computed in fragments all the same."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    (use,) = [use for use in USES if str(use) == "looked_up"]
    dotload.report(clear=True)
    types = {"a": "*fp16", "b": "*i8", "c": "*fp32", "d": "*i8"}
    constants = use.constants("int8") | dict.fromkeys(CONTIGUOUS["rr"], 1)
    with dotload.enabled():
        compiled = triton.compile(source(use.kernel, types, constants), GPUTarget("cuda", 80, 32), {"num_warps": 4})
    assert any("unpacked in the layout of fragments" in remark.message for remark in dotload.report())
    assert "st.shared.b16" not in compiled.asm["ptx"]


@triton.jit
def rows_of_packed_weights(a, b, scales, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Eight 4-bit weights in an integer, K contiguous: rows are unpacked, scaled and transposed for the dot."""
    m, n, k, words = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK), tl.arange(0, BK // 8)
    acc, shifts, scale = tl.zeros((BM, BN), tl.float32), tl.arange(0, 8) * 4, tl.load(scales + n)
    for done in range(0, K, BK):
        x, packed = tl.load(a + m[:, None] * K + done + k[None, :]), tl.load(b + n[:, None] * K + words[None, :])
        y = tl.reshape((packed[:, :, None] >> shifts[None, None, :]) & 15, (BN, BK)) - 8
        acc = tl.dot(x, tl.trans(y.to(x.dtype) * scale[:, None]), acc)
        b += BK // 8
    tl.store(c + m[:, None] * BN + n[None, :], acc)


@pytest.mark.parametrize("capability", [80, 90])
def test_weights_that_are_transposed_stay_in_registers(capability, tmp_path, monkeypatch):
    """Stock stores the unpacked weights in 16 bits, and reads their transpose."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    dotload.report(clear=True)
    types = {"a": "*bf16", "b": "*i32", "scales": "*bf16", "c": "*fp32"}
    made = source(rows_of_packed_weights, types, {"BM": 16, "BN": 64, "BK": 128})
    with dotload.enabled():
        compiled = triton.compile(made, GPUTarget("cuda", capability, 32), {"num_warps": 4})
    assert any("operand 128x64 is unpacked in the layout of fragments" in each.message for each in dotload.report())
    assert "st.shared.b16" not in compiled.asm["ptx"]


@triton.jit
def adapted(a, b, down, c, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, R: tl.constexpr):
    """A product, and one of the same A with a low-rank adapter, whose result goes on in another kernel."""
    m, n, k, r = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK), tl.arange(0, R)
    acc, low = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, R), tl.float32)
    for done in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + done + k[None, :])
        acc = tl.dot(x, tl.load(b + (done + k)[:, None] * N + n[None, :]).to(x.dtype), acc)
        low = tl.dot(x, tl.load(down + r[None, :] * K + (done + k)[:, None]), low)
    tl.store(c + m[:, None] * (BN + R) + n[None, :], acc)
    tl.store(c + m[:, None] * (BN + R) + BN + r[None, :], low)


@pytest.mark.parametrize(("a", "b"), [("*fp8e4nv", "*fp8e4nv"), ("*bf16", "*i8")])
def test_a_low_rank_adapter_has_no_hazards(a, b, tmp_path, monkeypatch):
    """The second dot has A in shared memory; the first one's is in registers, which the next iteration writes."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    dotload.report(clear=True)
    made = source(adapted, {"a": a, "b": b, "down": a, "c": "*fp32"}, {"BM": 64, "BN": 64, "BK": 64, "R": 16})
    with dotload.enabled():
        triton.compile(made, GPUTarget("cuda", 90, 32), {"num_warps": 4})
    assert {remark.kind for remark in dotload.report()} >= {"passed"}
    assert not [remark.message for remark in dotload.report() if remark.kind == "failure"]


def test_tiles_of_dots_in_flight_are_not_overwritten(tmp_path, monkeypatch):
    """The CTA barrier for tiles by pointers stands between a dot in flight and the wait that finishes it."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    dotload.report(clear=True)
    types = {**dict.fromkeys("abd", "*fp8e4nv"), "c": "*fp32"}
    made = source(from_two_sources, types, {"BM": 128, "BN": 128, "BK": 32})
    with dotload.enabled():
        compiled = triton.compile(made, GPUTarget("cuda", 90, 32), {"num_warps": 8})
    assert "add-wait-barriers" in compiled.metadata.dotload_passes
    assert not [remark.message for remark in dotload.report() if remark.kind == "failure"]
