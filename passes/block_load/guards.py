"""Guards: a message that lies outside of its surface altogether is not sent, as all that it brings is zeros.

Along one axis, a message of `size` elements that starts at `start` meets a surface of `extent` elements when

    -size < start < extent        or, in one unsigned comparison,        start + size - 1 < extent + size - 1

Messages with the same start along the axes that are looked at get the same answer and share a branch. The whole
subgroup takes it or leaves it: the coordinates are its own.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.typed import dims_of, tensor_type
from dotload.dialect_ext.types import element_bits, element_of
from dotload.layout.encodings import DotOperand, Dpas
from dotload.passes.llvm_builder import LLVMBuilder
from dotload.passes.llvm_types import UNSIGNED_LESS

# On a block load: the dims of the tensor along which its messages are guarded. With a mask, the mask is the guard.
GUARD = "ttig.guard"

Place = tuple[int, int]  # row and column, in tensor elements
Axis = int  # 0 counts rows, 1 counts columns of memory


class Policy(enum.Enum):
    """Which loads get guards, of those that may leave their memory.

    Those for which the alternative is a gather, as masked-off lanes of a gather read nothing and it has its branches,
    too; all; or none.
    """

    GATHERS = "gathers"
    CHECKED = "checked"
    NEVER = "never"


def find_policy(name: str) -> Policy:
    """The policy called `name`; ValueError that lists them all otherwise."""
    try:
        return Policy(name.lower())
    except ValueError:
        known = ", ".join(policy.value for policy in Policy)
        raise ValueError(f"'{name}' does not say which messages to guard; known are {known}") from None


def intel_gathers(value: SSAValue, *, column_major: bool, marked: bool) -> bool:
    """Whether Intel's lowering (triton-xpu 3.3) reads such a tensor lane by lane.

    `marked`: its own analysis has found a block of memory. That is read by block messages for operands and results of
    the matrix unit; where the contiguous dim is not the last one, only for B, and not for 8-bit floats.
    """
    type_ = tensor_type(value)
    encoding = type_.encoding.to_encoding() if isinstance(type_.encoding, EncodingAttr) else None
    by_columns = False
    match encoding:
        case DotOperand(parent=Dpas()) as operand:
            is_float = not isinstance(element_of(type_), IntegerType)
            by_columns = operand.op_index == 1 and not (is_float and element_bits(type_) == 8)
        case Dpas():
            pass
        case _:
            return True
    return not marked or (column_major and not by_columns)


def set_guard(op: Operation, dims: Iterable[int]) -> None:
    """Have the messages of a block load guarded along these dims of its tensor."""
    if ordered := sorted(dims):
        op.attributes[GUARD] = DenseArrayBase.from_list(i32, ordered)


def guarded_axes(op: Operation, axes: tuple[int, int]) -> tuple[Axis, ...]:
    """The axes along which messages are guarded; `axes`: the dims of the tensor along which rows, columns count. In a
    plane that does not exist, a message starts below all rows.
    """
    guarded = dims_of(op.attributes.get(GUARD))
    planes = min(axes)
    dims = {axes[0] if dim < planes else dim for dim in guarded}
    return tuple(axis for axis, dim in enumerate(axes) if dim in dims)


@dataclass(frozen=True)
class Guard:
    """What tells of messages whether they meet their surface.

    `corner`: where the warp's part starts, row and column. `extents`: rows and columns of the surface, for the axes
    that are looked at. `box`: rows and columns of a message. All in tensor elements.
    """

    builder: LLVMBuilder
    corner: tuple[SSAValue, SSAValue]
    extents: Mapping[Axis, SSAValue]
    box: tuple[int, int]

    def groups(self, starts: Mapping[int, Place]) -> Iterator[tuple[list[int], SSAValue | None]]:
        """The numbers of messages that are sent together or not at all, and whether they are; None for always."""
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
