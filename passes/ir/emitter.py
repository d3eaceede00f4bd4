"""New ops at one place, each with the source location of the op that it replaces.

Views of a tensor (`dotload.layout.views`) become reshape and trans ops, each with the type that Triton infers. An index
permutation (`dotload.layout.index_permutation`) is a `builtin.unrealized_conversion_cast` of its registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import JoinOp, ReshapeOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, MemDescTransOp
from dotload.dialect_ext.typed import Integer, tensor_type
from dotload.dialect_ext.types import MemDescType, with_encoding
from dotload.layout import encodings as enc
from dotload.layout.index_permutation import IndexPermutation
from dotload.layout.views import Reshape, Transpose, View, joined
from dotload.passes.ir.constants import splat
from dotload.passes.ir.inserter import Inserter
from dotload.passes.ir.layouts import (
    CACHED,
    encoding_attribute,
    layout_of,
    layout_of_type,
    linear_tensor,
)
from dotload.passes.ir.memory import memory_type


class Emitter(Inserter):
    """Inserts ops on tensors and on tiles in shared memory."""

    @staticmethod
    def before(op: Operation, origin: Operation | None = None) -> Emitter:
        """An emitter before `op`."""
        return Emitter(InsertPoint.before(op), origin or op)

    @staticmethod
    def after(op: Operation, origin: Operation | None = None) -> Emitter:
        """An emitter after `op`."""
        return Emitter(InsertPoint.after(op), origin or op)

    def insert_as(self, op: Operation, type_: Attribute) -> SSAValue:
        """Insert `op`, for example a copy in another layout, with a result of that type."""
        return Rewriter.replace_value_with_new_type(self.insert(op), type_)

    def constant(self, number: int, type_: Integer = i32) -> SSAValue:
        """An integer."""
        return self.insert(arith.ConstantOp(IntegerAttr(number, type_)))

    def splat(self, number: float, type_: TensorType[Attribute]) -> SSAValue:
        """A tensor whose elements are all the same number."""
        return self.insert(splat(number, type_))

    def with_number(self, op: Callable[[SSAValue, SSAValue], Operation], value: SSAValue, number: float) -> SSAValue:
        """An op on each element of a tensor and a number."""
        return self.insert(op(value, self.splat(number, tensor_type(value))))

    def tensor_views(self, value: SSAValue, views: Sequence[View]) -> SSAValue:
        """Reshapes and transposes of a tensor, each in the layout that makes it free."""
        for view in views:
            new = viewed_tensor(tensor_type(value), view)
            if isinstance(view, Reshape):
                value = self.insert(ReshapeOp(value, new))
            else:
                value = self.insert(TransOp(value, view.order, new))
        return value

    def joined(self, first: SSAValue, second: SSAValue) -> SSAValue:
        """Both tensors along a new last dim, in the layout that Triton infers."""
        layout = joined(layout_of(first))
        return self.insert(JoinOp(first, second, linear_tensor(tensor_type(first).element_type, layout)))

    def in_layout(self, value: SSAValue, encoding: Attribute) -> SSAValue:
        """A tensor converted to a layout."""
        return self.insert(ConvertLayoutOp(value, with_encoding(tensor_type(value), encoding)))

    def transposed(self, memory: SSAValue) -> SSAValue:
        """A view of a tile in memory with its two dims exchanged."""
        return self.insert(MemDescTransOp(memory, (1, 0), transposed_memory(memory_type(memory))))

    def permuted(self, value: SSAValue, permutation: IndexPermutation) -> SSAValue:
        """The registers of a tensor, as a tensor with permuted indices.

        This is one op, which Triton's conversion to LLVM folds. Reshapes and transposes would be three, whose layouts
        MLIR infers again after each pass. It is for values of which Triton's axis analysis knows nothing, such as sums
        of dots: that assumes that a cast leaves each element at its index.
        """
        if permutation.is_identity:
            return value
        return self.cast(value, viewed_tensor(tensor_type(value), permutation))

    def stage(self, tile: SSAValue, raw: enc.Encoding) -> SSAValue:
        """Store a loaded tile to shared memory, in the layout `raw`."""
        tensor = tensor_type(tile)
        space = attrs.SharedMemorySpace.of()
        memory = MemDescType.of(tensor.get_shape(), tensor.element_type, encoding_attribute(raw), space, mutable=False)
        return self.insert(LocalAllocOp(tile, memory))


@lru_cache(maxsize=CACHED)
def viewed_tensor(old: TensorType[Attribute], view: View | IndexPermutation) -> TensorType[Attribute]:
    """The type of a view of a tensor, or of a tensor with permuted indices: each element stays in its register."""
    return linear_tensor(old.element_type, view.layout(layout_of_type(old)))


@lru_cache(maxsize=CACHED)
def transposed_memory(old: MemDescType) -> MemDescType:
    """The type that Triton infers for a tile with its dims exchanged: the same kind of encoding, if possible."""
    assert isinstance(old.encoding, attrs.EncodingAttr)
    encoding = old.encoding.to_encoding()
    match encoding:
        case enc.SwizzledShared():
            encoding = replace(encoding, order=tuple(1 - dim for dim in encoding.order))
        case enc.NvmmaShared():
            encoding = replace(encoding, transposed=not encoding.transposed)
        case _:
            encoding = enc.SharedLinear(Transpose((1, 0)).layout(layout_of_type(old)).bases[enc.OFFSET])
    return old.view(old.get_shape()[::-1], old.element_type, encoding_attribute(encoding))
