"""`deduplicate-repeated-loads`: load the repeated elements of a tile once.

    %row = %k // 8                                       GPTQ's and GemLite's kernels unpack 8 values of a number
    %b = tt.load (%base + %row * %stride + %n)                by loading it 8 times: 128 x 64 loads of 16 x 64 numbers
        : tensor<128x64x!tt.ptr<i32>>

    %s = tt.load ... : tensor<16x64x!tt.ptr<i32>>        16 x 64 loads
    %t = tt.broadcast (tt.expand_dims %s) : ... -> tensor<16x8x64xi32>
    %b = tt.reshape %t : ... -> tensor<128x64xi32>

Candidates: tiles of a block with dots, such as a loop's body, from which operands are computed. The pass runs before
tiles have layouts, so that Triton chooses a layout for the packed tile. If all rows of a tile are the same, as those of
group scales, one row is loaded, but only beside a packed tile or with fewer elements than threads. From a larger row,
Triton would derive the layout of everything it is multiplied with (isExpensiveLoadOrStore). `deduplicate-row-loads`
handles those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, DotOp, ExpandDimsOp, JoinOp, ReshapeOp, TransOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.widths import BYTE_BITS, RANK
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.flow import reached
from dotload.passes.rematerialization.repeated_loads import Repeated, find_repeated, load_once, replace
from dotload.passes.rewriting import RewritePass


def find_candidates(block: Block, strides: Strides, threads: int) -> list[Repeated]:
    """The repeated tiles without a layout. One of a single row needs a packed tile beside it, or few elements."""
    found = [each for each in find_repeated(block, strides) if not each.has_layout]
    unpacks = any(not each.is_one_row for each in found)
    return [each for each in found if unpacks or each.count < threads]


def repeat(value: SSAValue, found: Repeated, strides: Strides) -> SSAValue:
    """Repeat each element, consecutively.

    Triton derives a layout backwards: through a join for a tile that is contiguous along the dim, through a broadcast
    for one that is contiguous along the other dim. A dot of bytes needs neighbours along K in one register: a join
    gives a thread all numbers that it has unpacked, however the tile lies. Scales follow the tile that they scale.
    """
    emitter, tensor = Emitter.before(found.load), tensor_type(found.load.result)
    if found.is_one_row:
        return emitter.insert(BroadcastOp(value, tensor))
    if is_packed(found):
        is_broadcast = found.is_contiguous_across and not is_multiplied_in_bytes(found.load)
    else:
        is_broadcast = found.is_contiguous_across or scales_another_order(found, strides)
    filled = broadcast(value, found, emitter) if is_broadcast else joined(value, found, emitter)
    return emitter.insert(ReshapeOp(filled, tensor))


def is_packed(found: Repeated) -> bool:
    """Whether an element has a bit at least for each time that it occurs: not so the scale of a group."""
    element = tensor_type(found.load.result).element_type
    return isinstance(element, IntegerType) and found.times <= element_bits(found.load.result.type)


def scales_another_order(found: Repeated, strides: Strides) -> bool:
    """Whether the tile is combined with one that does not lie along the groups, such as row-major weights or a table's
    entries. Neither can have the layout that a join asks for, so it would move through shared memory.
    """
    users = {use.operation for use in uses_behind(found.load, is_elementwise) if is_elementwise(use.operation)}
    values = reached([operand for user in users for operand in user.operands], operands_of_elements)
    shape = shape_of(found.load.result.type)
    loads = [value.owner for value in values if isinstance(value.owner, LoadOp) and shape_of(value.type) == shape]
    steps = [(strides.of(load.ptr).strides[found.axis], element_bits(load.result.type) // BYTE_BITS) for load in loads]
    return any(step not in (0, size) for step, size in steps)


def operands_of_elements(value: SSAValue) -> Sequence[SSAValue]:
    """The values from which an op computes this one element by element; none for another op's."""
    owner = value.owner
    return owner.operands if isinstance(owner, Operation) and is_elementwise(owner) else ()


def is_multiplied_in_bytes(load: LoadOp) -> bool:
    """Whether a dot of the load's loop takes bytes."""
    block = load.parent_block()
    dots = of_kind(block.ops, DotOp) if block is not None else ()
    return any(element_bits(dot.a.type) == element_bits(dot.b.type) == BYTE_BITS for dot in dots)


def broadcast(value: SSAValue, found: Repeated, emitter: Emitter) -> SSAValue:
    """The elements broadcast along a new dim after the one in which they are repeated."""
    shape, at = shape_of(value.type), found.axis + 1
    single, filled = (
        TensorType(tensor_type(value).element_type, (*shape[:at], size, *shape[at:])) for size in (1, found.times)
    )
    return emitter.insert(BroadcastOp(emitter.insert(ExpandDimsOp(value, at, single)), filled))


def joined(value: SSAValue, found: Repeated, emitter: Emitter) -> SSAValue:
    """The same by joins of the tile with itself, each of which adds a last dim of size 2."""
    element, doublings = tensor_type(value).element_type, found.times.bit_length() - 1
    for _ in range(doublings):
        value = emitter.insert(JoinOp(value, value, TensorType(element, (*shape_of(value.type), 2))))
    dims, at = range(RANK + doublings), found.axis + 1
    order = (*dims[:at], *dims[RANK:], *dims[at:RANK])
    return emitter.insert(TransOp(value, order, TensorType(element, [shape_of(value.type)[dim] for dim in order])))


@dataclass(frozen=True)
class DeduplicateRepeatedLoadsPass(RewritePass):
    """Load repeated elements of tiles once.

    `num_warps`: the kernel's option of that name, 0 if unknown.
    """

    name = "deduplicate-repeated-loads"

    num_warps: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        if self.num_warps < 0 or self.num_warps & (self.num_warps - 1):
            raise PassFailedException(f"num-warps is {self.num_warps}, expected a power of two, or 0 for unknown")
        strides, threads = Strides(module), self.num_warps * WARP_LANES
        blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
        found = [each for block in blocks for each in find_candidates(block, strides, threads)]
        for each in found:
            self.passed(each.load, f"each element is loaded once instead of {each.times} times")
            replace(each, repeat(load_once(each), each, strides))
        return bool(found)
