"""Builder of LLVM-dialect ops in place of one `triton_gen` op, in the order in which Intel's compiler creates them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from dotload.dialect_ext.llvm import SPIR_FUNCTION, CallOp, ConstantOp, FuncOp, MemoryEffectsAttr
from dotload.dialect_ext.typed import Integer, create
from dotload.passes.llvm.builder import LLVMInserter
from dotload.passes.llvm.types import PRIVATE_POINTER

UNIT = UnitAttr()
NONNULL, READONLY, WRITEONLY = "llvm.nonnull", "llvm.readonly", "llvm.writeonly"
# LLVM's kinds of memory: up to Triton 3.6 the first three.
_MEMORIES = ("other", "argMem", "inaccessibleMem", "errnoMem", "targetMem0", "targetMem1")


@functools.lru_cache(maxsize=1)
def _memories() -> tuple[str, ...]:
    """The kinds of memory in the LLVM of the installed Triton."""
    try:
        version = tuple(map(int, metadata.version("triton").split(".")[:2]))
    except (metadata.PackageNotFoundError, ValueError):
        return _MEMORIES
    return _MEMORIES if version >= (3, 7) else _MEMORIES[:3]


@functools.lru_cache(maxsize=4)
def memory_effects(arguments: str) -> MemoryEffectsAttr:
    """Effects on the memory that the arguments point to (`none`, `read`, `readwrite`) and on nothing else."""
    effects = {memory: StringAttr(arguments if memory == "argMem" else "none") for memory in _memories()}
    return MemoryEffectsAttr(DictionaryAttr(effects))


@dataclass(frozen=True)
class Callee:
    """A called function: its name, and what the compiler may assume of it.

    `memory`: its effect on the memory that its arguments point to; None for any effect. `parameters`: attributes of
    some of its parameters. `bare`: neither declaration nor call has attributes.
    """

    name: str
    convergent: bool = False
    will_return: bool = True
    memory: str | None = None
    parameters: Mapping[int, Sequence[str]] | None = None
    bare: bool = False

    def attributes(self) -> dict[str, Attribute]:
        """The attributes of an llvm.func or an llvm.call."""
        if self.bare:
            return {}
        found: dict[str, Attribute] = {"no_unwind": UNIT}
        if self.convergent:
            found["convergent"] = UNIT
        if self.will_return:
            found["will_return"] = UNIT
        if self.memory is not None:
            found["memory_effects"] = memory_effects(self.memory)
        return found

    def parameter_attributes(self, count: int) -> ArrayAttr[DictionaryAttr] | None:
        """The attributes of all parameters; None if no parameter has any."""
        given = self.parameters or {}
        each = [DictionaryAttr(dict.fromkeys(given.get(at, ()), UNIT)) for at in range(count)]
        return ArrayAttr(each) if given else None


class GenBuilder(LLVMInserter):
    """Inserts ops before `at`, with its location."""

    def __init__(self, at: Operation, module: ModuleOp):
        super().__init__(InsertPoint.before(at), at)
        self.module = module

    def constant(self, value: int, type_: Integer = i32) -> SSAValue:
        """`llvm.mlir.constant`"""
        return self.make(ConstantOp, [], type_, value=IntegerAttr(value, type_))

    def binary(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """An op on two operands, whose result has their type."""
        return self.make(op, [a, b], a.type)

    def trunc(self, value: SSAValue) -> SSAValue:
        """The low 32 bits."""
        return self.make(llvm.TruncOp, [value], i32, overflowFlags=llvm.OverflowAttr("none"))

    def alloca(self, length: int, element: Attribute) -> SSAValue:
        """An alloca for this many elements in a lane's local memory."""
        return self.make(llvm.AllocaOp, [self.constant(length)], PRIVATE_POINTER, elem_type=element)

    def call(self, callee: Callee, arguments: Sequence[SSAValue], result: Attribute, **extra: Attribute) -> SSAValue:
        """Call a builtin that returns a value."""
        return self.insert(self._call(callee, arguments, result, extra))

    def call_void(self, callee: Callee, arguments: Sequence[SSAValue], **extra: Attribute) -> None:
        """Call a builtin that returns nothing."""
        self.run(self._call(callee, arguments, None, extra))

    def _call(
        self, callee: Callee, arguments: Sequence[SSAValue], result: Attribute | None, extra: Mapping[str, Attribute]
    ) -> Operation:
        """A call of a builtin, declared in the module on first use; the call repeats the declaration's attributes."""
        function = self._declared(callee, arguments, result)
        shown = () if callee.bare else ("function_type", "linkage", "sym_name", "visibility_")
        effects = callee.attributes()
        parameters = callee.parameter_attributes(len(arguments))
        properties: dict[str, Attribute] = {
            "callee": SymbolRefAttr(callee.name),
            "CConv": SPIR_FUNCTION,
            "fastmathFlags": llvm.FastMathAttr("none"),
            "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
            "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(arguments), 0]),
            **effects,
            **({} if parameters is None else {"arg_attrs": parameters}),
        }
        return create(
            CallOp,
            operands=arguments,
            result_types=[] if result is None else [result],
            properties=properties,
            attributes={**{name: function.properties[name] for name in shown}, **extra},
        )

    def _declared(self, callee: Callee, arguments: Sequence[SSAValue], result: Attribute | None) -> Operation:
        known = SymbolTable.lookup_symbol(self.module, StringAttr(callee.name))
        if known is not None:
            return known
        types = [argument.type for argument in arguments]
        parameters = callee.parameter_attributes(len(types))
        declaration = FuncOp(
            callee.name,
            llvm.LLVMFunctionType(types, result),
            llvm.LinkageAttr("external"),
            SPIR_FUNCTION,
            other_props={**callee.attributes(), **({} if parameters is None else {"arg_attrs": parameters})},
        )
        Rewriter.insert_op(declaration, InsertPoint.at_start(self.module.body.block))
        return declaration

    def replace(self, *values: SSAValue) -> None:
        """Replace the op's results by these values."""
        Rewriter.replace_op(self.origin, [], list(values))
