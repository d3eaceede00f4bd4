"""Enabling and disabling on a stand-in for triton-xpu's backend: which passes a kernel gets, and what remains."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import dotload
from dotload.plugin import hook, xpu


class StandIn:
    """A stand-in for the parts of Intel's backend that dotload changes."""

    @staticmethod
    def make_ttgir(mod: Any, metadata: Any, opt: Any, properties: Any) -> Any:
        return mod

    def hash(self) -> str:
        return "stock"


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """triton-xpu with a pass for it, `toy-xe`; how often the process forgot its kernels."""
    count: list[int] = []
    monkeypatch.setattr(hook, "select", lambda passes: hook.Selection(None if passes is None else (passes,)))
    monkeypatch.setattr(xpu, "is_here", lambda: True)
    monkeypatch.setattr(xpu, "_backend_class", lambda: StandIn)
    monkeypatch.setattr(xpu, "passes_for", lambda target, chosen: ["all"] if chosen is None else list(chosen))
    monkeypatch.setattr(xpu, "fingerprint", "+".join)
    monkeypatch.setattr(xpu, "Rewriter", lambda passes, publish: lambda module: f"{module} after {'+'.join(passes)}")
    monkeypatch.setattr(xpu, "forget_compiled", lambda: count.append(1))
    return count


def compiled() -> tuple[str, str]:
    """What the stage makes, and the key."""
    return StandIn.make_ttgir("module", {}, SimpleNamespace(), {}), StandIn().hash()


def test_a_block_restores_what_was_in_force_before(forgotten: list[int]) -> None:
    plain = compiled()
    dotload.enable()
    with dotload.enabled("one"):
        with dotload.enabled("other"):
            assert compiled() == ("module after other", "stockother")
        assert compiled() == ("module after one", "stockone")
    assert compiled() == ("module after all", "stockall")
    dotload.disable()
    assert compiled() == plain == ("module", "stock")


def test_disabled_compiles_as_stock(forgotten: list[int]) -> None:
    with dotload.enabled():
        with dotload.disabled():
            assert compiled() == ("module", "stock")
        assert compiled() == ("module after all", "stockall")


def test_every_switch_forgets_the_kernels_of_the_process(forgotten: list[int]) -> None:
    dotload.enable()
    for block in (dotload.enabled, dotload.disabled):
        before = len(forgotten)
        with block():
            assert len(forgotten) > before
            before = len(forgotten)
        assert len(forgotten) > before
    before = len(forgotten)
    dotload.disable()
    assert len(forgotten) > before


def test_the_backend_has_its_own_functions_afterwards(forgotten: list[int]) -> None:
    before = dict(vars(StandIn))
    with dotload.enabled():
        assert dict(vars(StandIn)) != before
    assert dict(vars(StandIn)) == before
