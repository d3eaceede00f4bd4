"""How an operand in the wrong memory order reaches a tensor core: plans, found by search over layouts.

wgmma reads 8- and 32-bit operands from shared memory only when K is contiguous, and mma.sync wants 4 consecutive k of
an 8-bit operand in one register (PTX ISA, wgmma and mma.sync fragments). When the tile lies in memory with M or N
contiguous (call that index x), two routes lead there:

REGISTERS  The raw tile is copied to shared memory as it lies (asynchronously), and read into registers straight in the
           operand's fragment layout. A lane that reads 4 contiguous bytes gets 4 different x at one k, and it needs 4
           k at one x: so the plan renames x (`BitPermutation`) such that those 4 x fall into registers of one lane,
           and 4 reads and a 4x4 byte transpose in registers make 4 fragments. Renaming x renames rows or columns of
           the accumulator; one rename after the loop undoes it. wgmma takes only A from registers: for a B operand
           the plan computes the transposed product.

SHARED     The raw tile is read into registers that hold 16 consecutive bytes of k, and written K-major to a second
           buffer, in the swizzle that wgmma reads. It costs one more pass through shared memory and a barrier, but
           leaves the accumulator as it was.

Layouts are chosen by the cost of their accesses (`dotload.layout.access`): wavefronts first, then instructions. The
search visits simple layouts first and stops at the first one without a bank conflict. `prove` checks a plan
element by element, by other means than those that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dotload.layout.access import SharedAccess, addresses, shared_access, vector_access
from dotload.layout.encodings import (
    REGISTER,
    Blocked,
    DotOperand,
    Encoding,
    Linear,
    NvidiaMma,
    NvmmaShared,
    SwizzledShared,
)
from dotload.layout.linear import log2_exact
from dotload.layout.views import BitPermutation, Transpose, View, apply_views, check_rename, rename_and_place

REGISTER_BITS = 32
VECTOR_BYTES = 16
WARPGROUP = 4
MMA_ROWS = 16
WGMMA_COLUMNS = {"float": 256, "integer": 128}
"""The widest accumulator of one wgmma, a power of two: integers stop at 224 in Triton's lowering."""
TURN = (Transpose((1, 0)),)


@dataclass(frozen=True)
class Tile:
    """One operand's tile as it lies in memory: `x` elements contiguous (M of A, N of B), `k` of the other index.

    `x_axis` is the dim of x in the tensor that is loaded: 0 for A as a rule, 1 for B.
    """

    x_axis: int
    x: int
    k: int
    element_bits: int

    @property
    def shape(self) -> tuple[int, int]:
        """As the tensor has it."""
        return (self.x, self.k) if self.x_axis == 0 else (self.k, self.x)

    @property
    def bytes(self) -> int:
        """The size of the tile."""
        return self.x * self.k * self.element_bits // 8


@dataclass(frozen=True)
class RegisterRoute:
    """Raw tile -> registers in the fragment layout of `operand`, with x renamed.

    `views` rename the raw tile in shared memory to the operand's shape (x' first for A, last for B).
    """

    tile: Tile
    raw: Encoding
    permutation: BitPermutation
    operand: DotOperand
    views: tuple[View, ...]
    read: SharedAccess

    @property
    def view_order(self) -> tuple[int, int]:
        """Operand dim -> dim of the tile."""
        return _view_order(self.tile, self.operand) if self.views else (0, 1)

    @property
    def operand_shape(self) -> tuple[int, int]:
        """[x', k] for A, [k, x'] for B."""
        rows, columns = (self.tile.shape[d] for d in self.view_order)
        return rows, columns

    @property
    def cost(self) -> tuple[int, int, int]:
        """Wavefronts and instructions of a tile, all warps together; then, the narrower the worse."""
        return self.read.total_wavefronts, self.read.instructions * self.read.warps, -self.read.lane_bytes


@dataclass(frozen=True)
class SharedRoute:
    """Raw tile -> registers with runs of k -> K-major tile in `target`, which wgmma reads."""

    tile: Tile
    raw: Encoding
    registers: Linear
    target: NvmmaShared
    read: SharedAccess
    write: SharedAccess

    @property
    def cost(self) -> tuple[int, int]:
        """Wavefronts and instructions of a tile, all warps together."""
        accesses = (self.read, self.write)
        return sum(a.total_wavefronts for a in accesses), sum(a.instructions * a.warps for a in accesses)


def _view_order(tile: Tile, operand: DotOperand) -> tuple[int, int]:
    return (0, 1) if operand.op_index == tile.x_axis else (1, 0)


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


def fragment_permutation(tile: Tile, operand: DotOperand) -> BitPermutation:
    """The renaming of x that puts the elements of one 4-byte read into registers of one lane.

    The lowest bits of x become those bits of x' that the fragment layout walks through in registers.
    """
    bits = log2_exact(tile.x)
    layout = operand.to_linear_layout(_operand_shape(tile, operand))
    walked = [basis[operand.op_index] for basis in layout.bases[REGISTER] if basis[operand.op_index]]
    together = log2_exact(max(1, REGISTER_BITS // tile.element_bits))
    low = [log2_exact(value) for value in walked[:together]]
    return BitPermutation((*low, *[bit for bit in range(bits) if bit not in low]))


@lru_cache(maxsize=256)
def plan_register_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    """The route to the fragments of `operand`, with the raw layout that reads fastest."""
    permutation = fragment_permutation(tile, operand)
    views = rename_and_place(tile.shape, tile.x_axis, permutation, _view_order(tile, operand))
    fragment = operand.to_linear_layout(_operand_shape(tile, operand))
    best: RegisterRoute | None = None
    for raw in raw_layouts(tile):
        shared = apply_views(views, raw.to_linear_layout(tile.shape))
        read = vector_access(addresses(fragment, shared, tile.element_bits), "load", max_bytes=REGISTER_BITS // 8)
        route = RegisterRoute(tile, raw, permutation, operand, views, read)
        if best is None or route.cost < best.cost:
            best = route
        if read.conflict_ways == 1:
            break
    assert best is not None  # raw_layouts yields at least the plain one
    return best


@lru_cache(maxsize=256)
def plan_fragment_route(tile: Tile, operand: DotOperand) -> RegisterRoute:
    """The route to the fragments of `operand` without any renaming: by ldmatrix where the fragments allow it."""
    unchanged = BitPermutation(tuple(range(log2_exact(tile.x))))
    fragment = operand.to_linear_layout(tile.shape)
    best: RegisterRoute | None = None
    for raw in raw_layouts(tile):
        read = shared_access(addresses(fragment, raw.to_linear_layout(tile.shape), tile.element_bits))
        route = RegisterRoute(tile, raw, unchanged, operand, (), read)
        if best is None or route.cost < best.cost:
            best = route
        if read.conflict_ways == 1:
            break
    assert best is not None  # raw_layouts yields at least the plain one
    return best


def wgmma_grids(rows: int, columns: int, warps: int, element_bits: int, kind: str) -> list[NvidiaMma]:
    """The ways to spread a rows x columns accumulator over the warps of wgmma, most warps along the rows first."""
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


def k_run_layouts(tile: Tile, warps: int) -> Iterator[Linear]:
    """Register layouts in which a lane holds runs of 16 bytes of k for the x of one 4-byte read.

    The other bits of k and x are dealt to lanes, then warps, then registers, in every split between the two.
    """
    run = min(tile.k, VECTOR_BYTES * 8 // tile.element_bits)
    width = min(tile.x, max(1, REGISTER_BITS // tile.element_bits))

    def at(k: int, x: int) -> tuple[int, int]:
        return (x, k) if tile.x_axis == 0 else (k, x)

    register = [at(1 << bit, 0) for bit in range(log2_exact(run))]
    register += [at(0, 1 << bit) for bit in range(log2_exact(width))]
    k_bits = [at(1 << bit, 0) for bit in range(log2_exact(run), log2_exact(tile.k))]
    x_bits = [at(0, 1 << bit) for bit in range(log2_exact(width), log2_exact(tile.x))]
    lanes, all_warps = 5, log2_exact(warps)
    for along_k in range(min(lanes, len(k_bits)), -1, -1):
        chosen_k, chosen_x = k_bits[:along_k], x_bits[: lanes - along_k]
        if len(chosen_k) + len(chosen_x) < lanes:
            continue
        rest = x_bits[len(chosen_x) :] + k_bits[along_k:]
        warp = rest[:all_warps] + [(0, 0)] * (all_warps - len(rest))
        for lane in ([*chosen_k, *chosen_x], [*chosen_x, *chosen_k]):
            yield Linear(tuple(register + rest[all_warps:]), tuple(lane), tuple(warp))


@lru_cache(maxsize=256)
def plan_shared_route(tile: Tile, target: NvmmaShared, warps: int) -> SharedRoute | None:
    """The best route through registers into the K-major tile `target`; None when the tile is too small for a warp."""
    k_major = target.to_linear_layout(tile.shape)

    def write_of(registers: Linear) -> SharedAccess:
        layout = registers.to_linear_layout(tile.shape)
        return vector_access(addresses(layout, k_major, tile.element_bits), "store")

    writes = [(registers, write_of(registers)) for registers in k_run_layouts(tile, warps)]
    least = min((write.total_wavefronts for _, write in writes), default=0)
    best: SharedRoute | None = None
    for registers, write in writes:
        if write.total_wavefronts > least:
            continue
        layout = registers.to_linear_layout(tile.shape)
        for raw in raw_layouts(tile):
            shared = raw.to_linear_layout(tile.shape)
            read = vector_access(addresses(layout, shared, tile.element_bits), "load")
            route = SharedRoute(tile, raw, registers, target, read, write)
            if best is None or route.cost < best.cost:
                best = route
            if read.conflict_ways == 1:
                break
    return best


def copy_cost(source: Blocked, route: RegisterRoute | SharedRoute) -> SharedAccess:
    """The asynchronous copy of the tile from registers' addresses in `source` to the raw layout."""
    where = addresses(
        source.to_linear_layout(route.tile.shape), route.raw.to_linear_layout(route.tile.shape), route.tile.element_bits
    )
    return vector_access(where, "store")


def prove(route: RegisterRoute | SharedRoute) -> bool:
    """Whether every register ends up with the element it should hold, by walking through shared memory.

    Each element is numbered by its place in the tile; the numbers are laid out in a buffer as the raw layout says, and
    read back as the route reads them.
    """
    tile = route.tile
    raw = route.raw.to_linear_layout(tile.shape)
    columns = tile.shape[1]
    table = raw.table()
    buffer = table[:, 0] * columns + table[:, 1]
    if len(np.unique(buffer)) != tile.x * tile.k:
        return False
    if isinstance(route, SharedRoute):
        # Read and write go through one register layout, so that all it must do is to hold each element.
        held = route.registers.to_linear_layout(tile.shape).table()
        return len(np.unique(held[:, 0] * columns + held[:, 1])) == tile.x * tile.k
    if not check_rename(route.views, tile.shape, tile.x_axis, route.permutation, route.view_order):
        return False
    fragment = route.operand.to_linear_layout(route.operand_shape)
    seen = apply_views(route.views, raw)
    offsets = fragment.invert_and_compose(seen).table()[:, 0]
    held = fragment.table()
    x_at = route.view_order.index(tile.x_axis)
    x_renamed, k = held[:, x_at], held[:, 1 - x_at]
    x = np.array([route.permutation.inverse(value) for value in range(tile.x)])[x_renamed]
    wanted = x * columns + k if tile.x_axis == 0 else k * columns + x
    return bool(np.array_equal(buffer[offsets], wanted))


def result_views(
    shape: Sequence[int], permutations: Sequence[BitPermutation | None], *, transposed: bool
) -> tuple[View, ...]:
    """Views that turn the accumulator of renamed operands into the product.

    `shape` is the accumulator's; `permutations[d]` renamed the index of dim d; `transposed` says that the accumulator
    is the transposed product.
    """
    views: tuple[View, ...] = ()
    for d, permutation in enumerate(permutations):
        if permutation is not None and not permutation.is_identity:
            views += rename_and_place(shape, d, permutation.inverse, range(len(shape)))
    return (*views, *TURN) if transposed else views


def rename_views(
    shape: Sequence[int], permutations: Sequence[BitPermutation | None], *, transposed: bool
) -> tuple[View, ...]:
    """The inverse of `result_views`: from the product, of which `shape` is, to the accumulator."""
    views: tuple[View, ...] = TURN if transposed else ()
    shape = shape[::-1] if transposed else shape
    for d, permutation in enumerate(permutations):
        if permutation is not None and not permutation.is_identity:
            views += rename_and_place(shape, d, permutation, range(len(shape)))
    return views
