"""`deduplicate-scale-loads`: load the scales of a dot's columns once, not by each thread.

    %s = tt.load %p : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>      32 loads a thread
    ... %d * %s

Triton gives a tensor with fewer elements than threads the layout of its users (isExpensiveLoadOrStore). A thread of
wgmma has a quarter of the columns, and each warp has all of them: 8 warps load 128 scales in 256 instructions of four
addresses each. This pass loads one element per thread before the dot, and distributes the elements while it runs:

    %n = tt.load %q : tensor<128x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1], ...}>>   1 load a thread
    %d = ttng.warp_group_dot ...
    %s = ttg.convert_layout %n                                                             through shared memory

Scales that are the same for all columns stay: ptxas merges their loads into one. If Triton loads such a scale once per
thread, and exchanges what the threads have, it is loaded in the layout of its users instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, of_kind, tensor_type
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.reject import Reject
from dotload.passes.analysis.constancy import loads_one_number
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import elements_of_thread, encoding_attribute
from dotload.passes.ir.loops import warps_of, wgmma_dots
from dotload.passes.ir.memory import size_bytes
from dotload.passes.ir.motion import hoist_above, may_move_above, walk
from dotload.passes.ir.scratch import takes_scratch
from dotload.passes.ir.targets import target_around
from dotload.passes.pipelined_loops.buffer_liveness import allocated_bytes
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.scaled_results import awaited_dot, scales_bytes
from dotload.passes.pipelined_loops.splits import Part
from dotload.passes.rematerialization.layouts import Layouts
from dotload.passes.rewriting import LoopPass

MIN_LOADS = 8
"""Loads per thread from which on it pays (chosen, not measured: rows have 2, columns a quarter of all)."""


@dataclass(frozen=True)
class ScaleLoad:
    """A load of `count` elements per thread, and the dot that hides their distribution, with the wait for it."""

    load: LoadOp
    count: int
    awaited: Part


# Candidates


def find_loads(loop: scf.ForOp, line: attrs.EncodingAttr) -> list[ScaleLoad]:
    """The loads of a loop that pay; raises Reject if one of them has to stay."""
    if (awaited := awaited_dot(loop)) is None:
        return []
    counts = {load: loads_of_thread(load) for load in of_kind(loop.body.block.ops, LoadOp)}
    found = [ScaleLoad(load, count, awaited) for load, count in counts.items() if count >= MIN_LOADS]
    for scale in found:
        if not Layouts.may_be_computed(scale.load.operands, line):
            raise Reject(LoopReason.SCALE_ADDRESSES, value=scale.count)
    taken = sum(size_bytes(scale.load.result) for scale in found)
    if found and allocated_bytes(loop) + taken > target_around(loop).max_block_bytes:
        raise Reject(LoopReason.NO_ROOM, value=taken)
    return found


def find_exchanges(loop: scf.ForOp) -> list[ConvertLayoutOp]:
    """The exchanges, through shared memory, of a number that is the same for all columns."""
    if not scales_bytes(loop):
        return []
    return [op for op in of_kind(loop.body.block.ops, ConvertLayoutOp) if takes_scratch(op) and is_of_one_number(op)]


def is_of_one_number(exchange: ConvertLayoutOp) -> bool:
    """Whether all elements are loaded from one address, which can be computed in the layout of the users as well."""
    load, encoding = exchange.src.owner, tensor_type(exchange.result).encoding
    if not isinstance(load, LoadOp) or load.is_volatile or not loads_one_number(load):
        return False
    return isinstance(encoding, attrs.EncodingAttr) and Layouts.may_be_computed(load.operands, encoding)


def loads_of_thread(load: LoadOp) -> int:
    """The number of different addresses that a thread loads one by one; 0 if not the columns of a dot's result."""
    tensor = as_tensor(load.result.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.SliceEncoding) or len(tensor.get_shape()) != 1:
        return 0
    if load.is_volatile or loads_one_number(load):
        return 0
    return elements_of_thread(load.result)


# Emit


def emit(scale: ScaleLoad, loop: scf.ForOp, line: attrs.EncodingAttr, layouts: Layouts) -> None:
    """Load each element once, before the dot if the load may move there; distribute them late, but during the dot."""
    load, block = scale.load, loop.body.block
    copy = layouts.load(load, line)
    if may_move_above(copy, scale.awaited.dot, loop):
        hoist_above(scale.awaited.dot, [copy], loop)
    users = {block.find_ancestor_op_in_block(use.operation) for use in load.result.uses}
    places = [op for op in walk(copy) if op in users or op is scale.awaited.wait]
    place = places[0] if places else load
    shared = Emitter.before(place, load).insert(ConvertLayoutOp(copy.results[0], tensor_type(load.result)))
    Rewriter.replace_op(load, (), [shared])


def load_for_users(exchange: ConvertLayoutOp, layouts: Layouts) -> None:
    """Load in the layout of the exchange's users."""
    load, encoding = exchange.src.owner, tensor_type(exchange.result).encoding
    assert isinstance(load, LoadOp)
    assert isinstance(encoding, attrs.EncodingAttr)
    Rewriter.replace_op(exchange, (), layouts.load(load, encoding).results)
    if load.result.first_use is None:
        Rewriter.erase_op(load)


@dataclass(frozen=True)
class DeduplicateScaleLoadsPass(LoopPass):
    """Load once what many threads load, and distribute it through shared memory."""

    name = "deduplicate-scale-loads"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        dots = wgmma_dots(loop)
        if not dots:
            return False
        line = encoding_attribute(enc.Blocked((1,), (WARP_LANES,), (warps_of(dots[0].d),), (0,)))
        scales, exchanges, layouts = find_loads(loop, line), find_exchanges(loop), Layouts()
        for exchange in exchanges:
            self.passed(exchange, "one number for all columns is loaded by each thread, not exchanged between threads")
            load_for_users(exchange, layouts)
        for scale in scales:
            self.passed(scale.load, f"each element is loaded once instead of {scale.count} loads per thread")
            emit(scale, loop, line, layouts)
        return bool(scales or exchanges)
