"""The rules that a region of memory must obey for a 2D block load, and the reasons for leaving a load.

A value known at compile time is checked itself. Of a run-time value, only the divisibility is checked; that it is large
enough follows from what holds for every tensor in memory: a row is no longer than the pitch. `trusted` loads carry the
mark of an analysis that has already checked the divisibility.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.reject import Reason, Reject
from dotload.layout.xe_targets import XeTarget
from dotload.passes.analysis import stride_info


class BlockReason(Reason):
    """Why a load stays. The name is the stable code of the remark, the value its text."""

    NO_BLOCK_IO = "the module does not say that the device has 2D block loads"
    NO_HINT = "the load has no attribute ttig.block_io, which `hints=required` asks for"
    NOT_FOR_DPAS = "only operands of DPAS become block loads, and the result has no such layout"
    UNKNOWN_POINTER = "the block pointer does not come from one tt.make_tensor_ptr by tt.advance and control flow alone"
    UNKNOWN_ADDRESS = "the pointers or the mask cannot be computed for a single element from scalars"
    UNKNOWN_DESCRIPTOR = "the ops that make the descriptor are not known"
    DESCRIPTOR_SHAPE = "the descriptor's block is not a tensor of the result's shape"
    PADDING = "the descriptor may be one of several, with different paddings"
    NOT_GLOBAL = "messages read global memory, and the pointers are to address space {value}"
    GATHER = "the gathered rows are not known to be consecutive"
    VOLATILE = "the load is volatile"
    SCALAR = "the result is not a tensor of rank 2 or more"
    CONTIGUITY = "neither of the last two dimensions is contiguous in memory"
    LAYOUT_MARK = "ttig.block_io says {value}, the strides say {limit}"
    STRIDE_MARK = "ttig.block_io_stride says that rows are {value} B apart, the pointers say {limit}"
    STRIDE = "the rows are not evenly spaced in memory"
    PITCH_TOO_SMALL = "pitch {value} B < {limit} B"
    PITCH_ALIGNMENT = "pitch is known to be a multiple of {value} B only, must be one of {limit} B"
    PITCH_TOO_LARGE = "pitch {value} B > {limit} B"
    PITCH_BELOW_WIDTH = "pitch {value} B < width {limit} B"
    PITCH_UNKNOWN = "pitch is known at run time only, and a row of the tensor has {value} B < {limit} B"
    WIDTH_TOO_SMALL = "width {value} B < {limit} B"
    WIDTH_ALIGNMENT = "width is known to be a multiple of {value} B only, must be one of {limit} B"
    WIDTH_TOO_LARGE = "width {value} B > {limit} B"
    HEIGHT_TOO_LARGE = "height {value} rows > {limit} rows"
    BASE_ALIGNMENT = "base is known to be a multiple of {value} B only, must be one of {limit} B"
    X_ALIGNMENT = "x is known to be a multiple of {value} B only, must be one of {limit} B"
    BATCH = "a message would span several planes of dimension {value}, and it has only two dimensions"
    WASTE = "the smallest message loads {value} times the data needed, and lane-by-lane loads do not"
    MASK = "the mask changes within every message"
    MASK_WITHOUT_STRUCTURE = "nothing is known about the structure of the mask"


@dataclass(frozen=True)
class Extent:
    """A number of bytes or rows: `constant` if known, else a power of two that divides it. `least`: a lower bound that
    the kernel checks itself."""

    constant: int | None
    divisor: int
    least: int = 0

    @property
    def known_divisor(self) -> int:
        """The largest known power of two that divides it."""
        return self.divisor if self.constant is None else stride_info.divisor(self.constant)


def unit_bytes(plan: BlockLoadPlan, target: XeTarget) -> int:
    """The unit of x, width and base: a word, or an element of the message if that is larger."""
    return max(target.x_multiple_bytes, target.width_multiple_bytes, plan.message.element_bytes)


def check_pitch(pitch: Extent, row_bytes: int, target: XeTarget, *, trusted: bool = False) -> Reject | None:
    """Check the byte distance between two rows; `row_bytes` is the size of one row of the tensor."""
    if pitch.known_divisor % target.pitch_multiple_bytes and not (trusted and pitch.constant is None):
        return Reject(BlockReason.PITCH_ALIGNMENT, value=pitch.known_divisor, limit=target.pitch_multiple_bytes)
    if pitch.constant is None:
        small = max(row_bytes, pitch.least) < target.min_pitch_bytes
        return Reject(BlockReason.PITCH_UNKNOWN, value=row_bytes, limit=target.min_pitch_bytes) if small else None
    if pitch.constant < target.min_pitch_bytes:
        return Reject(BlockReason.PITCH_TOO_SMALL, value=pitch.constant, limit=target.min_pitch_bytes)
    if pitch.constant > target.max_extent:
        return Reject(BlockReason.PITCH_TOO_LARGE, value=pitch.constant, limit=target.max_extent)
    return None


def pitch_of_one_row(row_bytes: int, target: XeTarget) -> int:
    """A pitch for a surface of one row, where the distance to the next row does not matter. It is as wide as the
    surface can become, wherever the row starts within an aligned block.
    """
    room = max(target.min_width_bytes, row_bytes) + target.base_multiple_bytes - 1
    return -(-room // target.pitch_multiple_bytes) * target.pitch_multiple_bytes


def check_width(width: Extent, pitch: Extent, unit: int, target: XeTarget, *, trusted: bool = False) -> Reject | None:
    """Check the bytes of a row of memory."""
    if width.known_divisor % unit and not (_vouches(trusted, unit, target) and width.constant is None):
        return Reject(BlockReason.WIDTH_ALIGNMENT, value=width.known_divisor, limit=unit)
    if width.constant is None:
        return None
    if width.constant < target.min_width_bytes:
        return Reject(BlockReason.WIDTH_TOO_SMALL, value=width.constant, limit=target.min_width_bytes)
    if width.constant > target.max_extent:
        return Reject(BlockReason.WIDTH_TOO_LARGE, value=width.constant, limit=target.max_extent)
    if pitch.constant is not None and pitch.constant < width.constant:
        return Reject(BlockReason.PITCH_BELOW_WIDTH, value=pitch.constant, limit=width.constant)
    return None


def check_height(rows: int | None, target: XeTarget) -> Reject | None:
    """Check the number of rows of memory."""
    too_many = (rows or 0) > target.max_extent
    return Reject(BlockReason.HEIGHT_TOO_LARGE, value=rows, limit=target.max_extent) if too_many else None


def check_base(divisor: int, unit: int, target: XeTarget, *, trusted: bool = False) -> Reject | None:
    """Check the address. What it lacks to the hardware's 64-byte alignment is added to x, in steps of a unit."""
    bad = divisor % unit and not _vouches(trusted, unit, target)
    return Reject(BlockReason.BASE_ALIGNMENT, value=divisor, limit=unit) if bad else None


def check_x(divisor: int, unit: int, target: XeTarget, *, trusted: bool = False) -> Reject | None:
    """Check the column at which the tensor starts, in bytes."""
    bad = divisor % unit and not _vouches(trusted, unit, target)
    return Reject(BlockReason.X_ALIGNMENT, value=divisor, limit=unit) if bad else None


def room_bytes(align: int, row_bytes: int, target: XeTarget) -> int:
    """The largest width of a message's own surface, which begins up to 60 bytes before the message's first element."""
    before = target.base_multiple_bytes - math.gcd(align, target.base_multiple_bytes)
    return max(target.min_width_bytes, row_bytes) + before


def least_pitch(pitch: Extent, row_bytes: int, target: XeTarget) -> int:
    """A lower bound of a pitch, in bytes. `row_bytes`: a row that is known to exist, which a masked one is not."""
    if pitch.constant is not None:
        return pitch.constant
    least, step = max(row_bytes, pitch.least, target.min_pitch_bytes), pitch.divisor
    return -(-least // step) * step


def check_room(pitch: Extent, align: int, row_bytes: int, target: XeTarget, *, trusted: bool = False) -> Reject | None:
    """A message's own surface must be no wider than the pitch. If that is not known, the emitted code checks it."""
    if trusted or pitch.constant is None:
        return None
    width = room_bytes(align, row_bytes, target)
    return Reject(BlockReason.PITCH_BELOW_WIDTH, value=pitch.constant, limit=width) if pitch.constant < width else None


def _vouches(trusted: bool, unit: int, target: XeTarget) -> bool:
    """Whether the mark covers this unit: the analysis behind it has checked whole words only."""
    return trusted and unit <= target.x_multiple_bytes
