"""torch.compile's kernels go through dotload's hook, in this process and in Inductor's workers."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("xdsl")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from xdsl.context import Context  # noqa: E402
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr  # noqa: E402
from xdsl.passes import ModulePass  # noqa: E402

import dotload  # noqa: E402
from dotload.passes import registry, remarks  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@dataclass(frozen=True)
class Volatile(ModulePass):
    """Toy pass: make every load volatile."""

    name = "toy-volatile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            unregistered = inner.attributes.get("op_name__")
            name = unregistered.data if isinstance(unregistered, StringAttr) else inner.name
            if name == "tt.load":
                inner.properties["isVolatile"] = IntegerAttr.from_bool(True)
                remarks.emit("passed", self.name, inner, "is volatile")


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[None, None, None]:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    dotload.register_pass(place=registry.Place("ttgir", before="tritongpu-assign-latencies"))(Volatile)
    yield
    registry.remove(Volatile.name)


def test_inductor_kernels_go_through_the_hook() -> None:
    x = torch.randn(4096, device="cuda")

    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x * 3.0) + x.sin()

    counts = []
    for on in (False, True, False, True):
        torch._dynamo.reset()
        dotload.report(clear=True)
        if on:
            with dotload.enabled("toy-volatile"):
                y = torch.compile(function)(x)
        else:
            y = torch.compile(function)(x)
        torch.testing.assert_close(y, function(x))
        counts.append(len(dotload.report()))
    assert counts[0] == counts[2] == 0
    assert counts[1] > 0, "the same graph as before, compiled anew with dotload"


@triton.jit
def _product(a_ptr, b_ptr, c_ptr, n, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    a, b = a_ptr + at[:, None] * n + at[None, :], b_ptr + at[:, None] * n + at[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for _ in range(tl.cdiv(n, SIZE)):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a, b = a + SIZE, b + SIZE * n
    tl.store(c_ptr + at[:, None] * SIZE + at[None, :], total)


def test_inductors_workers_compile_with_dotload(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import config
    from torch._inductor.async_compile import AsyncCompile

    from dotload.plugin import inductor

    a, b = (torch.randn(256, 256, device="cuda").to(torch.float8_e4m3fn) for _ in "ab")
    received: list[int] = []

    def spy(value, kernels):
        received.append(len(kernels))
        return theirs(value, kernels)

    theirs = inductor._received
    monkeypatch.setattr(inductor, "_received", spy)

    def function(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(128, 128, device="cuda")
        _product[(1,)](a, b, c, 256, SIZE=128)
        return torch.relu(c)

    torch._dynamo.reset()
    dotload.report(clear=True)
    with config.patch(compile_threads=2):
        AsyncCompile.process_pool()
        AsyncCompile.wait_pool_ready()
        with dotload.enabled("stage-dot-operands,convert-staged-operands-to-llvm"):
            c = torch.compile(function)(a, b)
    assert torch.equal(c, function(a, b))
    assert sum(received) > 0, "a worker compiled with dotload"
    assert "stage-dot-operands" in {remark.pass_name for remark in dotload.report()}
