"""`vectorize-result-stores`: 32-bit results are stored two at a time, as one element of 64 bits.

    tt.store %p, %c : tensor<256x128x!tt.ptr<f32>, #permuted>         #permuted: two neighbouring n a thread

becomes

    %a, %b = tt.split ...                                  %c, its even and its odd columns
    %pair = tt.elementwise_inline_asm "mov.b64 ..." %a, %b
    tt.store %q, %pair : tensor<256x64x!tt.ptr<i64>, #pairs>          %q: %p's even columns

Neighbours of a permuted dot lie in its registers 0 and 2, 1 and 3 and so on (PTX ISA, wgmma, the fragments of D). For a
`st.global.v2` of such registers, ptxas searches for pairs itself. Where they are half of all registers, that takes
longer than when it is given the pairs; the machine code is as good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, i64
from xdsl.ir import SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BitcastOp, ElementwiseInlineAsmOp, SplitOp
from dotload.dialect_ext.tt_memory import StoreOp
from dotload.dialect_ext.typed import as_tensor, of_kind, tensor_type
from dotload.dialect_ext.types import PointerType, element_bits, same_shape
from dotload.layout import encodings as enc
from dotload.layout.access import global_access
from dotload.layout.linear import LinearLayout
from dotload.layout.views import Reshape
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of, linear_attribute
from dotload.passes.rewriting import RewritePass

ELEMENT_BYTES, PAIR_BYTES = 4, 8
MIN_REGISTERS = 128
"""The fewest registers of a result that gain: with 64, ptxas 12.8 takes as long for both."""


def comes_in_pairs(value: SSAValue) -> bool:
    """Whether each thread has elements of 32 bits by twos, neighbours of a row, in the layout of a permuted dot."""
    tensor = as_tensor(value.type)
    if tensor is None or not isinstance(tensor.encoding, attrs.LinearEncoding):
        return False
    layout = layout_of(value)
    registers = layout.bases[enc.REGISTER]
    neighbour = (0,) * (len(tensor.get_shape()) - 1) + (1,)
    if element_bits(tensor) != ELEMENT_BYTES * 8 or 1 << len(registers) < MIN_REGISTERS or registers[0] != neighbour:
        return False
    return global_access(layout, ELEMENT_BYTES * 8).lane_bytes == PAIR_BYTES


def is_aligned(pointers: SSAValue) -> bool:
    """Whether neighbours of each row are known to be 4 bytes apart, and to make up aligned pairs."""
    tensor = as_tensor(pointers.type)
    if tensor is None:
        return False
    strides = Strides.behind(pointers)
    info, runs = strides.of(pointers), [1] * len(tensor.get_shape())
    runs[-1] = 2
    return info.strides[-1] == ELEMENT_BYTES and strides.aligned_by(pointers, runs) % PAIR_BYTES == 0


def emit(store: StoreOp) -> None:
    """Give the store pairs for elements, and for each of them the pointer to the first of the two."""
    emitter = Emitter.before(store)
    even, odd = columns(store.value, emitter)
    first, _ = columns(store.ptr, emitter)
    pointer = tensor_type(store.ptr).element_type
    assert isinstance(pointer, PointerType)
    pair = ElementwiseInlineAsmOp("mov.b64 $0, {$1, $2};", "=l,r,r", [even, odd], [same_shape(even.type, i64)])
    store.operands[1] = emitter.add(pair)
    pairs = same_shape(first.type, PointerType(i64, pointer.address_space))
    store.operands[0] = emitter.add(BitcastOp(first, pairs))


def columns(value: SSAValue, emitter: Emitter) -> tuple[SSAValue, SSAValue]:
    """The even and the odd columns of a tensor; each thread has both of a pair."""
    *rows, size = tensor_type(value).get_shape()
    paired = emitter.tensor_views(value, [Reshape((*rows, size // 2, 2))])
    layout = layout_of(paired)
    bases = {
        name: [vector[:-1] for vector in vectors if name != enc.REGISTER or not vector[-1]]
        for name, vectors in layout.in_items
    }
    sizes = dict(list(layout.out_sizes.items())[:-1])
    encoding = linear_attribute(LinearLayout.from_bases(bases, sizes))
    halves = SplitOp(paired, TensorType(tensor_type(value).element_type, list(sizes.values()), encoding))
    emitter.run(halves)
    return halves.outLHS, halves.outRHS


@dataclass(frozen=True)
class VectorizeResultStoresPass(RewritePass):
    """Store unmasked 32-bit results of many registers as pairs of 64 bits."""

    name: ClassVar[str] = "vectorize-result-stores"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every store that gains."""
        stores = [store for store in of_kind(list(op.walk()), StoreOp) if store.mask is None]
        gaining = [store for store in stores if comes_in_pairs(store.value) and is_aligned(store.ptr)]
        for store in gaining:
            emit(store)
        return bool(gaining)
