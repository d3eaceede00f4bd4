"""Building LLVM-dialect ops, and scalar arithmetic, at one place of a function.

Constants and allocas go to the function's entry block.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnrealizedConversionCastOp,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from dotload.dialect_ext.arith import CmpiOp, SelectOp
from dotload.dialect_ext.llvm import ExtractElementOp, ZeroOp
from dotload.dialect_ext.operations import assemble, with_defaults
from dotload.dialect_ext.scf import IfOp
from dotload.dialect_ext.typed import Integer, integer_type, vector_parts

GLOBAL_POINTER = llvm.LLVMPointerType(IntAttr(1))
PRIVATE_POINTER = llvm.LLVMPointerType()
SPIR_FUNCTION = llvm.CallingConventionAttr("spir_funccc")
PASSTHROUGH = ArrayAttr([StringAttr("nounwind"), StringAttr("willreturn")])
NOT_EQUAL, UNSIGNED_LESS = "ne", "ult"


@functools.lru_cache(maxsize=256)
def vector_type(length: int, element: Attribute) -> VectorType[Attribute]:
    """vector<length x element>"""
    return VectorType(element, [length])


def struct_type(elements: Sequence[Attribute]) -> llvm.LLVMStructType:
    """A literal struct."""
    return llvm.LLVMStructType.from_type_list(elements)


@functools.lru_cache(maxsize=4096)
def field_position(position: int) -> DenseArrayBase:
    """Which field of a struct; always the same object, which a writer of IR needs to print but once."""
    return DenseArrayBase.from_list(i64, [position])


@functools.lru_cache(maxsize=4096)
def integer(value: int, type_: Integer) -> IntegerAttr[Integer]:
    """A number as an attribute; always the same object, as above."""
    return IntegerAttr(value, type_)


@functools.lru_cache(maxsize=4096)
def shuffle_mask(picks: tuple[int, ...]) -> DenseArrayBase:
    """Which elements of two vectors; always the same object, as above."""
    return DenseArrayBase.from_list(i32, list(picks))


def anything(type_: Attribute) -> SSAValue:
    """A value that gives an op's constructor a type to look at."""
    return llvm.UndefOp(type_).res


@functools.lru_cache(maxsize=4096)
def step_properties(by: int) -> dict[str, Attribute]:
    """Those of an llvm.getelementptr so many bytes on, or by an operand (GEP_USE_SSA_VAL).

    Always the same objects, as above.
    """
    operands = [anything(i32)] if by == llvm.GEP_USE_SSA_VAL else []
    return llvm.GEPOp(anything(PRIVATE_POINTER), [by], i8, operands, PRIVATE_POINTER).properties


class LLVMBuilder:
    """Inserts ops before `at`; everything it makes has the location of `at`."""

    def __init__(self, at: Operation, entry: EntryBlock):
        self.at = at
        self.entry = entry
        self._where = InsertPoint.before(at)

    def insert(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Insert `op`; its first result."""
        _place(op, self._where, self.at)
        result = op.results[0]
        result.name_hint = hint
        return result

    def run(self, op: Operation) -> None:
        """Insert an op without results."""
        _place(op, self._where, self.at)

    def make(
        self, op: type[Operation], operands: Sequence[SSAValue], result: Attribute, **properties: Attribute
    ) -> SSAValue:
        """Insert an op of one result, past its constructor: a fragment has hundreds of them."""
        made = assemble(op, operands, (result,), with_defaults(op, properties), {}, self.at.location)
        insert_at(self._where, made)
        (value,) = made.results
        return value

    def do(self, op: type[Operation], operands: Sequence[SSAValue], **properties: Attribute) -> None:
        """Insert an op without results, past its constructor as well."""
        insert_at(self._where, assemble(op, operands, (), with_defaults(op, properties), {}, self.at.location))

    def constant(self, value: int, type_: Integer = i32) -> SSAValue:
        """An integer constant."""
        return self.entry.constant(value, type_)

    def add(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a + b; nothing for a constant 0."""
        return a if b == 0 else self._binary(arith.AddiOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a - b"""
        return self._binary(arith.SubiOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a * b; nothing for a constant 1."""
        return a if b == 1 else self._binary(arith.MuliOp, a, b)

    def bit_and(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a & b"""
        return self._binary(arith.AndIOp, a, b)

    def bit_or(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a | b"""
        return self._binary(arith.OrIOp, a, b)

    def bit_xor(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a ^ b; nothing for a constant 0."""
        return a if b == 0 else self._binary(arith.XOrIOp, a, b)

    def shift(self, a: SSAValue, left: int) -> SSAValue:
        """a << left, or the logical a >> -left."""
        if left == 0:
            return a
        return self._binary(arith.ShLIOp if left > 0 else arith.ShRUIOp, a, abs(left))

    def shift_right_signed(self, a: SSAValue, by: int) -> SSAValue:
        """a >> by, keeping the sign."""
        return a if by == 0 else self._binary(arith.ShRSIOp, a, by)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """The i1 of an integer comparison."""
        return self.insert(CmpiOp(a, b, predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """a if condition else b"""
        return self.insert(SelectOp(condition, a, b))

    def trunc(self, value: SSAValue) -> SSAValue:
        """The low 32 bits."""
        return self.insert(arith.TruncIOp(value, i32))

    def pointer_to_int(self, pointer: SSAValue) -> SSAValue:
        """The address as i64."""
        return self.insert(llvm.PtrToIntOp(pointer, i64))

    def int_to_pointer(self, address: SSAValue) -> SSAValue:
        """The pointer to global memory at an address."""
        op = llvm.IntToPtrOp(address)
        Rewriter.replace_value_with_new_type(op.output, GLOBAL_POINTER)
        return self.insert(op)

    def pair(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """vector<2xi32> of both."""
        return self.vector([x, y])

    def vector(self, elements: Sequence[SSAValue]) -> SSAValue:
        """The vector of these elements, which are of one type."""
        type_ = vector_type(len(elements), elements[0].type)
        result = self.make(llvm.UndefOp, [], type_)
        for at, element in enumerate(elements):
            result = self.make(llvm.InsertElementOp, [result, element, self.constant(at)], type_)
        return result

    def shuffle(self, vector: SSAValue, picks: Sequence[int]) -> SSAValue:
        """The vector of the elements at `picks`; nothing when that is the vector itself."""
        length, element = vector_parts(vector)
        if list(picks) == list(range(length)):
            return vector
        return self.shuffle_two(vector, vector, picks, vector_type(len(picks), element))

    def shuffle_two(self, a: SSAValue, b: SSAValue, picks: Sequence[int], result: VectorType[Attribute]) -> SSAValue:
        """The vector of the elements at `picks` of two vectors, one behind the other."""
        return self.make(llvm.ShuffleVectorOp, [a, b], result, mask=shuffle_mask(tuple(picks)))

    def bitcast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The same bits as another type; nothing for the same type."""
        return value if value.type == type_ else self.make(llvm.BitcastOp, [value], type_)

    def element(self, vector: SSAValue, position: int) -> SSAValue:
        """One element of a vector."""
        return self.make(ExtractElementOp, [vector, self.constant(position)], vector_parts(vector)[1])

    def field(self, struct: SSAValue, position: int) -> SSAValue:
        """One field of a struct."""
        assert isinstance(struct.type, llvm.LLVMStructType)
        type_ = struct.type.types.data[position]
        return self.make(llvm.ExtractValueOp, [struct], type_, position=field_position(position))

    def struct(self, values: Sequence[SSAValue]) -> SSAValue:
        """The struct of these values."""
        type_ = struct_type([value.type for value in values])
        result = self.make(llvm.UndefOp, [], type_)
        for at, value in enumerate(values):
            result = self.make(llvm.InsertValueOp, [result, value], type_, position=field_position(at))
        return result

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The value as what Triton's type converter makes of it, or back."""
        return self.make(UnrealizedConversionCastOp, [value], type_)

    def call(self, name: str, arguments: Sequence[SSAValue], result: Attribute | None = None) -> SSAValue | None:
        """Call the subgroup builtin `name`, declared in the module on first use."""
        self.entry.declare(name, [argument.type for argument in arguments], result)
        op = llvm.CallOp(name, *arguments, return_type=result, calling_convention=SPIR_FUNCTION)
        _place(op, self._where, self.at)
        return op.results[0] if op.results else None

    def zeros_unless(
        self, condition: SSAValue, types: Sequence[VectorType[Attribute]], make: Callable[[LLVMBuilder], list[SSAValue]]
    ) -> list[SSAValue]:
        """The vectors that `make` builds, in a branch of its own, where the condition holds; zeros where not."""
        made, zeros = scf.YieldOp(), scf.YieldOp(*map(self.entry.zeros, types))
        branch = IfOp(condition, types, [made], [zeros])
        self.run(branch)
        made.location = zeros.location = self.at.location
        made.operands = make(LLVMBuilder(made, self.entry))
        return list(branch.results)

    def load(self, pointer: SSAValue, type_: Attribute) -> SSAValue:
        """Load from private memory."""
        return self.insert(llvm.LoadOp(pointer, type_))

    def _binary(self, op: type[Operation], a: SSAValue, b: SSAValue | int) -> SSAValue:
        if isinstance(b, int):
            b = self.constant(b, integer_type(a))
        return self.make(op, [a, b], a.type)


class EntryBlock:
    """The start of a function: what must not be repeated in a loop, or twice at all."""

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
        _place(op, where, self.function)
        self._last = op
        return op.results[0]

    def constant(self, value: int, type_: Integer) -> SSAValue:
        """An integer constant, made once for a function."""
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

    def not_a_number(self, type_: AnyFloat) -> SSAValue:
        """NaN of a floating-point type."""
        key = ("nan", type_)
        if key not in self._constants:
            self._constants[key] = self.insert(arith.ConstantOp(FloatAttr(float("nan"), type_), type_))
        return self._constants[key]

    def alloca(self, length: int, element: Attribute) -> SSAValue:
        """Room for one message's result.

        In the entry block an alloca is static; in a loop it would take more stack in every iteration.
        """
        return self.insert(llvm.AllocaOp(self.constant(length, i32), element, alignment=64))

    def room(self, words: int) -> Sequence[SSAValue]:
        """Pointers to so many 4-byte words of a thread's memory, one behind the other; the same all through a function.

        Whoever uses it is done with what is there before the next one comes.
        """
        if words not in self._rooms:
            start = self.alloca(words, i32)
            steps = (step_properties(4 * word) for word in range(1, words))
            self._rooms[words] = [start, *(self._add(llvm.GEPOp, [start], PRIVATE_POINTER, step) for step in steps)]
        return self._rooms[words]

    def once(self, name: str, result: Attribute) -> SSAValue:
        """The result of a builtin without arguments that is the same all through the function."""
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


def _place(op: Operation, where: InsertPoint, like: Operation) -> None:
    op.location = like.location
    insert_at(where, op)


def insert_at(where: InsertPoint, op: Operation) -> None:
    """Insert one op; xDSL's own way is for sequences of them, and hundreds are inserted."""
    if where.insert_before is not None:
        where.block.insert_op_before(op, where.insert_before)
    else:
        where.block.add_op(op)
