"""The finding on one operation, and the target of a module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dotload.tools.viewer.picture import Picture

if TYPE_CHECKING:
    from xdsl.ir import Operation


DEFAULT_CAPABILITY = 90


@dataclass(frozen=True)
class Finding:
    """One operation: its place, kind, cost and verdict. Bytes are of one execution."""

    location: str
    operation: str
    type: str
    access: str
    cost: str
    bytes_used: int
    bytes_moved: int
    verdict: str
    advice: tuple[str, ...] = ()
    picture: Picture | None = None


def target_of(module: Operation) -> str:
    """`cuda:90` and the like; Triton's Intel backend writes its own attribute names."""
    target = module.attributes.get("ttg.target")
    if target is not None:
        return str(getattr(target, "data", target))
    is_intel = any(name.startswith(("ttig.", "triton_intel_gpu.")) for name in module.attributes)
    return "xpu" if is_intel else f"cuda:{DEFAULT_CAPABILITY}"
