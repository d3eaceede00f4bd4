"""The machine that runs a kernel on names: one program, all its threads in lockstep, memory, and control flow.

A value is an array of integers (also pointers and masks), names, a descriptor of shared memory, or, for a struct, a
list of these. The array of a tensor has its shape; any other has no shape if all threads agree, or one integer per
thread. Asynchronous ops complete at once: `check-shared-memory-hazards` checks their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Union

import numpy as np
from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.types import PointerType
from dotload.passes.validation.names import Integers, Names, Words, drawn, first, is_integers, seed_of

SHARED_BYTES = 1 << 19
"""Enough for all allocations of a kernel at distinct addresses: none is freed."""
MAX_STEPS = 60_000
"""The most ops to run before the kernel is given up."""
ALIGNMENT = 1024
EMPTY = drawn(np.arange(SHARED_BYTES, dtype=np.uint64), seed_of("empty"))
"""Unwritten memory: a name for each address."""
WARP = 32


class Unsupported(Exception):
    """An op that the machine does not know, or a kernel that takes too long."""


class Invalid(Exception):
    """The kernel does something illegal: an access outside its memory, or copies of an element that differ."""


@dataclass(frozen=True)
class Memory:
    """A descriptor of shared memory: the address of each element, and the element's size in bytes."""

    addresses: Integers
    size: int


@dataclass(frozen=True)
class Room:
    """An address in a thread's local memory, in bytes."""

    number: int
    offset: int = 0


Value = Union[Integers, Names, Memory, Room, "list[Value]"]
Run = Callable[["Machine", Operation], "Sequence[Value]"]


@dataclass
class Machine:
    """One run of a kernel; `stores`: addresses and names of the bytes stored."""

    threads: int
    ops: Mapping[str, Run]
    values: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    shared: Words = field(default_factory=lambda: np.array(EMPTY))
    places: dict[Operation, int] = field(default_factory=dict[Operation, int])
    used: int = 0
    rooms: dict[tuple[int, int], Words] = field(default_factory=dict[tuple[int, int], Words])
    scratch: dict[int, Value] = field(default_factory=dict[int, Value])
    stores: list[tuple[Integers, Words]] = field(default_factory=list[tuple[Integers, Words]])
    room_numbers: Iterator[int] = field(default_factory=lambda: count(1))
    scratch_numbers: Iterator[int] = field(default_factory=lambda: count(1))
    steps: int = 0

    def run(self, function: FuncOp) -> None:
        """Run a kernel with arguments that all differ."""
        block = function.body.blocks.first
        assert block is not None
        for place, argument in enumerate(block.args):
            self.values[argument] = argument_of(place, argument.type)
        while block is not None:
            block = self.following(self.block(block))

    def following(self, last: Operation) -> Block | None:
        """The successor block that a terminator takes; None if the kernel ends."""
        match last:
            case cf.BranchOp(successor=block, arguments=arguments):
                pass
            case cf.ConditionalBranchOp() if self.number(last.cond):
                block, arguments = last.then_block, last.then_arguments
            case cf.ConditionalBranchOp(else_block=block, else_arguments=arguments):
                pass
            case _:
                return None
        self.bind(block.args, self.of(arguments))
        return block

    def block(self, block: Block) -> Operation:
        """Run a block's ops; returns its terminator, which is not run."""
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if op is not last:
                self.op(op)
        return last

    def op(self, op: Operation) -> None:
        """Run an op."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unsupported("the kernel runs for too long")
        run = CONTROL.get(op.name) or self.ops.get(op.name) or self.ops.get(op.dialect_name())
        if run is None:
            raise Unsupported(op.name)
        self.bind(op.results, run(self, op))

    def bind(self, targets: Iterable[SSAValue], values: Iterable[Value]) -> None:
        """Bind values to targets."""
        # NumPy turns arrays without dims into scalars in every computation.
        known = (np.asarray(value) if isinstance(value, np.generic) else value for value in values)
        self.values.update(zip(targets, known, strict=True))

    def of(self, values: Iterable[SSAValue]) -> list[Value]:
        """The values of operands."""
        return [self.values[value] for value in values]

    def integers(self, value: SSAValue) -> Integers:
        """The value as integers; raises Unsupported if it depends on loaded data."""
        found = self.values[value]
        if not is_integers(found):
            raise Unsupported(f"{value.type} that depends on memory")
        return found

    def number(self, value: SSAValue) -> int:
        """The value as one integer."""
        return first(self.integers(value))

    # Shared memory

    def allocate(self, op: Operation, size: int) -> int:
        """The address of an op's allocation, the same in every iteration."""
        if op not in self.places:
            self.places[op], self.used = self.used, self.used + -(-size // ALIGNMENT) * ALIGNMENT
            if self.used > SHARED_BYTES:
                raise Unsupported("too much shared memory")
        return self.places[op]

    def checked(self, addresses: Integers, size: int, alignment: int = 1) -> Integers:
        """The addresses of the bytes of an access; raises Invalid if it is misaligned or outside the allocations."""
        if (addresses < 0).any() or (addresses + size > self.used).any() or (addresses % alignment).any():
            raise Invalid("an access outside the allocated memory, or one that is not aligned")
        return addresses[..., None] + np.arange(size)

    def read(self, memory: Memory) -> Names:
        """The elements of a tile."""
        return Names(memory.size, None, self.shared[self.checked(memory.addresses, memory.size)])

    # Global memory

    def store(self, addresses: Integers, value: Names, mask: Integers | None = None) -> None:
        """Store elements at addresses where the mask is true."""
        places = addresses[..., None] + np.arange(value.size)
        kept = np.broadcast_to(True if mask is None else mask.astype(bool)[..., None], places.shape)
        self.stores.append((places[kept], np.broadcast_to(value.bytes, places.shape)[kept]))


def argument_of(place: int, type_: Attribute) -> Value:
    """An argument: pointers far apart, sizes and strides that differ; all are divisible by 16."""
    if isinstance(type_, PointerType):
        return np.asarray((place + 1) << 40)
    if isinstance(type_, IntegerType):
        return np.asarray(256 + 16 * place)
    if type_.name == "tt.tensordesc":
        return np.asarray((place + 1) << 52)
    return Names(4, drawn(seed_of("argument"), place))


# Control flow


def run_for(machine: Machine, op: Operation) -> Sequence[Value]:
    """scf.for"""
    assert isinstance(op, scf.ForOp)
    body, carried = op.body.block, machine.of(op.iter_args)
    for index in range(machine.number(op.lb), machine.number(op.ub), max(1, machine.number(op.step))):
        machine.bind(body.args, [np.asarray(index), *carried])
        carried = machine.of(machine.block(body).operands)
    return carried


def run_if(machine: Machine, op: Operation) -> Sequence[Value]:
    """scf.if"""
    assert isinstance(op, scf.IfOp)
    region = op.true_region if machine.number(op.cond) else op.false_region
    return machine.of(machine.block(region.block).operands) if region.blocks else []


def run_while(machine: Machine, op: Operation) -> Sequence[Value]:
    """scf.while"""
    assert isinstance(op, scf.WhileOp)
    carried = machine.of(op.arguments)
    while True:
        machine.bind(op.before_region.block.args, carried)
        condition, *handed_on = machine.block(op.before_region.block).operands
        behind = machine.of(handed_on)
        if not machine.number(condition):
            return behind
        machine.bind(op.after_region.block.args, behind)
        carried = machine.of(machine.block(op.after_region.block).operands)


CONTROL: dict[str, Run] = {"scf.for": run_for, "scf.if": run_if, "scf.while": run_while}
