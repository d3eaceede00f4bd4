"""The end-to-end cases: kernel, sizes, arguments, and what numpy says the result is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

KERNELS = str(Path(__file__).with_name("xpu_kernels.py"))


@dataclass(frozen=True)
class Data:
    """Arguments of a launch; the last array is the result, and `wanted` its expected value."""

    args: list[Any]
    wanted: np.ndarray
    tolerance: float


@dataclass(frozen=True)
class Case:
    name: str
    kernel: str
    signature: tuple[str, ...]
    constants: dict[str, Any]
    grid: tuple[int, ...]
    make: Callable[[np.random.Generator], Data]
    num_warps: int = 4
    options: dict[str, Any] = field(default_factory=dict)

    def request(self, *, dotload: bool) -> dict[str, Any]:
        """For dotload.plugin.xpu_environment."""
        return {
            "file": KERNELS,
            "kernel": self.kernel,
            "signature": list(self.signature),
            "constants": self.constants,
            "num_warps": self.num_warps,
            "dotload": dotload,
            **self.options,
        }


Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Worth = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Format:
    """An operand's number format: how to draw random elements, and their values."""

    triton: str
    accumulator: str
    draw: Draw
    worth: Worth
    tolerance: float


def _bfloat_bits(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return (random.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def _small_floats(exponent_bits: int, bias: int) -> tuple[Draw, Worth]:
    """8-bit floats of magnitude 1/8 to 2, either sign."""
    mantissa_bits = 7 - exponent_bits

    def draw(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        exponent = random.integers(bias - 3, bias + 1, shape)
        mantissa = random.integers(0, 1 << mantissa_bits, shape)
        sign = random.integers(0, 2, shape) << 7
        return (sign | exponent << mantissa_bits | mantissa).astype(np.uint8)

    def worth(bits: np.ndarray) -> np.ndarray:
        exponent = (bits >> mantissa_bits & (1 << exponent_bits) - 1).astype(np.int32)
        mantissa = (bits & (1 << mantissa_bits) - 1) / (1 << mantissa_bits)
        return np.where(bits & 0x80, -1.0, 1.0) * np.ldexp(1 + mantissa, exponent - bias)

    return draw, worth


def _rounded_to_tf32(values: np.ndarray) -> np.ndarray:
    return (values.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)


FORMATS = {
    "f16": Format("fp16", "float32", lambda r, s: r.standard_normal(s).astype(np.float16), np.asarray, 1e-3),
    "bf16": Format("bf16", "float32", _bfloat_bits, lambda b: (b.astype(np.uint32) << 16).view(np.float32), 1e-3),
    "i8": Format("i8", "int32", lambda r, s: r.integers(-128, 128, s).astype(np.int8), np.asarray, 0),
    "e4m3": Format("fp8e4nv", "float32", *_small_floats(4, 7), 1e-3),
    "e5m2": Format("fp8e5", "float32", *_small_floats(5, 15), 1e-3),
    "tf32": Format(
        "fp32", "float32", lambda r, s: _rounded_to_tf32(r.standard_normal(s).astype(np.float32)), np.asarray, 1e-3
    ),
}  # fmt: skip

_RESULT = {"float32": ("fp32", np.float32), "int32": ("i32", np.int32)}


def gemm(
    name: str,
    kind: str,
    form: str,
    sizes: tuple[int, int, int],
    tile: tuple[int, int, int] | None = None,
    batch: int = 1,
    masked: bool | None = None,
    num_warps: int = 4,
    **options: Any,
) -> Case:
    """`form`: AxB, AxBT, ATxB or ATxBT; `masked` selects tensors of pointers, with or without masks."""
    (m, n, k), (bm, bn, bk) = sizes, tile or (64, 64, 64 if kind in ("i8", "e4m3", "e5m2") else 32)
    format_ = FORMATS[kind]
    a_t, b_t = form.startswith("AT"), form.endswith("BT")
    result, result_dtype = _RESULT[format_.accumulator]
    # Rows start at multiples of 64 bytes, as in matrices allocated for such a kernel.
    unit = 64 // (1 if format_.triton.startswith(("i8", "fp8")) else 4 if kind == "tf32" else 2)
    widths = {"a": m if a_t else k, "b": k if b_t else n, "c": n}
    pitch = {key: -(-width // unit) * unit for key, width in widths.items()}

    def make(random: np.random.Generator) -> Data:
        a = format_.draw(random, (batch, k if a_t else m, pitch["a"]))
        b = format_.draw(random, (batch, n if b_t else k, pitch["b"]))
        c = np.zeros((batch, m, pitch["c"]), result_dtype)
        left, right = format_.worth(a)[..., : widths["a"]], format_.worth(b)[..., : widths["b"]]
        left = left.swapaxes(1, 2) if a_t else left
        right = right.swapaxes(1, 2) if b_t else right
        exact = np.int64 if kind == "i8" else np.float64
        wanted = np.zeros(c.shape, exact)
        wanted[..., :n] = left.astype(exact) @ right.astype(exact)
        strides = [pitch["a"], pitch["a"], pitch["b"], pitch["b"], pitch["c"]]
        return Data([a, b, c, m, n, k, *strides], wanted, format_.tolerance)

    constants: dict[str, Any] = {"BM": bm, "BN": bn, "BK": bk, "A_T": a_t, "B_T": b_t, "WHOLE": kind == "i8"}
    if masked is not None:
        constants["MASKED"] = masked
    pointers = [f"*{format_.triton}:16", f"*{format_.triton}:16", f"*{result}:16"]
    return Case(
        name,
        "gemm_block_pointers" if masked is None else "gemm_pointers",
        (*pointers, *(["i32:16"] * 3 if all(size % 16 == 0 for size in sizes) else ["i32"] * 3), *["i32:16"] * 5),
        constants,
        (-(-m // bm), -(-n // bn), batch),
        make,
        num_warps,
        options,
    )


def attention(name: str, kind: str, n: int, d: int, causal: bool, num_warps: int = 8) -> Case:
    format_ = FORMATS[kind]
    heads, bm, bn = 2, 64, 32

    def make(random: np.random.Generator) -> Data:
        q, k, v = (format_.draw(random, (heads, n, d)) for _ in range(3))
        out = np.zeros_like(q)
        left, right, values = (format_.worth(x).astype(np.float64) for x in (q, k, v))
        scores = left @ right.swapaxes(1, 2) / d**0.5
        if causal:
            scores = np.where(np.tril(np.ones((n, n), bool)), scores, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        wanted = shares / shares.sum(-1, keepdims=True) @ values
        return Data([q, k, v, out, float(np.log2(np.e) / d**0.5), n], wanted, 1e-2)

    constants = {"D": d, "BM": bm, "BN": bn, "CAUSAL": causal}
    pointers = [f"*{format_.triton}:16"] * 4
    return Case(name, "attention", (*pointers, "fp32", "i32"), constants, (n // bm, heads), make, num_warps)


def _softmax(random: np.random.Generator) -> Data:
    x = random.standard_normal((5, 1000)).astype(np.float32)
    shares = np.exp(x - x.max(1, keepdims=True))
    return Data([x, np.zeros_like(x), 1000], shares / shares.sum(1, keepdims=True), 1e-6)


def _sums(random: np.random.Generator) -> Data:
    x = random.integers(-9, 9, 2048).astype(np.int32)
    return Data([x, np.zeros_like(x)], np.cumsum(x), 0)


EVEN, TAILS, ODD = (128, 128, 64), (112, 80, 96), (100, 88, 72)
CASES = [
    *(gemm(f"{form}_{kind}", kind, form, EVEN) for form in ("AxB", "AxBT", "ATxB") for kind in FORMATS),
    *(gemm(f"{form}_{kind}_tails", kind, form, TAILS) for form in ("AxB", "AxBT", "ATxB") for kind in ("f16", "i8")),
    gemm("AxB_f16_odd", "f16", "AxB", ODD),
    gemm("AxBT_i8_odd", "i8", "AxBT", ODD),
    gemm("AxB_bf16_tails", "bf16", "AxB", TAILS),
    gemm("AxB_tf32_tails", "tf32", "AxB", TAILS),
    gemm("ATxBT_f16", "f16", "ATxBT", EVEN),
    gemm("AxB_f16_wide_tile", "f16", "AxB", (256, 256, 64), (256, 256, 32), num_warps=32),
    gemm("AxBT_f16_wide_tile", "f16", "AxBT", (256, 256, 64), (256, 256, 32), num_warps=32),
    gemm("AxB_i8_deep_tile", "i8", "AxB", (128, 128, 128), (64, 128, 64), num_warps=8),
    gemm("batched_AxB_f16", "f16", "AxB", EVEN, batch=3),
    gemm("batched_AxBT_f16", "f16", "AxBT", EVEN, batch=3),
    *(gemm(f"pointers_{form}_f16", "f16", form, EVEN, masked=False) for form in ("AxB", "AxBT", "ATxB")),
    *(gemm(f"pointers_{form}_f16_masked", "f16", form, TAILS, masked=True) for form in ("AxB", "AxBT")),
    gemm("pointers_AxB_bf16_masked", "bf16", "AxB", TAILS, masked=True),
    gemm("pointers_AxB_e4m3_masked", "e4m3", "AxB", TAILS, masked=True),
    gemm("AxB_f16_bmg", "f16", "AxB", EVEN, target="bmg"),
    gemm("AxB_f16_lnl", "f16", "AxB", EVEN, target="lnl"),
    attention("attention_f16", "f16", 128, 64, causal=False),
    attention("attention_f16_causal", "f16", 128, 64, causal=True),
    attention("attention_bf16", "bf16", 128, 64, causal=False),
    attention("attention_f16_wide_head", "f16", 128, 128, causal=False),
    Case("softmax", "softmax", ("*fp32:16", "*fp32:16", "i32"), {"BLOCK": 1024}, (5,), _softmax),
    Case(
        "softmax_subgroup_32", "softmax", ("*fp32:16", "*fp32:16", "i32"), {"BLOCK": 1024}, (5,), _softmax,
        options={"threads_per_warp": 32},
    ),
    Case("prefix_sums", "prefix_sums", ("*i32:16", "*i32:16"), {"BLOCK": 2048}, (1,), _sums),
]  # fmt: skip
