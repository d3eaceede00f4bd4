"""Watching passes: `--mlir-print-ir-*`, and the snapshot for a reproducer."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dotload.tools.opt import cpp_passes

if TYPE_CHECKING:
    from dotload.tools.opt.pipeline import PassElement
    from dotload.tools.opt.runner import Ir, Runner


@dataclass
class Watch:
    """Prints the IR around a pass for `--mlir-print-ir-*`, and writes the snapshot for a reproducer."""

    runner: Runner
    ir: Ir
    element: PassElement
    _before: str = ""

    def __enter__(self) -> None:
        command = self.runner.command
        if self.runner.snapshot is not None:
            self.runner.snapshot.write_text(f"{self.element}\n{self._text()}\n")
        if command.print_after_change:
            self._before = self._text()
        if command.print_before_all or self.element.name in command.print_before:
            self._dump("Before")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        command = self.runner.command
        if kind is not None:
            if command.print_after_all or command.print_after_failure:
                self._dump("After", " Failed")
            return
        changed = command.print_after_change and self._text() != self._before
        if command.print_after_all or self.element.name in command.print_after or changed:
            self._dump("After")

    def _dump(self, when: str, outcome: str = "") -> None:
        row = cpp_passes.table().get(self.element.name)
        name = row.dump_name if row else self.element.name
        passed = dataclasses.replace(self.element, anchors=())
        header = f"// -----// IR Dump {when} {name}{outcome}: {passed} //----- //"  # as since Triton 3.8
        print(f"{header}\n{self._text()}\n", file=sys.stderr, flush=True)

    def _text(self) -> str:
        """The module's text, without moving it to another engine."""
        if self.ir.python is not None:
            return self.runner.python.text(self.ir.python, self.runner.command.print_generic, False)
        return self.runner.cpp.text(self.ir.cpp)
