"""K-major copies one iteration ahead by a schedule: Triton's own expander makes the loop from stages and clusters.

`schedule-operand-copies` runs between Triton's schedule and its expander. Every op that a K-major copy needs, its raw
tile included, gets the stage before the dot's, and the cluster after the dot's:

    ttg.local_load {dotload.staged = "copy", loop.stage = 2, loop.cluster = 0}    the stage of the dot
    ttg.local_load {dotload.staged = "copy", loop.stage = 1, loop.cluster = 1}    as this pass sets it

The expander then puts copy i+1 after the start of dot i. `pipeline-operand-copies` makes the same loop from a pipelined
one, with fewer CTA barriers; `bench/gemm_orders.py --orders rc,cr --flavours dotload,scheduled` compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import dotload
from dotload.dialect_ext.ttg import LocalLoadOp, LocalStoreOp, MemDescIndexOp
from dotload.dialect_ext.typed import number_of, of_kind
from dotload.passes.ir.motion import backward_slice
from dotload.passes.operand_staging.facts import DOUBLE_BUFFER, role_of

STAGE, CLUSTER = "loop.stage", "loop.cluster"


def copies(loop: scf.ForOp) -> Iterable[LocalStoreOp]:
    """The stores of K-major copies into one of two buffers."""
    for store in of_kind(loop.body.block.ops, LocalStoreOp):
        if isinstance(store.src.owner, LocalLoadOp) and role_of(store.src.owner) == "copy":
            yield store


def one_stage_ahead(op: Operation) -> None:
    """Move an op to the previous stage, in the next cluster."""
    stage, cluster = number_of(op.attributes[STAGE]), number_of(op.attributes[CLUSTER])
    assert stage is not None
    assert cluster is not None
    op.attributes |= {STAGE: IntegerAttr(stage - 1, i32), CLUSTER: IntegerAttr(cluster + 1, i32)}


def schedule(loop: scf.ForOp, store: LocalStoreOp) -> None:
    """Schedule a copy, and the ops of its stage that it needs."""
    for op in backward_slice([store], loop):
        if op.attributes.get(STAGE) == store.attributes[STAGE] and op is not store:
            one_stage_ahead(op)
        if isinstance(op, MemDescIndexOp):  # the buffer of the next iteration
            op.attributes.pop(DOUBLE_BUFFER, None)
    one_stage_ahead(store)


@dataclass(frozen=True)
class ScheduleOperandCopiesPass(ModulePass):
    """Copy the next operand K-major while the dot of the present one runs, by Triton's expander."""

    name = "schedule-operand-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Schedule the copies of every loop that has a schedule."""
        for loop in of_kind(list(op.walk()), scf.ForOp):
            for store in list(copies(loop)):
                if STAGE in store.attributes:
                    schedule(loop, store)


@cache
def register() -> None:
    """Put the pass into Triton's pipeline in this process: it runs unless passes are chosen by name."""
    dotload.register_pass(place=dotload.Place("ttgir", before="tritongpu-pipeline"))(ScheduleOperandCopiesPass)
