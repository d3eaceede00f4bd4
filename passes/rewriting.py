"""Base classes of dotload's passes: each pass returns whether it changed the module."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes import remarks

Rewritten = TypeVar("Rewritten", bound=Operation)


@dataclass(frozen=True)
class RewritePass(ModulePass):
    """A pass over a module. xDSL runs `apply`; the plugin runs `rewrite`, which returns whether it changed anything."""

    @abstractmethod
    def rewrite(self, module: ModuleOp) -> bool:
        """Rewrite the module in place; returns whether it changed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """The entry point for xDSL."""
        self.rewrite(op)

    def passed(self, at: Operation, message: str) -> None:
        """Emit the remark on a candidate that is rewritten."""
        remarks.emit("passed", self.name, at, message)

    def missed(self, at: Operation, reject: Reject, operand: str = "") -> None:
        """Emit the remark why a candidate stays as it is; `operand`: what a load is for."""
        remarks.missed(self.name, at, reject, operand)

    def analysis(self, at: Operation, message: str, code: str = "") -> None:
        """Emit a remark on what the pass found out."""
        remarks.emit("analysis", self.name, at, message, code)

    def rewrite_each(self, ops: Iterable[Rewritten], rewrite: Callable[[Rewritten], bool]) -> bool:
        """Rewrite each op, and emit remarks for those that stay for a reason; returns whether any changed.

        `rewrite` raises Reject before it changes anything.
        """
        changed = False
        for op in ops:
            try:
                changed = rewrite(op) or changed
            except Reject as reject:
                self.missed(op, reject)
        return changed


@dataclass(frozen=True)
class LoopPass(RewritePass):
    """A pass over each loop of a module separately."""

    @abstractmethod
    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop; returns whether it changed. Raises Reject, with nothing changed, if the loop has to stay."""

    def rewrite(self, module: ModuleOp) -> bool:
        """Rewrite every loop, and emit remarks for those that stay for a reason."""
        return self.rewrite_each(of_kind(module.walk(), scf.ForOp), self.rewrite_loop)
