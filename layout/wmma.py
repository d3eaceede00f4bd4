"""Matrix storage for WMMA: default strides, the alignment rule, and the addresses of a submatrix.

PTX ISA, "Matrix Storage for WMMA": consecutive rows (row-major) or columns (column-major) of a matrix start `stride`
elements apart; without the argument the stride is the length of that row or column. Each of them must start at a
multiple of the size of the thread's fragment in bytes.

The literal rule contradicts the manual's own defaults in two cases: an f16 fragment of A and B has 32 bytes in all
three shapes, yet a column of A in 8x32x16 and a row of B in 32x8x16 are 8 elements, 16 bytes, so that with the
default stride every second one is misaligned. `check_alignment` applies the literal rule; `default_is_aligned` says
where the default breaks it.

The order of elements within a WMMA fragment is unspecified: never use layout/fragments.py for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dotload.layout.fragments import ELEMENT_BITS
from dotload.layout.linear import LayoutError

Operand = Literal["A", "B", "C"]
StorageOrder = Literal["row", "col"]
Shape = tuple[int, int, int]

_DEEP_16: tuple[Shape, ...] = ((16, 16, 16), (8, 32, 16), (32, 8, 16))
WMMA_SHAPES: dict[str, tuple[Shape, ...]] = {
    "f16": _DEEP_16,
    "bf16": _DEEP_16,
    "s8": _DEEP_16,
    "u8": _DEEP_16,
    "s4": ((8, 8, 32),),
    "u4": ((8, 8, 32),),
    "b1": ((8, 8, 128),),
    "tf32": ((16, 16, 8),),
    "f64": ((8, 8, 4),),
}
ACCUMULATOR_BITS = {"f16": 16, "f32": 32, "s32": 32, "f64": 64}
LANES = 32


@dataclass(frozen=True)
class WmmaMatrix:
    """One operand in memory: shape (m, n, k), `dtype` of A and B, `accumulator` of C and D."""

    operand: Operand
    shape: Shape
    order: StorageOrder
    dtype: str
    accumulator: str = "f32"

    def __post_init__(self) -> None:
        if self.dtype not in WMMA_SHAPES or self.shape not in WMMA_SHAPES[self.dtype]:
            raise LayoutError("wmma has no m{}n{}k{} for {}".format(*self.shape, self.dtype))
        if self.accumulator not in ACCUMULATOR_BITS:
            raise LayoutError(f"no accumulator type {self.accumulator}: expected {', '.join(ACCUMULATOR_BITS)}")

    @property
    def extents(self) -> tuple[int, int]:
        """(rows, columns)."""
        m, n, k = self.shape
        return {"A": (m, k), "B": (k, n), "C": (m, n)}[self.operand]

    @property
    def element_bits(self) -> int:
        """Bits of a stored element; tf32 lies in 32."""
        return ACCUMULATOR_BITS[self.accumulator] if self.operand == "C" else ELEMENT_BITS[self.dtype]

    @property
    def default_stride(self) -> int:
        """Elements from one row (column) to the next when the instruction names none: the length of one."""
        rows, columns = self.extents
        return columns if self.order == "row" else rows

    @property
    def fragment_bytes(self) -> int:
        """Bytes of a thread's fragment: its share of the matrix, but eight .f16x2 for f16 A and B in all shapes."""
        rows, columns = self.extents
        if self.operand != "C" and self.dtype == "f16":
            return 32
        return rows * columns * self.element_bits // 8 // LANES

    def stride_bytes(self, stride: int | None = None) -> int:
        """Bytes from one row (column) to the next."""
        return (self.default_stride if stride is None else stride) * self.element_bits // 8

    def check_alignment(self, address: int, stride: int | None = None) -> None:
        """LayoutError unless every row (column) starts at a multiple of the fragment's size."""
        what = "row" if self.order == "row" else "column"
        if address % self.fragment_bytes:
            raise LayoutError(f"the matrix starts at {address:#x}, not a multiple of {self.fragment_bytes} bytes")
        if self.stride_bytes(stride) % self.fragment_bytes:
            raise LayoutError(
                f"a {what} every {self.stride_bytes(stride)} bytes: not a multiple of the fragment's "
                f"{self.fragment_bytes} bytes"
            )

    @property
    def default_is_aligned(self) -> bool:
        """Whether the default stride obeys the alignment rule."""
        return self.stride_bytes() % self.fragment_bytes == 0

    def offsets(self, stride: int | None = None) -> npt.NDArray[np.int64]:
        """Element offset of (row, column) from the pointer; a stride above the default reads a submatrix."""
        rows, columns = self.extents
        step = self.default_stride if stride is None else stride
        if step < self.default_stride:
            raise LayoutError(f"stride {step} is less than the {self.default_stride} elements it steps over")
        row, column = np.arange(rows, dtype=np.int64)[:, None], np.arange(columns, dtype=np.int64)[None, :]
        return row * step + column if self.order == "row" else column * step + row
