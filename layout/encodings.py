"""Triton's encodings as linear layouts.

An encoding names a family of layouts; a tensor's shape picks one. A distributed encoding maps (register, lane, warp,
block) to the tensor, a shared one (offset, block), where an offset counts elements. Dims are dim0, dim1, ... in the
order of the shape; registers wrap around tensors larger than the encoding's tile, and bases that reach past a smaller
tensor become zero: the element is held more than once.

The names and parameters are those of TritonGPU's and TritonIntelGPU's attribute definitions (TritonGPUAttrDefs.td,
TritonIntelGPUAttrDefs.td); the bases follow the operand layouts of the PTX ISA, sections 9.7.14.5 (mma.sync) and
9.7.15.5 (wgmma), and of cl_intel_subgroup_matrix_multiply_accumulate (DPAS).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from dotload.layout.linear import Basis, LayoutError, LinearLayout, log2_exact

REGISTER, LANE, WARP, BLOCK, OFFSET = "register", "lane", "warp", "block", "offset"


class Encoding(Protocol):
    """The interface of every encoding."""

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tensor of this shape (elements per dim, powers of two)."""
        ...


@lru_cache(maxsize=4096)
def layout_of(encoding: Encoding, shape: tuple[int, ...]) -> LinearLayout:
    """`encoding.to_linear_layout(shape)`, memoized: searches and passes ask for the same layouts many times."""
    return encoding.to_linear_layout(shape)


def dim_names(rank: int) -> list[str]:
    """dim0, dim1, ..."""
    return [f"dim{d}" for d in range(rank)]


@dataclass(frozen=True)
class Cga:
    """How a tensor is split over the blocks of a cluster: the bases of "block", one coordinate per dim.

    No bases (the default) means one block.
    """

    bases: tuple[Basis, ...] = ()

    def layout(self, rank: int) -> LinearLayout:
        """block -> dims, each dim as large as the number of blocks along it."""
        for basis in self.bases:
            if len(basis) != rank:
                raise LayoutError(f"CGA basis {basis} has {len(basis)} coordinates, the tensor has rank {rank}")
        return LinearLayout.from_bases({BLOCK: self.bases}, dim_names(rank))


ONE_BLOCK = Cga()


@dataclass(frozen=True)
class Blocked:
    """`#ttg.blocked`: a tile of registers, repeated over the lanes, then over the warps; `order` is minor first.

    Registers that hold only copies in a small tensor are kept as zero bases, as in Triton 3.6 to 3.8; Triton 3.9 drops
    them (from blocked encodings only).
    """

    size_per_thread: tuple[int, ...]
    threads_per_warp: tuple[int, ...]
    warps_per_cta: tuple[int, ...]
    order: tuple[int, ...]
    cga: Cga = ONE_BLOCK

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        _check_rank(self, shape, len(self.order))
        tile = (
            _walk(REGISTER, self.size_per_thread, self.order)
            * _walk(LANE, self.threads_per_warp, self.order)
            * _walk(WARP, self.warps_per_cta, self.order)
        )
        return fit(tile, self.cga, shape, REGISTER)


@dataclass(frozen=True)
class Slice:
    """`#ttg.slice`: the parent's layout with one dim dropped; registers that become copies are dropped too."""

    dim: int
    parent: Encoding

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        rank = len(shape) + 1
        if not 0 <= self.dim < rank:
            raise LayoutError(f"slice drops dim {self.dim} of a parent of {rank} dims")
        whole = self.parent.to_linear_layout([*shape[: self.dim], 1, *shape[self.dim :]])
        kept = [name for d, name in enumerate(dim_names(rank)) if d != self.dim]
        sliced = whole.restrict(whole.in_dims, kept).rename_outs(dict(zip(kept, dim_names(rank - 1), strict=True)))
        bases = {name: [b for b in v if name != REGISTER or any(b)] for name, v in sliced.in_items}
        return LinearLayout.from_bases(bases, sliced.out_sizes)


@dataclass(frozen=True)
class Linear:
    """`#ttg.linear`: the bases themselves, in the order register, lane, warp, block.

    Registers whose elements a smaller tensor does not have are dropped, unlike those of other encodings.
    """

    register: tuple[Basis, ...]
    lane: tuple[Basis, ...]
    warp: tuple[Basis, ...]
    block: tuple[Basis, ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        names = dim_names(len(shape))
        _check_bases(self, shape, (*self.register, *self.lane, *self.warp, *self.block))
        registers = tuple(basis for basis in self.register if _is_within(basis, shape) or not any(basis))
        bases = {REGISTER: registers, LANE: self.lane, WARP: self.warp, BLOCK: self.block}
        return fit(LinearLayout.from_bases(bases, names), ONE_BLOCK, shape, REGISTER)


@dataclass(frozen=True)
class NvidiaMma:
    """`#ttg.nvidia_mma`: the accumulator of mma.sync (version 2) or wgmma (version 3).

    `instr_shape` is [M, N] for version 2 and [M per warp, N, K] for version 3, in elements.
    """

    version_major: int
    version_minor: int
    warps_per_cta: tuple[int, ...]
    instr_shape: tuple[int, ...]
    cga: Cga = ONE_BLOCK

    def __post_init__(self) -> None:
        if self.version_major not in (2, 3):
            raise LayoutError(f"nvidia_mma version {self.version_major} is not known, expected 2 or 3")
        if len(self.instr_shape) < self.version_major or min(self.instr_shape) < 1:
            expected = "[M, N]" if self.version_major == 2 else "[M, N, K]"
            raise LayoutError(
                f"nvidia_mma: instrShape is {list(self.instr_shape)}, expected {expected}, each at least 1"
            )

    @property
    def warp_order(self) -> tuple[int, ...]:
        """Version 2 walks N first; version 3 walks M first: a warpgroup is four warps along M."""
        order = _row_major(len(self.warps_per_cta))
        return order if self.version_major == 2 else (*order[:2][::-1], *order[2:])

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        rank = len(self.warps_per_cta)
        _check_rank(self, shape, rank)
        columns = self.instr_shape[1] if self.version_major == 3 else self.instr_shape[-1]
        order = _row_major(rank)
        tile = _mma_tile((*[1] * (rank - 2), 16, columns), 2, order)
        warps = _walk(WARP, self.warps_per_cta, self.warp_order)
        return fit(tile * warps.transpose_outs(tile.out_dims), self.cga, shape, REGISTER)

    def operand(self, op_index: int, k_width: int, shape: Sequence[int]) -> LinearLayout:
        """The fragments of A (op_index 0) or B (1) in registers; `k_width` consecutive k elements a lane."""
        rank = len(self.warps_per_cta)
        _check_rank(self, shape, rank)
        k_dim = rank - 1 if op_index == 0 else rank - 2
        sizes = (16, 8 * k_width) if op_index == 0 else (8 * k_width, 8)
        tile = _mma_tile((*[1] * (rank - 2), *sizes), k_width, _operand_order(op_index, rank))
        warps = _walk(WARP, self.warps_per_cta, self.warp_order, broadcast=k_dim)
        return fit(tile * warps.transpose_outs(tile.out_dims), self.cga, shape, REGISTER)


@dataclass(frozen=True)
class Dpas:
    """`#ttig.dpas`: Intel's systolic matrix unit; see `instruction_shape` for the tile of one instruction.

    `repeat_count` is M of one instruction, `systolic_depth` its depth, `execution_size` its N, `ops_per_channel` the
    elements in a 32-bit channel, `threads_per_warp` the subgroup size; a warp owns a cluster of `rep_cluster` tiles.
    """

    repeat_count: int
    systolic_depth: int
    execution_size: int
    ops_per_channel: int
    threads_per_warp: int
    warps_per_cta: tuple[int, ...]
    rep_cluster: tuple[int, ...]
    fp4_k_pack: int | None = None

    def __post_init__(self) -> None:
        """Check the rules of the encoding's verifier and of the instruction."""
        rules = (
            (self.repeat_count in (1, 2, 4, 8), f"repeatCount must be 1, 2, 4 or 8, got {self.repeat_count}"),
            (self.systolic_depth == 8, f"systolicDepth must be 8, got {self.systolic_depth}"),
            (self.execution_size in (8, 16), f"executionSize must be 8 or 16, got {self.execution_size}"),
            (self.ops_per_channel in (1, 2, 4), f"opsPerChan must be 1, 2 or 4, got {self.ops_per_channel}"),
            (
                self.threads_per_warp in (8, 16, 32) and self.threads_per_warp >= self.execution_size,
                f"threadsPerWarp must be 8, 16 or 32 and at least executionSize, got {self.threads_per_warp}",
            ),
            (
                len(self.warps_per_cta) == len(self.rep_cluster) in (2, 3),
                f"warpsPerCTA and repCluster must both have rank 2 or 3, got {len(self.warps_per_cta)} and "
                f"{len(self.rep_cluster)}",
            ),
            (
                self.repeat_count * self._packed_k >= self.threads_per_warp,
                f"repeatCount {self.repeat_count} leaves lanes of a subgroup of {self.threads_per_warp} without data",
            ),
        )
        for holds, message in rules:
            if not holds:
                raise LayoutError(f"dpas: {message}")
        for name, values in (("warpsPerCTA", self.warps_per_cta), ("repCluster", self.rep_cluster)):
            for value in values:
                log2_exact(value, f"dpas: {name}")

    @property
    def rank(self) -> int:
        """2, or 3 with a batch dim first."""
        return len(self.warps_per_cta)

    @property
    def _packed_a(self) -> int:
        """Elements of A in one 16-bit slot: 8-bit types are read in pairs."""
        return 2 if self.ops_per_channel == 4 else 1

    @property
    def _packed_k(self) -> int:
        """Slots in a row of A."""
        return self.systolic_depth * self.ops_per_channel // self._packed_a

    def instruction_shape(self, operand: str) -> tuple[int, int]:
        """Elements (rows, columns) of "A", "B" or "C" in one instruction."""
        k = self.systolic_depth * self.ops_per_channel
        return {
            "A": (self.repeat_count, k),
            "B": (k, self.execution_size),
            "C": (self.repeat_count, self.execution_size),
        }[operand]

    def _tile(self, operand: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Register and lane bases of one instruction's operand, as (row, column)."""
        lanes_of_warp = self.threads_per_warp
        if operand == "A":
            row_lanes = max(1, -(-lanes_of_warp // self._packed_k))
            registers = [(0, 1)] if self._packed_a == 2 else []
            registers += [(bit * row_lanes, 0) for bit in _bits(self.repeat_count // row_lanes)]
            lanes = [(0, self._packed_a * bit) for bit in _bits(min(self._packed_k, lanes_of_warp))]
            lanes += [(bit, 0) for bit in _bits(lanes_of_warp // self._packed_k)]
            return registers, lanes
        rows_at_once = lanes_of_warp // self.execution_size
        lanes = [(0, bit) for bit in _bits(self.execution_size)]
        if operand == "B":
            registers = [(bit, 0) for bit in _bits(self.ops_per_channel)]
            registers += [
                (bit * rows_at_once * self.ops_per_channel, 0) for bit in _bits(self.systolic_depth // rows_at_once)
            ]
            return registers, lanes + [(bit * self.ops_per_channel, 0) for bit in _bits(rows_at_once)]
        registers = [(bit * rows_at_once, 0) for bit in _bits(self.repeat_count // rows_at_once)]
        return registers, lanes + [(bit, 0) for bit in _bits(rows_at_once)]

    def operand_layout(self, operand: str, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims of operand "A", "B" or "C" of this shape.

        A repeats its cluster along M before K, B along N before K; warps walk N first.
        """
        _check_rank(self, shape, self.rank)
        names = dim_names(self.rank)
        row, column = names[-2:]
        registers, lanes = self._tile(operand)
        rows, columns = self.instruction_shape(operand)
        tile = LinearLayout.from_bases({REGISTER: registers, LANE: lanes}, {row: rows, column: columns})
        if self.rank == 3:
            tile = LinearLayout.from_bases({}, {names[0]: 1}) * tile
        m, n = self.rep_cluster[-2:]
        warps_m, warps_n = self.warps_per_cta[-2:]
        if operand != "A":
            tile *= LinearLayout.identity(n, REGISTER, column)
        if operand != "B":
            tile *= LinearLayout.identity(m, REGISTER, row)
        along_n = LinearLayout.zeros if operand == "A" else LinearLayout.identity
        along_m = LinearLayout.zeros if operand == "B" else LinearLayout.identity
        tile *= along_n(warps_n, WARP, column) * along_m(warps_m, WARP, row)
        if self.rank == 3:
            tile *= LinearLayout.identity(self.warps_per_cta[0], WARP, names[0])
        minor_first = (row, column) if operand == "B" else (column, row)
        return fit(tile.transpose_outs([*minor_first, *names[:-2]]), ONE_BLOCK, shape, REGISTER)

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The accumulator C."""
        return self.operand_layout("C", shape)

    def operand(self, op_index: int, k_width: int, shape: Sequence[int]) -> LinearLayout:
        """A (op_index 0) or B (1); `k_width` does not enter a DPAS layout."""
        return self.operand_layout("AB"[op_index], shape)


@dataclass(frozen=True)
class Subgroup2DBlock:
    """`#ttig.subgroup_2d_block`: what one 2D block load brings, `num_blocks` blocks of `instr_shape` side by side.

    A row of a block is spread over the lanes: narrower ones leave lanes to the next rows, and of wider ones a lane has
    several neighbouring columns. Rows, then blocks, are registers. `k_width` says nothing about the layout.
    """

    warps_per_cta: tuple[int, ...]
    instr_shape: tuple[int, ...]
    num_blocks: int
    order: tuple[int, ...]
    threads_per_warp: int
    cga: Cga = ONE_BLOCK

    def __post_init__(self) -> None:
        """Check the ranks and sizes."""
        ranks = (2, len(self.warps_per_cta), len(self.order))
        if len(self.instr_shape) != 2 or len(set(ranks)) > 1 or sorted(self.order) != [0, 1]:
            raise LayoutError("subgroup_2d_block: warpsPerCTA, instrShape and order must have rank 2")
        sizes = {"instrShape": self.instr_shape, "warpsPerCTA": self.warps_per_cta, "numBlocks": (self.num_blocks,)}
        for name, values in (*sizes.items(), ("threadsPerWarp", (self.threads_per_warp,))):
            for value in values:
                log2_exact(value, f"subgroup_2d_block: {name}")
        rows, columns = self.instr_shape
        if rows * columns < self.threads_per_warp:
            raise LayoutError(f"subgroup_2d_block: a block of {rows}x{columns} leaves lanes without data")

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        _check_rank(self, shape, 2)
        rows, columns = self.instr_shape
        neighbours = max(1, columns // self.threads_per_warp)
        row_lanes = max(1, self.threads_per_warp // columns)
        registers = [(0, bit) for bit in _bits(neighbours)]
        registers += [(bit * row_lanes, 0) for bit in _bits(rows // row_lanes)]
        registers += [(0, bit * columns) for bit in _bits(self.num_blocks)]
        lanes = [(0, bit * neighbours) for bit in _bits(columns // neighbours)] + [(bit, 0) for bit in _bits(row_lanes)]
        sizes = dict(zip(dim_names(2), (rows, columns * self.num_blocks), strict=True))
        tile = LinearLayout.from_bases({REGISTER: registers, LANE: lanes}, sizes)
        return fit(tile * _walk(WARP, self.warps_per_cta, self.order), self.cga, shape, REGISTER)


@dataclass(frozen=True)
class DotOperand:
    """`#ttg.dot_op`: an operand of the matrix unit that `parent` describes."""

    op_index: int
    parent: Encoding
    k_width: int = 0

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """register, lane, warp, block -> dims."""
        if isinstance(self.parent, NvidiaMma | Dpas):
            return self.parent.operand(self.op_index, self.k_width, shape)
        if isinstance(self.parent, Blocked):
            return _fma_operand(self.parent, self.op_index, shape)
        raise LayoutError(f"dot_op of {type(self.parent).__name__} has no layout, expected nvidia_mma, dpas or blocked")


@dataclass(frozen=True)
class SwizzledShared:
    """`#ttg.swizzled_shared`: rows along order[1]; groups of `vec` elements of a row are XORed with the row's phase.

    stored column = ((column / vec) ^ ((row / per_phase) mod max_phase)) * vec + column mod vec
    """

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga: Cga = ONE_BLOCK

    def __post_init__(self) -> None:
        for name, value in (("vec", self.vec), ("perPhase", self.per_phase), ("maxPhase", self.max_phase)):
            log2_exact(value, name)

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """offset (elements), block -> dims."""
        _check_rank(self, shape, len(self.order))
        if sorted(self.order) != list(range(len(shape))):
            raise LayoutError(f"swizzled_shared: order {list(self.order)} is not a permutation of the dims")
        names = dim_names(len(shape))
        local = _shape_per_block(shape, self.cga)
        if len(shape) == 1:
            return fit(LinearLayout.identity(local[0], OFFSET, names[0]), self.cga, shape, OFFSET)
        column, row = self.order[:2]
        bases = [(0, bit) for bit in _bits(local[column])]
        bases += [
            (bit, self.vec * (bit // self.per_phase % self.max_phase) % local[column]) for bit in _bits(local[row])
        ]
        layout = LinearLayout.from_bases({OFFSET: bases}, {names[row]: local[row], names[column]: local[column]})
        for d in self.order[2:]:
            layout *= LinearLayout.identity(local[d], OFFSET, names[d])
        return fit(layout, self.cga, shape, OFFSET)


SWIZZLE_BYTES = (0, 32, 64, 128)
"""The swizzles of wgmma and TMA (PTX ISA, asynchronous warpgroup level matrix shared memory layout); 0: none."""


@dataclass(frozen=True)
class NvmmaShared:
    """`#ttg.nvmma_shared`: the layout that wgmma and TMA read. `swizzle_bytes` is 0, 32, 64 or 128.

    The tensor is cut into columns of `swizzle_bytes` bytes, stored one after the other, row by row; 16-byte chunks are
    XORed with the row (PTX ISA 9.7.15.5.1.2). `transposed` makes dim0 the contiguous one.
    """

    swizzle_bytes: int
    transposed: bool
    element_bits: int
    fp4_padded: bool = False
    cga: Cga = ONE_BLOCK

    def __post_init__(self) -> None:
        if self.swizzle_bytes not in SWIZZLE_BYTES:
            raise LayoutError(f"swizzlingByteWidth must be 0, 32, 64 or 128, got {self.swizzle_bytes}")
        if self.element_bits not in (4, 8, 16, 32, 64):
            raise LayoutError(f"elementBitWidth must be 4, 8, 16, 32 or 64, got {self.element_bits}")

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """offset (elements), block -> dims."""
        if len(shape) < 2:
            raise LayoutError(f"nvmma_shared needs rank 2 or more, got shape {list(shape)}")
        local = _shape_per_block(shape, self.cga)
        names = dim_names(len(shape))
        minor_last = [*names[1:], names[0]] if self.transposed else names
        sizes = dict(zip(names, local, strict=True))
        columns = sizes[minor_last[-1]]
        rows = math.prod(local) // columns
        flat = self._two_dims(rows, columns)
        # The rows are the remaining dims flattened, last one minor.
        outs = {minor_last[-1]: columns} | {name: sizes[name] for name in reversed(minor_last[:-1])}
        layout = flat.transpose_outs(["column", "row"]).reshape_outs(outs)
        return fit(layout, self.cga, shape, OFFSET)

    def _two_dims(self, rows: int, columns: int) -> LinearLayout:
        """offset -> (row, column)."""
        if self.swizzle_bytes == 0:
            return LinearLayout.identity(columns, OFFSET, "column") * LinearLayout.identity(rows, OFFSET, "row")
        width = 8 * self.swizzle_bytes // self.element_bits
        chunk = 128 // self.element_bits
        if columns < width or rows < 8:
            raise LayoutError(
                f"a {rows}x{columns} tile of {self.element_bits}-bit elements has no {self.swizzle_bytes}-byte "
                f"swizzle: it needs 8 rows of {width} elements"
            )
        per_phase = 128 // self.swizzle_bytes
        bases = [(0, bit) for bit in _bits(width)]
        bases += [(bit, chunk * (bit // per_phase)) for bit in _bits(8)]
        atom = LinearLayout.from_bases({OFFSET: bases}, {"row": 8, "column": width})
        rest = LinearLayout.identity(rows // 8, OFFSET, "row")
        return atom * rest * LinearLayout.identity(columns // width, OFFSET, "column")


@dataclass(frozen=True)
class SharedLinear:
    """`#ttg.shared_linear`: the bases of the offset (elements); `alignment` of the buffer in bytes."""

    offset: tuple[Basis, ...]
    block: tuple[Basis, ...] = ()
    alignment: int = 16

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """offset, block -> dims."""
        _check_bases(self, shape, (*self.offset, *self.block))
        sizes = dict(zip(dim_names(len(shape)), shape, strict=True))
        return LinearLayout.from_bases({OFFSET: self.offset, BLOCK: self.block}, sizes)


def fit(tile: LinearLayout, cga: Cga, shape: Sequence[int], in_dim: str) -> LinearLayout:
    """Fit one block's tile to the tensor, then spread it over the blocks of the cluster.

    Where the tensor is larger, `in_dim` wraps around, the tile's first out dim first. Where it is smaller, the
    coordinates that do not fit become zero. In dims that the tile lacks are added with size 1.
    """
    names = dim_names(len(shape))
    local = dict(zip(names, _shape_per_block(shape, cga), strict=True))
    for name in tile.out_dims:
        missing = local[name] // tile.out_sizes[name]
        if missing > 1:
            tile *= LinearLayout.identity(missing, in_dim, name)
    sizes = [local[name] for name in tile.out_dims]
    clipped = {
        name: [tuple(v if v < size else 0 for v, size in zip(b, sizes, strict=True)) for b in bases]
        for name, bases in tile.in_items
    }
    layout = LinearLayout.from_bases(clipped, dict(zip(tile.out_dims, sizes, strict=True)))
    layout = layout * cga.layout(len(shape)).transpose_outs(layout.out_dims)
    return layout.transpose_outs(names)


def _is_within(basis: Basis, shape: Sequence[int]) -> bool:
    return any(0 < step < size for step, size in zip(basis, shape, strict=True))


def _shape_per_block(shape: Sequence[int], cga: Cga) -> list[int]:
    blocks = cga.layout(len(shape)).out_sizes
    return [max(1, size // blocks[name]) for name, size in zip(dim_names(len(shape)), shape, strict=True)]


def _check_rank(encoding: object, shape: Sequence[int], rank: int) -> None:
    if len(shape) != rank:
        raise LayoutError(f"{type(encoding).__name__} has rank {rank}, the tensor has shape {list(shape)}")
    for size in shape:
        log2_exact(size, "tensor dim")


def _check_bases(encoding: object, shape: Sequence[int], bases: Sequence[Basis]) -> None:
    for basis in bases:
        if len(basis) != len(shape):
            raise LayoutError(
                f"{type(encoding).__name__}: basis {list(basis)} has rank {len(basis)}, the tensor has {list(shape)}"
            )


def _bits(size: int) -> list[int]:
    """1, 2, 4, ... below `size`."""
    return [1 << bit for bit in range(size.bit_length() - 1)]


def _row_major(rank: int) -> tuple[int, ...]:
    """The last dim minor."""
    return tuple(range(rank - 1, -1, -1))


def _operand_order(op_index: int, rank: int) -> tuple[int, ...]:
    """K minor, then M or N, then the batch."""
    order = _row_major(rank)
    return order if op_index == 0 else (*order[:2][::-1], *order[2:])


def _walk(in_dim: str, sizes: Sequence[int], order: Sequence[int], broadcast: int | None = None) -> LinearLayout:
    """`in_dim` walks the dims in `order`, `sizes[d]` steps along dim d; steps along `broadcast` have zero bases."""
    names = dim_names(len(sizes))
    layout = LinearLayout.from_bases({in_dim: []}, {names[d]: 1 for d in order})
    for d in order:
        step = LinearLayout.zeros if d == broadcast else LinearLayout.identity
        layout *= step(sizes[d], in_dim, names[d])
    return layout


def _mma_tile(shape: Sequence[int], k_width: int, order: Sequence[int]) -> LinearLayout:
    """The tile of one mma.sync fragment: core matrices of 8 rows x 4 lanes x `k_width` elements (PTX ISA 9.7.14.5)."""
    names = dim_names(len(shape))
    inner, outer = order[0], order[1]
    return (
        LinearLayout.from_bases({REGISTER: [], LANE: []}, {names[d]: 1 for d in order})
        * LinearLayout.identity(k_width, REGISTER, names[inner])
        * LinearLayout.identity(4, LANE, names[inner])
        * LinearLayout.identity(8, LANE, names[outer])
        * LinearLayout.identity(shape[outer] // 8, REGISTER, names[outer])
        * LinearLayout.identity(max(1, shape[inner] // (4 * k_width)), REGISTER, names[inner])
    )


def _fma_operand(parent: Blocked, op_index: int, shape: Sequence[int]) -> LinearLayout:
    """An operand of a dot on FMA units: every lane holds all of K."""
    rank = len(parent.order)
    _check_rank(parent, shape, rank)
    k_dim = rank - 1 if op_index == 0 else rank - 2
    sizes = list(parent.size_per_thread)
    sizes[k_dim] = _shape_per_block(shape, parent.cga)[k_dim]
    tile = (
        _walk(REGISTER, sizes, parent.order)
        * _walk(LANE, parent.threads_per_warp, parent.order, broadcast=k_dim)
        * _walk(WARP, parent.warps_per_cta, parent.order, broadcast=k_dim)
    )
    return fit(tile, parent.cga, shape, REGISTER)
