"""One 2D block load message, and which byte of it which lane receives.

A message reads a rectangle of memory: `rows` x `columns` elements, and `blocks` such rectangles side by side. The
payload is a string of bytes, dealt to the lanes in turn, one result element each:

    payload   | elem 0 | elem 1 | ... | elem 15 | elem 16 | ...
    lane          0        1      ...     15         0               subgroup size 16
    register      0        0      ...     0          1

Only the order of the matrix elements in the payload depends on the mode (b block, y row, x column, q = 32 / bits):

    plain        b : y : x                as it lies in memory
    transform    b : y / q : x : y % q    q rows interleaved: each 32-bit channel holds q elements of a column (VNNI)
    transpose    x : y                    columns first

All sizes are powers of two, so this is a linear map, and the order above is the order of its bits (major : minor).

Source: cl_intel_subgroup_2d_block_io 1.1.0, and the payload layouts of LSC_UNTYPED in the vISA specification.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dotload.layout.linear import LinearLayout, log2_exact

GRF_BYTES = 64  # a block is padded to whole registers of the register file


class Mode(enum.Enum):
    """How a message arranges the elements in registers; the value is the infix of the OpenCL function's name."""

    PLAIN = ""
    TRANSFORM = "_transform"
    TRANSPOSE = "_transpose"


@dataclass(frozen=True)
class Message:
    """The form of a message: `rows` and `columns` count memory elements of `element_bits` in one of its blocks."""

    mode: Mode
    element_bits: int
    rows: int
    columns: int
    blocks: int

    def __str__(self) -> str:
        shape = f"{self.element_bits}b_{self.rows}r{self.columns}x{self.blocks}c"
        return f"{self.mode.name.lower()} {shape}" if self.mode is not Mode.PLAIN else shape

    @property
    def element_bytes(self) -> int:
        """Bytes of one memory element."""
        return self.element_bits // 8

    @property
    def row_bytes(self) -> int:
        """Bytes of one row over all blocks."""
        return self.columns * self.blocks * self.element_bytes

    @property
    def payload_bits(self) -> int:
        """Bits of data in all."""
        return 8 * self.row_bytes * self.rows

    @property
    def rows_per_channel(self) -> int:
        """Rows whose elements share one 32-bit channel: more than 1 for a transform only."""
        return 32 // self.element_bits if self.mode is Mode.TRANSFORM else 1

    def result_bits(self, subgroup_size: int) -> int:
        """Bits of one element of the vector that a lane receives.

        32 for transforms; if a row is wider than the subgroup, an element holds all neighbours that a lane receives.
        """
        if self.mode is Mode.TRANSFORM:
            return 32
        wide = 1 if self.mode is Mode.TRANSPOSE else max(1, self.columns // subgroup_size)
        return self.element_bits * wide

    @property
    def has_padding(self) -> bool:
        """Whether blocks are padded: they are smaller than a register."""
        return self.rows * self.columns * self.element_bytes < GRF_BYTES

    def fills(self, subgroup_size: int) -> bool:
        """Whether every lane receives at least one result element, and transforms have whole channels."""
        return (
            self.rows >= self.rows_per_channel and self.payload_bits >= self.result_bits(subgroup_size) * subgroup_size
        )

    def result_elements(self, subgroup_size: int) -> int:
        """Length of the vector that a lane receives, in result elements."""
        return self.payload_bits // (self.result_bits(subgroup_size) * subgroup_size)

    @cached_property
    def payload_order(self) -> tuple[tuple[int, int], ...]:
        """The (row, column) of each bit of a payload offset, minor first; all counted in message elements."""
        x = [(0, bit) for bit in _bits(self.columns)]
        b = [(0, self.columns * bit) for bit in _bits(self.blocks)]
        y = [(bit, 0) for bit in _bits(self.rows)]
        if self.mode is Mode.TRANSPOSE:
            return (*y, *x)
        inner = log2_exact(self.rows_per_channel)
        return (*y[:inner], *x, *y[inner:], *b)

    def payload(self, subgroup_size: int, element_bits: int) -> LinearLayout:
        """(register, lane) -> (row, column), counted in elements of the tensor.

        `element_bits` is the size of the tensor's elements; one message element may hold several neighbours of them.
        A register index counts tensor elements in the lane's vector, lowest bits first.
        """
        return _payload(self, subgroup_size, element_bits)


@lru_cache(maxsize=4096)
def _payload(message: Message, subgroup_size: int, element_bits: int) -> LinearLayout:
    packed = message.element_bits // element_bits
    order = [(0, bit) for bit in _bits(packed)]
    order += [(row, column * packed) for row, column in message.payload_order]
    within_result = log2_exact(message.result_bits(subgroup_size) // element_bits)
    lanes_end = within_result + log2_exact(subgroup_size)
    return LinearLayout.from_bases(
        {"register": order[:within_result] + order[lanes_end:], "lane": order[within_result:lanes_end]},
        {"row": message.rows, "column": message.columns * message.blocks * packed},
    )


def _bits(size: int) -> list[int]:
    """1, 2, 4, ... below `size`."""
    return [1 << bit for bit in range(log2_exact(size))]
