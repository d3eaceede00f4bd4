"""Loads that `stage-dot-operands` does not stage and no plan has refused, with the reason, so that none is silent.

Stock Triton reads or writes a tile element by element if a `ttg.convert_layout` into fragments, or a `ttg.local_alloc`
for wgmma, has to turn 8- or 32-bit elements from the order of memory into K-major. Such ops are found by their types
alone. If one belongs to no candidate, there is an op between its load and the dot that is not followed.

tcgen05 (compute capability 10) reads 8-bit operands in either order (PTX ISA, tcgen05 instruction descriptor). These
are reported as well, since the same kernel is staged on other GPUs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.traits import PureIfMarked, computes_elements, is_elementwise, is_pure_function
from dotload.dialect_ext.tt_compute import DotScaledOp, TransOp
from dotload.dialect_ext.tt_memory import AddPtrOp, DescriptorLoadOp, Load, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng_tmem import TCGen5MMAOp
from dotload.dialect_ext.typed import as_tensor, dims_of, of_kind, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.reject import Reject
from dotload.layout.widths import BYTE_BITS, RANK
from dotload.passes.analysis.known_elements import SHAPING
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import only_user, uses_behind
from dotload.passes.ir.flow import sources, targets
from dotload.passes.ir.layouts import MMA_SYNC, contiguous_axis, elements_of_thread, holds_words, is_tile, layout_of
from dotload.passes.ir.loops import ACCUMULATOR, DOTS, carried_by_loop
from dotload.passes.ir.memory import are_scales
from dotload.passes.operand_staging.candidates import K_MAJOR_BITS, Operand, find_operands
from dotload.passes.operand_staging.fragments import fragments_behind
from dotload.passes.operand_staging.reasons import StagingReason
from dotload.passes.operand_staging.remark_texts import bytes_at_once, describe_tile, name_of

MULTIPLICATIONS = (arith.MulfOp, arith.MuliOp)
"""Ops that do the same after a dot, if the factor is the same all along k; a conversion, mask or offset does not."""


@dataclass(frozen=True)
class Unstaged:
    """A load and its report: the reason why it is missed, or that there is nothing to do.

    `operand`: its name in a remark.
    """

    load: Load
    reason: Reject | str
    operand: str


def unstaged_loads(ops: list[Operation], strides: Strides) -> list[Unstaged]:
    """Loads that are no candidates though stock stages them element by element, and tcgen05's; once for each line."""
    found = (operand for dot in ops if isinstance(dot, DOTS) for operand in find_operands(dot))
    candidates = {op for operand in found for op in (operand.load, *operand.chain)}
    by_line = {(str(each.load.location), str(each.reason)): each for each in find_unstaged(ops, candidates, strides)}
    return list(by_line.values())


def find_unstaged(ops: list[Operation], candidates: Container[Operation], strides: Strides) -> Iterator[Unstaged]:
    """Loads that belong to no candidate; `candidates`: the ops of candidates, and their loads."""
    operands = [operand for dot in of_kind(ops, TCGen5MMAOp) for operand in find_operands(dot)]
    yield from map(unstaged_tcgen05, operands)
    of_tcgen05 = {op for operand in operands for op in operand.chain}
    for op in ops:
        if op not in candidates and op not in of_tcgen05 and is_transposed_by_elements(op):
            for load, between in loads_behind(op.operands[0]):
                yield Unstaged(load, why(op, between), name_of_load(load, index_of_operand(op), is_k_major=False))
    bits = {BYTE_BITS, *multiplied_bits(ops)}
    for load in of_kind(ops, LoadOp):
        may_be_slow = load not in candidates and element_bits(load.result.type) in bits
        if may_be_slow and is_loaded_by_elements(load, strides) and (use := use_by_dot(load)) is not None:
            of_scales = "scales of " * are_scales(load.result, use.operation.operands[use.index])
            name = f"{of_scales}{name_of_load(load, use.index)}"
            yield Unstaged(load, why_by_elements(load, strides), name)


def multiplied_bits(ops: list[Operation]) -> set[int]:
    """The element sizes, among those that dots require K-major, that dots multiply."""
    dots = [op for op in ops if isinstance(op, (*DOTS, TCGen5MMAOp))]
    return {element_bits(value.type) for dot in dots for value in dot.operands[:2]} & set(K_MAJOR_BITS)


def unstaged_tcgen05(operand: Operand) -> Unstaged:
    """Why an operand of a tcgen05 dot is not staged."""
    if operand.tile.element_bits == BYTE_BITS:
        return Unstaged(operand.load, "tcgen05 reads 8-bit operands in either order: nothing to gain", name_of(operand))
    return Unstaged(operand.load, Reject(StagingReason.TCGEN05_WORDS), name_of(operand))


def is_transposed_by_elements(op: Operation) -> bool:
    """Whether the op puts a tile of 8- or 32-bit elements where a dot reads it, in another order than the tile's."""
    if not isinstance(op, ConvertLayoutOp | LocalAllocOp) or not op.operands:
        return False
    source = as_tensor(op.operands[0].type)
    if source is None or not isinstance(source.encoding, attrs.BlockedEncoding) or len(source.get_shape()) < RANK:
        return False
    k_axis, batch = k_axis_of(op), len(source.get_shape()) - RANK
    if element_bits(source) not in K_MAJOR_BITS or k_axis is None or source.encoding.order[0] == batch + k_axis:
        return False
    return not holds_words(layout_of(op.operands[0]), batch + k_axis, element_bits(source))


def is_loaded_by_elements(load: LoadOp, strides: Strides) -> bool:
    """Whether a thread may load more than a word of a tile one element at a time, as far as is known."""
    tensor = as_tensor(load.result.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.BlockedEncoding) or not is_tile(tensor):
        return False
    pointers = carried_by_loop(load.ptr)
    if isinstance(load.ptr if pointers is None else pointers.init, BlockArgument):
        return False  # the kernel is an excerpt, whose pointers come from outside
    axis, size = contiguous_axis(load), element_bits(tensor) // BYTE_BITS
    one_by_one = tensor.encoding.size_per_thread[axis] == 1 or bytes_at_once(load, axis, strides) in (None, size)
    return one_by_one and elements_of_thread(load.result) >= WORD_BYTES


def why_by_elements(load: LoadOp, strides: Strides) -> Reject:
    """Why threads load a tile element by element: its elements are apart, or not known to be contiguous."""
    distance = strides.of(load.ptr).strides[contiguous_axis(load)]
    if isinstance(distance, int) and distance > element_bits(load.result.type) // BYTE_BITS:
        return Reject(StagingReason.APART, value=distance)
    return Reject(StagingReason.LOADED_BY_ELEMENTS)


def name_of_load(load: Load, index: int | None, *, is_k_major: bool | None = None) -> str:
    """The name, in a remark, of an operand that is computed from the load."""
    tensor = tensor_type(load.results[0])
    order = "" if is_k_major is None else f"{'' if is_k_major else 'not '}K-major, "
    letter = "an operand" if index is None else "AB"[index]
    return f"{letter} ({order}{describe_tile(tensor.get_shape(), element_bits(tensor))})"


def index_of_operand(op: Operation) -> int | None:
    """The index of the dot operand that is computed from the op's results; None if no dot is found."""
    use = use_by_dot(op)
    return None if use is None else use.index


def use_by_dot(op: Operation) -> Use | None:
    """The use, as A or B of a dot, of a value that is computed from the op's results; None if no dot is found."""
    waiting, seen = list[SSAValue](op.results), set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if isinstance(use.operation, (*DOTS, DotScaledOp, TCGen5MMAOp)):
                if use.index < ACCUMULATOR:
                    return use
            else:
                waiting += values_behind(use)
    return None


def values_behind(use: Use) -> Sequence[SSAValue]:
    """The values computed from the value at this use; none for loads through it, or selects by it."""
    match use.operation:
        case SelectOp() if use.index == 0:
            return []
        case LoadOp() | DescriptorLoadOp() | AddPtrOp() | arith.CmpiOp() | arith.CmpfOp():
            return []
        case scf.ForOp() | scf.WhileOp():
            return targets(use)
        case user:
            return [*user.results, *targets(use)]


def k_axis_of(op: Operation) -> int | None:
    """The axis of k, among the last two, in the op's result for a dot; None if the op does not show it."""
    match op.results[0].type:
        case MemDescType(encoding=attrs.NvmmaSharedEncoding() as shared):
            return 0 if shared.transposed else 1
        case type_ if (tensor := as_tensor(type_)) is not None:
            encoding = tensor.encoding
            if isinstance(transpose := only_user(op.results[0]), TransOp):
                axis = k_axis_of(transpose)
                return None if axis is None or len(dims_of(transpose.order)) > RANK else dims_of(transpose.order)[axis]
            if not isinstance(encoding, attrs.DotOperandEncoding) or encoding.k_width == 1:
                return None  # bytes that pack two numbers are adjacent in neither order
            is_of_mma = isinstance(encoding.parent, attrs.NvidiaMmaEncoding)  # other dots have no order
            return 1 - encoding.op_index if is_of_mma else None
        case _:
            return None


def loads_behind(value: SSAValue) -> Iterator[tuple[Load, tuple[Operation, ...]]]:
    """The loads of tiles in the value's backward slice, through loops and branches, each with the ops in between."""
    waiting: list[tuple[SSAValue, tuple[Operation, ...]]] = [(value, ())]
    seen, followed = set[Operation](), set[SSAValue]()
    while waiting:
        current, between = waiting.pop()
        if (carried := carried_by_loop(current)) is not None and current not in followed:
            followed.add(current)
            waiting += [(value, (*between, carried.loop)) for value in (carried.back, carried.init)]
        if not isinstance(current, OpResult) or current.op in seen:
            continue
        if isinstance(current.op, scf.IfOp):
            waiting += [(value, (*between, current.op)) for value in sources(current)]
            continue
        seen.add(current.op)
        tensor = as_tensor(current.type)
        if isinstance(current.op, Load) and tensor is not None and is_tile(tensor):
            yield current.op, between
        elif is_elementwise(current.op) or isinstance(current.op, SHAPING):
            waiting += [(operand, (*between, current.op)) for operand in current.op.operands]


def are_words_of_mma_sync(op: Operation) -> bool:
    """Whether the op makes fragments of 32-bit elements for mma.sync: each fills a register, in either order."""
    tensor = as_tensor(op.results[0].type)
    if tensor is None or not isinstance(tensor.encoding, attrs.DotOperandEncoding):
        return False
    parent = tensor.encoding.parent
    is_mma_sync = isinstance(parent, attrs.NvidiaMmaEncoding) and parent.version_major == MMA_SYNC
    return is_mma_sync and element_bits(tensor) == REGISTER_BITS


def is_only_tile(op: Operation) -> bool:
    """Whether a dot operand is computed from the fragments that the op makes, and from no other such tile."""
    use = use_by_dot(op)
    return use is not None and fragments_behind(use.operation.operands[use.index]) is op.results[0]


def why(op: Operation, between: tuple[Operation, ...]) -> Reject:
    """The reason why a tile that is transposed element by element is not a candidate."""
    if are_words_of_mma_sync(op):
        return Reject(StagingReason.WORDS_OF_MMA)
    if (rank := len(tensor_type(op.operands[0]).get_shape())) > RANK:
        return Reject(StagingReason.BATCHED, value=rank)
    if any(isinstance(each, scf.ForOp) for each in between):
        return Reject(StagingReason.CARRIED)
    if any(isinstance(each, scf.IfOp) for each in between):
        return Reject(StagingReason.BRANCHED)
    if between:
        is_multiplied = all(isinstance(each, MULTIPLICATIONS) for each in between)
        reason = StagingReason.MULTIPLIED if is_multiplied else StagingReason.NOT_FOLLOWED
        return Reject(reason, value=between[-1].name)
    for use in op.results[0].uses:
        if isinstance(use.operation, TransOp):
            return Reject(StagingReason.NOT_FOLLOWED, value=use.operation.name)
        if isinstance(use.operation, DotScaledOp):
            return Reject(StagingReason.SCALED_DOT)
        if not isinstance(use.operation, DOTS):
            return why_computed(op, use.operation)
    return Reject(StagingReason.NOT_FOLLOWED, value=op.name)


def why_computed(op: Operation, user: Operation) -> Reject:
    """The reason why the fragments that the op makes, with which the user computes, are no candidate."""
    if user.has_trait(PureIfMarked) and not is_pure_function(user):
        return Reject(StagingReason.NOT_FOLLOWED, value=f"{user.name} that is not pure, or has several results,")
    if not is_only_tile(op):
        return Reject(StagingReason.COMPUTED_WITH, value=user.name)
    users = (use.operation for use in uses_behind(op, computes_elements))
    apart = next((each for each in users if each.parent_block() is not op.parent_block()), None)
    if apart is not None:
        return Reject(StagingReason.OTHER_BLOCK, value=apart.name)
    return Reject(StagingReason.NOT_FOLLOWED, value=user.name)
