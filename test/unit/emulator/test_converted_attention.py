"""What attention needs besides products, lowered by dotload alone and run: reductions, 8-bit floats, scf.while."""

from __future__ import annotations

import numpy as np
import pytest
from converted_case import DPAS, kernel, lowered, pointers
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload.emulator import run

pytest.importorskip("triton._C.libtriton")

ROWS = DPAS.partition(" = ")[2].replace("warpsPerCTA = [2, 2]", "warpsPerCTA = [4, 1]")
WIDE = "#ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
LANES = "#ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [16, 1], warpsPerCTA = [4, 1], order = [1, 0]}>"


def folded(body: str, element: str) -> str:
    """IR of a tt.reduce of %x along dim 1, whose region is the body, with operands %p and %q."""
    return f"""
    %r = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
    ^bb0(%p: {element}, %q: {element}):
      {body}
      tt.reduce.return %c : {element}
    }}) : (tensor<64x32x{element}, #e>) -> tensor<64x{element}, #row>"""


def row_kernel(encoding: str, dtype: str, work: str) -> str:
    """A kernel that loads a 64x32 tile as %x, and stores %r, one value a row, into each of the row's places."""
    body = f"""{pointers("in", "%a", "#e", 64, 32, dtype)}{pointers("to", "%out", "#e", 64, 32, dtype)}
    %x = tt.load %in_all : tensor<64x32x!tt.ptr<{dtype}>, #e>{work}
    %tall = tt.expand_dims %r {{axis = 1 : i32}} : tensor<64x{dtype}, #row> -> tensor<64x1x{dtype}, #e>
    %y = tt.broadcast %tall : tensor<64x1x{dtype}, #e> -> tensor<64x32x{dtype}, #e>
    tt.store %to_all, %y : tensor<64x32x!tt.ptr<{dtype}>, #e>"""
    aliases = f"#e = {encoding}\n#row = #ttg.slice<{{dim = 1, parent = #e}}>\n"
    return aliases + kernel(f"%a: !tt.ptr<{dtype}>, %out: !tt.ptr<{dtype}>", body)


@pytest.mark.parametrize("encoding", [ROWS, WIDE, LANES])
@pytest.mark.parametrize(
    ("dtype", "ir", "combine", "reference"),
    [
        (np.float32, "f32", "%c = arith.addf %p, %q : f32", np.sum),
        (np.float16, "f16", "%c = arith.maxnumf %p, %q : f16", np.max),
        (np.int64, "i64", "%c = arith.minsi %p, %q : i64", np.min),
        (np.int8, "i8", "%c = arith.xori %p, %q : i8", np.bitwise_xor.reduce),
    ],
)
def test_rows(encoding: str, dtype: type, ir: str, combine: str, reference: np.ufunc):
    source, _ = lowered(row_kernel(encoding, ir, folded(combine, ir)), hints="derive")
    data = aligned((64, 32), dtype)
    data[:] = np.random.default_rng(3).integers(-100, 100, data.shape)
    out = np.zeros((64, 32), dtype)
    run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(out, np.repeat(reference(data, axis=1)[:, None], 32, axis=1))


def test_the_place_of_the_largest():
    """Two operands, values and columns; the region compares and selects."""
    work = """
    %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #column>
    %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32, #column> -> tensor<1x32xi32, #e>
    %ns = tt.broadcast %n1 : tensor<1x32xi32, #e> -> tensor<64x32xi32, #e>
    %v, %r = "tt.reduce"(%x, %ns) <{axis = 1 : i32}> ({
    ^bb0(%p: i32, %pn: i32, %q: i32, %qn: i32):
      %larger = arith.cmpi sgt, %p, %q : i32
      %value = arith.select %larger, %p, %q : i32
      %place = arith.select %larger, %pn, %qn : i32
      tt.reduce.return %value, %place : i32, i32
    }) : (tensor<64x32xi32, #e>, tensor<64x32xi32, #e>) -> (tensor<64xi32, #row>, tensor<64xi32, #row>)"""
    text = row_kernel(ROWS, "i32", work.replace("#column", "#ttg.slice<{dim = 0, parent = #e}>"))
    source, _ = lowered(text, hints="derive")
    data = aligned((64, 32), np.int32)
    data[:] = np.random.default_rng(4).permuted(np.tile(np.arange(32), (64, 1)), axis=1)
    out = np.zeros((64, 32), np.int32)
    run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    np.testing.assert_array_equal(out[:, 0], data.argmax(axis=1))


def test_a_tensor_of_rank_1_to_a_scalar():
    """64 elements of a warp; each other warp has a copy of them."""
    line = "#ttg.slice<{dim = 0, parent = #e}>"
    encoding = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"
    body = f"""
    %n = tt.make_range {{end = 64 : i32, start = 0 : i32}} : tensor<64xi32, {line}>
    %r = "tt.reduce"(%n) <{{axis = 0 : i32}}> ({{
    ^bb0(%p: i32, %q: i32):
      %c = arith.addi %p, %q : i32
      tt.reduce.return %c : i32
    }}) : (tensor<64xi32, {line}>) -> i32
    tt.store %out, %r : !tt.ptr<i32>"""
    source, _ = lowered(f"#e = {encoding}\n" + kernel("%out: !tt.ptr<i32>", body))
    out = np.zeros(1, np.int32)
    run(source, (1,), [out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    assert out[0] == 64 * 63 // 2


def e4m3(byte: int) -> float:
    """The number of a byte, by the definition of the OCP 8-bit floating point specification."""
    sign, exponent, fraction = (-1) ** (byte >> 7), byte >> 3 & 15, byte & 7
    if byte & 127 == 127:
        return np.nan
    return sign * (2.0 ** (exponent - 7) * (1 + fraction / 8) if exponent else 2.0**-6 * fraction / 8)


def e5m2(byte: int) -> float:
    """The same for the other type: the upper half of a 16-bit float."""
    return float(np.array([byte << 8], np.uint16).view(np.float16)[0])


@pytest.mark.parametrize(("source", "number"), [("f8E4M3FN", e4m3), ("f8E5M2", e5m2)])
@pytest.mark.parametrize(("result", "dtype"), [("f16", np.float16), ("bf16", np.uint16), ("f32", np.float32)])
def test_every_8_bit_float(source: str, number, result: str, dtype: type):
    line = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [16], warpsPerCTA = [4], order = [0]}>"
    body = f"""
    %n = tt.make_range {{end = 256 : i32, start = 0 : i32}} : tensor<256xi32, {line}>
    %byte = arith.trunci %n : tensor<256xi32, {line}> to tensor<256xi8, {line}>
    %x = tt.bitcast %byte : tensor<256xi8, {line}> -> tensor<256x{source}, {line}>
    %y = tt.fp_to_fp %x : tensor<256x{source}, {line}> -> tensor<256x{result}, {line}>
    %p = tt.splat %out : !tt.ptr<{result}> -> tensor<256x!tt.ptr<{result}>, {line}>
    %q = tt.addptr %p, %n : tensor<256x!tt.ptr<{result}>, {line}>, tensor<256xi32, {line}>
    tt.store %q, %y : tensor<256x!tt.ptr<{result}>, {line}>"""
    ir, _ = lowered(kernel(f"%out: !tt.ptr<{result}>", body))
    out = np.zeros(256, dtype)
    run(ir, (1,), [out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    found = (out.astype(np.uint32) << 16).view(np.float32) if result == "bf16" else out.astype(np.float32)
    np.testing.assert_array_equal(found, np.array([number(byte) for byte in range(256)], np.float32))


@pytest.mark.parametrize("late", [False, True])
def test_a_product_in_a_while(late: bool):
    """64x96 by 96x64; a branch moves the block pointers by 32 before the loop, which then does two steps, not three."""
    a_tile, b_tile = "tensor<64x32xf16, #dot_a>", "tensor<32x64xf16, #dot_b>"
    a, b, acc = f"!tt.ptr<{a_tile}>", f"!tt.ptr<{b_tile}>", "tensor<64x64xf32, #mma>"
    body = f"""{pointers("pc", "%c", "#mma", 64, 64, "f32")}
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c96 = arith.constant 96 : i32
    %one = arith.constant 1 : i64
    %m = arith.constant 64 : i64
    %k = arith.constant 96 : i64
    %zero = arith.constant dense<0.0> : {acc}
    %ap = tt.make_tensor_ptr %a, [%m, %k], [%k, %one], [%c0, %c0] {{order = array<i32: 1, 0>}} : <{a_tile}>
    %bp = tt.make_tensor_ptr %b, [%k, %m], [%m, %one], [%c0, %c0] {{order = array<i32: 1, 0>}} : <{b_tile}>
    %late = arith.cmpi ne, %flag, %c0 : i32
    %start:3 = scf.if %late -> ({a}, {b}, i32) {{
      %a1 = tt.advance %ap, [%c0, %c32] : <{a_tile}>
      %b1 = tt.advance %bp, [%c32, %c0] : <{b_tile}>
      scf.yield %a1, %b1, %c32 : {a}, {b}, i32
    }} else {{
      scf.yield %ap, %bp, %c0 : {a}, {b}, i32
    }}
    %d:4 = scf.while (%aw = %start#0, %bw = %start#1, %i = %start#2, %sum = %zero)
        : ({a}, {b}, i32, {acc}) -> ({acc}, {a}, {b}, i32) {{
      %more = arith.cmpi slt, %i, %c96 : i32
      scf.condition(%more) %sum, %aw, %bw, %i : {acc}, {a}, {b}, i32
    }} do {{
    ^bb0(%sum: {acc}, %aw: {a}, %bw: {b}, %i: i32):
      %x = tt.load %aw : {a}
      %y = tt.load %bw : {b}
      %next = tt.dot %x, %y, %sum : {a_tile} * {b_tile} -> {acc}
      %an = tt.advance %aw, [%c0, %c32] : <{a_tile}>
      %bn = tt.advance %bw, [%c32, %c0] : <{b_tile}>
      %in = arith.addi %i, %c32 : i32
      scf.yield %an, %bn, %in, %next : {a}, {b}, i32, {acc}
    }}
    tt.store %pc_all, %d#0 : tensor<64x64x!tt.ptr<f32>, #mma>"""
    parameters = "%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, "
    source, before = lowered(kernel(parameters + "%c: !tt.ptr<f32>, %flag: i32", body))
    assert "triton_gen.2Dblockload" in before
    assert "llvm.load" not in before
    random = np.random.default_rng(9)
    one, other = aligned((64, 96), np.float16), aligned((96, 64), np.float16)
    one[:], other[:] = random.integers(-8, 8, one.shape), random.integers(-8, 8, other.shape)
    out = np.zeros((64, 64), np.float32)
    run(source, (1,), [one, other, out, int(late)], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    first = 32 * late
    np.testing.assert_array_equal(out, one[:, first:].astype(np.float32) @ other[first:].astype(np.float32))


@pytest.mark.parametrize(("left", "right"), [("f8E5M2", "f8E4M3FN")])
def test_a_product_of_8_bit_floats(left: str, right: str):
    """64x128 by 128x128 by the DPAS that multiplies bytes, here of two types; sums of small numbers are exact."""
    body = f"""{pointers("pa", "%a", "#dot_a", 64, 128, left)}{pointers("pb", "%b", "#dot_b", 128, 128, right)}
    {pointers("pc", "%c", "#mma", 64, 128, "f32")}
    %x = tt.load %pa_all : tensor<64x128x!tt.ptr<{left}>, #dot_a>
    %y = tt.load %pb_all : tensor<128x128x!tt.ptr<{right}>, #dot_b>
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
    %d = tt.dot %x, %y, %zero : tensor<64x128x{left}, #dot_a> * tensor<128x128x{right}, #dot_b>
      -> tensor<64x128xf32, #mma>
    tt.store %pc_all, %d : tensor<64x128x!tt.ptr<f32>, #mma>"""
    aligned_16 = "{tt.divisibility = 16 : i32}"
    parameters = f"%a: !tt.ptr<{left}> {aligned_16}, %b: !tt.ptr<{right}> {aligned_16}, %c: !tt.ptr<f32>"
    source, before = lowered(kernel(parameters, body).replace("opsPerChan = 2", "opsPerChan = 4"), hints="derive")
    assert "triton_gen.2Dblockload" in before
    number = {"f8E4M3FN": e4m3, "f8E5M2": e5m2}
    random = np.random.default_rng(10)
    one, other = aligned((64, 128), np.uint8), aligned((128, 128), np.uint8)
    one[:], other[:] = random.integers(0x30, 0x40, one.shape), random.integers(0xB0, 0xC0, other.shape)
    out = np.zeros((64, 128), np.float32)
    run(source, (1,), [one, other, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    a, b = (np.vectorize(number[name])(each.astype(int)) for name, each in ((left, one), (right, other)))
    np.testing.assert_array_equal(out, (a @ b).astype(np.float32))


def test_attention():
    """64 queries over 128 keys and values of 32 numbers, 32 at a time: keys by columns, the softmax online."""
    row, tile = "#ttg.slice<{dim = 1, parent = #mma}>", "tensor<64x32xf32, #mma>"
    r, tall = f"tensor<64xf32, {row}>", "tensor<64x1xf32, #mma>"
    q, kv = "tensor<64x32xf16, #dot_a>", "tensor<32x32xf16, #dot_b>"

    def of_rows(name: str, source: str, combine: str) -> str:
        return f"""
      %{name} = "tt.reduce"(%{source}) <{{axis = 1 : i32}}> ({{
      ^bb0(%p: f32, %q: f32):
        %c = {combine} %p, %q : f32
        tt.reduce.return %c : f32
      }}) : ({tile}) -> {r}"""

    def over_columns(name: str, source: str) -> str:
        return f"""
      %{name}_tall = tt.expand_dims %{source} {{axis = 1 : i32}} : {r} -> {tall}
      %{name} = tt.broadcast %{name}_tall : {tall} -> {tile}"""

    body = f"""{pointers("to", "%out", "#mma", 64, 32, "f32")}
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %one = arith.constant 1 : i64
    %depth = arith.constant 32 : i64
    %tokens = arith.constant 128 : i64
    %zero = arith.constant dense<0.0> : {tile}
    %low = arith.constant dense<0xFF800000> : {r}
    %none = arith.constant dense<0.0> : {r}
    %rows = arith.constant 64 : i64
    %qp = tt.make_tensor_ptr %queries, [%rows, %depth], [%depth, %one], [%c0, %c0] {{order = array<i32: 1, 0>}} : <{q}>
    %kp = tt.make_tensor_ptr %keys, [%depth, %tokens], [%one, %depth], [%c0, %c0] {{order = array<i32: 0, 1>}} : <{kv}>
    %vp = tt.make_tensor_ptr %values, [%tokens, %depth], [%depth, %one], [%c0, %c0]
      {{order = array<i32: 1, 0>}} : <{kv}>
    %query = tt.load %qp : !tt.ptr<{q}>
    %end:5 = scf.for %i = %c0 to %c128 step %c32 iter_args(%acc = %zero, %most = %low, %sum = %none, %k = %kp, %v = %vp)
        -> ({tile}, {r}, {r}, !tt.ptr<{kv}>, !tt.ptr<{kv}>) : i32 {{
      %key = tt.load %k : !tt.ptr<{kv}>
      %s = tt.dot %query, %key, %zero : {q} * {kv} -> {tile}{of_rows("largest", "s", "arith.maxnumf")}
      %now = arith.maxnumf %most, %largest : {r}{over_columns("shift", "now")}
      %less = arith.subf %s, %shift : {tile}
      %weights = math.exp2 %less : {tile}{of_rows("added", "weights", "arith.addf")}
      %change = arith.subf %most, %now : {r}
      %scale = math.exp2 %change : {r}{over_columns("scales", "scale")}
      %before = arith.mulf %sum, %scale : {r}
      %after = arith.addf %before, %added : {r}
      %scaled = arith.mulf %acc, %scales : {tile}
      %narrow = arith.truncf %weights : {tile} to tensor<64x32xf16, #mma>
      %operand = ttg.convert_layout %narrow : tensor<64x32xf16, #mma> -> {q}
      %value = tt.load %v : !tt.ptr<{kv}>
      %d = tt.dot %operand, %value, %scaled : {q} * {kv} -> {tile}
      %kn = tt.advance %k, [%c0, %c32] : <{kv}>
      %vn = tt.advance %v, [%c32, %c0] : <{kv}>
      scf.yield %d, %now, %after, %kn, %vn : {tile}, {r}, {r}, !tt.ptr<{kv}>, !tt.ptr<{kv}>
    }}{over_columns("total", "end#2").replace("%end#2_tall", "%tall")}
    %average = arith.divf %end#0, %total : {tile}
    tt.store %to_all, %average : tensor<64x32x!tt.ptr<f32>, #mma>"""
    names = ("%queries", "%keys", "%values")
    parameters = ", ".join(f"{name}: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}" for name in names)
    text = kernel(f"{parameters}, %out: !tt.ptr<f32>", body).replace("warpsPerCTA = [2, 2]", "warpsPerCTA = [4, 1]")
    source, before = lowered(text)
    assert "triton_gen.2Dblockload" in before
    assert "llvm.load" not in before
    random = np.random.default_rng(11)
    queries, keys, values = (aligned((size, 32), np.float16) for size in (64, 128, 128))
    for each in (queries, keys, values):
        each[:] = random.standard_normal(each.shape) / 2
    out = np.zeros((64, 32), np.float32)
    run(source, (1,), [queries, keys, values, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    scores = queries.astype(np.float64) @ keys.astype(np.float64).T
    weights = np.exp2(scores - scores.max(axis=1, keepdims=True))
    # Weights are rounded to f16, by up to 2^-12 of themselves.
    wanted = weights / weights.sum(axis=1, keepdims=True) @ values.astype(np.float64)
    np.testing.assert_allclose(out, wanted, atol=2e-4)
