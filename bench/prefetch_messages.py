"""Messages of a tile's prefetch if the warps share it, and if each warp prefetches its own loads.

    python bench/prefetch_messages.py

"Shared" is the output of lower-to-2d-block-prefetch (dotload.layout.block_prefetch); "own" are the messages of the
later load, in each warp (dotload.layout.block_load, triton-gen). Both count all warps of a block, and the bytes asked
for. Prints a Markdown table; exits with 1 if sharing takes more messages or bytes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from dotload.layout.block_load import LoadRequest, plan_block_load
from dotload.layout.block_prefetch import plan_prefetch
from dotload.layout.encodings import LANE, DotOperand, Dpas
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit, find_target

LANES = 16
KINDS = {"f16": (16, 2), "i8": (8, 4), "tf32": (32, 1)}


@dataclass(frozen=True)
class Tile:
    """A product's tile, M x N x K, and its warps along M and N."""

    shape: tuple[int, int, int]
    warps: tuple[int, int]

    @property
    def all_warps(self) -> int:
        return self.warps[0] * self.warps[1]


TILES = (
    Tile((256, 256, 32), (8, 4)),
    Tile((128, 128, 64), (4, 4)),
    Tile((128, 128, 32), (4, 2)),
    Tile((64, 64, 32), (2, 2)),
    Tile((16, 256, 64), (1, 4)),
)


@dataclass(frozen=True)
class Row:
    """One operand: messages and bytes, shared and own."""

    name: str
    shared: tuple[int, int]
    own: tuple[int, int]

    def __str__(self) -> str:
        return f"| {self.name} | {self.shared[0]} | {self.own[0]} | {self.shared[1]:,} | {self.own[1]:,} |"


def operand(tile: Tile, kind: str, index: int, *, by_columns: bool) -> Row | None:
    """The row of an operand; None if the load has no plan."""
    bits, per_channel = KINDS[kind]
    m, n, k = tile.shape
    shape = (k, n) if index else (m, k)
    cluster = (max(1, min(4, m // tile.warps[0] // 8)), max(1, min(64 * 8 // bits, n // tile.warps[1]) // 16))
    dpas = Dpas(8, 8, 16, per_channel, LANES, tile.warps, cluster)
    layout = DotOperand(index, dpas, max(1, per_channel // (1 if index else 2))).to_linear_layout(shape)
    row, column = ("dim1", "dim0") if by_columns else ("dim0", "dim1")
    messages = find_target("xe2").messages(Emit.TRITON_GEN, layout.in_sizes[LANE])
    high, wide = dpas.instruction_shape("AB"[index])
    channel = 16 if index == 0 and per_channel > 1 else 32
    load = plan_block_load(LoadRequest(layout, bits, row, column, high * wide // LANES, channel), messages)
    rows, columns = reversed(shape) if by_columns else shape
    prefetch = plan_prefetch(rows, columns, bits, tile.all_warps)
    if isinstance(load, Reject) or prefetch is None:
        return None
    asked = prefetch.messages * prefetch.rows * prefetch.width * bits // 8
    own = load.messages * tile.all_warps, load.payload_bytes * tile.all_warps
    order = "columns" if by_columns else "rows"
    name = f"{'x'.join(map(str, tile.shape))}, {tile.warps[0]} x {tile.warps[1]} warps, {kind} {'AB'[index]} by {order}"
    return Row(name, (prefetch.messages, asked), own)


def main() -> int:
    print("| tile | messages: shared | own | bytes: shared | own |\n|---|--:|--:|--:|--:|")
    rows = [
        row
        for tile in TILES
        for kind in KINDS
        for index in (0, 1)
        for by_columns in (False, True)
        if (row := operand(tile, kind, index, by_columns=by_columns)) is not None
    ]
    print("\n".join(map(str, rows)))
    total = [sum(part) for part in zip(*((*row.shared, *row.own) for row in rows), strict=True)]
    print(Row(f"all {len(rows)}", (total[0], total[1]), (total[2], total[3])))
    return int(any(row.shared[0] > row.own[0] or row.shared[1] > row.own[1] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
