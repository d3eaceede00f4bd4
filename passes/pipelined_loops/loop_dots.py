"""The dot of a pipelined loop, reassembled: its parts along k, its fragments, and its operands in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, OpResult, SSAValue

from dotload.dialect_ext.tt_compute import SplitOp
from dotload.dialect_ext.ttg import LocalLoadOp, MemDescSubsliceOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import dims_of
from dotload.dialect_ext.types import MemDescType
from dotload.layout.reject import Reject
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.loops import carried_by_loop, is_only_dot, wgmma_dots
from dotload.passes.ir.memory import memory_type
from dotload.passes.ir.motion import walk
from dotload.passes.ir.wgmma import shared_operands, waits_for_all
from dotload.passes.pipelined_loops.reads import read_behind
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import Part, splits_of, wait_for, whole_of


@dataclass(frozen=True)
class LoopDot:
    """The only dot of a loop, as its parts in order of k.

    `read`: the read of the whole A; None if A is in shared memory too. `memories`: the whole operands in shared memory.
    `is_awaited`: whether the dot is complete at the end of its iteration.
    """

    parts: tuple[Part, ...]
    read: LocalLoadOp | None
    memories: tuple[SSAValue, ...]
    is_awaited: bool = False

    @property
    def first(self) -> WarpGroupDotOp:
        """The dot, or its first part."""
        return self.parts[0].dot

    @property
    def last(self) -> Part:
        """The dot, or its last part, and the wait after it."""
        return self.parts[-1]


def only_wgmma(loop: scf.ForOp) -> WarpGroupDotOp | None:
    """The dot of a loop without any other, nested loops included."""
    dot = next(iter(wgmma_dots(loop)), None)
    return dot if dot is not None and is_only_dot(dot) else None


def find_loop_dot(loop: scf.ForOp) -> LoopDot:
    """The loop's dot; raises Reject if the loop has another structure."""
    if (awaited := find_awaited(loop)) is not None:
        a, memories = awaited.dot.a, tuple(shared_operands(awaited.dot))
        read = None if a in memories else read_behind(a)
        if read is None and a not in memories:
            raise Reject(LoopReason.OPERANDS)
        return LoopDot((awaited,), read, memories, is_awaited=True)
    parts = find_parts(loop)
    if not parts:
        raise Reject(LoopReason.NOT_ONE_DOT)
    read, memory = whole_read(parts), whole_memory(parts)
    if read is None or memory is None:
        raise Reject(LoopReason.OPERANDS)
    return LoopDot(tuple(parts), read, (memory,))


def find_awaited(loop: scf.ForOp) -> Part | None:
    """The only dot of a loop, whole, if it is complete at the end of the iteration.

    A dot that accumulates with A in registers is split along k, or treated like those that are.
    """
    if (dot := only_wgmma(loop)) is None:
        return None
    if isinstance(dot.c, BlockArgument) and not isinstance(dot.a.type, MemDescType):
        return None
    wait = next(filter(waits_for_all, walk(dot)), None)
    return Part(dot, wait) if wait is not None else None


def find_parts(loop: scf.ForOp) -> list[Part]:
    """The parts of the only dot of a loop that only accumulates; [] for other loops."""
    sums, ops = sums_of(loop), [op for op in loop.walk() if isinstance(op, WarpGroupDotOp | WarpGroupDotWaitOp)]
    if len(sums) != 1 or len(ops) > 2 * len(sums[0]):
        return []
    (parts,) = sums
    carried = carried_by_loop(parts[0].dot.c)
    if carried is None or not carried.argument.has_one_use() or carried.back is not parts[-1].wait.outputs[0]:
        return []
    adds = all(part.dot.useC is None or constant_of(part.dot.useC) not in (None, 0) for part in parts)
    return parts if adds and all(part.dot.isAsync.value.data for part in parts) else []


def sums_of(loop: scf.ForOp) -> list[list[Part]]:
    """The parts of each accumulator's dot, in order, if the loop only accumulates its dots; otherwise [].

    The loop waits for each part, though not to its end, before the next one starts.
    """
    sums: list[list[Part]] = []
    ops = [op for op in loop.body.block.ops if isinstance(op, WarpGroupDotOp | WarpGroupDotWaitOp)]
    for dot, behind in zip_longest(ops[::2], ops[1::2]):
        if not isinstance(dot, WarpGroupDotOp) or (wait := wait_for(dot)) is None or wait is not behind:
            return []
        if not isinstance(only_user(wait.outputs[0]), WarpGroupDotOp | scf.YieldOp):
            return []
        part = Part(dot, wait)
        if sums and dot.c is sums[-1][-1].wait.outputs[0]:
            sums[-1].append(part)
        elif isinstance(dot.c, BlockArgument) and dot.c.block is loop.body.block:
            sums.append([part])
        else:
            return []
    return sums


def whole_read(parts: Sequence[Part]) -> LocalLoadOp | None:
    """The read of the whole dot's A, if the parts take its parts in order."""
    wholes: set[SSAValue] = set()
    for place, part in enumerate(parts):
        splits = splits_of(part.dot)
        halves = [value.index for value in splits if isinstance(value.op, SplitOp)]  # the last split first
        if sum(half << level for level, half in enumerate(halves)) != place or 1 << len(halves) != len(parts):
            return None
        wholes.add(whole_of(part.dot))
    return read_behind(wholes.pop()) if len(wholes) == 1 else None


def whole_memory(parts: Sequence[Part]) -> SSAValue | None:
    """B of the whole dot, if the parts take its parts in order."""
    wholes: set[SSAValue] = set()
    for place, part in enumerate(parts):
        value: SSAValue = part.dot.b
        offsets = (0, 0)
        if isinstance(value, OpResult) and isinstance(value.op, MemDescSubsliceOp):
            offsets, value = dims_of(value.op.offsets), value.op.src
        k = memory_type(value).get_shape()[0] // len(parts)
        if offsets != (place * k, 0) or memory_type(part.dot.b).get_shape()[0] != k:
            return None
        wholes.add(value)
    return wholes.pop() if len(wholes) == 1 else None
