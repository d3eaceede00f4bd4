"""Lifetimes: allocations of shared memory may share memory if they are not live at the same time.

Triton's allocation is live as long as an op uses a descriptor of it; an address in the LLVM dialect does not keep it
alive. A use inside a loop, with the allocation outside, keeps it alive to the end of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from xdsl.dialects import llvm, scf
from xdsl.ir import Operation, SSAValue, Use

from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType
from dotload.passes.hazards.relevance import computed_from
from dotload.passes.hazards.values import VIEWS, Root, is_root
from dotload.passes.ir.flow import reached, targets
from dotload.passes.ir.loops import ancestors
from dotload.passes.ir.scratch import takes_scratch

ADDRESS_TYPES = (MemDescType, llvm.LLVMPointerType, llvm.LLVMStructType)
"""The types of descriptors, and their conversions to LLVM."""

LOOPS = (scf.ForOp, scf.WhileOp)


def spans_of(function: Operation) -> dict[Root, tuple[int, int]]:
    """The live range of each allocation, and of the scratch memory of each op: its first and its last op.

    Ops are given by their numbers in the function.
    """
    numbers = {op: number for number, op in enumerate(function.walk())}
    ends: dict[Operation, int] = {
        op: max((numbers[inner] for inner in op.walk()), default=0) for op in numbers if isinstance(op, LOOPS)
    }
    spans: dict[Root, tuple[int, int]] = {}
    for op, number in numbers.items():
        if isinstance(op, LocalAllocOp):
            last = max((last_number(user, op, numbers, ends) for user in users(op.result)), default=number)
            spans[op.result] = (number, max(number, last))
        elif takes_scratch(op):
            spans[op] = (number, number)
    return spans


def last_number(
    user: Operation, alloc: Operation, numbers: Mapping[Operation, int], ends: Mapping[Operation, int]
) -> int:
    """The number of the last op at which the allocation is live because of this use."""
    inside = takewhile(lambda each: not each.is_ancestor(alloc), (user, *ancestors(user)))
    return max([numbers[user], *(ends.get(each, 0) for each in inside)])


def users(memory: SSAValue) -> Iterator[Operation]:
    """All ops that use a descriptor of the memory, including those that pass it on."""
    aliases = reached([memory], lambda value: (alias for use in value.uses for alias in handed_on(use)))
    return (use.operation for alias in aliases for use in alias.uses)


def handed_on(use: Use) -> Sequence[SSAValue]:
    """The values through which an op passes on a descriptor that it uses."""
    op = use.operation
    if isinstance(op, WarpGroupDotWaitOp):
        return [op.outputs[use.index]]
    if isinstance(op, (*VIEWS, MemDescIndexOp)) or op.name == "arith.select":
        return op.results
    return targets(use)


def roots_of(memory: SSAValue) -> set[Root]:
    """The allocations from which a descriptor or an address may come, along all paths; an argument is its own root."""
    return {value for value in reached([memory], _memory_behind) if is_root(value)}


def _memory_behind(value: SSAValue) -> list[SSAValue]:
    return [] if is_root(value) else [each for each in computed_from(value) if isinstance(each.type, ADDRESS_TYPES)]
