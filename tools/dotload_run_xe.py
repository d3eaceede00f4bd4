"""dotload-run-xe: run an Intel Triton kernel on this CPU and count what it does.

  dotload-run-xe gemm.ll --grid 4,4 \\
      --arg a=f16:256x64:random --arg b=f16:64x256:random --arg c=f32:256x256:zeros --arg 256 --arg 256 --arg 64
  dotload-run-xe gemm.ttgir --grid 16 --arg @a.npy --arg @b.npy --arg f32:256x256 --save 2=c.npy --compare other.ttgir
"""

from __future__ import annotations

import argparse
import contextlib
import math
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
from dotload.emulator.runner import LOCAL_BYTES
from dotload.tools.failures import Unreadable, guarded, read_text
from dotload.tools.flags import FlagParser
from dotload.tools.opt import child
from dotload.tools.opt.errors import displayed
from dotload.tools.version import ShowVersion

PROGRAM = "dotload-run-xe"

_DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": np.uint16,
    "fp8": np.uint8,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
}
MOST_DIMS, MOST_ELEMENTS = 32, 1 << 32
_LLVM_FUNCTION = re.compile(r"^define\b", re.MULTILINE)
_FILLS = ("zeros", "ones", "random", "arange")


class UsageError(Exception):
    """A command line that makes no sense."""


@dataclass
class Loaded:
    """A kernel ready to run: its LLVM IR and what is known of its launch."""

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
        f"(FILL: {', '.join(_FILLS)}; bf16 and fp8 hold raw bits), each with an optional NAME=",
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
        raise argparse.ArgumentTypeError(f"'{text}' is no count")
    return int(text)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= threading.TIMEOUT_MAX:
            return float(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds")


def load(path: str, target: str, *, dotload: bool, timeout_s: float | None = None) -> Loaded:
    """The LLVM IR of a kernel file."""
    try:
        text = read_text(path) + "\n"  # which makes it a text to `run`, never a path
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
        raise UsageError(f"{path}: {kernel}")
    notes = [str(remark) for remark in kernel.remarks]
    return Loaded(path, kernel.llir, kernel.num_warps, kernel.threads_per_warp, kernel.arguments, notes)


def make_argument(text: str, position: int, random: np.random.Generator) -> Any:
    """The array or number that one --arg stands for."""
    value = text.split("=", 1)[1] if "=" in text.split(":")[0] else text
    if value.startswith("@"):
        return _read_array(value[1:], f"--arg {position} ({text})")
    if ":" in value:
        return _make_array(value, position, random)
    for convert in (_integer, float):
        try:
            return convert(value)
        except ValueError:
            continue
    raise UsageError(f"--arg {position}: '{text}' is no number, no @FILE.npy and no DTYPE:SHAPE[:FILL]")


def _read_array(path: str, what: str) -> np.ndarray:
    try:
        with open(path, "rb") as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{what}: {error.strerror or error}") from error
    except Exception as error:  # numpy's reader of the header raises whatever it comes across
        raise UsageError(f"{what}: no array of numbers in a .npy file: {' '.join(str(error).split())}") from error


def _integer(text: str) -> int:
    return int(text, 0)


def _make_array(text: str, position: int, random: np.random.Generator) -> np.ndarray:
    dtype, shape, fill, *extra = (*text.split(":"), *["zeros"][: 3 - len(text.split(":"))])
    if dtype not in _DTYPES or fill not in _FILLS or extra:
        raise UsageError(
            f"--arg {position}: '{text}' needs a dtype of {', '.join(_DTYPES)} and a fill of {', '.join(_FILLS)}"
        )
    try:
        sizes = tuple(int(size) for size in shape.split("x"))
    except ValueError as error:
        raise UsageError(f"--arg {position}: '{shape}' is no shape such as 256x64") from error
    count = math.prod(sizes)
    if min(sizes) < 0 or len(sizes) > MOST_DIMS or max(*sizes, count) > MOST_ELEMENTS:
        raise UsageError(
            f"--arg {position}: '{shape[:40]}' is no shape with at most {MOST_DIMS} sizes and {MOST_ELEMENTS} elements"
        )
    if fill == "random":
        values = (
            random.integers(-8, 8, count) if np.dtype(_DTYPES[dtype]).kind in "iu" else random.standard_normal(count)
        )
    else:
        values = {"zeros": np.zeros, "ones": np.ones, "arange": np.arange}[fill](count)
    if dtype == "bf16":  # its bits, rounded towards zero
        bits = np.frombuffer(values.astype(np.float32), np.uint32)
        return np.reshape((bits >> 16).astype(np.uint16), sizes)
    return np.reshape(values.astype(_DTYPES[dtype]), sizes)


def parse_grid(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split(","))
    except ValueError as error:
        raise UsageError(f"--grid: '{text}' is no X, X,Y or X,Y,Z") from error


def launch(loaded: Loaded, options: argparse.Namespace, arguments: list[Any]) -> Report:
    return run(
        loaded.llir,
        parse_grid(options.grid),
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
            raise UsageError(f"--save: '{request}' is no N=FILE.npy with N below {len(arguments)}")
        try:
            np.save(path, arguments[int(number)])
        except OSError as error:
            raise UsageError(f"--save: cannot write {path}: {error.strerror or error}") from error


def differences(first: Sequence[Any], second: Sequence[Any]) -> list[str]:
    """What the two versions left in their arrays, compared."""
    lines: list[str] = []
    for index, (left, right) in enumerate(zip(first, second, strict=True)):
        if isinstance(left, np.ndarray):
            same = left.tobytes() == right.tobytes()
            wrong = np.count_nonzero(left != right)
            lines.append(
                f"argument {index}: {'equal, bit for bit' if same else f'{wrong} of {left.size} elements differ'}"
            )
    return lines


def _copy(value: Any) -> Any:
    return np.copy(cast("np.ndarray", value), order="C") if isinstance(value, np.ndarray) else value


def execute(options: argparse.Namespace) -> str:
    """Run what the options ask for; the text to print."""
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
    """Run the command line; 0, 1 for a mistake of the kernel's, 2 for one of the command line's."""
    if argv is not None:
        return run_command(argv)
    # In a child: what LLVM's code generator aborts on ends that, and becomes an error.
    status = guarded(lambda: child.call(lambda: run_command(sys.argv[1:]), PROGRAM), f"{PROGRAM}: ")
    if status < 0:
        print(f"{PROGRAM}: error: the emulator crashed on this kernel ({child.signal_name(status)})", file=sys.stderr)
    return status if status >= 0 else 1


def run_command(argv: Sequence[str]) -> int:
    try:
        options = parse_arguments(argv)
    except SystemExit as end:  # argparse has said why
        return int(end.code or 0)
    try:
        print(execute(options))
    except (EmulatorError, UsageError) as error:
        if options.debug:
            traceback.print_exc()
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 1 if isinstance(error, EmulatorError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
