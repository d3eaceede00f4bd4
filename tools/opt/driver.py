"""What a command does, from its input to its exit status."""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
from pathlib import Path

from dotload.tools.opt import child, command_line, timing
from dotload.tools.opt.command_line import Command
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.runner import Runner


def run(command: Command) -> int:
    """The exit status of `command`."""
    startup_s = timing.process_age_s() if command.timing else 0.0
    clock = timing.Timing()
    if command.help:
        print(command_line.help_text(), end="")
        return 0
    if command.version:
        from dotload.tools.opt.listing import version_text

        print(version_text())
        return 0
    if command.list_passes:
        from dotload.tools.opt.listing import list_passes

        return child.call(lambda: print(list_passes(), end="") or 0)
    if command.stage:
        from dotload.tools.opt.stages import run_stage

        return child.call(lambda: run_stage(command))
    text = read_input(command.input)
    status = child.call(lambda: _work(command, text, clock, startup_s))
    if status < 0:
        return _report_crash(command, text, status)
    return status


def read_input(file: str) -> str:
    """The text of the input; DriverError when it cannot be read."""
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text()
    except OSError as error:
        raise DriverError(f"cannot read '{file}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise DriverError(f"cannot read '{file}': it is not text") from None


def write_output(file: str, text: str) -> None:
    """Write the result where `-o` says."""
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text)
    except OSError as error:
        raise DriverError(f"cannot write '{file}': {error.strerror}") from None


def _work(command: Command, text: str, clock: timing.Timing, startup_s: float) -> int:
    output, fine = Runner(command, clock).run(text, command.input)
    before = time.perf_counter()
    # Like mlir-opt: a chunk that failed has no output, and a file is written only when all went well.
    if fine or command.output == "-":
        write_output(command.output, output)
    clock.add(timing.Share.DRIVER, "Write the output", time.perf_counter() - before)
    if command.timing:
        print(clock.report(startup_s), file=sys.stderr, end="")
    return 0 if fine else 1


def _report_crash(command: Command, text: str, status: int) -> int:
    """Run again pass by pass to find the module that crashes its pass, and save that as a reproducer."""
    with tempfile.NamedTemporaryFile(suffix=".mlir") as snapshot:
        path = Path(snapshot.name)
        again = child.call(lambda: _quietly(command, text, path))
        element, _, module = path.read_text().partition("\n")
    name = "standard input" if command.input == "-" else command.input
    if again >= 0 or not module:
        element, module = " ".join(map(str, command.passes)), text
    with tempfile.NamedTemporaryFile("w", prefix="dotload-crash-", suffix=".mlir", delete=False) as reproducer:
        run_line = f"dotload-opt {reproducer.name} -p {shlex.quote(element)}"
        reproducer.write(f"// {run_line}\n{module}")
    what = f"'{element}' crashed" if element else "the parser crashed"
    print(f"{name}:1:1: error: {what} ({child.signal_name(status)})", file=sys.stderr)
    print(f"{reproducer.name}:1:1: note: the module it crashed on; reproduce with: {run_line}", file=sys.stderr)
    return 1


def _quietly(command: Command, text: str, snapshot: Path) -> int:
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    Runner(command, timing.Timing(), snapshot).run(text, command.input)
    return 0
