"""Restrictions that a load's mask and its `other` value put on messages."""

from __future__ import annotations

from collections.abc import Iterable

from dotload.passes.analysis.stride_info import Info
from dotload.passes.block_load.request import MAX_ROW_STEP, NO_BOUNDS, Bounds


def mask_bounds(mask: Info, row: int, column: int) -> Bounds | None:
    """The rows and columns within which a mask is constant; None if not known."""
    if mask.strides[row] != 0 or mask.strides[column] != 0:
        return None
    return Bounds(mask.runs[row], mask.runs[column], max_row_step=MAX_ROW_STEP)


def repeats_rows(values: Iterable[Info], row: int, rows: int) -> bool:
    """Whether pointers and mask are the same in all of the tensor's rows."""
    return all(value.strides[row] == 0 and value.runs[row] >= rows for value in values)


def promised_bounds(info: Info, row: int, column: int) -> Bounds:
    """The runs of pointers or of a mask; if nothing is known of them, what the op promises."""
    runs = [info.runs[dim] if info.strides[dim] is not None else NO_BOUNDS.max_rows for dim in (row, column)]
    return Bounds(runs[0], runs[1], exact=True, max_row_step=MAX_ROW_STEP)
