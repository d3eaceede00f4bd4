"""A kernel at a glance: its operations by name, without a parse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from dotload.passes.analysis.glance import Seen


class Overview:
    """The operations of a libtriton module from one walk; their types are read where a pass asks for them.

    The module must stay as it is while this is in use.
    """

    def __init__(self, module: Any) -> None:
        self._ops: defaultdict[str, list[Any]] = defaultdict(list)
        module.walk(lambda op: self._ops[op.get_name()].append(op))

    def holds(self, names: Sequence[str]) -> bool:
        """Whether one of the operations is there; none named, any kernel will do."""
        return not names or any(name in self._ops for name in names)

    def ops(self, *names: str) -> Iterator[Seen]:
        """The operations of these names, one name after the other."""
        for name in names:
            for op in self._ops.get(name, ()):
                operands = [op.get_operand(index) for index in range(op.get_num_operands())]
                results = [op.get_result(index) for index in range(op.get_num_results())]
                yield Seen(*(tuple(str(value.get_type()) for value in values) for values in (operands, results)))
