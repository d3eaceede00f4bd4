"""Types, constants and properties of LLVM-dialect ops, each created once, so that an IR writer prints it once."""

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
    """The struct of a block pointer: offsets, shapes and strides, then the base pointer."""
    tensor = as_tensor(type_.pointee)
    assert tensor is not None
    rank = len(tensor.get_shape())
    return struct_type([i32] * rank + [i64] * 2 * rank + [GLOBAL_POINTER])


def descriptor_type(type_: TensorDescType) -> llvm.LLVMStructType:
    """The struct of a tensor descriptor: shapes and strides, then the base pointer."""
    return struct_type([i64] * 2 * len(type_.block_type.get_shape()) + [GLOBAL_POINTER])


@functools.lru_cache(maxsize=4096)
def field_position(position: int) -> DenseArrayBase:
    """The position of a struct's field; always the same object, which an IR writer prints only once."""
    return DenseArrayBase.from_list(i64, [position])


@functools.lru_cache(maxsize=4096)
def integer(value: int, type_: Integer) -> IntegerAttr[Integer]:
    """A number as an attribute; always the same object, as above."""
    return IntegerAttr(value, type_)


@functools.lru_cache(maxsize=4096)
def shuffle_mask(picks: tuple[int, ...]) -> DenseArrayBase:
    """The selected elements of two vectors; always the same object, as above."""
    return DenseArrayBase.from_list(i32, list(picks))


def anything(type_: Attribute) -> SSAValue:
    """A value by which an op's constructor can see a type."""
    return llvm.UndefOp(type_).res


@functools.lru_cache(maxsize=4096)
def step_properties(by: int) -> dict[str, Attribute]:
    """Properties of an llvm.getelementptr by a number of bytes, or by an operand (GEP_USE_SSA_VAL).

    Always the same objects, as above.
    """
    operands = [anything(i32)] if by == llvm.GEP_USE_SSA_VAL else []
    return llvm.GEPOp(anything(PRIVATE_POINTER), [by], i8, operands, PRIVATE_POINTER).properties
