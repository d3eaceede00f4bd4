"""Repeated loads: tiles whose neighbouring elements have the same address, such as packed weights or group scales.

%row = %k // 8                                        8 equal rows in a row
%b = tt.load (%base + %row * %stride + %n)            have the same pointers
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import INTEGER_PREDICATES, SelectOp
from dotload.dialect_ext.traits import is_elementwise, writes_global
from dotload.dialect_ext.tt_compute import BroadcastOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, integer_property, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.widths import RANK
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import holds
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import DOTS, feeds_dot
from dotload.passes.rematerialization.samples import Samples

LESS = "slt"

KEPT = ("cache", "evict", "cachePolicy")
"""Properties of a load that its smaller copy keeps."""


@dataclass(frozen=True)
class Repeated:
    """A load of a tile in which each element occurs `times` times in a row along `axis`, a power of two.

    `is_masked_alike`: the mask, if any, repeats likewise. Otherwise, if any element of a group is loaded, the first is.
    `is_contiguous_across`: along the other dim, elements are contiguous in memory.
    """

    load: LoadOp
    axis: int
    times: int
    is_masked_alike: bool
    is_contiguous_across: bool

    @property
    def count(self) -> int:
        """The number of distinct elements."""
        return math.prod(shape_of(self.load.result.type)) // self.times

    @property
    def is_one_row(self) -> bool:
        """Whether all elements along the axis are the same."""
        return self.times == shape_of(self.load.result.type)[self.axis]

    @property
    def has_layout(self) -> bool:
        """Whether the tile has a layout already."""
        return not isinstance(tensor_type(self.load.result).encoding, NoneAttr)


def find_repeated(block: Block, strides: Strides) -> Iterator[Repeated]:
    """The repeated loads of a block, such as the body of a loop, that feed its dots.

    Triton pipelines a load that is not repeated. If a loop writes memory that it may load next, nothing is found.
    """
    ops, loop = list(block.ops), block.parent_op()
    is_written = isinstance(loop, scf.ForOp) and any(map(writes_global, loop.walk()))
    if any(isinstance(op, DOTS) for op in ops) and not is_written:
        for load in of_kind(ops, LoadOp):
            found = (repeated_along(load, axis, strides) for axis in range(RANK))
            if is_computed_with(load.result) and feeds_dot(load) and (repeated := next(filter(None, found), None)):
                yield repeated


def is_computed_with(tile: SSAValue) -> bool:
    """Whether all users of the tile, in this layout or another one, are elementwise.

    A tile that a dot takes unchanged may be copied past registers, so repeats cost nothing there.
    """
    users = [use.operation for use in tile.uses]
    return all(is_computed_with(op.result) if isinstance(op, ConvertLayoutOp) else is_elementwise(op) for op in users)


def repeated_along(load: LoadOp, axis: int, strides: Strides) -> Repeated | None:
    """The load, if its pointers repeat in groups along a dim and can be computed for one element of each group."""
    tensor = as_tensor(load.ptr.type)
    if tensor is None or len(tensor.get_shape()) != RANK or load.is_volatile:
        return None
    pointers = strides.of(load.ptr)
    times = pointers.runs[axis] if pointers.strides[axis] == 0 else 1
    masks = [each for each in (load.mask, load.other) if each is not None]
    is_repeated = times > 1 and times.bit_count() == 1
    if not is_repeated or not Samples.may_be_computed([load.ptr, *masks], axis):
        return None
    is_alike = all(strides.of(each).is_same_in_groups(axis, times) for each in masks)
    if not is_alike and (load.mask is None or not falls(load.mask, axis, times, strides)):
        return None
    is_contiguous = pointers.strides[1 - axis] == element_bits(load.result.type) // 8
    return Repeated(load, axis, times, is_alike, is_contiguous)


def falls(mask: SSAValue, axis: int, times: int, strides: Strides) -> bool:
    """Whether the mask is true of a group's first element if it is true of any element of the group."""
    return holds([mask], lambda each: _falls_where(each, axis, times, strides))


def _falls_where(mask: SSAValue, axis: int, times: int, strides: Strides) -> Sequence[SSAValue] | None:
    """The masks for which `falls` must hold for it to hold for this one; None if it is not known to hold."""
    if strides.of(mask).is_same_in_groups(axis, times):
        return ()
    match mask.owner:
        case arith.AndIOp() | BroadcastOp() as op:
            return op.operands
        case arith.CmpiOp(lhs=number, rhs=limit) as op:
            grows = strides.of(number)
            is_less = INTEGER_PREDICATES[integer_property(op, "predicate")] == LESS
            is_rising = grows.strides[axis] == 1 and grows.runs[axis] % times == 0
            is_limited = strides.of(limit).is_same_in_groups(axis, times)
            return () if is_less and is_rising and is_limited else None
        case _:
            return None


# Emit


def load_once(found: Repeated) -> SSAValue:
    """Load one element of each group, before the old load: a tensor that is smaller along the dim."""
    load, samples, axis = found.load, Samples(every=found.times), found.axis
    operands = [None if each is None else samples.of(each, axis) for each in (load.mask, load.other)]
    small = LoadOp(samples.of(load.ptr, axis), *operands)
    small.properties |= {name: load.properties[name] for name in KEPT if name in load.properties}
    Emitter.before(load).run(small)
    return small.result


def replace(found: Repeated, tile: SSAValue) -> None:
    """Replace the load's result by the tile; if the mask differs within groups, select `other` where it is false."""
    load = found.load
    if not found.is_masked_alike and load.mask is not None and load.other is not None:
        tile = Emitter.before(load).insert(SelectOp(load.mask, tile, load.other))
    Rewriter.replace_op(load, (), [tile])
