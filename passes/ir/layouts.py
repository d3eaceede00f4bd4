"""Layouts of values, and encodings as attributes. Attributes are made once, as the kernels of a process repeat them."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import tensor_type
from dotload.dialect_ext.types import MemDescType
from dotload.layout import encodings as enc
from dotload.layout.linear import LayoutError, LinearLayout
from dotload.passes.ir.memory import memory_type

CACHED = 1024
"""Attributes and types of one kind that are kept; a kernel needs some ten of them."""


def layout_of(value: SSAValue) -> LinearLayout:
    """The linear layout of a tensor."""
    return layout_of_tensor(tensor_type(value))


def layout_of_tensor(tensor: TensorType[Attribute]) -> LinearLayout:
    """The linear layout of tensors of this type; LayoutError for an encoding that is not known."""
    if not isinstance(tensor.encoding, attrs.EncodingAttr):
        none = isinstance(tensor.encoding, NoneAttr)
        raise LayoutError(f"{tensor} has no layout" if none else f"{tensor.encoding} is no encoding that is known here")
    return enc.layout_of(tensor.encoding.to_encoding(), tuple(tensor.get_shape()))


def keeps_registers(conversion: ConvertLayoutOp) -> bool:
    """Whether both layouts are known and the same: no value leaves its register, and no scratch memory is taken."""
    types = (tensor_type(conversion.src), tensor_type(conversion.result))
    if not all(isinstance(type_.encoding, attrs.EncodingAttr) for type_ in types):
        return False
    try:
        return layout_of(conversion.src) == layout_of(conversion.result)
    except LayoutError:
        return False


def memory_layout(memory: SSAValue) -> LinearLayout:
    """The linear layout of a memory descriptor."""
    return layout_of_memory(memory_type(memory))


def layout_of_memory(type_: MemDescType) -> LinearLayout:
    """The linear layout of memory descriptors of this type."""
    assert isinstance(type_.encoding, attrs.EncodingAttr)
    return enc.layout_of(type_.encoding.to_encoding(), tuple(type_.get_shape()))


@lru_cache(maxsize=CACHED)
def linear_attribute(layout: LinearLayout) -> attrs.LinearEncoding:
    """A distributed layout as #ttg.linear."""
    bases = {name: layout.bases.get(name, ()) for name in (enc.REGISTER, enc.LANE, enc.WARP, enc.BLOCK)}
    return attrs.LinearEncoding.of(**bases)


@lru_cache(maxsize=CACHED)
def distributed_attribute(encoding: enc.Encoding) -> Attribute:
    """An encoding of registers as an attribute; TypeError for a kind that no plan makes."""
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


@lru_cache(maxsize=CACHED)
def shared_attribute(encoding: enc.Encoding) -> Attribute:
    """An encoding of shared memory as an attribute; TypeError for a kind that no plan makes."""
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
