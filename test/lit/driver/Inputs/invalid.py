"""A pass that leaves a module that MLIR rejects."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

import dotload


@dotload.register_pass
@dataclass(frozen=True)
class LeaveInvalidPass(ModulePass):
    """Give the module an attribute that its dialect rejects."""

    name = "leave-invalid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes["unprefixed"] = StringAttr("x")
