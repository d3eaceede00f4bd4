"""`prune-wgmma-waits`: remove operands that a wait for wgmma need not forward.

Triton lowers `ttng.warp_group_dot_wait` to inline assembly with one tied operand for each register that it forwards, so
that nothing uses these registers above it. Compile time grows with them: a thread has 128 registers of an accumulator
of 128x256 in 8 warps. If only asynchronous dots consume the accumulator, the wait need not forward it: each wgmma takes
the accumulator and returns it, and LLVM keeps dots and waits in program order.

With the option `memory`, waits do not forward tiles of shared memory either, if these have no uses after the wait:
Triton 3.9 visits all addresses of each alias of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i32
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import as_tensor, of_kind
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import ACCUMULATOR, warps_of
from dotload.passes.ir.memory import aliases, alloc_of, before_views, index_of
from dotload.passes.ir.motion import walk
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.ir.wgmma import waits_for_all
from dotload.passes.pipelined_loops.buffer_liveness import keep_alive
from dotload.passes.pipelined_loops.cta_barriers import next_cta_barrier
from dotload.passes.rewriting import LoopPass

# Accumulators


def prune_accumulators(loop: scf.ForOp) -> bool:
    """Stop forwarding accumulators that only dots and other waits use; returns whether there were any."""
    changed = False
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        pairs = zip(wait.inputs, wait.outputs, strict=True)
        forwarded = [place for place, pair in enumerate(pairs) if not is_left_to_dots(*pair, loop)]
        if len(forwarded) < len(wait.outputs):
            forward_only(wait, forwarded)
            changed = True
    return changed


def is_left_to_dots(value: SSAValue, waited: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value` is a dot's result, and `waited`, its alias after the wait, is only accumulated into.

    The users may be dots of this iteration or the next, or other waits. Each of those keeps its place among the dots,
    so it does not matter how many dots this wait leaves in flight.
    """
    tensor = as_tensor(value.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.NvidiaMmaEncoding):
        return False
    if not isinstance(value.owner, WarpGroupDotOp) and value.owner is not loop.body.block:
        return False
    uses = list(waited.uses)
    carried = [use for use in uses if use.operation is loop.body.block.last_op]
    for use in carried:
        if not all(isinstance(after.operation, WarpGroupDotWaitOp) for after in loop.results[use.index].uses):
            return False
        uses += loop.body.block.args[1 + use.index].uses
    return bool(uses) and all(use in carried or is_accumulation(use) for use in uses)


def is_accumulation(use: Use) -> bool:
    """Whether the accumulator's user is an asynchronous dot that accumulates into it, or a wait."""
    if isinstance(use.operation, WarpGroupDotOp):
        return use.index == ACCUMULATOR and bool(use.operation.isAsync.value.data)
    return isinstance(use.operation, WarpGroupDotWaitOp)


# Memory


def prune_memory(loop: scf.ForOp) -> bool:
    """Stop forwarding tiles without uses after the wait, if these stay live anyway; returns whether there were any.

    The allocation of one tile is freed at the next CTA barrier: membar places one before that, if there is none.
    """
    changed = False
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        places = range(len(wait.inputs))
        idle = [place for place in places if is_idle(wait, place, loop)]
        forwarded, barrier = [place for place in places if place not in idle], next_cta_barrier(wait)
        if not idle or not forwarded:
            continue
        for memory in [wait.inputs[place] for place in idle]:
            if barrier is not None and index_of(memory) is None:
                keep_alive(before_views(memory), barrier)
        forward_only(wait, forwarded)
        changed = True
    return changed


def is_idle(wait: WarpGroupDotWaitOp, place: int, loop: scf.ForOp) -> bool:
    """Whether the wait forwards, at this index, a tile that stays live without it and has no uses after it.

    Buffers of the loop stay live. For a tile that is allocated in the loop, the wait has to be the last use.
    """
    memory, alloc = wait.inputs[place], alloc_of(wait.inputs[place])
    if wait.outputs[place].first_use or alloc is None:
        return False
    if index_of(memory) is not None:
        return not loop.is_ancestor(alloc)
    behind: set[Operation] = {wait, *walk(wait)}
    ends = [use.operation for value in aliases(alloc.result) for use in value.uses if use.operation in behind]
    is_last = ends == [wait] and alloc.parent_block() is wait.parent_block()
    return is_last and waits_for_all(wait) and next_cta_barrier(wait) is not None


# Emit


def forward_only(wait: WarpGroupDotWaitOp, places: Sequence[int]) -> None:
    """Restrict the wait to its operands at these indices.

    Registers come first among them: Triton 3.6 allows only a first result to have other memory than its operand.
    """
    places = sorted(places, key=lambda place: not isinstance(wait.inputs[place].type, TensorType))
    results, inputs = list(wait.inputs), [wait.inputs[place] for place in places]
    if not inputs or not isinstance(inputs[0].type, TensorType):
        inputs.insert(0, emit_token(wait))
    light = WarpGroupDotWaitOp(inputs, wait.pendings.value.data, is_local=wait.warpGroupLocal is not None)
    light.attributes.update(wait.attributes)
    Emitter.before(wait).run(light)
    for place, result in zip(places, light.outputs[len(inputs) - len(places) :], strict=True):
        results[place] = result
    for old, new in zip(wait.outputs, results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(wait)


def emit_token(wait: WarpGroupDotWaitOp) -> SSAValue:
    """An operand for a wait that would forward nothing: Triton requires one, of at least two registers."""
    accumulator = next(value for value in wait.inputs if isinstance(value.type, TensorType))
    value = token_value(warps_of(accumulator))
    return Emitter.before(wait).insert(arith.ConstantOp(value, value.type))


@lru_cache(maxsize=16)
def token_value(warps: int) -> DenseIntOrFPElementsAttr:
    """A constant that gives each thread of this many warps two zeros."""
    broadcast = attrs.LinearEncoding.of(
        register=((1,),),
        lane=((0,),) * (WARP_LANES.bit_length() - 1),
        warp=((0,),) * (warps.bit_length() - 1),
        block=(),
    )
    return DenseIntOrFPElementsAttr.from_list(TensorType(i32, [2], broadcast), [0])


@dataclass(frozen=True)
class PruneWgmmaWaitsPass(LoopPass):
    """Remove operands of waits for wgmma that need not be forwarded.

    `memory`: including tiles of shared memory (Triton 3.9).
    """

    name = "prune-wgmma-waits"

    memory: bool = False

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if is_in_cluster(loop):
            return False
        changed = prune_accumulators(loop)
        return (self.memory and prune_memory(loop)) or changed
