"""Whole functions are lowered from TTGIR to LLVM IR by dotload alone and run: Intel's pass names, no Intel compiler."""

from __future__ import annotations

import numpy as np
import pytest
from converted_case import kernel, lowered, pointers
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload.emulator import run

pytest.importorskip("triton._C.libtriton")


def test_a_block_load_arithmetic_and_a_store():
    """A 32x32 f16 tile is loaded by messages, doubled, and stored lane by lane."""
    parameters = "%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>"
    tensor = "tensor<32x32x!tt.ptr<f16>, #dot_a>"
    body = f"""{pointers("in", "%a", "#dot_a", 32, 32, "f16")}{pointers("to", "%out", "#dot_a", 32, 32, "f16")}
    %x = tt.load %in_all : {tensor}
    %y = arith.addf %x, %x : tensor<32x32xf16, #dot_a>
    tt.store %to_all, %y : {tensor}"""
    source, before = lowered(kernel(parameters, body))
    assert "triton_gen.2Dblockload" in before
    data = aligned((32, 32), np.float16)
    data[:] = np.arange(1024).reshape(32, 32) % 97
    out = np.zeros((32, 32), np.float16)
    report = run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(out, data * 2)
    assert report.load_messages


def test_a_product():
    """64x32 by 32x64, f16 into f32: operands are loaded by messages, and each tile of C takes two steps along k."""
    parameters = "%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, "
    body = f"""{pointers("pa", "%a", "#dot_a", 64, 32, "f16")}{pointers("pb", "%b", "#dot_b", 32, 64, "f16")}
    {pointers("pc", "%c", "#mma", 64, 64, "f32")}
    %x = tt.load %pa_all : tensor<64x32x!tt.ptr<f16>, #dot_a>
    %y = tt.load %pb_all : tensor<32x64x!tt.ptr<f16>, #dot_b>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d = tt.dot %x, %y, %zero : tensor<64x32xf16, #dot_a> * tensor<32x64xf16, #dot_b> -> tensor<64x64xf32, #mma>
    tt.store %pc_all, %d : tensor<64x64x!tt.ptr<f32>, #mma>"""
    source, before = lowered(kernel(parameters + "%c: !tt.ptr<f32>", body))
    # Of 64x64, a warp has 32x32: 4 x 2 tiles of 8x16; k is 2 x 16.
    assert before.count("triton_gen.dpas") == 16
    random = np.random.default_rng(7)
    a, b = aligned((64, 32), np.float16), aligned((32, 64), np.float16)
    a[:], b[:] = random.integers(-8, 8, a.shape), random.integers(-8, 8, b.shape)
    c = np.zeros((64, 64), np.float32)
    run(source, (1,), [a, b, c], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_a_product_in_a_loop():
    """64x96 by 96x64 in three steps of 32; the loop carries pointers and the accumulator."""
    a_type, b_type = "tensor<64x32x!tt.ptr<f16>, #dot_a>", "tensor<32x64x!tt.ptr<f16>, #dot_b>"
    pointers_of = [
        pointers("pa", "%a", "#dot_a", 64, 32, "f16").replace("dense<32>", "dense<96>"),
        pointers("pb", "%b", "#dot_b", 32, 64, "f16"),
        pointers("pc", "%c", "#mma", 64, 64, "f32"),
    ]
    body = f"""{"".join(pointers_of)}
    %begin = arith.constant 0 : i32
    %end = arith.constant 3 : i32
    %one = arith.constant 1 : i32
    %a_step = arith.constant dense<32> : tensor<64x32xi32, #dot_a>
    %b_step = arith.constant dense<2048> : tensor<32x64xi32, #dot_b>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %d:3 = scf.for %k = %begin to %end step %one iter_args(%ap = %pa_all, %bp = %pb_all, %acc = %zero)
        -> ({a_type}, {b_type}, tensor<64x64xf32, #mma>) : i32 {{
      %x = tt.load %ap : {a_type}
      %y = tt.load %bp : {b_type}
      %n = tt.dot %x, %y, %acc : tensor<64x32xf16, #dot_a> * tensor<32x64xf16, #dot_b> -> tensor<64x64xf32, #mma>
      %an = tt.addptr %ap, %a_step : {a_type}, tensor<64x32xi32, #dot_a>
      %bn = tt.addptr %bp, %b_step : {b_type}, tensor<32x64xi32, #dot_b>
      scf.yield %an, %bn, %n : {a_type}, {b_type}, tensor<64x64xf32, #mma>
    }}
    tt.store %pc_all, %d#2 : tensor<64x64x!tt.ptr<f32>, #mma>"""
    parameters = "%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, "
    source, before = lowered(kernel(parameters + "%c: !tt.ptr<f32>", body))
    assert before.count("triton_gen.2Dblockload") > 1
    random = np.random.default_rng(8)
    a, b = aligned((64, 96), np.float16), aligned((96, 64), np.float16)
    a[:], b[:] = random.integers(-8, 8, a.shape), random.integers(-8, 8, b.shape)
    c = np.zeros((64, 64), np.float32)
    run(source, (1,), [a, b, c], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_rows_of_a_load_of_rank_1():
    """512 elements as rows of 32, 128 apart, reshaped by the mark: every way to load them gives the same elements."""
    line = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>"
    index, pointer = f"tensor<512xi32, {line}>", f"tensor<512x!tt.ptr<f16>, {line}>"
    body = f"""
    %i = tt.make_range {{end = 512 : i32, start = 0 : i32}} : {index}
    %w = arith.constant dense<32> : {index}
    %s = arith.constant dense<128> : {index}
    %column = arith.remsi %i, %w : {index}
    %row = arith.divsi %i, %w : {index}
    %start = arith.muli %row, %s : {index}
    %offset = arith.addi %column, %start : {index}
    %from = tt.splat %a : !tt.ptr<f16> -> {pointer}
    %in = tt.addptr %from, %offset : {pointer}, {index}
    %x = tt.load %in : {pointer}
    %to = tt.splat %out : !tt.ptr<f16> -> {pointer}
    %place = tt.addptr %to, %i : {pointer}, {index}
    tt.store %place, %x : {pointer}"""
    source, _ = lowered(kernel("%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16>", body))
    data = aligned((16, 128), np.float16)
    data[:] = np.arange(2048).reshape(16, 128) % 1021
    out = np.zeros(512, np.float16)
    run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(out.reshape(16, 32), data[:, :32])


def test_block_pointers_lane_by_lane():
    """Tiles of 32x16 of a 30x40 matrix, whose pitch of 80 bytes is not known to be a multiple of 16: a loop carries
    the block pointers, loads pad with NaN, and stores respect the boundaries."""
    tile = "tensor<32x16xf16, #dot_a>"
    body = f"""
    %zero = arith.constant 0 : i32
    %three = arith.constant 3 : i32
    %one = arith.constant 1 : i32
    %sixteen = arith.constant 16 : i32
    %unit = arith.constant 1 : i64
    %minus = arith.constant -1 : i32
    %from = tt.make_tensor_ptr %a, [%rows, %columns], [%line, %unit], [%minus, %zero]
      {{order = array<i32: 1, 0>}} : <{tile}>
    %to = tt.make_tensor_ptr %out, [%rows, %columns], [%line, %unit], [%minus, %zero]
      {{order = array<i32: 1, 0>}} : <{tile}>
    %end:2 = scf.for %k = %zero to %three step %one iter_args(%p = %from, %q = %to)
        -> (!tt.ptr<{tile}>, !tt.ptr<{tile}>) : i32 {{
      %x = tt.load %p {{boundaryCheck = array<i32: 0, 1>, padding = 2 : i32}} : !tt.ptr<{tile}>
      %y = arith.addf %x, %x : {tile}
      tt.store %q, %y {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<{tile}>
      %pn = tt.advance %p, [%zero, %sixteen] : <{tile}>
      %qn = tt.advance %q, [%zero, %sixteen] : <{tile}>
      scf.yield %pn, %qn : !tt.ptr<{tile}>, !tt.ptr<{tile}>
    }}"""
    parameters = "%a: !tt.ptr<f16>, %out: !tt.ptr<f16>, %rows: i64, %columns: i64, %line: i64"
    source, before = lowered(kernel(parameters, body))
    assert before.count("triton_gen.predicated_store") > 0
    assert "triton_gen.2Dblockload" not in before
    data = np.arange(1200, dtype=np.float16).reshape(30, 40)
    out = np.full((30, 40), -1, np.float16)
    run(source, (1,), [data, out, 30, 40, 40], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(out, data * 2)


def test_what_a_block_pointer_pads_with():
    """A tile that lies half outside is padded with NaN or zero."""
    tile, everywhere = "tensor<32x32xf16, #dot_a>", pointers("to", "%out", "#dot_a", 32, 32, "f16")

    def loaded(padding: int) -> np.ndarray:
        body = f"""{everywhere}
    %sixteen = arith.constant 16 : i32
    %unit = arith.constant 1 : i64
    %from = tt.make_tensor_ptr %a, [%rows, %rows], [%line, %unit], [%sixteen, %sixteen]
      {{order = array<i32: 1, 0>}} : <{tile}>
    %x = tt.load %from {{boundaryCheck = array<i32: 0, 1>, padding = {padding} : i32}} : !tt.ptr<{tile}>
    tt.store %to_all, %x : tensor<32x32x!tt.ptr<f16>, #dot_a>"""
        source, _ = lowered(kernel("%a: !tt.ptr<f16>, %out: !tt.ptr<f16>, %rows: i64, %line: i64", body))
        out = np.zeros((32, 32), np.float16)
        run(source, (1,), [data, out, 32, 32], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
        return out

    data = np.arange(1, 1025, dtype=np.float16).reshape(32, 32)
    for padding, outside in ((1, 0), (2, np.nan)):
        wanted = np.full((32, 32), outside, np.float16)
        wanted[:16, :16] = data[16:, 16:]
        np.testing.assert_array_equal(loaded(padding), wanted)


@pytest.mark.parametrize(("x", "skew"), [(0, 0), (0, 2), (-8, 2), (24, 4), (-32, 4)])
def test_a_base_that_is_aligned_by_the_last_pass(x: int, skew: int):
    """As under Intel's flags, messages get the unaligned base; rows have 80 bytes, of which 72 belong to the
    matrix."""
    tile = "tensor<32x32xf16, #dot_a>"
    body = f"""{pointers("to", "%out", "#dot_a", 32, 32, "f16")}
    %zero = arith.constant 0 : i32
    %at = arith.constant {x} : i32
    %unit = arith.constant 1 : i64
    %line = arith.constant 40 : i64
    %rows = arith.constant 30 : i64
    %columns = arith.constant 36 : i64
    %from = tt.make_tensor_ptr %a, [%rows, %columns], [%line, %unit], [%zero, %at]
      {{order = array<i32: 1, 0>}} : <{tile}>
    %x = tt.load %from {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<{tile}>
    tt.store %to_all, %x : tensor<32x32x!tt.ptr<f16>, #dot_a>"""
    parameters = "%a: !tt.ptr<f16> {tt.divisibility = 4 : i32}, %out: !tt.ptr<f16>"
    source, before = lowered(kernel(parameters, body), cut_surfaces=False)
    assert "triton_gen.2Dblockload %a, " in before.replace("%arg0", "%a")
    memory = aligned((32 * 40,), np.float16)
    memory[:] = np.arange(1, memory.size + 1)
    data = memory[skew : skew + 30 * 40].reshape(30, 40)
    out = np.full((32, 32), -1, np.float16)
    run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    padded = np.zeros((32, 128), np.float16)
    padded[:30, 32:68] = data[:, :36]
    np.testing.assert_array_equal(out, padded[:, 32 + x : 64 + x])
