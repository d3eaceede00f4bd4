"""Op index: the operations of a kernel by name, without a parse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dotload.passes.analysis.prefilter import Seen
from dotload.plugin.triton_types import Module, Operation


class OpIndex:
    """The operations of a libtriton module from one walk; their types are read when a pass asks for them.

    The module must not change while the index is in use.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._ops: defaultdict[str, list[Operation]] = defaultdict(list)

        def visit(op: Operation) -> None:
            self._ops[op.get_name()].append(op)

        module.walk(visit)

    def holds(self, names: Sequence[str]) -> bool:
        """Whether the module has one of these operations."""
        return any(name in self._ops for name in names)

    def attribute(self, name: str) -> str | None:
        """A string attribute of the module."""
        return self._module.get_operation().get_str_attr(name)

    def prints(self, text: str) -> bool:
        """Whether the module's text has `text`."""
        return text in self._module.str_nodebug()

    def holds_together(self, *names: str) -> bool:
        """Whether a block, such as the body of a loop, has an operation of each name."""
        blocks = ({op.get_block().id() for op in self._ops.get(name, ())} for name in names)
        return bool(set[int].intersection(*blocks))

    def ops(self, *names: str) -> Iterator[Seen]:
        """The operations of these names, one name after the other."""
        for name in names:
            for op in self._ops.get(name, ()):
                operands = [op.get_operand(index) for index in range(op.get_num_operands())]
                results = [op.get_result(index) for index in range(op.get_num_results())]
                yield Seen(*(tuple(str(value.get_type()) for value in values) for values in (operands, results)))
