"""How the warps of a block share the prefetch of a tile: messages as wide as rows allow, one per warp if that suffices.

A prefetch message has rows of 64 bytes, on some targets of 256 (triton_gen, `ttig.support_prefetch_256b`), in 1, 2 or 4
blocks. The plan uses only the forms that SPIR-V has (SPV_INTEL_2d_block_io).
"""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.xe_messages import COLUMNS, MAX_ROW_BITS, MAX_ROWS

BLOCKS = (1, 2, 4)
WIDE = 4
"""The longest row of a prefetch, in rows of a load, on targets with wide prefetches."""
LEAST_ROW_BYTES = 16
"""The shortest row that bounds may cut a message to: 16 8-bit elements; sizes are specialised by multiples of 16."""
NOT_IN_SPIRV = frozenset({(16, 32), (8, 16)})
"""(element bits, columns) of blocks that SPIR-V lacks, with any number of rows."""


@dataclass(frozen=True)
class PrefetchPlan:
    """Messages of `blocks` blocks of `rows` x `columns` elements each; `across` x `down` messages cover the tile."""

    rows: int
    columns: int
    blocks: int
    across: int
    down: int

    @property
    def width(self) -> int:
        """The columns of all blocks of a message."""
        return self.columns * self.blocks

    @property
    def messages(self) -> int:
        """Messages of all warps together."""
        return self.across * self.down


def plan_prefetch(
    rows: int, columns: int, bits: int, warps: int, *, wide: bool = False, within: tuple[int, int] | None = None
) -> PrefetchPlan | None:
    """The plan for a tile of rows x columns elements in memory, powers of two; None if no message fits a row.

    Rows are as long as possible: a prefetch is of whole cache lines. A message then has as many rows as leave each warp
    one message. `within`: the most rows and columns of a message, powers of two.
    """
    times = WIDE if wide else 1
    most_rows, most_columns = within or (rows, columns)
    width = min(columns, most_columns, times * MAX_ROW_BITS // bits)
    blocks = next((count for count in BLOCKS if _is_block(width // count, bits, times) and width % count == 0), None)
    if blocks is None:
        return None
    across, height = columns // width, min(rows, most_rows, MAX_ROWS)
    while height > 1 and rows // height * across < warps:
        height //= 2
    return PrefetchPlan(height, width // blocks, blocks, across, rows // height)


def _is_block(columns: int, bits: int, times: int) -> bool:
    """Whether a block may have this number of columns."""
    least, most = COLUMNS[bits]
    return least <= columns <= most * times and (bits, columns) not in NOT_IN_SPIRV
