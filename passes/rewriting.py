"""The base classes of dotload's passes: each says whether it changed the module."""

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
    """A pass over a module. xDSL runs it by `apply`, the plugin by `rewrite`, which says whether it changed it."""

    @abstractmethod
    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite the module in place; whether anything is different now."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """As xDSL calls it."""
        self.rewrite(ctx, op)


@dataclass(frozen=True)
class LoopPass(RewritePass):
    """A pass over the loops of a module, each for itself."""

    @abstractmethod
    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Rewrite a loop; whether it is different now. Raises Reject, with nothing changed, where it cannot be."""

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every loop, and tell of those that stay for a reason."""
        changed = False
        for loop in of_kind(list(op.walk()), scf.ForOp):
            try:
                changed = self.rewrite_loop(loop) or changed
            except Reject as reject:
                remarks.missed(self.name, loop, reject)
        return changed
