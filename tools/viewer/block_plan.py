"""Plans of 2D block loads for the viewer: the three layouts of a plan, their corner lines, and the picture."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from dotload.layout.block_load import ITERATION, LOAD, OFFSET, BlockLoadPlan
from dotload.layout.encodings import LANE
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit, find_target
from dotload.tools.viewer.picture import Picture
from dotload.tools.viewer.source import UserError, layout_for, parse_layout, parse_tensor, parse_type
from dotload.tools.viewer.text import iteration_view


def plan_for(layout: str | None, tensor: str, column_major: bool, target: str) -> BlockLoadPlan:
    """The plan for a tensor type; the layout is in the type or given separately."""
    from xdsl.dialects.builtin import TensorType

    from dotload.passes.block_load.request import find_plan

    given = parse_tensor(tensor, "--tensor")
    encoding = given.encoding if layout is None else parse_layout(layout, "--layout")
    if encoding is not None and LANE not in layout_for(str(layout or tensor), encoding, given.shape).in_sizes:
        raise UserError("error: a block load fills registers: give the layout of a tensor, not of shared memory")
    if layout is not None:
        if "#" in tensor:
            raise UserError("error: the tensor type has an encoding already; leave out -l")
        tensor = f"{tensor.rstrip().removesuffix('>')}, {layout}>"
    type_ = cast(TensorType, parse_type(tensor, "--tensor"))
    try:
        found = find_plan(type_, column_major, find_target(target), Emit.TRITON_GEN)
    except ValueError as error:
        raise UserError(f"error: {error}") from None
    if isinstance(found, Reject):
        raise UserError(f"error: no block load: {found.message}")
    return found


def plan_text(plan: BlockLoadPlan) -> str:
    """The messages, the three layouts, and where each iteration of each load begins and ends."""
    rows, columns = plan.box
    head = f"{plan.messages} x {plan.message} a warp, {rows} x {columns} elements each"
    layout = plan.load_layout
    dims = [name for name in (LOAD, ITERATION) if layout.in_sizes[name] > 1]
    corners = "\n".join(iteration_view(layout, dims, OFFSET))
    return f"{head}\n\n{plan.describe()}\n\n{', '.join([*dims, OFFSET])} : row, column\n{corners}\n"


def plan_pictures(plan: BlockLoadPlan) -> list[Picture]:
    """The elements that one warp reads, in memory's rows and columns, with the load and iteration of each.

    Rows and columns that the warp does not read are left out: one picture for each run of the others.
    """
    whole = _plan_picture(plan)
    filled = whole.fields[whole.colour] >= 0
    rows, columns = (_runs(np.any(filled, axis=axis)) for axis in (1, 0))
    parts = [replace(whole, rows=down, columns=across) for down in rows for across in columns]
    return parts if len(parts) == 1 else [replace(part, title=_title(part)) for part in parts]


def _title(part: Picture) -> str:
    assert part.rows is not None
    assert part.columns is not None
    rows, columns = (f"{lines[0]} to {lines[-1]}" for lines in (part.rows, part.columns))
    return f"{part.title}, rows {rows}, columns {columns}"


def _runs(filled: np.ndarray) -> list[tuple[int, ...]]:
    lines = np.flatnonzero(filled)
    return [tuple(run.tolist()) for run in np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1)]


def _plan_picture(plan: BlockLoadPlan) -> Picture:
    layout = plan.load_layout
    rows, columns = layout.out_sizes["dim0"], layout.out_sizes["dim1"]
    fields = {name: np.full((rows, columns), -1) for name in (OFFSET, ITERATION, LOAD)}
    sizes = [layout.in_sizes[name] for name in (LOAD, ITERATION, OFFSET)]
    load, iteration, offset = np.indices(sizes)
    place = layout.apply({OFFSET: offset, ITERATION: iteration, LOAD: load})
    for name, values in ((OFFSET, offset), (ITERATION, iteration), (LOAD, load)):
        fields[name][place["dim0"], place["dim1"]] = values
    indices = np.indices((rows, columns))
    coordinates = {"row": indices[0], "column": indices[1]}
    note = f"{plan.messages} x {plan.message}; label: load.iteration"
    return Picture("2D block loads of one warp", coordinates | fields, "{load}.{iteration}", ITERATION, notes=(note,))
