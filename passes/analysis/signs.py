"""Whether a number is known not to be negative: indices of tiles are made of program ids, loops and constants.

Arithmetic is taken not to overflow, as in `strides`.
"""

from __future__ import annotations

from xdsl.dialects.scf import ForOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext.tt_compute import MakeRangeOp
from dotload.dialect_ext.typed import shape_of
from dotload.dialect_ext.types import element_bits
from dotload.passes.ir.constants import constant_of, splat_of
from dotload.passes.ir.def_use import holds
from dotload.passes.ir.loops import carried_by_loop

INDEX_BITS = 32
"""Integers of so many bits or more hold all indices, and are taken not to overflow; those of fewer wrap around."""
_NEVER = frozenset({"tt.get_program_id", "tt.get_num_programs", "arith.extui"})
"""Ops whose results are never negative."""
_AS_OPERANDS = frozenset(
    f"arith.{name}"
    for name in ("addi", "muli", "divsi", "ceildivsi", "minsi", "shrsi", "extsi", "trunci", "index_cast")
) | {"tt.splat", "tt.expand_dims", "tt.broadcast", "ttg.convert_layout"}
"""Ops whose results are not negative where none of their operands is."""
_AS_ONE = frozenset({"arith.maxsi", "arith.andi"})
"""Ops for which one operand is enough; constants are looked at."""
_SUMS = frozenset(
    f"arith.{name}" for name in ("addi", "subi", "muli", "minsi", "maxsi", "select", "extsi", "trunci", "index_cast")
)
"""Ops that show the sign of a scalar, from which tiles' indices are computed."""


def is_nonnegative(value: SSAValue, *, trusts_scalars: bool = False) -> bool:
    """Whether nothing that a number, or a tensor of them, is made of is negative. What a loop carries is judged by how
    it enters and by what is made of it in the body.

    `trusts_scalars`: those of which nothing is known, as arguments and quotients, are taken not to be, as Triton's axis
    analysis takes all numbers: a tile's index is a program's divided by how many tiles there are.
    """
    return holds([value], lambda part: [] if trusts_scalars and _is_unknown_scalar(part) else _parts(part))


def _is_unknown_scalar(value: SSAValue) -> bool:
    """Whether a value is a scalar, and neither a constant, nor a loop's, nor a sum or the like."""
    if shape_of(value.type) or number_of(value) is not None:
        return False
    maker = value.op if isinstance(value, OpResult) else value.owner.parent_op()
    return not isinstance(maker, ForOp) and (maker is None or maker.name not in _SUMS)


def number_of(value: SSAValue) -> float | None:
    """The number that a value always is, or that all its elements are."""
    constant = constant_of(value)
    return splat_of(value) if constant is None else constant


def _parts(value: SSAValue) -> list[SSAValue] | None:
    """What must not be negative for a value not to be; None where that is not known."""
    if (constant := number_of(value)) is not None:
        return [] if constant >= 0 else None
    if (carried := carried_by_loop(value)) is not None:
        return [carried.init, carried.back]
    op = value.owner
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        return [loop.lb] if isinstance(loop, ForOp) and value.index == 0 else None
    assert isinstance(op, Operation)
    if isinstance(op, MakeRangeOp):
        return [] if op.start.value.data >= 0 else None
    constants = [number_of(operand) for operand in op.operands] if op.name in _AS_ONE else []
    if op.name in _NEVER or any(each is not None and each >= 0 for each in constants):
        return []
    if op.name == "arith.trunci" and element_bits(value.type) < INDEX_BITS:
        return None
    if op.name == "arith.remsi":
        return [op.operands[0]]
    if op.name == "arith.select":
        return list(op.operands[1:])
    return list(op.operands) if op.name in _AS_OPERANDS else None
