"""`deduplicate-1d-loads`: load an index, or scales of tokens, once per CTA instead of once per thread.

    %s = tt.load %p : tensor<32x!tt.ptr<i64>, #ttg.slice<{dim = 0, parent = #blocked}>>    8 loads a thread
    ... tt.addptr %keys, %s ... tt.load

The tiles of a paged cache are addressed through an index, and the tokens of a quantised cache have scales. Triton gives
a tensor with fewer elements than threads the layout of its users (isExpensiveLoadOrStore). So all threads that load a
part of a row load the row's number, each for itself, and once for each layout in which tiles are loaded. The pipeliner
makes an asynchronous copy of 4 or 8 bytes per row of that, where one for all rows suffices:

    %n = tt.load %q : tensor<32x!tt.ptr<i64>, #ttg.blocked<{sizePerThread = [1], ...}>>    1 load a thread
    %s = ttg.convert_layout %n                       which the pipeliner makes a read of the copy in shared memory

Candidates: tensors in which only one dim has more than one element, in a loop that loads 8-bit tiles for its dots. An
index must be copied ahead. Other tensors may be loaded in their users' layout, so the pass must save many loads: a
layout conversion takes shared memory and a barrier. Scales that `load-scales-ahead` can hold in registers stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalLoadOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.raw_tiles import VECTOR_BYTES
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import are_alike
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import (
    elements_of_thread,
    encoding_attribute,
    has_runs,
    is_line,
    layout_of,
    registers_of_thread,
)
from dotload.passes.ir.loops import DOTS, function_around, threads_of
from dotload.passes.operand_staging.latencies import REGISTERS_AHEAD, is_copied_ahead
from dotload.passes.operand_staging.loop_loads import MIN_COPY_BITS, loads_found_by, loads_of, stages_of
from dotload.passes.operand_staging.remark_texts import bytes_at_once
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.rematerialization.layouts import Layouts, is_same_but_for_layout
from dotload.passes.rewriting import RewritePass

MIN_SAVED = 8
"""The fewest loads per thread to save for a tensor that is not copied ahead."""


@dataclass(frozen=True)
class SameLoads:
    """Loads of one 1-D tensor by the `threads` of a loop's dots, which differ only in their layouts."""

    loads: tuple[LoadOp, ...]
    threads: int

    @property
    def shape(self) -> Sequence[int]:
        return shape_of(self.loads[0].result.type)

    @property
    def count(self) -> int:
        """The number of elements that a thread loads."""
        return sum(elements_of_thread(load.result) for load in self.loads)

    @property
    def instructions(self) -> int:
        """The number of loads that a thread issues: whole vectors of neighbours take one each."""
        strides = Strides(function_around(self.loads[0]))
        counts = ((load, elements_of_thread(load.result)) for load in self.loads)
        return sum(count // vector_elements(load) if is_vector(load, strides) else count for load, count in counts)

    @property
    def count_of_line(self) -> int:
        """The number of elements that a thread loads if consecutive threads hold consecutive elements."""
        return math.ceil(math.prod(self.shape) / self.threads)

    @property
    def line(self) -> attrs.EncodingAttr:
        """The layout in which consecutive threads hold consecutive elements."""
        axis, ones = axis_of(self.shape), (1,) * len(self.shape)
        lanes, warps = ((*ones[:axis], size, *ones[axis + 1 :]) for size in (WARP_LANES, self.threads // WARP_LANES))
        order = (axis, *(dim for dim in range(len(ones)) if dim != axis))
        return encoding_attribute(enc.Blocked(ones, lanes, warps, order))


def axis_of(shape: Sequence[int]) -> int:
    """The dim with more than one element."""
    return max(range(len(shape)), key=lambda dim: shape[dim])


def vector_elements(load: LoadOp) -> int:
    """How many elements the widest load holds."""
    return VECTOR_BYTES * BYTE_BITS // element_bits(load.result.type)


def is_vector(load: LoadOp, strides: Strides) -> bool:
    """Whether a thread's elements are whole vectors of aligned neighbours."""
    axis = axis_of(shape_of(load.result.type))
    is_contiguous = has_runs(layout_of(load.result), axis, vector_elements(load))
    return is_contiguous and (bytes_at_once(load, axis, strides) or 0) >= VECTOR_BYTES


# Candidates


def find_loads(loop: scf.ForOp, num_stages: int) -> list[SameLoads]:
    """The 1-D tensors of a loop that threads load more often than necessary."""
    dots = [op for op in loop.body.block.ops if isinstance(op, DOTS)]
    threads = max(map(threads_of, dots), default=0)
    is_of_bytes = any(element_bits(load.results[0].type) == BYTE_BITS for load in loads_of(loop))
    if not threads or not is_of_bytes:
        return []
    may_change = any(map(writes_global, loop.walk()))
    found: dict[LoadOp, list[LoadOp]] = {}
    for load in filter(is_1d, of_kind(loop.body.block.ops, LoadOp)):
        first = next((each for each in found if is_same_load(each, load) and not may_change), load)
        found.setdefault(first, []).append(load)
    groups = [SameLoads(tuple(loads), threads) for loads in found.values()]
    is_wgmma = any(isinstance(dot, WarpGroupDotOp) for dot in dots)
    return [each for each in groups if pays(each, loop, num_stages, is_wgmma=is_wgmma)]


def is_1d(load: LoadOp) -> bool:
    """Whether a load's tensor has only one dim with more than one element, and belongs to one CTA."""
    tensor = as_tensor(load.result.type)
    if tensor is None or load.is_volatile or not isinstance(tensor.encoding, attrs.EncodingAttr):
        return False
    return is_line(tensor) and layout_of(load.result).in_sizes[enc.BLOCK] == 1


def pays(found: SameLoads, loop: scf.ForOp, num_stages: int, *, is_wgmma: bool) -> bool:
    """Whether enough loads are saved; beside wgmma, deduplicate-scale-loads handles what is not copied ahead."""
    saved, tiles = found.count - found.count_of_line, [tile for load in found.loads for tile in loads_found_by(load)]
    if tiles and not any(element_bits(tile.results[0].type) == BYTE_BITS for tile in tiles):
        return False
    if all(is_copied(load, loop, num_stages) for load in found.loads):
        return saved > 0
    if saved < MIN_SAVED or tiles or is_wgmma or stays_in_registers(found, loop, num_stages):
        return False
    return found.instructions - found.count_of_line >= MIN_SAVED


def stays_in_registers(found: SameLoads, loop: scf.ForOp, num_stages: int) -> bool:
    """Whether each thread loads all elements that it needs, without an exchange between threads.

    It does in a loop of one stage, which hides no barrier, and if the elements are few enough to be loaded ahead into
    registers. Nothing is loaded ahead so beside tiles that are found through an index. A row of at least as many
    elements as threads is exchanged beside a staged operand, to which Triton would otherwise move the row's layout.
    """
    if any(map(loads_found_by, loads_of(loop))):
        return False
    if stages_of(loop, num_stages) == 1:
        return True
    is_moved = math.prod(found.shape) >= found.threads and bool(staged_reads(loop.walk()))
    return not is_moved and sum(registers_of_thread(load.result) for load in found.loads) <= REGISTERS_AHEAD


def is_copied(load: LoadOp, loop: scf.ForOp, num_stages: int) -> bool:
    """Whether Triton's pipeliner copies the tensor ahead."""
    is_large = element_bits(load.result.type) >= MIN_COPY_BITS
    return is_large and load in loads_of(loop) and is_copied_ahead(load, loop, num_stages)


def is_same_load(first: LoadOp, second: LoadOp) -> bool:
    """Whether two loads of one iteration load the same tensor, whatever their layouts."""
    operands = zip((first.ptr, first.mask, first.other), (second.ptr, second.mask, second.other), strict=True)
    return are_alike(first, second) and all(is_same_but_for_layout(*each) for each in operands)


# Emission


def emit(found: SameLoads, layouts: Layouts) -> None:
    """Load the tensor once, and convert it to the layouts of its users.

    A conversion of a conversion would be folded between Triton's schedule and its pipeliner, which fails on an op
    without a stage (compute capability 10 and later).
    """
    loaded = layouts.load(found.loads[0], found.line).results[0]
    for load in found.loads:
        for user in [use.operation for use in load.result.uses]:
            if isinstance(user, ConvertLayoutOp):
                user.operands[0] = loaded
        if load.result.uses:
            load.result.replace_all_uses_with(brought(loaded, tensor_type(load.result), Emitter.before(load)))
        Rewriter.erase_op(load)


def brought(loaded: SSAValue, wanted: TensorType[Attribute], emitter: Emitter) -> SSAValue:
    """The tensor in a layout, by a conversion, which Triton may move; fragments are read from shared memory instead.

    Triton propagates the load's layout from a tensor with as many elements as threads, and would convert the operand
    that it is multiplied with.
    """
    if not isinstance(wanted.encoding, attrs.DotOperandEncoding):
        return emitter.insert(ConvertLayoutOp(loaded, wanted))
    order = tuple(reversed(range(len(wanted.get_shape()))))
    return emitter.insert(LocalLoadOp(emitter.stage(loaded, enc.SwizzledShared(1, 1, 1, order)), wanted))


@dataclass(frozen=True)
class Deduplicate1dLoadsPass(RewritePass):
    """Load indices and scales of tokens once instead of in each thread.

    `num_stages`: the kernel's option of that name, 0 if unknown.
    """

    name = "deduplicate-1d-loads"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        found = [each for loop in of_kind(module.walk(), scf.ForOp) for each in find_loads(loop, self.num_stages)]
        layouts = Layouts()
        changed = [self.deduplicate(each, layouts) for each in found]  # in order: scales are found through an index
        return any(changed)

    def deduplicate(self, found: SameLoads, layouts: Layouts) -> bool:
        """Load a tensor once, if its addresses can be recomputed in that layout; returns whether it does."""
        if not Layouts.may_be_computed(found.loads[0].operands, found.line):
            return False
        self.passed(found.loads[0], f"each thread loads {found.count_of_line} of its elements instead of {found.count}")
        emit(found, layouts)
        return True
