"""Guards: a message that lies entirely outside its surface is not sent, since it would bring only zeros.

Along one axis, a message of `size` elements that starts at `start` overlaps a surface of `extent` elements if

    -size < start < extent        or, in one unsigned comparison,        start + size - 1 < extent + size - 1

Messages with the same start along the checked axes share a condition and a branch. The branch is uniform over the
subgroup, since all lanes have the same coordinates.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.typed import dims_of
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import UNSIGNED_LESS

# On a block load: the tensor dims along which its messages are guarded. With a mask, the mask is the guard.
GUARD = "ttig.guard"

Axis = int  # 0 counts rows, 1 counts columns of memory


class Policy(enum.Enum):
    """Which of the loads that may leave their memory get guards.

    GATHERS: only loads that would otherwise be gathers, since masked-off lanes of a gather read nothing, and a gather
    has branches too. CHECKED: all. NEVER: none.
    """

    GATHERS = "gathers"
    CHECKED = "checked"
    NEVER = "never"


def set_guard(op: Operation, dims: Iterable[int]) -> None:
    """Guard the messages of a block load along these dims of its tensor."""
    if ordered := sorted(dims):
        op.attributes[GUARD] = DenseArrayBase.from_list(i32, ordered)


def guarded_axes(op: Operation, axes: tuple[int, int]) -> tuple[Axis, ...]:
    """The axes along which messages are guarded; `axes`: the tensor dims of rows and columns. In a plane that does not
    exist, a message starts below all rows.
    """
    guarded = dims_of(op.attributes.get(GUARD))
    planes = min(axes)
    dims = {axes[0] if dim < planes else dim for dim in guarded}
    return tuple(axis for axis, dim in enumerate(axes) if dim in dims)


@dataclass(frozen=True)
class Guard:
    """The test whether messages overlap their surface.

    `corner`: row and column at which the warp's part starts. `extents`: rows and columns of the surface, for the
    checked axes. `box`: rows and columns of a message. All in tensor elements.
    """

    builder: LLVMBuilder
    corner: tuple[SSAValue, SSAValue]
    extents: Mapping[Axis, SSAValue]
    box: tuple[int, int]

    def groups(self, starts: Mapping[int, tuple[int, int]]) -> Iterator[tuple[list[int], SSAValue | None]]:
        """Groups of messages that are sent together or not at all, by number, and their conditions; None for always."""
        members: dict[tuple[int, ...], list[int]] = {}
        for load, start in starts.items():
            members.setdefault(tuple(start[axis] for axis in self.extents), []).append(load)
        limits = {axis: self.builder.add(extent, self.box[axis] - 1) for axis, extent in self.extents.items()}
        known: dict[tuple[Axis, int], SSAValue] = {}
        for at, loads in members.items():
            meets: SSAValue | None = None
            for axis, place in zip(limits, at, strict=True):
                if (axis, place) not in known:
                    last = self.builder.add(self.corner[axis], place + self.box[axis] - 1)
                    known[axis, place] = self.builder.compare(UNSIGNED_LESS, last, limits[axis])
                along = known[axis, place]
                meets = along if meets is None else self.builder.bit_and(meets, along)
            yield loads, meets
