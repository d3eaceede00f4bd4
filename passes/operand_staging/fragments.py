"""What a kernel computes from an operand's fragments before a dot multiplies them: conversions, scales, unpacking.

    %w = ttg.convert_layout %b : ... -> tensor<64x128xi8, #dot_op>            the fragments
    %f = arith.sitofp %w
    %s = arith.mulf %f, %scale                                                %scale: tt.broadcast of 1x128
    %d = tt.dot %x, %s, %acc

Triton computes this in the layout of the fragments, those of mma.sync or of A of wgmma. If their columns are permuted,
so are those of all other operands. A value that is the same in all columns stays. The scales of columns are permuted
before the conversion to that layout, or, for wgmma, loaded in the permuted order. One tile may feed several dots, such
as the two halves of bytes that hold 4-bit values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.traits import computes_elements, is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp
from dotload.dialect_ext.tt_memory import AddPtrOp, Load, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, Fp4ToFpOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, dims_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.constancy import is_constant_along
from dotload.passes.ir.def_use import behind, erase_unused
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import is_line, keeps_registers
from dotload.passes.ir.loops import DOTS, carried_by_loop
from dotload.passes.ir.motion import copy_of_others
from dotload.passes.rematerialization.rematerialized import Rematerialized

TO_FRAGMENTS = (ConvertLayoutOp, TransOp)
"""What may stand between a load and the fragments of its tile."""

FORWARDING = (scf.ForOp, scf.IfOp, scf.WhileOp)
"""What forwards each of its results from its regions."""


@dataclass(frozen=True)
class FragmentFlow:
    """The dots that take fragments, or values computed from them, and the ops that compute these, in order."""

    dots: tuple[Operation, ...]
    ops: tuple[Operation, ...]


def fragments_behind(operand: SSAValue) -> SSAValue | None:
    """The fragments of the one loaded 8-bit tile from which a dot's operand is computed; None for none or several."""
    waiting, found = [operand], list[SSAValue]()
    for value in waiting:  # grows during the iteration
        if not isinstance(value, OpResult) or not is_fragments(value):
            continue
        if isinstance(value.op, TO_FRAGMENTS):
            if element_bits(value.type) == BYTE_BITS and isinstance(behind(value, TO_FRAGMENTS).owner, Load):
                found.append(value)
        elif is_elementwise(value.op) or isinstance(value.op, Fp4ToFpOp):
            made_of = value.op.operands[isinstance(value.op, SelectOp) :]  # without a select's condition
            waiting += [each for each in made_of if each not in waiting]
    return found[0] if len(found) == 1 else None


def is_fragments(value: SSAValue) -> bool:
    """Whether the value is a tensor in the layout of fragments."""
    tensor = as_tensor(value.type)
    return tensor is not None and isinstance(tensor.encoding, attrs.DotOperandEncoding)


def follow_fragments(fragments: SSAValue, index: int) -> FragmentFlow | None:
    """What is computed from fragments; None if that is more than operand `index` of dots."""
    values, dots, ops = [fragments], list[Operation](), list[Operation]()
    block = fragments.owner.parent_block() if isinstance(fragments.owner, Operation) else None
    for value in values:  # grows during the iteration
        for use in value.uses:
            user = use.operation
            if user.parent_block() is not block:
                return None
            if isinstance(user, DOTS) and use.index == index:
                dots.append(user)
            elif computes_elements(user) or is_unpacked_along(user, 1 - index):
                ops += [user] if user not in ops else []
                values += [user.results[0]] if user.results[0] not in values else []
            else:
                return None
    return FragmentFlow(tuple(dots), tuple(ops))


def is_unpacked_along(op: Operation, axis: int) -> bool:
    """Whether the op makes two numbers of each byte, which follow each other along dim `axis`."""
    return isinstance(op, Fp4ToFpOp) and op.axis.value.data == axis


def permute_others(fragments: SSAValue, flow: FragmentFlow, axis: int, permutation: BitPermutation) -> None:
    """Permute the index of dim `axis` of all other values that the ops of the flow take."""
    if permutation.is_identity or not flow.ops:
        return
    computed, loads_again = {fragments, *(op.results[0] for op in flow.ops)}, isinstance(flow.dots[0], WarpGroupDotOp)
    others = Permuted(origin=flow.ops[0], permutation=permutation, loads_again=loads_again)
    for op in flow.ops:
        for number, operand in enumerate(op.operands):
            if operand not in computed:
                op.operands[number] = others.of(operand, axis)
                erase_unused([operand])


@dataclass(kw_only=True)
class Permuted(Rematerialized[int]):
    """Values with the index of a dim permuted, each in its own layout, permuted as early as possible.

    `loads_again`: load rows and columns in the permuted order. A thread has few elements of these for fragments of
    wgmma. For those of mma.sync it has many, and threads exchange them after the load. New ops take their location from
    `origin`.
    """

    origin: Operation
    permutation: BitPermutation
    loads_again: bool

    def of(self, value: SSAValue, form: int) -> SSAValue:
        """The value with the index of dim `form` permuted."""
        if not is_followed(value) and not self.stays(value, form):
            return self._converted(value, form)
        return super().of(value, form)

    @classmethod
    def stays(cls, value: SSAValue, form: int) -> bool:
        """Whether all elements along the dim are the same."""
        return super().stays(value, form) or is_constant_along(value, (form,))

    def compute(self, op: Operation, form: int) -> SSAValue:
        """The result of an op with this index permuted."""
        match op:
            case ExpandDimsOp():
                return self._copy(op, form - (op.axis.value.data < form))
            case TransOp():
                return self._copy(op, dims_of(op.order)[form])
            case ConvertLayoutOp(src=source) if not keeps_registers(op):
                views = self._viewed(source, form)
                return emitter_behind(views, self.origin).insert(ConvertLayoutOp(views, op.result.type))
            case LoadOp() if not self.loads_again:
                return self._converted(op.result, form)
            case ReshapeOp() if (kept := kept_dim(op, form)) is not None:
                return self._copy(op, kept)
            case _ if is_permuted_at_sources(op):
                return self._copy(op, form)
            case _:
                return self._converted(op.results[0], form)

    def _copy(self, op: Operation, axis: int) -> SSAValue:
        """A copy of an op, with dim `axis` of its operands permuted."""
        operands = {each: self.of(each, axis) for each in op.operands}
        return emitter_behind(op.results[0], self.origin).insert(copy_of_others(op, operands))

    def _converted(self, value: SSAValue, axis: int) -> SSAValue:
        views = self._viewed(value, axis)
        return emitter_behind(views, self.origin).insert(ConvertLayoutOp(views, tensor_type(value)))

    def _viewed(self, value: SSAValue, axis: int) -> SSAValue:
        """The value with this index permuted, in the layout that leaves each element in its register."""
        whole = IndexPermutation.along(tensor_type(value).get_shape(), axis, self.permutation)
        return emitter_behind(value, self.origin).tensor_views(value, whole.views())


def is_followed(value: SSAValue) -> bool:
    """Whether a loop or a branch forwards the value, or an op has it as its only result.

    Results of other ops, such as the two halves of tt.split, are converted as they are.
    """
    if not isinstance(value, OpResult):
        return carried_by_loop(value) is not None
    return len(value.op.results) == 1 or isinstance(value.op, FORWARDING)


def is_permuted_at_sources(op: Operation) -> bool:
    """Whether an op of permuted operands has a permuted result: one that computes, or loads a row or a column."""
    match op:
        case LoadOp():
            return is_line(tensor_type(op.result)) and not op.is_volatile
        case BroadcastOp() | AddPtrOp() | ConvertLayoutOp():
            return True
        case _:
            return computes_elements(op)


def kept_dim(reshape: ReshapeOp, axis: int) -> int | None:
    """The dim that is dim `axis` of the result: as long, and as many elements are behind it; None if there is none."""
    if reshape.allow_reorder is not None:
        return None
    before, after = (tensor_type(value).get_shape() for value in (reshape.src, reshape.result))
    behind_axis = prod(after[axis + 1 :])
    kept = (d for d, size in enumerate(before) if size == after[axis] and prod(before[d + 1 :]) == behind_axis)
    return next(kept, None)


def emitter_behind(value: SSAValue, origin: Operation) -> Emitter:
    """Where the value is known."""
    owner = value.owner
    place = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
    return Emitter(place, origin)
