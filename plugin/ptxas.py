"""Which of the wheel's two ptxas assembles a rewritten kernel. Stock's own kernels are left to stock's ptxas.

ptxas 12.8, which Triton 3.6 and 3.7 call for Hopper, makes some kernels wrong that spill beside wgmma: numbers that are
off, NaN, accesses out of bounds. ptxas 12.9 and 13.4 make right ones of the same PTX (test/gpu/test_attention.py has
one). These are assembled by the newer ptxas that both wheels have for Blackwell.

ptxas 13.4, which Triton 3.9 calls, spills in some kernels what 12.9, which its wheel has for older GPUs, computes anew
(descriptors of wgmma, say). A kernel that spills is assembled by both (`assembler.py`).

Triton prints a kernel that ptxas refuses, all of its PTX, before it raises. Where stock's kernel then takes its place,
nobody wants that on standard output.
"""

from __future__ import annotations

import copy
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.cubin import resources_of
from dotload.plugin.pipeline import over_twin
from dotload.plugin.triton_types import Backend, Stage

Version = tuple[int, ...]

FIRST_RIGHT: Version = (12, 9)

_PTX_VERSION = re.compile(r"^\.version (\d+)\.(\d)$", re.MULTILINE)


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


@dataclass(frozen=True)
class Tools:
    """The ptxas that Triton calls for an architecture, and its other one, or None where that makes wrong kernels.

    `newest_ptx`: the version of PTX that a ptxas reads, as in "12.9" -> 88 (Triton's own table).
    """

    used: Any
    other: Any
    newest_ptx: Callable[[str], int]

    @staticmethod
    def of(backend: Any) -> Tools | None:
        """None where this version of Triton does not choose one of two."""
        method: Any = getattr(backend, "make_cubin", None)
        names: dict[str, Any] = getattr(getattr(method, "__func__", method), "__globals__", {})
        if not names.keys() >= {"knobs", "get_ptxas", "ptx_get_version"}:
            return None
        used = names["get_ptxas"](backend.target.arch)
        return Tools(used, _other(names["knobs"].nvidia, used), names["ptx_get_version"])

    def readable(self, ptx: str) -> str:
        """The PTX, by a version that the other one reads, as Triton writes it; what is newer in it, ptxas refuses."""
        newest = self.newest_ptx(self.other.version)
        found = _PTX_VERSION.search(ptx)
        if found is None or int("".join(found.groups())) <= newest:
            return ptx
        return _PTX_VERSION.sub(f".version {newest // 10}.{newest % 10}", ptx, count=1)


def _other(tools: Any, used: Any) -> Any:
    for name in ("ptxas", "ptxas_blackwell"):
        try:
            tool = getattr(tools, name)
        except (AttributeError, RuntimeError):  # a wheel with one of them: Triton 3.9 says that the older will go
            continue
        if FIRST_RIGHT <= version_of(tool) != version_of(used):
            return tool
    return None


def assembled_right(
    backend: Backend, stage: Stage, ptx: str, cubin: bytes, metadata: dict[str, Any]
) -> tuple[bytes, Remark | None]:
    """The cubin of a rewritten kernel, by stock's `stage`; where that is suspect, by the other ptxas, and a remark.

    RuntimeError where there is no other.
    """
    tools = Tools.of(backend)
    if tools is None or not is_suspect(ptx, cubin, version_of(tools.used)):
        return cubin, None
    why = f"ptxas {tools.used.version} makes some kernels of wgmma wrong that spill"
    if tools.other is None:
        raise RuntimeError(f"it spills, and {why}")
    return _by_other(tools, backend, stage, ptx, metadata, why)


def assembled_by_other(
    backend: Backend, stage: Stage, ptx: str, metadata: dict[str, Any]
) -> tuple[bytes, Remark] | None:
    """The cubin of a kernel by the wheel's other ptxas, and a remark for those who take it; None without another."""
    tools = Tools.of(backend)
    if tools is None or tools.other is None:
        return None
    return _by_other(tools, backend, stage, ptx, metadata, f"ptxas {tools.used.version} spills more of it")


def _by_other(
    tools: Tools, backend: Backend, stage: Stage, ptx: str, metadata: dict[str, Any], why: str
) -> tuple[bytes, Remark]:
    def get_ptxas(_arch: int) -> Any:
        return tools.other

    text = f"assembled by ptxas {tools.other.version}, which Triton has for other GPUs: {why}"
    cubin = quiet(backend, stage, get_ptxas=get_ptxas)(tools.readable(ptx), metadata)
    return cubin, Remark("analysis", "stage-dot-operands", KERNEL, text, "ASSEMBLED")


def quiet(backend: Any, stage: Stage, **names: Any) -> Stage:
    """The stage, for a kernel whose failure is caught: what `make_cubin` prints before it raises is not printed.

    `names`: what `make_cubin` finds by these names instead of its own globals. A stage that calls no `make_cubin`
    written in Python is returned as it is.
    """

    def run(ptx: str, metadata: dict[str, Any]) -> bytes:
        printed: list[Callable[[], None]] = []

        def hold(*values: Any, **how: Any) -> None:
            printed.append(partial(print, *values, **how))

        cubin = _with_names(backend, stage, {**names, "print": hold})(ptx, metadata)
        for print_now in printed:  # the log that TRITON_DUMP_PTXAS_LOG asks for
            print_now()
        return cubin

    return run


def _with_names(backend: Any, stage: Stage, names: dict[str, Any]) -> Stage:
    """The stage over a twin of the backend whose `make_cubin` has these globals; the stage itself where it has none."""
    plain = getattr(getattr(backend, "make_cubin", None), "__func__", None)
    if not isinstance(plain, types.FunctionType):
        return stage
    method = types.FunctionType(
        plain.__code__, plain.__globals__ | names, plain.__name__, plain.__defaults__, plain.__closure__
    )
    method.__kwdefaults__ = plain.__kwdefaults__
    twin = copy.copy(backend)
    twin.make_cubin = types.MethodType(method, twin)
    try:
        return over_twin(stage, twin)
    except TypeError:  # another hook has replaced the stage
        return stage
