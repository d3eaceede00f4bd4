"""Block pointers: the `tt.make_tensor_ptr` behind one, and its offsets as plain integers.

`tt.advance` moves a block pointer, through loops and out of them. Loading from it by coordinates needs its offsets as
values. `find_origin` looks for a single `tt.make_tensor_ptr` behind the pointer on all paths, and creates nothing.
`Offsets` then creates the values; an offset that a loop changes becomes a further loop-carried value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt import AdvanceOp, FuncOp, MakeTensorDescOp, MakeTensorPtrOp
from dotload.passes.ir.constants import constant_of
from dotload.passes.ir.flow import reached, sources
from dotload.passes.ir.loops import Carried, carried_by_loop, carry, yield_next


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
    """The only `tt.make_tensor_ptr` from which `pointer` comes, through advances and loops alone."""
    made = [source(value) for value in reached([pointer], pointers_before)]
    makes = [each for each in made if isinstance(each, MakeTensorPtrOp)]
    if None in made or len(makes) != 1:
        return None
    return Origin(makes[0], tuple(each for each in made if isinstance(each, AdvanceOp)))


def pointers_before(pointer: SSAValue) -> list[SSAValue]:
    """The block pointers from which an advance or a loop makes this one."""
    match source(pointer):
        case AdvanceOp() as advance:
            return [advance.ptr]
        case Carried() as carried:
            return [carried.init, carried.back]
        case _:
            return []


def descriptor_makers(descriptor: SSAValue) -> tuple[MakeTensorDescOp | None, ...] | None:
    """Every op that may have made a descriptor, with None in place of the caller; None if the makers are not known."""
    makers: list[MakeTensorDescOp | None] = []
    for value in reached([descriptor], descriptors_before):
        if isinstance(value.owner, MakeTensorDescOp):
            makers.append(value.owner)
        elif isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FuncOp):
            makers.append(None)
        elif not descriptors_before(value):
            return None
    return tuple(makers)


def descriptors_before(descriptor: SSAValue) -> list[SSAValue]:
    """The descriptors from which a select, a loop or a branch takes this one."""
    owner = descriptor.owner
    return [owner.lhs, owner.rhs] if isinstance(owner, SelectOp) else sources(descriptor)


def source(value: SSAValue) -> MakeTensorPtrOp | AdvanceOp | Carried | None:
    """The op or the loop-carried value that defines a block pointer; None for anything else."""
    made = value.owner
    return made if isinstance(made, MakeTensorPtrOp | AdvanceOp) else carried_by_loop(value)


class Offsets:
    """Creates the offsets of block pointers, once per pointer and dim; loops carry the offsets that they change."""

    def __init__(self) -> None:
        self._known: dict[tuple[SSAValue, int], SSAValue] = {}

    def of(self, pointer: SSAValue, dims: Sequence[int]) -> list[SSAValue]:
        """The offsets along these dims, in elements, of a pointer that has an `Origin`."""
        origin = find_origin(pointer)
        assert origin is not None
        return [self._offset(pointer, dim, origin) for dim in dims]

    def _offset(self, pointer: SSAValue, dim: int, origin: Origin) -> SSAValue:
        if dim not in origin.moved:
            return origin.make.offsets[dim]
        key = (pointer, dim)
        if key not in self._known:
            match source(pointer):
                case AdvanceOp() as advance:
                    before = self._offset(advance.ptr, dim, origin)
                    self._known[key] = _moved(advance, before, advance.offsets[dim])
                case Carried() as carried:
                    self._carry(carried, dim, origin)
                case _:
                    return origin.make.offsets[dim]
        return self._known[key]

    def _carry(self, carried: Carried, dim: int, origin: Origin) -> None:
        """Make a loop carry the offset of one of its block pointers, known then in the body and after the loop."""
        offset = carry(carried.loop, self._offset(carried.init, dim, origin), "offset")
        self._known[carried.argument, dim] = offset
        self._known[carried.result, dim] = yield_next(offset, self._offset(carried.back, dim, origin))


def _moved(advance: AdvanceOp, before: SSAValue, by: SSAValue) -> SSAValue:
    """The offset after an advance, computed at the advance."""
    if constant_of(by) == 0:
        return before
    add = arith.AddiOp(before, by)
    add.location = advance.location
    add.result.name_hint = "offset"
    Rewriter.insert_op(add, InsertPoint.before(advance))
    return add.result
