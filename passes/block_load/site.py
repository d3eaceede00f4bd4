"""The site of one load: how it is emitted, and where its parts lie in the tensor.

Coordinates are those of memory: x along its rows (tensor elements), y across them, and the plane for tensors of more
than two dims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.typed import as_integer
from dotload.dialect_ext.types import element_of
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.encodings import REGISTER
from dotload.layout.linear import Basis
from dotload.layout.xe_targets import Emit, XeTarget
from dotload.passes.block_load.spelling import Surface, emit_message
from dotload.passes.llvm.builder import LLVMBuilder

ROW, COLUMN = 0, 1
FLOATS = ("f16", "bf16", "f32", "f64")


def llvm_element(type_: Attribute) -> Attribute:
    """An element as Triton's type converter has it: 8-bit floats become i8, pointers become global LLVM pointers."""
    element = element_of(type_)
    if as_integer(element) is not None or str(element) in FLOATS:
        return element
    return IntegerType(8)


@dataclass(frozen=True)
class Position:
    """A plane, with one number for each dim before the last two, and a row and a column in it, in tensor elements."""

    plane: tuple[int, ...]
    row: int
    column: int

    @property
    def in_plane(self) -> tuple[int, int]:
        return self.row, self.column


@dataclass(frozen=True)
class Site:
    """Where and how a load is emitted."""

    builder: LLVMBuilder
    emit: Emit
    target: XeTarget
    plan: BlockLoadPlan
    result: TensorType[Attribute]

    @property
    def subgroup_size(self) -> int:
        return self.plan.request.subgroup_size

    @property
    def element_bytes(self) -> int:
        """The bytes of the plan's unit: an element of the tensor, or one word of a 64-bit element."""
        return self.plan.request.element_bits // 8

    @property
    def message_bytes(self) -> int:
        """The bytes of x's unit: an element of a message."""
        return self.plan.message.element_bytes

    @property
    def words(self) -> int:
        """The number of the plan's units in an element of the tensor."""
        return self.plan.request.words

    def send(self, surface: Surface, x: SSAValue, y: SSAValue) -> SSAValue:
        """Emit one message."""
        return emit_message(self.builder, self.emit, self.plan.message, self.subgroup_size, surface, x, y)

    def in_elements(self, width: SSAValue) -> SSAValue:
        """A number of bytes in the plan's units."""
        return self.builder.shift(width, -(self.element_bytes.bit_length() - 1))

    def in_message_elements(self, x: SSAValue) -> SSAValue:
        """A column of tensor elements in message elements."""
        return self.builder.shift_right_signed(x, self.plan.packed.bit_length() - 1)

    def start(self, load: int) -> Position:
        """Where a message starts within the warp's part."""
        return self._position(self.plan.starts, load)

    def register_position(self, register: int) -> Position:
        """The position of a register of lane 0, within the lane's tensor."""
        return self._position(self.plan.request.encoding.bases[REGISTER], register * self.words)

    def _position(self, bases: Sequence[Basis], index: int) -> Position:
        at = [0] * len(self.plan.request.encoding.out_dims)
        for bit, basis in enumerate(bases):
            if index >> bit & 1:
                at = [one ^ other for one, other in zip(at, basis, strict=True)]
        row, column = self.plan.request.axes
        return Position(tuple(at[:-2]), at[row], at[column])

    def spread(self, index: SSAValue, in_dim: str, dim: int) -> SSAValue | None:
        """The coordinate that the bits of `index` add along a dim of the tensor; None if they add nothing.

        Bits that are shifted by the same distance are shifted together.
        """
        masks: dict[int, int] = {}
        for bit, basis in enumerate(self.plan.request.encoding.bases.get(in_dim, ())):
            for to in range(basis[dim].bit_length()):
                if basis[dim] >> to & 1:
                    masks[to - bit] = masks.get(to - bit, 0) | 1 << bit
        total: SSAValue | None = None
        for distance, mask in masks.items():
            moved = self.builder.shift(self.builder.bit_and(index, mask), distance)
            total = moved if total is None else self.builder.bit_xor(total, moved)
        return total
