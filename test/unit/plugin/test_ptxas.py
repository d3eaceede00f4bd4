"""Which ptxas assembles a rewritten kernel: stock's, or a newer one if stock's is known to miscompile it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dotload.plugin import ptxas
from dotload.plugin.ptxas import assembled_right, is_suspect, quiet

WGMMA = "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3"
SPILLS, FITS = b"spills", b"fits"
OLD, NEW = SimpleNamespace(version="12.8"), SimpleNamespace(version="12.9")

knobs: Any = SimpleNamespace(nvidia=SimpleNamespace(ptxas=OLD, ptxas_blackwell=NEW))


def get_ptxas(arch: int) -> Any:
    return knobs.nvidia.ptxas_blackwell if arch >= 100 else knobs.nvidia.ptxas


class Backend:
    """A backend like Triton's: `make_cubin` finds ptxas by the globals of its module."""

    def __init__(self, arch: int = 90) -> None:
        self.target = SimpleNamespace(backend="cuda", arch=arch)

    def make_cubin(self, src: str, metadata: dict[str, Any]) -> bytes:
        return f"{src} by {get_ptxas(90).version}".encode()

    def stage(self) -> Any:
        return lambda src, metadata: self.make_cubin(src, metadata)


@pytest.fixture(autouse=True)
def cubins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "resources_of", lambda cubin, *_: SimpleNamespace(stack_bytes=8 * (cubin == SPILLS)))


@pytest.mark.parametrize(
    ("ptx", "cubin", "version", "suspect"),
    [
        (WGMMA, SPILLS, (12, 8), True),
        (WGMMA, FITS, (12, 8), False),
        (WGMMA, SPILLS, (12, 9), False),
        (WGMMA, SPILLS, (13, 0), False),
        ("mma.sync", SPILLS, (12, 8), False),
    ],
)
def test_kernels_of_wgmma_that_spill_are_suspect(ptx: str, cubin: bytes, version: Any, suspect: bool) -> None:
    assert is_suspect(ptx, cubin, version) == suspect


def test_a_suspect_kernel_is_assembled_by_the_newer_ptxas() -> None:
    backend: Any = Backend()
    cubin, remark = assembled_right(backend, backend.stage(), WGMMA, SPILLS, {})
    assert cubin == f"{WGMMA} by 12.9".encode()
    assert remark is not None
    assert remark.reason == "ASSEMBLED"
    assert "12.8" in remark.message


def test_other_kernels_are_left_to_stocks_ptxas() -> None:
    backend: Any = Backend()
    assert assembled_right(backend, backend.stage(), WGMMA, FITS, {}) == (FITS, None)


def test_ptxas_is_the_one_that_triton_chooses_for_the_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton 3.9 uses the newer ptxas for Hopper too, and may come without the older one."""
    monkeypatch.delattr(knobs.nvidia, "ptxas")
    backend: Any = Backend(arch=100)
    assert assembled_right(backend, backend.stage(), WGMMA, SPILLS, {}) == (SPILLS, None)


def test_a_suspect_kernel_is_given_up_where_no_ptxas_is_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knobs.nvidia, "ptxas_blackwell", OLD)
    backend: Any = Backend()
    with pytest.raises(RuntimeError, match=r"the kernel spills, and ptxas 12\.8 miscompiles"):
        assembled_right(backend, backend.stage(), WGMMA, SPILLS, {})


def test_a_backend_that_chooses_no_ptxas_is_left_alone() -> None:
    other: Any = SimpleNamespace()
    assert assembled_right(other, None, WGMMA, SPILLS, {}) == (SPILLS, None)  # type: ignore[arg-type]


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
