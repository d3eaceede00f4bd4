"""Permutations of x, the contiguous index of a tile, that make the elements of one read registers of one lane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from dotload.layout.encodings import BLOCK, LANE, REGISTER, WARP, DotOperand, layout_of
from dotload.layout.index_permutation import BitPermutation
from dotload.layout.linear import LinearLayout, log2_exact
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.raw_tiles import Tile


def fragment_permutation(tile: Tile, operand: DotOperand) -> BitPermutation:
    """The permutation of x that puts the elements of one 4-byte read into registers of one lane.

    The lowest bits of x become those bits of x' that the fragment layout walks through in registers.
    """
    walked = _x_bits(tile, operand, REGISTER)
    return _permute_low(tile, walked[: log2_exact(max(1, REGISTER_BITS // tile.element_bits))])


def word_pair_permutation(tile: Tile, operand: DotOperand) -> BitPermutation | None:
    """The permutation of x that puts two neighbouring words of 32 bits into registers of one lane; None for bytes.

    One instruction reads both words, and one stores their results from the accumulator.
    """
    walked = _x_bits(tile, operand, REGISTER)
    return _permute_low(tile, walked[:1]) if walked and tile.element_bits == REGISTER_BITS else None


def byte_pair_permutation(tile: Tile, operand: DotOperand) -> BitPermutation | None:
    """The permutation of x for ldmatrix.trans of pairs of bytes; None if the tile or its elements do not allow it.

    The two x of a pair become registers of one lane, and the eight pairs of a row become its eight groups of lanes.
    """
    walked, lanes = _x_bits(tile, operand, REGISTER), _x_bits(tile, operand, LANE)
    if tile.element_bits != 8 or not walked or len(lanes) != 3:
        return None
    return _permute_low(tile, [walked[0], *lanes])


def lane_permutations(tile: Tile, operand: DotOperand) -> Iterator[BitPermutation]:
    """Permutations of x in which lanes of the fragment layout walk any bits of x, and the other bits keep their order.

    For words of one element whose raw layout is given: lanes should walk bits that lie in different banks. Permutations
    that put pairs into registers of one lane come first.
    """
    lanes, bits = _x_bits(tile, operand, LANE), range(log2_exact(tile.x))
    for beside in (_x_bits(tile, operand, REGISTER)[:1], []):
        others = [bit for bit in bits if bit not in (*beside, *lanes)]
        for walked in permutations(bits[len(beside) :], len(lanes)):
            kept = iter((*beside, *others))
            yield BitPermutation(tuple(lanes[walked.index(bit)] if bit in walked else next(kept) for bit in bits))


def _x_bits(tile: Tile, operand: DotOperand, in_dim: str) -> list[int]:
    """The bits of x that the registers or lanes of the fragment layout walk, in order."""
    layout = layout_of(operand, _operand_shape(tile, operand))
    return [log2_exact(basis[operand.op_index]) for basis in layout.bases[in_dim] if basis[operand.op_index]]


def _permute_low(tile: Tile, low: Sequence[int]) -> BitPermutation:
    """The permutation that makes the lowest bits of x the bits `low` of x'; the others stay in order."""
    return BitPermutation((*low, *[bit for bit in range(log2_exact(tile.x)) if bit not in low]))


def _operand_shape(tile: Tile, operand: DotOperand) -> tuple[int, int]:
    return (tile.x, tile.k) if operand.op_index == 0 else (tile.k, tile.x)


def accumulator_permutation(accumulator: LinearLayout, fragments: LinearLayout) -> BitPermutation | None:
    """The permutation of columns, k of the next dot, with which each lane already holds its fragments of A.

    Lanes and warps determine which bit of a column becomes which bit of k; the bits that registers walk take the
    remaining places in order. None if a lane holds other rows, or a warp other columns, than its fragments.
    """
    image: dict[int, int] = {}
    for name in (LANE, WARP, BLOCK):
        held, wanted = accumulator.bases.get(name, ()), fragments.bases.get(name, ())
        if [row for row, _ in held] != [row for row, _ in wanted]:
            return None
        for (_, column), (_, k) in zip(held, wanted, strict=True):
            if (column == 0) != (k == 0):
                return None
            if column:
                image[log2_exact(column)] = log2_exact(k)
    rows, wanted_rows = (sorted(row for row, _ in each.bases[REGISTER] if row) for each in (accumulator, fragments))
    columns, ks = (sorted(k for _, k in each.bases[REGISTER] if k) for each in (accumulator, fragments))
    image |= {log2_exact(column): log2_exact(k) for column, k in zip(columns, ks, strict=False)}
    bits = list(range(len(image)))
    is_whole = rows == wanted_rows and len(columns) == len(ks) and sorted(image) == sorted(image.values()) == bits
    return BitPermutation(tuple(image[bit] for bit in bits)) if is_whole else None
