"""Strict mode: for a rewritten kernel with hazards, stock's kernel is used, and a remark names the hazard."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr

import dotload
from dotload.passes.registry import Place

IN_FLIGHT = 99


def impatient(kernels) -> type:
    """A pass that lets the waits for copies leave copies in flight."""

    def apply(self, ctx, op) -> None:
        for inner in op.walk():
            if inner.name == "ttg.async_wait":
                inner.num = IntegerAttr(IN_FLIGHT, inner.num.type)

    return type("Impatient", (kernels.Idle,), {"name": "toy-impatient", "apply": apply})


def test_a_finding_reverts_the_rewrite(kernels, register, monkeypatch) -> None:
    register(impatient(kernels), place=Place("ttgir"))
    stock = kernels.compile_gemm()
    monkeypatch.setenv("DOTLOAD_STRICT", "1")
    dotload.report(clear=True)
    with dotload.enabled():
        ours = kernels.compile_gemm()
    assert ours.asm["ptx"] == stock.asm["ptx"]
    found = dotload.report()
    assert {remark.kind for remark in found} == {"failure"}
    (late, *_) = [remark for remark in found if remark.reason == "NOT_ARRIVED"]
    assert "cp.async may still be writing" in late.message


def test_without_strict_mode_nothing_is_checked(kernels, register, monkeypatch) -> None:
    register(impatient(kernels), place=Place("ttgir"))
    monkeypatch.delenv("DOTLOAD_STRICT", raising=False)
    with dotload.enabled():
        assert f"num = {IN_FLIGHT}" in kernels.compile_gemm().asm["ttgir"]
