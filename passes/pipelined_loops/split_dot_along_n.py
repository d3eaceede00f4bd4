"""`split-dot-along-n`: compute a dot that is added to an accumulator in pieces that fit the registers.

    %d = ttng.warp_group_dot %p, %v, %zero              128 registers
    %w = ttng.warp_group_dot_wait %d
    %s = arith.addf %scaled, %w                         %scaled: 128 registers

Triton does not fold such an addition into an fp8 dot, which accumulates with fewer bits. If the result and the
accumulator do not fit into a thread's registers together, ptxas spills the accumulator in every iteration. This pass
computes neighbouring columns in sequence:

    %d0 = ttng.warp_group_dot %p, %v[:, :256], %zero0   64 registers
    %w0 = ttng.warp_group_dot_wait %d0
    %s0 = arith.addf %scaled0, %w0
    %d1 = ...
    %s = tt.join %s0, %s1 ...                           the same registers

A has to be in registers: from shared memory, it would be read again for each piece. The dot's instructions become as
narrow as the pieces, so that each warp has some of the columns of each piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, NoneAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.struct_attr import Params, Value
from dotload.dialect_ext.tt import CallOp, FuncOp, ReturnOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import as_tensor, is_splat, of_kind, retyped, tensor_type
from dotload.layout.nvidia_targets import MAX_THREAD_REGISTERS, REGISTER_BITS
from dotload.layout.reject import Reject
from dotload.layout.views import Reshape, Transpose
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import bits_of_thread
from dotload.passes.ir.loops import function_around, wgmma_dots
from dotload.passes.operand_staging.stock import OTHER_REGISTERS
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import columns, part_of_memory
from dotload.passes.rewriting import RewritePass

MIN_COLUMNS = 8
"""The least columns of a wgmma (PTX ISA, wgmma, shapes)."""


@dataclass(frozen=True)
class AddedDot:
    """A dot that starts from zero, the wait for all of it, and the op that adds it to `accumulator`."""

    dot: WarpGroupDotOp
    wait: WarpGroupDotWaitOp
    addition: arith.AddfOp
    accumulator: SSAValue

    @property
    def encoding(self) -> attrs.NvidiaMmaEncoding:
        """The encoding of the result."""
        encoding = tensor_type(self.dot.d).encoding
        assert isinstance(encoding, attrs.NvidiaMmaEncoding)
        return encoding


# Plan


def find_added(dot: WarpGroupDotOp) -> AddedDot | None:
    """The dot, if it is added to an accumulator and has A in registers."""
    if as_tensor(dot.a.type) is None or not dot.isAsync.value.data or zero_of(dot.c) is None:
        return None
    wait = only_user(dot.d)
    if not isinstance(wait, WarpGroupDotWaitOp) or wait.pendings.value.data or wait.inputs[0] is not dot.d:
        return None
    addition = only_user(wait.outputs[0])
    if not isinstance(addition, arith.AddfOp) or addition.parent_block() is not dot.parent_block():
        return None
    accumulator = addition.lhs if addition.rhs is wait.outputs[0] else addition.rhs
    return AddedDot(dot, wait, addition, accumulator)


def zero_of(value: SSAValue) -> DenseIntOrFPElementsAttr[Any] | None:
    """The constant of zeros that the value is; None for other values."""
    constant = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return constant if is_splat(constant) and not any(constant.data.data) else None


def pieces_of(added: AddedDot, function: FuncOp, in_flight: int) -> int:
    """The number of pieces that lets a piece fit into registers beside the accumulator; raises Reject for none.

    `in_flight`: the pieces that are in registers at a time.
    """
    held, pieces = bits_of_thread(added.dot.d) // REGISTER_BITS, 1
    while held + held // pieces * min(pieces, in_flight) + OTHER_REGISTERS > MAX_THREAD_REGISTERS:
        pieces *= 2
        if columns_of_instruction(added, pieces) < MIN_COLUMNS:
            raise Reject(LoopReason.NO_REGISTERS, value=held)
    if pieces > 1 and not may_be_narrowed(added, function):
        raise Reject(LoopReason.SHARED_LAYOUT)
    return pieces


def may_be_narrowed(added: AddedDot, function: FuncOp) -> bool:
    """Whether no other dot has results of the encoding, and no function takes or returns such values."""
    values: list[SSAValue] = [*function.body.blocks[0].args]
    for op in function.walk():
        if isinstance(op, WarpGroupDotOp) and op is not added.dot and tensor_type(op.d).encoding == added.encoding:
            return False
        if isinstance(op, CallOp | ReturnOp):
            values += op.operands
    return all(replaced(value.type, added.encoding, NoneAttr()) is value.type for value in values)


def columns_of_instruction(added: AddedDot, pieces: int) -> int:
    """The columns of the dot's instructions with which each warp has some columns of each piece."""
    _, warps = added.encoding.warps_per_cta
    return min(added.encoding.instr_shape[1], tensor_type(added.dot.d).get_shape()[1] // (pieces * warps))


# Emit


def narrow(function: FuncOp, old: attrs.NvidiaMmaEncoding, size: int) -> None:
    """Give all tensors of the encoding one whose instructions have `size` columns."""
    rows, before, k = old.instr_shape
    if size == before:
        return
    new = with_param(old, "instrShape", (rows, size, k))
    for op in function.walk():
        arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
        for value in (*op.results, *arguments):
            if (type_ := replaced(value.type, old, new)) is not value.type:
                Rewriter.replace_value_with_new_type(value, type_)
        if isinstance(op, arith.ConstantOp) and is_splat(op.value) and op.value.type != op.result.type:
            op.properties["value"] = retyped(op.value, op.result.type)


def replaced(attribute: Attribute, old: Attribute, new: Attribute) -> Attribute:
    """The type or encoding with one encoding in place of another; the same if that does not occur."""
    if attribute == old:
        return new
    if (tensor := as_tensor(attribute)) is not None:
        inside = replaced(tensor.encoding, old, new)
        return attribute if inside is tensor.encoding else TensorType(tensor.element_type, tensor.shape, inside)
    if isinstance(attribute, attrs.SliceEncoding | attrs.DotOperandEncoding):
        parent = replaced(attribute.parent, old, new)
        return attribute if parent is attribute.parent else with_param(attribute, "parent", parent)
    return attribute


def with_param(encoding: attrs.EncodingAttr, key: str, value: Value) -> attrs.EncodingAttr:
    """The encoding with another value of a parameter."""
    return type(encoding).from_params(Params(tuple({**encoding.data, key: value}.items())))


def split(added: AddedDot, pieces: int) -> None:
    """Compute and add the dot in pieces; the last wait covers the memory too."""
    dot, wait, emitter = added.dot, added.wait, Emitter.before(added.addition, added.dot)
    whole, k, zero = tensor_type(dot.d), tensor_type(dot.a).get_shape()[1], zero_of(dot.c)
    assert zero is not None
    rows, size = whole.get_shape()
    piece = TensorType(whole.element_type, [rows, size // pieces], whole.encoding)
    start = Emitter.before(dot).insert(arith.ConstantOp(retyped(zero, piece), piece))
    sums: list[SSAValue] = []
    for place, accumulator in enumerate(columns(added.accumulator, pieces, emitter)):
        memory = emitter.insert(part_of_memory(dot.b, (0, place * size // pieces), (k, size // pieces)))
        product = WarpGroupDotOp(dot.a, memory, start, is_async=True)
        product.properties.update(dot.properties)
        kept = wait.inputs[1:] if place == pieces - 1 else ()
        waited = WarpGroupDotWaitOp([emitter.insert(product), *kept], 0)
        waited.properties.update(wait.properties)
        held = emitter.insert(ConvertLayoutOp(accumulator, piece))
        sums.append(emitter.insert(arith.AddfOp(held, emitter.insert(waited))))
        for old, new in zip(wait.outputs[1:], waited.outputs[1:], strict=False):
            old.replace_all_uses_with(new)
    result = emitter.insert(ConvertLayoutOp(side_by_side(sums, emitter), whole))
    added.addition.result.replace_all_uses_with(result)
    for op in (added.addition, wait, dot):
        Rewriter.erase_op(op)


def side_by_side(pieces: Sequence[SSAValue], emitter: Emitter) -> SSAValue:
    """The tensor with these as its neighbouring columns: no data moves."""
    if len(pieces) == 1:
        return pieces[0]
    half = len(pieces) // 2
    left, right = side_by_side(pieces[:half], emitter), side_by_side(pieces[half:], emitter)
    rows, size = tensor_type(left).get_shape()
    return emitter.tensor_views(emitter.joined(left, right), [Transpose((0, 2, 1)), Reshape((rows, 2 * size))])


@dataclass(frozen=True)
class SplitDotAlongNPass(RewritePass):
    """Compute dots that are added to an accumulator in pieces that fit the registers.

    `in_flight`: how many pieces ptxas has in registers at a time. ptxas 13 starts the next before it adds one.
    """

    name = "split-dot-along-n"
    in_flight: int = 1

    def rewrite(self, module: ModuleOp) -> bool:
        loops = of_kind(module.walk(), scf.ForOp)
        return self.rewrite_each([dot for loop in loops for dot in wgmma_dots(loop)], self.split_dot)

    def split_dot(self, dot: WarpGroupDotOp) -> bool:
        """Split a dot, if that pays."""
        function = function_around(dot)
        if function is None or (added := find_added(dot)) is None:
            return False
        if (pieces := pieces_of(added, function, self.in_flight)) == 1:
            return False
        self.passed(dot, f"the dot is computed in {pieces} pieces, each added to the accumulator before the next")
        narrow(function, added.encoding, columns_of_instruction(added, pieces))
        renewed = find_added(dot)  # its values have other types now, and so do others
        assert renewed is not None
        split(renewed, pieces)
        return True
