"""Ops that rearrange elements, or join tensors, without moving an element to another lane or warp.

Each op maps the place of an element of its result to an operand and the place there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt_compute import SplitOp, TransOp
from dotload.dialect_ext.typed import as_tensor, dims_of, number_of, tensor_type
from dotload.layout.linear import Basis
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.values import Conversion

Source = Callable[[Basis], tuple[int, Basis]]


def _of(source: Callable[[Operation], Source]) -> Callable[[Conversion, Operation], None]:
    def lower(conversion: Conversion, op: Operation) -> None:
        if any(as_tensor(value.type) is None for value in (*op.operands, *op.results)):
            raise LocatedFailure(op, f"'{op.name}' of what is no tensor is not lowered here")
        conversion.registers[op.results[0]] = conversion.gathered(op.operands, op.results[0], source(op))

    return lower


def _moved(project: Callable[[Operation], Callable[[Basis], Basis]]) -> Callable[[Conversion, Operation], None]:
    """An op on one operand; `project` maps places of the result to places of the operand."""

    def source(op: Operation) -> Source:
        to_old = project(op)
        return lambda place: (0, to_old(place))

    return _of(source)


def _without_axis(op: Operation) -> Callable[[Basis], Basis]:
    axis = number_of(op.properties.get("axis", op.attributes.get("axis"))) or 0
    return lambda place: (*place[:axis], *place[axis + 1 :])


def _narrowed(op: Operation) -> Callable[[Basis], Basis]:
    shape = _shape(op.operands[0])
    return lambda place: tuple(0 if size == 1 else at for at, size in zip(place, shape, strict=True))


def _same(_: Operation) -> Callable[[Basis], Basis]:
    return lambda place: place


def _reshaped(op: Operation) -> Callable[[Basis], Basis]:
    old, new = _shape(op.operands[0]), _shape(op.results[0])
    return lambda place: tuple(int(at) for at in np.unravel_index(int(np.ravel_multi_index(place, new)), old))


def _transposed(op: Operation) -> Callable[[Basis], Basis]:
    assert isinstance(op, TransOp)
    order = dims_of(op.order)
    return lambda place: tuple(place[order.index(dim)] for dim in range(len(order)))


def _joined(_: Operation) -> Source:
    return lambda place: (place[-1], place[:-1])


def _glued(op: Operation) -> Source:
    """Concatenated operands, numbered with the first dim fastest."""
    piece, counts = _pieces(op.operands[0], op.results[0])

    def source(place: Basis) -> tuple[int, Basis]:
        number = [at // size for at, size in zip(place, piece, strict=True)]
        inside = tuple(at % size for at, size in zip(place, piece, strict=True))
        return int(np.ravel_multi_index(number, counts, order="F")), inside

    return source


def _extracted(op: Operation) -> Source:
    """One of the pieces of a tensor, numbered likewise."""
    piece, counts = _pieces(op.results[0], op.operands[0])
    index = number_of(op.properties.get("index", op.attributes.get("index"))) or 0
    starts = [int(at) * size for at, size in zip(np.unravel_index(index, counts, order="F"), piece, strict=True)]
    return lambda place: (0, tuple(at + start for at, start in zip(place, starts, strict=True)))


def _pieces(piece: SSAValue, whole: SSAValue) -> tuple[Sequence[int], Sequence[int]]:
    """The shape of a piece, and the number of pieces along each dim."""
    shape, rank = _shape(whole), len(_shape(whole))
    size = (*[1] * (rank - len(_shape(piece))), *_shape(piece))
    return size, [all_ // each for all_, each in zip(shape, size, strict=True)]


def _shape(value: SSAValue) -> Sequence[int]:
    return tensor_type(value).get_shape()


def _split(conversion: Conversion, op: SplitOp) -> None:
    """The elements at 0 along the last dim, and those at 1."""
    for half, result in enumerate(op.results):
        conversion.registers[result] = conversion.gathered([op.src], result, _at_end(half))


def _at_end(last: int) -> Source:
    return lambda place: (0, (*place, last))


REARRANGING: Mapping[str, Callable[[Conversion, Any], None]] = {
    "tt.expand_dims": _moved(_without_axis),
    "tt.broadcast": _moved(_narrowed),
    "tt.reshape": _moved(_reshaped),
    "tt.trans": _moved(_transposed),
    "tt.join": _of(_joined),
    "tt.split": _split,
    "ttg.convert_layout": _moved(_same),
    "ttig.glue": _of(_glued),
    "ttig.extract": _of(_extracted),
}
