"""`version-scale-loads`: a version of the loop for columns that have one scale.

    scf.for %i = %lb to %ub {                                %n = the address of all scales, or null
      %d = tt.dot ...                                        %mid = %n != null ? %ub : %lb
      %s = tt.load %p : tensor<128x!tt.ptr<f32>>             scf.for %i = %lb to %mid { %s = tt.splat (tt.load %n) ... }
      %y = arith.mulf %d, (tt.broadcast %s)                  scf.for %i = %mid to %ub { the body as it was }
    }

fp8 with block scales has one scale for 128 columns of B. Kernels such as SGLang's, vLLM's and torchao's take columns
modulo N, so that no load is out of bounds. Then the compiler cannot know that the columns of a tile have one scale. It
is so unless N ends within the tile. The loop for one scale loads a number, where the other one loads a scale for each
column and exchanges them between threads.

Runs on Triton's IR, before layouts are chosen. One loop follows the other, since Triton would not give the same shared
memory to both branches of an scf.if. The loop for one scale is the first, since dotload can then stage A in registers:
its accumulator starts at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import CmpiOp, SelectOp
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import BroadcastOp, DotOp, ExpandDimsOp, IntToPtrOp, PtrToIntOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp, LoadOp
from dotload.dialect_ext.tt_regions import ReduceOp, ReduceReturnOp
from dotload.dialect_ext.typed import as_tensor, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits, with_element
from dotload.layout.nvidia_targets import HOPPER
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.constancy import is_same_but_for_modulo, loads_one_number
from dotload.passes.ir.def_use import only_user, uses_behind
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loads import load_like
from dotload.passes.ir.loops import ancestors, is_only_dot
from dotload.passes.ir.versions import run_before_copy
from dotload.passes.rewriting import LoopPass
from dotload.passes.unflatten_loops import FLATTEN, WARP_SPECIALIZE

MIN_ROWS = 64
"""The rows of one wgmma (PTX ISA 9.7.15.2). Loops of mma.sync were not measured."""
VERSIONED = "if all columns of the tile have one scale, a version of the loop loads it once"


@dataclass(frozen=True)
class ColumnScales:
    """A load of the scales of a dot's columns, from `base`, which the loop does not change, plus a scalar `offset`."""

    load: LoadOp
    base: SSAValue
    offset: SSAValue


# Candidates


def find_scales(loop: scf.ForOp) -> list[ColumnScales]:
    """The loads of a loop that scale the columns of its only dot, of bytes, and may load one number each."""
    dot = next(iter(of_kind(loop.body.block.ops, DotOp)), None)
    if dot is None or not is_only_dot(dot) or not is_wgmma_of_bytes(dot) or is_fused_or_specialized(loop):
        return []
    users = {use.operation for use in uses_behind(dot, is_elementwise)}.intersection(loop.body.block.ops)
    found = (scales_of(load, loop) for load in of_kind(loop.body.block.ops, LoadOp) if is_factor(load, users))
    return [each for each in found if each is not None]


def is_wgmma_of_bytes(dot: DotOp) -> bool:
    """Whether the dot multiplies bytes, and has the rows of a wgmma."""
    return element_bits(dot.b.type) == BYTE_BITS and shape_of(dot.d.type)[0] >= MIN_ROWS


def is_fused_or_specialized(loop: scf.ForOp) -> bool:
    """Whether Triton fuses the loop with others around it, or runs it in several partitions of warps."""
    return any(name in each.attributes for each in (loop, *ancestors(loop)) for name in (FLATTEN, WARP_SPECIALIZE))


def is_factor(load: LoadOp, computing: set[Operation]) -> bool:
    """Whether the load, spread over the rows of a result, is a factor in what is computed from that."""
    row = only_user(load.result)
    if not isinstance(row, ExpandDimsOp) or row.axis.value.data != 0:
        return False
    spread = only_user(row.result)
    product = only_user(spread.result) if isinstance(spread, BroadcastOp) else None
    return isinstance(product, arith.MulfOp) and product in computing


def scales_of(load: LoadOp, loop: scf.ForOp) -> ColumnScales | None:
    """The scales, if they visibly are one number, were it not for a modulo."""
    address = load.ptr.owner
    if load.mask is not None or load.is_volatile or not isinstance(address, AddPtrOp) or loads_one_number(load):
        return None
    base, offset = address.ptr, address.offset.owner
    if loop.is_ancestor(base.owner) or not isinstance(offset, SplatOp) or as_tensor(base.type) is None:
        return None
    return ColumnScales(load, base, offset.src) if is_same_but_for_modulo(base) else None


# Emission


def emit(loop: scf.ForOp, found: Sequence[ColumnScales]) -> None:
    """Let the loop load numbers and run if all columns have one scale, and a copy of it as it was otherwise."""
    emitter = Emitter.before(loop)
    addresses = [address_of_all(scales.base, emitter) for scales in found]
    none = emitter.constant(0, i64)
    known = [emitter.insert(CmpiOp(address, none, "ne")) for address in addresses]
    run_before_copy(loop, emitter.folded(arith.AndIOp, known))
    for scales, address in zip(found, addresses, strict=True):
        load_number(scales, address)


def address_of_all(base: SSAValue, emitter: Emitter) -> SSAValue:
    """The address to which all pointers point, or zero if they differ."""
    addresses = emitter.make(PtrToIntOp, [base], with_element(tensor_type(base), i64))
    both = Block(arg_types=(i64, i64))
    one, other = both.args
    none = arith.ConstantOp(IntegerAttr(0, i64))
    is_same = CmpiOp(one, other, "eq")
    kept = SelectOp(is_same, one, none)
    both.add_ops([none, is_same, kept, ReduceReturnOp(kept)])
    return emitter.insert(ReduceOp(addresses, 0, both, i64))


def load_number(scales: ColumnScales, address: SSAValue) -> None:
    """Load one scale for all columns."""
    load, emitter = scales.load, Emitter.before(scales.load)
    pointer = emitter.make(IntToPtrOp, [address], tensor_type(scales.base).element_type)
    number = emitter.insert(load_like(load, emitter.insert(AddPtrOp(pointer, scales.offset)), None, None))
    load.result.replace_all_uses_with(emitter.insert(SplatOp(number, tensor_type(load.result))))
    Rewriter.erase_op(load)


@dataclass(frozen=True)
class VersionScaleLoadsPass(LoopPass):
    """Add a version of a loop that loads one scale for all columns of a tile, if they have one.

    `capability`: the compute capability of the GPU, as Triton writes it.
    """

    name = "version-scale-loads"

    capability: int = HOPPER.capability

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        scales = find_scales(loop) if self.capability == HOPPER.capability else []
        for each in scales:
            self.passed(each.load, VERSIONED)
        if scales:
            emit(loop, scales)
        return bool(scales)
