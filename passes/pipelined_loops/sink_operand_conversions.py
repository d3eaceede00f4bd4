"""`sink-operand-conversions`: each part of a dot's A is converted right before its part of the dot.

Where A is converted in registers, Triton's pipeliner splits the dot along k behind the conversion:

    %a = arith.sitofp %bytes                                          all of A
    %parts = tt.reshape, tt.trans, tt.split of %a
    %d = ttng.warp_group_dot %part, ... ; ttng.warp_group_dot_wait

So all of A is converted before the first part starts, and the last part has to end before the next iteration converts
again: its registers are those that the dot reads. This pass splits the bytes instead:

    %parts = tt.reshape, tt.trans, tt.split of %bytes
    %p = arith.sitofp %part                                           behind the wait for the part before
    %d = ttng.warp_group_dot %p, ... ; ttng.warp_group_dot_wait

Then parts are converted while others are multiplied, and the last one may stay in flight when its iteration ends. A dot
of few columns is limited by memory: it is over sooner with one conversion and no waits in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.typed import tensor_type
from dotload.layout.reject import Reject
from dotload.passes import remarks
from dotload.passes.ir.def_use import erase_unused, only_user
from dotload.passes.ir.motion import copy_of
from dotload.passes.pipelined_loops.reads import fragments_of, staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import SPLITTING, dots_of, is_conversion
from dotload.passes.rewriting import RewritePass

MEMORY_BOUND_COLUMNS = 32
"""Up to as many, weights take longer to come from memory than to be multiplied (not measured). With 64 columns, parts
reach 1.01 to 1.04 times the speed of whole conversions (H200, bench/converted_operands.py, in two runs)."""


def conversion_behind(fragments: SSAValue) -> Operation | None:
    """The conversion that is all that the fragments are for, if only parts of dots take what it makes."""
    conversion = only_user(fragments)
    if conversion is None or not is_conversion(conversion):
        return None
    converted = conversion.results[0]
    is_split = all(isinstance(use.operation, SPLITTING) for use in converted.uses)
    return conversion if is_split and all(dots_of(converted)) else None


def columns_of(conversion: Operation) -> int:
    """The columns of the dots that take what is converted."""
    return max(tensor_type(dot.d).get_shape()[1] for dot in dots_of(conversion.results[0]) if dot is not None)


def sink(conversion: Operation) -> None:
    """Convert each part right before its dot."""
    dots = [dot for dot in dots_of(conversion.results[0]) if dot is not None]
    parts = [dot.a for dot in dots]
    split_bytes(conversion.results[0], conversion.operands[0], conversion)
    erase_unused(parts)
    Rewriter.erase_op(conversion)


def split_bytes(converted: SSAValue, bytes_: SSAValue, conversion: Operation) -> None:
    """Have the dots that take parts of `converted` take those of `bytes_`, each converted by itself."""
    for use in list(converted.uses):
        user = use.operation
        if not isinstance(user, SPLITTING):  # the dot
            part = copy_of(conversion, {conversion.operands[0]: bytes_})
            Rewriter.replace_value_with_new_type(part.results[0], converted.type)
            Rewriter.insert_op(part, InsertPoint.before(user))
            user.operands[use.index] = part.results[0]
            continue
        split = copy_of(user, {converted: bytes_})
        Rewriter.insert_op(split, InsertPoint.before(user))
        for old, new in zip(user.results, split.results, strict=True):
            tensor = tensor_type(old)
            narrow = TensorType(tensor_type(bytes_).element_type, tensor.shape, tensor.encoding)
            split_bytes(old, Rewriter.replace_value_with_new_type(new, narrow), conversion)


@dataclass(frozen=True)
class SinkOperandConversionsPass(RewritePass):
    """Convert each part of a dot's A right before its part of the dot."""

    name: ClassVar[str] = "sink-operand-conversions"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Look at the fragments of every staged tile."""
        changed = False
        for read in staged_reads(list(op.walk()), "fragments"):
            if (conversion := conversion_behind(fragments_of(read))) is None:
                continue
            if (columns := columns_of(conversion)) <= MEMORY_BOUND_COLUMNS:
                reject = Reject(LoopReason.FEW_COLUMNS, value=columns, limit=MEMORY_BOUND_COLUMNS)
                remarks.missed(self.name, conversion, reject)
                continue
            remarks.emit("passed", self.name, conversion, "each part of the operand is converted right before its dot")
            sink(conversion)
            changed = True
        return changed
