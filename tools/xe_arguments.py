"""Values of --arg of dotload-run-xe: numbers, arrays in files, arrays of a shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": np.uint16,
    "fp8": np.uint8,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
}
MOST_DIMS, MOST_ELEMENTS = 32, 1 << 32
FILLS = ("zeros", "ones", "random", "arange")


class UsageError(Exception):
    """An invalid command line."""


def make_argument(text: str, position: int, random: np.random.Generator) -> Any:
    """The array or number that one --arg stands for."""
    value = text.split("=", 1)[1] if "=" in text.split(":")[0] else text
    if value.startswith("@"):
        return _read_array(value[1:], f"--arg {position} ({text})")
    if ":" in value:
        return _make_array(value, position, random)
    for convert in (_integer, float):
        try:
            return convert(value)
        except ValueError:
            continue
    raise UsageError(f"--arg {position}: '{text}' is neither a number nor @FILE.npy nor DTYPE:SHAPE[:FILL]")


def _read_array(path: str, what: str) -> np.ndarray:
    try:
        with open(path, "rb") as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{what}: {error.strerror or error}") from error
    except Exception as error:  # numpy's header parser raises any type of exception
        raise UsageError(f"{what}: not an array of numbers in a .npy file: {' '.join(str(error).split())}") from error


def _integer(text: str) -> int:
    return int(text, 0)


def _make_array(text: str, position: int, random: np.random.Generator) -> np.ndarray:
    dtype, shape, fill, *extra = (*text.split(":"), *["zeros"][: 3 - len(text.split(":"))])
    if dtype not in _DTYPES or fill not in FILLS or extra:
        raise UsageError(
            f"--arg {position}: '{text}' needs a dtype of {', '.join(_DTYPES)} and a fill of {', '.join(FILLS)}"
        )
    try:
        sizes = tuple(int(size) for size in shape.split("x"))
    except ValueError as error:
        raise UsageError(f"--arg {position}: '{shape}' is not a shape such as 256x64") from error
    count = math.prod(sizes)
    if min(sizes) < 0 or len(sizes) > MOST_DIMS or max(*sizes, count) > MOST_ELEMENTS:
        raise UsageError(
            f"--arg {position}: '{shape[:40]}' is not a shape with at most {MOST_DIMS} sizes "
            f"and {MOST_ELEMENTS} elements"
        )
    if fill == "random":
        values = (
            random.integers(-8, 8, count) if np.dtype(_DTYPES[dtype]).kind in "iu" else random.standard_normal(count)
        )
    else:
        values = {"zeros": np.zeros, "ones": np.ones, "arange": np.arange}[fill](count)
    if dtype == "bf16":  # its bits, rounded towards zero
        bits = np.frombuffer(values.astype(np.float32), np.uint32)
        return np.reshape((bits >> 16).astype(np.uint16), sizes)
    return np.reshape(values.astype(_DTYPES[dtype]), sizes)
