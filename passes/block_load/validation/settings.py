"""Test settings for loads: where a tensor's elements lie, and values of base, width, height, pitch, x, y and planes.

The settings lie across the upper edges of a region, inside it, and across its lower edges; likewise for planes: all
exist, the first one is missing, the last one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.ttig import BlockLoadOp
from dotload.dialect_ext.types import element_bits, element_of
from dotload.layout.encodings import LANE, REGISTER, WARP
from dotload.passes.block_load.validation.names import Array, Numbers, Value
from dotload.passes.ir.constants import constant_of

# An aligned address with room around it: alignment clears its zero bits only.
MEMORY = (1 << 30) - 64
LINE = 64  # alignment of addresses, in bytes
ROOM = 256  # bytes by which a pitch exceeds the width
_NANS = {"f16": "007e", "bf16": "c07f", "f32": "0000c07f", "f64": "000000000000f87f"}


@dataclass(frozen=True)
class Tensor:
    """Coordinates of each register of each lane of these warps: arrays [warp, lane, register]. `planes`: along each dim
    before the last two, with the tensor's `sizes` of these dims.
    """

    warps: Array
    row: Array
    column: Array
    planes: tuple[Array, ...]
    sizes: tuple[int, ...]
    element_bytes: int
    nan: bytes

    @staticmethod
    def of(type_: TensorType[Attribute], *, row_major: bool) -> Tensor:
        """The coordinates that a tensor type's layout gives."""
        assert isinstance(type_.encoding, EncodingAttr)
        layout = type_.encoding.to_encoding().to_linear_layout(tuple(type_.get_shape()))
        sizes = [layout.in_sizes[name] for name in (WARP, LANE, REGISTER)]
        warp, lane, register = np.indices(sizes)
        at = {name: np.zeros_like(warp) for name in layout.in_dims} | {WARP: warp, LANE: lane, REGISTER: register}
        *planes, last, fast = (np.asarray(part) for part in layout.apply(at).values())
        row, column = (last, fast) if row_major else (fast, last)
        size = element_bits(type_) // 8
        return Tensor(
            np.arange(sizes[0]),
            row,
            column,
            tuple(planes),
            tuple(type_.get_shape()[:-2]),
            size,
            bytes.fromhex(_NANS.get(str(element_of(type_)), "7f" * size)),
        )

    @property
    def plane(self) -> Array:
        """The number of each element's plane."""
        number = np.zeros_like(self.row)
        for size, part in zip(self.sizes, self.planes, strict=True):
            number = number * size + part
        return number

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of warps and lanes."""
        return self.row.shape[0], self.row.shape[1]

    @property
    def rows(self) -> int:
        return int(self.row.max()) + 1

    @property
    def columns(self) -> int:
        return int(self.column.max()) + 1

    def octets(self, addresses: Array) -> Array:
        """[warp, lane, register, byte] of elements at these addresses."""
        return addresses[..., None] + np.arange(self.element_bytes)

    def number(self, value: int, bits: int) -> Numbers:
        """The same number in all lanes."""
        return Numbers(np.full(self.shape, value, np.int64), bits)


Steps = Callable[[], int]
"""The unit of x and bases in bytes: an element of the widest message, which the first run determines."""


@dataclass(frozen=True)
class Setting:
    """A region, and where the tensor lies in it: bytes (width, pitch, base), rows and elements. For each dim before the
    last two: the first plane, the number of planes, and the bytes from one to the next.
    """

    base: int
    width: int
    height: int
    pitch: int
    x: int
    y: int
    planes: tuple[tuple[int, int, int], ...] = ()


def settings(tensor: Tensor, x_multiple: int, step_bytes: Steps, *, dense: bool) -> Iterator[Setting]:
    """Settings across the upper edges, inside, and across the lower edges, aligned no more than necessary. A negative x
    is a multiple of `x_multiple`; if that is 0, x is never negative and the memory begins at an aligned address.
    `dense`: rows may follow each other without a gap.
    """
    size, rows, columns = tensor.element_bytes, tensor.rows, tensor.columns
    for skew in (56, 60, 4):
        step = max(8 if skew == 56 else step_bytes(), size)
        unit = step // size
        right = columns + 7 * unit
        cut, all_ = _planes(tensor, step, -1 if skew == 60 else 1), _planes(tensor, step, 0)
        yield _at(skew & -step, (right + columns // 2) * size, rows // 2 + 5, right, 5, cut)
        yield _at(skew & -step, (columns + 9 * unit) * size, rows + 7, 3 * unit, 3, all_)
    step = max(step_bytes(), size)
    unit = max(step // size, x_multiple)
    # If the base was moved back, there is memory to the left.
    skew, planes = (60 & -step, _planes(tensor, step, 0)) if x_multiple else (64, _planes(tensor, 64, 0))
    half = max(1, columns // (2 * unit)) * unit
    yield _at(skew, columns * size, rows + 5, -half, -(rows // 2) - 1, planes)
    # Each column is the first inside in one setting, since registers may be compared separately.
    for units in range(1, columns // unit + 1 if x_multiple else 1):
        yield _at(skew, columns * size, rows + 5, -units * unit, 0, planes)
    if dense:
        yield from _dense(tensor, 60 & -step, step // size, half if x_multiple else 0, planes)


def _dense(
    tensor: Tensor, skew: int, unit: int, left: int, planes: tuple[tuple[int, int, int], ...]
) -> Iterator[Setting]:
    """Settings at the ends of rows that follow each other without a gap, across all edges. `left`: how many columns may
    lie left of the memory.
    """
    size, rows, columns = tensor.element_bytes, tensor.rows, tensor.columns

    def at(width: int, height: int, x: int, y: int) -> Setting:
        width = -(-max(64, width) // 16) * 16
        return Setting(MEMORY + skew, width, height, width, x, y, planes)

    # Wide enough that all columns of a tensor at x = 0 are far from the end of a row.
    wide = 4 * max(64 // size, columns)
    yield at(wide * size, max(1, rows - 2), wide - columns + (columns // unit // 2) * unit, -1)
    if left:
        yield at((columns - left) * size, rows, -left, 0)


def _planes(tensor: Tensor, step: int, cut: int) -> tuple[tuple[int, int, int], ...]:
    """All planes of the tensor, among others (0); or without its last one (1) or its first one (-1). Their distance is
    a multiple of the unit of bases, and of nothing larger.
    """
    stride = (1 << 20) + step
    found: list[tuple[int, int, int]] = []
    for size in reversed(tensor.sizes):
        first = {-1: -1, 0: 2, 1: 1}[cut]
        count = {-1: size, 0: size + 3, 1: size}[cut]
        found.insert(0, (first, count, stride))
        stride = stride * (size + 4) // step * step
    return tuple(found)


def _at(skew: int, width: int, height: int, x: int, y: int, planes: tuple[tuple[int, int, int], ...]) -> Setting:
    width = max(64, -(-width // 8) * 8)
    pitch = -(-(width + ROOM) // 16) * 16
    return Setting(MEMORY + skew, width, height, pitch, x, y, planes)


def settle(load: BlockLoadOp, wished: Setting, tensor: Tensor, *, dense: bool) -> tuple[Setting, dict[SSAValue, Value]]:
    """The operands' values. If operands are the same SSA value, the last one listed here decides. Plane indices and
    counts that are constants stay, since these may be what shows that planes exist. Rows without a gap begin at an
    aligned address if the load is not `dense`.
    """
    operands = {
        "y": load.offset_y,
        "x": load.offset_x,
        "height": load.base_height,
        "width": load.base_width,
        "pitch": load.base_pitch,
        "base": load.base_ptr,
    }
    region = {value: getattr(wished, name) for name, value in operands.items()}
    line = 1 if dense or region[load.base_pitch] - region[load.base_width] >= LINE else LINE
    region[load.base_ptr] &= -line
    wide = [number for dim in wished.planes for number in dim] if load.planes else []
    numbers: dict[SSAValue, int] = {}
    for at, (value, number) in enumerate(zip(load.planes, wide, strict=True)):
        stays = None if at % 3 == 2 else constant_of(value)
        moved = number & -line if at % 3 == 2 else number
        numbers[value] = moved if stays is None else stays
    inputs: dict[SSAValue, Value] = {value: tensor.number(number, 64) for value, number in numbers.items()}
    planes = [numbers[value] for value in load.planes]
    settled = Setting(
        **{name: region[value] for name, value in operands.items()},
        planes=tuple(zip(planes[0::3], planes[1::3], planes[2::3], strict=True)),
    )
    for value, number in region.items():
        inputs[value] = tensor.number(number, 64 if value is load.base_ptr else 32)
    return settled, inputs
