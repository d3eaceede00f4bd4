"""Surfaces: the memory that messages read from, in the form that the hardware requires.

The base is moved back to an aligned address, and the width and every x grow by the skew. If a plan's messages take
every s-th row, a surface has only those rows. With Y the first row of a message:

    base'   = base + (Y mod s) * pitch        height' = ceil((height - Y mod s) / s)
    pitch'  = pitch * s                       y'      = floor(Y / s)

Messages whose first rows are a multiple of s apart share a surface.

The bytes between the aligned address and the base are not part of the region, but the hardware reads them as such:
columns below 0, which should be zeros. `Left` says whether a load may read them.

A surface may be no wider than its pitch, which moving the base may violate. It is then cut:

    width'  = min(width, pitch)

In a row, the bytes from the pitch on are the beginning of the next row. If the surface is a message's own, nothing
beyond the message has to be zeros, so a second message brings these bytes, and zeros elsewhere:

    x'', y'' = x' - pitch, y' + 1

In a region, the row ends are read row by row (`row_ends`).
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
from dotload.passes.analysis.signs import is_nonnegative
from dotload.passes.analysis.stride_info import divisor
from dotload.passes.block_load.rules import room_bytes, unit_bytes
from dotload.passes.block_load.spelling import Surface
from dotload.passes.ir.constants import constant_of
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import SIGNED_AT_LEAST, SIGNED_GREATER, UNSIGNED_LESS


class Left(enum.Enum):
    """Which messages of a load may lie left of column 0.

    WHOLE: entire messages; their x stays unchanged, so that they are left of the surface, too. PARTS: parts of
    messages, which then bring bytes that must be replaced by zeros.
    """

    NONE = enum.auto()
    WHOLE = enum.auto()
    PARTS = enum.auto()

    def skew(self, builder: LLVMBuilder, skew: SSAValue, column: SSAValue) -> SSAValue:
        """The number to add to the x of a message that starts at this column of the tensor's memory."""
        if self is not Left.WHOLE:
            return skew
        zero = builder.constant(0)
        return builder.select(builder.compare(SIGNED_AT_LEAST, column, zero), skew, zero)


def left_of(plan: BlockLoadPlan, target: XeTarget, x: SSAValue, align: int) -> Left:
    """What may lie left of column 0, for the messages of a plan and a tensor at column x, a multiple of `align`.

    A message starts at x, plus the columns of its warp, plus those of its place in the plan. If each of these is a
    multiple of the message's width, column 0 is an edge of messages; numbers that overflow are such multiples, too.
    """
    if is_nonnegative(x) or _takes_any_base(target):
        return Left.NONE
    _, column = plan.request.axes
    steps = (basis[column] for basis in (*plan.starts, *plan.request.encoding.bases.get(WARP, ())))
    step = math.gcd(divisor(align * plan.request.words), *map(divisor, steps))
    return Left.PARTS if step % plan.box[1] else Left.WHOLE


@dataclass(frozen=True)
class Window:
    """A surface, its skew of every x (message elements), and the row at which the warp's part begins in it."""

    surface: Surface
    skew: SSAValue | None
    row: SSAValue


def _takes_any_base(target: XeTarget) -> bool:
    """Whether bases need no skew: they are as aligned as x has to be."""
    return target.base_multiple_bytes <= target.x_multiple_bytes


def aligned(
    builder: LLVMBuilder, element_bytes: int, target: XeTarget, base: SSAValue, sizes: tuple[SSAValue, ...]
) -> tuple[Surface, SSAValue | None]:
    """The surface at a pointer of any alignment, and the skew of every x, in message elements of this many bytes.

    `sizes`: width, height, pitch. The hardware requires a base at a multiple of 64 bytes; less is known of this one.
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
    """The surface, cut to its pitch, and whether it was wider."""
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
    """Whether a load's surface may be cut. With a row step, the pitch exceeds the width by 64 bytes or more."""
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
    """The windows for messages that start at these rows, modulo the row step, below the corner of a warp's part.

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
        # If no row is left, the hardware still requires a height of one, and no message may read that row.
        exists = builder.compare(SIGNED_GREATER, count, builder.constant(0))
        count = builder.select(exists, count, builder.constant(1))
        y = builder.select(exists, y, builder.constant(1))
        lower = builder.int_to_pointer(builder.add(address, moved))
        surface, skew = aligned(builder, plan.message.element_bytes, target, lower, (width, count, wide_pitch))
        found[row] = Window(surface, skew, y)
    return found
