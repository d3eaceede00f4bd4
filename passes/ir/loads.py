"""Copies of loads that load from elsewhere."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_memory import LoadOp

SIZES = "operandSegmentSizes"
"""The property that says which of its operands a load has."""


def load_like(load: LoadOp, ptr: SSAValue, mask: SSAValue | None, other: SSAValue | None) -> LoadOp:
    """A load with other operands, and the cache policy, boundary check and attributes of the old one."""
    new = LoadOp(ptr, mask, other)
    new.properties = {**load.properties, SIZES: new.properties[SIZES]}
    new.attributes = dict(load.attributes)
    return new
