"""Ops of the `math` dialect are lowered by dotload alone and run: builtins and intrinsics return what numpy does."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from converted_case import kernel, lowered, pointers
from limits import HANG_SECONDS

from dotload.emulator import run

pytest.importorskip("triton._C.libtriton")

SIZE = 32 * 32
# Op -> the equivalent numpy function; `%x` is from 0.1 to 0.9.
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **{"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10},
    **{"log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "absf": np.abs},
    **{"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint},
    **{"cos": np.cos, "sin": np.sin, "tan": np.tan, "tanh": np.tanh, "acos": np.arccos, "asin": np.arcsin},
    **{"atan": np.arctan, "asinh": np.arcsinh, "atanh": np.arctanh, "erf": np.vectorize(math.erf)},
}
OF_TWO: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "math.powf": np.power,
    "math.atan2": np.arctan2,
    "math.copysign": np.copysign,
    "arith.maxnumf": np.maximum,
    "arith.minimumf": np.minimum,
}


@pytest.mark.parametrize(("dtype", "tolerance"), [("f32", 2e-6), ("f16", 2e-3)])
def test_every_function(dtype: str, tolerance: float):
    """One kernel stores the results of all functions one after the other."""
    tensor, whole = f"tensor<32x32x{dtype}, #mma>", f"tensor<32x32x!tt.ptr<{dtype}>, #mma>"
    calls = [f"math.{name} %x" for name in FUNCTIONS] + [f"{name} %x, %y" for name in OF_TWO] + ["math.fma %x, %y, %y"]
    lines = [
        pointers("px", "%a", "#mma", 32, 32, dtype),
        pointers("py", "%b", "#mma", 32, 32, dtype),
        pointers("to", "%out", "#mma", 32, 32, dtype),
        f"%x = tt.load %px_all : {whole}\n%y = tt.load %py_all : {whole}",
    ]
    for at, call in enumerate(calls):
        lines.append(f"""
    %r{at} = {call} : {tensor}
    %at{at} = arith.constant dense<{at * SIZE}> : tensor<32x32xi32, #mma>
    %p{at} = tt.addptr %to_all, %at{at} : {whole}, tensor<32x32xi32, #mma>
    tt.store %p{at}, %r{at} : {whole}""")
    parameters = ", ".join(f"%{name}: !tt.ptr<{dtype}>" for name in ("a", "b", "out"))
    source, _ = lowered(kernel(parameters, "\n".join(lines)))
    random, numpy_type = np.random.default_rng(3), np.float32 if dtype == "f32" else np.float16
    x, y = (random.uniform(0.1, 0.9, (32, 32)).astype(numpy_type) for _ in range(2))
    out = np.zeros((len(calls), 32, 32), numpy_type)
    run(source, (1,), [x, -y, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    wide, other = x.astype(np.float64), -y.astype(np.float64)
    wanted = [each(wide) for each in FUNCTIONS.values()]
    wanted += [each(wide, other) for each in OF_TWO.values()] + [wide * other + other]
    for call, got, want in zip(calls, out, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=call)


def test_numbers_of_bits():
    """Integer functions: bit counts, absolute values, and unsigned minima."""
    ops = {"math.ctpop": lambda x: x.bit_count(), "math.ctlz": lambda x: 32 - x.bit_length(), "math.absi": abs}
    whole, tensor = "tensor<32x32x!tt.ptr<i32>, #mma>", "tensor<32x32xi32, #mma>"
    data = np.arange(1, SIZE + 1, dtype=np.int32).reshape(32, 32) * 4099
    for name, wanted in ops.items():
        body = f"""{pointers("in", "%a", "#mma", 32, 32, "i32")}{pointers("to", "%out", "#mma", 32, 32, "i32")}
    %x = tt.load %in_all : {whole}
    %y = {name} %x : {tensor}
    %z = arith.minui %x, %y : {tensor}
    tt.store %to_all, %z : {whole}"""
        source, _ = lowered(kernel("%a: !tt.ptr<i32>, %out: !tt.ptr<i32>", body))
        out = np.zeros_like(data)
        run(source, (1,), [data, out], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
        expected = np.array([min(int(x), wanted(int(x))) for x in data.flat]).reshape(data.shape)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("dtype", "ops", "wanted"),
    [
        ("i32", ["mulhiui"], [lambda x, y: [a * b >> 32 for a, b in zip(x, y, strict=True)]]),
        ("i64", ["mulhiui"], [lambda x, y: [a * b >> 64 for a, b in zip(x, y, strict=True)]]),
        ("f32", ["precise_sqrt", "precise_divf"], [lambda x, _: np.sqrt(x), np.divide]),
    ],
)
def test_functions_of_the_device_library(dtype: str, ops: list[str], wanted: list[Callable[..., object]]) -> None:
    """Upper halves of products of unsigned numbers; roots and quotients are exact to the last bit."""
    whole, tensor = f"tensor<32x32x!tt.ptr<{dtype}>, #mma>", f"tensor<32x32x{dtype}, #mma>"
    parameters = ", ".join(f"%{name}: !tt.ptr<{dtype}>" for name in ("a", "b", "out"))
    head = "".join(pointers(at, base, "#mma", 32, 32, dtype) for at, base in (("x", "%a"), ("y", "%b"), ("to", "%out")))
    random, numpy_type = np.random.default_rng(5), {"i32": np.uint32, "i64": np.uint64, "f32": np.float32}[dtype]
    x, y = (np.frombuffer(random.bytes(SIZE * 8), numpy_type)[:SIZE] for _ in range(2))
    if dtype == "f32":
        x, y = (random.uniform(0.1, 9, SIZE).astype(np.float32) for _ in range(2))
    for name, wants in zip(ops, wanted, strict=True):
        operands = "%p" if name == "precise_sqrt" else "%p, %q"
        source, _ = lowered(
            kernel(
                parameters,
                f"""{head}
    %p = tt.load %x_all : {whole}
    %q = tt.load %y_all : {whole}
    %r = tt.{name} {operands} : {tensor}
    tt.store %to_all, %r : {whole}""",
            )
        )
        out = np.zeros(SIZE, numpy_type)
        signature = [f"*{dtype.replace('i', 'u').replace('f', 'fp')}"] * 3
        run(source, (1,), [x, y, out], 4, 16, kernel="kernel", signature=signature, timeout=HANG_SECONDS)
        given = (x.tolist(), y.tolist()) if dtype.startswith("i") else (x, y)
        np.testing.assert_array_equal(out, np.array(wants(*given), numpy_type), err_msg=name)
