"""`unflatten-loops`: keep loops nested around a dot whose operands can be staged.

    for tile in tl.range(start, tiles, programs, flatten=True):       scf.for ... {
        for k in range(0, K, BLOCK_K): acc = tl.dot(a, b, acc)   ->     scf.for ... { dot }
        tl.store(c, acc)                                                store
                                                                      } without {tt.flatten}

Triton fuses a nest with the attribute `tt.flatten` into one loop, so that the next tile's loads overlap the stores of
this one. In the fused loop, a branch stores the accumulator and resets it. So the accumulator of wgmma can be neither
permuted nor transposed, the passes over pipelined loops find no loop that accumulates only, and indices that the fused
loop carries are no longer known to be contiguous. All of this costs more than the overlap saves.

The pass runs before `tritongpu-fuse-nested-loops`, and removes the attribute. Candidates: loops with the attribute and
with a wgmma dot in an inner loop, of which an operand can be staged, is converted, or is unpacked in registers. The
attribute `tt.warp_specialize` is removed, too, from all loops of the nest: of a fused loop, Triton 3.6 to 3.9
specialize no warps for sm_90, and the pass that would specialize those of a nest fails if an operand is loaded by
pointers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation

from dotload.dialect_ext.tt_compute import TransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reject
from dotload.passes.ir.loops import loop_around
from dotload.passes.operand_staging.converted import takes_converted
from dotload.passes.operand_staging.dot_groups import eligible_operands
from dotload.passes.operand_staging.loop_loads import NUM_STAGES, stages_of
from dotload.passes.rewriting import LoopPass
from dotload.passes.sink_operand_transposes import transposed_operand
from dotload.passes.unpack_operands_in_registers import find_operand, plan

FLATTEN, WARP_SPECIALIZE = "tt.flatten", "tt.warp_specialize"


def inner_loops(loop: scf.ForOp, num_stages: int) -> list[Operation]:
    """The loops inside this one whose wgmma dots have operands to stage or to unpack in registers.

    `num_stages`: of the inner loops, unless they have their own.
    """
    ops = list(loop.walk())
    dots = [dot for dot in of_kind(ops, WarpGroupDotOp) if has_operand(dot, num_stages)]
    transposed = [found.alloc for op in of_kind(ops, TransOp) if (found := transposed_operand(op))]
    around = dict.fromkeys(map(loop_around, (*dots, *transposed)))
    return [inner for inner in around if inner is not None and inner is not loop]


def has_operand(dot: WarpGroupDotOp, num_stages: int) -> bool:
    """Whether an operand of the dot can be staged, is converted, or can be unpacked in registers."""
    return bool(eligible_operands(dot)) or takes_converted(dot) or is_unpacked(dot, num_stages)


def is_unpacked(dot: WarpGroupDotOp, num_stages: int) -> bool:
    """Whether `unpack-operands-in-registers` unpacks B."""
    try:
        return (operand := find_operand(dot, num_stages)) is not None and plan(operand) is not None
    except Reject:
        return False


@dataclass(frozen=True)
class UnflattenLoopsPass(LoopPass):
    """Keep loops nested around a dot whose operands can be staged or unpacked.

    `num_stages`: the kernel's option of that name, 0 if unknown.
    """

    name = "unflatten-loops"

    num_stages: int = 0

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Remove `tt.flatten` from a loop; the number of stages that it gives is for the inner loops then."""
        if FLATTEN not in loop.attributes or not (inner := inner_loops(loop, stages_of(loop, self.num_stages))):
            return False
        self.passed(loop, "the loop is not flattened: operands of its inner loop's dot can be staged or unpacked")
        del loop.attributes[FLATTEN]
        for each in of_kind(loop.walk(), scf.ForOp):
            each.attributes.pop(WARP_SPECIALIZE, None)
        if (stages := loop.attributes.pop(NUM_STAGES, None)) is not None:
            for each in inner:
                each.attributes.setdefault(NUM_STAGES, stages)
        return True
