"""`drop-redundant-wgmma-waits`: waits for wgmma right behind a wait for all of them.

    %1 = ttng.warp_group_dot_wait %d {pendings = 0}
    %2 = ttng.warp_group_dot_wait %1 {pendings = 1}      no dot is in flight: %2 is %1

Triton's pipeliner leaves such a pair where the kernel had a wait of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.wgmma import waits_for_all
from dotload.passes.rewriting import RewritePass


def is_redundant(wait: WarpGroupDotWaitOp) -> bool:
    """Whether the wait stands right behind one for all dots, and forwards nothing but what that one forwards."""
    before = wait.prev_op
    return before is not None and waits_for_all(before) and all(value.owner is before for value in wait.inputs)


@dataclass(frozen=True)
class DropRedundantWgmmaWaitsPass(RewritePass):
    """Take out waits for wgmma behind which nothing can be in flight."""

    name: ClassVar[str] = "drop-redundant-wgmma-waits"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Take out every such wait."""
        changed = False
        for wait in of_kind(list(op.walk()), WarpGroupDotWaitOp):
            if is_redundant(wait):
                for output, value in zip(wait.outputs, list(wait.inputs), strict=True):
                    output.replace_all_uses_with(value)
                Rewriter.erase_op(wait)
                changed = True
        return changed
