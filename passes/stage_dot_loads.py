"""Stage a load that is directly in a dot operand's layout: load vectors, and read fragments from shared memory.

Candidates: a `tt.load` (Gluon: `gl.load`) of a tensor of pointers whose result has a dot_op encoding with one of
NVIDIA's matrix units as parent. In that layout a lane owns pairs of elements, rows apart, and stock Triton issues one
small access per pair.

Plan: a blocked layout in which a lane reads 16 contiguous bytes, along the dim that `passes.analysis.strides` finds to
be contiguous in memory; a swizzle from which the operand's fragments are read without bank conflicts, by ldmatrix if
the fragments allow it (`dotload.layout.access` is the cost).

Emit:

    %p1 = ttg.convert_layout %p : ... -> tensor<64x32x!tt.ptr<f16>, #blocked>        mask and other likewise
    %v  = tt.load %p1 : tensor<64x32x!tt.ptr<f16>, #blocked>
    %s  = ttg.local_alloc %v : ... -> !ttg.memdesc<64x32xf16, #swizzled_shared>
    %r  = ttg.local_load %s : ... -> tensor<64x32xf16, #dot_op>

Triton's own passes do the rest: remove-layout-conversions computes the pointers in the new layout to begin with, and
the pipeliner turns load and allocation into asynchronous copies.

Prove: the fragments read back hold each element, checked one by one (`staging.prove`).

The costs of an iteration, of this kernel and stock's, are left in the module, so that both are weighed after ptxas.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import LocalLoadOp
from dotload.dialect_ext.typed import as_tensor, number_of, of_kind, tensor_type
from dotload.dialect_ext.types import element_bits, with_encoding
from dotload.layout import staging
from dotload.layout.access import BANK_ROW_BYTES, global_access
from dotload.layout.encodings import Blocked, DotOperand
from dotload.layout.linear import LayoutError
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.raw_tiles import VECTOR_BYTES, Tile
from dotload.layout.reject import Reject
from dotload.layout.staging import RegisterRoute
from dotload.layout.widths import RANK
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_as, encoding_attribute, is_of_fragments, layout_of
from dotload.passes.ir.loops import DOTS, loop_around
from dotload.passes.operand_staging.facts import mark_costs
from dotload.passes.operand_staging.reasons import StagingReason
from dotload.passes.operand_staging.remark_texts import shape_text
from dotload.passes.operand_staging.stock import StockEstimate, stock_registers
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class Plan:
    """The layout of the vector load, and the route from shared memory to the fragments."""

    load: Blocked
    route: RegisterRoute


@lru_cache(maxsize=256)
def plan_load(tile: Tile, operand: DotOperand, warps: int) -> Plan:
    """The plan of one load; raises LayoutError if a vector does not fit the tile."""
    vector = VECTOR_BYTES * 8 // tile.element_bits
    if tile.x < vector:
        raise LayoutError(f"a row of {tile.x} elements is shorter than a vector of 16 bytes")
    across = min(WARP_LANES, tile.x // vector)
    load = Blocked(
        size_per_thread=tile.by_dim(vector, 1),
        threads_per_warp=tile.by_dim(across, WARP_LANES // across),
        warps_per_cta=tile.by_dim(1, warps),
        order=(tile.x_axis, 1 - tile.x_axis),
    )
    return Plan(load, staging.plan_fragment_route(tile, operand))


def plan_of(load: LoadOp, strides: Strides, warps: int) -> Plan:
    """The plan for a candidate; raises Reject if it is left alone."""
    tensor = tensor_type(load.results[0])
    known, bits = strides.of(load.ptr), element_bits(tensor)  # strides of pointers are in bytes
    contiguous = [d for d, stride in enumerate(known.strides) if stride == bits // 8 and known.runs[d] > 1]
    if len(contiguous) != 1:
        raise Reject(StagingReason.CONTIGUITY)
    tile = Tile.of(tensor.get_shape(), contiguous[0], bits)
    operand = encoding_as(DotOperand, tensor.encoding)
    assert operand is not None
    try:
        plan = plan_load(tile, operand, warps)
    except LayoutError as error:
        raise Reject(StagingReason.NO_LAYOUT, value=error) from None
    if not staging.prove(plan.route):
        raise Reject(StagingReason.UNPROVED)
    return plan


def emit(load: LoadOp, plan: Plan) -> None:
    """Load in vectors, stage, and read the fragments."""
    tensor = tensor_type(load.results[0])
    before, after = Emitter.before(load), Emitter.after(load)
    encoding = encoding_attribute(plan.load)
    for index, operand in enumerate(load.operands):
        load.operands[index] = before.in_layout(operand, encoding)
    uses = list(load.results[0].uses)
    loaded = Rewriter.replace_value_with_new_type(load.results[0], with_encoding(tensor, encoding))
    fragments = after.insert(LocalLoadOp(after.stage(loaded, plan.route.raw), tensor))
    for use in uses:
        use.operation.operands[use.index] = fragments


def candidates(module: ModuleOp) -> list[LoadOp]:
    """Loads of pointer tensors whose result is an operand of mma.sync or wgmma."""

    def is_candidate(load: LoadOp) -> bool:
        tensor = as_tensor(load.results[0].type)
        return tensor is not None and len(tensor.get_shape()) == RANK and is_of_fragments(tensor)

    return [load for load in of_kind(module.walk(), LoadOp) if is_candidate(load)]


def wavefronts_of(plan: Plan) -> int:
    """The wavefronts of a tile that is stored by vectors and read as fragments."""
    tile = plan.route.tile
    return tile.x * tile.k * tile.element_bits // 8 // BANK_ROW_BYTES + plan.route.cost[0]


def stock_wavefronts(load: LoadOp, plan: Plan) -> int:
    """The wavefronts of a load in the operand's layout: shared memory is part of L1, which returns whole sectors."""
    tile = plan.route.tile
    access = global_access(layout_of(load.results[0]), tile.element_bits, (tile.x_axis, 1 - tile.x_axis))
    return max(access.requests, access.bytes_moved // BANK_ROW_BYTES)


@dataclass(frozen=True)
class StageDotLoadsPass(RewritePass):
    """Load operands in a dot layout by vectors, and read their fragments from shared memory.

    `num_stages`: the kernel's option of that name, 0 if unknown.
    """

    name = "stage-dot-loads"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        found = candidates(module)
        if not found:
            return False
        strides, wavefronts, stock, waits = Strides(module), 0, 0, 1
        warps = number_of(module.attributes.get("ttg.num-warps"))
        for load in found:
            try:
                if warps is None:
                    raise Reject(StagingReason.NO_WARPS)
                plan = plan_of(load, strides, warps)
            except Reject as reject:
                self.missed(load, reject)
                continue
            tile, read = plan.route.tile, plan.route.read
            wavefronts += wavefronts_of(plan)
            stock += stock_wavefronts(load, plan)
            if self.num_stages > 1 and loop_around(load) is not None:
                waits = 2  # the pipeliner copies a staged tile an iteration ahead, but no load into registers
            emit(load, plan)
            self.passed(load, f"tile {shape_text(tile.shape)} is loaded in vectors and read by {read.mnemonic}")
        if wavefronts:
            # Stock's fragments may be loaded one by one.
            registers = max((stock_registers(dot, ()) for dot in module.walk() if isinstance(dot, DOTS)), default=0)
            mark_costs(module, wavefronts, StockEstimate(stock, 0, registers, waits))
        return wavefronts > 0
