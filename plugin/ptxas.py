"""A rewritten kernel with wgmma is assembled by ptxas 12.9 or newer, if there is one.

ptxas 12.8, which Triton 3.6 and 3.7 call for Hopper, miscompiles some kernels with wgmma: wrong numbers, NaN, accesses
out of bounds. Most of these spill (test/gpu/test_attention.py has one), but not all. ptxas 12.9 and 13.4 compile the
same PTX correctly. The wheels of both versions carry a newer ptxas, for Blackwell: 12.9 and 13.1. A driver of CUDA 12
does not load what ptxas 13 makes. Where no newer one can be used, 12.8 assembles kernels that do not spill, and stock's
kernel is used for others. Stock's own kernels are left to stock's ptxas.

Triton prints the whole PTX of a kernel that ptxas refuses before it raises. If stock's kernel then takes its place,
that output is suppressed.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.cubin import resources_of
from dotload.plugin.pipeline import globals_of, over_twin, with_globals
from dotload.plugin.triton_types import Backend, Stage

Version = tuple[int, ...]

FIRST_RIGHT: Version = (12, 9)


def version_of(tool: Any) -> Version:
    """The version of one of Triton's NVIDIA tools, as in (12, 8)."""
    return tuple(map(int, tool.version.split(".")))


def assemble_right(backend: Backend, stage: Stage, ptx: str, metadata: dict[str, Any]) -> tuple[bytes, Remark | None]:
    """The cubin of a rewritten kernel, by stock's `stage`; with wgmma by a newer ptxas than 12.8, with a remark.

    RuntimeError if no newer one can be used and the kernel spills.
    """
    by_stock, names = quiet(backend, stage), globals_of(getattr(backend, "make_cubin", None))
    if not names.keys() >= {"knobs", "get_ptxas"} or "wgmma.mma_async" not in ptx:  # without these, there is one ptxas
        return by_stock(ptx, metadata), None
    used = names["get_ptxas"](backend.target.arch)
    if version_of(used) >= FIRST_RIGHT:
        return by_stock(ptx, metadata), None
    why = f"ptxas {used.version} miscompiles some kernels with wgmma"
    if (newer := newer_ptxas(names["knobs"])) is None:
        cubin = by_stock(ptx, metadata)
        if may_spill(cubin):
            raise RuntimeError(f"the kernel spills, and {why}")
        return cubin, None
    text = f"assembled by ptxas {newer.version}, which Triton ships for Blackwell: {why}"
    remark = Remark("analysis", "stage-dot-operands", KERNEL, text, "ASSEMBLED")

    def get_ptxas(_arch: int) -> Any:
        return newer

    return quiet(backend, stage, get_ptxas=get_ptxas)(ptx, metadata), remark


def newer_ptxas(knobs: Any) -> Any:
    """The ptxas for Blackwell that Triton's `knobs` name; None if it is missing, or not of use.

    It has to be newer, and its cubins must not be too new for the driver. A driver loads what is made for its
    major version of CUDA (CUDA Compatibility, "Minor Version Compatibility").
    """
    try:
        found = knobs.nvidia.ptxas_blackwell
    except RuntimeError:  # Triton does not find it
        return None
    version, driver = version_of(found), driver_version()
    is_loaded = driver is None or version[0] <= driver[0]
    return found if version >= FIRST_RIGHT and is_loaded else None


@cache
def driver_version() -> Version | None:
    """The version of CUDA that the driver supports (CUDA Driver API, cuDriverGetVersion); None without a driver."""
    number = ctypes.c_int()
    try:
        status = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return None
    return None if status else (number.value // 1000, number.value % 1000 // 10)


def may_spill(cubin: bytes) -> bool:
    """Whether a kernel uses memory of its threads, as far as its cubin tells."""
    try:
        return resources_of(cubin, 0, 1).stack_bytes > 0
    except ValueError:
        return True


def quiet(backend: Any, stage: Stage, **names: Any) -> Stage:
    """The stage for a kernel whose failure is caught: it drops the output of `make_cubin` if that raises.

    `names` replace globals of `make_cubin`. A stage that calls no `make_cubin` written in Python is returned as it is.
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
    """The stage over a twin of the backend whose `make_cubin` has these globals; the stage itself if there is none."""
    twin = copy.copy(backend)
    try:
        twin.make_cubin = with_globals(getattr(backend, "make_cubin", None), names)
        return over_twin(stage, twin)
    except TypeError:  # it is not written in Python, or another hook has replaced the stage
        return stage
