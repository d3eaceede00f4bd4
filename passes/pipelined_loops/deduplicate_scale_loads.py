"""`deduplicate-scale-loads`: the scales of a dot's columns are loaded once, not by each thread.

    %s = tt.load %p : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>      32 loads a thread
    ... %d * %s

Triton gives a tensor of fewer elements than threads the layout that it is wanted in (its isExpensiveLoadOrStore). A
thread of wgmma has a quarter of the columns, and each warp has all of them: 8 warps load 128 scales in 256 instructions
of four addresses each. This pass loads one element a thread before the dot, and has them shared out while it runs:

    %n = tt.load %q : tensor<128x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1], ...}>>   1 load a thread
    %d = ttng.warp_group_dot ...
    %s = ttg.convert_layout %n                                                             through shared memory

Scales that are the same for all columns stay: ptxas makes one load of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import is_pure, writes_global
from dotload.dialect_ext.tt_compute import SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import as_tensor, is_splat, of_kind, tensor_type
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.reject import Reject
from dotload.passes import remarks
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import holds, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, layout_of
from dotload.passes.ir.loops import function_around, is_only_dot, warps_of, wgmma_dots
from dotload.passes.ir.memory import memory_bytes, tensor_bytes
from dotload.passes.ir.motion import backward_slice, hoist_above, walk
from dotload.passes.ir.targets import target_around
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.rematerialization.layouts import Layouts, may_be_recomputed
from dotload.passes.rewriting import LoopPass

MIN_LOADS = 8
"""Loads of a thread from which on it pays (chosen, not measured: rows have 2 of them, columns a quarter of all)."""


@dataclass(frozen=True)
class ScaleLoad:
    """A load of `count` elements a thread, and the dot under which they may be shared out, with the wait for it."""

    load: LoadOp
    count: int
    dot: WarpGroupDotOp
    wait: WarpGroupDotWaitOp


# Candidates


def find_loads(loop: scf.ForOp, line: attrs.EncodingAttr) -> list[ScaleLoad]:
    """The loads of a loop that are worth it; raises Reject where one of them has to stay."""
    ops, dot = list(loop.body.block.ops), next(iter(wgmma_dots(loop)), None)
    if dot is None or not staged_reads(ops) or not is_only_dot(dot):
        return []
    wait = only_user(dot.d)
    if not isinstance(wait, WarpGroupDotWaitOp) or wait.parent_op() is not loop:
        return []
    counts = {load: loads_of_thread(load) for load in of_kind(ops, LoadOp)}
    found = [ScaleLoad(load, count, dot, wait) for load, count in counts.items() if count >= MIN_LOADS]
    for scale in found:
        if not may_be_recomputed(scale.load.operands, line):
            raise Reject(LoopReason.SCALE_ADDRESSES, value=scale.count)
    taken = sum(tensor_bytes(scale.load.result) for scale in found)
    function = function_around(loop)
    held = 0 if function is None else sum(memory_bytes(op.result) for op in of_kind(function.walk(), LocalAllocOp))
    if held + taken > target_around(loop).max_block_bytes:
        raise Reject(LoopReason.NO_ROOM, value=taken)
    return found


def loads_of_thread(load: LoadOp) -> int:
    """How many different addresses a thread loads one by one; 0 where these are not the columns of a dot's result."""
    tensor = as_tensor(load.result.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.SliceEncoding) or len(tensor.get_shape()) != 1:
        return 0
    if load.isVolatile.value.data or is_same_for_all(load.ptr, Strides.behind(load.ptr)):
        return 0
    return layout_of(load.result).in_sizes[enc.REGISTER]


def is_same_for_all(value: SSAValue, strides: Strides) -> bool:
    """Whether all elements are the same, as those of `columns // 128` are within an aligned tile of 128 columns.

    Numbers are taken not to be negative, which decides about speed only.
    """
    return holds([value], lambda each: _same_where(each, strides))


def _same_where(value: SSAValue, strides: Strides) -> Sequence[SSAValue] | None:
    """What has to be the same for all for the value to be; None where it is not known to be."""
    if as_tensor(value.type) is None:
        return ()
    match value.owner:
        case arith.ConstantOp(value=constant):
            return () if is_splat(constant) else None
        case arith.DivSIOp(lhs=dividend, rhs=divisor) | arith.DivUIOp(lhs=dividend, rhs=divisor):
            info, by, (size,) = strides.of(dividend), strides.of(divisor).constant, tensor_type(value).get_shape()
            is_run = info.strides == (1,) and info.runs == (size,) and not info.align % size
            return () if is_run and by is not None and not by % size else (dividend, divisor)
        case AddPtrOp() | ConvertLayoutOp() | SplatOp() as op:
            return op.operands
        case Operation() as op:
            return op.operands if op.dialect_name() == "arith" else None
        case _:
            return None


# Emit


def emit(scale: ScaleLoad, loop: scf.ForOp, line: attrs.EncodingAttr, layouts: Layouts) -> None:
    """Load each element once, before the dot if it may move there, and share them out: late, but under the dot."""
    load, block = scale.load, loop.body.block
    copy = layouts.load(load, line)
    if may_move_above(copy, scale.dot, loop):
        hoist_above(scale.dot, [copy], loop)
    users = {block.find_ancestor_op_in_block(use.operation) for use in load.result.uses}
    places = [op for op in walk(copy) if op in users or op is scale.wait]
    place = places[0] if places else load
    shared = Emitter.before(place, load).add(ConvertLayoutOp(copy.results[0], tensor_type(load.result)))
    load.result.replace_all_uses_with(shared)
    Rewriter.erase_op(load)


def may_move_above(load: Operation, dot: Operation, loop: scf.ForOp) -> bool:
    """Whether a load below a dot may run above it: no op up to there writes, and its addresses are only computed."""
    if (between := above(load, dot)) is None:
        return False
    computing = backward_slice([load], loop)
    return not any(writes_global(op) or (op in computing and not is_pure(op)) for op in between)


def above(op: Operation, place: Operation) -> list[Operation] | None:
    """The ops from `place` on to `op`, which is not one of them; None where it stands above `place` itself."""
    found: list[Operation] = []
    for each in walk(op, backwards=True):
        found.append(each)
        if each is place:
            return found
    return None


# The pass


@dataclass(frozen=True)
class DeduplicateScaleLoadsPass(LoopPass):
    """Load what many threads load once, and share it out through shared memory."""

    name: ClassVar[str] = "deduplicate-scale-loads"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Look at the loads of a loop."""
        dots = wgmma_dots(loop)
        if not dots:
            return False
        line = encoding_attribute(enc.Blocked((1,), (WARP_LANES,), (warps_of(dots[0]),), (0,)))
        scales, layouts = find_loads(loop, line), Layouts()
        for scale in scales:
            remarks.emit("passed", self.name, scale.load, f"loaded once, not {scale.count} times by each thread")
            emit(scale, loop, line, layouts)
        return bool(scales)
