"""Candidates of `stage-dot-operands`: operands of products in the wrong memory order, and where their sums go."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.types import TensorDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.staging import Tile
from dotload.passes.emitter import Kept, may_be_mutable, memory_type, memory_users
from dotload.passes.staged_operands import overlap
from dotload.passes.staged_operands.loops import loop_around
from dotload.passes.staged_operands.renaming import is_partial
from dotload.passes.typed import tensor_type

WRONG_ORDER_BITS = (8, 32)
"""Element sizes that wgmma reads K-major only (PTX ISA 9.7.15.5.1.2: imm-trans exists for f16 and bf16)."""


@dataclass(frozen=True)
class Operand:
    """An operand of a product, from its load to the product.

    `chain` are the ops between the load and the product, in order: local_alloc or convert_layout, and memdesc_trans.
    `as_loaded`: the tile as it lies in memory, where that is how another product reads it.
    """

    index: int
    load: LoadOp | DescriptorLoadOp
    chain: tuple[Operation, ...]
    tile: Tile
    as_loaded: LocalAllocOp | None = None

    @property
    def is_alone(self) -> bool:
        """Whether the product is all that the load is for."""
        return all(op.results[0].has_one_use() for op in (self.load, *self.chain))

    @property
    def may_be_copied(self) -> bool:
        """Whether products of wgmma, this one and others, are all that the load is for."""
        staged, users = self.chain[0], {use.operation for use in self.load.results[0].uses}
        return isinstance(staged, LocalAllocOp) and may_be_mutable(staged.result) and users <= {staged, self.as_loaded}


@dataclass(frozen=True)
class Accumulator:
    """The accumulator of a product as the program around it sees it.

    `loop` and `position`: the scf.for that carries it and its place among the carried values; None outside of loops.
    `is_partial`: no loop carries it, though the product is in one, which goes on with the result element by element.
    """

    init: SSAValue
    result: SSAValue
    loop: scf.ForOp | None = None
    position: int = 0
    is_partial: bool = False


def find_operand(product: Operation, index: int) -> Operand | None:
    """The operand if it comes from a load and its element size is one that must be K-major; None otherwise."""
    value = product.operands[index]
    chain: list[Operation] = []
    while isinstance(value, OpResult) and isinstance(value.op, LocalAllocOp | ConvertLayoutOp | MemDescTransOp):
        chain.append(value.op)
        if not value.op.operands:
            return None
        value = value.op.operands[0]
    if not chain or not isinstance(value, OpResult) or not isinstance(value.op, LoadOp | DescriptorLoadOp):
        return None
    load, tensor = value.op, tensor_type(value)
    if len(tensor.get_shape()) != 2:
        return None
    bits = element_bits(tensor)
    if bits not in WRONG_ORDER_BITS or not isinstance(chain[-1], LocalAllocOp | ConvertLayoutOp):
        return None
    transposed = sum(isinstance(op, MemDescTransOp) for op in chain) % 2
    k_axis = (1 - index) ^ transposed
    if overlap.contiguous_axis(load) == k_axis:
        return None
    shape, as_loaded = tensor.get_shape(), staged_as_loaded(load)
    arrives = layout_of_tma(load) if as_loaded is None else swizzle_of(memory_type(as_loaded.result).encoding)
    tile = Tile(1 - k_axis, shape[1 - k_axis], shape[k_axis], bits, arrives)
    return Operand(index, load, tuple(reversed(chain)), tile, as_loaded)


def staged_as_loaded(load: LoadOp | DescriptorLoadOp) -> LocalAllocOp | None:
    """Shared memory that products read the tile from in the order of memory, made right where it is loaded."""
    for user in (use.operation for use in load.results[0].uses):
        if isinstance(user, LocalAllocOp) and user.parent_block() is load.parent_block():
            layout = swizzle_of(memory_type(user.result).encoding)
            is_in_order = layout is not None and layout.transposed == (overlap.contiguous_axis(load) == 0)
            if is_in_order and all(isinstance(reader, WarpGroupDotOp) for reader in memory_users(user.result)):
                return user
    return None


def layout_of_tma(load: LoadOp | DescriptorLoadOp) -> enc.NvmmaShared | None:
    """The layout in which TMA writes the tile; None where no TMA does."""
    descriptor = load.desc.type if isinstance(load, DescriptorLoadOp) else None
    if not isinstance(descriptor, TensorDescType):
        return None
    if descriptor.block_type.get_shape() != tensor_type(load.results[0]).get_shape():
        return None
    return swizzle_of(descriptor.block_type.encoding)


def swizzle_of(encoding: Attribute) -> enc.NvmmaShared | None:
    """The encoding if it is one of TMA's and wgmma's, swizzled, and not spread over a cluster."""
    if not isinstance(encoding, attrs.NvmmaSharedEncoding):
        return None
    shared = encoding.to_encoding()
    assert isinstance(shared, enc.NvmmaShared)
    return shared if shared.swizzle_bytes and not shared.cga.bases and not shared.fp4_padded else None


def find_accumulator(product: Operation) -> Accumulator:
    """The accumulator, when nothing but the product looks at it; raises Kept otherwise."""
    init, result = product.operands[2], product.results[0]
    if loop_around(product) is None:
        return Accumulator(init, result)
    if is_partial(product):
        return Accumulator(init, result, is_partial=True)
    loop = product.parent_op()
    if not isinstance(init, BlockArgument) or init.block is not product.parent_block() or init.index == 0:
        raise Kept("the accumulator is carried by something other than the loop around the product")
    if not isinstance(loop, scf.ForOp):
        raise Kept("the loop around the product is no scf.for")
    position = init.index - 1
    uses = list(result.uses)
    if len(list(init.uses)) != 1 or len(uses) != 1 or not isinstance(uses[0].operation, scf.YieldOp):
        raise Kept("the loop uses the accumulator besides accumulating")
    if uses[0].index != position:
        raise Kept("the loop passes the accumulator on under another name")
    return Accumulator(loop.iter_args[position], loop.results[position], loop, position)
