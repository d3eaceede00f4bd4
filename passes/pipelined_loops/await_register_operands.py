"""`await-register-operands`: wait, in its iteration, for a dot whose A is read directly into registers.

A register of A must not be written while the wgmma is in flight (PTX ISA, wgmma.mma_async). ptxas gives it to no other
value until then, but the next iteration writes the same one. Triton's pipeliner lets the last part of a dot stay in
flight at the end of its iteration. 8-bit fragments are permuted, or converted, into A's registers after the wait for
the previous part, which is safe, unless other dots take the same A, or dots with A in shared memory follow: fewer dots
are left in flight then. 32-bit fragments are read directly into A's registers, so a loop with these waits for all of
its dot. So does a loop that converts its fragments from another type above the waits. Loops that
`pipeline-operand-copies` has skewed wait before they read.

In a branch that uses a dot's result, Triton waits for it, unless A is in registers and another dot of the loop is
awaited at once. This pass adds that wait.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.ttg import LocalLoadOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import as_tensor, of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.widths import WORD_BITS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.motion import walk
from dotload.passes.ir.wgmma import last_wait, limit_in_flight, wait_behind, wait_between
from dotload.passes.operand_staging.facts import has_barriers, role_of
from dotload.passes.pipelined_loops.reads import read_behind
from dotload.passes.pipelined_loops.splits import parts_of, taker_of, whole_of
from dotload.passes.rewriting import LoopPass


def await_rewritten_parts(loop: scf.ForOp) -> bool:
    """Leave fewer dots in flight where a part of A is written again that one of them may still read.

    Triton's pipeliner leaves as many as are safe if each dot of the loop has an A, and a wait, of its own.
    """
    changed = False
    for whole in dict.fromkeys(whole_of(dot) for dot in wgmma_dots(loop) if as_tensor(dot.a.type)):
        if (read := read_behind(whole)) is not None and has_barriers(read):
            continue
        takers: defaultdict[tuple[int, ...], list[WarpGroupDotOp]] = defaultdict(list)
        for part in parts_of(whole):
            takers[part.registers].append(part.dot)
        for dots in takers.values():
            if (found := wait_between(dots[-1], taker_of(dots[0]))) is not None:
                changed = limit_in_flight(*found) or changed
    return changed


def may_be_overwritten(dot: WarpGroupDotOp, read: LocalLoadOp | None) -> bool:
    """Whether registers may be overwritten from which the dot, still in flight, reads its A."""
    if read is None or role_of(read) is None:
        return is_made_above_waits(dot)
    is_word = element_bits(tensor_type(dot.a)) == WORD_BITS
    return is_word and role_of(read) == "fragments" and not has_barriers(read)


def is_made_above_waits(dot: WarpGroupDotOp) -> bool:
    """Whether the loop computes the dot's A in registers before it waits for the previous iteration's dot."""
    if is_converted_behind_wait(dot):
        return False
    maker = taker_of(dot) if taker_of(dot) is not dot else whole_of(dot).owner
    if as_tensor(dot.a.type) is None or not isinstance(maker, Operation) or not dot.isAsync.value.data:
        return False
    return maker.parent_op() is dot.parent_op() and last_wait(maker) is None


def is_converted_behind_wait(dot: WarpGroupDotOp) -> bool:
    """Whether a part of A is converted after the wait for the part before it.

    That wait leaves fewer dots in flight than A has parts, so the previous iteration's dot of this part is done.
    """
    for above in walk(taker_of(dot), backwards=True):
        match above:
            case WarpGroupDotOp():
                return False
            case WarpGroupDotWaitOp():
                return taker_of(dot) is not dot and above.pendings.value.data < len(parts_of(whole_of(dot)))
            case _:
                continue
    return False


def await_in_branches(dot: WarpGroupDotOp) -> bool:
    """Wait for the dot in each branch that uses its result; returns whether there are any."""
    if not dot.isAsync.value.data:
        return False
    users = (use.operation for use in dot.d.uses if not isinstance(use.operation, WarpGroupDotWaitOp | scf.YieldOp))
    blocks = dict.fromkeys(block for user in users if (block := user.parent_block()) is not dot.parent_block())
    for block in blocks:
        assert block is not None
        wait = WarpGroupDotWaitOp([dot.d], 0)
        waited = Emitter(InsertPoint.at_start(block), dot).insert(wait)
        dot.d.replace_uses_with_if(
            waited,
            lambda use, wait=wait: use.operation is not wait and use.operation.parent_block() is wait.parent_block(),
        )
    return bool(blocks)


@dataclass(frozen=True)
class AwaitRegisterOperandsPass(LoopPass):
    """Wait for dots whose A registers are written again while the dots may be in flight."""

    name = "await-register-operands"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Wait for the loop's dots whose A registers are written while the dots may read them."""
        changed = any([await_rewritten_parts(loop), *map(await_in_branches, wgmma_dots(loop))])
        last_takers = {whole_of(dot): dot for dot in wgmma_dots(loop)}
        for whole, dot in last_takers.items():
            if not may_be_overwritten(dot, read_behind(whole)):
                continue
            waits = of_kind((use.operation for use in dot.d.uses), WarpGroupDotWaitOp)
            for wait in waits:
                changed = limit_in_flight(wait, 0) or changed
            if not waits:
                wait_behind(dot, dot.d, dot)
                changed = True
        return changed
