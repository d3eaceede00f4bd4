"""Runs a command, from its input to its exit status."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from dotload.tools.failures import Unreadable, read_text
from dotload.tools.opt import child, command_line, reproducer, timing
from dotload.tools.opt.command_line import Command
from dotload.tools.opt.diagnostics import Capture
from dotload.tools.opt.errors import DriverError, displayed
from dotload.tools.opt.runner import Runner


def run(command: Command) -> int:
    """The exit status of `command`."""
    startup_s = timing.process_age_s() if command.timing else 0.0
    clock = timing.Timing()
    if command.help:
        print(command_line.help_text(), end="")
        return 0
    if command.version:
        from dotload.tools.version import version_text

        print(version_text())
        return 0
    if command.example:
        from dotload.tools.opt.example_inputs import example

        write_output(command.output, example(command.example))
        return 0
    if command.list_passes:
        from dotload.tools.opt.listing import list_passes

        return child.call(lambda: print(list_passes(), end="") or 0)
    text = read_input(command.input)
    if command.run_reproducer:
        command, text = reproducer.unpack(command, text)
    if command.generate_reproducer:
        write_output(command.generate_reproducer, reproducer.pack(command, text))
    if command.stage:
        status = child.call(lambda: _run_stage(command, text, clock, startup_s))
    else:
        status = _run_passes(command, text, clock, startup_s)
    return _report_crash(command, text, status) if status < 0 else status


def read_input(file: str) -> str:
    """The text of the input; DriverError if it cannot be read."""
    try:
        return read_text(file)
    except Unreadable as error:
        raise DriverError(str(error)) from None


def write_output(file: str, result: str | bytes) -> None:
    """Write the result where `-o` says."""
    data = result.encode() if isinstance(result, str) else result
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise DriverError(f"cannot write '{file}': {error.strerror}") from None
    except ValueError:
        raise DriverError(f"cannot write {file!r}: no such file") from None


def _run_passes(command: Command, text: str, clock: timing.Timing, startup_s: float) -> int:
    """The exit status; after a crash the negative signal number, with MLIR's messages on standard error."""
    capture = Capture()
    with _scratch_file() as scratch:
        runner = Runner(command, clock, capture, scratch)
        status = child.call(lambda: _run_chunks(runner, text, startup_s))
    if status < 0:
        sys.stderr.write(capture.take().replace(str(scratch), displayed(command.input)))
    return status


@contextlib.contextmanager
def _scratch_file() -> Generator[Path, None, None]:
    """The path of a temporary file, which is removed at the end even if the child that wrote it crashed."""
    with tempfile.TemporaryDirectory(prefix="dotload-") as folder:
        yield Path(folder) / "input.mlir"


def _run_chunks(runner: Runner, text: str, startup_s: float) -> int:
    command, clock = runner.command, runner.timing
    output, fine = runner.run(text, command.input)
    with clock.step(timing.Share.DRIVER, "Write the output"):
        # Like mlir-opt: a failed chunk has no output, and a file is written only if all chunks succeed.
        if fine or command.output == "-":
            write_output(command.output, output)
    _report_time(command, clock, startup_s)
    return 0 if fine else 1


def _run_stage(command: Command, text: str, clock: timing.Timing, startup_s: float) -> int:
    from dotload.tools.opt import stages

    try:
        result = stages.run_stage(command, text, clock)
    finally:
        if command.remarks:
            stages.print_remarks()
    write_output(command.output, result)
    _report_time(command, clock, startup_s)
    return 0


def _report_time(command: Command, clock: timing.Timing, startup_s: float) -> None:
    if command.timing:
        print(clock.report(startup_s), file=sys.stderr, end="")


def _report_crash(command: Command, text: str, status: int) -> int:
    """Run again pass by pass to find the crashing pass, and save its input module as a reproducer."""
    element, module = _crashing_pass(command, text)
    file = command.crash_reproducer or _new_file("dotload-crash-")
    words = ["dotload-opt", file, *(["-p", element] if element else []), *_stage_words(command)]
    run_line = shlex.join(words)
    write_output(file, f"// {run_line}\n{module}")
    culprit = f"'{element}'" if element else f"--stage={command.stage}" if command.stage else "the parser"
    print(f"{displayed(command.input)}:1:1: error: {culprit} crashed ({child.signal_name(status)})", file=sys.stderr)
    print(f"{file}:1:1: note: the module it crashed on; reproduce with: {run_line}", file=sys.stderr)
    return 1


def _stage_words(command: Command) -> list[str]:
    """The flags of --stage on which its result depends."""
    if not command.stage:
        return []
    values = {name: getattr(command, name) for name in ("stage", "target", "num_warps", "num_stages", "num_ctas")}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value]
    return [*words, *(["--no-dotload"] if command.no_dotload else [])]


def _new_file(prefix: str) -> str:
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".mlir")
    os.close(handle)
    return name


def _crashing_pass(command: Command, text: str) -> tuple[str, str]:
    """The pass that crashes and the module it crashes on; no pass and the whole input if that is not known."""
    if command.stage or not command.passes:
        return "", text
    with tempfile.NamedTemporaryFile(suffix=".mlir") as snapshot, _scratch_file() as scratch:
        path = Path(snapshot.name)
        runner = Runner(command, timing.Timing(), Capture(), scratch, path)
        status = child.call(lambda: _run_quietly(runner, text))
        element, _, module = path.read_text().partition("\n")
    if status < 0 and module:
        return element, module
    return ("", text) if not module else (",".join(map(str, command.passes)), text)


def _run_quietly(runner: Runner, text: str) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    runner.run(text, runner.command.input)
    return 0
