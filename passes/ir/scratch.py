"""Scratch memory: the ops to which Triton gives shared memory for an exchange of values between warps.

Values that stay within a warp are moved by shuffles. Such an op takes no shared memory, and membar places no CTA
barrier at it: the softmax of attention, for example, if each warp has whole rows.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import UsesScratch
from dotload.dialect_ext.tt_memory import AtomicCASOp, AtomicRMWOp
from dotload.dialect_ext.tt_regions import ReduceOp, ScanOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor
from dotload.layout import encodings as enc
from dotload.layout.linear import LayoutError
from dotload.passes.ir.layouts import layout_of


def takes_scratch(op: Operation) -> bool:
    """Whether the op takes scratch memory; also if its layouts are not known."""
    if not op.has_trait(UsesScratch):
        return False
    try:
        match op:
            case ConvertLayoutOp():
                return not stays_in_warps(op.src, op.result)
            case ReduceOp() | ScanOp():
                return is_spread_over_warps(op.srcs[0], op.axis.value.data)
            case AtomicRMWOp() | AtomicCASOp():
                return op.result.first_use is not None and is_held_by_several(op.result)
            case _:
                return True
    except LayoutError:
        return True


def stays_in_warps(source: SSAValue, result: SSAValue) -> bool:
    """Whether each warp holds the same elements in both layouts."""
    one, other = layout_of(source).bases, layout_of(result).bases
    return all(one.get(name, ()) == other.get(name, ()) for name in (enc.WARP, enc.BLOCK))


def is_spread_over_warps(value: SSAValue, axis: int) -> bool:
    """Whether several warps hold elements that differ only in the index along `axis`."""
    bases = layout_of(value).bases
    return any(basis[axis] for name in (enc.WARP, enc.BLOCK) for basis in bases.get(name, ()))


def is_held_by_several(value: SSAValue) -> bool:
    """Whether several threads hold an element: one of them runs an atomic op, and passes on the result."""
    if as_tensor(value.type) is None:
        return True
    bases = layout_of(value).bases
    return not all(any(basis) for name in (enc.LANE, enc.WARP, enc.BLOCK) for basis in bases.get(name, ()))
