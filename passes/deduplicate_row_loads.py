"""`deduplicate-row-loads`: load one row of a tile whose rows are all the same.

    %group = (%k + %step * 64) // 128                    rows of a tile of weights, and their group
    %s = tt.load (%scales + %group * %stride + %n)       64 loads of a thread, of one address a column
        : tensor<64x128x!tt.ptr<bf16>, #blocked>

    %r = tt.load ... : tensor<1x128x!tt.ptr<bf16>, #blocked>
    %s = tt.broadcast %r : ... -> tensor<64x128xbf16, #blocked>

Kernels for quantised experts load the group scales of weights this way. The pass runs when tiles have layouts, and
keeps them; earlier, Triton would derive the weights' layout from the row.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from dotload.dialect_ext.tt_compute import BroadcastOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.emitter import Emitter
from dotload.passes.rematerialization.repeated_loads import find_repeated, load_once, replace
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class DeduplicateRowLoadsPass(RewritePass):
    """Load one row of tiles whose rows are all the same."""

    name = "deduplicate-row-loads"

    def rewrite(self, module: ModuleOp) -> bool:
        strides, loops = Strides(module), of_kind(module.walk(), scf.ForOp)
        repeated = [each for loop in loops for each in find_repeated(loop.body.block, strides)]
        found = [each for each in repeated if each.is_one_row and each.has_layout]
        for each in found:
            self.passed(each.load, f"one row is loaded instead of {each.times}")
            tile = BroadcastOp(load_once(each), tensor_type(each.load.result))
            Emitter.before(each.load).run(tile)
            replace(each, tile.result)
        return bool(found)
