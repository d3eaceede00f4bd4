"""The parts of a tensor that products take one by one.

Triton splits the k of a product whose A comes from registers, so that one part is multiplied while the next is made
ready: a chain of tt.reshape, tt.trans, tt.split and ttg.convert_layout, none of which moves data. Whoever reads
the tensor from memory may read it part by part as well, each just before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.passes.emitter import Kept, tensor_type
from dotload.passes.typed import dims_of

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """A rectangle of a tensor, as a product takes it: its elements from `origin` on."""

    value: SSAValue
    origin: tuple[int, int]
    product: Operation


def parts_of(tensor: SSAValue) -> tuple[list[Part], list[Operation]]:
    """The parts in the order of their products, and the ops between the tensor and the parts, last first.

    No parts when the tensor is used in any other way.
    """
    rows, columns = tensor_type(tensor).get_shape()
    numbers = np.reshape(np.arange(rows * columns, dtype=np.int64), (rows, columns))
    between: list[Operation] = []
    try:
        parts = list(_trace(tensor, numbers, columns, between))
    except Kept:
        return [], []
    order = {op: number for number, op in enumerate(_block_of(tensor))}
    if len(parts) < 2 or any(part.product not in order for part in parts):
        return [], []
    return sorted(parts, key=lambda part: order[part.product]), list(dict.fromkeys(reversed(between)))


def _block_of(value: SSAValue) -> Iterator[Operation]:
    block = value.owner.parent_block() if isinstance(value.owner, Operation) else None
    return iter(block.ops if block else ())


def _trace(value: SSAValue, numbers: Numbers, columns: int, between: list[Operation]) -> Iterator[Part]:
    """Follow the value, whose elements are `numbers` of the tensor, to the products; Kept when it goes elsewhere."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, WarpGroupDotOp):
            yield _part(value, numbers, columns, op)
            continue
        between.append(op)
        match op:
            case ReshapeOp() if op.allow_reorder is None:
                yield from _trace(op.result, np.reshape(numbers, tensor_type(op.result).get_shape()), columns, between)
            case TransOp():
                yield from _trace(op.result, np.transpose(numbers, dims_of(op.order)), columns, between)
            case SplitOp():
                yield from _trace(op.outLHS, numbers[..., 0], columns, between)
                yield from _trace(op.outRHS, numbers[..., 1], columns, between)
            case ConvertLayoutOp():
                yield from _trace(op.result, numbers, columns, between)
            case _:
                raise Kept(f"{op.name} looks at the tensor")


def _part(value: SSAValue, numbers: Numbers, columns: int, product: Operation) -> Part:
    """The part, if it is a rectangle in a dot layout."""
    if not isinstance(tensor_type(value).encoding, attrs.DotOperandEncoding):
        raise Kept("a part is not in a dot layout")
    rows, width = numbers.shape
    rectangle = columns * np.arange(rows, dtype=np.int64)[:, None] + np.arange(width, dtype=np.int64)
    if not np.array_equal(numbers - numbers[0, 0], rectangle):
        raise Kept("a part is no rectangle")
    row, column = divmod(int(numbers[0, 0]), columns)
    return Part(value, (row, column), product)
