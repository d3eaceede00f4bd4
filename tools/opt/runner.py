"""Runs one command: its passes in the order given, on each chunk of its input, switching engines as needed."""

from __future__ import annotations

import itertools
import os
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotload.dialect_ext import former_names
from dotload.passes import registry
from dotload.tools.opt import cpp_passes, diagnostics, libtriton, pipeline, splitting
from dotload.tools.opt.command_line import Command
from dotload.tools.opt.diagnostics import Capture
from dotload.tools.opt.errors import DriverError, displayed, located
from dotload.tools.opt.pipeline import PassElement
from dotload.tools.opt.splitting import Chunk
from dotload.tools.opt.stand_ins import STAND_INS, xdsl_pass
from dotload.tools.opt.timing import Share, Timing
from dotload.tools.opt.watch import Watch

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from dotload.tools.opt.cpp_engine import CppEngine
    from dotload.tools.opt.python_engine import PythonEngine

# Dialects that dotload knows but stock libtriton does not; Intel's wheels know their own versions of them.
INTEL_DIALECTS = ("ttig", "triton_gen", "triton_intel_gpu")
_BRIDGE_FILE = re.compile(r"/proc/self/fd/\d+")
_COMMENT = re.compile(r"//[^\n]*")
_PRINTS_LOCATIONS, _PRINTS_NO_ALIASES = "-mlir-print-debuginfo", "-mlir-print-local-scope"


def is_python(element: PassElement) -> bool:
    """Whether a pass runs in Python; also true for Intel's passes that dotload has, unless the wheel is Intel's."""
    if element.name not in cpp_passes.table():
        return True
    return registry.knows(element.name) and not libtriton.is_intels()


@dataclass
class Ir:
    """A module at its present place: in a file, in libtriton or in xDSL. Exactly one of the three is set."""

    chunk: Chunk | None = None
    cpp: Any = None
    python: ModuleOp | None = None


@dataclass
class Runner:
    """Processes the input of `command`."""

    command: Command
    timing: Timing
    capture: Capture
    scratch: Path
    """The path of a temporary file for input that has no file; the caller removes it, also after a crash."""
    snapshot: Path | None = None
    """The file for the module before each pass, which becomes the reproducer of a crash."""
    _last_python_pass: str = ""

    def run(self, text: str, file: str) -> tuple[str, bool]:
        """The output for the input `text`, and whether all chunks succeeded."""
        if self.command.dump_pipeline:
            self._dump_pipeline()
        marker = self.command.split_marker
        chunks = splitting.split(text, file, marker) if marker else [Chunk(text, file)]
        results = [self._process(chunk) for chunk in chunks]
        between = f"\n{self.command.output_split_marker}\n"
        return between.join(output for output, _ in results), all(fine for _, fine in results)

    def _dump_pipeline(self) -> None:
        """Dump the pipeline. Only MLIR knows the options that were not given, and only for C++ passes."""
        if any(map(is_python, self.command.passes)):
            print(pipeline.dump(self.command.passes), file=sys.stderr)
        else:
            self.cpp.dump(self.command.passes)

    def _process(self, chunk: Chunk) -> tuple[str, bool]:
        output, failed = "", False
        with self.capture.collect() as captured:
            try:
                output = self._transform(chunk)
            except DriverError as error:
                failed = True
                if self.command.traceback:
                    traceback.print_exc()
                if str(error):
                    print(located(str(error), chunk.file, chunk.first_line), file=sys.stderr)
        messages, crashed = diagnostics.without_reproducer(captured[0])
        if crashed:  # the bound pass manager catches signals; tell the parent process
            sys.stderr.write(messages)
            sys.stderr.flush()
            os.abort()
        messages = messages.replace(str(self.scratch), displayed(chunk.file))
        messages = _BRIDGE_FILE.sub(f"<module after {self._last_python_pass}>", messages)
        output = output.replace(str(self.scratch), displayed(chunk.file))
        if not self.command.verify_diagnostics:
            sys.stderr.write(messages)
            return output, not failed
        found, rest = diagnostics.parse(messages)
        sys.stderr.write(rest)  # dumps of the IR, LLVM's debug output
        expected = diagnostics.expectations(chunk.text, chunk.first_line, chunk.file)
        if not self.command.remarks and all(each.severity != "remark" for each in expected):
            # The tests may be those of another implementation of the passes, which has fewer remarks.
            found = [each for each in found if each.severity != "remark"]
        wrong = diagnostics.verify(
            found,
            expected,
            displayed(chunk.file),
            only_expected=self.command.verify_diagnostics == "only-expected",
        )
        for diagnostic in wrong:
            print(diagnostic, file=sys.stderr)
        return output, not wrong

    def _transform(self, chunk: Chunk) -> str:
        ir = Ir(chunk=chunk)
        if former_names.are_used(_COMMENT.sub("", chunk.text)):  # libtriton reads today's only, which are printed
            self._parse_in_python(ir, chunk)
        for in_python, group in self._groups():
            if in_python:
                for element in group:
                    self._run_python(ir, element)
            else:
                self._run_cpp(ir, group)
        with self.timing.step(Share.MLIR, "Print"):
            return self._text(ir) + "\n"

    def _groups(self) -> Iterator[tuple[bool, list[PassElement]]]:
        """Groups of passes that run together: neighbours in C++, unless something looks at each pass."""
        watched = self._watches or self.command.timing or self.snapshot is not None
        for in_python, group in itertools.groupby(self.command.passes, is_python):
            elements = list(group)
            if watched and not in_python:
                yield from ((False, [element]) for element in elements)
            else:
                yield in_python, elements

    def _run_cpp(self, ir: Ir, elements: list[PassElement]) -> None:
        if libtriton.library_path() is None:
            libtriton.load()  # reports that there is none, with advice
        if self._is_only_dotloads(ir):
            for element in elements:
                self._run_stand_in(ir, element)
            return
        module = self._as_cpp(ir)
        with self._watched(ir, elements), self.timing.step(Share.PASS, ",".join(map(str, elements))):
            self.cpp.run(module, elements)

    def _run_stand_in(self, ir: Ir, element: PassElement) -> None:
        """dotload's or xDSL's pass of the same purpose, on a module that libtriton cannot hold."""
        if registry.knows(element.name):
            self._run_python(ir, element)
            return
        if element.name not in STAND_INS:
            advice = "in it, ttig is called triton_intel_gpu" if libtriton.is_intels() else "use the wheel triton-xpu"
            raise DriverError(
                f"'{element.name}' is a C++ pass, and {libtriton.wheel()} does not know this module's Intel "
                f"dialects; run dotload's Python passes on it alone, or {advice}"
            )
        if element.options:
            raise DriverError(f"'{element.name}' takes no options on a module with Intel's dialects: xDSL's pass runs")
        module = self._as_python(ir)
        self._last_python_pass = f"'{element.name}'"
        with self._watched(ir, [element]), self.timing.step(Share.PASS, str(element)):
            self.python.apply(module, element.name, xdsl_pass(element.name))

    def _run_python(self, ir: Ir, element: PassElement) -> None:
        module = self._as_python(ir)
        self._last_python_pass = f"'{element.name}'"
        with self._watched(ir, [element]), self.timing.step(Share.PASS, str(element)):
            self.python.run(module, element)

    # Moving the module between engines.

    def _as_cpp(self, ir: Ir) -> Any:
        """The module in libtriton, moved there if need be; DriverError if libtriton cannot hold it."""
        if ir.python is not None:
            from dotload.plugin.bridge import BridgeError, from_xdsl

            with self.timing.step(Share.DRIVER, "Bridge to libtriton"):
                try:
                    ir.cpp, ir.python = from_xdsl(ir.python, self.cpp.context), None
                except BridgeError as error:
                    who = self._last_python_pass or "dotload's parser"
                    raise DriverError(f"{who} left a module that MLIR rejects") from error
        elif ir.chunk is not None:
            engine = self.cpp
            with self.timing.step(Share.MLIR, "Parse"):
                ir.cpp, ir.chunk = engine.parse(self._file_of(ir.chunk)), None
        return ir.cpp

    def _as_python(self, ir: Ir) -> ModuleOp:
        """The module in xDSL, moved there if need be: through libtriton, unless only dotload knows its dialects."""
        if ir.python is None and ir.chunk is not None and self._only_dotload_reads(ir.chunk.text):
            self._parse_in_python(ir, ir.chunk)
        if ir.python is None:
            from dotload.plugin.bridge import BridgeError, to_xdsl

            module = self._as_cpp(ir)
            with self.timing.step(Share.DRIVER, "Bridge to xDSL"):
                try:
                    with self.cpp.plain_printing():
                        ir.python, ir.cpp = to_xdsl(module), None
                except BridgeError as error:
                    raise DriverError(str(error)) from error
        assert ir.python is not None
        return ir.python

    def _parse_in_python(self, ir: Ir, chunk: Chunk) -> None:
        with self.timing.step(Share.DRIVER, "Parse with dotload's dialects"):
            ir.python, ir.chunk = self.python.parse(chunk.padded), None

    def _text(self, ir: Ir) -> str:
        """The module as text, printed by libtriton if libtriton knows the module."""
        if self._is_only_dotloads(ir):
            prints = (self._sets(flag) for flag in (_PRINTS_LOCATIONS, _PRINTS_NO_ALIASES))
            return self.python.text(self._as_python(ir), self.command.print_generic, *prints)
        return self.cpp.text(self._as_cpp(ir))

    def _is_only_dotloads(self, ir: Ir) -> bool:
        """Whether libtriton cannot hold the module, wherever it is."""
        if ir.cpp is not None:
            return False
        if ir.chunk is not None:
            return self._only_dotload_reads(ir.chunk.text)
        assert ir.python is not None
        return self._only_dotload_reads(self.python.text(ir.python, generic=True, locations=False))

    def _only_dotload_reads(self, text: str) -> bool:
        """Whether libtriton cannot hold the module: Intel's dialects on a stock wheel, or no wheel at all.

        Also true if only Intel's passes run: values then keep their names, which libtriton does not know.
        """
        if libtriton.library_path() is None or self._is_intels:
            return True
        code = _COMMENT.sub("", text)
        return any(f"{name}." in code and not self.cpp.knows_dialect(name) for name in INTEL_DIALECTS)

    @cached_property
    def _is_intels(self) -> bool:
        """Whether all passes are dotload's passes for Intel, on a stock wheel."""
        passes = self.command.passes
        if not passes or libtriton.is_intels() or not all(map(is_python, passes)):
            return False
        return all(registry.find(element.name).backends == ("xpu",) for element in passes)

    def _file_of(self, chunk: Chunk) -> str:
        """A file with the chunk at its own line numbers, for libtriton to read."""
        if chunk.file != "-" and not self.command.split_marker and not self.command.run_reproducer:
            return chunk.file
        self.scratch.write_text(chunk.padded)
        return str(self.scratch)

    # Watching passes.

    @property
    def _watches(self) -> bool:
        command = self.command
        each = command.print_before_all, command.print_after_all, command.print_after_change
        return any((*each, command.print_before, command.print_after, command.print_after_failure))

    def _watched(self, ir: Ir, elements: list[PassElement]) -> Watch:
        return Watch(self, ir, elements[0])

    # The engines, loaded on first use.

    @cached_property
    def cpp(self) -> CppEngine:
        with self.timing.step(Share.MLIR, "Load libtriton and its dialects"):
            from dotload.tools.opt.cpp_engine import CppEngine

            flags = list(self.command.llvm_flags)
            if self.command.print_generic:
                flags.append("-mlir-print-op-generic")
            return CppEngine.load(
                allow_unregistered=self.command.allow_unregistered,
                flags=flags,
                use_exported=not self.command.no_exported_symbols,
                verify_each=self.command.verify_each,
                print_op_on_diagnostic=self.command.print_op_on_diagnostic and not self.command.verify_diagnostics,
            )

    @cached_property
    def python(self) -> PythonEngine:
        with self.timing.step(Share.DRIVER, "Load xDSL"):
            from dotload.tools.opt.python_engine import PythonEngine

            return PythonEngine(
                file=displayed(self.command.input),
                verify_each=self.command.verify_each,
                show_remarks=self.command.remarks or bool(self.command.verify_diagnostics),
                global_options=self.command.pass_options,
            )

    def _sets(self, flag: str) -> bool:
        """Whether the command sets one of MLIR's printing flags."""
        return any(each in (flag, f"{flag}=true") for each in self.command.llvm_flags)
