"""`permute-k-for-fragments`: turn accumulators into 8-bit fragments in place, by a permutation of k.

    %a = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, ...}>>
    %v = ttg.local_load %raw {dotload.staged = "copy"}
    ttg.local_store %v, %tile
    %o = ttng.warp_group_dot %a, %tile, ...

In attention, P has the layout of an accumulator: a lane holds columns 2t and 2t + 1 of each eight. As A of the next
dot, it has to hold bytes 4t to 4t + 3 of each sixteen. Triton exchanges these between lanes, by shuffles. But a dot is
invariant under the order of k. So k of A is permuted: the columns that a lane has become those that it needs, and no
element leaves its lane. V is copied K-major on its way to the dot. Its rows are copied in the same order, which only
changes the addresses that ldmatrix reads from.

FlashAttention-3 does so by hand (Shah et al., 2024, section 3.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttg import (
    ConvertLayoutOp,
    LocalAllocOp,
    LocalDeallocOp,
    LocalLoadOp,
    LocalStoreOp,
    MemDescIndexOp,
    MemDescSubsliceOp,
)
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import addresses
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.linear import LayoutError
from dotload.layout.operand_permutations import accumulator_permutation
from dotload.layout.reject import Reject
from dotload.layout.word_stores import copy_words
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter, viewed_tensor
from dotload.passes.ir.layouts import layout_of, layout_of_type
from dotload.passes.ir.memory import memory_type, stored_memory
from dotload.passes.operand_staging.facts import role_of
from dotload.passes.pipelined_loops.reads import is_written_by_tma
from dotload.passes.pipelined_loops.reasons import LoopReason
from dotload.passes.rewriting import RewritePass

ROWS_OF_PIECES = 16
"""The most rows of A per warp if the dot is computed in pieces. With 32, fp8 prefill by 4 warps took 1.04 times as
long, for fewer instructions (H200, without the limit: `python bench/ablation.py --only prefill --passes
permute-k-for-fragments`).
"""


@dataclass(frozen=True)
class PermutedDots:
    """Dots whose k is permuted: the conversions that compute their A, and the reads that fill their B, a copy."""

    conversions: tuple[ConvertLayoutOp, ...]
    reads: tuple[LocalLoadOp, ...]
    permutation: BitPermutation


# Candidates and plan


def plan(copies: LocalAllocOp) -> PermutedDots | None:
    """What to permute for the dots that read K-major copies; None if no dot takes its A from an accumulator.

    Raises Reject if one does, but the copies are needed unpermuted.
    """
    users = list(users_of(copies.result))
    stores = of_kind(users, LocalStoreOp)
    sources = [*filter(None, [copies.src]), *(store.src for store in stores)]
    reads = tuple(read for source in sources if (read := copy_of(source)) is not None)
    dots = of_kind(users, WarpGroupDotOp)
    conversions = tuple(dict.fromkeys(filter(None, map(conversion_of, dots))))
    permutations = set(map(permutation_of, conversions))
    if not reads or permutations <= {None}:
        return None
    takers = {use.operation for conversion in conversions for use in conversion.result.uses}
    permutation = permutations.pop()
    if len(reads) < len(sources) or takers != set(dots) or {*dots, *stores} != set(users) or permutations:
        raise Reject(LoopReason.OTHER_K)
    assert permutation is not None
    if not all(is_read_as_well(read, permutation) for read in reads):
        raise Reject(LoopReason.ROW_CONFLICTS)
    if len(dots) > len(conversions) and (rows := max(map(rows_of_warp, conversions))) > ROWS_OF_PIECES:
        raise Reject(LoopReason.PIECES, value=rows, limit=ROWS_OF_PIECES)
    return PermutedDots(conversions, reads, permutation)


def users_of(memory: SSAValue) -> Iterator[Operation]:
    """The ops that store to the memory or take it as an operand, through views and waits."""
    for use in memory.uses:
        match use.operation:
            case MemDescIndexOp() | MemDescSubsliceOp() as view if keeps_k(view):
                yield from users_of(view.result)
            case WarpGroupDotWaitOp() as wait:
                yield from users_of(wait.outputs[use.index])
            case LocalDeallocOp():
                pass
            case user:
                yield user


def keeps_k(view: MemDescIndexOp | MemDescSubsliceOp) -> bool:
    """Whether the view has all k of its tiles."""
    shapes = memory_type(view.src).get_shape(), memory_type(view.result).get_shape()
    return isinstance(view, MemDescIndexOp) or shapes[0][0] == shapes[1][0]


def conversion_of(dot: WarpGroupDotOp) -> ConvertLayoutOp | None:
    """The conversion of an accumulator to the dot's A.

    Its source has no other use: ptxas 13.4 fails on kernels that read registers of bytes in both orders.
    """
    conversion = dot.a.owner
    if not isinstance(conversion, ConvertLayoutOp) or only_user(conversion.src) is None:
        return None
    return conversion if isinstance(tensor_type(conversion.src).encoding, attrs.NvidiaMmaEncoding) else None


def permutation_of(conversion: ConvertLayoutOp) -> BitPermutation | None:
    """The permutation of columns with which the conversion moves no data; None if there is none, or no need."""
    try:
        permutation = accumulator_permutation(layout_of(conversion.src), layout_of(conversion.result))
    except LayoutError:  # for an unknown layout
        return None
    return None if permutation is None or permutation.is_identity else permutation


def rows_of_warp(conversion: ConvertLayoutOp) -> int:
    """The rows of A that a warp holds."""
    layout = layout_of(conversion.result)
    return 1 << sum(row > 0 for name in (enc.REGISTER, enc.LANE) for row, _ in layout.bases[name])


def copy_of(source: SSAValue) -> LocalLoadOp | None:
    """The read of a staged tile, if `source`, which is stored K-major, is one."""
    read = source.owner
    if not isinstance(read, LocalLoadOp) or role_of(read) != "copy":
        return None
    return read if only_user(source) is not None else None


def is_read_as_well(read: LocalLoadOp, permutation: BitPermutation) -> bool:
    """Whether the rows in the other order can also be copied by words, with no more wavefronts and permutations."""
    tile = tensor_type(read.result)
    as_it_is, permuted = (cost_of(each, read) for each in (tile, permuted_rows(tile, permutation.inverse)))
    return permuted is not None and (as_it_is is None or permuted <= as_it_is)


def cost_of(tile: TensorType[Attribute], read: LocalLoadOp) -> tuple[int, int] | None:
    """Wavefronts and byte permutations of `convert-staged-operands-to-llvm` for a copy; None if it does not lower it.

    The copy is read as `tile`, and stored in the present order of rows.
    """
    store = only_user(read.result)
    assert isinstance(store, LocalStoreOp | LocalAllocOp)
    source = addresses(layout_of_type(tile), layout_of(read.src), element_bits(tile))
    target = addresses(layout_of(read.result), layout_of(stored_memory(store)), element_bits(tile))
    if (words := copy_words(source, target, may_swap_words=is_written_by_tma(read))) is None:
        return None
    loaded, stored = words
    return loaded.access.total_wavefronts + stored.access.total_wavefronts, loaded.word_permutes


# Emit


def permuted_rows(tensor: TensorType[Attribute], permutation: BitPermutation) -> TensorType[Attribute]:
    """The type of a tile whose rows are permuted."""
    return viewed_tensor(tensor, IndexPermutation.along(tensor.get_shape(), 0, permutation))


def emit(found: PermutedDots) -> None:
    """Permute the columns of each A, and the rows of each B as they are copied."""
    for conversion in found.conversions:
        columns = IndexPermutation.along(tensor_type(conversion.src).get_shape(), 1, found.permutation)
        conversion.operands[0] = Emitter.before(conversion).permuted(conversion.src, columns)
    for read in found.reads:
        stored = only_user(read.result)
        assert stored is not None
        tile = permuted_rows(tensor_type(read.result), found.permutation.inverse)
        loaded = Rewriter.replace_value_with_new_type(read.result, tile)
        rows = IndexPermutation.along(tile.get_shape(), 0, found.permutation)
        stored.operands[0] = Emitter.after(read).permuted(loaded, rows)


@dataclass(frozen=True)
class PermuteKForFragmentsPass(RewritePass):
    """Permute k of dots whose A is an accumulator in bytes, so that no byte leaves its lane."""

    name = "permute-k-for-fragments"

    def rewrite(self, module: ModuleOp) -> bool:
        return self.rewrite_each(of_kind(module.walk(), LocalAllocOp), self.permute)

    def permute(self, copies: LocalAllocOp) -> bool:
        """Permute k of the dots that read K-major copies, if that pays."""
        if (found := plan(copies)) is None:
            return False
        message = "accumulators become A of the next dot as they are, and rows of B are copied in their order"
        self.passed(found.conversions[0], message)
        emit(found)
        return True
