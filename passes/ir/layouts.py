"""Layouts of values, and encodings as attributes. Attributes are cached, since the kernels of a process repeat them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeVar

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import Load, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.linear import Basis, LayoutError, LinearLayout, log2_exact
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.widths import WORD_BITS
from dotload.passes.ir.memory import memory_type

CACHED = 1024
"""The number of attributes and types of one kind to cache; a kernel needs about ten."""

MMA_SYNC = 2
"""The major version of `#ttg.nvidia_mma` for mma.sync."""

LDMATRIX_WIDTH = 2
"""Consecutive elements of 16 bits that ldmatrix gives a lane."""

Kind = TypeVar("Kind", bound=enc.Encoding)


def encoding_as(kind: type[Kind], attribute: Attribute) -> Kind | None:
    """The encoding that an attribute stands for, if it is one of this kind."""
    if not isinstance(attribute, attrs.EncodingAttr) or attribute.described_as != kind.__name__:
        return None
    encoding = attribute.to_encoding()
    assert isinstance(encoding, kind)
    return encoding


def encoding_of(value: SSAValue) -> attrs.EncodingAttr:
    """The encoding of a tensor that has one."""
    encoding = tensor_type(value).encoding
    assert isinstance(encoding, attrs.EncodingAttr)
    return encoding


def layout_of(value: SSAValue) -> LinearLayout:
    """The linear layout of a tensor, or of a tile in memory."""
    return layout_of_type(memory_type(value) if isinstance(value.type, MemDescType) else tensor_type(value))


def layout_of_type(type_: TensorType[Attribute] | MemDescType) -> LinearLayout:
    """The linear layout of tensors, or of tiles, of this type; LayoutError for an encoding that is not known."""
    if not isinstance(type_.encoding, attrs.EncodingAttr):
        none = isinstance(type_.encoding, NoneAttr)
        raise LayoutError(f"{type_} has no layout" if none else f"{type_.encoding} is no encoding that is known here")
    return enc.layout_of(type_.encoding.to_encoding(), tuple(type_.get_shape()))


def layout_in(value: SSAValue, encoding: attrs.EncodingAttr) -> LinearLayout:
    """The linear layout that a tensor would have in that encoding."""
    return enc.layout_of(encoding.to_encoding(), tuple(tensor_type(value).get_shape()))


def elements_of_thread(value: SSAValue) -> int:
    """The elements of a tensor in a thread's registers; equal ones count as often as they are there."""
    return layout_of(value).in_sizes[enc.REGISTER]


def bits_of_thread(value: SSAValue) -> int:
    """The bits of a tensor in a thread's registers."""
    return elements_of_thread(value) * element_bits(value.type)


def registers_of_thread(value: SSAValue) -> int:
    """The 32-bit registers of a thread that hold the tensor's elements; registers with equal elements count once."""
    elements = 1 if as_tensor(value.type) is None else 1 << sum(map(any, layout_of(value).bases[enc.REGISTER]))
    return math.ceil(elements * element_bits(value.type) / REGISTER_BITS)


def neighbour_bases(layout: LinearLayout, axis: int, length: int) -> list[Basis]:
    """The bases of `length` neighbours along a dim, a power of two."""
    dims, bits = range(len(layout.out_sizes)), range(log2_exact(length))
    return [tuple((1 << bit) * (dim == axis) for dim in dims) for bit in bits]


def has_runs(layout: LinearLayout, axis: int, length: int) -> bool:
    """Whether a thread's first registers hold this many neighbours along a dim; `length` is a power of two."""
    bases = neighbour_bases(layout, axis, length)
    return list(layout.bases[enc.REGISTER][: len(bases)]) == bases


def holds_words(layout: LinearLayout, axis: int, bits: int) -> bool:
    """Whether a thread holds neighbours along the dim, whole words of bytes or pairs of words: Triton stores vectors.

    The order of an encoding does not show this. If all lanes and warps are along the other dim, a thread's registers
    hold a whole column.
    """
    return set(layout.bases[enc.REGISTER]).issuperset(neighbour_bases(layout, axis, max(2, WORD_BITS // bits)))


def contiguous_axis(load: Load) -> int:
    """The dim that is contiguous in memory: what the coalescing pass chose for a load, the last for a descriptor."""
    tensor = tensor_type(load.results[0])
    if isinstance(load, LoadOp) and isinstance(tensor.encoding, attrs.BlockedEncoding):
        return tensor.encoding.order[0]
    return len(tensor.get_shape()) - 1


def is_tile(tensor: TensorType[Attribute]) -> bool:
    """Whether it has more than one dim. A row or a column, of scales for example, is no tile."""
    return sum(size > 1 for size in tensor.get_shape()) > 1


def is_line(tensor: TensorType[Attribute]) -> bool:
    """Whether it has just one dim: a row or a column."""
    return sum(size > 1 for size in tensor.get_shape()) == 1


def is_of_fragments(tensor: TensorType[Attribute]) -> bool:
    """Whether a tensor has the layout of an operand of NVIDIA's matrix units."""
    encoding = tensor.encoding
    return isinstance(encoding, attrs.DotOperandEncoding) and isinstance(encoding.parent, attrs.NvidiaMmaEncoding)


def are_apart(fragments: TensorType[Attribute]) -> bool:
    """Whether a tensor has the layout of an operand, with each element in one register of one lane."""
    if not is_of_fragments(fragments):
        return False
    bases = layout_of_type(fragments).bases
    return all(any(basis) for name in (enc.REGISTER, enc.LANE, enc.WARP) for basis in bases[name])


def keeps_registers(op: Operation) -> bool:
    """Whether an op converts a tensor to an equal layout of another name: no value leaves its register."""
    try:
        return isinstance(op, ConvertLayoutOp) and layout_of(op.src) == layout_of(op.result)
    except LayoutError:
        return False


@lru_cache(maxsize=CACHED)
def linear_attribute(layout: LinearLayout) -> attrs.LinearEncoding:
    """A distributed layout as #ttg.linear."""
    bases = {name: layout.bases.get(name, ()) for name in (enc.REGISTER, enc.LANE, enc.WARP, enc.BLOCK)}
    return attrs.LinearEncoding.of(**bases)


def linear_tensor(element: Attribute, layout: LinearLayout) -> TensorType[Attribute]:
    """The type of tensors with this layout."""
    return TensorType(element, list(layout.out_sizes.values()), linear_attribute(layout))


def without_copies(tensor: TensorType[Attribute]) -> TensorType[Attribute]:
    """The type of the same tensors in a layout in which a thread holds each of its elements once; `tensor` if it is."""
    layout = layout_of_type(tensor)
    once = tuple(filter(any, layout.bases[enc.REGISTER]))
    if len(once) == len(layout.bases[enc.REGISTER]):
        return tensor
    bases = {**layout.bases, enc.REGISTER: once}
    return linear_tensor(tensor.element_type, LinearLayout.from_bases(bases, layout.out_sizes))


_PARAMETERS: dict[type, tuple[type[attrs.EncodingAttr], tuple[str, ...]]] = {
    enc.NvidiaMma: (attrs.NvidiaMmaEncoding, ("version_major", "version_minor", "warps_per_cta", "instr_shape")),
    enc.DotOperand: (attrs.DotOperandEncoding, ("op_index", "parent", "k_width")),
    enc.Slice: (attrs.SliceEncoding, ("dim", "parent")),
    enc.Linear: (attrs.LinearEncoding, ("register", "lane", "warp", "block")),
    enc.Blocked: (attrs.BlockedEncoding, ("size_per_thread", "threads_per_warp", "warps_per_cta", "order")),
    enc.SharedLinear: (attrs.SharedLinearEncoding, ("offset", "alignment")),
    enc.SwizzledShared: (attrs.SwizzledSharedEncoding, ("vec", "per_phase", "max_phase", "order")),
    enc.NvmmaShared: (attrs.NvmmaSharedEncoding, ("swizzle_bytes", "transposed", "element_bits")),
}
"""Attributes of the encodings in plans, with the parameters that are printed; all are of one CTA."""


@lru_cache(maxsize=CACHED)
def encoding_attribute(encoding: enc.Encoding) -> attrs.EncodingAttr:
    """An encoding as an attribute; TypeError for a kind that plans do not use."""
    if type(encoding) not in _PARAMETERS:
        raise TypeError(f"{encoding} is not built by a plan")
    kind, names = _PARAMETERS[type(encoding)]
    values = {name: getattr(encoding, name) for name in names}
    if "parent" in values:
        values["parent"] = encoding_attribute(values["parent"])
    return kind.of(**values)
