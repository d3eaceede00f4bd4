"""Results of dots that a loop goes on with: the ops that scale and accumulate them."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import ReshapeOp, TransOp
from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.def_use import only_user, uses_behind
from dotload.passes.ir.motion import walk
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.pipelined_loops.cta_barriers import ASYNC_COPIES
from dotload.passes.pipelined_loops.loop_dots import only_wgmma
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.splits import Part

VIEWS = (ReshapeOp, TransOp, ConvertLayoutOp)
"""Ops that restore the order of a result's rows, which reads of A have permuted."""


def in_order(result: SSAValue) -> SSAValue:
    """A dot's result after the ops that restore the order of its rows."""
    while isinstance(user := only_user(result), VIEWS):
        result = user.results[0]
    return result


def computing_with(dot: WarpGroupDotOp) -> set[Operation]:
    """The elementwise ops that compute from the dot's result, directly or not."""

    def follows(user: Operation) -> bool:
        return is_elementwise(user) or isinstance(user, (WarpGroupDotWaitOp, *VIEWS))

    return {use.operation for use in uses_behind(dot, follows) if is_elementwise(use.operation)}


def scales_bytes(loop: scf.ForOp) -> bool:
    """Whether a loop scales the result of its only dot, of bytes in shared memory, as for fp8 with block scales.

    Dots that are spread over a cluster do not count.
    """
    dot = only_wgmma(loop)
    if dot is None or not isinstance(dot.a.type, MemDescType) or element_bits(dot.b.type) != BYTE_BITS:
        return False
    block = loop.body.block
    products = (op for op in computing_with(dot) if isinstance(op, arith.MulfOp) and op.parent_block() is block)
    return any(products) and not is_in_cluster(loop)


def awaited_dot(loop: scf.ForOp) -> Part | None:
    """The only dot of a loop that has staged operands or scales bytes, and the wait for the dot in the loop."""
    dot = only_wgmma(loop)
    if dot is None or not (staged_reads(loop.body.block.ops) or scales_bytes(loop)):
        return None
    wait = only_user(dot.d)
    return Part(dot, wait) if isinstance(wait, WarpGroupDotWaitOp) and wait.parent_op() is loop else None


def scales_bytes_late(loop: scf.ForOp) -> bool:
    """Whether, besides, cp.async loads its tiles, before the wait for the dot: `sink-wgmma-waits` has moved the wait.

    Tiles of TMA, and those that other warps load, may be overwritten once an mbarrier has been told so after the wait.
    """
    ops = list(loop.body.block.ops)
    copies = [op for op in ops if isinstance(op, ASYNC_COPIES)]
    behind = {op for wait in of_kind(ops, WarpGroupDotWaitOp) for op in walk(wait)}
    are_early = all(isinstance(copy, AsyncCopyGlobalToLocalOp) and copy not in behind for copy in copies)
    return bool(copies) and are_early and scales_bytes(loop)
