"""Power-of-two scales for the rows of a tile: computed from its elements, and broadcast to tiles of any layout."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i16, i32
from xdsl.ir import Attribute, Block, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.arith import ExtUIOp
from dotload.dialect_ext.tt_compute import BitcastOp, BroadcastOp, ExpandDimsOp
from dotload.dialect_ext.tt_regions import ReduceOp, ReduceReturnOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import with_element
from dotload.passes.ir.emitter import Emitter

BIAS = 127
"""The exponent of 1 in bf16 and f32."""
BF16_MANTISSA_BITS, F32_MANTISSA_BITS = 7, 23
BF16_EXPONENT = 0xFF << BF16_MANTISSA_BITS


@dataclass(frozen=True)
class RowScales:
    """Emits row scales at one place; a row lies along `axis`. Exponents are biased, in i32."""

    axis: int
    emitter: Emitter

    def largest_exponents(self, tile: SSAValue) -> SSAValue:
        """The largest bf16 exponent in each row: 255 for infinities or NaN."""
        type_ = tensor_type(tile)
        bits = self.emitter.insert(BitcastOp(tile, with_element(type_, i16)))
        wide = self.emitter.make(ExtUIOp, [bits], with_element(type_, i32))
        exponents = self.emitter.with_number(arith.AndIOp, wide, BF16_EXPONENT)
        return self.maximum(self.emitter.with_number(arith.ShRUIOp, exponents, BF16_MANTISSA_BITS))

    def number_minus(self, number: int, value: SSAValue) -> SSAValue:
        """The number minus the integers."""
        return self.emitter.insert(arith.SubiOp(self.emitter.splat(number, tensor_type(value)), value))

    def power_of_two(self, exponents: SSAValue) -> SSAValue:
        """2 to the exponents, as f32."""
        bits = self.emitter.with_number(arith.ShLIOp, exponents, F32_MANTISSA_BITS)
        return self.emitter.insert(BitcastOp(bits, with_element(tensor_type(bits), f32)))

    def maximum(self, tile: SSAValue) -> SSAValue:
        """The maximum of each row, of integers."""
        tensor = tensor_type(tile)
        block = Block(arg_types=[tensor.element_type, tensor.element_type])
        larger = arith.MaxSIOp(block.args[0], block.args[1])
        block.add_ops([larger, ReduceReturnOp(larger.result)])
        return self.emitter.insert(ReduceOp(tile, self.axis, block, self.vector_of(tensor)))

    def vector_of(self, tile: TensorType[Attribute]) -> TensorType[Attribute]:
        """The type of a vector with one element for each row of such a tile."""
        shape = [size for dim, size in enumerate(tile.get_shape()) if dim != self.axis]
        return TensorType(tile.element_type, shape, attrs.SliceEncoding.of(dim=self.axis, parent=tile.encoding))

    def in_rows_of(self, tile: TensorType[Attribute], vector: SSAValue) -> SSAValue:
        """The vector, in the layout of such a tile's rows."""
        new = self.vector_of(with_element(tile, tensor_type(vector).element_type))
        return vector if new == vector.type else self.emitter.insert(ConvertLayoutOp(vector, new))

    def spread(self, vector: SSAValue, tile: TensorType[Attribute]) -> SSAValue:
        """The vector, broadcast along the rows of such a tile."""
        type_ = with_element(tile, tensor_type(vector).element_type)
        shape = [1 if dim == self.axis else size for dim, size in enumerate(tile.get_shape())]
        column = TensorType(type_.element_type, shape, tile.encoding)
        expanded = self.emitter.insert(ExpandDimsOp(self.in_rows_of(tile, vector), self.axis, column))
        return self.emitter.insert(BroadcastOp(expanded, type_))
