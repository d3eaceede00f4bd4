"""The code emitted by `multiply-in-f16`, run in numpy: scaled rows of bf16 are exact in f16, and are scaled back."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import parse_module
from dotload.dialect_ext.typed import tensor_type
from dotload.passes.multiply_in_f16 import MultiplyInF16Pass

ROWS, DEPTH = 16, 16
TEXT = """
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func @scores(%q: tensor<16x16xbf16, #rows>, %k: tensor<16x32xf8E4M3FN, #b>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %a = ttg.convert_layout %q : tensor<16x16xbf16, #rows> -> tensor<16x16xbf16, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %kb = tt.fp_to_fp %k : tensor<16x32xf8E4M3FN, #b> -> tensor<16x32xbf16, #b>
    %s = tt.dot %a, %kb, %zero : tensor<16x16xbf16, #a> * tensor<16x32xbf16, #b> -> tensor<16x32xf32, #mma>
    %u = arith.addf %acc, %s : tensor<16x32xf32, #mma>
    scf.yield %u : tensor<16x32xf32, #mma>
  }
  tt.return %sum : tensor<16x32xf32, #mma>
}
}
"""
WIDTHS = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16}
"""numpy has no bf16: it stays f32, whose upper half it is."""


@cache
def rewritten() -> ModuleOp:
    module = parse_module(TEXT)
    assert MultiplyInF16Pass().rewrite(module)
    module.verify()
    return module


def numbers(op: Operation, operands: list[np.ndarray]) -> np.ndarray:
    """What an op makes of its operands, by the definition of the op."""
    result = op.results[0]
    kind, shape = str(getattr(result.type, "element_type", result.type)), getattr(result.type, "get_shape", tuple)()
    match op.name:
        case "arith.constant":
            splat = op.properties["value"]
            return np.full(shape, splat.get_values()[0] if shape else splat.value.data)
        case "tt.bitcast" if str(tensor_type(op.operands[0]).element_type) == "bf16":
            return (operands[0].astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.int16)
        case "tt.bitcast":
            return operands[0].astype(np.int32).view(WIDTHS[kind])
        case "arith.extui":
            return operands[0].view(np.uint16).astype(np.int32)
        case "arith.extf" | "arith.truncf":
            return operands[0].astype(WIDTHS[kind])
        case "tt.reduce":
            return operands[0].max(axis=op.properties["axis"].value.data)
        case "ttg.convert_layout":
            return operands[0]
        case "tt.expand_dims":
            return np.expand_dims(operands[0], op.properties["axis"].value.data)
        case "tt.broadcast":
            return np.broadcast_to(operands[0], shape)
        case _:
            named = {"andi": "bitwise_and", "shrui": "right_shift", "shli": "left_shift", "maxsi": "maximum"}
            named |= {"minsi": "minimum", "subi": "subtract", "mulf": "multiply"}
            return getattr(np, named[op.name.removeprefix("arith.")])(*operands)


def run(module: ModuleOp, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first operand of the dot, and the factor of its result."""
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    block = loop.parent_block()
    assert block is not None
    values: dict[SSAValue, np.ndarray] = {block.args[0]: queries}
    for op in block.ops:
        if op is loop:
            break
        values[op.results[0]] = numbers(op, [values[operand] for operand in op.operands])
    (dot,) = (op for op in loop.walk() if op.name == "tt.dot")
    (product,) = (op for op in loop.walk() if op.name == "arith.mulf")
    return values[dot.operands[0]], values[product.operands[1]][:, :1]


def of_bits(bits: list[int]) -> np.ndarray:
    return (np.array(bits, np.uint32) << 16).view(np.float32).reshape(-1, 1) * np.ones((1, DEPTH), np.float32)


BF16 = st.integers(0, 0xFFFF)


@given(st.lists(st.tuples(BF16, st.integers(-40, 0)), min_size=ROWS, max_size=ROWS))
def test_rows_are_exact_down_to_two_to_the_minus_32(rows: list[tuple[int, int]]) -> None:
    """Each row: any bf16, and the same scaled down by a power of two, as far as bf16 has that."""
    with np.errstate(all="ignore"):
        queries = of_bits([bits for bits, _ in rows])
        for row, (_, power) in enumerate(rows):
            small = queries[row, 0] * np.float32(2.0) ** power
            queries[row, 1] = small if np.abs(small) >= 2.0**-126 else 0
        factor, back = run(rewritten(), queries)
        assert factor.dtype == np.float16
        returned = factor.astype(np.float64) * back.astype(np.float64)
    for row, (_, power) in enumerate(rows):
        if not np.isfinite(queries[row, 0]):
            assert not np.isfinite(factor[row, 0])
            continue
        assert np.isfinite(factor[row]).all()
        assert returned[row, 0] == queries[row, 0]
        if power >= -31:
            assert returned[row, 1] == queries[row, 1]
        assert abs(returned[row, 1] - queries[row, 1]) <= 2.0**-39 * abs(np.float64(queries[row, 0]))
