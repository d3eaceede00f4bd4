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

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import MakeRangeOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import as_tensor, is_splat, of_kind, retyped, tensor_type
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.passes import remarks
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, layout_of
from dotload.passes.ir.loops import carry, is_only_dot, warps_of, wgmma_dots, yield_next
from dotload.passes.ir.motion import copy_of, hoist_above
from dotload.passes.pipelined_loops.reads import only_user, staged_reads
from dotload.passes.rewriting import RewritePass

MIN_LOADS = 8
"""Loads of a thread from which on it pays (chosen, not measured: rows have 2 of them, columns a quarter of all)."""

RECOMPUTED = (AddPtrOp, ConvertLayoutOp, MakeRangeOp, SplatOp)
"""Ops that may have their result in any layout, besides elementwise ones."""


@dataclass(frozen=True)
class ScaleLoad:
    """A load of many elements a thread, and the dot under which they may be shared out."""

    load: LoadOp
    dot: WarpGroupDotOp
    wait: WarpGroupDotWaitOp


# Candidates


def find_loads(loop: scf.ForOp) -> list[ScaleLoad]:
    """The loads of a loop that are worth it."""
    ops, dot = list(loop.body.block.ops), next(iter(wgmma_dots(loop)), None)
    if dot is None or not staged_reads(ops) or not is_only_dot(dot):
        return []
    wait = only_user(dot.d)
    if not isinstance(wait, WarpGroupDotWaitOp) or wait.parent_op() is not loop:
        return []
    return [ScaleLoad(load, dot, wait) for load in of_kind(ops, LoadOp) if is_duplicated(load)]


def is_duplicated(load: LoadOp) -> bool:
    """Whether each thread loads many elements, and all that the addresses are computed by can be computed anew."""
    tensor = as_tensor(load.result.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.SliceEncoding) or len(tensor.get_shape()) != 1:
        return False
    if layout_of(load.result).in_sizes[enc.REGISTER] < MIN_LOADS:
        return False
    if is_same_for_all(load.ptr, Strides.behind(load.ptr)):
        return False
    return all(is_recomputed(operand, set()) for operand in load.operands)


def is_same_for_all(value: SSAValue, strides: Strides) -> bool:
    """Whether all elements are the same, as those of `columns // 128` are within an aligned tile of 128 columns.

    Numbers are taken not to be negative, which decides about speed only.
    """
    if as_tensor(value.type) is None:
        return True
    match value.owner:
        case arith.ConstantOp(value=constant):
            return is_splat(constant)
        case arith.DivSIOp(lhs=dividend, rhs=divisor) | arith.DivUIOp(lhs=dividend, rhs=divisor):
            info, by, (size,) = strides.of(dividend), strides.of(divisor).constant, tensor_type(value).get_shape()
            is_run = info.strides == (1,) and info.runs == (size,) and not info.align % size
            if is_run and by is not None and not by % size:
                return True
            return all(is_same_for_all(each, strides) for each in (dividend, divisor))
        case AddPtrOp() | ConvertLayoutOp() | SplatOp() as op:
            return all(is_same_for_all(operand, strides) for operand in op.operands)
        case Operation() as op:
            return is_elementwise(op) and all(is_same_for_all(operand, strides) for operand in op.operands)
        case _:
            return False


def is_recomputed(value: SSAValue, seen: set[SSAValue]) -> bool:
    """Whether `Recomputed` can have the value in another layout."""
    if value in seen or as_tensor(value.type) is None:
        return True
    seen.add(value)
    if isinstance(value, BlockArgument):
        loop, last = value.block.parent_op(), value.block.last_op
        if not isinstance(loop, scf.ForOp) or last is None:
            return False
        return all(
            is_recomputed(each, seen) for each in (loop.iter_args[value.index - 1], last.operands[value.index - 1])
        )
    assert isinstance(value, OpResult)
    op = value.op
    if isinstance(op, arith.ConstantOp):
        return is_splat(op.value)
    if not isinstance(op, RECOMPUTED) and not is_elementwise(op):
        return False
    return all(is_recomputed(operand, seen) for operand in op.operands)


# Emit


@dataclass
class Recomputed:
    """Values computed anew in another layout, each beside the value that it stands for."""

    encoding: attrs.EncodingAttr
    known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def __call__(self, value: SSAValue) -> SSAValue:
        """The value in the layout; a scalar is itself."""
        if as_tensor(value.type) is None:
            return value
        if value not in self.known:
            if isinstance(value, BlockArgument):
                self._carry(value)
            else:
                assert isinstance(value, OpResult)
                self.known[value] = self._compute(value.op)
        return self.known[value]

    def _carry(self, argument: BlockArgument) -> None:
        loop, last = argument.block.parent_op(), argument.block.last_op
        assert isinstance(loop, scf.ForOp)
        assert last is not None
        carried = carry(loop, self(loop.iter_args[argument.index - 1]), argument.name_hint)
        self.known[argument] = carried
        yield_next(carried, self(last.operands[argument.index - 1]))

    def _compute(self, op: Operation) -> SSAValue:
        if isinstance(op, ConvertLayoutOp):
            return self(op.src)
        operands = {operand: self(operand) for operand in op.operands}
        emitter, type_ = Emitter.after(op), self.type_of(op.results[0])
        if isinstance(op, arith.ConstantOp):
            assert is_splat(op.value)
            return emitter.add(arith.ConstantOp(retyped(op.value, type_), type_))
        return Rewriter.replace_value_with_new_type(emitter.add(copy_of(op, operands)), type_)

    def type_of(self, value: SSAValue) -> TensorType[Attribute]:
        """The value's type in the layout."""
        tensor = tensor_type(value)
        return TensorType(tensor.element_type, tensor.shape, self.encoding)


def emit(scale: ScaleLoad, loop: scf.ForOp, recomputed: Recomputed) -> None:
    """Load each element once before the dot, and share them out before the wait for it."""
    load, dot = scale.load, scale.dot
    operands = {operand: recomputed(operand) for operand in load.operands}
    copy = copy_of(load, operands)
    Emitter.before(load).run(copy)
    Rewriter.replace_value_with_new_type(copy.results[0], recomputed.type_of(load.result))
    hoist_above(dot, [copy], loop)
    shared = Emitter.before(scale.wait, load).add(ConvertLayoutOp(copy.results[0], tensor_type(load.result)))
    load.result.replace_all_uses_with(shared)
    Rewriter.erase_op(load)


# The pass


@dataclass(frozen=True)
class DeduplicateScaleLoadsPass(RewritePass):
    """Load what many threads load once, and share it out through shared memory."""

    name: ClassVar[str] = "deduplicate-scale-loads"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Look at every loop."""
        changed = False
        for loop in of_kind(list(op.walk()), scf.ForOp):
            scales = find_loads(loop)
            if not scales:
                continue
            warps = warps_of(wgmma_dots(loop))
            recomputed = Recomputed(encoding_attribute(enc.Blocked((1,), (WARP_LANES,), (warps,), (0,))))
            for scale in scales:
                each = layout_of(scale.load.result).in_sizes[enc.REGISTER]
                remarks.emit("passed", self.name, scale.load, f"loaded once, not {each} times by each thread")
                emit(scale, loop, recomputed)
                changed = True
        return changed
