"""Whether one tensor is the transpose of another, as far as their defining ops show.

    %rows = tt.expand_dims %slots {axis = 1}         %columns = tt.expand_dims %slots {axis = 0}
    %v = tt.addptr (splat %v_ptr), ... %rows         %k = tt.addptr (splat %k_ptr), ... %columns

%v is the transpose of %k if %v_ptr equals %k_ptr: two arguments of the kernel, which only its caller knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import computes_elements, is_pure
from dotload.dialect_ext.tt_compute import BroadcastOp, ExpandDimsOp, MakeRangeOp, SplatOp
from dotload.dialect_ext.tt_memory import AddPtrOp
from dotload.dialect_ext.typed import shape_of
from dotload.dialect_ext.types import PointerType, element_of
from dotload.layout.widths import RANK
from dotload.passes.ir.constants import splat_of, uniform_number
from dotload.passes.ir.def_use import are_alike
from dotload.passes.ir.flow import is_argument

LESS = (2, 6)
"""slt and ult among the predicates of arith.cmpi."""
Arguments = tuple[SSAValue, SSAValue]


def is_transposed_where(first: SSAValue | None, second: SSAValue | None) -> list[Arguments] | None:
    """The pairs of arguments that must be equal for the second tensor to be the transpose of the first.

    None if that is not known. Two absent values count as transposes of each other.
    """
    if first is None or second is None:
        return [] if first is second else None
    comparison, shape = _Comparison(), shape_of(first.type)
    is_turned = len(shape) == RANK and shape_of(second.type) == shape[::-1]
    return comparison.pairs if is_turned and comparison.agree(first, second) else None


@dataclass
class _Comparison:
    """A structural comparison of two tensors. `pairs`: the arguments that must be equal."""

    pairs: list[Arguments] = field(default_factory=list[Arguments])

    def agree(self, first: SSAValue, second: SSAValue) -> bool:
        """Whether values of fewer than two dims are equal, and 2D tensors are transposes of each other."""
        if first is second and len(shape_of(first.type)) < RANK:
            return True
        if is_argument(first) and is_argument(second):
            self.pairs.append((first, second))
            return first.type == second.type and isinstance(first.type, IntegerType | PointerType)
        one, other = first.owner, second.owner
        if not isinstance(one, Operation) or not isinstance(other, Operation) or one.name != other.name:
            return False
        if isinstance(one, arith.ConstantOp):
            return is_same_number(first, second)
        return (holds_always(one) and holds_always(other)) or self.made_alike(one, other)

    def made_alike(self, one: Operation, other: Operation) -> bool:
        """Whether two ops of one kind agree, and so do their operands."""
        if [element_of(each.type) for each in one.results] != [element_of(each.type) for each in other.results]:
            return False
        if isinstance(one, ExpandDimsOp) and isinstance(other, ExpandDimsOp):
            is_turned = len(shape_of(one.result.type)) == RANK and {axis_of(one), axis_of(other)} == {0, 1}
            return is_turned and self.agree(one.src, other.src)
        is_computed = computes_elements(one) and is_pure(one)
        follows = is_computed or isinstance(one, AddPtrOp | SplatOp | BroadcastOp)
        if not follows or not are_alike(one, other):
            return False
        return all(map(self.agree, one.operands, other.operands))


def axis_of(op: ExpandDimsOp) -> int:
    """The dim of size 1 that the op adds."""
    return op.axis.value.data


def is_same_number(first: SSAValue, second: SSAValue) -> bool:
    """Whether two constants are equal, in each element."""
    one, other = ((uniform_number(value), element_of(value.type)) for value in (first, second))
    return one == other and one[0] is not None


def holds_always(op: Operation) -> bool:
    """Whether an op compares a range with a number that is greater than all of it."""
    if not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in LESS:
        return False
    numbers, limit = op.lhs.owner, splat_of(op.rhs)
    return isinstance(numbers, MakeRangeOp) and limit is not None and numbers.end.value.data <= limit
