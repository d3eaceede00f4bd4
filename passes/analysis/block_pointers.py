"""Where block pointers and tensor descriptors come from, through loops, branches and selects."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt import AdvanceOp, MakeTensorDescOp, MakeTensorPtrOp
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.flow import is_argument, reached, sources


@dataclass(frozen=True)
class Origin:
    """The `tt.make_tensor_ptr` behind a block pointer, and the advances that may have moved the pointer since."""

    make: MakeTensorPtrOp
    advances: tuple[AdvanceOp, ...]

    @property
    def moved(self) -> frozenset[int]:
        """The dims along which the advances move the pointer."""
        return frozenset(d for advance in self.advances for d, by in enumerate(advance.offsets) if constant_of(by) != 0)

    def offsets_along(self, dim: int) -> tuple[SSAValue, ...]:
        """The terms of the offset along a dim: the initial offset and some of the steps."""
        return (self.make.offsets[dim], *(advance.offsets[dim] for advance in self.advances))


def find_origin(pointer: SSAValue) -> Origin | None:
    """The only `tt.make_tensor_ptr` from which `pointer` comes, through advances, selects, loops and branches alone."""
    found = reached([pointer], pointers_before)
    makes = [value.owner for value in found if not pointers_before(value)]
    match makes:
        case [MakeTensorPtrOp() as make] if _is_visible(make, pointer):
            return Origin(make, tuple(value.owner for value in found if isinstance(value.owner, AdvanceOp)))
        case _:
            return None


def _is_visible(make: MakeTensorPtrOp, pointer: SSAValue) -> bool:
    """Whether the block pointer is not outside of the region in which it was made: an scf.while may forward it."""
    around, block = make.parent_block(), pointer.owner
    block = block.parent_block() if isinstance(block, Operation) else block
    return around is not None and block is not None and around.is_ancestor(block)


def pointers_before(pointer: SSAValue) -> list[SSAValue]:
    """The block pointers from which an advance, a select, a loop or a branch makes this one."""
    return [pointer.owner.ptr] if isinstance(pointer.owner, AdvanceOp) else forwarded(pointer)


def descriptor_makers(descriptor: SSAValue) -> tuple[MakeTensorDescOp | None, ...] | None:
    """Every op that may have made a descriptor, with None in place of the caller; None if the makers are not known."""
    makers: list[MakeTensorDescOp | None] = []
    for value in reached([descriptor], forwarded):
        if isinstance(value.owner, MakeTensorDescOp):
            makers.append(value.owner)
        elif is_argument(value):
            makers.append(None)
        elif not forwarded(value):
            return None
    return tuple(makers)


def forwarded(value: SSAValue) -> list[SSAValue]:
    """The values from which a select, a loop or a branch takes this one."""
    owner = value.owner
    return [owner.lhs, owner.rhs] if isinstance(owner, SelectOp) else sources(value)
