"""A rewritten kernel that spills beside wgmma is assembled by ptxas 12.9 or newer.

ptxas 12.8, which Triton 3.6 and 3.7 call for Hopper, makes some of these wrong: numbers that are off, NaN, accesses out
of bounds. ptxas 12.9 and 13.4 make right ones of the same PTX (test/gpu/test_attention.py has one). The wheels of both
versions carry a newer ptxas, for Blackwell. Stock's own kernels are left to stock's ptxas.
"""

from __future__ import annotations

import copy
import types
from typing import Any

from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.cubin import resources_of
from dotload.plugin.pipeline import over_twin
from dotload.plugin.triton_types import Backend, Stage

Version = tuple[int, ...]

FIRST_RIGHT: Version = (12, 9)


def version_of(tool: Any) -> Version:
    """Of one of Triton's NVIDIA tools, as in (12, 8)."""
    return tuple(map(int, tool.version.split(".")))


def is_suspect(ptx: str, cubin: bytes, version: Version) -> bool:
    """Whether ptxas of this version may have made a wrong kernel of this PTX."""
    if version >= FIRST_RIGHT or "wgmma.mma_async" not in ptx:
        return False
    try:
        return resources_of(cubin, 0, 1).stack_bytes > 0
    except ValueError:
        return True


def assembled_right(
    backend: Backend, stage: Stage, ptx: str, cubin: bytes, metadata: dict[str, Any]
) -> tuple[bytes, Remark | None]:
    """The cubin of a rewritten kernel, by stock's `stage`; where that is suspect, by a newer ptxas, and a remark.

    RuntimeError where there is no newer one.
    """
    tools = _tools(backend)
    if tools is None or not is_suspect(ptx, cubin, version_of(tools.ptxas)):
        return cubin, None
    why = f"ptxas {tools.ptxas.version} makes some kernels of wgmma wrong that spill"
    if version_of(tools.ptxas_blackwell) < FIRST_RIGHT:
        raise RuntimeError(f"it spills, and {why}")
    text = f"assembled by ptxas {tools.ptxas_blackwell.version}, which Triton has for Blackwell: {why}"
    remark = Remark("analysis", "stage-dot-operands", KERNEL, text, "ASSEMBLED")
    return _with_ptxas(backend, stage, tools.ptxas_blackwell)(ptx, metadata), remark


def _tools(backend: Any) -> Any:
    """Triton's NVIDIA tools, where this version chooses one of two for an architecture; else None."""
    method: Any = getattr(backend, "make_cubin", None)
    names: dict[str, Any] = getattr(getattr(method, "__func__", method), "__globals__", {})
    return names["knobs"].nvidia if names.keys() >= {"knobs", "get_ptxas"} else None


def _with_ptxas(backend: Any, stage: Stage, tool: Any) -> Stage:
    """The stage over a twin of the backend whose `make_cubin` calls this ptxas."""
    method: Any = backend.make_cubin
    plain: types.FunctionType = method.__func__

    def get_ptxas(_arch: int) -> Any:
        return tool

    twin = copy.copy(backend)
    names = plain.__globals__ | {"get_ptxas": get_ptxas}
    twin.make_cubin = types.MethodType(types.FunctionType(plain.__code__, names), twin)
    return over_twin(stage, twin)
