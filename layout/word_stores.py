"""Stores of a fragment's words to shared memory: by st.shared of 4 to 16 bytes a lane, or by stmatrix.

stmatrix (PTX ISA, stmatrix) stores 8x16-byte matrices. Lanes 4r to 4r + 3 hold row r of a matrix, one word each. Each
row has its own address, which may be anywhere.

Register bits and columns are counted as in `dotload.layout.byte_transposes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dotload.layout.access import Addresses, SharedAccess, matrix_access, vector_access
from dotload.layout.byte_transposes import WORD_BYTES, WordRead, deposit_bits, held_after, offset, read_words
from dotload.layout.linear import log2_exact
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.widths import WORD_BITS


@dataclass(frozen=True)
class WordStore:
    """How a tile is stored to shared memory.

    `lanes`: for each bit of the lane number, the column of the address that the lane gives (stmatrix: of a row).
    `vector_bits`, `iteration_bits`: the register bits that count the words of one instruction, and the instructions.
    """

    access: SharedAccess
    lanes: tuple[int, ...]
    vector_bits: tuple[int, ...]
    iteration_bits: tuple[int, ...]

    @property
    def is_matrix(self) -> bool:
        """Whether the store is by stmatrix; otherwise by st.shared."""
        return self.access.kind == "matrix"


@lru_cache(maxsize=1024)
def store_words(where: Addresses) -> WordStore | None:
    """The cheapest way to store these registers; None if neighbouring registers do not make words of memory."""
    if where.element_bits not in (8, 32) or len(where.lane) != 5 or not all(where.register):
        return None
    in_word = log2_exact(WORD_BITS // where.element_bits)
    if where.register[:in_word] != tuple(1 << bit for bit in range(in_word)):
        return None
    stores = _word_stores(where, in_word)
    return min(stores, key=lambda store: (store.access.total_wavefronts, store.access.instructions), default=None)


@lru_cache(maxsize=1024)
def copy_words(
    source: Addresses, target: Addresses, *, may_swap_words: bool = True
) -> tuple[WordRead, WordStore] | None:
    """The cheapest copy from memory to memory through registers that have no other use.

    So half of the lanes may hold the bytes of a pair in the other order, if that has fewer bank conflicts. None as for
    `read_words` and `store_words`.
    """
    copies: list[tuple[WordRead, WordStore]] = []
    pair = source.register.index(1) if 1 in source.register else None
    for lane in _worthwhile_swaps(target, pair):
        read = read_words(_swapped(source, lane, pair), may_swap_words=may_swap_words)
        store = store_words(_swapped(target, lane, pair))
        if read is not None and store is not None:
            copies.append((read, store))
    return min(copies, key=_cost_of_copy, default=None)


@lru_cache(maxsize=1024)
def _worthwhile_swaps(target: Addresses, pair: int | None) -> tuple[int | None, ...]:
    """None, and the lane bit whose byte swap stores the tile in the fewest wavefronts, if any is better."""
    swaps: list[int | None] = [None] if pair is None else [None, 4, 3, 2]
    stores = {lane: store_words(_swapped(target, lane, pair)) for lane in swaps}
    wavefronts = {lane: store.access.total_wavefronts for lane, store in stores.items() if store}
    best = min(wavefronts, key=lambda lane: wavefronts[lane], default=None)
    return (None,) if best is None else (None, best)


def _cost_of_copy(copy: tuple[WordRead, WordStore]) -> tuple[int, int]:
    read, store = copy
    return read.cycles + store.access.total_wavefronts, read.access.instructions + store.access.instructions


def _swapped(where: Addresses, lane: int | None, pair: int | None) -> Addresses:
    """The addresses with the two registers of bit `pair` swapped in lanes with bit `lane`."""
    if lane is None or pair is None:
        return where
    columns = [column ^ where.register[pair] if bit == lane else column for bit, column in enumerate(where.lane)]
    return replace(where, lane=tuple(columns))


def _word_stores(where: Addresses, in_word: int) -> Iterator[WordStore]:
    vectors, matrices = vector_access(where, "store"), matrix_access(where, "store")
    bits = range(in_word, len(where.register))
    if run := vectors.lane_bytes // WORD_BYTES:
        vector_bits = tuple(where.register.index(1 << in_word + bit) for bit in range(log2_exact(run)))
        yield WordStore(vectors, where.lane, vector_bits, tuple(bit for bit in bits if bit not in vector_bits))
    if matrices is not None:
        count = log2_exact(matrices.lane_bytes // WORD_BYTES)
        vector_bits, iteration_bits = tuple(bits[:count]), tuple(bits[count:])
        lanes = (*where.lane[2:], *(where.register[bit] for bit in vector_bits), *[0] * (2 - count))
        yield WordStore(matrices, lanes, vector_bits, iteration_bits)


@lru_cache(maxsize=256)
def prove_copy(read: WordRead, store: WordStore, source: Addresses, target: Addresses) -> bool:
    """Whether each element of a tile goes from its place in `source` to that in `target`, by simulated hardware.

    Addresses are linear in the warp, so one warp stands for all.
    """
    held, placed = held_after(read, source), places_of(store, target)
    wanted = _pairs(source.table()[0], target.table()[0])
    return np.array_equal(_pairs(held, placed), wanted)


def _pairs(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The distinct pairs of values at the same position in the two arrays, sorted."""
    return np.unique(np.stack([a.ravel(), b.ravel()]), axis=1)


def places_of(store: WordStore, where: Addresses) -> npt.NDArray[np.int64]:
    """The targets of a warp's registers, as element offsets [lane, register]; -1 for none.

    Only the registers' columns and the elements' size of `where` are used.
    """
    placed = np.full((WARP_LANES, 1 << len(where.register)), -1)
    per_word, words = WORD_BITS // where.element_bits, 1 << len(store.vector_bits)
    for step in range(1 << len(store.iteration_bits)):
        first = deposit_bits(step, store.iteration_bits)
        starts = [offset(lane, store.lanes) ^ offset(first, where.register) for lane in range(WARP_LANES)]
        for number in range(words):
            register = first | deposit_bits(number, store.vector_bits)
            for lane in range(WARP_LANES):
                start = starts[lane] + per_word * number
                if store.is_matrix:  # four lanes hold a row, whose address another lane gives
                    start = starts[8 * number + lane // 4] + per_word * (lane % 4)
                placed[lane, register : register + per_word] = range(start, start + per_word)
    return placed
