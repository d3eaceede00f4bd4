"""The entry block of a function: constants, allocas and calls that are created once per function."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    ModuleOp,
    StringAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from dotload.dialect_ext.llvm import SPIR_FUNCTION, ZeroOp
from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.typed import Integer, as_integer
from dotload.passes.ir.motion import insert_at
from dotload.passes.llvm.types import PASSTHROUGH, PRIVATE_POINTER, integer, step_properties


class EntryBlock:
    """The start of a function, for ops that must not be repeated in a loop, or at all."""

    def __init__(self, function: Operation, module: ModuleOp):
        self.function = function
        self.module = module
        self.block: Block = function.regions[0].blocks[0]
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}
        self._integers: dict[tuple[int, int], SSAValue] = {}
        self._once: dict[str, SSAValue] = {}
        self._rooms: dict[int, Sequence[SSAValue]] = {}
        self._last: Operation | None = None

    def insert(self, op: Operation) -> SSAValue:
        """Insert at the head of the function, after what was inserted there before."""
        where = InsertPoint.at_start(self.block) if self._last is None else InsertPoint.after(self._last)
        op.location = self.function.location
        insert_at(where, op)
        self._last = op
        return op.results[0]

    def constant(self, value: int, type_: Integer) -> SSAValue:
        """An integer constant, created once per function."""
        key = (value, type_.width.data)
        if (known := self._integers.get(key)) is None:
            known = self._integers[key] = self._add(arith.ConstantOp, (), type_, {"value": integer(value, type_)})
        return known

    def _add(
        self, op: type[Operation], operands: Sequence[SSAValue], result: Attribute, properties: Mapping[str, Attribute]
    ) -> SSAValue:
        return self.insert(assemble(op, operands, (result,), properties, {}, self.function.location))

    def zeros(self, type_: VectorType[Attribute]) -> SSAValue:
        """A vector of zero bits."""
        key = ("zeros", type_)
        if key not in self._constants:
            self._constants[key] = self.insert(ZeroOp(type_))
        return self._constants[key]

    def zero(self, type_: Attribute) -> SSAValue:
        """0 of an integer or floating-point type."""
        if (whole := as_integer(type_)) is not None:
            return self.constant(0, whole)
        assert isinstance(type_, AnyFloat)
        return self._number(type_, 0.0)

    def not_a_number(self, type_: AnyFloat) -> SSAValue:
        """NaN of a floating-point type."""
        return self._number(type_, math.nan)

    def _number(self, type_: AnyFloat, value: float) -> SSAValue:
        key = (str(value), type_)
        if key not in self._constants:
            self._constants[key] = self.insert(arith.ConstantOp(FloatAttr(value, type_), type_))
        return self._constants[key]

    def alloca(self, length: int, element: Attribute) -> SSAValue:
        """An alloca for one message's result.

        In the entry block an alloca is static; in a loop it would take more stack in every iteration.
        """
        return self.insert(llvm.AllocaOp(self.constant(length, i32), element, alignment=64))

    def room(self, words: int) -> Sequence[SSAValue]:
        """Pointers to consecutive 4-byte words of a thread's local memory; the same ones throughout a function.

        A user must be done with the contents before the next user writes.
        """
        if words not in self._rooms:
            start = self.alloca(words, i32)
            steps = (step_properties(4 * word) for word in range(1, words))
            self._rooms[words] = [start, *(self._add(llvm.GEPOp, [start], PRIVATE_POINTER, step) for step in steps)]
        return self._rooms[words]

    def once(self, name: str, result: Attribute) -> SSAValue:
        """The result of a builtin without arguments that is constant throughout the function."""
        if name not in self._once:
            self.declare(name, [], result)
            self._once[name] = self.insert(llvm.CallOp(name, return_type=result, calling_convention=SPIR_FUNCTION))
        return self._once[name]

    def declare(self, name: str, arguments: Sequence[Attribute], result: Attribute | None) -> None:
        """Declare an external spir_func in the module."""
        if SymbolTable.lookup_symbol(self.module, StringAttr(name)) is not None:
            return
        type_ = llvm.LLVMFunctionType(arguments, result)
        declaration = llvm.FuncOp(
            name,
            type_,
            llvm.LinkageAttr("external"),
            SPIR_FUNCTION,
            other_props={"passthrough": PASSTHROUGH},
        )
        Rewriter.insert_op(declaration, InsertPoint.at_start(self.module.body.block))
