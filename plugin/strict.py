"""Strict mode: the checks of a rewritten kernel, besides the proofs of its plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dotload.passes.remarks import KERNEL, Remark, where
from dotload.plugin import nvidia
from dotload.plugin.triton_types import Module, minor_version

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

HAZARDS = "check-shared-memory-hazards"
VALIDATION = "translation-validation"


def problems_of(stock: Module | None, ours: Module) -> list[Remark]:
    """A remark for each hazard of a rewritten kernel at the end of the stage `ttgir`, and for a wrong store.

    `stock`: stock's kernel at the end of the stage; None if the passes may change what the kernel computes.
    """
    from dotload.plugin import bridge  # here: a process without candidates never loads xDSL

    module = bridge.to_xdsl(ours)
    wrong = "" if stock is None else difference(bridge.to_xdsl(stock), module)
    message = f"stock Triton's kernel is used: {wrong}"
    found = [Remark("failure", VALIDATION, KERNEL, message, "DIFFERS")] if wrong else []
    return found + hazards_in(module)


def hazards_in(module: ModuleOp) -> list[Remark]:
    """A remark for each hazard of a kernel; none for one that is not modelled."""
    from dotload.passes.check_shared_memory_hazards import findings_in

    fences = nvidia.options_for(HAZARDS, minor_version()).get("fence_copies", True)
    return [
        Remark("failure", HAZARDS, where(each.op), f"stock Triton's kernel is used: {each.message}", each.hazard.code)
        for each in findings_in(module, fence_copies=bool(fences))
    ]


def difference(stock: ModuleOp, ours: ModuleOp) -> str:
    """How the stores of a rewritten kernel differ from stock's; empty if they do not, or if that is not known."""
    from dotload.passes.validation.compare import differences, stored_by
    from dotload.passes.validation.machine import Invalid, Unsupported

    try:
        wanted = stored_by(stock)
    except (Invalid, Unsupported):
        return ""
    try:
        return differences(wanted, stored_by(ours))
    except Unsupported:
        return ""
    except Invalid as error:
        return str(error)
