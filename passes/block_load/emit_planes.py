"""The planes of memory that a `ttig.2d_block_load` reads: its base for one plane, its operands `planes` for several.

A message checks rows and columns only. For a plane that does not exist, the start row is set below all rows, where
there is only padding; with several planes, this is done per message, at emission (`planes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.arith import CmpiOp, SelectOp
from dotload.dialect_ext.tt import AddPtrOp
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.llvm.types import UNSIGNED_LESS


@dataclass(frozen=True)
class PlaneDim:
    """A dim before the last two: the index of the tensor's first plane (i32), the number of planes, and their distance
    in elements (i64). The tensor has `size` of them; `checked`: some of these may not exist.
    """

    index: SSAValue
    count: SSAValue
    stride: SSAValue
    size: int
    checked: bool


@dataclass(frozen=True)
class Start:
    """The base address and the row at which a tensor starts, and the operands for several planes."""

    base: SSAValue
    y: SSAValue
    planes: tuple[SSAValue, ...] = ()


def one_plane(inserter: ScalarEmitter, start: Start, height: SSAValue, dims: Sequence[PlaneDim]) -> Start:
    """The plane that the leading indices select; the start row is below all rows if the plane does not exist."""
    moving = [dim for dim in dims if constant_of(dim.index) != 0]
    base, y = start.base, start.y
    for dim in moving:
        base = moved(inserter, base, dim.index, dim.stride)
    for dim in moving:
        if dim.checked:
            y = _below_unless(inserter, dim.index, dim.count, y, height)
    return Start(base, y)


def several_planes(inserter: ScalarEmitter, start: Start, dims: Sequence[PlaneDim], element_bytes: int) -> Start:
    """The operands for these dims. An unchecked dim counts the tensor's own planes, from the first one on."""
    base = start.base
    planes: list[SSAValue] = []
    for dim in dims:
        if dim.checked:
            planes += [inserter.i64_of(dim.index), dim.count]
        else:
            base = moved(inserter, base, dim.index, dim.stride)
            planes += [inserter.constant_64(0), inserter.constant_64(dim.size)]
        planes.append(inserter.times_64(dim.stride, element_bytes))
    return Start(base, start.y, tuple(planes))


def moved(inserter: ScalarEmitter, base: SSAValue, index: SSAValue, stride: SSAValue) -> SSAValue:
    """The address `index` planes further on; `stride` in elements."""
    if constant_of(index) == 0:
        return base
    wide = inserter.i64_of(index)
    return inserter.insert(AddPtrOp(base, inserter.insert(arith.MuliOp(wide, stride))))


def _below_unless(inserter: ScalarEmitter, index: SSAValue, size: SSAValue, y: SSAValue, height: SSAValue) -> SSAValue:
    """The row `y`, or the row below all rows for a missing plane. Negative indices are large as unsigned numbers."""
    wide = inserter.insert(arith.ExtSIOp(index, i64))
    exists = inserter.insert(CmpiOp(wide, size, UNSIGNED_LESS))
    return inserter.insert(SelectOp(exists, y, height))
