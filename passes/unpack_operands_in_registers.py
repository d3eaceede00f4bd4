"""`unpack-operands-in-registers`: unpack an operand of wgmma in registers, and take it from there.

    %n = tt.load %pointers : tensor<64x128x!tt.ptr<i8>>                      two values a byte
    %w = ... shifts, joins, conversions, scales                              tensor<128x128xbf16, #blocked>
    %b = ttg.local_alloc %w
    %d = ttng.warp_group_dot %a, %b, %acc : ... -> tensor<64x128xf32>

wgmma can take A from registers, but B from shared memory only. So the transposed dot is computed, and B is
rematerialized in the layout of its fragments, back to the packed tile (`rematerialization.unpacking`):

    %p = ttg.convert_layout %n : ... -> tensor<64x128xi8, #linear>           a read of the tile's copy in shared memory
    %v = ... joins, reshapes                                                 tensor<128x128xi8, #linear>
    %t = tt.trans %v                                                         the same registers
    %f = builtin.unrealized_conversion_cast %t to tensor<128x128xi8, #dot_op<0>>           the same registers
    %bt = ... shifts, conversions, scales                                    tensor<128x128xbf16, #dot_op<0>>
    %at = ttg.memdesc_trans %a
    %d = ttng.warp_group_dot %bt, %at, %acc : ... -> tensor<128x64xf32>

If B is computed from one tile of bytes, element by element, it is computed in fragments, for `stage-dot-operands` to
stage: the tile is read without bank conflicts, by ldmatrix if N is contiguous, and each part of B is converted right
before its part of the dot. A tile that a chain of unary ops converts is left to `stage-dot-operands` altogether.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import computes_elements
from dotload.dialect_ext.tt_compute import is_transpose
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import REGISTER_BITS, WARP_LANES
from dotload.layout.reject import Reject
from dotload.layout.staging import wgmma_grids
from dotload.layout.views import Transpose
from dotload.layout.widths import BYTE_BITS, HALF_BITS
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import erase_unused, ops_behind, uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import bits_of_thread, encoding_attribute, linear_attribute
from dotload.passes.ir.loops import function_around, loop_around
from dotload.passes.ir.targets import is_in_cluster
from dotload.passes.ir.wgmma import mark_transposed
from dotload.passes.operand_staging.accumulators import Accumulator, find_accumulator
from dotload.passes.operand_staging.converted import find_converted
from dotload.passes.operand_staging.emit import emit_dot
from dotload.passes.operand_staging.facts import mark_converted
from dotload.passes.operand_staging.latencies import load_copies_ahead, may_load_ahead
from dotload.passes.operand_staging.loop_loads import is_copied, is_copied_by_vectors, may_be_pipelined
from dotload.passes.operand_staging.plan import Plan, mma_of
from dotload.passes.operand_staging.reasons import ACCESSED_BY_BYTES, PACK_MORE, READ_BY_BYTES, StagingReason
from dotload.passes.operand_staging.remark_texts import shape_text
from dotload.passes.operand_staging.unstaged import name_of_load
from dotload.passes.rematerialization.in_fragments import InFragments
from dotload.passes.rematerialization.layouts import InLayout
from dotload.passes.rematerialization.unpacked import Unpacked
from dotload.passes.rematerialization.unpacking import Unpacking, is_k_major, load_of, unpacking_of
from dotload.passes.rewriting import RewritePass

MAX_REGISTERS = 160
"""Registers per thread for accumulator and operand. The rest of 255 is for addresses, scales and packed words."""


@dataclass(frozen=True)
class UnpackedOperand:
    """B of a dot, as stored for the dot: `source`, K x N, or N x K if it is read transposed.

    `chain`: the ops that bring it to the dot, the last one first.
    """

    dot: WarpGroupDotOp
    chain: tuple[Operation, ...]
    source: SSAValue
    accumulator: Accumulator
    loop: scf.ForOp

    @property
    def shape(self) -> tuple[int, int]:
        """N x K."""
        first, second = tensor_type(self.source).get_shape()
        return (first, second) if self.is_transposed else (second, first)

    @property
    def is_transposed(self) -> bool:
        """Whether the source is N x K."""
        return sum(isinstance(op, MemDescTransOp) for op in self.chain) % 2 == 1


@dataclass(frozen=True)
class Fragments:
    """The layout in which an operand is unpacked, and its type as A of the transposed dot, in the same registers.

    `is_staged`: whether `stage-dot-operands` stages the tile, which takes the operand as computed from fragments.
    `by_bytes`: the tiles that threads read by single bytes otherwise.
    """

    grid: enc.NvidiaMma
    layout: attrs.EncodingAttr
    type: TensorType[Attribute]
    is_staged: bool = False
    by_bytes: tuple[InLayout, ...] = ()


# Candidates


def find_operand(dot: WarpGroupDotOp, num_stages: int) -> UnpackedOperand | None:
    """B of a dot in a pipelined loop that carries its accumulator, if it is stored for this dot alone, in 16 bits.

    In another loop, there is no copy in shared memory to read fragments from. None for a dot that is spread over a
    cluster.
    """
    if is_in_cluster(dot):
        return None
    chain, loop = tuple(ops_behind(dot.operands[1], (LocalAllocOp, MemDescTransOp))), loop_around(dot)
    is_own = bool(chain) and all(op.results[0].has_one_use() for op in chain)
    is_stored = is_own and isinstance(chain[-1], LocalAllocOp) and bool(chain[-1].operands)
    if not may_be_pipelined(loop, num_stages) or not is_stored or not isinstance(dot.operands[0].type, MemDescType):
        return None
    value = chain[-1].operands[0]
    if element_bits(value.type) != HALF_BITS:
        return None
    try:
        accumulator = find_accumulator(dot)
    except Reject:
        return None
    is_left = accumulator.is_partial or is_staged(dot)
    return None if is_left else UnpackedOperand(dot, chain, value, accumulator, loop)


def is_staged(dot: WarpGroupDotOp) -> bool:
    """Whether `stage-dot-operands` brings B to registers."""
    converted = find_converted(dot, 1)
    return converted is not None and converted.as_operand is not None


# Plan


class Refused(Reject):
    """An unpacked operand that stays as it is; `load`, `name`: the tile from which it is unpacked."""

    def __init__(self, unpacking: Unpacking, reason: StagingReason, **values: object) -> None:
        super().__init__(reason, **values)
        self.load, self.name = load_of(unpacking.packed[0]), name_of_tile(*unpacking.packed)


def name_of_tile(tile: SSAValue, layout: attrs.EncodingAttr) -> str:
    """A tile of B, in the layout of fragments, as a remark names it."""
    return name_of_load(load_of(tile), 1, is_k_major=is_k_major(tile, layout))


def plan(operand: UnpackedOperand) -> Fragments | None:
    """Fragments in which each element is unpacked once; None if nothing is unpacked; raises Reject if it stays."""
    rows, columns = operand.shape
    warps = math.prod(mma_of(operand.dot).warps_per_cta)
    grids = wgmma_grids(rows, tensor_type(operand.dot.d).get_shape()[0], warps, HALF_BITS, "float")
    for fragments in (fragments_of(operand, grid) for grid in grids if grid.warps_per_cta[1] == 1):
        unpacking = unpacking_of(operand.source, fragments.layout)
        if unpacking is None or not unpacking.tiles:
            continue
        if not unpacking.is_from_less or not unpacking.is_in(operand.loop):
            continue
        if not unpacking.is_only_use:
            raise Refused(unpacking, StagingReason.OTHER_USES)
        is_staged = is_computed_from_bytes(unpacking)
        if not is_staged and not unpacking.is_read_in_pairs:
            raise Refused(unpacking, StagingReason.SINGLE_ELEMENTS)
        if not any(is_copied_by_vectors(load_of(tile)) for tile, _ in unpacking.tiles):
            raise Refused(unpacking, StagingReason.LOADED_BY_ELEMENTS)
        held_bits = bits_of_thread(operand.dot.d) + rows * columns * HALF_BITS // (warps * WARP_LANES)
        if held_bits // REGISTER_BITS > MAX_REGISTERS:
            raise Refused(unpacking, StagingReason.MANY_REGISTERS, value=held_bits // REGISTER_BITS)
        return replace(fragments, is_staged=is_staged, by_bytes=() if is_staged else tuple(unpacking.read_by_bytes()))
    return None


def fragments_of(operand: UnpackedOperand, grid: enc.NvidiaMma) -> Fragments:
    """The fragments of the operand for a grid of warps."""
    dot_operand = enc.DotOperand(0, grid, REGISTER_BITS // HALF_BITS)
    linear = enc.layout_of(dot_operand, operand.shape)
    layout = linear_attribute(linear if operand.is_transposed else Transpose((1, 0)).layout(linear))
    element = tensor_type(operand.source).element_type
    return Fragments(grid, layout, TensorType(element, list(operand.shape), encoding_attribute(dot_operand)))


def is_computed_from_bytes(unpacking: Unpacking) -> bool:
    """Whether a value is computed element by element from one tile of bytes, besides rows, columns and numbers.

    Triton has to be able to copy the tile asynchronously, or nothing is gained.
    """
    (tile, _), *others = unpacking.tiles
    load = load_of(tile)
    if others or element_bits(tile.type) != BYTE_BITS or not is_copied(load, Strides(function_around(load))):
        return False
    behind = [value for value in values_behind(tile) if value in unpacking.computed]
    return all(
        isinstance(value.op, ConvertLayoutOp) or is_transpose(value.op) or computes_elements(value.op)
        for value in behind
    )


def values_behind(tile: SSAValue) -> list[OpResult]:
    """All that is computed from a tile."""
    uses = uses_behind(load_of(tile), lambda user: not isinstance(user, LocalAllocOp))
    return [result for use in uses for result in use.operation.results]


# Emit


def emit(operand: UnpackedOperand, fragments: Fragments, num_stages: int) -> None:
    """Unpack the operand in registers, and compute the transposed dot."""
    unpacked = Unpacked(may_stage=may_load_ahead(operand.loop, num_stages) and not fragments.is_staged)
    value, emitter = unpacked.of(operand.source, fragments.layout), Emitter.before(operand.dot)
    in_fragments = InFragments(fragments.type, emitter, as_casts=not fragments.is_staged)
    registers = in_fragments.of(value, transposed=not operand.is_transposed)
    erase_unused([value])
    mark_transposed(operand.dot)
    emit_dot(operand.dot, Plan(transposed=True, mma=fragments.grid), operand.accumulator, {1: registers})
    for op in operand.chain:
        Rewriter.erase_op(op)
    unpacked.erase_old(operand.source)
    if unpacked.staged:
        load_copies_ahead(operand.loop, num_stages)


@dataclass(frozen=True)
class UnpackOperandsInRegistersPass(RewritePass):
    """Unpack B of wgmma in registers, as A of the transposed dot.

    `num_stages`: the kernel's option of that name, 0 if unknown. With one stage there is no copy in shared memory from
    which fragments could be read.
    """

    name = "unpack-operands-in-registers"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        changed = [self.unpack(dot) for dot in of_kind(module.walk(), WarpGroupDotOp)]
        if any(changed):
            mark_converted(module)
        return any(changed)

    def unpack(self, dot: WarpGroupDotOp) -> bool:
        """Let a dot take B from registers, if B is unpacked in a pipelined loop; returns whether it does."""
        if (operand := find_operand(dot, self.num_stages)) is None:
            return False
        try:
            fragments = plan(operand)
        except Refused as refused:
            self.missed(refused.load, refused, refused.name)
            return False
        if fragments is None:
            return False
        shape = shape_text(tensor_type(operand.source).get_shape())
        self.passed(dot, f"operand {shape} is unpacked in registers, for the transposed dot")
        for tile in fragments.by_bytes:
            message = f"{READ_BY_BYTES}; {PACK_MORE}: {name_of_tile(*tile)}"
            self.analysis(load_of(tile[0]), message, ACCESSED_BY_BYTES)
        emit(operand, fragments, self.num_stages)
        return True
