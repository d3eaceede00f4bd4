"""dotload-inspect: what becomes of a Triton kernel, stock beside dotload; no GPU is needed.

  dotload-inspect --example gemm.py -o gemm.py             # a kernel to try things on
  dotload-inspect gemm.py:matmul --arg a='*fp8e4nv:16' --arg b='*fp8e4nv:16' --arg c='*fp16:16' --arg K=i32:16 \\
      --arg stride_a=i32:16 --arg stride_b=i32:16 --arg stride_c=i32:16 \\
      --const BLOCK_M=128 --const BLOCK_N=128 --const BLOCK_K=64 --target sm_90 --num-warps 8 --html matmul.html
  dotload-inspect gemm.py:matmul ... --emit ptx            # dotload's PTX; --stock for stock's
  dotload-inspect gemm.py:matmul ... --target bmg          # Intel's backend, where triton-xpu is found
  dotload-inspect --dry-run script.py its arguments        # every kernel that the script would launch, a line each

An argument's type is Triton's (*fp16, i32); ":16" promises that the pointer or number is divisible by 16, as Triton
finds out when it launches a kernel.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from dotload.tools import short_lived
from dotload.tools.failures import guarded
from dotload.tools.flags import FlagParser
from dotload.tools.version import ShowVersion

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; 1 for an invalid request, a kernel that does not compile, or a script that ended early."""
    if argv is None:
        short_lived.end_quietly()
        short_lived.prepare()
    return guarded(lambda: run_command(argv), "dotload-inspect: ")


def run_command(argv: Sequence[str] | None) -> int:
    """The work of `main`; unforeseen failures are raised."""
    options = parser().parse_args(argv)
    from dotload.tools.inspect.request import InspectError
    from dotload.tools.opt.errors import DriverError

    try:
        text, status = dry_run(options) if options.dry_run is not None else (execute(options), 0)
        if options.output:
            write(text, options.output)
        else:
            print(text, end="")
        return status
    except (InspectError, DriverError) as error:
        text = str(error)
        print(text if "error:" in text else f"dotload-inspect: error: {text}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        hint = "dotload-inspect needs Triton (pip install 'dotload[triton]')"
        print(f"dotload-inspect: error: {error}; {hint}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = FlagParser("dotload-inspect", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("kernel", nargs="?", metavar="FILE.py:KERNEL", help="a @triton.jit or @gluon.jit kernel")
    found.add_argument("--arg", action="append", default=[], metavar="NAME=TYPE", help="a run-time argument's type")
    found.add_argument("--const", action="append", default=[], metavar="NAME=VALUE", help="a constexpr parameter")
    found.add_argument("--target", default="sm_90", help="sm_80 to sm_121, gfx942, pvc, bmg, ... (default sm_90)")
    for name in OPTIONS:
        found.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help="a compile option of Triton's")
    found.add_argument("--emit", metavar="STAGE", help="print ttir, ttgir, llir, ptx or sass in place of the report")
    found.add_argument("--stock", action="store_true", help="with --emit: of stock's kernel")
    found.add_argument("--html", metavar="FILE", help="write source, TTGIR, PTX and SASS side by side, linked by line")
    found.add_argument("--example", metavar="NAME", help="print a kernel file to try things on: gemm.py")
    found.add_argument("-o", "--output", metavar="FILE", help="write here what is printed otherwise")
    found.add_argument("--dry-run", nargs=argparse.REMAINDER, metavar="SCRIPT", help="a script and its arguments")
    found.add_argument("--version", action=ShowVersion)
    return found


def dry_run(options: argparse.Namespace) -> tuple[str, int]:
    """The table of a script's kernels, and the exit status: 1 if the script ended early."""
    from dotload.tools.inspect.dry_run import survey, table
    from dotload.tools.inspect.request import InspectError

    if not options.dry_run:
        raise InspectError("--dry-run needs a script: --dry-run SCRIPT.py and its arguments")
    found = survey(options.dry_run, options.target)
    return table(found), 1 if found.error else 0


def write(text: str, path: str) -> None:
    """Write to a file; InspectError if that fails."""
    from dotload.tools.inspect.request import InspectError

    try:
        Path(path).write_text(text)
    except OSError as error:
        raise InspectError(f"cannot write {path}: {error.strerror or error}") from error


def execute(options: argparse.Namespace) -> str:
    """The requested output, as text."""
    if options.example:
        from dotload.tools.inspect.example_kernels import example

        return example(options.example)
    from dotload.tools.inspect.compiled import inspect_request
    from dotload.tools.inspect.request import InspectError, Request, load_kernel, parse_argument, parse_constant

    if options.stock and not options.emit:
        raise InspectError("--stock is for --emit, which is not given: the report has stock's kernel as well")
    if options.kernel is None:
        raise InspectError("no kernel: give FILE.py:KERNEL, or --dry-run SCRIPT (--help shows both)")
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    inspection = inspect_request(
        Request.of(
            load_kernel(options.kernel),
            dict(map(parse_argument, options.arg)),
            dict(map(parse_constant, options.const)),
            options.target,
            given,
        )
    )
    if options.html:
        inspection.save_html(options.html)
    if options.emit:
        return (inspection.stock if options.stock else inspection.dotload).text(options.emit).rstrip("\n") + "\n"
    return str(inspection) + (f"\n{Path(options.html)} shows both.\n" if options.html else "")


if __name__ == "__main__":
    sys.exit(main())
