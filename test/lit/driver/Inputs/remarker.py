"""A pass that changes nothing and emits remarks."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.passes import ModulePass

import dotload
from dotload.passes import remarks


@dotload.register_pass
@dataclass(frozen=True)
class RemarkerPass(ModulePass):
    """Emit a remark for every function."""

    name = "remarker"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.body.block.ops:
            name = inner.op_name.data if isinstance(inner, UnregisteredOp) else inner.name
            remarks.emit("missed", self.name, inner, f"looked at {name}", "LOOKED")
