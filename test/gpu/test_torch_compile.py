"""torch.compile's kernels go through dotload's hook: a toy pass changes what Inductor compiles until it is disabled."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("xdsl")

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
