"""Loads: what they leave out, and copies that load from elsewhere."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_memory import LoadOp
from dotload.passes.ir.constants import is_zero

SIZES = "operandSegmentSizes"
"""The property that says which of its operands a load has."""


def may_fill_with_zeros(load: LoadOp) -> bool:
    """Whether elements that the mask leaves out may be zero: they are, or the kernel gives no value for them."""
    return load.other is None or is_zero(load.other)


def load_like(load: LoadOp, ptr: SSAValue, mask: SSAValue | None, other: SSAValue | None) -> LoadOp:
    """A load with other operands, and the cache policy, boundary check and attributes of the old one."""
    new = LoadOp(ptr, mask, other)
    new.properties = {**load.properties, SIZES: new.properties[SIZES]}
    new.attributes = dict(load.attributes)
    return new
