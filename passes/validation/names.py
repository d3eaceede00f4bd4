"""Names: 64 bits for each byte of global memory, drawn from its address, in place of the byte's value.

Products of names are summed modulo 2^64, so a matrix product does not depend on the order of k, nor a sum on that of
its terms. Every other operation gives a name drawn from the operation and its operands' names. Kernels that store the
same names compute the same, except with a probability of about 2^-60 per element.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

STEP = np.uint64(0x9E3779B97F4A7C15)
FACTORS = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
PLACES = np.array([0xD6E8FEB86659FD93 * (2 * place + 1) % 2**64 for place in range(16)], np.uint64)
"""An odd factor for each byte of an element."""
INVERSES = np.array([pow(int(place), -1, 2**64) for place in PLACES], np.uint64)
"""The inverses of the factors modulo 2^64."""


def is_integers(value: object) -> TypeGuard[Integers]:
    """Whether the value is integers."""
    return isinstance(value, np.ndarray)


def drawn(*parts: Words | int) -> Words:
    """A name drawn from these numbers (splitmix64)."""
    total = np.zeros((), np.uint64)
    with np.errstate(over="ignore"):
        for part in parts:
            total = (total + np.asarray(part, np.uint64)) * FACTORS[0] + STEP
            total = (total ^ (total >> np.uint64(30))) * FACTORS[1]
            total = total ^ (total >> np.uint64(29))
    return total


def seed_of(text: str) -> int:
    """The seed for names of an operation."""
    return zlib.crc32(text.encode())


@dataclass(frozen=True)
class Names:
    """Elements of `size` bytes: one name each, or one for each of their bytes, in a last dim."""

    size: int
    whole: Words | None = None
    parts: Words | None = None

    @property
    def elements(self) -> Words:
        """A name for each element; zero for elements of zero bytes."""
        if self.whole is not None:
            return self.whole
        assert self.parts is not None
        with np.errstate(over="ignore"):
            return (self.parts * PLACES[: self.size]).sum(-1, dtype=np.uint64)

    @property
    def bytes(self) -> Words:
        """A name for each byte, such that the bytes' names combine to the element's; the last one is the remainder."""
        if self.parts is not None:
            return self.parts
        assert self.whole is not None
        last, whole = self.size - 1, self.whole[..., None]
        made = np.where(whole == 0, np.uint64(0), drawn(whole, np.arange(last, dtype=np.uint64)))
        with np.errstate(over="ignore"):
            rest = whole - (made * PLACES[:last]).sum(-1, keepdims=True, dtype=np.uint64)
            return np.concatenate([made, rest * INVERSES[last]], -1)

    def map(self, function: Callable[[Any], Any]) -> Names:
        """The elements rearranged by a function on arrays, of names of bytes or of elements."""
        if self.parts is None:
            return Names(self.size, np.asarray(function(self.whole)))
        moved = [np.asarray(function(self.parts[..., byte])) for byte in range(self.size)]
        return Names(self.size, None, np.stack(moved, -1))


def reshaped(array: Any, *shape: int) -> Any:
    """The array in another shape."""
    return array.reshape(shape)


def first(array: Any) -> int:
    """The first of an array's integers, or a single integer itself."""
    return int(array.flat[0])


def is_tensor(value: object) -> TypeGuard[Names | Integers]:
    """Whether the value is names or integers."""
    return isinstance(value, Names) or is_integers(value)


def at_addresses(addresses: Integers, size: int) -> Names:
    """The elements of this size at addresses of global memory."""
    bytes_ = addresses[..., None] + np.arange(size)
    return Names(size, None, drawn(bytes_.astype(np.uint64)) | np.uint64(1))


def as_names(value: Names | Integers, size: int) -> Names:
    """Integers as elements, which are their own names."""
    return value if isinstance(value, Names) else Names(size, np.asarray(value).astype(np.uint64))
