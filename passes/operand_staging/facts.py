"""Facts that `stage-dot-operands` passes on to the passes after Triton's pipeliner, as discardable attributes.

    %r = ttg.local_load %tile {dotload.staged = "fragments"}         A's fragments, read from the raw tile
    %r = ttg.local_load %tile {dotload.staged = "copy"}              to be stored K-major
    %b = ttg.memdesc_index %buffers[%i] {dotload.double_buffer}      the buffer of a K-major copy: iteration mod 2
    ... {dotload.barriers_placed}                                    CTA barriers around this access are placed
    ttg.async_copy_global_to_local %p, %b {dotload.free_buffer}      no warp reads the buffer, from the wait for the
                                                                     iteration's tile on
    module attributes {dotload.staged = "operands",                  there is such a read in the module
                       dotload.wavefronts = 768 : i32, ...}          what an iteration costs, and would in stock Triton

Passes query these facts with the functions here. They verify what an attribute claims, and raise a located error if it
does not hold because another pass has changed the kernel in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, LocalLoadOp, MemDescIndexOp
from dotload.passes.analysis.prefilter import CONVERTED, COSTS, STAGED
from dotload.passes.errors import LocatedFailure
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.memory import buffer_count, index_of
from dotload.passes.operand_staging.stock import StockEstimate

DOUBLE_BUFFER = "dotload.double_buffer"
BARRIERS_PLACED = "dotload.barriers_placed"
FREE_BUFFER = "dotload.free_buffer"

Role = Literal["fragments", "copy"]
"""The purpose of a read of a staged tile."""

BUFFERS = 2
"""The number of K-major buffers of a copy that a loop makes while the previous dot still reads the other buffer."""


def mark_staged(read: LocalLoadOp, role: Role) -> None:
    """Mark the op as a read of a staged tile, for this purpose."""
    read.attributes[STAGED] = StringAttr(role)


def mark_module(module: ModuleOp, wavefronts: int, stock: StockEstimate, waits: int) -> None:
    """Mark the module: it has reads of staged tiles; their cost per iteration, and the cost of stock's kernel."""
    module.attributes[STAGED] = StringAttr("operands")
    mark_costs(module, wavefronts, stock, waits)


def mark_costs(module: ModuleOp, wavefronts: int, stock: StockEstimate, waits: int = 1) -> None:
    """Mark the module with its cost per iteration, and that of stock's kernel (plugin/weighing.py)."""
    numbers = (wavefronts, stock.wavefronts, stock.shared_bytes, stock.registers, stock.waits, waits)
    for name, number in zip(COSTS, numbers, strict=True):
        module.attributes[name] = IntegerAttr(number, i32)


def mark_converted(module: ModuleOp) -> None:
    """Mark the module: nothing is staged, but a dot runs while operands of the next are converted."""
    module.attributes[CONVERTED] = StringAttr("operands")


def is_rewritten(module: ModuleOp) -> bool:
    """Whether `stage-dot-operands` has rewritten a dot of the module."""
    return STAGED in module.attributes or CONVERTED in module.attributes


def role_of(read: LocalLoadOp) -> Role | None:
    """The purpose of a read of a staged tile; None for reads of other tiles."""
    match read.attributes.get(STAGED):
        case None:
            return None
        case StringAttr(data="fragments"):
            return "fragments"
        case StringAttr(data="copy"):
            return "copy"
        case other:
            raise LocatedFailure(read, f'{STAGED} must be "fragments" or "copy", not {other}')


def mark_double_buffer(index: MemDescIndexOp) -> None:
    """Mark the op that selects the buffer of this iteration's K-major copy, of two."""
    index.attributes[DOUBLE_BUFFER] = UnitAttr()


def has_double_buffer(ops: Iterable[Operation]) -> bool:
    """Whether one of the ops selects a buffer of a K-major copy."""
    return any(DOUBLE_BUFFER in op.attributes for op in ops)


def double_buffer_of(memory: SSAValue, loop: scf.ForOp) -> MemDescIndexOp | None:
    """The op that selects the memory from the two buffers of a K-major copy; None for other memory."""
    index = index_of(memory)
    if index is None or DOUBLE_BUFFER not in index.attributes:
        return None
    if buffer_count(memory) != BUFFERS or not _is_iteration_parity(index.index, loop):
        raise LocatedFailure(index, f"{DOUBLE_BUFFER}: expected one of {BUFFERS} buffers, by the iteration's parity")
    return index


def mark_barriers_placed(op: Operation) -> None:
    """Mark the access: the CTA barriers around it are placed."""
    op.attributes[BARRIERS_PLACED] = UnitAttr()


def has_barriers(op: Operation) -> bool:
    """Whether the CTA barriers around the access are placed."""
    return BARRIERS_PLACED in op.attributes


def mark_free_buffer(copy: AsyncCopyGlobalToLocalOp) -> None:
    """Mark the load: it needs no CTA barrier, wherever it stands behind the wait for the iteration's tile."""
    copy.attributes[FREE_BUFFER] = UnitAttr()


def writes_free_buffer(op: Operation) -> bool:
    """Whether the op is a load that needs no CTA barrier before it."""
    return isinstance(op, AsyncCopyGlobalToLocalOp) and FREE_BUFFER in op.attributes


def _is_iteration_parity(index: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the index is the iteration number modulo 2, as `double_buffering` writes it."""
    match index.owner:
        case arith.AndIOp(lhs=count, rhs=mask) if constant_of(mask) == BUFFERS - 1:
            return _is_iteration_number(count, loop)
        case _:
            return False


def _is_iteration_number(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the value is the induction variable minus the lower bound, divided by the step."""
    match value.owner:
        case arith.TruncIOp(input=wide):
            return _is_iteration_number(wide, loop)
        case arith.DivUIOp(lhs=distance, rhs=step) if step is loop.step:
            return _is_distance(distance, loop)
        case _:
            return _is_distance(value, loop) and constant_of(loop.step) == 1


def _is_distance(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether the value is the induction variable, or that minus a constant of the loop."""
    match value.owner:
        case arith.SubiOp(lhs=start, rhs=less):
            return start is loop.body.block.args[0] and not loop.is_ancestor(less.owner)
        case _:
            return value is loop.body.block.args[0]
