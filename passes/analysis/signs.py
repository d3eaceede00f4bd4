"""Whether a number is known to be nonnegative: tile indices are computed from program ids, loops and constants.

Arithmetic is assumed not to overflow, as in `strides`.
"""

from __future__ import annotations

from xdsl.dialects.arith import DivSIOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext.tt_compute import MakeRangeOp
from dotload.dialect_ext.typed import shape_of
from dotload.dialect_ext.types import element_bits
from dotload.passes.ir.constants import uniform_number
from dotload.passes.ir.def_use import holds
from dotload.passes.ir.flow import is_argument
from dotload.passes.ir.loops import carried_by_loop

INDEX_BITS = 32
"""Integers of this many bits or more hold all indices and are assumed not to overflow; narrower ones wrap around."""
_NEVER = frozenset({"tt.get_program_id", "tt.get_num_programs", "arith.extui"})
"""Ops whose results are never negative."""
_AS_OPERANDS = frozenset(
    f"arith.{name}"
    for name in ("addi", "muli", "divsi", "ceildivsi", "minsi", "shrsi", "extsi", "trunci", "index_cast")
) | {"tt.splat", "tt.expand_dims", "tt.broadcast", "ttg.convert_layout"}
"""Ops whose results are nonnegative if all of their operands are."""
_WRAPPING = frozenset({"arith.addi", "arith.muli", "arith.trunci"})
"""Of these ops, those whose results may not fit into their type."""
_AS_ONE = frozenset({"arith.maxsi", "arith.andi"})
"""Ops whose results are nonnegative if one operand is; only constant operands are considered."""
_SUMS = frozenset(
    f"arith.{name}" for name in ("addi", "subi", "muli", "minsi", "maxsi", "select", "extsi", "trunci", "index_cast")
)
"""Ops that show the sign of a scalar, from which tile indices are computed."""

_COUNTS = frozenset(
    f"arith.{name}" for name in ("addi", "muli", "divsi", "ceildivsi", "minsi", "extsi", "index_cast")
) | {"tt.get_num_programs"}
"""Ops that compute numbers of tiles, beside differences."""


def is_nonnegative(value: SSAValue, *, trusts_scalars: bool = False, trusts_counts: bool = False) -> bool:
    """Whether a number, or each element of a tensor, is nonnegative because everything that it is computed from is. A
    loop-carried value is judged by its initial and its yielded value.

    `trusts_scalars`: unknown scalars, such as arguments and quotients, are assumed nonnegative, as
    Triton's axis analysis assumes of all numbers. A tile's index is a program id divided by the number of tiles.
    `trusts_counts`: only such numbers of tiles, by which scalars are divided, are assumed to be positive.
    """

    def parts(part: SSAValue) -> list[SSAValue] | None:
        if trusts_scalars and _is_unknown_scalar(part):
            return []
        if trusts_counts and (dividend := _divided_by_count(part)) is not None:
            return [dividend]
        return _parts(part)

    return holds([value], parts)


def _divided_by_count(value: SSAValue) -> SSAValue | None:
    """What is divided, if the value is a scalar divided by a number of tiles that is computed from arguments."""
    op = value.owner
    if shape_of(value.type) or not isinstance(op, DivSIOp) or uniform_number(op.rhs) is not None:
        return None
    return op.lhs if holds([op.rhs], _parts_of_count) else None


def _parts_of_count(value: SSAValue) -> list[SSAValue] | None:
    """The values that must be positive for a number of tiles to be; None if it is no such number.

    It is a size that is rounded up and divided, or the tiles that are left: their number less those before.
    """
    if (constant := uniform_number(value)) is not None:
        return [] if constant > 0 else None
    op = value.owner
    if isinstance(value, BlockArgument):
        return [] if is_argument(value) else None
    assert isinstance(op, Operation)
    if op.name == "arith.subi":
        return None if uniform_number(op.operands[0]) is not None else [op.operands[0]]
    return list(op.operands) if op.name in _COUNTS else None


def _is_unknown_scalar(value: SSAValue) -> bool:
    """Whether a value is a scalar that is neither a constant, nor a loop's argument, nor a sum or the like."""
    if shape_of(value.type) or uniform_number(value) is not None:
        return False
    maker = value.op if isinstance(value, OpResult) else value.owner.parent_op()
    return not isinstance(maker, ForOp) and (maker is None or maker.name not in _SUMS)


def _parts(value: SSAValue) -> list[SSAValue] | None:
    """The values that must be nonnegative for this value to be; None if not known."""
    if (constant := uniform_number(value)) is not None:
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
    constants = [uniform_number(operand) for operand in op.operands] if op.name in _AS_ONE else []
    if op.name in _NEVER or any(each is not None and each >= 0 for each in constants):
        return []
    if op.name in _WRAPPING and element_bits(value.type) < INDEX_BITS:
        return None
    if op.name == "arith.remsi":
        return [op.operands[0]]
    if op.name == "arith.select":
        return list(op.operands[1:])
    return list(op.operands) if op.name in _AS_OPERANDS else None
