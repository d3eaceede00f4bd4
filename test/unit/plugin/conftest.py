"""Kernels and a toy pass for the plugin's tests; nothing here needs a GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia.ampere import mma_v2
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import dotload
from dotload.passes import registry, remarks
from dotload.passes.registry import Place
from dotload.plugin import report

BEFORE_LATENCIES = Place("ttgir", before="tritongpu-assign-latencies")
HOPPER = GPUTarget("cuda", 90, 32)


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, tl.cdiv(k, BK)):
        depth = start * BK + inner
        a = tl.load(a_ptr + rows[:, None] * k + depth[None, :], mask=depth[None, :] < k, other=0.0)
        b = tl.load(b_ptr + depth[:, None] * n + columns[None, :], mask=depth[:, None] < k, other=0.0)
        acc = tl.dot(a, b, acc)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], (acc * 1.44269504).to(tl.float16), mask=mask)


@triton.jit
def copy(x_ptr, y_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(y_ptr + at, tl.load(x_ptr + at))


@triton.jit
def medley(x_ptr, y_ptr, n, SIZE: tl.constexpr):
    """A region that combines, a while loop, atomics, assembly with every odd character, a call left alone."""
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at, mask=at < n, other=float("-inf"))
    top = tl.max(x, axis=0)
    total = tl.sum(tl.exp2((x - top) * 1.4426950408889634), axis=0)
    i = 0
    while i < n:
        total += i
        i += 3
    scanned = tl.cumsum(x, axis=0)
    odd = tl.inline_asm_elementwise(
        '{ // #blocked "quoted" (loc) \n mov.b32 $0, $1; }', "=f,f", [scanned], dtype=tl.float32, is_pure=True, pack=1
    )
    tl.device_assert(n > 0, 'n (#loc1) must be positive: "n"')
    tl.store(y_ptr + at, odd + total, mask=at < n)
    tl.atomic_add(y_ptr, total)


@gluon.jit
def gluon_gemm(a_ptr, b_ptr, c_ptr, SIZE: gl.constexpr, BK: gl.constexpr):
    parent: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, parent, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, parent, 2)
    a_at = (
        gl.arange(0, SIZE, gl.SliceLayout(1, left))[:, None] * BK + gl.arange(0, BK, gl.SliceLayout(0, left))[None, :]
    )
    b_at = (
        gl.arange(0, BK, gl.SliceLayout(1, right))[:, None] * SIZE
        + gl.arange(0, SIZE, gl.SliceLayout(0, right))[None, :]
    )
    acc = gl.zeros([SIZE, SIZE], gl.float32, parent)
    acc = mma_v2(gl.load(a_ptr + a_at), gl.load(b_ptr + b_at), acc)
    at = (
        gl.arange(0, SIZE, gl.SliceLayout(1, parent))[:, None] * SIZE
        + gl.arange(0, SIZE, gl.SliceLayout(0, parent))[None, :]
    )
    gl.store(c_ptr + at, acc)


def op_name(op: Operation) -> str:
    """The name of an operation, whether or not xDSL knows its class."""
    unregistered = op.attributes.get("op_name__")
    return unregistered.data if isinstance(unregistered, StringAttr) else op.name


@dataclass(frozen=True)
class Volatile(ModulePass):
    """Toy pass: make every load volatile (with `all=false`, only loads without a mask), visible in TTGIR and PTX."""

    name = "toy-volatile"
    all: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if op_name(inner) == "tt.load" and (self.all or len(inner.operands) == 1):
                inner.properties["isVolatile"] = IntegerAttr.from_bool(True)
                remarks.emit("passed", self.name, inner, "is volatile", "TOY")


@dataclass(frozen=True)
class Raise(ModulePass):
    """Toy pass: change a load, emit a remark, and raise an error."""

    name = "toy-raise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        Volatile().apply(ctx, op)
        raise ValueError("toy trouble")


@dataclass(frozen=True)
class Break(ModulePass):
    """Toy pass: leave IR that MLIR rejects."""

    name = "toy-break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if op_name(inner) == "tt.load":
                inner.properties["isVolatile"] = StringAttr("never")


@dataclass(frozen=True)
class Remove(ModulePass):
    """Toy pass: remove the kernel."""

    name = "toy-remove"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.body.block.ops):
            inner.detach()


@dataclass(frozen=True)
class Rename(ModulePass):
    """Toy pass: rename the kernel."""

    name = "toy-rename"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.body.block.ops:
            inner.properties["sym_name"] = StringAttr("other")


@dataclass(frozen=True)
class Idle(ModulePass):
    """Toy pass: change nothing."""

    name = "toy-idle"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks.emit("missed", self.name, op, "nothing to do", "IDLE")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[None, None, None]:
    """An empty cache, an empty registry and dotload off, before and after each test."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    for variable in ("DOTLOAD_REMARKS", "DOTLOAD_STRICT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setattr(report, "_warned", set())
    report.report(clear=True)
    yield
    dotload.disable()
    assert triton.knobs.runtime.add_stages_inspection_hook is None


@pytest.fixture
def register() -> Callable[..., None]:
    """Register a toy pass, by default before tritongpu-assign-latencies."""

    def register(cls: type[ModulePass], place: object = BEFORE_LATENCIES, **how: Any) -> None:
        dotload.register_pass(place=place, **how)(cls)

    return register


def source_of(kernel: Any, signature: Mapping[str, str], constants: Mapping[str, int], source: Any = ASTSource) -> Any:
    """The argument of `triton.compile`; pointers and sizes are divisible by 16."""
    names = kernel.arg_names
    types = {name: signature.get(name, "constexpr") for name in names}
    attributes = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names) if name in signature}
    return source(kernel, types, {(names.index(name),): value for name, value in constants.items()}, attributes)


def compile_gemm(target: GPUTarget = HOPPER, dtype: str = "fp16", options: Any = None, **tile: int) -> Any:
    pointers = {"a_ptr": f"*{dtype}", "b_ptr": f"*{dtype}", "c_ptr": "*fp16"}
    sizes = {"m": "i32", "n": "i32", "k": "i32"}
    constants = {"BM": 64, "BN": 64, "BK": 32} | tile
    return triton.compile(source_of(gemm, pointers | sizes, constants), target=target, options=options)


def compile_copy(target: GPUTarget = HOPPER, size: int = 256) -> Any:
    return triton.compile(source_of(copy, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {"SIZE": size}), target=target)


def compile_medley(target: GPUTarget = HOPPER) -> Any:
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}
    return triton.compile(source_of(medley, signature, {"SIZE": 256}), target=target, options={"debug": True})


def compile_gluon(target: GPUTarget = HOPPER) -> Any:
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32"}
    return triton.compile(source_of(gluon_gemm, signature, {"SIZE": 64, "BK": 32}, GluonASTSource), target=target)


@pytest.fixture
def kernels() -> Any:
    """The helpers of this file, as a module: importlib mode lets no test import its conftest."""
    return sys.modules[__name__]
