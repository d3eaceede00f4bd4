"""Triton's types.

!tt.ptr<f16>, !tt.ptr<f16, 3>             a pointer; the address space is omitted for global memory (1)
!tt.ptr<tensor<256x32xf16, #dot0>>        a block pointer (Triton up to 3.8)
!tt.tensordesc<tensor<128x64xf16>>        a tensor descriptor; Triton 3.9 writes !tt.tensordesc<128x64xf16, #shared>
!ttg.memdesc<3x128x64xf16, #shared, #smem, mutable, 4x128x64>     a view of shared memory
!ttg.async.token
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Self
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    IntAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.typed import as_tensor

GLOBAL_MEMORY = 1
# Encodings of tensors in registers.
_OF_REGISTERS = (
    *("ttg.blocked", "ttg.linear", "ttg.slice", "ttg.dot_op", "ttg.nvidia_mma", "ttg.amd_mfma", "ttg.amd_wmma"),
    *("ttig.dpas", "ttig.warp", "ttig.subgroup_2d_block"),
)


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """`!tt.ptr<pointee[, address space]>`; the address space is a number, or a quoted name in Triton 3.9."""

    name = "tt.ptr"

    pointee: Attribute = param_def()
    address_space: IntAttr | StringAttr = param_def()

    def __init__(self, pointee: Attribute, address_space: int | IntAttr | StringAttr = GLOBAL_MEMORY):
        if isinstance(address_space, int):
            address_space = IntAttr(address_space)
        super().__init__(pointee, address_space)

    def verify(self) -> None:
        if not isinstance(element_of(self.pointee), IntegerType | AnyFloat | PointerType):
            raise VerifyException(f"pointer types must point to integer or floating-point types, not {self.pointee}")

    @property
    def is_global(self) -> bool:
        return self.address_space.data in (GLOBAL_MEMORY, "global")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pointee = parser.parse_type()
            if not parser.parse_optional_punctuation(","):
                return pointee, IntAttr(GLOBAL_MEMORY)
            name = parser.parse_optional_str_literal()
            return pointee, IntAttr(parser.parse_integer()) if name is None else StringAttr(name)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.pointee)
            match self.address_space:
                case IntAttr(data=number):
                    if number != GLOBAL_MEMORY:
                        printer.print_string(f", {number}")
                case StringAttr(data=name):
                    printer.print_string(f', "{name}"')


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute):
    """`!tt.tensordesc<...>` of a block of memory; `wrapped`: the block is written as a tensor type."""

    name = "tt.tensordesc"

    block_type: TensorType[Attribute] = param_def()
    wrapped: UnitAttr | NoneAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dims, element = parser.parse_ranked_shape()
            if not dims and (tensor := as_tensor(element)) is not None:
                return tensor, UnitAttr()
            encoding = parser.parse_attribute() if parser.parse_optional_punctuation(",") else NoneAttr()
            return TensorType(element, dims, encoding), NoneAttr()

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if isinstance(self.wrapped, UnitAttr):
                printer.print_attribute(self.block_type)
                return
            print_shaped(printer, self.block_type.get_shape(), self.block_type.element_type)
            if not isinstance(self.block_type.encoding, NoneAttr):
                printer.print_string(", ")
                printer.print_attribute(self.block_type.encoding)


@irdl_attr_definition
class TensorDescIm2ColType(ParametrizedAttribute, TypeAttribute):
    """`!ttng.tensordesc_im2col<64x128xf16, #shared>`: a descriptor read through the im2col addressing of TMA."""

    name = "ttng.tensordesc_im2col"

    block_type: TensorType[Attribute] = param_def()
    wrapped: UnitAttr | NoneAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return TensorDescType.parse_parameters(parser)

    print_parameters = TensorDescType.print_parameters


@irdl_attr_definition
class MemDescType(ParametrizedAttribute, TypeAttribute):
    """`!ttg.memdesc<shape x element, encoding, memory space[, mutable][, allocation's shape]>`."""

    name = "ttg.memdesc"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()
    encoding: Attribute = param_def()
    memory_space: Attribute = param_def()
    mutable: UnitAttr | NoneAttr = param_def()
    alloc_shape: ArrayAttr[IntAttr] = param_def()

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        element_type: Attribute,
        encoding: Attribute,
        memory_space: Attribute,
        *,
        mutable: bool = True,
    ) -> Self:
        dims, is_mutable = _dims(shape), UnitAttr() if mutable else NoneAttr()
        return cls(dims, element_type, encoding, memory_space, is_mutable, dims)

    def get_shape(self) -> tuple[int, ...]:
        return tuple(dim.data for dim in self.shape)

    def part(self, shape: Sequence[int]) -> Self:
        """The type of a part of the memory."""
        return type(self)(
            _dims(shape), self.element_type, self.encoding, self.memory_space, self.mutable, self.alloc_shape
        )

    def view(self, shape: Sequence[int], element_type: Attribute, encoding: Attribute) -> Self:
        """The type of all of the memory, seen as a tile of that shape."""
        dims = _dims(shape)
        return type(self)(dims, element_type, encoding, self.memory_space, self.mutable, dims)

    def verify(self) -> None:
        if NoneAttr() in (self.encoding, self.memory_space):
            example = f"!{self.name}<8x16xf16, #shared, #smem>"
            raise VerifyException(f"!{self.name} needs an encoding and a memory space, as in {example}")
        if self.encoding.name in _OF_REGISTERS:
            raise VerifyException(f"!{self.name}: #{self.encoding.name} is a layout of registers, not one of memory")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element = parser.parse_ranked_shape()
            encoding = memory_space = NoneAttr()
            mutable: UnitAttr | NoneAttr = NoneAttr()
            alloc_shape = shape
            if parser.parse_optional_punctuation(","):
                encoding = parser.parse_attribute()
            if parser.parse_optional_punctuation(","):
                memory_space = parser.parse_attribute()
            while parser.parse_optional_punctuation(","):
                if parser.parse_optional_keyword("mutable"):
                    mutable = UnitAttr()
                else:
                    alloc_shape = parser.parse_dimension_list()
        return _dims(shape), element, encoding, memory_space, mutable, _dims(alloc_shape)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_shaped(printer, self.get_shape(), self.element_type)
            for part in (self.encoding, self.memory_space):
                if not isinstance(part, NoneAttr):
                    printer.print_string(", ")
                    printer.print_attribute(part)
            if isinstance(self.mutable, UnitAttr):
                printer.print_string(", mutable")
            if self.alloc_shape != self.shape:
                printer.print_string(", ")
                printer.print_dimension_list([dim.data for dim in self.alloc_shape])


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """`!ttg.async.token`: orders an asynchronous copy before its wait."""

    name = "ttg.async.token"


def _dims(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(dim) for dim in shape])


def print_shaped(printer: Printer, shape: Sequence[int], element: Attribute) -> None:
    """`128x64xf16`"""
    for dim in shape:
        printer.print_string("?x" if dim == DYNAMIC_INDEX else f"{dim}x")
    printer.print_attribute(element)


def pointee_of(type_: Attribute) -> Attribute | None:
    """The pointee of a pointer type; None for other types."""
    return type_.pointee if isinstance(type_, PointerType) else None


def pointee_type(type_: Attribute) -> Attribute:
    """The type loaded through `type_`: f16 for !tt.ptr<f16>, tensor<8xf16, #e> for tensor<8x!tt.ptr<f16>, #e>."""
    match type_:
        case PointerType():
            return type_.pointee
        case TensorType(element_type=PointerType() as pointer):
            return with_element(type_, pointer.pointee)
        case _:
            raise ValueError(f"expected a pointer or a tensor of pointers, got {type_}")


def with_element(type_: TensorType[Attribute], element: Attribute) -> TensorType[Attribute]:
    """The same tensor (shape and encoding) with other elements."""
    return TensorType(element, type_.shape, type_.encoding)


def with_encoding(type_: TensorType[Attribute], encoding: Attribute) -> TensorType[Attribute]:
    """The same tensor (shape and elements) in another layout."""
    return TensorType(type_.element_type, type_.shape, encoding)


def same_shape(type_: Attribute, element: Attribute) -> Attribute:
    """`element` in the shape and encoding of `type_`; `element` itself if `type_` is a scalar."""
    tensor = as_tensor(type_)
    return element if tensor is None else with_element(tensor, element)


def mask_type(pointer: Attribute) -> Attribute:
    """Type of the mask of a load or store through `pointer`: one i1 for each element."""
    return same_shape(pointee_type(pointer), i1)


def element_of(type_: Attribute) -> Attribute:
    """Element type of a tensor or memory descriptor, the type itself for a scalar."""
    shaped = type_ if isinstance(type_, MemDescType) else as_tensor(type_)
    return type_ if shaped is None else shaped.element_type


def element_bits(type_: Attribute) -> int:
    """Size in bits of one element of a tensor, memory descriptor or scalar; a pointer has 64."""
    element = element_of(type_)
    match element:
        case IntegerType():
            return element.width.data
        case PointerType():
            return 64
        case _:
            bits = getattr(element, "bitwidth", None)
            if not isinstance(bits, int):
                raise ValueError(f"{element} has no size in bits")
            return bits
