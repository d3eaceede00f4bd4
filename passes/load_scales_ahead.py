"""`load-scales-ahead`: scales that cp.async cannot copy are loaded one iteration ahead, to registers.

    scf.for {
      %b = tt.load %tile : tensor<128x64x!tt.ptr<i8>>          Triton copies it to shared memory, iterations ahead
      %s = tt.load %scales : tensor<1x64x!tt.ptr<bf16>>        2 bytes a piece: too small for cp.async (PTX ISA)
      ... arith.mulf ... tt.dot

Triton pipelines no load that it cannot copy asynchronously: each iteration waits for its scales, all the way from
memory. Triton's expander keeps the value of such a load in registers if the schedule has it in an earlier stage. The
pass sets `tt.latency`: 1 for these loads, and for tiles the latency that Triton would give them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_memory import Load, LoadOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalStoreOp
from dotload.dialect_ext.typed import as_tensor, of_kind
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.layouts import is_tile, registers_of_thread
from dotload.passes.ir.loops import ACCUMULATOR, DOTS, is_pipelined_loop
from dotload.passes.operand_staging.latencies import LATENCY, REGISTERS_AHEAD, copies_ahead, set_latency
from dotload.passes.operand_staging.loop_loads import (
    is_copied,
    is_copied_by_vectors,
    loads_found_by,
    loads_of,
    stages_of,
)
from dotload.passes.operand_staging.loop_memory import lacks_buffer
from dotload.passes.rewriting import RewritePass

AHEAD = 1
"""Iterations: enough for memory, where several blocks share a multiprocessor."""


@dataclass(frozen=True)
class Loads:
    """The loads of a loop whose values go to dots: those that Triton copies to shared memory, and `others`."""

    others: tuple[LoadOp, ...]
    copied: tuple[Load, ...]

    @property
    def registers(self) -> int:
        """The registers of a thread for what one iteration loads to registers; equal elements count once."""
        return sum(registers_of_thread(load.result) for load in self.others)


def find_loads(loop: scf.ForOp, strides: Strides) -> Loads | None:
    """The loads, if Triton copies some, and the others may be loaded an iteration ahead; None if not.

    A loop that writes to global memory may write what the next iteration loads.
    """
    loads = loads_of(loop)
    copied = tuple(load for load in loads if is_copied(load, strides))
    others = tuple(load for load in of_kind(loads, LoadOp) if load not in copied and is_small(load))
    ahead_already = [load for load in loads if LATENCY in load.attributes]
    is_otherwise_ahead = bool(ahead_already) and ahead_already != list(copied)
    is_all = len(loads) == len(copied) + len(others) and all(reaches_dot(load, loop) for load in loads)
    if not copied or not others or not is_all or is_otherwise_ahead:
        return None
    if any(loads_found_by(load) or lacks_buffer(load) for load in loads):
        return None
    may_be_moved = not any(load.is_volatile for load in others) and not any(map(writes_global, loop.walk()))
    return Loads(others, copied) if may_be_moved and is_pipelined_loop(loop) else None


def is_small(load: LoadOp) -> bool:
    """Whether it loads a row, a column or a scalar, or a tile of which a thread has fewer bytes than cp.async copies.

    For other tiles, Triton may know that elements are contiguous when this pass does not, and copy them.
    """
    tensor = as_tensor(load.result.type)
    return tensor is None or not is_tile(tensor) or not is_copied_by_vectors(load)


def reaches_dot(load: Operation, loop: scf.ForOp) -> bool:
    """Whether an operand of a dot is computed from the load, in the loop's own block."""
    block = loop.body.block
    ends = (*DOTS, LocalAllocOp, LocalStoreOp)
    uses = uses_behind(load, lambda user: user.parent_block() is block and not isinstance(user, ends))
    users = [use.operation for use in uses if not isinstance(use.operation, DOTS) or use.index != ACCUMULATOR]
    return any(isinstance(user, ends) and user.parent_block() is block for user in users)


@dataclass(frozen=True)
class LoadScalesAheadPass(RewritePass):
    """Load scales one iteration ahead.

    `num_stages`: the kernel's option of that name, 0 where it is not known; then the loops have to say it.
    """

    name = "load-scales-ahead"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        changed, strides = False, Strides(module)
        for loop in of_kind(module.walk(), scf.ForOp):
            found, stages = find_loads(loop, strides), stages_of(loop, self.num_stages)
            if found is None or stages <= AHEAD or found.registers > REGISTERS_AHEAD:
                continue
            untold = [load for load in found.copied if LATENCY not in load.attributes]
            set_latency(untold, copies_ahead(loop, list(found.copied), self.num_stages))
            set_latency(found.others, AHEAD)
            for load in found.others:
                self.passed(load, "loaded one iteration ahead, into registers")
            changed = True
        return changed
