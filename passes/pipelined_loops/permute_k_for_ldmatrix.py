"""`permute-k-for-ldmatrix`: store A of a dot so that ldmatrix can read it, if Triton reads it otherwise.

    %tile = ttg.local_alloc %q
    %a = ttg.local_load %tile : !ttg.memdesc<16x512xf16> -> tensor<16x512xf16, #ttg.dot_op<{opIdx = 0, kWidth = 4}>>
    %s = tt.dot %a, %b, %zero                                  %b: converted from 8 bits, kWidth = 4

If B is converted from 8 bits, a lane has four consecutive k of B, and needs the same of A: 8 bytes, of which ldmatrix
gives it 4. Triton reads A by `ld.shared.v2`. One word of each pair belongs to one mma.sync, the other to the next, so
each is moved once more, and if registers are short, once for each mma.sync that takes it. With the pass:

    %p = tt.reshape, tt.trans of %q                            k permuted within each 32
    %tile = ttg.local_alloc %p
    %a = ttg.local_load %tile : ... -> tensor<16x512xf16, #ttg.dot_op<{opIdx = 0, kWidth = 2}>>       by ldmatrix
    %c = tt.reshape, tt.trans of %b, ttg.convert_layout        the same registers, under other names
    %s = tt.dot %a, %c, %zero

Each mma.sync multiplies the same k as before, so the result is bit-identical. In attention, this applies to the
queries and to the probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalLoadOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.linear import log2_exact
from dotload.layout.raw_tiles import Tile
from dotload.layout.staging import RegisterRoute, plan_fragment_route
from dotload.layout.widths import HALF_BITS, RANK
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import LDMATRIX_WIDTH, encoding_as, encoding_attribute, layout_of
from dotload.passes.rewriting import RewritePass

CONVERTED_WIDTH = 4
"""Consecutive k of a lane in fragments that are converted from bytes."""
PLACES = (0, 4, 1, 2, 3)
"""Bits of k -> bits of the permuted k. Triton multiplies four consecutive k of a lane by two mma.sync, two k each: bit
1 selects which. The lane (bits 2 and 3) and the half of its mma.sync (bit 4) come before it.
"""


@dataclass(frozen=True)
class PermutedTile:
    """A tile in shared memory, its reads, the dots that take these as A, and the layout of the permuted read."""

    alloc: LocalAllocOp
    reads: Sequence[LocalLoadOp]
    dots: Sequence[DotOp]
    route: RegisterRoute


# Candidates and plan


def find_tile(alloc: LocalAllocOp) -> PermutedTile | None:
    """The tile, if it is stored once, and ldmatrix can serve all of its reads once its k is permuted.

    A tile whose rows are contiguous in memory stays: Triton reads it by ldmatrix, and stores it in wider pieces.
    """
    if alloc.src is None or len(alloc.result.type.get_shape()) != RANK or contiguous_dim(alloc.result) != 1:
        return None
    users = [use.operation for use in alloc.result.uses]
    reads = [user for user in users if isinstance(user, LocalLoadOp) and takes_pairs_twice(user.result)]
    uses = [use for read in reads for use in read.result.uses]
    dots = [use.operation for use in uses if isinstance(use.operation, DotOp) and use.index == 0]
    rows, depth = alloc.result.type.get_shape()
    if not dots or len(reads) < len(users) or len(dots) < len(uses) or depth < 1 << len(PLACES):
        return None
    operands = {ldmatrix_operand(tensor_type(read.result)) for read in reads}
    route = plan_fragment_route(Tile(1, depth, rows, HALF_BITS), next(iter(operands)))
    is_matrix = len(operands) == 1 and route.read.kind == "matrix"
    return PermutedTile(alloc, reads, dots, route) if is_matrix else None


def contiguous_dim(tile: SSAValue) -> int:
    """The dim along which elements are adjacent in shared memory."""
    return layout_of(tile).bases[enc.OFFSET][0].index(1)


def takes_pairs_twice(fragments: SSAValue) -> bool:
    """Whether fragments of 16 bits for mma.sync have four consecutive k in a lane, in one CTA."""
    tensor = tensor_type(fragments)
    encoding = tensor.encoding
    if not isinstance(encoding, attrs.DotOperandEncoding) or element_bits(tensor) != HALF_BITS:
        return False
    parent = encoding.parent
    is_of_one_cta = isinstance(parent, attrs.NvidiaMmaEncoding) and not parent.cga.bases
    return is_of_one_cta and encoding.k_width == CONVERTED_WIDTH


def ldmatrix_operand(tensor: TensorType[Attribute]) -> enc.DotOperand:
    """The layout of the fragments as ldmatrix delivers them."""
    operand = encoding_as(enc.DotOperand, tensor.encoding)
    assert operand is not None
    return replace(operand, k_width=LDMATRIX_WIDTH)


# Emit


def permuted(value: SSAValue, axis: int, emitter: Emitter) -> SSAValue:
    """The tensor with k, its dim `axis`, permuted; each element stays in its register."""
    shape = tensor_type(value).get_shape()
    places = (*PLACES, *range(len(PLACES), log2_exact(shape[axis])))
    return emitter.tensor_views(value, IndexPermutation.along(shape, axis, BitPermutation(places)).views())


def as_ldmatrix_delivers(tensor: TensorType[Attribute]) -> TensorType[Attribute]:
    """The type of fragments with two consecutive k in a lane."""
    return TensorType(tensor.element_type, tensor.shape, encoding_attribute(ldmatrix_operand(tensor)))


def emit(found: PermutedTile) -> None:
    """Store the tile permuted, read it by ldmatrix, and permute the dots' other operands."""
    assert found.alloc.src is not None
    outside = Emitter.before(found.alloc)
    tile = outside.stage(permuted(found.alloc.src, 1, outside), found.route.raw)
    for dot in found.dots:
        emitter = Emitter.before(dot)
        renamed = permuted(dot.b, 0, emitter)
        dot.operands[1] = emitter.insert(ConvertLayoutOp(renamed, as_ldmatrix_delivers(tensor_type(dot.b))))
    for read in found.reads:
        fragments = as_ldmatrix_delivers(tensor_type(read.result))
        Rewriter.replace_op(read, (), [Emitter.before(read).insert(LocalLoadOp(tile, fragments))])
    Rewriter.erase_op(found.alloc)


@dataclass(frozen=True)
class PermuteKForLdmatrixPass(RewritePass):
    """Permute k of a dot so that ldmatrix can read its A."""

    name = "permute-k-for-ldmatrix"

    def rewrite(self, module: ModuleOp) -> bool:
        found = [tile for alloc in of_kind(module.walk(), LocalAllocOp) if (tile := find_tile(alloc)) is not None]
        for tile in found:
            self.passed(tile.reads[0], "k of both operands is permuted so that ldmatrix reads A")
            emit(tile)
        return bool(found)
