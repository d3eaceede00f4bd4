"""The vectors by which a load copies its tile, if it is a plain cp.async: 16 bytes each, and zeros where masked."""

from __future__ import annotations

from dotload.dialect_ext.tt_compute import TransOp
from dotload.dialect_ext.ttg import AsyncCopyGlobalToLocalOp, ConvertLayoutOp
from dotload.dialect_ext.types import element_bits
from dotload.layout.access import Addresses, addresses
from dotload.layout.async_copies import AsyncVectors, async_vectors
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.layouts import layout_of

DEFAULT = 1
"""CacheModifier::NONE and EvictionPolicy::NORMAL."""


def vectors_of(copy: AsyncCopyGlobalToLocalOp) -> tuple[AsyncVectors, Addresses] | None:
    """The vectors of 16 bytes by which a load copies its tile, and the elements' addresses.

    None for a load that fills with other values than zero, or asks for another way through the caches than the default.
    """
    asked = (copy.cache.value.data, copy.evict.value.data, copy.cachePolicy)
    if not fills_with_zeros(copy) or copy.isVolatile.value.data or asked != (DEFAULT, DEFAULT, None):
        return None
    where = addresses(layout_of(copy.src), layout_of(copy.result), element_bits(copy.result.type))
    vectors = async_vectors(where, copy.contiguity.value.data)
    return None if vectors is None else (vectors, where)


def fills_with_zeros(copy: AsyncCopyGlobalToLocalOp) -> bool:
    """Whether masked elements become zero, as cp.async fills them."""
    return copy.other is None or is_zero(behind(copy.other, (TransOp, ConvertLayoutOp)))
