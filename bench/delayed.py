"""Kernels run on names, with what is asynchronous as late as can be: an oracle for mutants that wait for too little.

    delayed_copies     cp.async writes behind the wait for its group, no earlier
    delayed_products   wgmma reads shared memory behind the wait for it, no earlier

It knows nothing of how `check-shared-memory-hazards` comes to its findings. One warp stands for all: barriers and
fences make no difference here.
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
    """Copies that are under way: of the open group, and of those that are closed."""

    opened: list[Callable[[], None]] = field(default_factory=list)
    closed: deque[list[Callable[[], None]]] = field(default_factory=deque)

    def start(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Take the addresses now, and write when it is waited for."""
        values = {value: machine.values[value] for value in op.operands}

        def land() -> None:
            kept = {value: machine.values[value] for value in values}
            machine.values.update(values)
            OPS[op.name](machine, op)
            machine.values.update(kept)

        self.opened.append(land)
        return [[]]

    def commit(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Close the group."""
        self.closed.append(self.opened)
        self.opened = []
        return [[]]

    def wait(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Until so many groups are under way."""
        number: Any = op.properties["num"]
        while len(self.closed) > number.value.data:
            for land in self.closed.popleft():
                land()
        return [[]]


def delayed_copies(module: ModuleOp) -> Stored:
    """What the kernel stores when copies land late."""
    copies = Copies()
    names = ("ttg.async_copy_global_to_local", "ttg.async_commit_group", "ttg.async_wait")
    return stored_by(module, {**OPS, **dict(zip(names, (copies.start, copies.commit, copies.wait), strict=True))})


@dataclass
class Late:
    """The result of a wgmma that has not been waited for."""

    known: Names | None = None


@dataclass
class Products:
    """Products that are under way."""

    started: deque[Callable[[], None]] = field(default_factory=deque)

    def start(self, machine: Machine, op: Operation) -> Sequence[Any]:
        """Take registers and descriptors now, and read when it is waited for."""
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
        """Until so many are under way."""
        number: Any = op.properties["pendings"]
        self.finish(machine, number.value.data)
        return machine.of(op.operands)

    def finish(self, machine: Machine, under_way: int) -> None:
        """Finish all but so many, and let their results be known."""
        while len(self.started) > under_way:
            self.started.popleft()()
        for value, found in machine.values.items():
            if isinstance(found, Late) and found.known is not None:
                machine.values[value] = found.known


def resolved(value: Any) -> Any:
    """The value, where it is known by now."""
    if isinstance(value, Late):
        if value.known is None:
            raise Invalid("the result of a wgmma in flight is used")
        return value.known
    return value


def delayed_products(module: ModuleOp) -> Stored:
    """What the kernel stores when wgmma reads late; Invalid where it uses a result that it has not waited for."""
    products = Products()
    try:
        return stored_by(
            module, {**OPS, "ttng.warp_group_dot": products.start, "ttng.warp_group_dot_wait": products.wait}
        )
    except (AttributeError, TypeError, AssertionError, Unsupported) as error:  # an op was given what is not known yet
        raise Invalid(str(error)) from error


def is_wrong(module: ModuleOp, wanted: Stored) -> bool:
    """Whether the kernel stores something else when copies, or products, are late."""
    for run in (delayed_copies, delayed_products):
        try:
            found = run(module)
        except Invalid:
            return True
        if not np.array_equal(found.addresses, wanted.addresses) or not np.array_equal(found.names, wanted.names):
            return True
    return False
