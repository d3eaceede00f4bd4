"""Builder of LLVM-dialect ops and scalar arithmetic at one place of a function.

Constants and allocas go to the function's entry block.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import VectorType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.arith import INTEGER_PREDICATE, CmpiOp, SelectOp
from dotload.dialect_ext.llvm import SPIR_FUNCTION, ExtractElementOp
from dotload.dialect_ext.operations import assemble, with_defaults
from dotload.dialect_ext.scf import ForOp, IfOp
from dotload.dialect_ext.typed import Integer, create, integer_type, vector_parts
from dotload.passes.ir.inserter import Inserter
from dotload.passes.ir.motion import insert_at
from dotload.passes.llvm.entry_block import EntryBlock
from dotload.passes.llvm.types import GLOBAL_POINTER, field_position, shuffle_mask, struct_type, vector_type


class LLVMInserter(Inserter):
    """Inserts ops of the LLVM dialect."""

    @abstractmethod
    def constant(self, value: int, type_: Integer = i32) -> SSAValue:
        """An integer constant."""

    def bitcast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The same bits as another type; no op for the same type."""
        return value if value.type == type_ else self.make(llvm.BitcastOp, [value], type_)

    def pointer_to_int(self, pointer: SSAValue) -> SSAValue:
        """The address as i64."""
        return self.make(llvm.PtrToIntOp, [pointer], i64)

    def int_to_pointer(self, address: SSAValue) -> SSAValue:
        """The pointer to global memory at an address."""
        return self.make(llvm.IntToPtrOp, [address], GLOBAL_POINTER)

    def vector(self, elements: Sequence[SSAValue]) -> SSAValue:
        """The vector of these elements, which are of one type."""
        type_ = vector_type(len(elements), elements[0].type)
        result = self.make(llvm.UndefOp, [], type_)
        for at, element in enumerate(elements):
            result = self.make(llvm.InsertElementOp, [result, element, self.constant(at)], type_)
        return result

    def element(self, vector: SSAValue, position: int) -> SSAValue:
        """One element of a vector."""
        return self.make(ExtractElementOp, [vector, self.constant(position)], vector_parts(vector)[1])

    def shuffle_two(self, a: SSAValue, b: SSAValue, picks: Sequence[int], result: VectorType[Attribute]) -> SSAValue:
        """The vector of the elements at `picks` of the concatenation of two vectors."""
        return self.make(llvm.ShuffleVectorOp, [a, b], result, mask=shuffle_mask(tuple(picks)))

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


class LLVMBuilder(LLVMInserter):
    """Inserts ops before `at`; every op gets the location of `at`."""

    def __init__(self, at: Operation, entry: EntryBlock):
        super().__init__(InsertPoint.before(at), at)
        self.entry = entry

    def do(self, op: type[Operation], operands: Sequence[SSAValue], **properties: Attribute) -> None:
        """Insert an op without results, bypassing its constructor, as `make` does."""
        insert_at(self.where, assemble(op, operands, (), with_defaults(op, properties), {}, self.origin.location))

    def constant(self, value: int, type_: Integer = i32) -> SSAValue:
        """An integer constant."""
        return self.entry.constant(value, type_)

    def add(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a + b; no op for a constant 0."""
        return a if b == 0 else self._binary(arith.AddiOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a - b"""
        return self._binary(arith.SubiOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a * b; no op for a constant 1."""
        return a if b == 1 else self._binary(arith.MuliOp, a, b)

    def bit_and(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a & b"""
        return self._binary(arith.AndIOp, a, b)

    def or_vectors(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a | b, of vectors. Not by `arith`: the analyses of Triton 3.3 fail on its ops if these have no tensors."""
        return self.make(llvm.OrOp, [a, b], a.type)

    def bit_xor(self, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """a ^ b; no op for a constant 0."""
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
        return self.make(CmpiOp, [a, b], i1, predicate=INTEGER_PREDICATE.attr(predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """a if condition else b"""
        return self.make(SelectOp, [condition, a, b], a.type)

    def trunc(self, value: SSAValue) -> SSAValue:
        """The low 32 bits."""
        return self.make(arith.TruncIOp, [value], i32)

    def shuffle(self, vector: SSAValue, picks: Sequence[int]) -> SSAValue:
        """The vector of the elements at `picks`; no op if that is the vector itself."""
        length, element = vector_parts(vector)
        if list(picks) == list(range(length)):
            return vector
        return self.shuffle_two(vector, vector, picks, vector_type(len(picks), element))

    def call(self, name: str, arguments: Sequence[SSAValue], result: Attribute) -> SSAValue:
        """Call the subgroup builtin `name`, which returns a value."""
        return self.insert(self._call(name, arguments, result))

    def call_void(self, name: str, arguments: Sequence[SSAValue]) -> None:
        """Call the subgroup builtin `name`, which returns nothing."""
        self.run(self._call(name, arguments, None))

    def _call(self, name: str, arguments: Sequence[SSAValue], result: Attribute | None) -> llvm.CallOp:
        """A call of a builtin, which is declared in the module on first use."""
        self.entry.declare(name, [argument.type for argument in arguments], result)
        return llvm.CallOp(name, *arguments, return_type=result, calling_convention=SPIR_FUNCTION)

    def conditional(
        self, condition: SSAValue, otherwise: Sequence[SSAValue], make: Callable[[LLVMBuilder], list[SSAValue]]
    ) -> list[SSAValue]:
        """The values that `make` builds, in its own branch, if the condition holds; `otherwise` if not."""
        made, kept = scf.YieldOp(), scf.YieldOp(*otherwise)
        branch = IfOp(condition, [value.type for value in otherwise], [made], [kept])
        self.run(branch)
        made.location = kept.location = self.origin.location
        made.operands = make(LLVMBuilder(made, self.entry))
        return list(branch.results)

    def repeat(
        self,
        times: int,
        first: Sequence[SSAValue],
        make: Callable[[LLVMBuilder, SSAValue, Sequence[SSAValue]], list[SSAValue]],
    ) -> list[SSAValue]:
        """A loop: `make` builds the next values from the previous ones; it is given the iteration's number, from 0."""
        made, types = scf.YieldOp(), [value.type for value in first]
        body = Block([made], arg_types=[i32, *types])
        bounds = map(self.constant, (0, times, 1))
        loop = create(ForOp, operands=(*bounds, *first), result_types=types, regions=(Region(body),))
        self.run(loop)
        made.location = self.origin.location
        number, *before = body.args
        made.operands = make(LLVMBuilder(made, self.entry), number, before)
        return list(loop.results)

    def _binary(self, op: type[Operation], a: SSAValue, b: SSAValue | int) -> SSAValue:
        if isinstance(b, int):
            b = self.constant(b, integer_type(a))
        return self.make(op, [a, b], a.type)
