"""A user's pass: writes the number of operations below the module on the module."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

import dotload


@dotload.register_pass
@dataclass(frozen=True)
class CountOpsPass(ModulePass):
    """Count the operations of a module."""

    name = "count-ops"
    label: str = "test.count"
    fail: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.fail:
            raise PassFailedException("was told to")
        op.attributes[self.label] = IntegerAttr(sum(1 for _ in op.walk()) - 1, i32)
