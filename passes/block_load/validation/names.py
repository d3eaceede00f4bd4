"""The values of emitted code when it runs on names: numbers for scalars, and names of bytes for data.

Every value has leading axes for warps and lanes: a scalar is an array [warp, lane] of numbers, and data is an array
[warp, lane, byte] of names. The name of a byte in memory is its address. Other bytes have negative names:

    ZERO          a zero that does not come from memory: outside of a surface, or a constant
    literal(b)    the byte b of a constant
    UNKNOWN       a byte that must not be used
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.int64]

ZERO, UNKNOWN = -1, -2
_LITERALS = -1000
OTHERS = -1_000_000  # names for data from elsewhere count down from here


def shaped(array: Array, *sizes: int) -> Array:
    """The same numbers in order, with these sizes."""
    return cast("Array", np.reshape(array, sizes))


class Wrong(Exception):
    """The emitted code does not implement the load, or violates a rule of the hardware."""


def literal(byte: int) -> int:
    """The name of a byte of a constant."""
    return _LITERALS - byte if byte else ZERO


def literals(data: bytes) -> list[int]:
    """The names of the bytes of a constant."""
    return [literal(byte) for byte in data]


@dataclass(frozen=True)
class Numbers:
    """A scalar [warp, lane]: an integer of this many bits, or an address if there are 64."""

    values: Array
    bits: int

    def uniform(self, what: str) -> Array:
        """One number per warp, on which all of its lanes agree."""
        if (self.values != self.values[:, :1]).any():
            raise Wrong(f"{what} is not the same in all lanes")
        return self.values[:, 0]

    def names(self) -> Data:
        """A constant as data."""
        shifts = np.arange(0, self.bits, 8)
        octets = (self.values[..., None] >> shifts) & 0xFF
        return Data(np.where(octets == 0, ZERO, _LITERALS - octets), self.bits // 8)


@dataclass(frozen=True)
class Data:
    """A vector or an element: `names` [warp, lane, byte], in elements of this many bytes."""

    names: Array
    element_bytes: int

    @property
    def elements(self) -> Array:
        """[warp, lane, element, byte]"""
        warps, lanes = self.names.shape[:2]
        return shaped(self.names, warps, lanes, -1, self.element_bytes)


@dataclass(frozen=True)
class Coordinates:
    """A vector of integers: x and y of a message."""

    entries: tuple[Numbers | None, ...]


@dataclass(frozen=True)
class Struct:
    """A struct with one field set: the struct below, the field's position, and its value."""

    below: Struct | None
    position: int
    value: Value


@dataclass(frozen=True)
class Fields:
    """The struct of a lane's part of a tensor; pointers are numbers, data is names."""

    fields: tuple[Numbers | Data, ...]


@dataclass(frozen=True)
class Undefined:
    """An undefined value."""


Value: TypeAlias = "Numbers | Data | Coordinates | Struct | Fields | Undefined"
