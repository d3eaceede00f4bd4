"""Kernels run on names, with asynchronous operations as late as possible: an oracle for mutants that wait too little.

    delayed_copies     cp.async writes only at the wait for its group
    delayed_products   wgmma reads shared memory only at the wait for it

The oracle shares nothing with `check-shared-memory-hazards`. One warp stands for all: barriers and fences make no
difference here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dotload.passes.validation.compare import OPS, Stored, stored_by
from dotload.passes.validation.machine import Invalid, Machine, Unsupported
from dotload.passes.validation.names import Names
from dotload.passes.validation.tensor_ops import dot


@dataclass
class Copies:
    """Copies in flight, of the open group and of the closed groups."""

    opened: list[Callable[[], None]] = field(default_factory=list)
    closed: deque[list[Callable[[], None]]] = field(default_factory=deque)

    def start(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Take the addresses now, and write at the wait."""
        values = {value: machine.values[value] for value in op.operands}

        def land() -> None:
            kept = {value: machine.values[value] for value in values}
            machine.values.update(values)
            OPS[op.name](machine, op)
            machine.values.update(kept)

        self.opened.append(land)
        return [[] for _ in op.results]

    def commit(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Close the group."""
        self.closed.append(self.opened)
        self.opened = []
        return [[]]

    def wait(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Wait until at most this many groups are in flight."""
        number: Any = op.properties["num"]
        while len(self.closed) > number.value.data:
            for land in self.closed.popleft():
                land()
        return [[]]


def delayed_copies(module: ModuleOp) -> Stored:
    """The kernel's stores if copies land late."""
    copies = Copies()
    late = {
        **dict.fromkeys(("ttg.async_copy_global_to_local", "llvm.inline_asm"), copies.start),
        "ttg.async_commit_group": copies.commit,
        "ttg.async_wait": copies.wait,
    }
    return stored_by(module, {**OPS, **late})


@dataclass
class Late:
    """The result of a wgmma in flight."""

    known: Names | None = None


@dataclass
class Products:
    """Products in flight."""

    started: deque[Callable[[], None]] = field(default_factory=deque)

    def start(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Take registers and descriptors now, and read at the wait."""
        named: Any = op
        values, late = {value: machine.values[value] for value in op.operands}, Late()

        def finish() -> None:
            kept = {value: machine.values[value] for value in values}
            machine.values.update({value: resolved(each) for value, each in values.items()})
            (late.known,) = dot(machine, op)  # type: ignore[assignment]
            machine.values.update(kept)

        if not named.isAsync.value.data:
            self.finish(machine, 0)
            machine.values.update({value: resolved(each) for value, each in values.items()})
            return dot(machine, op)
        self.started.append(finish)
        return [late]

    def wait(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Wait until at most this many products are in flight."""
        number: Any = op.properties["pendings"]
        self.finish(machine, number.value.data)
        return machine.of(op.operands)

    def finish(self, machine: Machine, under_way: int) -> None:
        """Finish all but `under_way` products, and set their results."""
        while len(self.started) > under_way:
            self.started.popleft()()
        for value, found in machine.values.items():
            if isinstance(found, Late) and found.known is not None:
                machine.values[value] = found.known


def resolved(value: Any) -> Any:
    """The value; Invalid if it is the result of a wgmma in flight."""
    if isinstance(value, Late):
        if value.known is None:
            raise Invalid("the result of a wgmma in flight is used")
        return value.known
    return value


def delayed_products(module: ModuleOp) -> Stored:
    """The kernel's stores if wgmma reads late; Invalid if it uses a result before its wait."""
    products = Products()
    try:
        return stored_by(
            module, {**OPS, "ttng.warp_group_dot": products.start, "ttng.warp_group_dot_wait": products.wait}
        )
    except (AttributeError, TypeError, AssertionError, Unsupported) as error:  # an op used a value not known yet
        raise Invalid(str(error)) from error


def is_wrong(module: ModuleOp, wanted: Stored) -> bool:
    """Whether late copies or late products change what the kernel stores."""
    for run in (delayed_copies, delayed_products):
        try:
            found = run(module)
        except Invalid:
            return True
        if not np.array_equal(found.addresses, wanted.addresses) or not np.array_equal(found.names, wanted.names):
            return True
    return False
