"""A pass that aborts the process, as a failed assertion in C++ does."""

import os
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dotload.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class CrashPass(ModulePass):
    """Abort."""

    name = "crash-hard"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        os.abort()
