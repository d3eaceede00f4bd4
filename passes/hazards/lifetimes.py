"""Which allocations of shared memory may be given the same memory: those that are not live at the same time.

Triton keeps an allocation for as long as an op uses a descriptor of it: an address in the LLVM dialect does not keep
it. A use in a loop around which the allocation stands keeps it to the end of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm, scf
from xdsl.ir import Operation, SSAValue, Use

from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType
from dotload.passes.hazards.accesses import takes_scratch
from dotload.passes.hazards.relevance import behind
from dotload.passes.hazards.values import VIEWS, Root, is_root
from dotload.passes.ir.flow import targets

ADDRESS_TYPES = (MemDescType, llvm.LLVMPointerType, llvm.LLVMStructType)
"""The types of descriptors, and of what conversions to LLVM make of them."""

LOOPS = (scf.ForOp, scf.WhileOp)


@dataclass(frozen=True)
class Lifetimes:
    """The first and the last op that each allocation is live at, by their numbers in the function."""

    spans: dict[Root, tuple[int, int]]

    @staticmethod
    def of(function: Operation) -> Lifetimes:
        """Those of a function's allocations, and of ops that may take memory for their own use."""
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
        return Lifetimes(spans)

    def may_share(self, one: Root, other: Root) -> bool:
        """Whether two allocations may be given the same memory."""
        (first, last), (start, end) = self.spans[one], self.spans[other]
        return one is not other and (last < start or end < first)


def last_number(
    user: Operation, alloc: Operation, numbers: Mapping[Operation, int], ends: Mapping[Operation, int]
) -> int:
    """The number of the last op that the use keeps the allocation for."""
    last = numbers[user]
    around: Operation | None = user
    while around is not None and not around.is_ancestor(alloc):
        last = max(last, ends.get(around, last))
        around = around.parent_op()
    return last


def users(memory: SSAValue, seen: set[SSAValue] | None = None) -> Iterator[Operation]:
    """All ops that use a descriptor of the memory, those that carry it on too."""
    seen = seen if seen is not None else set()
    if memory in seen:
        return
    seen.add(memory)
    for use in memory.uses:
        yield use.operation
        for alias in handed_on(use):
            yield from users(alias, seen)


def handed_on(use: Use) -> Sequence[SSAValue]:
    """The values by which an op goes on with a descriptor that it uses."""
    op = use.operation
    if isinstance(op, WarpGroupDotWaitOp):
        return [op.outputs[use.index]]
    if isinstance(op, (*VIEWS, MemDescIndexOp)) or op.name == "arith.select":
        return op.results
    return targets(use)


def roots_of(memory: SSAValue, seen: set[SSAValue] | None = None) -> set[Root]:
    """The allocations that a descriptor or an address may be of, along all paths; an argument is one of its own."""
    seen = seen if seen is not None else set()
    if memory in seen:
        return set()
    seen.add(memory)
    if is_root(memory):
        return {memory}
    sources = (source for source in behind(memory) if isinstance(source.type, ADDRESS_TYPES))
    return {root for source in sources for root in roots_of(source, seen)}
