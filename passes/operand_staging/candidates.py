"""Candidates of `stage-dot-operands`: operands of dots that are loaded with M or N contiguous in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import DotOp, TransOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, Load
from dotload.dialect_ext.ttg import ConvertLayoutOp, Fp4ToFpOp, LocalAllocOp, LocalStoreOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import TensorDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.raw_tiles import Tile
from dotload.layout.widths import HALF_BITS, RANK
from dotload.passes.ir.def_use import ops_behind
from dotload.passes.ir.layouts import contiguous_axis, encoding_as
from dotload.passes.ir.loops import DOTS, feeds_dot
from dotload.passes.ir.memory import may_be_mutable, memory_type, memory_users
from dotload.passes.ir.wgmma import is_marked_transposed
from dotload.passes.operand_staging.fragments import (
    TO_FRAGMENTS,
    FragmentFlow,
    follow_fragments,
    fragments_behind,
    is_fragments,
)

K_MAJOR_BITS = (8, 32)
"""Element sizes that wgmma reads K-major only (PTX ISA 9.7.15.5.1.2: imm-trans exists for f16 and bf16)."""


TRANSPOSING = TransOp | MemDescTransOp

TO_MEMORY = (ConvertLayoutOp, LocalAllocOp, MemDescTransOp)
"""What may stand between a load and a dot that reads shared memory."""


@dataclass(frozen=True)
class Operand:
    """A non-K-major operand of a dot, or a converted one of wgmma in either order, from its load to the dot.

    `chain`: the ops from the load to shared memory or fragments, in order: local_alloc or convert_layout, and
    transposes. `as_loaded`: the tile in the order of memory, if another dot reads it so. `flow`: what is computed from
    fragments; for mma.sync None if that is more than operands of dots. `conversion`: the one-operand ops, in order,
    that convert a tile before it is stored for wgmma (`converted.py`).
    """

    index: int
    load: Load
    chain: tuple[Operation, ...]
    tile: Tile
    as_loaded: LocalAllocOp | None = None
    flow: FragmentFlow | None = None
    conversion: tuple[Operation, ...] = ()

    @property
    def between(self) -> tuple[Operation, ...]:
        """The ops between the load and the dot, in order."""
        return (*self.conversion, *self.chain)

    @property
    def converted_bits(self) -> int | None:
        """The size of the elements that wgmma multiplies, if the tile is converted for it; else None."""
        if self.conversion:
            return element_bits(self.conversion[-1].results[0].type)
        dots = [dot for dot in self.dots if isinstance(dot, WarpGroupDotOp)]
        return element_bits(dots[0].operands[self.index].type) if dots else None

    @property
    def k_axis(self) -> int:
        """The dim of k in the tile as it is loaded."""
        return k_axis_of(self.index, self.chain)

    @property
    def kernel_index(self) -> int:
        """0 for A, 1 for B of the kernel's dot, which `unpack-operands-in-registers` may have transposed."""
        return self.index ^ any(map(is_marked_transposed, self.dots))

    @property
    def others(self) -> tuple[Operation, ...]:
        """What takes the loaded tile besides the dot."""
        users = dict.fromkeys(use.operation for use in self.load.results[0].uses)
        return tuple(user for user in users if user not in (self.between[0], self.as_loaded))

    @property
    def is_only_use(self) -> bool:
        """Whether the dot is all that the load is for; dots of mma.sync that share its fragments count as one.

        Beside wgmma, other ops may compute with a tile as it is loaded: Triton's pipeliner lets them read its copy.
        """
        single = self.chain if self.flow is None else self.chain[:-1]
        is_own = all(op.results[0].has_one_use() for op in (*self.conversion, *single))
        if self.flow is not None or self.conversion:
            return is_own and self.load.results[0].has_one_use()
        return is_own and self.as_loaded is None and not any(map(may_feed_dot, self.others))

    @property
    def may_be_shared(self) -> bool:
        """Whether the staged tile may be read for others, too: where mma.sync takes it, and they take it K-major."""
        is_own = all(op.results[0].has_one_use() for op in self.chain[:-1])
        return self.flow is not None and is_own and all(is_read_in_order(user, self.load) for user in self.others)

    @property
    def dots(self) -> tuple[Operation, ...]:
        """The dots that take the fragments, or what is computed from them."""
        return () if self.flow is None else self.flow.dots

    @property
    def may_be_copied(self) -> bool:
        """Whether dots of wgmma, this one and others, are all that the load is for."""
        staged, users = self.chain[0], {use.operation for use in self.load.results[0].uses}
        return isinstance(staged, LocalAllocOp) and may_be_mutable(staged.result) and users <= {staged, self.as_loaded}


def may_feed_dot(op: Operation) -> bool:
    """Whether a dot may take what the op computes, or shared memory that it fills."""
    return isinstance(op, (*DOTS, LocalAllocOp, LocalStoreOp)) or feeds_dot(op)


def is_read_in_order(user: Operation, load: Load) -> bool:
    """Whether the op brings the tile into another layout, and no dot reads it from there with M or N contiguous."""
    if not isinstance(user, ConvertLayoutOp) or user.parent_block() is not load.parent_block():
        return False
    waiting: list[tuple[SSAValue, int]] = [(user.result, contiguous_axis(load))]
    for value, contiguous in waiting:  # grows during the iteration
        for use in value.uses:
            op = use.operation
            if isinstance(op, DotOp) and contiguous != 1 - use.index:
                return False
            if isinstance(op, TransOp):
                waiting.append((op.result, 1 - contiguous))
            elif isinstance(op, ConvertLayoutOp | Fp4ToFpOp) or is_elementwise(op):
                waiting.append((op.results[0], contiguous))
    return True


def find_operands(dot: Operation) -> list[Operand]:
    """Those of a dot's A and B that are candidates."""
    return [operand for index in (0, 1) if (operand := find_operand(dot, index)) is not None]


def find_operand(dot: Operation, index: int) -> Operand | None:
    """The operand, if its tile is loaded and has elements that must be K-major, but is not; else None.

    An operand of wgmma that is computed in registers may be K-major.
    """
    value = dot.operands[index]
    fragments = fragments_behind(value) or value
    chain = list(ops_behind(fragments, TO_FRAGMENTS if is_fragments(value) else TO_MEMORY))
    load = chain[-1].operands[0].owner if chain and chain[-1].operands else None
    if not isinstance(load, Load):
        return None
    is_computed, is_wgmma = fragments is not value, isinstance(dot, WarpGroupDotOp)
    tensor, k_axis, x_axis = tensor_type(load.results[0]), k_axis_of(index, chain), contiguous_axis(load)
    bits, shape = element_bits(tensor), tensor.get_shape()
    if len(shape) != RANK or bits not in K_MAJOR_BITS or (x_axis == k_axis and not (is_computed and is_wgmma)):
        return None
    flow = follow_fragments(fragments, index) if is_computed or isinstance(dot, DotOp) else None
    if is_computed and (flow is None or (is_wgmma and element_bits(value.type) != HALF_BITS)):
        return None
    if flow is not None and isinstance(dot, DotOp) and is_converted_transpose(fragments, flow):
        return None
    as_loaded = staged_as_loaded(load)
    arrives = layout_of_tma(load) if as_loaded is None else swizzle_of(memory_type(as_loaded.result).encoding)
    tile = Tile.of(shape, x_axis, bits, arrives)
    return Operand(index, load, tuple(reversed(chain)), tile, as_loaded, flow)


def is_converted_transpose(fragments: SSAValue, flow: FragmentFlow) -> bool:
    """Whether fragments are a transpose that is only converted: `transposes.py` transposes it at the load."""
    is_converted = bool(flow.ops) and all(len(op.operands) == 1 for op in flow.ops)
    return isinstance(fragments.owner, TransOp) and is_converted


def k_axis_of(index: int, chain: Sequence[Operation]) -> int:
    """The dim of k in the tile that such ops bring to a dot as operand `index`."""
    transposed = sum(isinstance(op, TRANSPOSING) for op in chain) % 2
    return (1 - index) ^ transposed


def staged_as_loaded(load: Load) -> LocalAllocOp | None:
    """Shared memory that dots read the tile from in the order of memory, filled right where it is loaded."""
    for user in (use.operation for use in load.results[0].uses):
        if isinstance(user, LocalAllocOp) and user.parent_block() is load.parent_block():
            layout = swizzle_of(memory_type(user.result).encoding)
            is_in_order = layout is not None and layout.transposed == (contiguous_axis(load) == 0)
            if is_in_order and all(isinstance(reader, WarpGroupDotOp) for reader in memory_users(user.result)):
                return user
    return None


def layout_of_tma(load: Load) -> enc.NvmmaShared | None:
    """The layout in which TMA writes the tile; None where no TMA does."""
    descriptor = load.desc.type if isinstance(load, DescriptorLoadOp) else None
    if not isinstance(descriptor, TensorDescType):
        return None
    if descriptor.block_type.get_shape() != tensor_type(load.results[0]).get_shape():
        return None
    return swizzle_of(descriptor.block_type.encoding)


def swizzle_of(encoding: Attribute) -> enc.NvmmaShared | None:
    """The encoding if it is one of TMA's and wgmma's, swizzled, and not spread over a cluster."""
    shared = encoding_as(enc.NvmmaShared, encoding)
    if shared is None or not shared.swizzle_bytes or shared.cga.bases or shared.fp4_padded:
        return None
    return shared
