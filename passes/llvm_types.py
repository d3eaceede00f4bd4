"""Types, constants and properties of LLVM-dialect ops: each made once, so that a writer of IR prints it once."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    StringAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.typed import Integer, as_tensor
from dotload.dialect_ext.types import PointerType, TensorDescType

GLOBAL_POINTER = llvm.LLVMPointerType(IntAttr(1))
PRIVATE_POINTER = llvm.LLVMPointerType()
PASSTHROUGH = ArrayAttr([StringAttr("nounwind"), StringAttr("willreturn")])
NOT_EQUAL, UNSIGNED_LESS = "ne", "ult"
SIGNED_GREATER, SIGNED_AT_LEAST = "sgt", "sge"


@functools.lru_cache(maxsize=256)
def vector_type(length: int, element: Attribute) -> VectorType[Attribute]:
    """vector<length x element>"""
    return VectorType(element, [length])


def struct_type(elements: Sequence[Attribute]) -> llvm.LLVMStructType:
    """A literal struct."""
    return llvm.LLVMStructType.from_type_list(elements)


def block_pointer_type(type_: PointerType) -> llvm.LLVMStructType:
    """What a block pointer becomes: offsets, shapes and strides, then the base pointer."""
    tensor = as_tensor(type_.pointee)
    assert tensor is not None
    rank = len(tensor.get_shape())
    return struct_type([i32] * rank + [i64] * 2 * rank + [GLOBAL_POINTER])


def descriptor_type(type_: TensorDescType) -> llvm.LLVMStructType:
    """What a tensor descriptor becomes: shapes and strides, then the base pointer."""
    return struct_type([i64] * 2 * len(type_.block_type.get_shape()) + [GLOBAL_POINTER])


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
