"""`tt.reduce` within a warp: a lane folds its own elements of a row, then lanes exchange what they have by shuffles.

A row of which a lane holds r elements, and 2^k lanes a part, takes r - 1 + k combinations. Each is a copy of the op's
region. Rows that lie in several warps would need shared memory: they are an error.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_regions import ReduceOp, ReduceReturnOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.encodings import LANE, WARP
from dotload.layout.linear import Basis, LinearLayout
from dotload.layout.widths import WORD_BITS
from dotload.passes.block_load.spelling import SHUFFLE_XOR_32
from dotload.passes.errors import IN_BACKEND, LocatedFailure
from dotload.passes.intel_llvm.elementwise import RULES, lower_constant, lower_elementwise
from dotload.passes.intel_llvm.values import Conversion, moves_elements
from dotload.passes.ir.layouts import layout_of
from dotload.passes.tritongen.builder import Callee, GenBuilder

_SHUFFLE_XOR = {32: SHUFFLE_XOR_32, 64: "_Z21sub_group_shuffle_xormj"}


def rows_cross_warps(op: ReduceOp) -> bool:
    """Whether several warps hold parts of a row."""
    axis = op.axis.value.data
    return any(basis[axis] for source in op.srcs for basis in layout_of(source).bases.get(WARP, ()))


def lower_reduce(conversion: Conversion, op: ReduceOp) -> None:
    """Fold each row; all lanes that hold a part of it then hold the result."""
    axis, layout = op.axis.value.data, layout_of(op.srcs[0])
    if any(layout_of(source) != layout for source in op.srcs):
        raise LocatedFailure(op, f"'{op.name}' of tensors in different layouts is not lowered here")
    distances = list(_distances(op, layout, axis))
    columns = [conversion.of(source) for source in op.srcs]
    folded: dict[Basis, Sequence[SSAValue]] = {}
    for place, registers in _rows(conversion, layout, axis).items():
        if len(registers) << len(distances) != tensor_type(op.srcs[0]).get_shape()[axis]:
            what = f"'{op.name}' of elements that several lanes hold"
            raise LocatedFailure(op, f"{what} is not lowered here; {IN_BACKEND}")
        parts = [[column[register] for column in columns] for register in registers]
        total = functools.reduce(lambda one, other: _combined(conversion, op, one, other), parts)
        for distance in distances:
            others = [_of_lane(conversion.builder, value, distance) for value in total]
            total = _combined(conversion, op, total, others)
        folded[place] = total
    for number, result in enumerate(op.results_):
        places = _places(conversion, op, result, layout, axis)
        conversion.registers[result] = [folded[place][number] for place in places]


def _distances(op: ReduceOp, layout: LinearLayout, axis: int) -> Iterator[int]:
    """The distances of the lanes that hold parts of a row, each a power of two."""
    if rows_cross_warps(op):
        what = f"'{op.name}' of rows in several warps is not lowered here: it takes shared memory"
        raise LocatedFailure(op, f"{what}; {IN_BACKEND}")
    for bit, basis in enumerate(layout.bases[LANE]):
        if basis[axis]:
            if any(_without(basis, axis)):
                raise LocatedFailure(op, f"'{op.name}' of rows that lanes hold at a slant is not lowered here")
            yield 1 << bit


def _rows(conversion: Conversion, layout: LinearLayout, axis: int) -> dict[Basis, list[int]]:
    """For each row of which lane 0 holds a part, the registers with its elements, in order and without copies."""
    rows: dict[Basis, dict[int, int]] = {}
    for register, place in enumerate(conversion.places(layout)):
        rows.setdefault(_without(place, axis), {}).setdefault(place[axis], register)
    return {row: [registers[at] for at in sorted(registers)] for row, registers in rows.items()}


def _places(conversion: Conversion, op: ReduceOp, result: SSAValue, layout: LinearLayout, axis: int) -> list[Basis]:
    """The row of each register of the result."""
    if as_tensor(result.type) is None:
        return [()]
    outer = layout_of(result)
    for dim in (LANE, WARP):
        if [_without(basis, axis) for basis in layout.bases.get(dim, ())] != list(outer.bases.get(dim, ())):
            raise moves_elements(op)
    return conversion.places(outer)


def _without(place: Basis, axis: int) -> Basis:
    return (*place[:axis], *place[axis + 1 :])


def _combined(
    conversion: Conversion, op: ReduceOp, one: Sequence[SSAValue], other: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """What the op's region makes of two elements of every operand."""
    for argument, value in zip(op.combineOp.block.args, (*one, *other), strict=True):
        conversion.registers[argument] = [value]
    for inner in op.combineOp.block.ops:
        if isinstance(inner, ReduceReturnOp):
            return [conversion.scalar(value) for value in inner.values]
        if inner.name == "arith.constant":
            lower_constant(conversion, inner)
        elif inner.name in RULES:
            lower_elementwise(conversion, inner)
        else:
            raise LocatedFailure(inner, f"'{inner.name}' in a tt.reduce is not lowered here")
    raise LocatedFailure(op, f"'{op.name}' has a region without a tt.reduce.return")


def _of_lane(builder: GenBuilder, value: SSAValue, distance: int) -> SSAValue:
    """The value of the lane at a distance. Narrow values travel in words."""
    bits = element_bits(value.type)
    own, word = IntegerType(bits), i64 if bits > WORD_BITS else i32
    number = builder.bitcast(value, own)
    if own != word:
        number = builder.make(llvm.ZExtOp, [number], word)
    callee = Callee(_SHUFFLE_XOR[word.width.data], convergent=True)
    got = builder.call(callee, [number, builder.constant(distance)], word)
    if own != word:
        got = builder.make(llvm.TruncOp, [got], own, overflowFlags=llvm.OverflowAttr("none"))
    return builder.bitcast(got, value.type)
