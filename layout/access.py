"""What an access costs: vector width, shared-memory wavefronts, global-memory sectors.

The model, per warp of 32 lanes (CUDA C++ Programming Guide and Best Practices Guide, shared and global memory):

- Shared memory has 32 banks of 4 bytes, bank = (byte address / 4) mod 32. In one *wavefront* a bank serves one
  4-byte word; lanes that touch the same word share it. A conflict is a second word in the same bank.
- An access of up to 4 bytes a lane is one pass of 32 lanes; 8 bytes are two passes of 16 lanes, 16 bytes four passes
  of 8, ldmatrix and stmatrix one pass per 8x16-byte matrix. The wavefronts of a pass are the largest number of
  distinct words in a bank.
- Two neighbouring passes of a *load* merge into one if every lane i reads the address of lane i ^ 1, or every lane i
  that of lane i ^ 2 (not documented; measured with an H200's counters, test/gpu/test_access_counters.py).
- A global access is served in *sectors* of 32 bytes; its cost is the number of distinct sectors.

Addresses are linear over GF(2) in (register, lane, warp), so the count is a matrix rank. The words a pass touches are
the span of their columns, a subspace; its projection to the five bank bits hits every bank it reaches equally often. So

    wavefronts of a pass = 2 ** (rank of the word columns - rank of their bank bits)

which takes microseconds to compute, for any tile. `count_wavefronts` and `count_sectors` count the same from plain
lists of addresses. They serve addresses that are not linear (a row pitch of 5120 elements), and check the formula.

Units: offsets in elements, widths in bytes, element sizes in bits, costs in wavefronts or sectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from dotload.layout.linear import LayoutError, LinearLayout, log2_exact

BANKS = 32
BANK_BYTES = 4
BANK_ROW_BYTES = BANKS * BANK_BYTES
SECTOR_BYTES = 32
MATRIX_ROW_BYTES = 16
MAX_LANE_BYTES = 16
MAX_MATRICES = 4

Direction = Literal["load", "store"]
Kind = Literal["vector", "matrix", "matrix.trans"]

# The number of lanes that one wavefront serves, by bytes per lane.
_PASS_LANE_BITS = {1: 5, 2: 5, 4: 5, 8: 4, 16: 3}


@dataclass(frozen=True)
class Addresses:
    """Addresses of registers: the element offset is the XOR of one column per set bit of register, lane and warp."""

    register: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]
    element_bits: int

    def __post_init__(self) -> None:
        if self.element_bits not in (4, 8, 16, 32, 64):
            raise LayoutError(f"elements of {self.element_bits} bits: expected 4, 8, 16, 32 or 64")

    def table(self) -> npt.NDArray[np.int64]:
        """Every element offset, as an array [warp, lane, register]."""
        flat = np.zeros(1, dtype=np.int64)
        for column in (*self.register, *self.lane, *self.warp):
            flat = np.concatenate([flat, flat ^ column])
        return np.reshape(flat, (1 << len(self.warp), 1 << len(self.lane), 1 << len(self.register)))


@dataclass(frozen=True)
class SharedAccess:
    """How a tile moves between registers and shared memory, and what it costs.

    `lane_bytes`: bytes a lane moves per instruction; `instructions`: per warp; `wavefronts` and `least_wavefronts`:
    per instruction, as it is and without any conflict; `warps`: how many warps do it.
    """

    kind: Kind
    direction: Direction
    lane_bytes: int
    instructions: int
    wavefronts: int
    least_wavefronts: int
    warps: int

    @property
    def total_wavefronts(self) -> int:
        """Wavefronts of the whole tile, all warps together."""
        return self.wavefronts * self.instructions * self.warps

    @property
    def conflict_ways(self) -> int:
        """1 without conflicts, 2 for two-way ones, ..."""
        return self.wavefronts // self.least_wavefronts

    @property
    def mnemonic(self) -> str:
        """The PTX instruction, without `.sync.aligned`."""
        if self.kind == "vector":
            verb = "ld" if self.direction == "load" else "st"
            width = {1: "b8", 2: "b16", 4: "b32", 8: "v2.b32", 16: "v4.b32"}[self.lane_bytes]
            return f"{verb}.shared.{width}"
        verb = "ldmatrix" if self.direction == "load" else "stmatrix"
        trans = ".trans" if self.kind == "matrix.trans" else ""
        return f"{verb}.m8n8.x{self.lane_bytes // 4}{trans}.shared.b16"


@dataclass(frozen=True)
class GlobalAccess:
    """How a tile moves between registers and global memory, and what it costs.

    `lane_bytes`: bytes a lane moves per request; `requests`: of all warps; `sectors`: of all requests; `bytes_used`:
    bytes of the distinct elements in all requests, the least that sectors could carry.
    """

    lane_bytes: int
    requests: int
    sectors: int
    bytes_used: int

    @property
    def bytes_moved(self) -> int:
        """Bytes of all requested sectors."""
        return self.sectors * SECTOR_BYTES

    @property
    def efficiency(self) -> float:
        """Bytes used per byte moved, at most 1."""
        return self.bytes_used / self.bytes_moved


# Addresses of a layout pair


def addresses(distributed: LinearLayout, shared: LinearLayout, element_bits: int) -> Addresses:
    """The addresses in `shared` (offset -> dims) of the registers of `distributed` (register, lane, warp -> dims).

    The layouts must agree in the names and sizes of their out dims; `shared` must cover the tensor. A cluster's
    block dims are left out: every block holds its own part.
    """
    offset_of = _offsets_of_coordinates(shared)
    if distributed.out_sizes != shared.out_sizes:
        raise LayoutError(f"the layouts are of different tensors: {distributed.out_sizes} and {shared.out_sizes}")
    per_dim = [offset_of[name] for name in distributed.out_dims]

    def columns(in_dim: str) -> tuple[int, ...]:
        return tuple(_image(basis, per_dim) for basis in distributed.bases.get(in_dim, ()))

    return Addresses(columns("register"), columns("lane"), columns("warp"), element_bits)


def _image(coordinate: Sequence[int], per_dim: Sequence[tuple[int, ...]]) -> int:
    offset = 0
    for value, bit_offsets in zip(coordinate, per_dim, strict=True):
        while value:
            low = value & -value
            offset ^= bit_offsets[low.bit_length() - 1]
            value ^= low
    return offset


@lru_cache(maxsize=1024)
def _offsets_of_coordinates(shared: LinearLayout) -> dict[str, tuple[int, ...]]:
    """Out dim -> the offset of each of its coordinate bits."""
    inverse = shared.right_inverse()
    at = inverse.out_dims.index("offset")
    return {name: tuple(basis[at] for basis in bases) for name, bases in inverse.in_items}


# Shared memory


def vector_elements(where: Addresses, max_bytes: int = MAX_LANE_BYTES) -> int:
    """The longest aligned run, in elements, that one lane holds and that is contiguous in memory.

    Registers may be renumbered: any register bit may walk the run. All other columns must be multiples of the run,
    which aligns its start.
    """
    register = set(where.register)
    others = set(where.register + where.lane + where.warp)
    best, run = 1, 1
    while run in register and run * 2 * where.element_bits <= max_bytes * 8:
        others.discard(run)
        run *= 2
        if not any(column & (run - 1) for column in others):
            best = run
    return best


def vector_access(where: Addresses, direction: Direction = "load", max_bytes: int = MAX_LANE_BYTES) -> SharedAccess:
    """The tile moved by ld.shared or st.shared of the widest vectors possible.

    A register, lane or warp bit whose column is zero holds copies. Copies among registers are moved once. A store also
    skips copies in other lanes and warps (they are masked off); a load fills all copies.
    """
    run = vector_elements(where, max_bytes)
    return vector_access_of_width(where, run, direction)


def vector_access_of_width(where: Addresses, run: int, direction: Direction = "load") -> SharedAccess:
    """The tile moved by accesses of `run` elements a lane; `run` must not exceed `vector_elements`."""
    lane_bytes = max(1, run * where.element_bits // 8)
    run_columns = [1 << bit for bit in range(log2_exact(run))]
    pass_bits = _pass_lane_bits(where.lane, lane_bytes, direction)
    passes = 1 << max(0, len(where.lane) - pass_bits)
    ways = _conflict_ways([*run_columns, *where.lane[:pass_bits]], where.element_bits)
    return SharedAccess(
        kind="vector",
        direction=direction,
        lane_bytes=lane_bytes,
        instructions=_distinct(where.register) // run,
        wavefronts=passes * ways,
        least_wavefronts=passes,
        warps=_distinct(where.warp) if direction == "store" else 1 << len(where.warp),
    )


def _pass_lane_bits(lanes: Sequence[int], lane_bytes: int, direction: Direction) -> int:
    """How many lane bits one pass spans."""
    pass_bits = _PASS_LANE_BITS[lane_bytes]
    is_paired = direction == "load" and not all(lanes[:2])
    return min(5, pass_bits + 1) if is_paired else pass_bits


def matrix_access(where: Addresses, direction: Direction = "load") -> SharedAccess | None:
    """The tile moved by plain ldmatrix or stmatrix; None where the layouts do not have its pattern.

    The pattern (PTX ISA, ldmatrix): a row of a matrix is 16 contiguous, aligned bytes; lanes 4r .. 4r+3 hold 4 bytes
    of row r each. Rows lie anywhere, so lane bits 2 to 4 and all further register bits are free.
    """
    if where.element_bits > 32 or len(where.lane) != 5:
        return None
    word = 32 // where.element_bits
    row = [1 << bit for bit in range(log2_exact(4 * word))]
    in_register, in_lanes = row[:-2], row[-2:]
    free = [column for column in where.register if column not in in_register] + [*where.lane[2:], *where.warp]
    if not set(in_register) <= set(where.register) or list(where.lane[:2]) != in_lanes:
        return None
    if any(column & (4 * word - 1) for column in free):
        return None
    return matrix_access_of(where, direction, "matrix", [*row, *where.lane[2:]])


def transposed_matrix_access(where: Addresses, direction: Direction = "load") -> SharedAccess | None:
    """The tile moved by ldmatrix.trans or stmatrix.trans; None where the layouts do not have its pattern.

    The pattern (PTX ISA, ldmatrix .trans, elements of 16 bits): lane 4g + c holds rows 2c and 2c + 1 of column g. So
    lane bits 2 to 4 walk the 16 contiguous bytes, the low register bit and lane bits 0 and 1 walk the rows.
    """
    distinct = [column for column in where.register if column]
    if where.element_bits != 16 or len(where.lane) != 5 or not distinct:
        return None
    if where.lane[2:] != (1, 2, 4):
        return None
    if any(column & 7 for column in [*distinct, *where.lane[:2], *where.warp]):
        return None
    return matrix_access_of(where, direction, "matrix.trans", [distinct[0], *where.lane])


def matrix_access_of(where: Addresses, direction: Direction, kind: Kind, columns: Sequence[int]) -> SharedAccess:
    """A matrix access: `columns` span one 8x16-byte matrix; the others of the tile are translates of it."""
    matrices = _distinct(where.register) * where.element_bits // 32
    at_once = min(matrices, MAX_MATRICES)
    return SharedAccess(
        kind=kind,
        direction=direction,
        lane_bytes=4 * at_once,
        instructions=matrices // at_once,
        wavefronts=at_once * _conflict_ways(columns, where.element_bits),
        least_wavefronts=at_once,
        warps=_distinct(where.warp) if direction == "store" else 1 << len(where.warp),
    )


def shared_access(where: Addresses, direction: Direction = "load", *, has_matrix_moves: bool = True) -> SharedAccess:
    """The access that Triton's lowering picks: ldmatrix or stmatrix, plain, then .trans, then the widest vectors.

    `has_matrix_moves`: whether the target has the instruction (ldmatrix: sm_75, stmatrix: sm_90).
    """
    if has_matrix_moves:
        for attempt in (matrix_access, transposed_matrix_access):
            found = attempt(where, direction)
            if found is not None:
                return found
    return vector_access(where, direction)


# Global memory


def global_access(distributed: LinearLayout, element_bits: int, order: Sequence[int] | None = None) -> GlobalAccess:
    """The tile moved between registers and a matrix in global memory.

    `order`: the dims, fastest first (default: the last dim is contiguous). The matrix starts at a multiple of 128
    bytes and its pitch, whatever it is, is a multiple of 32 bytes and no smaller than the tile's row: the count is
    then exact for every pitch.
    """
    order = tuple(reversed(range(len(distributed.out_items)))) if order is None else order
    return strided_global_access(distributed, element_bits, _sector_strides(distributed, order, element_bits))


def _sector_strides(distributed: LinearLayout, order: Sequence[int], element_bits: int) -> dict[str, int]:
    """Power-of-two strides, in elements, that keep different rows in different sectors."""
    strides: dict[str, int] = {}
    stride = 1
    for dim in order:
        name, size = distributed.out_items[dim]
        strides[name] = stride
        stride = max(stride * size, SECTOR_BYTES * 8 // element_bits)
    return strides


def strided_global_access(
    distributed: LinearLayout, element_bits: int, strides: Mapping[str, int], max_bytes: int = MAX_LANE_BYTES
) -> GlobalAccess:
    """The tile moved between registers and a matrix with these strides (dim -> elements), starting at a multiple of
    128 bytes. Strides that are powers of two are counted by ranks, others by listing one address per request."""
    run = global_vector_elements(distributed, element_bits, strides, max_bytes)
    distinct = [basis for basis in distributed.bases.get("register", ()) if any(basis)]
    unit = tuple(1 if strides[name] == 1 else 0 for name in distributed.out_dims)
    in_run = {tuple(value << bit for value in unit) for bit in range(log2_exact(run))}
    rest = [basis for basis in distinct if basis not in in_run]
    lanes = distributed.bases.get("lane", ())
    warps = distributed.bases.get("warp", ())
    requests = 1 << len(rest) + len(warps)
    lane_bytes = max(1, run * element_bits // 8)
    if all(stride & (stride - 1) == 0 for stride in strides.values()) and _disjoint(distributed, strides):
        columns = [_linear_offset(basis, distributed, strides) * element_bits // 8 for basis in (*in_run, *lanes)]
        sectors = 1 << _rank(column // SECTOR_BYTES for column in columns)
        used = lane_bytes << _rank(_linear_offset(basis, distributed, strides) for basis in lanes)
        return GlobalAccess(lane_bytes, requests, sectors * requests, used * requests)
    starts = _request_starts(distributed, strides, rest) * element_bits // 8
    sectors = sum(count_sectors(row, lane_bytes) for row in starts)
    used = sum(len(np.unique(row)) for row in starts) * lane_bytes
    return GlobalAccess(lane_bytes, requests, sectors, used)


def global_vector_elements(
    distributed: LinearLayout, element_bits: int, strides: Mapping[str, int], max_bytes: int = MAX_LANE_BYTES
) -> int:
    """The longest aligned run, in elements, that one lane holds and that is contiguous in global memory."""
    register = distributed.bases.get("register", ())
    everything = [basis for _, bases in distributed.in_items for basis in bases]
    contiguous = [d for d, name in enumerate(distributed.out_dims) if strides[name] == 1]
    if not contiguous:
        return 1
    dim = contiguous[0]
    others = [strides[name] for name in distributed.out_dims if name != distributed.out_dims[dim]]
    best, run = 1, 1
    while run * 2 * element_bits <= max_bytes * 8:
        step = tuple(run if d == dim else 0 for d in range(len(distributed.out_items)))
        if step not in register:
            break
        run *= 2
        in_run = {tuple(1 << bit if d == dim else 0 for d in range(len(step))) for bit in range(log2_exact(run))}
        aligned = not any(basis[dim] & (run - 1) for basis in everything if basis not in in_run)
        if aligned and not any(stride % run for stride in others):
            best = run
    return best


def _disjoint(distributed: LinearLayout, strides: Mapping[str, int]) -> bool:
    """Whether no two dims share address bits, so that the sum of their offsets is the XOR."""
    taken = 0
    for name, size in distributed.out_items:
        bits = (size - 1) * strides[name]
        if taken & bits:
            return False
        taken |= bits
    return True


def _linear_offset(basis: Sequence[int], distributed: LinearLayout, strides: Mapping[str, int]) -> int:
    return sum(value * strides[name] for value, name in zip(basis, distributed.out_dims, strict=True))


def _request_starts(
    distributed: LinearLayout, strides: Mapping[str, int], rest: Sequence[Sequence[int]]
) -> npt.NDArray[np.int64]:
    """Element offset where each lane of each request starts, as [request, lane]."""
    lanes = distributed.bases.get("lane", ())
    total = np.zeros(1 << len(lanes) + len(rest) + len(distributed.bases.get("warp", ())), dtype=np.int64)
    for dim, name in enumerate(distributed.out_dims):
        coordinate = np.zeros(1, dtype=np.int64)
        for basis in (*lanes, *rest, *distributed.bases.get("warp", ())):
            coordinate = np.concatenate([coordinate, coordinate ^ basis[dim]])
        total += coordinate * strides[name]
    return np.reshape(total, (-1, 1 << len(lanes)))


# Counting from plain addresses


def bank_words(byte_addresses: Sequence[int], lane_bytes: int, direction: Direction = "load") -> npt.NDArray[np.int64]:
    """Distinct 4-byte words in each bank in each pass of one warp access: an array [pass, bank].

    `byte_addresses`: one per lane, where its `lane_bytes` (1, 2, 4, 8 or 16) start.
    """
    rows: list[npt.NDArray[np.int64]] = []
    for lanes in _passes(byte_addresses, lane_bytes, direction):
        starts = np.asarray(lanes, dtype=np.int64)[:, None]
        words = np.unique((starts + np.arange(0, lane_bytes, min(lane_bytes, BANK_BYTES))) // BANK_BYTES)
        rows.append(np.bincount(words % BANKS, minlength=BANKS))
    return np.stack(rows)


def _passes(byte_addresses: Sequence[int], lane_bytes: int, direction: Direction) -> list[Sequence[int]]:
    """The addresses of the lanes of each pass."""
    size = 1 << _PASS_LANE_BITS[lane_bytes]
    if direction == "load" and any(_is_paired(byte_addresses, distance) for distance in (1, 2)):
        size *= 2
    return [byte_addresses[start : start + size] for start in range(0, len(byte_addresses), size)]


def _is_paired(lanes: Sequence[int], distance: int) -> bool:
    """Whether every lane i has the address of lane i ^ distance."""
    return len(lanes) > distance and all(address == lanes[lane ^ distance] for lane, address in enumerate(lanes))


def count_wavefronts(byte_addresses: Sequence[int], lane_bytes: int, direction: Direction = "load") -> int:
    """Wavefronts of one warp access whose lanes start at these byte addresses."""
    return int(bank_words(byte_addresses, lane_bytes, direction).max(axis=1).sum())


def count_matrix_wavefronts(row_addresses: Sequence[int]) -> int:
    """Wavefronts of one ldmatrix or stmatrix: 8, 16 or 32 byte addresses of 16-byte rows, 8 rows a pass."""
    return count_wavefronts(row_addresses, MATRIX_ROW_BYTES, "store")


def count_sectors(byte_addresses: Iterable[int], lane_bytes: int) -> int:
    """Distinct 32-byte sectors of one warp access whose lanes start at these byte addresses."""
    starts = np.asarray(list(byte_addresses), dtype=np.int64)
    ends = starts + lane_bytes - 1
    return len(np.unique(np.concatenate([starts // SECTOR_BYTES, ends // SECTOR_BYTES])))


# Ranks


def _conflict_ways(columns: Sequence[int], element_bits: int) -> int:
    """Words per bank of the span of these element-offset columns."""
    words = [column * element_bits // (8 * BANK_BYTES) for column in columns]
    return 1 << _rank(words) - _rank(word % BANKS for word in words)


def _distinct(columns: Sequence[int]) -> int:
    """The number of registers (or warps) that are not copies of others."""
    return 1 << sum(1 for column in columns if column)


def _rank(columns: Iterable[int]) -> int:
    """Rank over GF(2): how many columns remain after elimination by lowest bit."""
    pivots: dict[int, int] = {}
    for column in columns:
        while column:
            low = column & -column
            if low not in pivots:
                pivots[low] = column
                break
            column ^= pivots[low]
    return len(pivots)
