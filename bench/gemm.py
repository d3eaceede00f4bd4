"""The GEMM kernels that the NVIDIA benchmarks and tests share: plain Triton, as in its tutorials.

Nothing here depends on dotload: the caller compiles with or without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import triton
import triton.language as tl
from ahead_of_time import source
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource


@triton.jit
def tile_at(number, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Row and column of a tile of C, in an order in which tiles that share A or B follow each other."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = number // in_group * GROUP_M
    rows_of_group = min(tiles_m - first_m, GROUP_M)
    return first_m + number % in_group % rows_of_group, number % in_group // rows_of_group


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    ACC: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    pid_m, pid_n = tile_at(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b = b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if MASKED:
            left = K - k * BLOCK_K
            x = tl.load(a, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
            y = tl.load(b, mask=(columns[None, :] < N) & (inner[:, None] < left), other=0.0)
        else:
            x = tl.load(a)
            y = tl.load(b)
        if x.dtype != y.dtype:
            y = y.to(x.dtype)
        acc = tl.dot(x, y, acc, out_dtype=ACC)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    c = c_ptr + rows[:, None] * stride_cm + columns[None, :]
    result = acc.to(c_ptr.dtype.element_ty)
    if MASKED:
        tl.store(c, result, mask=(rows[:, None] < M) & (columns[None, :] < N))
    else:
        tl.store(c, result)


@triton.jit
def matmul_by_descriptors(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    ACC: tl.constexpr, A_BY_ROWS: tl.constexpr, B_BY_ROWS: tl.constexpr, SPECIALISED: tl.constexpr,
):  # fmt: skip
    pid_m, pid_n = tile_at(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    if A_BY_ROWS:
        a = tl.make_tensor_descriptor(a_ptr, [M, K], [stride_am, 1], [BLOCK_M, BLOCK_K])
    else:
        a = tl.make_tensor_descriptor(a_ptr, [K, M], [stride_ak, 1], [BLOCK_K, BLOCK_M])
    if B_BY_ROWS:
        b = tl.make_tensor_descriptor(b_ptr, [K, N], [stride_bk, 1], [BLOCK_K, BLOCK_N])
    else:
        b = tl.make_tensor_descriptor(b_ptr, [N, K], [stride_bn, 1], [BLOCK_N, BLOCK_K])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC)
    for k in tl.range(0, K, BLOCK_K, warp_specialize=SPECIALISED):
        if A_BY_ROWS:
            x = a.load([pid_m * BLOCK_M, k])
        else:
            x = a.load([k, pid_m * BLOCK_M]).T
        if B_BY_ROWS:
            y = b.load([k, pid_n * BLOCK_N])
        else:
            y = b.load([pid_n * BLOCK_N, k]).T
        if x.dtype != y.dtype:
            y = y.to(x.dtype)
        acc = tl.dot(x, y, acc, out_dtype=ACC)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c = c_ptr + rows[:, None] * stride_cm + columns[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


@dataclass(frozen=True)
class Kind:
    """An element type: Triton's names for pointers to inputs and output, the accumulator, the size in bits.

    `weights`: the type of pointers to B if B has another type, which the loop converts.
    """

    inputs: str
    output: str
    accumulator: Any
    bits: int
    weights: str = ""


KINDS = {
    "fp16": Kind("*fp16", "*fp16", tl.float32, 16),
    "bf16": Kind("*bf16", "*bf16", tl.float32, 16),
    "fp8": Kind("*fp8e4nv", "*fp16", tl.float32, 8),
    "fp8e5": Kind("*fp8e5", "*fp16", tl.float32, 8),
    "int8": Kind("*i8", "*i32", tl.int32, 8),
    "tf32": Kind("*fp32", "*fp32", tl.float32, 32),
    "fp16xint8": Kind("*fp16", "*fp16", tl.float32, 16, weights="*i8"),
    "bf16xfp8": Kind("*bf16", "*bf16", tl.float32, 16, weights="*fp8e4nv"),
}
UNTOUCHED = 12345
"""A value that no product gives."""
ORDERS = ("rc", "rr", "cr", "cc")
"""Memory order of A, then of B: r for row-major, c for column-major. rc has K contiguous in both."""


@dataclass(frozen=True)
class Case:
    """One kernel: element type, memory orders, tile and launch parameters; by pointers or by tensor descriptors.

    `specialised`: separate warps load through the descriptors (`tl.range(warp_specialize=True)`).
    """

    kind: str
    orders: str
    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    num_stages: int
    masked: bool = False
    group_m: int = 8
    descriptors: bool = False
    specialised: bool = False

    @property
    def tile(self) -> str:
        """The tile as printed in tables."""
        return f"{self.block_m}x{self.block_n}x{self.block_k} w{self.num_warps} s{self.num_stages}"

    @property
    def constants(self) -> dict[str, Any]:
        """The compile-time arguments."""
        kind = KINDS[self.kind]
        return {
            "BLOCK_M": self.block_m,
            "BLOCK_N": self.block_n,
            "BLOCK_K": self.block_k,
            "GROUP_M": self.group_m,
            "ACC": kind.accumulator,
            **self.constants_of_loads,
            ("stride_ak" if self.orders[0] == "r" else "stride_am"): 1,
            ("stride_bn" if self.orders[1] == "r" else "stride_bk"): 1,
        }

    @property
    def constants_of_loads(self) -> dict[str, bool]:
        """The constants for the loads of A and B."""
        if self.descriptors:
            rows = {"A_BY_ROWS": self.orders[0] == "r", "B_BY_ROWS": self.orders[1] == "r"}
            return {**rows, "SPECIALISED": self.specialised}
        return {"MASKED": self.masked}

    def source(self) -> ASTSource:
        """The source for triton.compile, with strides of 1 as constants and divisibility by 16."""
        kind = KINDS[self.kind]
        types = {"a_ptr": kind.inputs, "b_ptr": kind.weights or kind.inputs, "c_ptr": kind.output}
        kernel = matmul_by_descriptors if self.descriptors else matmul
        return source(kernel, types, self.constants, any_number=("M", "N", "K") if self.masked else ())

    def compile(self, capability: int = 90) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        return triton.compile(self.source(), target=GPUTarget("cuda", capability, 32), options=options)

    def launch(self, kernel: Any, a: Any, b: Any, c: Any) -> None:
        """Run it on torch tensors a [m, k], b [k, n] (in the memory orders of the case) and c [m, n] row-major."""
        (m, k), n = a.shape, b.shape[1]
        grid = (triton.cdiv(m, self.block_m) * triton.cdiv(n, self.block_n), 1, 1)
        constants = list(self.constants.values())[:-2]
        kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), c.stride(0), *constants)


def tiles(kind: str, orders: str, *, rows: tuple[int, ...] = (64, 128, 256)) -> Iterator[Case]:
    """The tile list of the benchmarks: tiles that fit registers and shared memory, 4 and 8 warps, 2 to 4 stages."""
    size = KINDS[kind].bits // 8
    for warps in (4, 8):
        for block_m in rows:
            for block_n in (64, 128, 256):
                accumulators = block_m * block_n // (32 * warps)
                if not 16 <= accumulators <= 128:
                    continue
                for bytes_of_k in (64, 128):
                    for stages in (2, 3, 4):
                        case = Case(kind, orders, block_m, block_n, bytes_of_k // min(size, 4), warps, stages)
                        if (block_m + block_n) * bytes_of_k * stages <= 200 * 1024:
                            yield replace(case, block_k=max(16, case.block_k))


def random_problem(rng: random.Random) -> tuple[Case, tuple[int, int, int]]:
    """A tile, orders and a problem; masked problems have tails in every dim and padded rows.

    Rows that TMA reads start at multiples of 16 bytes.
    """
    descriptors = rng.random() < 0.5
    kind = rng.choice(["fp8", "fp8e5", "int8", "tf32", "fp16", "fp16xint8", "bf16xfp8"])
    block_k = rng.choice([32, 64, 128]) if KINDS[kind].bits < 32 else rng.choice([16, 32])
    warps = rng.choice([4, 8])
    case = Case(
        kind,
        rng.choice(ORDERS),
        rng.choice([16, 32, 64, 128]),
        rng.choice([32, 64, 128, 256] if warps == 8 else [32, 64, 128]),
        block_k,
        warps,
        rng.choice([1, 2, 3, 4, 5]),
        masked=rng.random() < 0.5,
        descriptors=descriptors,
    )
    depth = rng.choice([1, 2, 3, 20])  # a long loop exposes overwrites of buffers that a dot in flight still reads
    if case.masked:
        step = 16 if descriptors else 1
        problem = tuple(step * rng.randrange(1, 1 + most // step) for most in (400, 400, 100 * depth))
    else:
        problem = (case.block_m * rng.randrange(1, 4), case.block_n * rng.randrange(1, 4), block_k * depth)
    return case, problem


def tensors(kind: str, orders: str, m: int, n: int, k: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Random a [m, k] and b [k, n] in these memory orders, and an output filled with UNTOUCHED."""
    import torch

    generator = torch.Generator(device="cuda").manual_seed(seed)
    dtypes = {
        "*fp16": torch.float16,
        "*bf16": torch.bfloat16,
        "*fp8e4nv": torch.float8_e4m3fn,
        "*fp8e5": torch.float8_e5m2,
        "*i8": torch.int8,
        "*i32": torch.int32,
        "*fp32": torch.float32,
    }

    def matrix(rows: int, columns: int, order: str, pointer: str) -> Any:
        shape = (rows, columns) if order == "r" else (columns, rows)
        if pointer == "*i8":
            stored = torch.randint(-128, 128, shape, device="cuda", generator=generator, dtype=torch.int32)
        else:
            stored = torch.randn(shape, device="cuda", generator=generator)
        stored = stored.to(dtypes[pointer])
        return stored if order == "r" else stored.T

    types = KINDS[kind]
    c = torch.full((m, n), UNTOUCHED, device="cuda", dtype=dtypes[types.output])
    return matrix(m, k, orders[0], types.inputs), matrix(k, n, orders[1], types.weights or types.inputs), c


def relative_error(a: Any, b: Any, c: Any) -> float:
    """Frobenius norm of c - ab over that of ab, in float64."""
    reference = a.double() @ b.double()
    return ((c.double() - reference).norm() / reference.norm()).item()


def relative_difference(expected: Any, result: Any) -> float:
    """Norm of the difference of finite elements over that of those expected; NaN if others are finite."""
    finite = expected.isfinite()
    if not finite.equal(result.isfinite()):
        return float("nan")
    return ((result - expected)[finite].norm() / expected[finite].norm().clamp(min=1e-30)).item()
