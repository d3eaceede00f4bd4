"""What emitted code computes with, when it is run on names: numbers for scalars, and of data, which byte it is.

Every value has an axis of warps and one of lanes in front: a scalar is an array [warp, lane] of numbers, and a piece of
data an array [warp, lane, byte] of names. A byte in memory is called by its address. Other bytes have names below zero:

    ZERO          a zero that no memory gave: outside of a surface, or a constant
    literal(b)    the byte b of a constant
    UNKNOWN       nothing that anyone should look at
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.int64]

ZERO, UNKNOWN = -1, -2
_LITERALS = -1000
OTHERS = -1_000_000  # names for data that comes from elsewhere grow down from here


def shaped(array: Array, *sizes: int) -> Array:
    """The same numbers in order, with these sizes."""
    return cast("Array", np.reshape(array, sizes))


class Wrong(Exception):
    """What was emitted is not what was asked for, or nothing that the hardware does."""


def literal(byte: int) -> int:
    """The name of a byte of a constant."""
    return _LITERALS - byte if byte else ZERO


def literals(data: bytes) -> list[int]:
    """The names of the bytes of a constant."""
    return [literal(byte) for byte in data]


@dataclass(frozen=True)
class Numbers:
    """A scalar: an integer of so many bits, an address if they are 64; [warp, lane]."""

    values: Array
    bits: int

    @staticmethod
    def wrapped(values: Array, bits: int) -> Numbers:
        """The low `bits` bits, as signed numbers; one bit is 0 or 1."""
        if bits == 1:
            return Numbers(values & 1, 1)
        if bits >= 64:
            return Numbers(values, bits)
        half = 1 << (bits - 1)
        return Numbers(((values + half) & ((1 << bits) - 1)) - half, bits)

    @property
    def unsigned(self) -> Array:
        """The same bits without a sign; exact for up to 32 bits, and for addresses, which are positive."""
        return self.values & ((1 << self.bits) - 1) if self.bits < 64 else self.values

    @property
    def without_sign(self) -> Array:
        """Numbers in the order that these have without a sign: of any size, what is negative comes last."""
        return self.values ^ np.int64(-(1 << 63))

    def uniform(self, what: str) -> Array:
        """One number for each warp, which all of its lanes agree on."""
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
    """A vector or an element: `names` [warp, lane, byte], elements of so many bytes."""

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
    """A struct with one field set upon another: what is below, the field, and what is in it."""

    below: Struct | None
    position: int
    value: Value


@dataclass(frozen=True)
class Fields:
    """The struct of what a lane holds of a tensor; pointers are numbers, data is names."""

    fields: tuple[Numbers | Data, ...]


@dataclass(frozen=True)
class Undefined:
    """Nothing yet."""


Value: TypeAlias = "Numbers | Data | Coordinates | Struct | Fields | Undefined"
