"""Tiles that must not be loaded ahead of what a loop's iterations write, or wait for.

A staged tile is copied asynchronously, iterations ahead. For K-major tiles, Triton's pipeliner does so whatever the
loop writes: it assumes that kernels neither write where they read nor wait for others. But it does not load 8-bit tiles
ahead that wgmma needs in another order, and a kernel may rely on that. So such a tile is not staged

- in a loop that orders memory accesses: by atomics with such a `sem`, by assembly or by calls with unknown effects;
- in a loop that writes through the pointer, an argument of the kernel, that the tile is loaded through. Pointers from
  two different arguments are assumed not to alias, as Triton's pipeliner assumes of all pointers;
- in a loop that writes through a pointer through which it also loads something else, unless both are in one branch. The
  loop would be pipelined for the sake of the tile, and Triton's pipeliner moves stores above loads of the same
  iteration. This is refused also where stock pipelines the loop for another tile, and moves them itself.

This leaves persistent kernels that store their results in the loop through another argument: their tiles are staged. A
volatile load cannot become an asynchronous copy, and is never staged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_compute import BitcastOp, BroadcastOp, ExpandDimsOp, ReshapeOp, SplatOp, TransOp
from dotload.dialect_ext.tt_memory import (
    AddPtrOp,
    AdvanceOp,
    AtomicCASOp,
    AtomicRMWOp,
    AtomicStoreOp,
    DescriptorGatherOp,
    DescriptorLoadOp,
    DescriptorReduceOp,
    DescriptorScatterOp,
    DescriptorStoreOp,
    Load,
    LoadOp,
    MakeTensorDescOp,
    MakeTensorPtrOp,
    StoreOp,
)
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import number_of
from dotload.layout.reject import Reject
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.block_pointers import forwarded
from dotload.passes.ir.flow import reached
from dotload.passes.ir.loops import is_pipelined_loop, loop_around
from dotload.passes.operand_staging.candidates import Operand
from dotload.passes.operand_staging.reasons import StagingReason

RELAXED = 1
"""tt.MemSemantic: an atomic operation that orders no other access."""

WRITES_NOTHING_READ = frozenset({"tt.print", "tt.assert", "llvm.intr.assume"})
"""Ops with an effect on no memory that a kernel reads."""

FROM_POINTER = (
    *(AddPtrOp, AdvanceOp, MakeTensorPtrOp, MakeTensorDescOp),
    *(BitcastOp, BroadcastOp, ConvertLayoutOp, ExpandDimsOp, ReshapeOp, SplatOp, TransOp),
)
"""Ops that make pointers of their first operand, into the same memory."""


def refusal(dot: Operation, operand: Operand) -> Reject | None:
    """Why the operand of a dot must not be loaded ahead; None if it may be, or if stock Triton does so as well."""
    if is_volatile(operand.load):
        return Reject(StagingReason.VOLATILE)
    is_stored = isinstance(dot, WarpGroupDotOp) and operand.flow is None and not operand.conversion
    return refusal_in_loop(operand.load) if is_stored and operand.tile.element_bits == BYTE_BITS else None


def refusal_in_loop(load: Load) -> Reject | None:
    """Why the loop around a load has to load in order; None if it need not, or is not pipelined."""
    loop = loop_around(load)
    if not isinstance(loop, scf.ForOp) or not is_pipelined_loop(loop):
        return None
    written: dict[Operation, SSAValue] = {}
    for op in loop.walk():
        if not op.regions and writes(op):
            pointer = written_through(op)
            if pointer is None:
                return Reject(StagingReason.ORDERED, value=op.name)
            written[op] = pointer
    through = read_through(load)
    assert through is not None
    if may_alias(through, written.values()):
        return Reject(StagingReason.WRITTEN)
    return Reject(StagingReason.REORDERED) if may_be_reordered(loop, written) else None


def may_be_reordered(loop: scf.ForOp, written: Mapping[Operation, SSAValue]) -> bool:
    """Whether the pipelined loop may swap a read and a write through the same pointer, which its body has in order.

    `written`: the loop's writes, and the pointers or descriptors that they write through.
    """
    place_of = loop.body.block.find_ancestor_op_in_block
    for op in loop.walk() if written else ():
        if (pointer := read_through(op)) is not None:
            apart = [each for write, each in written.items() if place_of(write) is not place_of(op)]
            if may_alias(pointer, apart):
                return True
    return False


def read_through(op: Operation) -> SSAValue | None:
    """The pointers or the descriptor that an op reads through; None if it reads no global memory."""
    match op:
        case LoadOp() | AtomicRMWOp() | AtomicCASOp():
            return op.ptr
        case DescriptorLoadOp() | DescriptorGatherOp():
            return op.desc
        case _:
            return None


def may_alias(pointer: SSAValue, others: Iterable[SSAValue]) -> bool:
    """Whether a pointer and one of the others are computed from the same one."""
    return not bases([pointer]).isdisjoint(bases(others))


def is_volatile(load: Load) -> bool:
    """Whether a load may not be moved or repeated."""
    return isinstance(load, LoadOp) and load.is_volatile


def writes(op: Operation) -> bool:
    """Whether an op writes global memory that kernels read, or orders accesses to it."""
    return op.name not in WRITES_NOTHING_READ and writes_global(op)


def written_through(op: Operation) -> SSAValue | None:
    """The pointers or the descriptor that an op writes through; None if it may do more than write."""
    match op:
        case StoreOp():
            return op.ptr
        case DescriptorStoreOp() | DescriptorReduceOp() | DescriptorScatterOp():
            return op.desc
        case AtomicRMWOp() | AtomicCASOp() | AtomicStoreOp() if number_of(op.sem) == RELAXED:
            return op.ptr
        case _:
            return None


def bases(pointers: Iterable[SSAValue]) -> set[SSAValue]:
    """What pointers are computed from by adding to them: arguments, pointers that are loaded, and the like."""
    return {value for value in reached(pointers, pointers_before) if not pointers_before(value)}


def pointers_before(value: SSAValue) -> list[SSAValue]:
    """The pointers that one is made of; none where it begins."""
    return [value.owner.operands[0]] if isinstance(value.owner, FROM_POINTER) else forwarded(value)
