"""Stores of results directly from the registers of a permuted dot.

    %d : tensor<128x128xf32, #permuted>         #permuted: two neighbouring n a thread, eight lanes a sector
    %c = ttg.convert_layout %d ...              to #blocked, through shared memory
    tt.store %pointers, %c

becomes

    %p = ttg.convert_layout %pointers ...       to #permuted, registers reordered; Triton recomputes them there
    tt.store %p, %d

A thread then stores to many rows, each at its own address. So the offsets that differ between rows are added last: one
64-bit addition per address, after those that all addresses share.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BroadcastOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, StoreOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import global_access
from dotload.layout.linear import LinearLayout
from dotload.passes.ir.conversions import is_uniform
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of, linear_attribute
from dotload.passes.ir.motion import HINTS
from dotload.passes.operand_staging.layout_propagation import come_in_any_layout

STORE_BYTES = 4
"""The narrowest vector to store directly from registers: a word of a warp's request."""

MASKED_ROWS = 16
"""The most rows that a thread stores directly from its registers under a mask.

Each row takes an address and a predicate. 32 of them took so many registers that one block was resident on a
multiprocessor instead of two (tf32 and int8, 128x128, 8 warps).
"""


def store_from_registers(conversion: ConvertLayoutOp, permuted: SSAValue, threads: int) -> bool:
    """Store the permuted result directly from its registers, if that fills whole sectors by words or vectors.

    This saves the `conversion` through shared memory, if a store is its only user. The `threads` must be able to
    rematerialize pointers and mask in that layout, since converting these would cost more. Returns whether it did.
    """
    store, wanted = only_user(conversion.result), tensor_type(conversion.result)
    if not isinstance(store, StoreOp) or store.value is not conversion.result:
        return False
    if not isinstance(wanted.encoding, attrs.BlockedEncoding):
        return False
    order = wanted.encoding.order
    layout = contiguous_first(layout_of(permuted), order[0])
    access = global_access(layout, element_bits(wanted), order)
    # As many elements as Triton has found to be aligned: shorter stores would not fill the sectors.
    aligned_bytes = wanted.encoding.size_per_thread[order[0]] * element_bits(wanted) // 8
    if access.efficiency < 1 or not STORE_BYTES <= access.lane_bytes <= aligned_bytes:
        return False
    one_a_row = [1 if d == order[0] else size for d, size in enumerate(wanted.get_shape())]
    if len(store.operands) > 2 and values_of_thread(layout, one_a_row) > MASKED_ROWS:
        return False
    if not come_in_any_layout((store.ptr, *store.operands[2:]), threads):
        return False
    encoding = linear_attribute(layout)
    emitter = Emitter.before(store)
    store.operands[0] = shared_offsets_first(store.ptr, layout, emitter)
    store.operands[1] = permuted
    for index, operand in enumerate(store.operands):
        store.operands[index] = emitter.in_layout(operand, encoding)
    Rewriter.erase_op(conversion)
    return True


def contiguous_first(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout with its registers reordered: runs along `dim` first, as vectors of registers."""
    registers = sorted(layout.bases[enc.REGISTER], key=lambda basis: (not basis[dim], basis[dim]))
    bases = {name: registers if name == enc.REGISTER else vectors for name, vectors in layout.in_items}
    return LinearLayout.from_bases(bases, layout.out_sizes)


def values_of_thread(layout: LinearLayout, shape: Sequence[int]) -> int:
    """The most distinct values that a thread has of a tensor that is broadcast from `shape` to the layout's shape."""
    varying = [d for d, size in enumerate(shape) if size > 1]
    return 1 << sum(any(basis[d] for d in varying) for basis in layout.bases[enc.REGISTER])


def terms_of(pointers: SSAValue) -> tuple[SSAValue, list[SSAValue]] | None:
    """The scalar pointer from which the pointers start, and the offsets that are added, before they are broadcast.

    None if they do not start from one pointer, or a hint would be lost.
    """
    offsets: list[SSAValue] = []
    while isinstance(pointers, OpResult) and HINTS.isdisjoint(pointers.op.attributes):
        match pointers.op:
            case AddPtrOp(ptr=before, offset=offset):
                offsets.append(narrow(offset))
                pointers = before
            case BroadcastOp(src=before):
                pointers = before
            case SplatOp(src=base):
                return base, offsets[::-1]
            case _:
                return None
    return None


def narrow(value: SSAValue) -> SSAValue:
    """The value before a broadcast without hints."""
    while isinstance(value, OpResult) and isinstance(value.op, BroadcastOp) and HINTS.isdisjoint(value.op.attributes):
        value = value.op.src
    return value


def shared_offsets_first(pointers: SSAValue, layout: LinearLayout, emitter: Emitter) -> SSAValue:
    """The same pointers, with the offsets added first that have few distinct values in a thread of `layout`.

    Each offset is extended to 64 bits by itself, and 64-bit sums wrap around, so the order does not change the result.
    """
    terms = terms_of(pointers)
    if terms is None:
        return pointers
    base, given = terms
    offsets = sorted(given, key=lambda offset: values_of_thread(layout, varying(offset)))
    if offsets == given:
        return pointers
    type_ = tensor_type(pointers)

    def broadcast(value: SSAValue, shape: Sequence[int]) -> SSAValue:
        old = tensor_type(value)
        if shape == shape_of(old):
            return value
        return emitter.insert(BroadcastOp(value, TensorType(old.element_type, shape, old.encoding)))

    shape = shape_of(offsets[0].type)
    total = emitter.insert(SplatOp(base, TensorType(type_.element_type, shape, type_.encoding)))
    for offset in offsets:
        shape = tuple(map(max, shape, shape_of(offset.type)))
        total = emitter.insert(AddPtrOp(broadcast(total, shape), broadcast(offset, shape)))
    return broadcast(total, shape_of(type_))


def varying(value: SSAValue) -> Sequence[int]:
    """The shape of a tensor, with dims along which all elements are known to be equal counted as 1."""
    shape = shape_of(value.type)
    return (1,) * len(shape) if is_uniform(value) else shape
