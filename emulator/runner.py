"""Launch a kernel on the emulated machine."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dotload.emulator.arguments import Arguments
from dotload.emulator.errors import EmulatorError
from dotload.emulator.library import NativeCounter, NativeLaunch, library
from dotload.emulator.program import Program, compile_program, entry_pointer, sites_pointer
from dotload.emulator.progress import Progress
from dotload.emulator.report import Report, SiteCount
from dotload.emulator.rewrite import SUBGROUP_SIZES

LOCAL_BYTES = 128 * 1024  # local memory that one work-group can have on PVC and Xe2
MOST_LOCAL_BYTES = 1 << 30  # far more than any device has
STACK_BYTES = 256 * 1024  # private memory of a lane; only touched pages cost anything
MAX_THREADS = 256  # worker threads of this machine
MAX_WARPS = 64  # MAX_LANES in subgroups of 16
MAX_LANES = 1024  # of a work-group
_POLL_SECONDS = 0.1


def run(
    source: str | os.PathLike[str],
    grid: Sequence[int],
    args: Sequence[Any],
    num_warps: int | None = None,
    subgroup_size: int | None = None,
    *,
    kernel: str | None = None,
    signature: Sequence[str] | None = None,
    local_bytes: int = LOCAL_BYTES,
    timeout: float | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Report:
    """Run a kernel over `grid` work-groups of `num_warps` subgroups and return its counts.

    `source`: LLVM IR text, or the path of a file with it. `args`: numpy arrays, updated in place, and numbers, in the
    kernel's order; bf16 and fp8 arrays are arrays of uint16 and uint8. `num_warps` and `subgroup_size` default to the
    sizes that the kernel was compiled for, or 8 and 16 if it does not give them. `signature`: Triton's types of the
    arguments ("*fp16", "i32"), to check dtypes that the IR does not show. `timeout`: seconds, after which the launch
    stops with an error. Raises EmulatorError for every error of the kernel and of the launch.
    """
    _check_launch(num_warps, subgroup_size, local_bytes, timeout)
    size = _grid(grid)
    program = compile_program(read_source(source), subgroup_size, kernel)
    subgroup_size = program.rewritten.lanes
    num_warps = program.rewritten.kernel.subgroups(subgroup_size) if num_warps is None else num_warps
    _check_launch(num_warps, subgroup_size, local_bytes, timeout)
    _check_kernel(program, num_warps, subgroup_size)
    arguments = Arguments(program.rewritten.kernel, args, _types(program, args, signature))
    launch, keep = _prepare(program, arguments, size, (num_warps, subgroup_size, local_bytes), threads)
    begin = time.perf_counter()
    _execute(launch, program, timeout, Progress(size[0] * size[1] * size[2], progress))
    seconds = time.perf_counter() - begin
    arguments.finish()
    counts = tuple(
        SiteCount(site, counter.messages, counter.bytes_asked, counter.bytes_used)
        for site, counter in zip(program.rewritten.sites, keep, strict=False)
    )
    name = program.rewritten.kernel.name
    return Report(name, size, num_warps, subgroup_size, seconds, launch.lane_instructions, counts)


def read_source(source: str | os.PathLike[str]) -> str:
    """The text of a kernel, given as text or as a path."""
    if isinstance(source, str) and ("\n" in source or "define " in source):
        return source
    path = Path(source)
    try:
        return path.read_text()
    except (OSError, ValueError) as error:
        raise EmulatorError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    sizes = [int(size) for size in grid]
    if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
        raise EmulatorError(f"the grid has one to three sizes of at least 1, got {tuple(grid)}")
    x, y, z = (*sizes, 1, 1)[:3]
    if any(size >= 1 << 31 for size in sizes) or x * y * z >= 1 << 62:
        raise EmulatorError(f"a grid size must be below 2^31, and all together below 2^62, got {tuple(grid)}")
    return x, y, z


def _check_launch(num_warps: int | None, subgroup_size: int | None, local_bytes: int, timeout: float | None) -> None:
    """Check the launch parameters; None stands for the kernel's own."""
    if subgroup_size not in (None, *SUBGROUP_SIZES):
        raise EmulatorError(f"a subgroup has 16 or 32 lanes, got {subgroup_size}")
    if num_warps is not None and not 1 <= num_warps <= MAX_WARPS:
        raise EmulatorError(f"a work-group has 1 to {MAX_WARPS} subgroups, got {num_warps}")
    if (num_warps or 1) * (subgroup_size or 1) > MAX_LANES:
        raise EmulatorError(f"a work-group has at most {MAX_LANES} lanes, got {num_warps} subgroups of {subgroup_size}")
    if not 0 <= local_bytes <= MOST_LOCAL_BYTES:
        raise EmulatorError(f"local memory has 0 to {MOST_LOCAL_BYTES} bytes, got {local_bytes}")
    if timeout is not None and not timeout >= 0:
        raise EmulatorError(f"the timeout is a number of seconds, got {timeout}")


def _check_kernel(program: Program, num_warps: int, subgroup_size: int) -> None:
    """Check the sizes that the kernel was compiled for against those of the launch."""
    kernel = program.rewritten.kernel
    if kernel.subgroup_size not in (None, subgroup_size):
        raise EmulatorError(
            f"{kernel.name} was compiled for subgroups of {kernel.subgroup_size}, not of {subgroup_size}"
        )
    if kernel.threads not in (None, num_warps * subgroup_size):
        raise EmulatorError(
            f"{kernel.name} was compiled for {kernel.threads} work-items "
            f"({kernel.threads // subgroup_size} subgroups), not for {num_warps} subgroups of {subgroup_size}"
        )


def _types(program: Program, args: Sequence[Any], signature: Sequence[str] | None) -> list[str | None]:
    """The known type of each argument."""
    if signature is not None:
        if len(signature) != len(args):
            raise EmulatorError(f"the signature has {len(signature)} types for {len(args)} arguments")
        return list(signature)
    indices = program.rewritten.kernel.argument_indices
    elements = program.rewritten.element_types
    known: list[str | None] = [
        elements.get(index) if elements.get(index) in ("half", "bfloat", "float", "double") else None
        for index in indices
    ]
    return known + [None] * (len(args) - len(known))


def _prepare(
    program: Program,
    arguments: Arguments,
    grid: tuple[int, int, int],
    sizes: tuple[int, int, int],
    threads: int | None,
) -> tuple[NativeLaunch, Any]:
    """The launch and its counters. `sizes`: subgroups, lanes, bytes of local memory."""
    subgroups, lanes, local_bytes = sizes
    counters = (NativeCounter * max(1, len(program.rewritten.sites)))()
    launch = NativeLaunch()
    launch.entry = entry_pointer(program)
    launch.arguments = ctypes.addressof(arguments.packed)
    launch.grid[:] = grid
    launch.subgroups, launch.lanes, launch.local_bytes = subgroups, lanes, local_bytes
    launch.stack_bytes = STACK_BYTES
    launch.threads = max(1, min(threads or os.cpu_count() or 1, MAX_THREADS, grid[0] * grid[1] * grid[2]))
    launch.sites = sites_pointer(program)
    launch.site_count = len(program.rewritten.sites)
    launch.counters = counters
    launch.ranges = arguments.ranges(program.constants)
    launch.range_count = arguments.range_count(program.constants)
    return launch, counters


def _execute(launch: NativeLaunch, program: Program, timeout: float | None, progress: Progress) -> None:
    """Run to the end, to an error, to the timeout, or to Ctrl-C."""
    native = library()
    done = threading.Event()

    def work() -> None:
        native.xe_launch(ctypes.byref(launch))
        done.set()

    deadline = None if timeout is None else time.monotonic() + min(timeout, threading.TIMEOUT_MAX)
    timed_out = False
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while not done.wait(_pause(deadline)):
            progress.show(launch.groups_done)
            if deadline is not None and not timed_out and time.monotonic() >= deadline:
                timed_out, launch.stop, deadline = True, 1, None
    finally:
        launch.stop = launch.stop if done.is_set() else 1
        thread.join()
        progress.close()
    if launch.failed:
        raise EmulatorError(_message(launch, program, timeout if timed_out else None))


def _pause(deadline: float | None) -> float:
    """Seconds until the next check of the launch."""
    left = _POLL_SECONDS if deadline is None else deadline - time.monotonic()
    return max(0.001, min(_POLL_SECONDS, left))


def _message(launch: NativeLaunch, program: Program, timeout: float | None) -> str:
    """The native library's message, with the kernel, the site and its place in the source."""
    text = launch.error.decode(errors="replace")
    name = program.rewritten.kernel.name
    if timeout is not None and text.startswith("stopped"):
        place = text.removeprefix("stopped").strip()
        return f"{name}: did not end within {timeout:g} s; it was at {place or 'a loop'}"
    if launch.error_site < 0:
        return f"{name}: {text}"
    number: int = launch.error_site
    site = program.rewritten.sites[number]
    place = f"{site.location}: " if site.location else ""
    return f"{place}{name}: {site.label}: {text}"
