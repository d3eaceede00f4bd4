"""`sink-operand-transposes`: convert a loaded tile before it is transposed, so that wgmma reads it through a view.

    %b = tt.descriptor_load ... -> tensor<256x64xi8>            %b = tt.descriptor_load ... -> tensor<256x64xi8>
    %t = tt.trans %b : ... -> tensor<64x256xi8>                 %f = arith.sitofp %b : ... to tensor<256x64xf16>
    %f = arith.sitofp %t : ... to tensor<64x256xf16>            %m = ttg.local_alloc %f : ... -> memdesc<256x64xf16>
    %m = ttg.local_alloc %f : ... -> memdesc<64x256xf16>        %v = ttg.memdesc_trans %m : ... -> memdesc<64x256xf16>
    ttng.warp_group_dot %a, %m                                  ttng.warp_group_dot %a, %v

Weights that are K-major in memory come through a descriptor as [N, K]; the kernel transposes the tile and converts it.
Triton makes a view of a transpose right before the shared memory. The other passes look for that form.

Candidates: `ttg.local_alloc` of a loaded tile's transpose, converted by elementwise ops with splats as other operands;
not of a tile that is spread over a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import TransOp, is_transpose
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.conversions import conversions_of, converted
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter, transposed_memory
from dotload.passes.ir.memory import memory_type, memory_users
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class Transposed:
    """A transpose of a loaded tile, and the ops that convert it, in order, up to the allocation."""

    transpose: TransOp
    conversions: tuple[Operation, ...]
    alloc: LocalAllocOp


# Candidates


def transposed_operand(transpose: TransOp) -> Transposed | None:
    """The transpose, its conversions and what stores them, if dots of wgmma alone read that; else None."""
    conversions = conversions_of(transpose.result)
    if not conversions or not isinstance(transpose.src.owner, Load) or not is_transpose(transpose):
        return None
    alloc = only_user(conversions[-1].results[0])
    if not isinstance(alloc, LocalAllocOp) or not all(
        isinstance(user, WarpGroupDotOp) for user in memory_users(alloc.result)
    ):
        return None
    return Transposed(transpose, tuple(conversions), alloc)


# Emit


def emit(found: Transposed) -> None:
    """Convert the tile as it is loaded, store it, and transpose the memory."""
    emitter = Emitter.before(found.alloc)
    value = found.transpose.src
    for op in found.conversions:
        value = converted(op, value, emitter)
    memory = emitter.insert(LocalAllocOp(value, transposed_memory(memory_type(found.alloc.result))))
    found.alloc.result.replace_all_uses_with(emitter.transposed(memory))
    for op in (found.alloc, *reversed(found.conversions), found.transpose):
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class SinkOperandTransposesPass(RewritePass):
    """Convert operands of wgmma before they are transposed."""

    name = "sink-operand-transposes"

    def rewrite(self, module: ModuleOp) -> bool:
        transposes = [] if is_in_cluster(module) else of_kind(module.walk(), TransOp)
        found = [each for transpose in transposes if (each := transposed_operand(transpose))]
        for each in found:
            self.passed(each.transpose, "the tile is converted as it is loaded: its memory is transposed by a view")
            emit(each)
        return bool(found)
