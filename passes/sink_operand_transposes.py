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
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import TransOp, is_transpose
from dotload.dialect_ext.tt_memory import Load
from dotload.dialect_ext.ttg import LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.ir.conversions import converted, is_uniform
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


def transposed_operand(alloc: LocalAllocOp) -> Transposed | None:
    """The transpose and the conversions of what is stored, if dots of wgmma alone read it; else None."""
    readers = memory_users(alloc.result)
    if alloc.src is None or not all(isinstance(reader, WarpGroupDotOp) for reader in readers):
        return None
    found: list[Operation] = []
    value = alloc.src
    while (before := converted_from(value)) is not None:
        assert isinstance(value, OpResult)
        found.append(value.op)
        value = before
    transpose = value.owner
    if not found or not isinstance(transpose, TransOp) or not value.has_one_use():
        return None
    is_of_tile = isinstance(transpose.src.owner, Load) and is_transpose(transpose)
    return Transposed(transpose, tuple(reversed(found)), alloc) if is_of_tile else None


def converted_from(value: SSAValue) -> SSAValue | None:
    """What a value with one use is computed from, element by element, besides splats; None if that is not one value."""
    op = value.owner
    if not isinstance(op, Operation) or not is_elementwise(op) or not value.has_one_use():
        return None
    others = [operand for operand in op.operands if not is_uniform(operand)]
    return others[0] if len(others) == len(op.results) == 1 else None


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
        allocs = [] if is_in_cluster(module) else of_kind(module.walk(), LocalAllocOp)
        found = [each for alloc in allocs if (each := transposed_operand(alloc))]
        for each in found:
            self.passed(each.transpose, "the tile is converted as it is loaded: its memory is transposed by a view")
            emit(each)
        return bool(found)
