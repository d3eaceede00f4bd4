"""The check for hazards behind every rewrite, where `DOTLOAD_STRICT` asks for it."""

from __future__ import annotations

from dotload.passes.remarks import Remark
from dotload.plugin import nvidia
from dotload.plugin.triton_types import Module, minor_version

CHECK = "check-shared-memory-hazards"


def hazards_in(module: Module) -> list[Remark]:
    """A remark for each hazard of a kernel as it leaves the stage `ttgir`."""
    from dotload.dialect_ext.tt import FuncOp  # here: a process without candidates never loads xDSL
    from dotload.dialect_ext.typed import of_kind
    from dotload.layout.reject import Reject
    from dotload.passes.check_shared_memory_hazards import hazards_of
    from dotload.passes.remarks import where
    from dotload.plugin import bridge

    fences = nvidia.options_for(CHECK, minor_version()).get("fence_copies", True)
    found: dict[tuple[str, str], Remark] = {}
    for function in of_kind(bridge.to_xdsl(module).ops, FuncOp):
        try:
            for each in hazards_of(function, fence_copies=bool(fences)):
                message = f"the rewritten kernel has a hazard and is left to stock: {each.message}"
                found[each.lines] = Remark("failure", CHECK, where(each.op), message, each.hazard.code)
        except Reject:
            continue
    return list(found.values())
