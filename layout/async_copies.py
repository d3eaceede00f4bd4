"""The vectors of a tile that cp.async.cg copies from global to shared memory, 16 bytes each (PTX ISA, "cp.async")."""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.access import Addresses
from dotload.layout.byte_transposes import offset
from dotload.layout.linear import log2_exact

VECTOR_BYTES = 16


@dataclass(frozen=True)
class AsyncVectors:
    """The vectors of a thread: the number of each one's first element, and its place, XORed to the thread's, in bytes.

    The elements of a vector are consecutive in registers, as the pointers to them are.
    """

    elements: tuple[int, ...]
    places: tuple[int, ...]


def async_vectors(where: Addresses, contiguity: int) -> AsyncVectors | None:
    """The vectors of a tile whose elements go to `where`; None if it is not copied by whole vectors, each one once.

    `contiguity`: the number of consecutive elements of a thread that are contiguous in global memory.
    """
    size = VECTOR_BYTES * 8 // where.element_bits
    run = tuple(1 << bit for bit in range(log2_exact(size)))
    rest = (*where.register[len(run) :], *where.lane, *where.warp)
    if contiguity % size or where.register[: len(run)] != run or any(not column or column % size for column in rest):
        return None
    elements = tuple(range(0, 1 << len(where.register), size))
    places = [offset(element, where.register) * where.element_bits // 8 for element in elements]
    return AsyncVectors(elements, tuple(places))
