"""A model of the tile search in Intel's backend: the messages that its LowerTo2DBlockLoad needs for a layout.

Written from its documentation and tests (intel-xpu-backend-for-triton, August 2026): the bases of registers and lanes
are taken in order into a dense tile. The search may pick a form that the instruction does not support; `Tile.problem`
says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.block_message import GRF_BYTES, Message, Mode
from dotload.layout.encodings import LANE, REGISTER
from dotload.layout.linear import LinearLayout
from dotload.layout.xe_messages import instruction_problem

MAX_ROW_BITS, MAX_ROWS, MAX_BLOCKS = 512, 32, 4
CHANNEL_BITS, MAX_PACKED_BITS = 32, 64
TRANSPOSED_ROW_BITS = 256


@dataclass(frozen=True)
class Tile:
    """The result of the search: the form of a message, and the number of messages of a warp."""

    message: Message
    messages: int

    @property
    def problem(self) -> str | None:
        """The rule of the instruction that the form breaks."""
        return instruction_problem(self.message)


@dataclass
class _Search:
    """The tile so far: extents along memory's rows and columns, and the register bases outside the tile."""

    extent: dict[int, int]
    left: list[tuple[int, int]]

    def next_along(self, dim: int) -> tuple[int, int]:
        """The basis that doubles the tile along a dim."""
        return (self.extent[dim], 0) if dim == 0 else (0, self.extent[dim])

    def grow(self, dim: int, most: int) -> int:
        """Take register bases that extend the tile along a dim, up to an extent; returns the growth factor."""
        before = self.extent[dim]
        while self.extent[dim] * 2 <= most and self.next_along(dim) in self.left:
            self.left.remove(self.next_along(dim))
            self.extent[dim] *= 2
        return self.extent[dim] // before


def search(layout: LinearLayout, bits: int, row: int, column: int, *, operand_b: bool = False) -> Tile | None:
    """The tile for a layout in memory whose rows run along the out dim `column`; None if the load stays a gather."""
    if any(value for bases in (layout.bases[REGISTER], layout.bases[LANE]) for basis in bases
           for axis, value in enumerate(basis) if axis not in (row, column)):  # fmt: skip
        return None
    registers = [(basis[row], basis[column]) for basis in layout.bases[REGISTER]]
    lanes = [(basis[row], basis[column]) for basis in layout.bases[LANE]]
    if not lanes or (lanes[0][0] != 0) == (lanes[0][1] != 0):
        return None
    transposed = lanes[0][1] == 0
    found = _Search({0: 1, 1: 1}, list(registers))
    packed = found.grow(1, (CHANNEL_BITS if transposed else MAX_PACKED_BITS) // bits)
    if transposed and packed * bits != max(CHANNEL_BITS, bits):
        return None
    vnni = 1
    for lane in lanes:
        if lane == found.next_along(1) or lane == found.next_along(0):
            found.extent[0 if lane[0] else 1] *= 2
            continue
        if packed == vnni == 1 and not transposed and lane[0] and bits < CHANNEL_BITS:
            vnni = found.grow(0, found.extent[0] * CHANNEL_BITS // bits)
            if vnni * bits == CHANNEL_BITS and lane == found.next_along(0):
                found.extent[0] *= 2
                continue
        return None
    count = found.extent[0] * found.extent[1] // (packed * vnni)
    if count != 1 << len(lanes):
        return None
    tile = _sized(found, bits * packed, packed, transposed, vnni > 1, bits, operand_b)
    # A transposing message must deliver its elements to the right lanes; a larger one may not.
    if tile is not None and transposed and tile.problem is None:
        size = 1 << len(lanes)
        return (
            tile if tile.message.fills(size) and list(tile.message.payload(size, bits).bases[LANE]) == lanes else None
        )
    return tile


def _sized(
    found: _Search, unit: int, packed: int, transposed: bool, vnni: bool, bits: int, operand_b: bool
) -> Tile | None:
    most_rows = (8 if unit == 64 else MAX_ROWS) if transposed else MAX_ROWS
    most_columns = (TRANSPOSED_ROW_BITS if transposed else MAX_ROW_BITS) // bits
    if found.extent[0] > most_rows or found.extent[1] > most_columns:
        return None
    blocks, width = 1, found.extent[1]
    if transposed:
        found.grow(0, most_rows)
        found.grow(1, most_columns)
        width = found.extent[1]
        if unit == 64 and found.extent[0] != 8:
            return None
    else:
        found.grow(0, MAX_ROWS)
        if width * found.extent[0] * bits // 8 >= GRF_BYTES:
            blocks = found.grow(1, min(width * MAX_BLOCKS, MAX_ROW_BITS // bits))
    transform = vnni or (operand_b and not transposed and packed == 1 and bits < CHANNEL_BITS and found.extent[0] >= 16)
    mode = Mode.TRANSPOSE if transposed else Mode.TRANSFORM if transform else Mode.PLAIN
    message = Message(mode, unit, found.extent[0], width // packed, blocks)
    return Tile(message, 1 << len([basis for basis in found.left if any(basis)]))
