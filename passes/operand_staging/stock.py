"""Estimates of stock Triton's cost for a kernel's operands, against which a rewritten kernel is weighed after ptxas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_memory import Load, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import as_tensor, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import BANK_ROW_BYTES, addresses, vector_access
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.layouts import bits_of_thread, encoding_as, has_runs, holds_words, layout_of
from dotload.passes.ir.loops import DOTS, loop_around
from dotload.passes.ir.memory import size_bytes
from dotload.passes.ir.targets import target_around
from dotload.passes.operand_staging.candidates import Operand, find_operands
from dotload.passes.operand_staging.loop_loads import loads_of, stages_of
from dotload.passes.operand_staging.loop_memory import held_bytes, tile_readers

WGMMA_ROWS = 64
"""The rows of A in one wgmma (PTX ISA, wgmma)."""
OTHER_REGISTERS = 32
"""Registers per thread for addresses, masks and the loop (estimated)."""


@dataclass(frozen=True)
class StockEstimate:
    """The estimated cost of stock Triton's kernel, before it is compiled.

    `wavefronts`: of its operands, per iteration, all warps. `shared_bytes`: per block. `registers`: per thread.
    `waits`: per iteration.
    """

    wavefronts: int
    shared_bytes: int
    registers: int
    waits: int


def stock_wavefronts(operand: Operand) -> int:
    """Shared-memory wavefronts by which stock Triton transposes the operand's tile, all warps together.

    wgmma: the tile is stored (8 bits) or copied (32 bits) element by element from its load layout. mma.sync: each
    register is read by its own `ld.shared.b8`.
    """
    tile = operand.chain[0].results[0]
    if isinstance(tile.type, MemDescType):
        bits = element_bits(tile.type)  # as stored, since the operand may be converted before the store
        where = addresses(layout_of(operand.load.results[0]), layout_of(tile), bits)
        return vector_access(where, "store").total_wavefronts + saved_reads(operand)
    fragments = layout_of(operand.chain[-1].results[0])
    return fragments.in_sizes[enc.REGISTER] * fragments.in_sizes[enc.WARP]


def reads_transposed(dot: Operation, operand: Operand) -> bool:
    """Whether stock reads the tile by ldmatrix that transposes bytes, into the fragments of mma.sync.

    It does so with tiles in the layout of TMA, where a thread's fragments have words of four k, and both x and x + 8: a
    matrix of 16 x 16 bytes. Those of B have, unless several warps share the columns. Staging a converted operand pays
    all the same if the other operand is loaded: ldmatrix can then read that one (`permute-k-for-ldmatrix`).
    """
    if operand.tile.arrives is None or operand.flow is None:
        return False
    fragments = encoding_as(enc.DotOperand, tensor_type(operand.between[-1].results[0]).encoding)
    encoding = tensor_type(dot.results[0]).encoding
    if not isinstance(encoding, attrs.NvidiaMmaEncoding) or not target_around(dot).transposes_bytes:
        return False
    if fragments is None or fragments.k_width * BYTE_BITS != REGISTER_BITS:
        return False
    if operand.flow.ops and isinstance(behind(dot.operands[1 - operand.index], (ConvertLayoutOp,)).owner, Load):
        return False
    return operand.index == 0 or encoding.warps_per_cta[-1] == 1


def stores_columns(dot: Operation, operand: Operand) -> bool:
    """Whether stock's threads store the tile K-major for wgmma without conflicts, though they load it by elements.

    Each has then loaded several k of one x, as where all lanes are along x.
    """
    is_wgmma = isinstance(dot, WarpGroupDotOp) and operand.flow is None and not operand.conversion
    if not is_wgmma or not isinstance(operand.load, LoadOp):
        return False
    loaded, bits = layout_of(operand.load.result), operand.tile.element_bits
    return holds_words(loaded, operand.k_axis, bits) and not has_runs(loaded, 1 - operand.k_axis, 2)


def saved_reads(operand: Operand) -> int:
    """Wavefronts of stock's reads of a converted tile of B that registers save; 0 for other operands.

    Stock's threads read what was loaded, and wgmma reads what they have stored, again for each 64 rows of A. The
    transposed dot instead reads A again for each 64 columns of B.
    """
    dot = next((use.operation for use in operand.between[-1].results[0].uses), None)
    if not operand.conversion or operand.index != 1 or not isinstance(dot, WarpGroupDotOp):
        return 0
    rows, columns = tensor_type(dot.d).get_shape()
    stored, other = (size_bytes(memory) // BANK_ROW_BYTES for memory in (dot.b, dot.a))
    loaded = size_bytes(operand.load.results[0]) // BANK_ROW_BYTES
    return loaded + stored * (rows // WGMMA_ROWS) - other * (columns // WGMMA_ROWS - 1)


def stock_registers(dot: Operation, operands: Iterable[Operand]) -> int:
    """An estimate of the registers of a thread: sums, fragments, the tiles in flight, and what any loop takes.

    Without a loop no tile is in flight beside fragments: these are read when the tiles are in shared memory.
    """
    loop = loop_around(dot)
    dots = [dot] if loop is None else [each for each in loop.walk() if isinstance(each, DOTS)]
    sums = registers_holding(each.results[0] for each in dots)
    fragments = registers_holding({each.operands[0] for each in dots if as_tensor(each.operands[0].type) is not None})
    tiles = registers_holding(operand.load.results[0] for operand in operands)
    return sums + (max(fragments, tiles) if loop is None else fragments + tiles) + OTHER_REGISTERS


def registers_holding(values: Iterable[SSAValue]) -> int:
    """The registers of a thread that hold the tensors."""
    return sum(bits_of_thread(value) // REGISTER_BITS for value in values)


def waits_of(dot: Operation, num_stages: int) -> int:
    """How often an iteration around the dot waits. With one stage, it waits for its loads, and then for its dot."""
    loop = loop_around(dot)
    return 2 if isinstance(loop, scf.ForOp) and stages_of(loop, num_stages) == 1 else 1


def stock_bytes(loops: Iterable[scf.ForOp], num_stages: int) -> int:
    """An estimate of the shared memory of stock Triton's kernel, in bytes: the tiles of its largest loop.

    Stock does not pipeline non-K-major 8-bit operands, nor a tile that dots read in two layouts: such a tile has one
    buffer for each layout.
    """
    return max((_bytes_of(loop, stages_of(loop, num_stages)) for loop in loops), default=0)


def _bytes_of(loop: scf.ForOp, stages: int) -> int:
    single = {load for dot in loop.walk() for load in _loads_of_bytes(dot)}
    tiles = 0
    for load in loads_of(loop):
        if tile_readers(load):
            staged = (use.operation for use in load.results[0].uses)
            layouts = len({alloc.result.type for alloc in staged if isinstance(alloc, LocalAllocOp)})
            buffers = layouts if load in single or layouts > 1 else max(1, stages)
            tiles += buffers * size_bytes(load.results[0])
    return held_bytes(loop) + tiles


def _loads_of_bytes(dot: Operation) -> Iterable[Operation]:
    """The loads of the dot's non-K-major 8-bit operands."""
    operands = find_operands(dot) if isinstance(dot, WarpGroupDotOp) else ()
    return [operand.load for operand in operands if operand.tile.element_bits == BYTE_BITS]
