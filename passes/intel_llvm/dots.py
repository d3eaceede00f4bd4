"""`tt.dot` as `triton_gen.dpas`: one DPAS for every tile of C and every step along k.

The registers of a tile are consecutive in the layouts of A, B and C (`#ttig.dpas`). So a tile is a vector of registers,
and its place is that of the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.triton_gen_matrix import DpasOp
from dotload.dialect_ext.tt import DotOp
from dotload.dialect_ext.typed import tensor_type, vector_parts
from dotload.dialect_ext.types import element_bits
from dotload.layout.encodings import Dpas
from dotload.layout.linear import Basis
from dotload.layout.widths import WORD_BITS
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.values import Conversion
from dotload.passes.ir.layouts import encoding_as, layout_of

# Element type of A and B -> precision of DPAS. Other types are converted before.
_PRECISIONS = {"f16": "f16", "bf16": "bf16", "f32": "tf32", "i8": "i8", "f8E5M2": "bf8", "f8E4M3FN": "hf8"}
_MIXED = {"bf8", "hf8"}
"""The precisions of which A may have one and B the other."""

# N of DPAS on PVC and later; earlier devices, such as Arc A-series, have subgroups of 8 lanes and N = 8.
EXECUTION_SIZE = 16


def lower_dot(conversion: Conversion, op: DotOp) -> None:
    """d = c + a b, step by step along k."""
    result = tensor_type(op.d)
    elements = [str(tensor_type(operand).element_type) for operand in (op.a, op.b)]
    encoding = encoding_as(Dpas, result.encoding)
    if encoding is None:
        raise LocatedFailure(op, f"'{op.name}' whose result has no layout of DPAS is not lowered here")
    if encoding.execution_size != EXECUTION_SIZE:
        got = f"its layout has executionSize = {encoding.execution_size}"
        raise LocatedFailure(op, f"'{op.name}' is lowered for DPAS of {EXECUTION_SIZE} columns only, {got}")
    precisions = [_PRECISIONS.get(element) for element in elements]
    if None in precisions or not (precisions[0] == precisions[1] or _MIXED.issuperset(precisions)):
        raise LocatedFailure(op, f"'{op.name}' of {elements[0]} and {elements[1]} is not lowered here")
    wanted = WORD_BITS // element_bits(op.a.type)
    if encoding.ops_per_channel != wanted:
        need = f"a layout with opsPerChan = {wanted}, not {encoding.ops_per_channel}"
        raise LocatedFailure(op, f"'{op.name}' of {elements[0]} needs {need}")
    channel = None if elements[0] == "f32" else IntegerType(16)
    if tensor_type(op.a).get_shape()[-1] < encoding.instruction_shape("A")[1]:
        raise LocatedFailure(op, f"'{op.name}' with less of K than one DPAS multiplies is not lowered here")
    a = _tiles(conversion, op.a, encoding, "A", channel)
    b = _tiles(conversion, op.b, encoding, "B", None if channel is None else i32)
    c = _tiles(conversion, op.c, encoding, "C", None)
    for k in sorted({place[-1] for place in a}):
        for place in c:
            *batch, row, column = place
            operands = [c[place], a[(*batch, row, k)], b[(*batch, k, column)]]
            c[place] = _dpas(conversion, operands, precisions, encoding.repeat_count)
    elements_of = {place: _elements(conversion, tile) for place, tile in c.items()}
    size = len(next(iter(elements_of.values())))
    places = conversion.places(layout_of(op.d))[::size]
    # A tensor smaller than the layout's tile has the same tile in several registers.
    conversion.registers[op.d] = [each for place in places for each in elements_of[place]]


def _tiles(
    conversion: Conversion, value: SSAValue, encoding: Dpas, name: str, channel: Attribute | None
) -> dict[Basis, SSAValue]:
    """A map from the place of each tile to its vector in a lane, packed into channels where DPAS requires it."""
    registers, places = conversion.of(value), conversion.places(layout_of(value))
    rows, columns = encoding.instruction_shape(name)
    size = rows * columns // encoding.threads_per_warp
    found: dict[Basis, SSAValue] = {}
    for start in range(0, len(registers), size):
        vector = conversion.builder.vector(registers[start : start + size])
        if channel is not None:
            bits = element_bits(tensor_type(value).element_type) * size
            vector = conversion.builder.bitcast(vector, VectorType(channel, [bits // element_bits(channel)]))
        found[places[start]] = vector
    return found


def _elements(conversion: Conversion, vector: SSAValue) -> list[SSAValue]:
    return [conversion.builder.element(vector, at) for at in range(vector_parts(vector)[0])]


def _dpas(
    conversion: Conversion, operands: list[SSAValue], precisions: Sequence[str | None], repeat_count: int
) -> SSAValue:
    pa, pb = (enums.DPAS_PRECISION.attr(each) for each in precisions if each is not None)
    properties: Mapping[str, Attribute] = {"pa": pa, "pb": pb, "rc": IntegerAttr(repeat_count, i32)}
    return conversion.builder.make(DpasOp, operands, operands[0].type, **properties)
