"""LLVM's accesses of memory with the parts that xDSL lacks: atomic ones, volatile ones, scopes, flags of addresses."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, StringAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import TYPE, Derived, int_attr
from dotload.dialect_ext.directives import Enum, parse_enum, print_enum
from dotload.dialect_ext.operations import OwnSyntax

_IN_DICT = (ParsePropInAttrDict(),)
_NOT_ATOMIC = enums.ATOMIC_ORDERING.attr("not_atomic")
_SCOPE = "(`syncscope` `(` $syncscope^ `)`)? "


@irdl_custom_directive
class Atomic(CustomDirective):
    """`custom<Atomic>($syncscope, $ordering)`: `atomic syncscope("agent") acquire`, or nothing for a plain access."""

    syncscope: AttributeVariable
    ordering: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if not parser.parse_optional_keyword("atomic"):
            return
        if parser.parse_optional_keyword("syncscope"):
            with parser.in_parens():
                self.syncscope.set(state, parser.parse_attribute())
        parse_enum(self.ordering, parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if self.ordering.get(op) in (None, _NOT_ATOMIC):
            return
        state.print_whitespace(printer)
        printer.print_string("atomic")
        if (scope := self.syncscope.get(op)) is not None:
            printer.print_string(" syncscope(")
            printer.print_attribute(scope)
            printer.print_string(")")
        print_enum(self.ordering, printer, state, op)


class Access(OwnSyntax):
    """The properties that loads and stores share."""

    alignment = opt_prop_def(int_attr(64))
    ordering = prop_def(enums.ATOMIC_ORDERING, default_value=_NOT_ATOMIC)
    syncscope = opt_prop_def(StringAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    invariantGroup = opt_prop_def(UnitAttr)
    access_groups = opt_prop_def(ArrayAttr)
    alias_scopes = opt_prop_def(ArrayAttr)
    noalias_scopes = opt_prop_def(ArrayAttr)
    tbaa = opt_prop_def(ArrayAttr)
    irdl_options = _IN_DICT
    custom_directives = (Atomic,)


@irdl_op_definition
class LoadOp(Access, llvm.LoadOp):
    """`%x = llvm.load volatile %p atomic syncscope("agent") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32`"""

    name = "llvm.load"
    ptr = operand_def(llvm.LLVMPointerType)
    dereferenced_value = result_def()
    invariant = opt_prop_def(UnitAttr)
    dereferenceable = opt_prop_def()
    assembly_format = (
        "(`volatile` $volatile_^)? $ptr custom<Atomic>($syncscope, $ordering) (`invariant` $invariant^)? attr-dict "
        "`:` type($ptr) `->` type($dereferenced_value)"
    )


@irdl_op_definition
class StoreOp(Access, llvm.StoreOp):
    """`llvm.store volatile %x, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>`"""

    name = "llvm.store"
    value = operand_def()
    ptr = operand_def(llvm.LLVMPointerType)
    assembly_format = (
        "(`volatile` $volatile_^)? $value `,` $ptr custom<Atomic>($syncscope, $ordering) attr-dict "
        "`:` type($value) `,` type($ptr)"
    )


class ReadModifyWrite(IRDLOperation):
    """The properties that atomic updates share."""

    alignment = opt_prop_def(int_attr(64))
    syncscope = opt_prop_def(StringAttr)
    volatile_ = opt_prop_def(UnitAttr)
    irdl_options = _IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class AtomicRMWOp(ReadModifyWrite):
    """`%old = llvm.atomicrmw fadd %p, %x syncscope("agent") acq_rel : !llvm.ptr<1>, f32`"""

    name = "llvm.atomicrmw"
    bin_op = prop_def(enums.ATOMIC_BIN_OP)
    ptr = operand_def(llvm.LLVMPointerType)
    val = operand_def(TYPE)
    ordering = prop_def(enums.ATOMIC_ORDERING)
    res = result_def(TYPE)
    assembly_format = (
        f"(`volatile` $volatile_^)? custom<Enum>($bin_op) $ptr `,` $val {_SCOPE}custom<Enum>($ordering) attr-dict "
        "`:` type($ptr) `,` type($val)"
    )


def _exchanged(value: Attribute) -> Attribute:
    return llvm.LLVMStructType.from_type_list([value, i1])


@irdl_op_definition
class CmpXchgOp(ReadModifyWrite):
    """`%old_and_success = llvm.cmpxchg weak %p, %expected, %new acq_rel monotonic : !llvm.ptr<1>, i32`"""

    name = "llvm.cmpxchg"
    weak = opt_prop_def(UnitAttr)
    ptr = operand_def(llvm.LLVMPointerType)
    cmp = operand_def(TYPE)
    val = operand_def(TYPE)
    success_ordering = prop_def(enums.ATOMIC_ORDERING)
    failure_ordering = prop_def(enums.ATOMIC_ORDERING)
    res = result_def(Derived("TYPE", _exchanged))
    assembly_format = (
        f"(`weak` $weak^)? (`volatile` $volatile_^)? $ptr `,` $cmp `,` $val {_SCOPE}custom<Enum>($success_ordering) "
        "custom<Enum>($failure_ordering) attr-dict `:` type($ptr) `,` type($val)"
    )


@irdl_op_definition
class FenceOp(IRDLOperation):
    """`llvm.fence syncscope("workgroup") release`"""

    name = "llvm.fence"
    ordering = prop_def(enums.ATOMIC_ORDERING)
    syncscope = opt_prop_def(StringAttr)
    irdl_options = _IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = f"{_SCOPE}custom<Enum>($ordering) attr-dict"


@irdl_op_definition
class AllocaOp(OwnSyntax, llvm.AllocaOp):
    """`%p = llvm.alloca inalloca %n x i32 {alignment = 8 : i64} : (i32) -> !llvm.ptr`"""

    name = "llvm.alloca"
    size = operand_def(IntegerType)
    elem_type = prop_def()
    alignment = opt_prop_def(IntegerAttr)
    inalloca = opt_prop_def(UnitAttr)
    res = result_def(llvm.LLVMPointerType)
    irdl_options = _IN_DICT
    assembly_format = "(`inalloca` $inalloca^)? $size `x` $elem_type attr-dict `:` functional-type(operands, $res)"


@irdl_op_definition
class VaArgOp(IRDLOperation):
    """`%x = llvm.va_arg %list : (!llvm.ptr) -> i32`: the next argument of a variadic function."""

    name = "llvm.va_arg"
    arg = operand_def(llvm.LLVMPointerType)
    res = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$arg attr-dict `:` functional-type(operands, $res)"


# Bits of LLVM's GEPNoWrapFlags; `inbounds` implies `nusw`.
_NO_WRAP = {"inbounds": 3, "nusw": 2, "nuw": 4, "inbounds_flag": 1}


class GEPOp(llvm.GEPOp):
    """`%q = llvm.getelementptr inbounds|nuw %p[%i, 3] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<4 x f32>`"""

    @classmethod
    def parse(cls, parser: Parser) -> llvm.GEPOp:
        flags = [word] if (word := parser.parse_optional_keyword_in(_NO_WRAP)) else []
        while flags and parser.parse_optional_punctuation("|"):
            flags.append(parser.expect(lambda: parser.parse_optional_keyword_in(_NO_WRAP), "flag expected"))
        op = super().parse(parser)
        bits = 0
        for word in flags:
            bits |= _NO_WRAP[word]
        op.noWrapFlags = IntegerAttr(bits, i32)
        return op

    def print(self, printer: Printer) -> None:
        left, words = self.noWrapFlags.value.data, list[str]()
        for word, bits in _NO_WRAP.items():
            if left & bits == bits:
                words.append(word)
                left &= ~bits
        if words and self.inbounds is None:
            printer.print_string(f" {'|'.join(words)}")
        super().print(printer)


ACCESSES = (LoadOp, StoreOp, AtomicRMWOp, CmpXchgOp, FenceOp, AllocaOp, VaArgOp, GEPOp)
