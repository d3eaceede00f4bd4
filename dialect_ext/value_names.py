"""The printed names of values, chosen as by MLIR's printer (AsmPrinter.cpp, SSANameState).

A region's arguments and results are named before any of it is printed, those of nested regions later. Values are not
visible outside their region, so sibling regions use the same names. A name that is taken gets a number from one counter
for all names.
"""

from __future__ import annotations

from typing import IO

from xdsl.dialects.builtin import IntAttr, IntegerAttr, IntegerType
from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from dotload.dialect_ext.xdsl_private import OpenPrinter


class NamingPrinter(OpenPrinter):
    """xDSL's printer with MLIR's names."""

    def __init__(self, stream: IO[str], *, print_generic_format: bool, print_debuginfo: bool):
        super().__init__(stream, print_generic_format=print_generic_format, print_debuginfo=print_debuginfo)
        self._counters: list[dict[str, int]] = [{}]
        self._in_llvm_function = False

    def enter_scope(self) -> None:
        super().enter_scope()
        self._counters.append(self._counters[-1].copy())

    def exit_scope(self) -> None:
        super().exit_scope()
        self._counters.pop()

    def print_op(self, op: Operation) -> None:
        if not op.regions:
            super().print_op(op)
            return
        self.name_results(op)
        self.enter_scope()
        outside, self._in_llvm_function = self._in_llvm_function, self._in_llvm_function or op.name == "llvm.func"
        super().print_op(op)
        self._in_llvm_function = outside
        self.exit_scope()

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        self.enter_scope()
        for block in region.blocks:
            for argument in block.args:
                self.name_value(argument)
            for op in block.ops:
                self.name_results(op)
        super().print_region(region, print_entry_block_args, print_empty_block, print_block_terminators)
        self.exit_scope()

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self.name_value(value)
        self.print_string(f"%{name}")
        return name

    def name_value(self, value: SSAValue) -> str:
        """The name of a value, assigned now if it has none."""
        if (name := self.value_names.get(value)) is not None:
            return name
        # Lowered code has no names worth keeping: it is printed as by MLIR, so that tests written for MLIR pass.
        stem = (None if self._in_llvm_function else value.name_hint) or _default_stem(value)
        if stem is not None:
            name = self._unused(stem)
        elif isinstance(value, BlockArgument) and value.block.prev_block is None:
            name = self._unused(f"arg{self._count('arg')}")
        else:
            name = self.new_number()
        self.value_names[value] = name
        return name

    def _unused(self, stem: str) -> str:
        name = stem
        while name in self.ssa_names:
            name = f"{stem}_{self._count('conflict')}"
        self.ssa_names[name] = 1
        return name

    def _count(self, counter: str) -> int:
        """The next number of a counter of this scope."""
        number = self._counters[-1].get(counter, 0)
        self._counters[-1][counter] = number + 1
        return number

    def name_results(self, op: Operation) -> None:
        """One name for all results, `%0:2`, unless they have names of their own."""
        results = op.results
        if len(results) < 2 or len({result.name_hint for result in results}) > 1:
            for result in results:
                self.name_value(result)
        elif results[0] not in self.value_names:
            name = self.name_value(results[0])
            for index, result in enumerate(results):
                self.value_names[result] = f"{name}#{index}"

    def print_results(self, op: Operation) -> None:
        if not op.results:
            return
        self.name_results(op)
        name, grouped, _ = self.value_names[op.results[0]].partition("#")
        if grouped:
            self.print_string(f"%{name}:{len(op.results)} = ")
        else:
            super().print_results(op)


def _default_stem(value: SSAValue) -> str | None:
    """The name that MLIR gives to a constant: %c128_i32, %true, %cst."""
    if not isinstance(value, OpResult) or value.op.name != "arith.constant":
        return None
    match value.op.properties.get("value"):
        case IntegerAttr(type=IntegerType(width=IntAttr(data=1)), value=IntAttr(data=number)):
            return "true" if number else "false"
        case IntegerAttr(type=IntegerType() as type_, value=IntAttr(data=number)):
            return f"c{number}_{type_}"
        case IntegerAttr(value=IntAttr(data=number)):
            return f"c{number}"
        case _:
            return "cst"
