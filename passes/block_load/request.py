"""The planner's request, from a tensor type and a memory order, and the bounds of its messages."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.typed import number_of
from dotload.dialect_ext.types import element_bits
from dotload.layout.block_load import BlockLoadPlan, LayoutReason, LoadRequest, plan_block_load
from dotload.layout.block_load_choice import SPARE_BYTES
from dotload.layout.encodings import LANE, DotOperand, Dpas, Encoding, dim_names
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit, XeTarget, find_target
from dotload.passes.analysis.stride_info import Info
from dotload.passes.remarks import where


@dataclass(frozen=True)
class Bounds:
    """Limits on one message besides the hardware's: rows and columns (tensor elements), and whether it may bring more
    than one operand of the matrix instruction, or more than the tensor. With `repeated_rows`, all rows of the tensor
    are the same row of memory. Rows of a message may be up to `max_row_step` apart.
    """

    max_rows: int = 1 << 30
    max_columns: int = 1 << 30
    one_tile: bool = False
    exact: bool = False
    repeated_rows: bool = False
    max_row_step: int = 1

    def and_(self, other: Bounds) -> Bounds:
        """The limits of both."""
        rows, columns = min(self.max_rows, other.max_rows), min(self.max_columns, other.max_columns)
        flags = (self.one_tile or other.one_tile, self.exact or other.exact, self.repeated_rows or other.repeated_rows)
        return Bounds(rows, columns, *flags, max_row_step=min(self.max_row_step, other.max_row_step))


NO_BOUNDS = Bounds()
BASE_ALIGNMENT = "ttig.2d_block_io_base_alignment"
MAX_ROW_STEP = 64
ONE_MATRIX_PER_LOAD = "ttig.one_matrix_per_load"


def mask_bounds(mask: Info, row: int, column: int) -> Bounds | None:
    """The rows and columns within which a mask is constant; None if not known."""
    if mask.strides[row] != 0 or mask.strides[column] != 0:
        return None
    return Bounds(mask.runs[row], mask.runs[column], max_row_step=MAX_ROW_STEP)


def promised_bounds(info: Info, row: int, column: int) -> Bounds:
    """The runs of pointers or of a mask; if nothing is known of them, what the op promises."""
    runs = [info.runs[dim] if info.strides[dim] is not None else NO_BOUNDS.max_rows for dim in (row, column)]
    return Bounds(runs[0], runs[1], exact=True, max_row_step=MAX_ROW_STEP)


def repeats_rows(values: Iterable[Info], row: int, rows: int) -> bool:
    """Whether pointers and mask are the same in all of the tensor's rows."""
    return all(value.strides[row] == 0 and value.runs[row] >= rows for value in values)


def target_for(name: str, module: ModuleOp) -> XeTarget:
    """The target called `name`, with the base alignment that the module says its device requires.

    PassFailedException for an unknown name.
    """
    try:
        target = find_target(name)
    except ValueError as error:
        raise PassFailedException(str(error)) from None
    alignment = number_of(module.attributes.get(BASE_ALIGNMENT))
    return target if alignment is None or alignment < 1 else replace(target, base_multiple_bytes=alignment)


def row_step_for(pitch: int | None, target: XeTarget) -> int:
    """The largest row step whose pitch the hardware accepts; 1 if the pitch is known only at run time."""
    if pitch is None or pitch <= 0:
        return 1
    return min(MAX_ROW_STEP, 1 << (max(1, target.max_extent // pitch).bit_length() - 1))


def one_tile(load: Operation) -> bool:
    """Whether each message of this load must bring one operand of the matrix instruction only."""
    return ONE_MATRIX_PER_LOAD in load.attributes


def find_plan(
    type_: TensorType[Attribute], column_major: bool, target: XeTarget, emit: Emit, bounds: Bounds = NO_BOUNDS
) -> BlockLoadPlan | Reject:
    """The proved plan for loading a tensor of this type, or why there is none."""
    try:
        bits = element_bits(type_)
    except ValueError as error:
        return Reject(LayoutReason.ENCODING, detail=error)
    if not isinstance(type_.encoding, EncodingAttr):
        return Reject(LayoutReason.NO_ENCODING)
    try:
        encoding = type_.encoding.to_encoding()
        return _cached_plan(encoding, tuple(type_.get_shape()), bits, column_major, target, emit, bounds)
    except LayoutError as error:
        return Reject(LayoutReason.ENCODING, detail=error)


@lru_cache(maxsize=256)
def _cached_plan(
    encoding: Encoding,
    shape: tuple[int, ...],
    bits: int,
    column_major: bool,
    target: XeTarget,
    emit: Emit,
    bounds: Bounds,
) -> BlockLoadPlan | Reject:
    rank = len(shape)
    if rank < 2:
        return Reject(LayoutReason.RANK, rank=rank)
    layout = encoding.to_linear_layout(shape)
    inner, outer = dim_names(rank)[-1], dim_names(rank)[-2]
    row_dim, column_dim = (inner, outer) if column_major else (outer, inner)
    if bounds.repeated_rows:
        layout = _on_one_row(layout, row_dim)
    tile_registers, channel_bits = _operand(encoding, bits)
    request = LoadRequest(layout, bits, row_dim, column_dim, tile_registers, channel_bits)
    request = replace(request, max_rows=bounds.max_rows, max_columns=bounds.max_columns, exact=bounds.exact)
    # Operands share the register file with the accumulators: there is nothing to spare.
    request = replace(request, max_row_step=bounds.max_row_step, spare_bytes=0 if tile_registers else SPARE_BYTES)
    if bounds.one_tile and tile_registers:
        request = replace(request, max_registers=tile_registers)
    return plan_block_load(request, target.messages(emit, layout.in_sizes[LANE]))


def _on_one_row(layout: LinearLayout, row_dim: str) -> LinearLayout:
    """The layout of a tensor whose rows are all the same row of memory: each element is mapped to the first row."""
    row = layout.out_dims.index(row_dim)
    bases = {name: [(*b[:row], 0, *b[row + 1 :]) for b in images] for name, images in layout.in_items}
    return LinearLayout.from_bases(bases, {**layout.out_sizes, row_dim: 1})


def _operand(encoding: Encoding, bits: int) -> tuple[int, int]:
    """The registers of one DPAS operand, and the bits of its channels; zeros for other encodings."""
    match encoding:
        case DotOperand(parent=Dpas() as dpas):
            name = "AB"[encoding.op_index]
        case Dpas():
            dpas, name = encoding, "C"
        case _:
            return 0, 0
    rows, columns = dpas.instruction_shape(name)
    registers = rows * columns // dpas.threads_per_warp
    # DPAS takes A in 16-bit and B in 32-bit channels. Types that are converted first come as single elements.
    packs = name != "C" and bits * dpas.ops_per_channel == 32
    channel = 16 if name == "A" and dpas.ops_per_channel > 1 else 32
    return registers, channel if packs else bits


def print_plan(at: Operation, pass_name: str, plan: BlockLoadPlan) -> None:
    """Print the three layouts of a plan to standard error, as MLIR tools print debug output."""
    print(f"{where(at)}: {pass_name}: {plan.messages} x {plan.message}\n{plan.describe()}\n", file=sys.stderr)
