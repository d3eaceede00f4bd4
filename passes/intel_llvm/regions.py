"""Tensors in regions of memory, lane by lane: the common part of descriptors and block pointers.

Element p of the tensor lies at base + sum((start + p) * stride) over all dims. It exists if start + p is less than the
shape, as unsigned numbers, along each checked dim.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.llvm import ConstantOp
from dotload.dialect_ext.triton_gen_subgroup import PredicatedLoadOp, PredicatedStoreOp
from dotload.dialect_ext.typed import as_integer, create
from dotload.dialect_ext.types import element_bits, element_of
from dotload.passes.intel_llvm.values import Conversion, element_type
from dotload.passes.ir.layouts import layout_of_type
from dotload.passes.llvm.types import GLOBAL_POINTER
from dotload.passes.tritongen.asserts import compare

NAN = IntegerAttr(enums.PADDING.cases["nan"], i32)
NAN_OF_8_BITS = 0x7F  # of f8E4M3FN and of f8E5M2
DEFAULT_CACHE = {"cache_control": IntegerAttr(0, i32)}


@dataclass(frozen=True)
class Region:
    """Memory of this shape and these strides (i64, elements), and the start of a tensor of `type` in it (i32). The
    tensor may extend beyond it along the `checked` dims."""

    base: SSAValue
    shape: Sequence[SSAValue]
    strides: Sequence[SSAValue]
    starts: Sequence[SSAValue]
    type: TensorType[Attribute]
    checked: Collection[int]

    @property
    def element(self) -> Attribute:
        """The element type in LLVM."""
        return element_type(element_of(self.type))


def load(conversion: Conversion, region: Region, *, pad_nan: bool) -> list[SSAValue]:
    """A lane's registers of the tensor; zero, or NaN, for elements outside."""
    builder, element = conversion.builder, region.element
    if not region.checked:
        return [builder.make(llvm.LoadOp, [pointer], element) for pointer, _ in _elements(conversion, region)]
    alignment, padding = _alignment(conversion, region), padding_value(conversion, element, nan=pad_nan)
    return [
        builder.make(PredicatedLoadOp, [pointer, alignment, inside, padding], element, **DEFAULT_CACHE)
        for pointer, inside in _elements(conversion, region)
        if inside is not None
    ]


def store(conversion: Conversion, region: Region, values: Sequence[SSAValue]) -> None:
    """Store a lane's registers, except elements outside."""
    builder, alignment = conversion.builder, _alignment(conversion, region)
    for value, (pointer, inside) in zip(values, _elements(conversion, region), strict=True):
        if inside is None:
            builder.run(llvm.StoreOp(value, pointer))
        else:
            operands = [pointer, value, alignment, inside]
            builder.run(create(PredicatedStoreOp, operands=operands, properties=DEFAULT_CACHE))


def _alignment(conversion: Conversion, region: Region) -> SSAValue:
    return conversion.builder.constant(element_bits(region.type) // 8, i64)


def _elements(conversion: Conversion, region: Region) -> Iterator[tuple[SSAValue, SSAValue | None]]:
    """The address of each register's element, and whether the element exists; None if that is not checked."""
    builder, layout = conversion.builder, layout_of_type(region.type)
    dims = range(len(region.strides))
    starts = [builder.make(llvm.SExtOp, [start], i64) for start in region.starts]
    firsts = [conversion.coordinate(layout, dim) for dim in dims]

    @functools.cache
    def along(dim: int, place: int) -> tuple[SSAValue, SSAValue | None]:
        """The distance from the base along a dim, and whether the element exists."""
        within = builder.binary(llvm.XOrOp, firsts[dim], builder.constant(place))
        at = builder.binary(llvm.AddOp, starts[dim], builder.make(llvm.SExtOp, [within], i64))
        moved = builder.binary(llvm.MulOp, at, region.strides[dim])
        return moved, compare(builder, "ult", at, region.shape[dim]) if dim in region.checked else None

    def both(a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.make(llvm.AndOp, [a, b], i1)

    for place in conversion.places(layout):
        parts = [along(dim, at) for dim, at in enumerate(place)]
        offset = functools.reduce(lambda a, b: builder.binary(llvm.AddOp, a, b), [part for part, _ in parts])
        checks = [there for _, there in parts if there is not None]
        inside = functools.reduce(both, checks) if checks else None
        gep = llvm.GEPOp(region.base, [llvm.GEP_USE_SSA_VAL], region.element, [offset], GLOBAL_POINTER)
        yield builder.insert(gep), inside


def padding_value(conversion: Conversion, element: Attribute, *, nan: bool = False) -> SSAValue:
    """Zero, or NaN."""
    if (integer := as_integer(element)) is not None:
        return conversion.builder.constant(NAN_OF_8_BITS if nan else 0, integer)
    value = FloatAttr(math.nan if nan else 0.0, element)  # pyright: ignore[reportArgumentType, reportCallIssue]  # a float then
    return conversion.builder.make(ConstantOp, [], element, value=value)
