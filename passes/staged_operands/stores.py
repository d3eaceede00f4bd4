"""Results that are stored straight from the registers in which a renamed product leaves them.

    %d : tensor<128x128xf32, #renamed>          #renamed: two neighbouring n a thread, eight lanes a sector
    %c = ttg.convert_layout %d ...              to #blocked, through shared memory
    tt.store %pointers, %c

becomes

    %p = ttg.convert_layout %pointers ...       to #renamed, registers reordered; Triton computes them anew there
    tt.store %p, %d

A thread then stores to many rows, each at an address of its own. So what differs from row to row is added last: one
addition of 64 bits for each address, behind those that all of them share.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, StoreOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import global_access
from dotload.layout.linear import LinearLayout
from dotload.passes.emitter import Emitter, layout_of, linear_attribute
from dotload.passes.staged_operands.renaming import comes_in_any_layout
from dotload.passes.typed import is_splat, tensor_type

STORE_BYTES = 4
"""The narrowest vector by which a result is stored straight from its renamed registers: a word of a warp's request."""

MASKED_ROWS = 16
"""The most rows that a thread stores to straight from its registers under a mask.

Each takes an address and a predicate: 32 of them took so many registers that one block ran on a multiprocessor where
two had (tf32 and int8, 128x128, 8 warps).
"""


HINTS = frozenset(("tt.contiguity", "tt.constancy", "tt.divisibility"))
"""What a user may have said of a tensor (tl.multiple_of and the like), on the op that makes it."""


def store_as_it_is(conversion: ConvertLayoutOp, renamed: SSAValue, threads: int) -> None:
    """Store the renamed result from the registers that it is in, where that fills whole sectors by words or vectors.

    Saves the pass through shared memory that `conversion` would be, if a store is all that it is for. Pointers and mask
    must be such as the `threads` compute anew in that layout, or moving them would cost more.
    """
    uses = list(conversion.results[0].uses)
    if len(uses) != 1 or not isinstance(uses[0].operation, StoreOp) or uses[0].index != 1:
        return
    store, wanted = uses[0].operation, tensor_type(conversion.results[0])
    if not isinstance(wanted.encoding, attrs.BlockedEncoding):
        return
    order = wanted.encoding.order
    layout = contiguous_first(layout_of(renamed), order[0])
    access = global_access(layout, element_bits(wanted), order)
    # As many elements as Triton has found to be aligned: stores of fewer would not fill the sectors.
    aligned_bytes = wanted.encoding.size_per_thread[order[0]] * element_bits(wanted) // 8
    if access.efficiency < 1 or not STORE_BYTES <= access.lane_bytes <= aligned_bytes:
        return
    one_a_row = [1 if d == order[0] else size for d, size in enumerate(wanted.get_shape())]
    if len(store.operands) > 2 and values_of_thread(layout, one_a_row) > MASKED_ROWS:
        return
    if not all(comes_in_any_layout(value, threads) for value in (store.ptr, *store.operands[2:])):
        return
    encoding = linear_attribute(layout)
    emitter = Emitter.before(store)

    def moved(value: SSAValue) -> SSAValue:
        old = tensor_type(value)
        return emitter.add(ConvertLayoutOp(value, TensorType(old.element_type, old.shape, encoding)))

    store.operands[0] = few_first(store.ptr, layout, emitter)
    store.operands[1] = renamed
    for index, operand in enumerate(store.operands):
        store.operands[index] = moved(operand)
    Rewriter.erase_op(conversion)


def contiguous_first(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout with its registers renamed so that runs along `dim` come first: vectors of registers."""
    registers = sorted(layout.bases[enc.REGISTER], key=lambda basis: (not basis[dim], basis[dim]))
    bases = {name: registers if name == enc.REGISTER else vectors for name, vectors in layout.in_items}
    return LinearLayout.from_bases(bases, layout.out_sizes)


def values_of_thread(layout: LinearLayout, shape: list[int]) -> int:
    """The most values that a thread has of a tensor that is broadcast from `shape` to that of the layout."""
    varying = [d for d, size in enumerate(shape) if size > 1]
    return 1 << sum(any(basis[d] for d in varying) for basis in layout.bases[enc.REGISTER])


@dataclass(frozen=True)
class Sum:
    """A tensor of pointers as a scalar pointer and the offsets that are added to it, before they are broadcast."""

    base: SSAValue
    offsets: tuple[SSAValue, ...]


def summed(pointers: SSAValue) -> Sum | None:
    """What the pointers are the sum of; None where they do not start from one pointer, or a hint would be lost."""
    offsets: list[SSAValue] = []
    while isinstance(pointers, OpResult) and HINTS.isdisjoint(pointers.op.attributes):
        match pointers.op:
            case AddPtrOp(ptr=before, offset=offset):
                offsets.append(narrow(offset))
                pointers = before
            case BroadcastOp(src=before):
                pointers = before
            case SplatOp(src=base):
                return Sum(base, tuple(reversed(offsets)))
            case _:
                return None
    return None


def narrow(value: SSAValue) -> SSAValue:
    """The value before it was broadcast, without a hint of its own."""
    while isinstance(value, OpResult) and isinstance(value.op, BroadcastOp) and HINTS.isdisjoint(value.op.attributes):
        value = value.op.src
    return value


def few_first(pointers: SSAValue, layout: LinearLayout, emitter: Emitter) -> SSAValue:
    """The same pointers, offsets of which a thread in `layout` has few different ones added before those of many.

    Each offset is extended to 64 bits by itself, and their sums wrap around: the order makes no difference to these.
    """
    parts = summed(pointers)
    if parts is None:
        return pointers
    offsets = sorted(parts.offsets, key=lambda offset: values_of_thread(layout, varying(offset)))
    if tuple(offsets) == parts.offsets:
        return pointers
    type_ = tensor_type(pointers)

    def spread(value: SSAValue, shape: list[int]) -> SSAValue:
        old = tensor_type(value)
        if shape == shape_of(value):
            return value
        return emitter.add(BroadcastOp(value, TensorType(old.element_type, shape, old.encoding)))

    shape = shape_of(offsets[0])
    total = emitter.add(SplatOp(parts.base, TensorType(type_.element_type, shape, type_.encoding)))
    for offset in offsets:
        shape = [max(sizes) for sizes in zip(shape, shape_of(offset), strict=True)]
        total = emitter.add(AddPtrOp(spread(total, shape), spread(offset, shape)))
    return spread(total, list(type_.get_shape()))


def varying(value: SSAValue) -> list[int]:
    """The shape of a tensor, its dims along which all elements are known to be equal counted as 1."""
    shape = shape_of(value)
    match value.owner:
        case SplatOp():
            return [1] * len(shape)
        case arith.ConstantOp(value=constant) if is_splat(constant):
            return [1] * len(shape)
        case _:
            return shape


def shape_of(value: SSAValue) -> list[int]:
    """The shape of a tensor."""
    return list(tensor_type(value).get_shape())
