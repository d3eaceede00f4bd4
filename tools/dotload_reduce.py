"""dotload-reduce: shrinks a module while a command still fails on it, or still prints a given line. For bug reports."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotload.plugin import processes
from dotload.tools.failures import guarded
from dotload.tools.flags import FlagParser
from dotload.tools.opt import child
from dotload.tools.opt.driver import read_input, write_output
from dotload.tools.opt.errors import DriverError
from dotload.tools.version import ShowVersion

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROGRAM = "dotload-reduce"
EXAMPLES = """\
examples:
  dotload-reduce crash.ttgir -o small.ttgir -- dotload-opt {} --tritongpu-pipeline=num-stages=3
  dotload-reduce gemm.ttgir --contains 'is staged' -- dotload-opt {} --stage-dot-operands --remarks
"""
_ERROR = re.compile(r"error: (.*)")
# Text that may differ between two outputs of the same failure.
_VOLATILE = re.compile(r"%\w+|\d+|<\{[^\n]*|\S*/\S*")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command: its exit status (minus the signal's number after a signal) and its output."""

    status: int
    output: str

    @property
    def failure(self) -> tuple[bool, str]:
        """The kind of failure: whether by a signal, and the first error without names, numbers and places."""
        error = _ERROR.search(self.output)
        return self.status < 0, _VOLATILE.sub("_", error.group(1)) if error else ""


@dataclass
class Test:
    """The user's command, and the criterion for an interesting outcome."""

    command: list[str]
    contains: str | None = None
    any_failure: bool = False
    timeout_s: float = 60.0
    runs: int = 0
    _wanted: Outcome | None = None
    _known: dict[str, bool] = field(default_factory=dict[str, bool])

    def start(self, text: str) -> None:
        """Run the command on the whole input; DriverError if that is not interesting."""
        outcome = self.run(text)
        if self.contains is None and outcome.status == 0:
            raise DriverError("the command succeeds on the input: nothing to reduce (--contains reduces by its output)")
        if self.contains is not None and self.contains not in outcome.output:
            raise DriverError(f"the command does not print '{self.contains}' on the input: nothing to reduce")
        self._wanted = outcome

    def is_interesting(self, text: str) -> bool:
        """Whether the command behaves on `text` as on the input."""
        if text not in self._known:
            self._known[text] = self._judge(self.run(text))
        return self._known[text]

    def run(self, text: str) -> Outcome:
        """Run the command on `text`; `{}` in it stands for the file; without it, the file is the last word."""
        self.runs += 1
        with tempfile.TemporaryDirectory(prefix="dotload-reduce") as folder:
            path = str(Path(folder) / "candidate.mlir")
            Path(path).write_text(text)
            words = [word.replace("{}", path) for word in self.command]
            if words == self.command:
                words.append(path)
            # The folder also takes reproducers of crashes, which are removed with the candidate.
            environment = {**os.environ, "TMPDIR": folder}
            try:
                result = processes.run(words, self.timeout_s, environment)
            except OSError as error:
                raise DriverError(f"cannot run '{shlex.join(self.command)}': {error.strerror}") from None
            except ValueError as error:  # a null character in the program's name
                raise DriverError(f"cannot run '{shlex.join(self.command)}': {error}") from None
        return Outcome(result.status, result.output.replace(path, "candidate.mlir"))

    def _judge(self, outcome: Outcome) -> bool:
        assert self._wanted is not None, "start() comes first"
        if self.contains is not None:
            return self.contains in outcome.output
        if self.any_failure:
            return outcome.status != 0
        return outcome.status != 0 and outcome.failure == self._wanted.failure


class Modules:
    """Candidates as modules: read by libtriton, or else by dotload's dialects. DriverError if neither can."""

    def __init__(self, text: str, file: str) -> None:
        self._engine = self._load_engine(text)
        if self._engine is not None:
            from dotload.plugin.bridge import BridgeError, to_xdsl

            try:
                self.start: ModuleOp = to_xdsl(self._parse(text))
            except BridgeError as error:  # libtriton accepts attributes of dialects that it lacks
                raise DriverError(str(error)) from error
        else:
            from dotload.tools.opt.python_engine import PythonEngine

            self.start = PythonEngine(file).parse(text)

    def text(self, module: ModuleOp) -> str | None:
        """The printed candidate; None for an invalid one, which no user could have written."""
        from dotload import dialect_ext

        if self._engine is None:
            try:
                module.verify()
                return dialect_ext.print_module(module)
            except Exception:  # xDSL's verifiers raise any type of exception
                return None
        from dotload.plugin.bridge import text_of

        # A child parses: the wheel has assertions on, and some invalid modules abort the parser.
        generic = text_of(module)
        with tempfile.NamedTemporaryFile("w+", suffix=".mlir") as printed:
            if child.call(lambda: self._print(generic, Path(printed.name))):
                return None
            return Path(printed.name).read_text()

    def _print(self, generic: str, target: Path) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        assert self._engine is not None
        target.write_text(self._engine.text(self._parse(generic)) + "\n")
        return 0

    def _parse(self, text: str) -> Any:
        assert self._engine is not None
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            return self._engine.parse(file.name)

    @staticmethod
    def _load_engine(text: str) -> Any:
        """libtriton, if it is installed and reads the input."""
        from dotload.tools.opt.cpp_engine import CppEngine

        with contextlib.suppress(DriverError):
            engine = CppEngine.load()
            if engine.exported:
                engine.exported.allow_unregistered_dialects(engine.context)
            reads = Modules.__new__(Modules)
            reads._engine = engine
            with tempfile.NamedTemporaryFile() as printed:
                if child.call(lambda: reads._print(text, Path(printed.name))) == 0:
                    return engine
        return None


def reduce(text: str, file: str, test: Test) -> str:
    """The smallest text found that `test` still finds interesting."""
    test.start(text)
    try:
        modules = Modules(text, file)
    except DriverError:
        return reduce_lines(text, test.is_interesting)  # no parser reads the text, so reduce its lines
    from dotload.tools.opt.shrinking import shrink_module

    def keeps(module: ModuleOp) -> bool:
        candidate = modules.text(module)
        return candidate is not None and test.is_interesting(candidate)

    smallest = modules.text(shrink_module(modules.start, keeps))
    # Printing drops locations, which alone may remove the failure: then the input is the result.
    return smallest if smallest is not None and test.is_interesting(smallest) else text


def reduce_lines(text: str, keeps: Callable[[str], bool]) -> str:
    """The shortest run of lines of `text` that `keeps` accepts."""
    from dotload.tools.opt.shrinking import shrink_sequence

    return "".join(shrink_sequence(text.splitlines(keepends=True), lambda lines: keeps("".join(lines))))


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= threading.TIMEOUT_MAX:
            return float(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 1 after an error."""
    return guarded(lambda: run_command(arguments), f"{PROGRAM}: ")


def run_command(arguments: list[str] | None) -> int:
    parser = FlagParser(
        PROGRAM, description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="the module; - is standard input")
    parser.add_argument("command", nargs="+", help="the command, after `--`; {} stands for the file of a candidate")
    parser.add_argument("-o", dest="output", default="-", help="where the result goes (default: standard output)")
    parser.add_argument("--contains", metavar="TEXT", help="keep what makes the command print TEXT")
    parser.add_argument("--any-failure", action="store_true", help="keep any failure, not only the same error")
    parser.add_argument("--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="a longer run is a failure")
    parser.add_argument("--version", action=ShowVersion)
    options = parser.parse_args(arguments)
    test = Test(options.command, options.contains, options.any_failure, options.timeout)
    try:
        text = read_input(options.file)
        result = child.call_for_text(lambda: reduce(text, options.file, test), PROGRAM)
        write_output(options.output, result)
    except DriverError as error:
        if str(error):
            print(child.located(str(error), PROGRAM), file=sys.stderr)
        return 1
    before, after = (len(part.splitlines()) for part in (text, result))
    print(f"{PROGRAM}: {before} lines -> {after}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
