"""Planes: the 2D regions of memory that the dims before a tensor's last two select.

A message reads one plane. In a load with several planes, each message has its own base,

    base + sum over these dims of (index + warp's part + message's part) * stride

A message checks rows and columns only. For a plane that does not exist, it starts below all rows, where there are only
zeros. Negative indices are large as unsigned numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.ttig import BlockLoadOp
from dotload.layout.encodings import WARP
from dotload.passes.block_load.site import Site
from dotload.passes.ir.constants import constant_of
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import GLOBAL_POINTER, UNSIGNED_LESS


@dataclass(frozen=True)
class Plane:
    """The plane's address, and the row at which the warp's part begins in it."""

    base: SSAValue
    row: SSAValue


@dataclass(frozen=True)
class Planes:
    """The planes of a load. `warp`: the warp's number; `row`: where its part begins in a plane that exists."""

    site: Site
    op: BlockLoadOp
    warp: SSAValue
    row: SSAValue

    def at(self, plane: tuple[int, ...]) -> Plane:
        """The plane that messages read; `plane`: its number in the warp's part, along each dim before the last two."""
        builder = self.site.builder
        if not self.op.planes:
            return Plane(self._base, self.row)
        address = self._address
        exists: SSAValue | None = None
        for dim, part in enumerate(plane):
            size, stride = self.op.planes[3 * dim + 1 : 3 * dim + 3]
            index = builder.add(self._firsts[dim], part)
            address = builder.add(address, builder.mul(index, stride))
            if not self._is_inside(dim):
                along = builder.compare(UNSIGNED_LESS, index, size)
                exists = along if exists is None else builder.bit_and(exists, along)
        row = self.row if exists is None else builder.select(exists, self.row, self.op.base_height)
        return Plane(builder.int_to_pointer(address), row)

    @cached_property
    def _base(self) -> SSAValue:
        return self.site.builder.cast(self.op.base_ptr, GLOBAL_POINTER)

    @cached_property
    def _address(self) -> SSAValue:
        return self.site.builder.pointer_to_int(self._base)

    @cached_property
    def _firsts(self) -> list[SSAValue]:
        """The index of the first plane of the warp's part, per dim."""
        return [self._first(self.site.builder, dim) for dim in range(len(self.op.planes) // 3)]

    def _first(self, builder: LLVMBuilder, dim: int) -> SSAValue:
        index, moved = self.op.planes[3 * dim], self.site.spread(self.warp, WARP, dim)
        return index if moved is None else builder.add(index, builder.insert(arith.ExtUIOp(moved, i64)))

    def _is_inside(self, dim: int) -> bool:
        """Whether all planes of the tensor along a dim are known to exist."""
        index, size = (constant_of(value) for value in self.op.planes[3 * dim : 3 * dim + 2])
        return index is not None and size is not None and 0 <= index <= size - self.site.result.get_shape()[dim]
