"""Base classes of dotload's passes: each pass returns whether it changed the module."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes import remarks


@dataclass(frozen=True)
class RewritePass(ModulePass):
    """A pass over a module. xDSL runs `apply`; the plugin runs `rewrite`, which returns whether it changed anything."""

    @abstractmethod
    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite the module in place; returns whether it changed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """The entry point for xDSL."""
        self.rewrite(ctx, op)


@dataclass(frozen=True)
class LoopPass(RewritePass):
    """A pass over each loop of a module separately."""

    @abstractmethod
    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop; returns whether it changed. Raises Reject, with nothing changed, if the loop has to stay."""

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every loop, and emit remarks for those that stay for a reason."""
        changed = False
        for loop in of_kind(list(op.walk()), scf.ForOp):
            try:
                changed = self.rewrite_loop(loop) or changed
            except Reject as reject:
                remarks.missed(self.name, loop, reject)
        return changed
