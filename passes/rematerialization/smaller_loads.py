"""Loads of tiles with repeated elements: each element is loaded once."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.passes.analysis.repeats import Repeated
from dotload.passes.ir.emitter import Emitter
from dotload.passes.rematerialization.samples import Samples

KEPT = ("cache", "evict", "cachePolicy")
"""Properties of a load that its smaller copy keeps."""


def load_once(found: Repeated) -> SSAValue:
    """Load one element of each group, before the old load: a tensor that is smaller along the dim."""
    load, samples, axis = found.load, Samples(every=found.times), found.axis
    operands = [None if each is None else samples.of(each, axis) for each in (load.mask, load.other)]
    small = LoadOp(samples.of(load.ptr, axis), *operands)
    small.properties |= {name: load.properties[name] for name in KEPT if name in load.properties}
    Emitter.before(load).run(small)
    return small.result


def replace(found: Repeated, tile: SSAValue) -> None:
    """Replace the load's result by the tile; if the mask differs within groups, select `other` where it is false."""
    load = found.load
    if not found.is_masked_alike and load.mask is not None and load.other is not None:
        tile = Emitter.before(load).insert(SelectOp(load.mask, tile, load.other))
    Rewriter.replace_op(load, (), [tile])
