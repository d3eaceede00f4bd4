"""Surfaces: the memory that messages read from, as the hardware wants it.

The base is moved back to an aligned address, and the width and every x grow by as much. Of a plan whose messages take
every so many rows, a surface has only those rows: with the first row of a message at Y, of steps of s rows,

    base'   = base + (Y mod s) * pitch        height' = ceil((height - Y mod s) / s)
    pitch'  = pitch * s                       y'      = floor(Y / s)

Messages whose first rows are whole steps apart share a surface.

What lies between the aligned address and the base is no part of the memory, but the hardware takes it for one: columns
below 0 that are zeros otherwise. `Left` says whether a load may meet them.

A surface may be no wider than its pitch, and one that begins before its first element may become so. It is cut:

    width'  = min(width, pitch)

What lies in a row from the pitch on is the beginning of the next row. Of a surface of the message's own, where nothing
lies beyond the message that has to be zeros, a second message brings that, and zeros else:

    x'', y'' = x' - pitch, y' + 1

Of a region, the ends of rows are read row by row (`row_ends`).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.ttig import BlockLoadOp
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.encodings import WARP
from dotload.layout.xe_targets import XeTarget
from dotload.passes.analysis.block_pointers import constant_of
from dotload.passes.analysis.signs import is_nonnegative
from dotload.passes.analysis.stride_info import divisor
from dotload.passes.block_load.rules import room_bytes, unit_bytes
from dotload.passes.block_load.spelling import Surface
from dotload.passes.llvm_builder import LLVMBuilder
from dotload.passes.llvm_types import SIGNED_AT_LEAST, SIGNED_GREATER, UNSIGNED_LESS


class Left(enum.Enum):
    """Which messages of a load may lie left of column 0.

    Of a message that does as a whole, x stays as it is, so that it is left of the surface, too. One that does in part
    brings bytes of which zeros have to be made.
    """

    NONE = enum.auto()
    WHOLE = enum.auto()
    PARTS = enum.auto()

    def skew(self, builder: LLVMBuilder, skew: SSAValue, column: SSAValue) -> SSAValue:
        """What to add to the x of a message that starts at this column of the tensor's memory."""
        if self is not Left.WHOLE:
            return skew
        zero = builder.constant(0)
        return builder.select(builder.compare(SIGNED_AT_LEAST, column, zero), skew, zero)


def left_of(plan: BlockLoadPlan, target: XeTarget, x: SSAValue, align: int) -> Left:
    """What may lie left of column 0 of the messages of a plan for a tensor at column x, a multiple of `align`.

    All messages start at x and columns of the warps and of the plan further on. Where each of these is a multiple of
    what a message covers, column 0 is an edge of messages; numbers that overflow are such multiples, too.
    """
    if is_nonnegative(x) or _takes_any_base(target):
        return Left.NONE
    _, column = plan.request.axes
    steps = (basis[column] for basis in (*plan.starts, *plan.request.encoding.bases.get(WARP, ())))
    step = math.gcd(divisor(align * plan.request.words), *map(divisor, steps))
    return Left.PARTS if step % plan.box[1] else Left.WHOLE


@dataclass(frozen=True)
class Window:
    """A surface, what it adds to every x (message elements), and the row of it at which the warp's part begins."""

    surface: Surface
    skew: SSAValue | None
    row: SSAValue


def _takes_any_base(target: XeTarget) -> bool:
    """Whether there is nothing to make up for: bases are as aligned as x has to be."""
    return target.base_multiple_bytes <= target.x_multiple_bytes


def aligned(
    builder: LLVMBuilder, element_bytes: int, target: XeTarget, base: SSAValue, sizes: tuple[SSAValue, ...]
) -> tuple[Surface, SSAValue | None]:
    """The surface at a pointer of any alignment, and what is added to every x, which counts elements of a message of so
    many bytes; `sizes`: width, height, pitch.

    The hardware wants the base at a multiple of 64 bytes; what is known of it is less.
    """
    width, height, pitch = sizes
    if _takes_any_base(target):
        return Surface(base, width, height, pitch), None
    multiple = target.base_multiple_bytes
    address = builder.pointer_to_int(base)
    skew_bytes = builder.bit_and(builder.trunc(address), multiple - 1)
    lower = builder.int_to_pointer(builder.bit_and(address, -multiple))
    skew = builder.shift(skew_bytes, -(element_bytes.bit_length() - 1))
    return Surface(lower, builder.add(width, skew_bytes), height, pitch), skew


def cut(builder: LLVMBuilder, surface: Surface) -> tuple[Surface, SSAValue]:
    """The surface, no wider than its pitch, and whether it was."""
    wider = builder.compare(UNSIGNED_LESS, surface.pitch, surface.width)
    return replace(surface, width=builder.select(wider, surface.pitch, surface.width)), wider


def may_be_cut(target: XeTarget, unit: int, width: SSAValue, pitch: SSAValue) -> bool:
    """Whether a region that begins before its first element may be wider than its pitch. `unit`: what bases are
    multiples of.
    """
    if _takes_any_base(target):
        return False
    most, least = constant_of(width), constant_of(pitch)
    return most is None or least is None or room_bytes(unit, most, target) > least


def load_may_be_cut(plan: BlockLoadPlan, target: XeTarget, op: BlockLoadOp) -> bool:
    """The same of a load. Of every other row of a region, the pitch is 64 bytes and more beyond the width."""
    unit = unit_bytes(plan, target)
    return plan.row_step == 1 and may_be_cut(target, unit, op.base_width, op.base_pitch)


def windows(
    builder: LLVMBuilder,
    plan: BlockLoadPlan,
    target: XeTarget,
    region: tuple[SSAValue, SSAValue, SSAValue, SSAValue],
    corner_row: SSAValue,
    rows: Iterable[int],
) -> dict[int, Window]:
    """The window for messages that start so many rows (less whole steps) below the corner of a warp's part.

    `region`: base, width, height and pitch of the memory.
    """
    base, width, height, pitch = region
    address = builder.pointer_to_int(base)
    step, shift = plan.row_step, plan.row_step.bit_length() - 1
    found: dict[int, Window] = {}
    wide_pitch = builder.shift(pitch, shift)
    for row in sorted({row % step for row in rows}):
        first = builder.add(corner_row, row)
        offset = builder.bit_and(first, step - 1)
        moved = builder.insert(arith.ExtUIOp(builder.mul(pitch, offset), i64))
        left = builder.add(builder.sub(height, offset), step - 1)
        count, y = builder.shift_right_signed(left, shift), builder.shift_right_signed(first, shift)
        # Of no rows at all, the hardware wants one, and no message may read it.
        exists = builder.compare(SIGNED_GREATER, count, builder.constant(0))
        count = builder.select(exists, count, builder.constant(1))
        y = builder.select(exists, y, builder.constant(1))
        lower = builder.int_to_pointer(builder.add(address, moved))
        surface, skew = aligned(builder, plan.message.element_bytes, target, lower, (width, count, wide_pitch))
        found[row] = Window(surface, skew, y)
    return found
