"""Reading bytes as pairs: a tile of 8-bit elements, read from shared memory in units of 16 bits.

ldmatrix.trans moves 16-bit elements (PTX ISA, ldmatrix). Two neighbours along the contiguous dim x form one such
element, so that a word holds two k at two neighbouring x. One PRMT per word turns two such words into words of one x
and four k (`byte_transposes.Exchange`). On 16-bit elements, this is one elementwise operation on four of them, which
makes four bytes of x and four of x + 1.

This module only renames indices: it gives the tile's memory with 16-bit elements, the layout of the registers that are
read, and the layout of the bytes in the order of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dotload.layout import encodings as enc
from dotload.layout.byte_transposes import BYTES_IN_WORD, WordRead
from dotload.layout.linear import Basis, LayoutError, LinearLayout

PAIRS_IN_PACK = 4
"""Pairs that are permuted together: two words."""

OTHER_WORD, OTHER_OF_PAIR = 0x4444, 0x1111
"""XORed with the selector of a byte permutation: selects the same bytes of the other word, or the other bytes of pairs.
A digit selects a byte, 0 to 3 of the first word and 4 to 7 of the second (PTX ISA, prmt)."""


@dataclass(frozen=True)
class LaneChange:
    """Lanes with bit `lane_bit` set permute with `selector ^ digits`."""

    lane_bit: int
    digits: int


@dataclass(frozen=True)
class PairRead:
    """A tile of bytes read by pairs.

    `dim`: the contiguous dim, which is half as long counted in pairs; `shape`: of the tile, in pairs. `offset`: the
    bases of the tile's memory in pairs; `pairs`: the layout of the pairs in registers. `selectors` permute the two
    words of a pack, for the first and the second element of the pairs; `changes`: lanes with other selectors. `order`:
    the bits of the fragments' register number that count the bytes of the result, lowest first: the element of the
    pair, the byte of the word, the words.
    """

    dim: int
    shape: tuple[int, ...]
    offset: tuple[Basis, ...]
    pairs: LinearLayout
    selectors: tuple[int, int]
    changes: tuple[LaneChange, ...]
    order: tuple[int, ...]

    def ordered(self, fragments: LinearLayout) -> LinearLayout:
        """The layout of the bytes in the order of the read, as elements of `fragments`, which keeps its own order."""
        registers = fragments.bases[enc.REGISTER]
        bases = fragments.bases | {enc.REGISTER: tuple(registers[bit] for bit in self.order)}
        return LinearLayout.from_bases(bases, fragments.out_sizes)


def read_pairs(read: WordRead, held: LinearLayout, memory: LinearLayout) -> PairRead:
    """The read of pairs in `memory` that is equivalent to `read`, by ldmatrix.trans into the registers `held`.

    LayoutError for a tile whose memory does not consist of pairs.
    """
    if not read.is_matrix:
        raise LayoutError("expected a read by ldmatrix.trans")
    (exchange,) = read.exchanges
    pair, neighbour = read.in_word
    entering = exchange.entering
    assert exchange.leaving == pair
    assert entering is not None
    unit = memory.bases[enc.OFFSET][0]
    if sorted(unit) != [0] * (len(unit) - 1) + [1]:
        raise LayoutError(f"neighbours in memory are {unit} apart, expected 1 in one dim")
    dim = unit.index(1)
    words = [bit for bit in range(len(held.bases[enc.REGISTER])) if bit not in (pair, neighbour, entering)]
    registers = [held.bases[enc.REGISTER][bit] for bit in (neighbour, entering, *words)]
    lanes = [without_unit(basis, dim) for basis in held.bases[enc.LANE]]
    offset = memory.bases[enc.OFFSET][1:]
    changes: list[LaneChange] = []
    if read.word_swap_lane is not None:
        offset = tuple(sheared(basis, lanes[read.word_swap_lane], registers[1]) for basis in offset)
        changes.append(LaneChange(read.word_swap_lane, OTHER_WORD))
    if read.byte_swap_lane is not None:
        changes.append(LaneChange(read.byte_swap_lane, OTHER_OF_PAIR))
    moved = {enc.REGISTER: registers, enc.LANE: lanes, enc.WARP: held.bases[enc.WARP]}
    sizes = {name: size >> (at == dim) for at, (name, size) in enumerate(held.out_sizes.items())}
    bases = {name: tuple(halved(basis, dim) for basis in of_dim) for name, of_dim in moved.items()}
    return PairRead(
        dim,
        tuple(sizes.values()),
        tuple(halved(basis, dim) for basis in offset),
        LinearLayout.from_bases(bases, sizes),
        (selector(exchange.picks(0)), selector(exchange.picks(1))),
        tuple(changes),
        (pair, *BYTES_IN_WORD, *words),
    )


def selector(picks: Sequence[int]) -> int:
    """The selector of PRMT that picks these bytes, lowest first."""
    return sum(pick << 4 * byte for byte, pick in enumerate(picks))


def halved(basis: Basis, dim: int) -> Basis:
    """A coordinate counted in pairs; LayoutError for the second element of a pair."""
    if basis[dim] & 1:
        raise LayoutError(f"{basis} is inside of a pair")
    return tuple(value >> (at == dim) for at, value in enumerate(basis))


def without_unit(basis: Basis, dim: int) -> Basis:
    """The coordinate of the pair's first element."""
    return tuple(value & ~1 if at == dim else value for at, value in enumerate(basis))


def sheared(coordinate: Basis, lane: Basis, register: Basis) -> Basis:
    """The memory coordinate of an element, if lanes with bit `lane` take the two words of bit `register` swapped.

    A register layout cannot express lanes with swapped words, so the memory layout does: wherever the lane's bit is
    set, an element has the coordinate of its neighbour along the register bit.
    """
    is_set = any(value & bit for value, bit in zip(coordinate, lane, strict=True))
    return tuple(value ^ is_set * bit for value, bit in zip(coordinate, register, strict=True))
