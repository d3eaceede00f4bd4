"""dotload-run-xe: run an Intel Triton kernel on this CPU and count what it does.

  dotload-run-xe gemm.ll --grid 4,4 \\
      --arg a=f16:256x64:random --arg b=f16:64x256:random --arg c=f32:256x256:zeros --arg 256 --arg 256 --arg 64
  dotload-run-xe gemm.ttgir --grid 16 --arg @a.npy --arg @b.npy --arg f32:256x256 --save 2=c.npy --compare other.ttgir
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import re
import sys
import threading
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from dotload.emulator import EmulatorError, Report, render, run
from dotload.emulator.program import UNSOUND
from dotload.emulator.runner import LOCAL_BYTES
from dotload.tools.failures import Unreadable, guarded, read_text
from dotload.tools.flags import FlagParser
from dotload.tools.opt import child
from dotload.tools.opt.errors import displayed
from dotload.tools.version import ShowVersion
from dotload.tools.xe_arguments import FILLS, UsageError, make_argument

PROGRAM = "dotload-run-xe"

_LLVM_FUNCTION = re.compile(r"^define\b", re.MULTILINE)
_PLACE = re.compile(r"<string>:(\d+:\d+): error: (.*)")
"""LLVM's error in a text that it parses."""


@dataclass
class Loaded:
    """A kernel ready to run: its LLVM IR and the known launch parameters."""

    path: str
    llir: str
    num_warps: int | None = None
    subgroup_size: int | None = None
    signature: tuple[str, ...] | None = None
    notes: list[str] = field(default_factory=list[str])


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = FlagParser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", help="LLVM IR (.ll), or TTGIR (.ttgir), which triton-xpu compiles")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="one per kernel argument, in order: a number; @FILE.npy; or DTYPE:SHAPE[:FILL] "
        f"(FILL: {', '.join(FILLS)}; bf16 and fp8 hold raw bits), each with an optional NAME=",
    )
    parser.add_argument("--grid", required=True, help="work-groups: X, X,Y or X,Y,Z")
    parser.add_argument("--num-warps", type=int, help="subgroups a work-group (default: the kernel's own, or 8)")
    parser.add_argument("--subgroup-size", type=int, choices=(16, 32), help="lanes (default: the kernel's own, or 16)")
    parser.add_argument("--entry", help="name of the kernel, where the file has several")
    parser.add_argument("--compare", metavar="KERNEL", help="run this version too, on equal arguments, and print both")
    parser.add_argument("--save", action="append", default=[], metavar="N=FILE.npy", help="write argument N afterwards")
    parser.add_argument("--seed", type=_count, default=0, help="of random arguments (default 0)")
    parser.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="stop a kernel that does not end")
    parser.add_argument("--threads", type=_count, help="cores to use (default: all)")
    parser.add_argument("--local-bytes", type=int, default=LOCAL_BYTES, help=f"local memory (default {LOCAL_BYTES})")
    parser.add_argument("--target", default="pvc", help="for .ttgir: pvc, bmg or lnl (default pvc)")
    parser.add_argument("--stock", action="store_true", help="for .ttgir: Intel's own lowering, no dotload passes")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    parser.add_argument("--version", action=ShowVersion)
    return parser.parse_args(argv)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a count")
    return int(text)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= threading.TIMEOUT_MAX:
            return float(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")


def load(path: str, target: str, *, dotload: bool, timeout_s: float | None = None) -> Loaded:
    """The LLVM IR of a kernel file."""
    try:
        text = read_text(path) + "\n"  # the newline makes `run` take it as text, not as a path
    except Unreadable as error:
        raise UsageError(str(error)) from None
    suffix = Path(path).suffix if path != "-" else ".ll" if _LLVM_FUNCTION.search(text) else ".ttgir"
    path = displayed(path)
    if suffix == ".ll":
        return Loaded(path, text)
    if suffix not in (".ttgir", ".mlir"):
        raise UsageError(f"{path}: expected a .ll or .ttgir file")
    from dotload.plugin.xpu_environment import compile_there
    from dotload.plugin.xpu_request import XeCompileError

    try:
        (kernel,) = compile_there([{"ttgir": text, "target": target, "dotload": dotload}], timeout_s)
    except XeCompileError as error:
        raise UsageError(f"{path}: {error}") from error
    if isinstance(kernel, str):
        separator = ":" if kernel[0].isdecimal() else ": "  # the message may begin with a line number
        raise UsageError(f"{path}{separator}{kernel}")
    # libtriton read the text from a file descriptor.
    notes = [re.sub(r"^/proc/self/fd/\d+(?=:)", lambda _: path, str(remark)) for remark in kernel.remarks]
    return Loaded(path, kernel.llir, kernel.num_warps, kernel.threads_per_warp, kernel.arguments, notes)


def parse_grid(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split(","))
    except ValueError as error:
        raise UsageError(f"--grid: '{text}' is not X, X,Y or X,Y,Z") from error


def launch(loaded: Loaded, options: argparse.Namespace, arguments: list[Any]) -> Report:
    grid = parse_grid(options.grid)
    try:
        return _run(loaded, grid, options, arguments)
    except EmulatorError as error:
        found = _PLACE.search(str(error)) if str(error).startswith(UNSOUND) else None
        if found is None:
            raise
        raise EmulatorError(f"{loaded.path}:{found[1]}: error: {UNSOUND}: {found[2]}") from error


def _run(loaded: Loaded, grid: tuple[int, ...], options: argparse.Namespace, arguments: list[Any]) -> Report:
    return run(
        loaded.llir,
        grid,
        arguments,
        loaded.num_warps if options.num_warps is None else options.num_warps,
        options.subgroup_size or loaded.subgroup_size,
        kernel=options.entry,
        signature=loaded.signature,
        local_bytes=options.local_bytes,
        timeout=options.timeout,
        threads=options.threads,
        progress=True,
    )


def save(requests: Sequence[str], arguments: Sequence[Any]) -> None:
    for request in requests:
        number, _, path = request.partition("=")
        if not number.isdecimal() or int(number) >= len(arguments) or not path:
            raise UsageError(f"--save: '{request}' is not N=FILE.npy with N below {len(arguments)}")
        try:
            if Path(path).is_dir():  # numpy would append .npy and write that file
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            np.save(path, arguments[int(number)])
        except OSError as error:
            raise UsageError(f"--save: cannot write {path}: {error.strerror or error}") from error


def differences(first: Sequence[Any], second: Sequence[Any]) -> list[str]:
    """The differences between the arrays of the two versions after the run."""
    lines: list[str] = []
    for index, (left, right) in enumerate(zip(first, second, strict=True)):
        if isinstance(left, np.ndarray):
            wrong = _elements_of_other_bits(cast("Any", left), right)
            result = f"{wrong} of {left.size} elements differ" if wrong else "equal, bit for bit"
            lines.append(f"argument {index}: {result}")
    return lines


def _elements_of_other_bits(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> int:
    """The number of elements whose bits differ: 0.0 and -0.0 differ, and a NaN equals itself."""
    size, (first, second) = left.itemsize, (left.tobytes(), right.tobytes())
    bits = np.frombuffer(first, np.uint8) != np.frombuffer(second, np.uint8)
    return int(np.count_nonzero(bits.reshape(-1, size).any(axis=1)))


def _copy(value: Any) -> Any:
    return np.copy(cast("np.ndarray", value), order="C") if isinstance(value, np.ndarray) else value


def execute(options: argparse.Namespace) -> str:
    """Run the request; returns the text to print."""
    random = np.random.default_rng(options.seed)
    arguments = [make_argument(text, position, random) for position, text in enumerate(options.arg)]
    paths = [path for path in (options.kernel, options.compare) if path]
    versions = [load(path, options.target, dotload=not options.stock, timeout_s=options.timeout) for path in paths]
    copies = [[_copy(value) for value in arguments] for _ in versions]
    reports: list[Report] = []
    for version, values in zip(versions, copies, strict=True):
        for note in version.notes:
            print(note, file=sys.stderr)
        reports.append(launch(version, options, values))
    save(options.save, copies[0])
    names = ["count"] if len(versions) == 1 else [Path(version.path).name[-11:] for version in versions]
    lines = [render(reports, names)]
    if len(versions) == 2:
        lines += ["", *differences(*copies)]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 0, 1 for an error of the kernel, 2 for an error on the command line."""
    if argv is not None:
        return run_command(argv)
    # In a child: if LLVM's code generator aborts, the child ends, and the abort becomes an error.
    status = guarded(lambda: child.call(lambda: run_command(sys.argv[1:]), PROGRAM), f"{PROGRAM}: ")
    if status < 0:
        print(f"{PROGRAM}: error: the emulator crashed on this kernel ({child.signal_name(status)})", file=sys.stderr)
    return status if status >= 0 else 1


def run_command(argv: Sequence[str]) -> int:
    try:
        options = parse_arguments(argv)
    except SystemExit as end:  # argparse has printed the reason
        return int(end.code or 0)
    try:
        print(execute(options))
    except (EmulatorError, UsageError) as error:
        if options.debug:
            traceback.print_exc()
        print(child.located(str(error), PROGRAM), file=sys.stderr)
        return 1 if isinstance(error, EmulatorError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
