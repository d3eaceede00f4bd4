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
search visits simple layouts first and stops at the first one without bank conflicts. `prove` checks a plan element by
element, by other means than those that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, permutations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dotload.layout.access import MATRIX_ROW_BYTES, Addresses, SharedAccess, addresses, shared_access, vector_access
from dotload.layout.byte_transposes import WordRead, read_words
from dotload.layout.encodings import (
    LANE,
    REGISTER,
    DotOperand,
    Linear,
    NvidiaMma,
    NvmmaShared,
    SharedLinear,
    SwizzledShared,
    layout_of,
)
from dotload.layout.index_permutation import BitPermutation, IndexPermutation
from dotload.layout.linear import Basis, LinearLayout, log2_exact
from dotload.layout.nvidia_targets import REGISTER_BITS, WARP_LANES
from dotload.layout.word_stores import WordStore, copy_words, prove_copy

VECTOR_BYTES = 16
"""The widest copy of a thread (cp.async, ld.global)."""
MMA_ROWS = 16
WARP_LANE_BITS = log2_exact(WARP_LANES)
WGMMA_COLUMNS = {"float": 256, "integer": 128}
"""The widest accumulator of one wgmma, a power of two: integers stop at 224 in Triton's lowering."""
MATRIX_ROWS = 8
"""Rows of a matrix of ldmatrix (PTX ISA, ldmatrix)."""
BANK_ROW_CHUNKS = 8
"""16-byte chunks in a row of all banks."""

RawLayout = SwizzledShared | SharedLinear | NvmmaShared


@dataclass(frozen=True)
class Tile:
    """One operand's tile as it lies in memory: `x` elements contiguous (M of A, N of B), `k` of the other index.

    `x_axis` is the dim of x in the tensor that is loaded: 0 for A as a rule, 1 for B. `arrives` is the layout in which
    the tile comes to shared memory, where that is not the plan's to choose: what TMA was told to write.
    """

    x_axis: int
    x: int
    k: int
    element_bits: int
    arrives: NvmmaShared | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """As the tensor has it."""
        return (self.x, self.k) if self.x_axis == 0 else (self.k, self.x)


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


def _operand_shape(tile: Tile, operand: DotOperand) -> tuple[int, int]:
    return (tile.x, tile.k) if operand.op_index == 0 else (tile.k, tile.x)


def raw_layouts(tile: Tile) -> Iterator[SwizzledShared]:
    """Swizzles of the tile as it lies in memory, the simple ones first.

    A group of `vec` elements is never smaller than the 16 bytes that one cp.async writes.
    """
    order = (tile.x_axis, 1 - tile.x_axis)
    yield SwizzledShared(1, 1, 1, order)
    smallest = min(tile.x, VECTOR_BYTES * 8 // tile.element_bits)
    for max_phase in (2, 4, 8, 16):
        for per_phase in (1, 2, 4, 8, 16, 32):
            for vec in (smallest, 2 * smallest, 4 * smallest):
                if vec * max_phase <= tile.x and per_phase * max_phase <= tile.k:
                    yield SwizzledShared(vec, per_phase, max_phase, order)


def xor_layouts(tile: Tile, *, for_both_orders: bool = False) -> Iterator[SharedLinear]:
    """Swizzles of the tile as it lies in memory in which any three bits of k move the 16-byte chunks of a row of banks.

    The rows of one ldmatrix are not neighbours, as those of a SwizzledShared would have to be. The first layout is
    the plain one. `for_both_orders`: the three lowest bits of k move chunks as well, each by what another of the three
    does, for reads of the tile in the order of memory: there the rows of ldmatrix are neighbours.
    """
    chunk_bits = log2_exact(min(tile.x, MATRIX_ROW_BYTES * 8 // tile.element_bits))
    x_bits, k_bits = log2_exact(tile.x), log2_exact(tile.k)
    row_bits = chunk_bits + log2_exact(BANK_ROW_CHUNKS)
    movable = range(chunk_bits, min(row_bits, x_bits))
    beyond = range(max(0, row_bits - x_bits), k_bits)

    def layout(movers: Sequence[int]) -> SharedLinear:
        moved = {bit: 1 << chunk for bit, chunk in zip(movers, movable, strict=False)}
        if for_both_orders:
            low = [bit for bit in beyond if bit < log2_exact(MATRIX_ROWS)]
            higher = [moved[bit] for bit in moved if bit not in low]
            moved |= dict(zip([bit for bit in low if bit not in moved], higher, strict=False))
        rows = [_at(tile, moved.get(bit, 0), 1 << bit) for bit in range(k_bits)]
        return SharedLinear((*[_at(tile, 1 << bit, 0) for bit in range(x_bits)], *rows))

    yield layout(())
    for movers in permutations(beyond, min(len(movable), len(beyond))):
        if movers:
            yield layout(movers)


def fragment_permutation(tile: Tile, operand: DotOperand) -> BitPermutation:
    """The permutation of x that puts the elements of one 4-byte read into registers of one lane.

    The lowest bits of x become those bits of x' that the fragment layout walks through in registers.
    """
    walked = _x_bits(tile, operand, REGISTER)
    return _permute_low(tile, walked[: log2_exact(max(1, REGISTER_BITS // tile.element_bits))])


def word_pair_permutation(tile: Tile, operand: DotOperand) -> BitPermutation | None:
    """The permutation of x that puts two neighbouring words of 32 bits into registers of one lane; None for bytes.

    They are read by one instruction, and what becomes of them in the accumulator is stored by one.
    """
    walked = _x_bits(tile, operand, REGISTER)
    return _permute_low(tile, walked[:1]) if walked and tile.element_bits == REGISTER_BITS else None


def byte_pair_permutation(tile: Tile, operand: DotOperand) -> BitPermutation | None:
    """The permutation of x for ldmatrix.trans of pairs of bytes; None where the tile or its elements do not allow it.

    The two x of a pair become registers of one lane, the eight pairs of a row its eight groups of lanes.
    """
    walked, lanes = _x_bits(tile, operand, REGISTER), _x_bits(tile, operand, LANE)
    if tile.element_bits != 8 or not walked or len(lanes) != 3:
        return None
    return _permute_low(tile, [walked[0], *lanes])


def lane_permutations(tile: Tile, operand: DotOperand) -> Iterator[BitPermutation]:
    """The permutations of x by which lanes of the fragment layout walk any of its bits, and the rest keep their order.

    For words of one element whose raw layout is given: the bits that lie in different banks. Those come first that put
    pairs into registers of one lane.
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
    """The lowest bits of x become the bits `low` of x', the others stay in order."""
    return BitPermutation((*low, *[bit for bit in range(log2_exact(tile.x)) if bit not in low]))


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
    plan = plan_k_major_route if k_axis == tile.x_axis else plan_register_route
    return min((plan(tile, operand) for operand in fragments), key=lambda route: route.cost, default=None)


def plan_k_major_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    """The route of a tile whose contiguous index, x, is k: lanes read the runs of k that they have in the fragments."""
    order = (1, 0) if operand.op_index == tile.x_axis else (0, 1)
    return _first_to_registers(tile, raw_layouts(tile), IndexPermutation.of(tile.shape, (None, None), order), operand)


def k_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a lane holds runs of 16 bytes of k for the x of one 4-byte read.

    The other bits of k and x are dealt to lanes, then warps, then registers, in every split between the two.
    """
    bits = _run_bits(tile, max(1, REGISTER_BITS // tile.element_bits))
    k_bits, x_bits = bits.beyond_k, bits.beyond_x
    for along_k in range(min(WARP_LANE_BITS, len(k_bits)), -1, -1):
        chosen_k, chosen_x = k_bits[:along_k], x_bits[: WARP_LANE_BITS - along_k]
        if len(chosen_k) + len(chosen_x) < WARP_LANE_BITS:
            continue
        rest = x_bits[len(chosen_x) :] + k_bits[along_k:]
        for lane in ((*chosen_k, *chosen_x), (*chosen_x, *chosen_k)):
            yield deal(bits.register, lane, rest, warps)


def paired_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a lane holds runs of 16 bytes of k for a pair of x, read by ldmatrix.trans.

    Its groups of lanes walk the eight pairs of a row; any two other bits of k and x are dealt to the two low lane
    bits, the rest to warps, then registers.
    """
    bits = _run_bits(tile, 2)
    pairs, others = bits.beyond_x[:3], (*bits.beyond_k, *bits.beyond_x[3:])
    if tile.element_bits != 8 or len(pairs) < 3:
        return
    for low in permutations(others, WARP_LANE_BITS - len(pairs)):
        rest = [basis for basis in (*bits.beyond_x[3:], *bits.beyond_k) if basis not in low]
        yield deal(bits.register, (*low, *pairs), rest, warps)


def matrix_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts that ldmatrix.trans fills and stmatrix stores: four lanes hold 16 bytes of k for a pair of x.

    For tiles whose raw layout is given: its rows are k, and reads of them by `paired_run_layouts` meet in banks. The
    eight rows of x that stmatrix stores together lie two apart, and the upper four meet the lower ones in the banks of
    a K-major swizzle; `copy_words` has an answer to that.
    """
    if tile.element_bits != 8 or min(tile.x, tile.k) < MATRIX_ROW_BYTES:
        return
    x, k = tile_bits(tile)
    yield deal((*k[:2], x[0]), (*k[2:4], *x[1:4]), (*x[4:], *k[4:]), warps)


@dataclass(frozen=True)
class _RunBits:
    """The bits of a tile: those of a run of k and of the x beside it, in registers, and those beyond."""

    register: tuple[Basis, ...]
    beyond_k: tuple[Basis, ...]
    beyond_x: tuple[Basis, ...]


def _run_bits(tile: Tile, width: int) -> _RunBits:
    """16 bytes of k in a row, for `width` neighbouring x."""
    run, width = min(tile.k, VECTOR_BYTES * 8 // tile.element_bits), min(tile.x, width)
    x, k = tile_bits(tile)
    in_run, beside = log2_exact(run), log2_exact(width)
    return _RunBits((*k[:in_run], *x[:beside]), tuple(k[in_run:]), tuple(x[beside:]))


def tile_bits(tile: Tile) -> tuple[list[Basis], list[Basis]]:
    """The coordinates of the powers of two of x, and of k."""
    x = [_at(tile, 1 << bit, 0) for bit in range(log2_exact(tile.x))]
    return x, [_at(tile, 0, 1 << bit) for bit in range(log2_exact(tile.k))]


def _at(tile: Tile, x: int, k: int) -> Basis:
    """The coordinate of (x, k) in the tile."""
    return (x, k) if tile.x_axis == 0 else (k, x)


def deal(register: Sequence[Basis], lane: Sequence[Basis], rest: Sequence[Basis], warps: int) -> Linear:
    """The layout that deals the bits `rest` to warps, then to registers."""
    count = log2_exact(warps)
    warp = (*rest[:count], *[(0, 0)] * (count - len(rest)))
    return Linear((*register, *rest[count:]), tuple(lane), warp)


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
