"""`load-rows-ahead`: rows of scales are loaded one iteration ahead, to registers.

    scf.for {
      %b = tt.load %tile : tensor<128x64x!tt.ptr<i8>>          Triton copies it to shared memory, iterations ahead
      %s = tt.load %scales : tensor<1x64x!tt.ptr<bf16>>        2 bytes a piece: too small for cp.async (PTX ISA)
      ... arith.mulf ... tt.dot

Triton pipelines no load that it cannot copy asynchronously: each iteration waits for its scales, all the way from
memory. Its expander keeps what such a load brings in registers, where it is told to load it in an earlier stage. The
pass tells it so, by `tt.latency`: 1 for rows and columns, and as much for tiles as Triton would give them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_memory import Load, LoadOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalStoreOp
from dotload.dialect_ext.typed import of_kind, shape_of
from dotload.passes import remarks
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.layouts import registers_of_thread
from dotload.passes.ir.loops import ACCUMULATOR, DOTS, is_pipelined_loop
from dotload.passes.operand_staging.latencies import LATENCY, copies_ahead, set_latency
from dotload.passes.operand_staging.loop_loads import is_copied, loads_found_by, loads_of, stages_of
from dotload.passes.rewriting import RewritePass

AHEAD = 1
"""Iterations: enough for memory, where several blocks share a multiprocessor."""
MAX_REGISTERS = 8
"""Of a thread, for what is loaded ahead."""


@dataclass(frozen=True)
class Loads:
    """The loads of a loop whose values go to dots.

    `rows`: rows, columns and numbers that are loaded to registers; `copied`: what Triton copies to shared memory.
    """

    rows: tuple[LoadOp, ...]
    copied: tuple[Load, ...]

    @property
    def registers(self) -> int:
        """Of a thread, for one iteration's rows; those that hold the same element are one."""
        return sum(registers_of_thread(row.result) for row in self.rows)


def find_loads(loop: scf.ForOp, strides: Strides) -> Loads | None:
    """The loads, if Triton would copy all but rows, as far ahead as it can; None where it is otherwise.

    What the loop writes may be what the next iteration loads.
    """
    loads = [load for load in loads_of(loop) if reaches_dot(load, loop)]
    rows = tuple(load for load in of_kind(loads, LoadOp) if is_row(load) and not is_copied(load, strides))
    copied = tuple(load for load in loads if load not in rows)
    others = [load for load in loads_of(loop) if load not in loads]
    told = [load for load in loads if LATENCY in load.attributes]
    is_told = bool(told) and told != list(copied)
    if not rows or not copied or others or is_told or any(map(loads_found_by, loads)) or not is_pipelined_loop(loop):
        return None
    may_be_moved = not any(row.isVolatile.value.data for row in rows) and not any(map(writes_global, loop.walk()))
    return Loads(rows, copied) if may_be_moved and all(is_copied(load, strides) for load in copied) else None


def reaches_dot(load: Operation, loop: scf.ForOp) -> bool:
    """Whether an operand of a dot is computed from the load, in the loop's own block."""
    block = loop.body.block
    ends = (*DOTS, LocalAllocOp, LocalStoreOp)
    uses = uses_behind(load, lambda user: user.parent_block() is block and not isinstance(user, ends))
    users = [use.operation for use in uses if not isinstance(use.operation, DOTS) or use.index != ACCUMULATOR]
    return any(isinstance(user, ends) and user.parent_block() is block for user in users)


def is_row(load: LoadOp) -> bool:
    """Whether a tensor is loaded of which one dim at most has more than one element, or a number."""
    return sum(size > 1 for size in shape_of(load.result.type)) <= 1


@dataclass(frozen=True)
class LoadRowsAheadPass(RewritePass):
    """Load rows of scales one iteration ahead.

    `num_stages`: the kernel's option of that name, 0 where it is not known; then the loops have to say it.
    """

    name: ClassVar[str] = "load-rows-ahead"

    num_stages: int = 0

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Look at every loop."""
        changed, strides = False, Strides(op)
        for loop in of_kind(list(op.walk()), scf.ForOp):
            found, stages = find_loads(loop, strides), stages_of(loop, self.num_stages)
            if found is None or stages <= AHEAD or found.registers > MAX_REGISTERS:
                continue
            untold = [load for load in found.copied if LATENCY not in load.attributes]
            set_latency(untold, copies_ahead(loop, list(found.copied), self.num_stages))
            set_latency(found.rows, AHEAD)
            for row in found.rows:
                remarks.emit("passed", self.name, row, "loaded an iteration ahead, to registers")
            changed = True
        return changed
