"""Rank-1 pointer tensors that run through rows of memory: element i lies at (i % W) + (i / W) * S."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt import AddPtrOp
from dotload.dialect_ext.typed import tensor_type
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.constants import splat_of


@dataclass(frozen=True)
class Rows:
    """Rows of `width` elements, `stride` elements apart."""

    width: int
    stride: int


def find_rows(pointer: SSAValue, strides: Strides) -> Rows | None:
    """The rows that a tensor of pointers runs through; None if no such rows are found."""
    add = pointer.owner
    if not isinstance(add, AddPtrOp) or _defined(add.ptr, "tt.splat") is None:
        return None
    total = _defined(add.offset, "arith.addi")
    if total is None:
        return None
    for column, row in (total.operands, reversed(total.operands)):
        index, width = _division(column, ("arith.remsi", "arith.remui"))
        product = _defined(row, "arith.muli")
        if index is None or product is None:
            continue
        for quotient, factor in (product.operands, reversed(product.operands)):
            same, by = _division(quotient, ("arith.divsi", "arith.divui"))
            stride = splat_of(factor)
            if same is index and by == width and stride is not None and _starts_a_row(index, width, strides):
                return Rows(width, int(stride))
    return None


def _division(value: SSAValue, names: tuple[str, ...]) -> tuple[SSAValue | None, int]:
    """The dividend of a division by a constant, and the constant."""
    for name in names:
        if (op := _defined(value, name)) is not None and (by := splat_of(op.operands[1])):
            return op.operands[0], int(by)
    return None, 0


def _starts_a_row(index: SSAValue, width: int, strides: Strides) -> bool:
    """Whether an index counts up from the start of a row: a range, alone or added to a multiple of the width."""
    info = strides.of(index)
    whole = info.runs == tuple(tensor_type(index).get_shape()) and info.strides == (1,)
    return whole and info.align % width == 0


def _defined(value: SSAValue, name: str) -> Operation | None:
    op = value.owner
    return op if isinstance(op, Operation) and op.name == name else None
