"""The base class of dotload's passes: one that says whether it changed the module."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class RewritePass(ModulePass):
    """A pass over a module. xDSL runs it by `apply`, the plugin by `rewrite`, which says whether it changed it."""

    @abstractmethod
    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite the module in place; whether anything is different now."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """As xDSL calls it."""
        self.rewrite(ctx, op)
