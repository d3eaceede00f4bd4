"""Row ends that are missing from a surface that was cut at its pitch (`surfaces`), read row by row.

If a message reaches beyond the cut, the messages of its load are sent again, once for each of their rows, to a surface
of that row alone, whose pitch is unused. For row r of a message that starts at row y of the region:

    base'   = (base + (y + r) * pitch) & -64      width'  = width + skew'      height' = 1
    pitch'  = pitch + 64                          x'      = x + skew' / size   y'      = -r

The other rows of the message lie outside the surface and bring zeros, as does a row that is not in the region. Bytes
that were already there are read again, so the result is the bitwise or. This is slow but rare: it needs a base that is
not a multiple of 64 bytes, rows with a gap of less than 64 bytes, and a message at their end.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.ttig import BlockLoadOp
from dotload.passes.block_load.planes import Plane
from dotload.passes.block_load.site import Site
from dotload.passes.block_load.spelling import Surface
from dotload.passes.block_load.surfaces import Left, Window, aligned
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import SIGNED_GREATER, UNSIGNED_LESS


@dataclass(frozen=True)
class Rows:
    """The rows of a plane that a load reads. `column`: where the warp's part begins; `left`: what may lie left of 0."""

    site: Site
    op: BlockLoadOp
    plane: Plane
    column: SSAValue
    left: Left

    def one(self, here: LLVMBuilder, row: SSAValue) -> Row:
        """The surface of one row, by the row's number."""
        inside = here.compare(UNSIGNED_LESS, row, self.op.base_height)
        moved = here.mul(*(here.insert(arith.ExtUIOp(value, i64)) for value in (row, self.op.base_pitch)))
        base = here.int_to_pointer(here.add(here.pointer_to_int(self.plane.base), moved))
        pitch = here.add(self.op.base_pitch, self.site.target.base_multiple_bytes)
        sizes = (self.op.base_width, here.constant(1), pitch)
        surface, skew = aligned(here, self.site.message_bytes, self.site.target, base, sizes)
        assert skew is not None
        return Row(surface, skew, inside)


@dataclass(frozen=True)
class Row:
    """The surface of a row, its skew of every x, and whether the row exists; if not, it must not be read."""

    surface: Surface
    skew: SSAValue
    inside: SSAValue


def with_row_ends(
    rows: Rows,
    starts: Mapping[int, tuple[int, int]],
    cut: tuple[Window, SSAValue],
    vectors: Mapping[int, SSAValue],
) -> dict[int, SSAValue]:
    """The complete vectors of messages.

    `starts`: the row and column in the warp's part at which each begins. `cut`: the surface that they were sent to, and
    whether it had to be cut.
    """
    site, (view, was_cut) = rows.site, cut
    builder, message = site.builder, site.plan.message
    assert view.skew is not None
    last = builder.add(rows.column, max(across for _, across in starts.values()))
    last = builder.add(builder.add(site.in_message_elements(last), view.skew), message.columns * message.blocks)
    limit = builder.shift(view.surface.pitch, -(site.message_bytes.bit_length() - 1))
    lacks = builder.bit_and(was_cut, builder.compare(SIGNED_GREATER, last, limit))

    def by_rows(here: LLVMBuilder) -> list[SSAValue]:
        return here.repeat(
            message.rows, list(vectors.values()), functools.partial(_add_row, rows, starts, list(vectors))
        )

    return dict(zip(vectors, builder.conditional(lacks, list(vectors.values()), by_rows), strict=True))


def _add_row(
    rows: Rows,
    starts: Mapping[int, tuple[int, int]],
    loads: Sequence[int],
    here: LLVMBuilder,
    number: SSAValue,
    vectors: Sequence[SSAValue],
) -> list[SSAValue]:
    """The vectors of these messages, with row `number` of each added."""
    site = replace(rows.site, builder=here)
    first, up = here.add(rows.plane.row, number), here.sub(here.constant(0), number)
    found = {row: rows.one(here, here.add(first, row)) for row in dict.fromkeys(starts[load][0] for load in loads)}
    result: list[SSAValue] = []
    for load, vector in zip(loads, vectors, strict=True):
        row, column = found[starts[load][0]], here.add(rows.column, starts[load][1])
        x = here.add(site.in_message_elements(column), rows.left.skew(here, row.skew, column))
        y = here.select(row.inside, up, here.constant(1))
        result.append(here.or_vectors(vector, site.send(row.surface, x, y)))
    return result
