"""Which ptxas assembles a rewritten kernel: stock's, or a newer one if stock's may miscompile it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dotload.plugin import ptxas
from dotload.plugin.ptxas import assemble_right, quiet

WGMMA = "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3"
OLD, NEW = SimpleNamespace(version="12.8"), SimpleNamespace(version="12.9")

knobs: Any = SimpleNamespace(nvidia=SimpleNamespace(ptxas=OLD, ptxas_blackwell=NEW))


def get_ptxas(arch: int) -> Any:
    return knobs.nvidia.ptxas_blackwell if arch >= 100 else knobs.nvidia.ptxas


class Backend:
    """A backend like Triton's: `make_cubin` finds ptxas by the globals of its module."""

    def __init__(self, arch: int = 90) -> None:
        self.target = SimpleNamespace(backend="cuda", arch=arch)

    def make_cubin(self, src: str, metadata: dict[str, Any]) -> bytes:
        return f"{src} by {get_ptxas(self.target.arch).version}".encode()

    def stage(self) -> Any:
        return lambda src, metadata: self.make_cubin(src, metadata)


@pytest.fixture(autouse=True)
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "driver_version", lambda: None)


@pytest.fixture
def spills(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The stack of every kernel, in bytes: a list of one number."""
    stack = [0]
    monkeypatch.setattr(ptxas, "resources_of", lambda *_: SimpleNamespace(stack_bytes=stack[0]))
    return stack


def test_a_kernel_of_wgmma_is_assembled_by_the_newer_ptxas() -> None:
    backend: Any = Backend()
    cubin, remark = assemble_right(backend, backend.stage(), WGMMA, {})
    assert cubin == f"{WGMMA} by 12.9".encode()
    assert remark is not None
    assert remark.reason == "ASSEMBLED"
    assert "12.8" in remark.message


@pytest.mark.parametrize(("driver", "chosen"), [((12, 8), "12.8"), ((13, 0), "13.1"), (None, "13.1")])
def test_a_newer_ptxas_is_used_if_the_driver_loads_what_it_makes(
    monkeypatch: pytest.MonkeyPatch, spills: list[int], driver: Any, chosen: str
) -> None:
    """Triton 3.7's is of CUDA 13. On a machine without a driver, kernels are compiled for others."""
    monkeypatch.setattr(ptxas, "driver_version", lambda: driver)
    monkeypatch.setattr(knobs.nvidia, "ptxas_blackwell", SimpleNamespace(version="13.1"))
    backend: Any = Backend()
    assert assemble_right(backend, backend.stage(), WGMMA, {})[0] == f"{WGMMA} by {chosen}".encode()


def test_other_kernels_are_left_to_stocks_ptxas() -> None:
    backend: Any = Backend()
    assert assemble_right(backend, backend.stage(), "mma.sync", {}) == (b"mma.sync by 12.8", None)


@pytest.mark.parametrize("version", ["12.9", "13.0"])
def test_a_ptxas_that_is_new_enough_assembles_everything(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(knobs.nvidia, "ptxas", SimpleNamespace(version=version))
    backend: Any = Backend()
    assert assemble_right(backend, backend.stage(), WGMMA, {}) == (f"{WGMMA} by {version}".encode(), None)


def test_ptxas_is_the_one_that_triton_chooses_for_the_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton 3.9 uses the newer ptxas for Hopper too, and may come without the older one."""
    monkeypatch.delattr(knobs.nvidia, "ptxas")
    backend: Any = Backend(arch=100)
    assert assemble_right(backend, backend.stage(), WGMMA, {}) == (f"{WGMMA} by 12.9".encode(), None)


class NoneForBlackwell:
    """Knobs of Triton that find no ptxas for Blackwell."""

    ptxas = OLD

    @property
    def ptxas_blackwell(self) -> Any:
        raise RuntimeError("Cannot find ptxas-blackwell")


@pytest.mark.parametrize("nvidia", [SimpleNamespace(ptxas=OLD, ptxas_blackwell=OLD), NoneForBlackwell()])
def test_where_no_ptxas_is_newer_kernels_that_spill_are_given_up(
    monkeypatch: pytest.MonkeyPatch, spills: list[int], nvidia: Any
) -> None:
    monkeypatch.setattr(knobs, "nvidia", nvidia)
    backend: Any = Backend()
    assert assemble_right(backend, backend.stage(), WGMMA, {}) == (f"{WGMMA} by 12.8".encode(), None)
    spills[0] = 8
    with pytest.raises(RuntimeError, match=r"the kernel spills, and ptxas 12\.8 miscompiles"):
        assemble_right(backend, backend.stage(), WGMMA, {})


def test_a_backend_that_chooses_no_ptxas_is_left_alone() -> None:
    backend: Any = SimpleNamespace()
    assert assemble_right(backend, lambda src, metadata: b"cubin", WGMMA, {}) == (b"cubin", None)


class Loud:
    """A backend like Triton's: `make_cubin` prints the kernel that ptxas rejects, and the log if asked for."""

    def make_cubin(self, src: str, metadata: dict[str, Any]) -> bytes:
        print(f"about {src}")
        if src == "bad":
            raise RuntimeError("ptxas refuses it")
        return b"cubin"

    def stage(self) -> Any:
        return lambda src, metadata: self.make_cubin(src, metadata)


def test_what_is_printed_of_a_failure_that_is_caught_is_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    backend: Any = Loud()
    with pytest.raises(RuntimeError, match="ptxas refuses it"):
        quiet(backend, backend.stage())("bad", {})
    assert capsys.readouterr().out == ""


def test_what_is_printed_of_a_success_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    backend: Any = Loud()
    assert quiet(backend, backend.stage())("good", {}) == b"cubin"
    assert capsys.readouterr().out == "about good\n"


def test_a_stage_that_another_hook_has_put_there_runs_as_it_is() -> None:
    assert quiet(Loud(), lambda src, metadata: src.encode())("good", {}) == b"good"
