"""Arguments of a launch: checked against the kernel's parameters, and laid out as on a device."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, cast

import numpy as np

from dotload.emulator.errors import EmulatorError
from dotload.emulator.library import NativeRange
from dotload.emulator.rewrite import Kernel
from dotload.emulator.types import is_pointer

DEVICE_ALIGNMENT = 64  # bytes; device allocators give more, and 2D block messages need this much

_FLOAT_FORMATS = {"half": "<e", "float": "<f", "double": "<d"}
# Element types of pointers as Triton and LLVM spell them -> bytes.
_ELEMENT_BYTES = {
    "i1": 1, "i8": 1, "u8": 1, "fp8": 1, "fp8e4nv": 1, "fp8e5": 1, "fp8e4b15": 1, "f8E4M3FN": 1, "f8E5M2": 1,
    "i16": 2, "u16": 2, "fp16": 2, "bf16": 2, "f16": 2, "half": 2, "bfloat": 2,
    "i32": 4, "u32": 4, "fp32": 4, "f32": 4, "float": 4,
    "i64": 8, "u64": 8, "fp64": 8, "f64": 8, "double": 8,
}  # fmt: skip
_FLOATING = {"fp16", "f16", "half", "fp32", "f32", "float", "fp64", "f64", "double"}


@dataclass
class _Placed:
    """A root array as the kernel sees it."""

    home: int  # address of the caller's bytes
    device: int  # address that the kernel gets
    size: int
    buffer: Any = None  # owns the device bytes, when they are a copy
    writable: bool = True


class Arguments:
    """Packs the arguments; `finish` copies what the kernel wrote back to the caller's arrays.

    Every allocation starts at a multiple of 64 bytes, like a device allocator's. An array that does not, and of which
    no argument does, is copied for the run. A view keeps its offset in its base array, and shares its bytes with other
    views.
    """

    def __init__(self, kernel: Kernel, given: Sequence[Any], types: Sequence[str | None]) -> None:
        wanted = kernel.argument_indices
        if len(given) != len(wanted):
            kinds = ", ".join(kernel.parameters[index].split(" ")[0] for index in wanted)
            raise EmulatorError(f"{kernel.name} takes {len(wanted)} arguments ({kinds}), {len(given)} were given")
        self._placed: dict[int, _Placed] = {}
        self._ranges: list[NativeRange] = []
        arrays = [cast("np.ndarray", value) for value in given if isinstance(value, np.ndarray)]
        self._in_place = {_bounds(_root(array))[0] for array in arrays if array.ctypes.data % DEVICE_ALIGNMENT == 0}
        slots = bytearray()
        for position, (index, value) in enumerate(zip(wanted, given, strict=True)):
            slots += self._pack(position, kernel.parameters[index], value, types[position])
        self.packed = ctypes.create_string_buffer(bytes(slots), max(8, len(slots)))

    def ranges(self, constants: Sequence[tuple[int, int]]) -> Any:
        """All memory that the kernel may touch."""
        extra = [NativeRange(address, size, 0, -1) for address, size in constants]
        return (NativeRange * max(1, len(self._ranges) + len(extra)))(*self._ranges, *extra)

    def range_count(self, constants: Sequence[tuple[int, int]]) -> int:
        return len(self._ranges) + len(constants)

    def finish(self) -> None:
        for placed in self._placed.values():
            if placed.buffer is not None and placed.writable:
                ctypes.memmove(placed.home, placed.device, placed.size)

    def _pack(self, position: int, parameter: str, value: Any, type_: str | None) -> bytes:
        if is_pointer(parameter):
            return struct.pack("<Q", self._array(position, value, type_))
        return _scalar(position, parameter, value)

    def _array(self, position: int, array: Any, type_: str | None) -> int:
        """Device address of an array argument."""
        if not isinstance(array, np.ndarray):
            raise EmulatorError(f"argument {position}: the kernel takes an array here, got {_kind(array)}")
        array = cast("np.ndarray", array)
        if array.dtype.hasobject:
            raise EmulatorError(f"argument {position}: an array of Python objects is none of numbers")
        _check_element(position, array, type_)
        low, high = _bounds(array)
        placed = self._place(_root(array))
        start = placed.device + (low - placed.home)
        self._ranges.append(NativeRange(start, high - low, int(array.flags.writeable), position))
        return placed.device + (array.ctypes.data - placed.home)

    def _place(self, root: np.ndarray) -> _Placed:
        low, high = _bounds(root)
        if low not in self._placed:
            placed = _Placed(low, low, high - low)
            if low % DEVICE_ALIGNMENT and low not in self._in_place:
                placed.buffer = np.empty(placed.size + DEVICE_ALIGNMENT, np.uint8)
                placed.device = -(-placed.buffer.ctypes.data // DEVICE_ALIGNMENT) * DEVICE_ALIGNMENT
                placed.writable = root.flags.writeable
                ctypes.memmove(placed.device, low, placed.size)
            self._placed[low] = placed
        return self._placed[low]


# NumPy 2 moved this function.
_byte_bounds = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds


def _bounds(array: np.ndarray) -> tuple[int, int]:
    """Addresses of the first byte and one past the last byte."""
    if array.size == 0:
        return array.ctypes.data, array.ctypes.data
    return _byte_bounds(array)


def _root(array: np.ndarray) -> np.ndarray:
    """The array that owns the bytes of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {value!r}" if np.isscalar(value) else type(value).__name__


def _check_element(position: int, array: np.ndarray, type_: str | None) -> None:
    """Check the array's dtype against the pointer's type, if known from a Triton signature or the kernel's own use."""
    if type_ is None:
        return
    name = type_.lstrip("*")
    expected = _ELEMENT_BYTES.get(name)
    wrong_kind = (name in _FLOATING) != (array.dtype.kind == "f") and array.dtype.kind in "fiub"
    bits_as_integers = array.dtype.kind in "iu" and name in ("bf16", "bfloat", "fp16", "f16", "half")
    if expected is None or (expected == array.dtype.itemsize and (not wrong_kind or bits_as_integers)):
        return
    raise EmulatorError(f"argument {position}: the kernel takes an array of {name}, got one of {array.dtype}")


def _scalar(position: int, parameter: str, value: Any) -> bytes:
    """A number in its 8-byte slot."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise EmulatorError(f"argument {position}: the kernel takes a number ({parameter}) here, got an array")
    if parameter in _FLOAT_FORMATS:
        if not isinstance(value, Real):
            raise EmulatorError(f"argument {position}: the kernel takes a {parameter}, got {_kind(value)}")
        try:
            return struct.pack(_FLOAT_FORMATS[parameter], float(value)).ljust(8, b"\0")
        except OverflowError:
            raise EmulatorError(f"argument {position}: {value} does not fit in {parameter}") from None
    if not parameter.startswith("i"):
        raise EmulatorError(f"argument {position}: parameters of type {parameter} are not passed by value here")
    if not isinstance(value, Integral):
        raise EmulatorError(f"argument {position}: the kernel takes an integer ({parameter}), got {_kind(value)}")
    bits = int(parameter[1:])
    number = int(value)
    if not -(1 << (bits - 1)) <= number < (1 << bits) or bits > 64:
        raise EmulatorError(f"argument {position}: {number} does not fit in {parameter}")
    return (number & ((1 << bits) - 1)).to_bytes(8, "little")
