"""`sink-operand-conversions`: each part of a dot's A is converted right before its part of the dot.

Where A is converted in registers, Triton's pipeliner splits the dot along k after the conversion:

    %a = arith.sitofp %bytes                                          all of A
    %parts = tt.reshape, tt.trans, tt.split of %a
    %d = ttng.warp_group_dot %part, ... ; ttng.warp_group_dot_wait

So all of A is converted before the first part starts, and the last part has to end before the next iteration converts
again: its registers are those that the dot reads. This pass splits the bytes, or the numbers that a kernel unpacks from
bytes or words, instead:

    %parts = tt.reshape, tt.trans, tt.split of %bytes
    %p = arith.sitofp %part                                           after the wait for the previous part
    %d = ttng.warp_group_dot %p, ... ; ttng.warp_group_dot_wait

Then parts are converted while others are multiplied, and the last one may stay in flight when its iteration ends. A dot
of few columns is limited by memory: it is over sooner with one conversion and no waits in between. With two stages,
cp.async loads the next tile at the end of the iteration, unless no dot is then in flight: early loads
(`hoist-async-copies`) are worth more than parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.tt_compute import ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, Fp4ToFpOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, dims_of, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits, with_element
from dotload.layout import encodings as enc
from dotload.layout.reject import Reject
from dotload.layout.views import Reshape, Transpose
from dotload.layout.widths import HALF_BITS
from dotload.passes.ir.conversions import is_uniform, uniform_like
from dotload.passes.ir.def_use import behind, erase_unused, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_as, encoding_attribute, keeps_registers
from dotload.passes.ir.motion import copy_of
from dotload.passes.operand_staging.facts import role_of
from dotload.passes.operand_staging.fragments import is_fragments
from dotload.passes.pipelined_loops.async_completion import CommitGroups, completion_of
from dotload.passes.pipelined_loops.reads import fragments_of, is_computing, read_behind, renamed, staged_reads
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.pipelined_loops.splits import SPLITTING, dots_of, halves_of
from dotload.passes.rewriting import RewritePass

MEMORY_BOUND_COLUMNS = 32
"""Up to as many, the dot is over before weights come from memory, and parts take registers, so resident blocks."""

TILES_AHEAD = 2
"""The least number of tiles that cp.async has been asked for when an iteration starts; with two stages it is one."""


@dataclass(frozen=True)
class Conversion:
    """A chain of ops that compute A from `fragments`."""

    fragments: SSAValue
    ops: tuple[Operation, ...]

    @property
    def result(self) -> SSAValue:
        """A, as a whole."""
        return self.ops[-1].results[0]

    @property
    def dots(self) -> list[WarpGroupDotOp | None]:
        """The dots that take parts of it; None for each other use."""
        return list(dots_of(self.result))

    @property
    def columns(self) -> int:
        """Of the dots."""
        return max(tensor_type(dot.d).get_shape()[1] for dot in self.dots if dot is not None)

    @property
    def is_unpacked(self) -> bool:
        """Whether the numbers are unpacked in registers, not read from a staged tile."""
        read = read_behind(behind(self.fragments, (ConvertLayoutOp,)))
        return read is None or role_of(read) is None

    def check(self, whole_columns: int) -> None:
        """Check that the dot is faster with parts; `whole_columns`: the option of the pass."""
        limit = max(MEMORY_BOUND_COLUMNS, whole_columns if self.is_unpacked else 0)
        if self.columns <= limit:
            raise Reject(LoopReason.FEW_COLUMNS, value=self.columns, limit=limit)
        loop = self.ops[0].parent_op()
        completion = completion_of(loop) if isinstance(loop, scf.ForOp) else None
        if isinstance(completion, CommitGroups) and 0 < completion.tiles_ahead < TILES_AHEAD:
            raise Reject(LoopReason.FEW_TILES, value=completion.tiles_ahead, limit=TILES_AHEAD)

    def of_part(self, parts: Mapping[SSAValue, SSAValue], whole: SSAValue, where: InsertPoint) -> SSAValue:
        """A for a part of the fragments; `parts`: those of its sources; `whole`: the part as split from all of A."""
        made = dict(parts)
        for op in self.ops:
            result = op.results[0]
            if keeps_registers(op):
                made[result] = made[op.operands[0]]
                continue
            part = copy_of(op, made)
            Rewriter.insert_op(part, where)
            like = whole if isinstance(op, Fp4ToFpOp) else next(each for each in part.operands if as_tensor(each.type))
            made[result] = Rewriter.replace_value_with_new_type(part.results[0], as_part(result, like))
        return made[self.result]

    def sources(self) -> list[SSAValue]:
        """The operands of the chain, the fragments first."""
        made = {op.results[0] for op in self.ops}
        return list(dict.fromkeys(value for op in self.ops for value in op.operands if value not in made))


def fragments_in(ops: Sequence[Operation]) -> list[SSAValue]:
    """The fragments of staged tiles, and unpacked numbers that are cast to fragments before they are converted."""
    read = [fragments_of(read) for read in staged_reads(ops, "fragments")]
    cast = [op.results[0] for op in of_kind(ops, UnrealizedConversionCastOp) if is_fragments(op.results[0])]
    found = [*read, *(value for value in cast if element_bits(value.type) != HALF_BITS)]
    return list(dict.fromkeys(map(renamed, found)))


def conversion_behind(fragments: SSAValue) -> Conversion | None:
    """The conversion of the fragments, if it is their only use, and only parts of dots take its result."""
    value = fragments
    ops: list[Operation] = []
    while (user := only_user(value)) is not None and (is_computing(user) or keeps_registers(user)):
        ops.append(user)
        value = user.results[0]
    is_split = bool(value.first_use) and all(isinstance(use.operation, SPLITTING) for use in value.uses)
    if not ops or ops[0].operands[0] is not fragments or not is_split or not all(dots_of(value)):
        return None
    return Conversion(fragments, tuple(ops))


def sink(conversion: Conversion) -> None:
    """Convert each part right before its dot."""
    parts = [dot.a for dot in conversion.dots if dot is not None]
    split(conversion.result, {source: source for source in conversion.sources()}, conversion)
    erase_unused(parts)


def split(converted: SSAValue, sources: dict[SSAValue, SSAValue], conversion: Conversion) -> None:
    """Let the dots that take parts of `converted` compute these from parts of its sources."""
    for use in list(converted.uses):
        user = use.operation
        if not isinstance(user, SPLITTING):  # the dot
            user.operands[use.index] = conversion.of_part(sources, converted, InsertPoint.before(user))
            continue
        made = {source: split_like(user, value) for source, value in sources.items()}
        for old in user.results:
            split(old, {source: parts[old.index] for source, parts in made.items()}, conversion)


def split_like(op: Operation, value: SSAValue) -> Sequence[SSAValue]:
    """The parts of another value when an op splits a tensor.

    The value has the tensor's shape and layout, or half its elements along k, of two numbers each. A scalar has no
    parts.
    """
    emitter = Emitter.before(op)
    if as_tensor(value.type) is None:
        return [value] * len(op.results)
    if is_uniform(value):
        return [uniform_like(value, tensor_type(result), emitter) for result in op.results]
    if shape_of(value.type) != shape_of(op.operands[0].type):
        return split_bytes_like(op, value, emitter)
    made = copy_of(op, {op.operands[0]: value})
    emitter.run(made)
    return [
        Rewriter.replace_value_with_new_type(new, as_part(value, old))
        for old, new in zip(op.results, made.results, strict=True)
    ]


def split_bytes_like(op: Operation, value: SSAValue, emitter: Emitter) -> Sequence[SSAValue]:
    """`split_like` for bytes of two numbers, which are neighbours in the last dim of the reshaped tensor."""
    match op:
        case ReshapeOp():
            *outer, inner = shape_of(op.result.type)
            return [emitter.tensor_views(value, [Reshape((*outer, inner // 2))])]
        case TransOp():
            return [emitter.tensor_views(value, [Transpose(dims_of(op.order))])]
        case SplitOp():
            return halves_of(value, emitter)
        case _:
            fragments = encoding_as(enc.DotOperand, tensor_type(op.results[0]).encoding)
            assert fragments is not None
            return [emitter.in_layout(value, encoding_attribute(replace(fragments, k_width=fragments.k_width // 2)))]


def as_part(value: SSAValue, part: SSAValue) -> TensorType[Attribute]:
    """The type of such a part of a tensor."""
    return with_element(tensor_type(part), tensor_type(value).element_type)


@dataclass(frozen=True)
class SinkOperandConversionsPass(RewritePass):
    """Convert each part of a dot's A right before its part of the dot.

    `whole_columns`: dots of no more columns take unpacked numbers that are converted as a whole; of any numbers, those
    of up to 32 columns do.
    """

    name = "sink-operand-conversions"

    whole_columns: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        changed, kept = False, set[SSAValue]()
        for fragments in fragments_in(list(module.walk())):
            if (conversion := conversion_behind(fragments)) is None or conversion.result in kept:
                continue
            try:
                conversion.check(self.whole_columns)
            except Reject as reject:
                self.missed(conversion.ops[0], reject)
                kept.add(conversion.result)
                continue
            self.passed(conversion.ops[0], "each part of the operand is converted right before its dot")
            sink(conversion)
            changed = True
        return changed
