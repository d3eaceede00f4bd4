"""Byte transposes in registers: from words as shared memory holds them to words of a fragment.

A shared-memory read gives a lane 4-byte words of contiguous elements. A fragment of 8-bit elements needs other words:
four k of one row, where memory has four rows at one k. In both, bits of the register number count the elements, so that
a transpose swaps bits: those that count the bytes of a word with those that count words. One swap costs one byte
permutation (PRMT) per word. Hence

    ld.shared of 4, 8 or 16 bytes a lane      two swaps: the 4x4 byte transpose; 16x4 and 16x16 bytes are several
    ldmatrix.trans (PTX ISA, ldmatrix)        one swap: the instruction has brought two rows together already. It moves
                                              pairs of bytes, so that a word has two k at two neighbouring x
    ld.shared of 2 bytes a lane               none, but two halves are joined to a word: fragments of 16-bit elements,
                                              which are converted from bytes, have two k at each of two rows

The rows that ldmatrix reads together have to lie in different banks. In a swizzle that is given, they may conflict.
Then half of the lanes take the two words of a swap in the other order (a *word swap*), which the swap's permutation
undoes in these lanes. Likewise half of the lanes may produce the two words of a swap in the other order (a *byte
swap*), to store them without bank conflicts.

Register bits are counted from 0; bit b of the register number of an element. Columns are offsets in elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dotload.layout.access import (
    MATRIX_ROW_BYTES,
    MAX_LANE_BYTES,
    Addresses,
    SharedAccess,
    matrix_access_of,
    vector_access_of_width,
    vector_elements,
)
from dotload.layout.fragments import MatrixMove
from dotload.layout.linear import log2_exact
from dotload.layout.nvidia_targets import WARP_LANES
from dotload.layout.widths import WORD_BITS

WORD_BYTES = 4
HALF_BYTES = 2
BYTES_IN_WORD = (0, 1)
"""The register bits that count the bytes of a word of a fragment: neighbouring registers are packed."""
PERMUTES_PER_CYCLE = 2
"""Byte permutations of whole warps that a multiprocessor executes per cycle: 64 lanes (CUDA C++ Programming Guide,
"Throughput of Native Arithmetic Instructions", compute capability 9.0)."""

Word = TypeVar("Word")


@dataclass(frozen=True)
class Exchange:
    """One byte permutation per word: it changes the register bits that count the bytes of a word.

    `before` and `after` are these bits, lowest first; they differ in at most one bit.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def entering(self) -> int | None:
        """The bit that counted words and will count bytes; None for bytes that only change places."""
        return next((bit for bit in self.after if bit not in self.before), None)

    @property
    def leaving(self) -> int | None:
        """The bit that counted bytes and will count words."""
        return next((bit for bit in self.before if bit not in self.after), None)

    def picks(self, leaving: int) -> tuple[int, ...]:
        """Which of the 8 bytes of two words make the word with this value of the leaving bit.

        The first of the two has 0 for the entering bit.
        """
        picks: list[int] = []
        for byte in range(1 << len(self.after)):
            value = {bit: byte >> position & 1 for position, bit in enumerate(self.after)}
            if self.leaving is not None:
                value[self.leaving] = leaving
            source = sum(value[bit] << position for position, bit in enumerate(self.before))
            picks.append(source + (WORD_BYTES * value[self.entering] if self.entering is not None else 0))
        return tuple(picks)

    def apply(
        self, words: Mapping[int, Word], shuffle: Callable[[Word, Word, tuple[int, ...]], Word]
    ) -> dict[int, Word]:
        """The words after the exchange. A word's key is its register number with the bits that count bytes zeroed."""
        entering, leaving = self.entering, self.leaving
        picks = [self.picks(value) for value in (0, 1)]
        if entering is None or leaving is None:
            return {key: shuffle(word, word, picks[0]) for key, word in words.items()}
        after: dict[int, Word] = {}
        for key, first in words.items():
            if not key >> entering & 1:
                second = words[key | 1 << entering]
                for value in (0, 1):
                    after[key | value << leaving] = shuffle(first, second, picks[value])
        return after


def exchanges(before: Sequence[int], after: Sequence[int]) -> tuple[Exchange, ...]:
    """The permutations that lead from words whose bytes are counted by `before` to words counted by `after`."""
    held, wanted = tuple(before), tuple(after)
    steps: list[Exchange] = []
    while held != wanted:
        missing = [bit for bit in wanted if bit not in held]
        leaving = next((bit for bit in held if bit not in wanted), None)
        swapped = tuple(missing[0] if bit == leaving else bit for bit in held)
        following = swapped if len(missing) > 1 else wanted
        steps.append(Exchange(held, following))
        held = following
    return tuple(steps)


@dataclass(frozen=True)
class WordRead:
    """How a tile is read from shared memory: the instructions, and which registers their words hold.

    `lanes`: for each bit of the lane number, the column of the address that the lane gives (ldmatrix: of a row).
    `in_word`, `vector_bits`, `iteration_bits`: the register bits that count the elements of a word, the words of one
    instruction, and the instructions. `exchanges` turn the words into fragments. Lanes with bit `word_swap_lane` take
    the two words of the only exchange in the other order, lanes with bit `byte_swap_lane` produce them in the other
    order; None: no lanes do. `half_bit`: the register bit that counts the two halves of a word, if each half is read
    separately.
    """

    access: SharedAccess
    lanes: tuple[int, ...]
    in_word: tuple[int, ...]
    vector_bits: tuple[int, ...]
    iteration_bits: tuple[int, ...]
    exchanges: tuple[Exchange, ...]
    word_swap_lane: int | None = None
    byte_swap_lane: int | None = None
    half_bit: int | None = None

    @property
    def word_permutes(self) -> int:
        """Byte permutations per word; joining two halves is one."""
        return len(self.exchanges) + (self.half_bit is not None)

    @property
    def permutes(self) -> int:
        """Byte permutations per warp."""
        return self.word_permutes << len(self.vector_bits) + len(self.iteration_bits)

    def words_of(self, registers: Iterable[int]) -> set[int]:
        """The words to read for these registers, before the exchanges; keys as for `Exchange.apply`."""
        uncounted = deposit_bits(WORD_BYTES - 1, BYTES_IN_WORD) if self.in_word else 0
        keys = {register & ~uncounted for register in registers}
        for exchange in reversed(self.exchanges):
            if exchange.entering is not None and exchange.leaving is not None:
                keys = {key & ~(1 << exchange.leaving) for key in keys}
                keys |= {key | 1 << exchange.entering for key in keys}
        return keys

    @property
    def cycles(self) -> int:
        """Cycles of a multiprocessor for the tile, all warps together: wavefronts, and the time of the permutations."""
        return self.access.total_wavefronts + self.permutes * self.access.warps // PERMUTES_PER_CYCLE

    @property
    def is_matrix(self) -> bool:
        """Whether the read is by ldmatrix.trans; otherwise by ld.shared."""
        return self.access.kind == "matrix.trans"


@lru_cache(maxsize=1024)
def read_words(where: Addresses, *, may_swap_words: bool = True) -> WordRead | None:
    """The cheapest way to read these registers; None if whole words are not contiguous or registers hold copies.

    `may_swap_words`: whether half of the lanes may take words in the other order, if nothing else is as cheap.
    """
    if where.element_bits not in (8, 32) or len(where.lane) != 5 or not all(where.register):
        return None
    reads = _word_reads(where, (None, 0, 1) if may_swap_words else (None,))
    return min(reads, key=lambda read: (read.cycles, read.access.instructions), default=None)


def _word_reads(where: Addresses, swap_lanes: Sequence[int | None]) -> Iterator[WordRead]:
    yield from _paired_reads(where, swap_lanes[0])
    yield from _vector_reads(where)
    yield from _half_reads(where)
    for swap_lane in swap_lanes[1:]:  # last, since the first of equal reads wins
        yield from _paired_reads(where, swap_lane)


def _vector_reads(where: Addresses) -> Iterator[WordRead]:
    """Reads by ld.shared of 4 to 16 bytes."""
    per_word = WORD_BITS // where.element_bits
    lane_bytes = WORD_BYTES
    while lane_bytes <= MAX_LANE_BYTES:
        run = lane_bytes * 8 // where.element_bits
        if vector_elements(where, lane_bytes) < run:
            return
        walked = tuple(where.register.index(1 << bit) for bit in range(log2_exact(run)))
        in_word, vector_bits = walked[: log2_exact(per_word)], walked[log2_exact(per_word) :]
        iteration_bits = tuple(bit for bit in range(len(where.register)) if bit not in walked)
        access = vector_access_of_width(where, run)
        steps = exchanges(in_word, BYTES_IN_WORD) if in_word else ()
        yield WordRead(access, where.lane, in_word, vector_bits, iteration_bits, steps)
        lane_bytes *= 2


def _half_reads(where: Addresses) -> Iterator[WordRead]:
    """Reads by ld.shared of two bytes, each half of a word separately, if no more bytes of a word are contiguous."""
    in_half, half = BYTES_IN_WORD
    if where.element_bits != 8 or vector_elements(where, HALF_BYTES) < HALF_BYTES or where.register.index(1) != in_half:
        return
    if len(where.register) > half and where.register[half] % HALF_BYTES == 0:
        access = vector_access_of_width(where, HALF_BYTES)
        iteration_bits = tuple(range(len(BYTES_IN_WORD), len(where.register)))
        yield WordRead(access, where.lane, BYTES_IN_WORD, (), iteration_bits, (), half_bit=half)


def _paired_reads(where: Addresses, word_swap_lane: int | None) -> Iterator[WordRead]:
    """Reads by ldmatrix.trans, with pairs of bytes as its elements.

    Lane 4g + c is given rows 2c and 2c + 1 of pair g (PTX ISA, ldmatrix .trans). So lane bits 2 to 4 and one register
    bit walk the 16 bytes of a row; another register bit and lane bits 0 and 1 walk the rows, which may lie anywhere.
    With a word swap, lanes with bit `word_swap_lane` take the two words of the exchange in the other order. With a byte
    swap, a lane bit walks the elements of a pair too. If the pair's register bit counts bytes of a word, as in
    fragments of 16-bit elements, a word already has two k at two x: its two middle bytes change places.
    """
    byte_swaps = [bit for bit in range(2, len(where.lane)) if where.lane[bit] & 1]
    walked = tuple(column & ~1 for column in where.lane[2:])
    if where.element_bits != 8 or walked != (2, 4, 8) or len(byte_swaps) > 1 or 1 not in where.register:
        return
    pair = where.register.index(1)
    others = [column for column in (*where.register, *where.lane[:2], *where.warp) if column != 1]
    if any(column % MATRIX_ROW_BYTES for column in others):
        return
    if pair in BYTES_IN_WORD and (byte_swaps or word_swap_lane is not None):
        return  # the bytes of one word change places: there are no two words whose order could differ
    for neighbour in (bit for bit in BYTES_IN_WORD if bit != pair):
        word_bits = [bit for bit in range(len(where.register)) if bit not in (pair, neighbour)]
        steps = exchanges((pair, neighbour), BYTES_IN_WORD)
        low_lanes = list(where.lane[:2])
        if word_swap_lane is not None:
            assert steps[0].entering is not None
            low_lanes[word_swap_lane] ^= where.register[steps[0].entering]
        rows = (where.register[neighbour], *low_lanes)
        access = matrix_access_of(where, "load", "matrix.trans", [1, 2, 4, 8, *rows])
        count = log2_exact(access.lane_bytes // WORD_BYTES)
        vector_bits, iteration_bits = tuple(word_bits[:count]), tuple(word_bits[count:])
        lanes = (*rows, *(where.register[bit] for bit in vector_bits), *[0] * (2 - count))
        byte_swap_lane = byte_swaps[0] if byte_swaps else None
        yield WordRead(
            access, lanes, (pair, neighbour), vector_bits, iteration_bits, steps, word_swap_lane, byte_swap_lane
        )


def deposit_bits(number: int, bits: Sequence[int]) -> int:
    """The register number with bit i of `number` at `bits[i]`."""
    return sum((number >> position & 1) << bit for position, bit in enumerate(bits))


def offset(number: int, columns: Sequence[int]) -> int:
    """The XOR of the columns of the set bits of `number`."""
    total = 0
    for position, column in enumerate(columns):
        total ^= column if number >> position & 1 else 0
    return total


@lru_cache(maxsize=256)
def prove_read(read: WordRead, where: Addresses) -> bool:
    """Whether every register of every lane receives its element, by simulation of the hardware.

    Elements are numbered by their offsets. Addresses are linear in the warp, so one warp stands for all.
    """
    return np.array_equal(held_after(read, where), where.table()[0])


def held_after(read: WordRead, where: Addresses) -> npt.NDArray[np.int64]:
    """What the registers of a warp hold after the read, as element numbers [lane, register]; -1 for nothing.

    Only the registers' columns and the elements' size of `where` are used.
    """
    words: dict[int, npt.NDArray[np.int64]] = {}
    for step in range(1 << len(read.iteration_bits)):
        first = deposit_bits(step, read.iteration_bits)
        starts = [offset(lane, read.lanes) ^ offset(first, where.register) for lane in range(WARP_LANES)]
        if read.is_matrix:
            delivered = _matrix_words(read, starts)
        elif read.half_bit is not None:
            delivered = [_joined_halves(starts, where.register[read.half_bit])]
        else:
            delivered = _vector_words(read, where, starts)
        for number, word in enumerate(delivered):
            words[first | deposit_bits(number, read.vector_bits)] = word

    lanes = np.arange(WARP_LANES)
    words_swapped = lanes >> read.word_swap_lane & 1 if read.word_swap_lane is not None else 0 * lanes
    bytes_swapped = lanes >> read.byte_swap_lane & 1 if read.byte_swap_lane is not None else 0 * lanes
    assert len(read.exchanges) == 1 or (read.word_swap_lane is None and read.byte_swap_lane is None)

    def shuffle(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], picks: tuple[int, ...]) -> npt.NDArray[np.int64]:
        both = np.stack([np.concatenate(order, axis=1) for order in ((a, b), (b, a))])
        picked = np.where(bytes_swapped[:, None], [pick ^ 1 for pick in picks], picks)
        return both[words_swapped[:, None], lanes[:, None], picked]

    for exchange in read.exchanges:
        words = exchange.apply(words, shuffle)
    held = np.full((WARP_LANES, 1 << len(where.register)), -1)
    for key, word in words.items():
        for byte in range(word.shape[1]):
            held[:, key | deposit_bits(byte, BYTES_IN_WORD)] = word[:, byte]
    return held


def _vector_words(read: WordRead, where: Addresses, starts: Sequence[int]) -> list[np.ndarray]:
    """Each word of an ld.shared, as element numbers [lane, element]."""
    per_word = WORD_BITS // where.element_bits
    first = np.asarray(starts)[:, None]
    return [first + per_word * word + np.arange(per_word) for word in range(1 << len(read.vector_bits))]


def _joined_halves(starts: Sequence[int], distance: int) -> npt.NDArray[np.int64]:
    """A word of two halves, `distance` (XOR) apart, as element numbers [lane, element]."""
    first = np.asarray(starts)[:, None]
    return np.concatenate([half + np.arange(HALF_BYTES) for half in (first, first ^ distance)], axis=1)


def _matrix_words(read: WordRead, starts: Sequence[int]) -> list[np.ndarray]:
    """Each word of an ldmatrix.trans, as element numbers [lane, byte]."""
    matrices = 1 << len(read.vector_bits)
    table = MatrixMove(matrices, trans=True).to_linear_layout().table()
    words = np.zeros((matrices, len(starts), WORD_BYTES), dtype=np.int64)
    for source, (byte, register, lane) in enumerate(table):
        row, column = divmod(source, MATRIX_ROW_BYTES)
        words[register, lane, byte] = starts[row] + column
    return list(words)
