"""Base of rematerialized values: each is created once, next to the original, and loops carry it beside the original."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.typed import as_tensor
from dotload.passes.ir.loops import Carried, carried_by_loop, carry, yield_next

Form = TypeVar("Form", bound=Hashable)


@dataclass
class Rematerialized(ABC, Generic[Form]):
    """Recomputed values, each in the requested forms."""

    known: dict[tuple[SSAValue, Form], SSAValue] = field(default_factory=dict[tuple[SSAValue, Form], SSAValue])

    def of(self, value: SSAValue, form: Form) -> SSAValue:
        """The value in that form."""
        if self.stays(value, form):
            return value
        if (value, form) not in self.known:
            if (carried := carried_by_loop(value)) is not None:
                self._carry(carried, form)
            else:
                assert isinstance(value.owner, Operation)
                self.known[value, form] = self.compute(value.owner, form)
        return self.known[value, form]

    def stays(self, value: SSAValue, form: Form) -> bool:
        """Whether a value already has the form; a scalar does."""
        return as_tensor(value.type) is None

    @abstractmethod
    def compute(self, op: Operation, form: Form) -> SSAValue:
        """The result of an op, in the form."""

    def _carry(self, carried: Carried, form: Form) -> None:
        """Make a loop carry a carried value's form as well, known then in the body and after the loop."""
        argument = carry(carried.loop, self.of(carried.init, form), carried.argument.name_hint)
        self.known[carried.argument, form] = argument
        self.known[carried.result, form] = yield_next(argument, self.of(carried.back, form))
