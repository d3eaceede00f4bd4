"""Plans for non-K-major operands: how an 8- or 32-bit tile reaches the tensor core, found by search over layouts.

wgmma reads 8- and 32-bit operands from shared memory K-major only, and mma.sync wants four consecutive k of an 8-bit
operand in one register (PTX ISA, wgmma and mma.sync fragments). Let x be the index that is contiguous in memory, M of A
or N of B. There are two routes.

REGISTERS  cp.async or TMA copies the tile to shared memory in its global order, and it is read straight into the
           operand's fragments. A fragment needs four consecutive k per 32-bit register, whereas a read delivers
           consecutive x. So the plan permutes the bits of x (`BitPermutation`) until the bytes that a read delivers
           belong to registers of one lane; byte permutations transpose them within the lane. This permutes rows or
           columns of the accumulator; the inverse is applied once, after the loop, and moves no data. wgmma takes only
           A from registers: for a B operand, the plan computes the transposed dot. An operand that is converted from 8
           bits to 16 before wgmma multiplies it takes this route as well, in either order: what is converted in
           registers need not go back to shared memory, twice as wide.

SHARED     The tile is read into registers that hold 16 consecutive bytes of k, and stored K-major to a second buffer,
           in the swizzle that wgmma reads. This costs another pass through shared memory and a CTA barrier; the
           accumulator stays as it is.

Tiles are read by ldmatrix.trans, and one byte permutation a word, where the layouts allow it
(`dotload.layout.byte_transposes`). Triton's own conversion would take ld.shared, and three permutations a word.

Layouts are chosen by the cost of their accesses (`dotload.layout.access`): wavefronts first, then instructions. The
search visits simple layouts first and stops at the first one without bank conflicts: those of the raw tile are in
`dotload.layout.raw_tiles`, those of registers in `run_layouts`, permutations of x in `operand_permutations`. `prove`
checks a plan element by element, by other means than those that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dotload.layout.access import Addresses, SharedAccess, addresses, shared_access, vector_access
from dotload.layout.byte_transposes import WordRead, read_words
from dotload.layout.encodings import (
    DotOperand,
    Linear,
    NvidiaMma,
    NvmmaShared,
    SwizzledShared,
    layout_of,
)
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.linear import LinearLayout
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.operand_permutations import (
    byte_pair_permutation,
    fragment_permutation,
    lane_permutations,
    word_pair_permutation,
)
from dotload.layout.raw_tiles import RawLayout, Tile, raw_layouts, xor_layouts
from dotload.layout.run_layouts import k_run_layouts, matrix_run_layouts, paired_run_layouts
from dotload.layout.word_stores import WordStore, copy_words, prove_copy

MMA_ROWS = 16
WGMMA_COLUMNS = {"float": 256, "integer": 128}
"""The widest accumulator of one wgmma, a power of two: integers stop at 224 in Triton's lowering."""


@dataclass(frozen=True)
class RegisterRoute:
    """Raw tile -> registers in the fragment layout of `operand`, with the bits of x permuted.

    `index_permutation` makes the tile the operand: x becomes x', which comes first in A and last in B. `words` is the
    read spelled out; None where Triton's own conversion reads the tile.
    """

    tile: Tile
    raw: RawLayout
    index_permutation: IndexPermutation
    operand: DotOperand
    read: SharedAccess
    words: WordRead | None = None

    @property
    def permutation(self) -> BitPermutation:
        """That of the index which is not k: x -> x', but for a K-major tile, whose rows stay in order."""
        whole = self.index_permutation
        return whole.permutations[whole.order[self.operand.op_index]]

    @property
    def operand_shape(self) -> tuple[int, ...]:
        """[x', k] for A, [k, x'] for B."""
        return self.index_permutation.shape

    @cached_property
    def held(self) -> LinearLayout:
        """Which elements of the tile the registers hold, under the names that they have in it."""
        return _held(self.index_permutation, self.operand)

    @property
    def reads_bytes(self) -> bool:
        """Whether a lane reads one byte at a time: a warp has too few rows or columns of the tile for ldmatrix."""
        return self.read.lane_bytes == 1

    @property
    def cost(self) -> tuple[int, int, int]:
        """Wavefronts (or cycles) and instructions of a tile, all warps together; then, the narrower the worse."""
        spent = self.words.cycles if self.words else self.read.total_wavefronts
        return spent, self.read.instructions * self.read.warps, -self.read.lane_bytes


@dataclass(frozen=True)
class SharedRoute:
    """Raw tile -> registers with runs of k, by `words` -> K-major tile in `target`, which wgmma reads, by `store`."""

    tile: Tile
    raw: RawLayout
    registers: Linear
    target: NvmmaShared
    words: WordRead
    store: WordStore

    @property
    def read(self) -> SharedAccess:
        """How the raw tile is read."""
        return self.words.access

    @property
    def write(self) -> SharedAccess:
        """How the K-major tile is written."""
        return self.store.access

    @property
    def cost(self) -> tuple[int, int]:
        """Cycles and instructions of a tile, all warps together."""
        instructions = sum(access.instructions * access.warps for access in (self.read, self.write))
        return self.words.cycles + self.write.total_wavefronts, instructions


def _held(permutation: IndexPermutation, operand: DotOperand) -> LinearLayout:
    return permutation.inverse.layout(layout_of(operand, permutation.shape))


@lru_cache(maxsize=256)
def plan_register_route(tile: Tile, operand: DotOperand, others: tuple[DotOperand, ...] = ()) -> RegisterRoute:
    """The route to the fragments of `operand`, with the raw layout that reads fastest.

    `others`: fragments that are read from the same raw tile as it is. Among raw layouts that read the operand as fast,
    theirs is the one that reads these fastest.
    """
    best = _plan_register_route(tile, operand)
    if not others or tile.arrives is not None:
        return best

    def of_others(route: RegisterRoute) -> tuple[int, int]:
        """The worst bank conflicts of the other reads, and their wavefronts."""
        memory = layout_of(route.raw, tile.shape)
        places = (addresses(layout_of(other, tile.shape), memory, tile.element_bits) for other in others)
        reads = [shared_access(where) for where in places]
        return max(read.conflict_ways for read in reads), sum(read.total_wavefronts for read in reads)

    found, cost = best, of_others(best)
    for route in _routes_to_registers(tile, xor_layouts(tile, for_both_orders=True), best.index_permutation, operand):
        if cost[0] == 1:
            break
        if route.cost == best.cost and of_others(route) < cost:
            found, cost = route, of_others(route)
    return found


def _plan_register_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    pairs = (word_pair_permutation(tile, operand), byte_pair_permutation(tile, operand))
    candidates = (fragment_permutation(tile, operand), *pairs)
    routes = (_best_register_route(tile, operand, each) for each in candidates if each is not None)
    best = min(routes, key=lambda route: route.cost)
    if tile.arrives is None or tile.element_bits < REGISTER_BITS:
        return best
    dealt = (_best_register_route(tile, operand, each) for each in lane_permutations(tile, operand))
    return _first_without_conflicts(chain((best,), dealt))


def _best_register_route(tile: Tile, operand: DotOperand, permutation: BitPermutation) -> RegisterRoute:
    permutations: list[BitPermutation | None] = [None, None]
    permutations[tile.x_axis] = permutation
    order = (0, 1) if operand.op_index == tile.x_axis else (1, 0)
    raws = xor_layouts(tile) if tile.arrives is None else (tile.arrives,)
    return _first_to_registers(tile, raws, IndexPermutation.of(tile.shape, permutations, order), operand)


def _first_to_registers(
    tile: Tile, raws: Iterable[RawLayout], permutation: IndexPermutation, operand: DotOperand
) -> RegisterRoute:
    """The first of the raw layouts that is read without conflicts, or the cheapest."""
    return _first_without_conflicts(_routes_to_registers(tile, raws, permutation, operand))


def _routes_to_registers(
    tile: Tile, raws: Iterable[RawLayout], permutation: IndexPermutation, operand: DotOperand
) -> Iterator[RegisterRoute]:
    """A route by way of each of the raw layouts."""
    held = _held(permutation, operand)

    def route(raw: RawLayout) -> RegisterRoute:
        where = addresses(held, layout_of(raw, tile.shape), tile.element_bits)
        words = read_words(where, may_swap_words=tile.arrives is not None)
        read = words.access if words else vector_access(where, "load", max_bytes=REGISTER_BITS // 8)
        return RegisterRoute(tile, raw, permutation, operand, read, words)

    return map(route, raws)


Route = TypeVar("Route", RegisterRoute, SharedRoute)


def _first_without_conflicts(routes: Iterable[Route]) -> Route:
    """The first route that reads without bank conflicts, or the cheapest of them all; there is at least one."""
    best: Route | None = None
    for route in routes:
        if best is None or route.cost < best.cost:
            best = route
        if route.read.conflict_ways == 1:
            break
    assert best is not None
    return best


@lru_cache(maxsize=256)
def plan_fragment_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    """The route to the fragments of `operand` without any permutation: by ldmatrix where the fragments allow it."""
    unchanged = IndexPermutation.of(tile.shape, (None, None))
    fragment = layout_of(operand, tile.shape)

    def route(raw: SwizzledShared) -> RegisterRoute:
        read = shared_access(addresses(fragment, layout_of(raw, tile.shape), tile.element_bits))
        return RegisterRoute(tile, raw, unchanged, operand, read)

    return _first_without_conflicts(map(route, raw_layouts(tile)))


def wgmma_grids(rows: int, columns: int, warps: int, element_bits: int, kind: str) -> list[NvidiaMma]:
    """The ways to deal a rows x columns accumulator over the warps of wgmma, most warps along the rows first."""
    grids: list[NvidiaMma] = []
    for along_rows in sorted((1 << bit for bit in range(2, warps.bit_length())), reverse=True):
        along_columns = warps // along_rows
        n = min(WGMMA_COLUMNS[kind], columns // along_columns)
        if along_rows * MMA_ROWS <= rows and n >= 8:
            grids.append(NvidiaMma(3, 0, (along_rows, along_columns), (MMA_ROWS, n, 256 // element_bits)))
    return grids


@lru_cache(maxsize=256)
def plan_wgmma_registers(tile: Tile, columns: int, warps: int, kind: str = "float") -> RegisterRoute | None:
    """The best register route into wgmma's A, for a product with so many columns; None when the tile is too small.

    `kind` of the elements: "float" or "integer".
    """
    routes = [
        plan_register_route(tile, DotOperand(0, mma, REGISTER_BITS // tile.element_bits))
        for mma in wgmma_grids(tile.x, columns, warps, tile.element_bits, kind)
    ]
    return min(routes, key=lambda route: route.cost, default=None)


@lru_cache(maxsize=256)
def plan_converted_registers(
    tile: Tile, k_axis: int, columns: int, warps: int, multiplied_bits: int
) -> RegisterRoute | None:
    """`plan_wgmma_registers` for a tile that is converted to floats of `multiplied_bits` on its way.

    `k_axis`: the dim of k in the tile, which may be the contiguous one. Fragments are those of the wider type.
    """
    fragments = [
        DotOperand(0, mma, REGISTER_BITS // multiplied_bits)
        for mma in wgmma_grids(tile.shape[1 - k_axis], columns, warps, multiplied_bits, "float")
    ]
    return min((plan_fragments(tile, k_axis, each) for each in fragments), key=lambda route: route.cost, default=None)


def plan_fragments(tile: Tile, k_axis: int, fragments: DotOperand) -> RegisterRoute:
    """The route into these fragments; `k_axis`: the dim of k in the tile, which may be the contiguous one."""
    return (plan_k_major_route if k_axis == tile.x_axis else plan_register_route)(tile, fragments)


def plan_k_major_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    """The route of a tile whose contiguous index, x, is k: lanes read the runs of k that they have in the fragments."""
    order = (1, 0) if operand.op_index == tile.x_axis else (0, 1)
    raws = raw_layouts(tile) if tile.arrives is None else (tile.arrives,)
    return _first_to_registers(tile, raws, IndexPermutation.of(tile.shape, (None, None), order), operand)


@lru_cache(maxsize=256)
def plan_shared_route(tile: Tile, target: NvmmaShared, warps: int) -> SharedRoute | None:
    """The best route through registers into the K-major tile `target`; None when the tile is too small for a warp."""
    if tile.arrives is not None:
        return _plan_copy_of_arrived(tile, target, warps)
    k_major = layout_of(target, tile.shape)

    def written(candidates: Iterable[Linear]) -> list[Linear]:
        """Those that vectors write in the fewest wavefronts."""
        writes: dict[Linear, int] = {}
        for registers in candidates:
            where = addresses(layout_of(registers, tile.shape), k_major, tile.element_bits)
            writes[registers] = vector_access(where, "store").total_wavefronts
        return [registers for registers, wavefronts in writes.items() if wavefronts == min(writes.values())]

    routes: list[SharedRoute] = []
    for registers in (*written(k_run_layouts(tile, warps)), *written(paired_run_layouts(tile, warps))):
        copies = (_copy_route(tile, raw, registers, target) for raw in xor_layouts(tile))
        routes.append(_first_without_conflicts(copy for copy in copies if copy is not None))
    return min(routes, key=lambda route: route.cost, default=None)


def _plan_copy_of_arrived(tile: Tile, target: NvmmaShared, warps: int) -> SharedRoute | None:
    """The best route from a raw layout that is given: the first without conflicts, or the cheapest."""
    assert tile.arrives is not None
    best: SharedRoute | None = None
    for family in (matrix_run_layouts, paired_run_layouts, k_run_layouts):
        for registers in family(tile, warps):
            route = _copy_route(tile, tile.arrives, registers, target)
            if route is not None and (best is None or route.cost < best.cost):
                best = route
            if route is not None and route.read.conflict_ways == route.write.conflict_ways == 1:
                return route
    return best


def _copy_route(tile: Tile, raw: RawLayout, registers: Linear, target: NvmmaShared) -> SharedRoute | None:
    """The route spelled out; None where the registers are not filled by words. Turns are for layouts that are given."""
    source, place = _ends(tile, raw, registers, target)
    if (words := copy_words(source, place, may_swap_words=tile.arrives is not None)) is None:
        return None
    return SharedRoute(tile, raw, registers, target, *words)


def _ends(tile: Tile, raw: RawLayout, registers: Linear, target: NvmmaShared) -> tuple[Addresses, Addresses]:
    """Where the registers lie in the raw tile, and in the K-major one."""
    held = layout_of(registers, tile.shape)
    source, place = (addresses(held, layout_of(memory, tile.shape), tile.element_bits) for memory in (raw, target))
    return source, place


@lru_cache(maxsize=256)
def prove(route: RegisterRoute | SharedRoute) -> bool:
    """Whether every register ends up with the element it should hold, by walking through shared memory.

    Each element is numbered by its place in the tile; the numbers are laid out in a buffer as the raw layout says, and
    read back as the route reads them.
    """
    tile = route.tile
    raw = layout_of(route.raw, tile.shape)
    columns = tile.shape[1]
    table = raw.table()
    buffer = table[:, 0] * columns + table[:, 1]
    if not _are_all_there(buffer, tile.x * tile.k):
        return False
    if isinstance(route, SharedRoute):
        held = layout_of(route.registers, tile.shape).table()
        return _are_all_there(held[:, 0] * columns + held[:, 1], tile.x * tile.k) and _proves_copy(route)
    read = buffer[route.held.invert_and_compose(raw).table()[:, 0]]
    wanted = layout_of(route.operand, route.operand_shape).table()
    return np.array_equal(np.stack(route.index_permutation((read // columns, read % columns)), axis=1), wanted)


def _proves_copy(route: SharedRoute) -> bool:
    """Whether the words that are read go where the K-major tile has them."""
    return prove_copy(route.words, route.store, *_ends(route.tile, route.raw, route.registers, route.target))


def _are_all_there(numbers: npt.NDArray[np.int64], count: int) -> bool:
    """Whether each number below `count` occurs."""
    return bool(np.bincount(numbers, minlength=count).all())


def result_permutation(
    shape: Sequence[int], permutations: Sequence[BitPermutation | None], *, transposed: bool
) -> IndexPermutation:
    """From the accumulator's indices, where its operands are permuted, back to those of the dot's result.

    `shape` is the accumulator's; `permutations[d]` permuted the index of dim d; `transposed` says that the accumulator
    is that of the transposed dot.
    """
    back = [permutation and permutation.inverse for permutation in permutations]
    return IndexPermutation.of(shape, back, (1, 0) if transposed else (0, 1))
