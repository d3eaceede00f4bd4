"""What the passes for NVIDIA write in: encodings as attributes, and an emitter that keeps source locations.

Views (`dotload.layout.views`) become reshape and trans ops, each with the type that Triton infers for it. Other names
for the elements of a tensor (`dotload.layout.renaming`) are a `builtin.unrealized_conversion_cast` of its registers.
Attributes and types are made once, as the kernels of a process repeat them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType, UnitAttr, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.operations import assemble
from dotload.dialect_ext.tt_compute import ReshapeOp, TransOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalDeallocOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.linear import LinearLayout
from dotload.layout.renaming import Renaming
from dotload.layout.views import Reshape, View
from dotload.passes.typed import tensor_type

PASSING_ON = (MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp, WarpGroupDotWaitOp)
"""Ops whose result is the memory of an operand, under the same index."""

MADE = 1024
"""Attributes and types of one kind that are kept; a kernel needs some ten of them."""


class Kept(Exception):
    """The operand stays as it is; the message is the reason, for the remark."""


def memory_type(value: SSAValue) -> MemDescType:
    """The type of a value that is known to be a memory descriptor."""
    assert isinstance(value.type, MemDescType)
    return value.type


def memory_bytes(memory: SSAValue) -> int:
    """The size of a tile, or of several."""
    type_ = memory_type(memory)
    return math.prod(type_.get_shape()) * element_bits(type_) // 8


def layout_of(value: SSAValue) -> LinearLayout:
    """The linear layout of a tensor."""
    return layout_of_type(tensor_type(value))


def layout_of_type(tensor: TensorType[Attribute]) -> LinearLayout:
    """The linear layout of tensors of this type."""
    assert isinstance(tensor.encoding, attrs.EncodingAttr)
    return enc.layout_of(tensor.encoding.to_encoding(), tuple(tensor.get_shape()))


def memory_layout(memory: SSAValue) -> LinearLayout:
    """The linear layout of a memory descriptor."""
    return _layout_of_memory(memory_type(memory))


def _layout_of_memory(type_: MemDescType) -> LinearLayout:
    assert isinstance(type_.encoding, attrs.EncodingAttr)
    return enc.layout_of(type_.encoding.to_encoding(), tuple(type_.get_shape()))


@lru_cache(maxsize=MADE)
def linear_attribute(layout: LinearLayout) -> attrs.LinearEncoding:
    """A distributed layout as an encoding."""
    bases = {name: layout.bases.get(name, ()) for name in (enc.REGISTER, enc.LANE, enc.WARP, enc.BLOCK)}
    return attrs.LinearEncoding.of(**bases)


@lru_cache(maxsize=MADE)
def distributed_attribute(encoding: enc.Encoding) -> Attribute:
    """An encoding of registers as an attribute."""
    match encoding:
        case enc.NvidiaMma():
            return attrs.NvidiaMmaEncoding.of(
                version_major=encoding.version_major,
                version_minor=encoding.version_minor,
                warps_per_cta=encoding.warps_per_cta,
                instr_shape=encoding.instr_shape,
            )
        case enc.DotOperand():
            parent = distributed_attribute(encoding.parent)
            return attrs.DotOperandEncoding.of(op_index=encoding.op_index, parent=parent, k_width=encoding.k_width)
        case enc.Linear():
            return attrs.LinearEncoding.of(
                register=encoding.register, lane=encoding.lane, warp=encoding.warp, block=encoding.block
            )
        case enc.Blocked():
            return attrs.BlockedEncoding.of(
                size_per_thread=encoding.size_per_thread,
                threads_per_warp=encoding.threads_per_warp,
                warps_per_cta=encoding.warps_per_cta,
                order=encoding.order,
            )
        case _:
            raise TypeError(f"{encoding} is not built by a plan")


@lru_cache(maxsize=MADE)
def raw_attribute(encoding: enc.Encoding) -> Attribute:
    """A raw layout as an attribute."""
    match encoding:
        case enc.SharedLinear():
            return attrs.SharedLinearEncoding.of(offset=encoding.offset, alignment=encoding.alignment)
        case enc.SwizzledShared():
            return attrs.SwizzledSharedEncoding.of(
                vec=encoding.vec, per_phase=encoding.per_phase, max_phase=encoding.max_phase, order=encoding.order
            )
        case enc.NvmmaShared():
            return attrs.NvmmaSharedEncoding.of(
                swizzle_bytes=encoding.swizzle_bytes,
                transposed=encoding.transposed,
                element_bits=encoding.element_bits,
            )
        case _:
            raise TypeError(f"{encoding} is not built by a plan")


@dataclass
class Emitter:
    """Inserts ops at one point; each new op takes the source location of `origin`."""

    builder: Builder
    origin: Operation

    @staticmethod
    def before(op: Operation, origin: Operation | None = None) -> Emitter:
        """At the place of `op`."""
        return Emitter(Builder(InsertPoint.before(op)), origin or op)

    @staticmethod
    def after(op: Operation, origin: Operation | None = None) -> Emitter:
        """Behind `op`."""
        return Emitter(Builder(InsertPoint.after(op)), origin or op)

    def add(self, op: Operation) -> SSAValue:
        """Insert `op` and return its first result."""
        self.run(op)
        return op.results[0]

    def run(self, op: Operation) -> None:
        """Insert `op`."""
        op.location = self.origin.location
        self.builder.insert(op)

    def tensor_views(self, value: SSAValue, views: Sequence[View]) -> SSAValue:
        """Reshapes and transposes of a tensor, each in the layout that makes it free."""
        for view in views:
            new = viewed_tensor(tensor_type(value), view)
            if isinstance(view, Reshape):
                value = self.add(ReshapeOp(value, new))
            else:
                value = self.add(TransOp(value, view.order, new))
        return value

    def renamed(self, value: SSAValue, renaming: Renaming) -> SSAValue:
        """The registers of a tensor as those of one whose elements have other names.

        A cast says so in one op, which Triton's conversion of the rest folds; reshapes and transposes would be three,
        whose layouts MLIR works out anew behind each pass.
        """
        return value if renaming.is_identity else self.cast(value, renamed_tensor(tensor_type(value), renaming))

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The registers of a value as another type."""
        return self.add(assemble(UnrealizedConversionCastOp, [value], [type_], {}, {}, self.origin.location))

    def memory_views(self, value: SSAValue, views: Sequence[View]) -> SSAValue:
        """Reshapes and transposes of a memory descriptor."""
        for view in views:
            new = viewed_memory(memory_type(value), view)
            if isinstance(view, Reshape):
                value = self.add(MemDescReshapeOp(value, new))
            else:
                value = self.add(MemDescTransOp(value, view.order, new))
        return value


@lru_cache(maxsize=MADE)
def viewed_tensor(old: TensorType[Attribute], view: View) -> TensorType[Attribute]:
    """The type of a view of a tensor, in the layout that makes it free."""
    layout = view.layout(layout_of_type(old))
    return TensorType(old.element_type, list(layout.out_sizes.values()), linear_attribute(layout))


@lru_cache(maxsize=MADE)
def renamed_tensor(old: TensorType[Attribute], renaming: Renaming) -> TensorType[Attribute]:
    """The type of a tensor whose elements have other names, in the layout that leaves each in its register."""
    layout = renaming.layout(layout_of_type(old))
    return TensorType(old.element_type, renaming.shape, linear_attribute(layout))


@lru_cache(maxsize=MADE)
def viewed_memory(old: MemDescType, view: View) -> MemDescType:
    """The type that Triton infers for a view of shared memory: the same kind of encoding where it stays one."""
    layout = view.layout(_layout_of_memory(old))
    assert isinstance(old.encoding, attrs.EncodingAttr)
    encoding = old.encoding.to_encoding()
    if not isinstance(view, Reshape) and isinstance(encoding, enc.SwizzledShared):
        encoding = replace(encoding, order=tuple(view.order.index(d) for d in encoding.order))
    elif not isinstance(view, Reshape) and isinstance(encoding, enc.NvmmaShared):
        encoding = replace(encoding, transposed=not encoding.transposed)
    else:
        encoding = enc.SharedLinear(layout.bases[enc.OFFSET])
    new = raw_attribute(encoding)
    shape = list(layout.out_sizes.values())
    return MemDescType.of(shape, old.element_type, new, old.memory_space, mutable=isinstance(old.mutable, UnitAttr))


def stage_tile(tile: SSAValue, raw: enc.Encoding, emitter: Emitter) -> SSAValue:
    """A loaded tile in shared memory, in the layout `raw`."""
    tensor = tensor_type(tile)
    space = attrs.SharedMemorySpace.of()
    memory = MemDescType.of(tensor.get_shape(), tensor.element_type, raw_attribute(raw), space, mutable=False)
    return emitter.add(LocalAllocOp(tile, memory))


def as_mutable(type_: MemDescType) -> MemDescType:
    """The same memory, to be written."""
    return MemDescType(
        type_.shape, type_.element_type, type_.encoding, type_.memory_space, UnitAttr(), type_.alloc_shape
    )


def ring_of(tile: MemDescType, count: int) -> MemDescType:
    """Memory for `count` such tiles in a row."""
    return MemDescType.of((count, *tile.get_shape()), tile.element_type, tile.encoding, tile.memory_space)


def make_views_mutable(memory: SSAValue) -> None:
    """Views are mutable where their memory is, and so is what a wait hands on."""
    for use in list(memory.uses):
        if isinstance(use.operation, PASSING_ON):
            passed_on = use.operation.results[use.index]
            make_views_mutable(Rewriter.replace_value_with_new_type(passed_on, as_mutable(memory_type(passed_on))))


def names_of(memory: SSAValue) -> Iterator[SSAValue]:
    """The memory, and all values by which views and waits rename it."""
    yield memory
    for use in memory.uses:
        if isinstance(use.operation, PASSING_ON):
            yield from names_of(use.operation.results[use.index])


def memory_users(memory: SSAValue) -> Iterator[Operation]:
    """The ops that use the memory itself, not those that only rename it or hand its address on."""
    for name in names_of(memory):
        for use in name.uses:
            if not isinstance(use.operation, (*PASSING_ON, UnrealizedConversionCastOp)):
                yield use.operation


def may_be_mutable(memory: SSAValue) -> bool:
    """Whether nothing but products would see that the type of the memory changes."""
    return all(isinstance(user, WarpGroupDotOp | LocalDeallocOp) for user in memory_users(memory))
