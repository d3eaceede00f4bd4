"""`python -m dotload script.py [arguments]`: run a program with dotload on, unedited.

python -m dotload train.py --steps 10
python -m dotload --compare train.py            # results and times of stock Triton's kernels beside dotload's
python -m dotload --passes 'stage-dot-operands,lower-staged-reads{partitions-only=false}' -m my.benchmark
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import dotload
from dotload.tools.flags import FlagParser
from dotload.tools.version import ShowVersion


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(argv)
    from dotload.passes.registry import RegistryError

    try:
        dotload.enable(options.passes)
    except RegistryError as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        return _complain(f"{error}; dotload.enable() needs Triton (pip install 'dotload[triton]')")
    if problem := _prepare(options):
        return _complain(problem)
    if not options.compare:
        return _run(options)
    if find_spec("torch") is None:
        return _complain("--compare needs PyTorch, whose tensors it copies (pip install torch)")
    from dotload.tools.compare import comparing

    with comparing() as found:
        try:
            return _run(options)
        finally:
            print(found.table(), file=sys.stderr)


def _prepare(options: argparse.Namespace) -> str:
    """Set the program's `sys.argv` and `sys.path`; returns the error if there is no such program."""
    sys.argv = options.program
    if options.module:
        sys.path.insert(0, "")
        return _no_program(options.program[0])
    script = Path(options.program[0])
    if not script.is_file():
        return f"{script}: {'a folder; for a package, -m' if script.is_dir() else 'no such file'}"
    sys.path.insert(0, str(script.resolve().parent))
    return ""


def _run(options: argparse.Namespace) -> int:
    if options.module:
        runpy.run_module(options.program[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(options.program[0], run_name="__main__")
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = FlagParser(
        prog="python -m dotload",
        description="Run a Python program with dotload in Triton's compiler.",
        epilog="DOTLOAD_REMARKS=1 prints what became of each load, DOTLOAD_STRICT=1 raises where dotload fails.",
    )
    parser.add_argument("--passes", metavar="NAME[{OPTIONS}],...", help="run these passes only")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="run each kernel that dotload changes by stock Triton too, compare their results and time both",
    )
    parser.add_argument("--version", action=ShowVersion)
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module, not a file")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="program ...", help="the program, its arguments")
    options = parser.parse_args(argv)
    options.program = options.program[options.program[:1] == ["--"] :]
    if not options.program:
        parser.error("no program to run")
    return options


def _no_program(module: str) -> str:
    """The error for a module that cannot be run; empty if it can."""
    if module.startswith("."):
        return f"no module named {module}"
    try:
        spec = find_spec(module)
        if spec is not None and spec.submodule_search_locations is not None:
            module += ".__main__"  # the module that runs a package
            spec = find_spec(module)
    except ValueError:  # not a module name
        spec = None
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise  # a parent package fails to import another module
        spec = None
    return "" if spec else f"no module named {module}"


def _complain(message: str) -> int:
    print(f"dotload: error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
