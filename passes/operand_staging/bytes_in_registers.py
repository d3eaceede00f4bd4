"""How the bytes of a tensor lie in the registers of a thread: in words, in pairs, or apart."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import FpToFpOp
from dotload.dialect_ext.ttg import LocalLoadOp
from dotload.layout import encodings as enc
from dotload.layout.linear import LayoutError
from dotload.passes.analysis.fusion import MOVING_REGISTERS
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.layouts import elements_of_thread, layout_of
from dotload.passes.ir.memory import memory_type
from dotload.passes.operand_staging.facts import role_of
from dotload.passes.operand_staging.packed_conversions import ELEMENTS, PAIR


def registers_of(value: SSAValue) -> int:
    """The number of elements of a tensor in a thread; 0 if its encoding is not known."""
    try:
        return elements_of_thread(value)
    except LayoutError:
        return 0


def are_in_words(value: SSAValue) -> bool:
    """Whether a thread's bytes are read in words of four; bytes that are read in pairs are not put together.

    Reads of staged tiles bring words, whichever elements of the operand are in one.
    """
    read = behind(value, MOVING_REGISTERS).owner
    if isinstance(read, LocalLoadOp) and role_of(read) is not None:
        return True
    if registers_of(value) < ELEMENTS:
        return False
    first, second, *_ = layout_of(value).bases[enc.REGISTER]
    return tuple(2 * step for step in first) == second


def are_rearranged(value: SSAValue) -> bool:
    """Whether a staged read brings words of bytes that are not adjacent in memory: Triton would take these apart."""
    read = behind(value, MOVING_REGISTERS).owner
    return isinstance(read, LocalLoadOp) and role_of(read) is not None and brings_neighbours(read) is False


def are_apart(value: SSAValue) -> bool:
    """Whether a thread computes the bytes, or reads them one by one since they are not adjacent in shared memory.

    Those that a loop carries are apart too: LLVM carries each in a register of its own.
    """
    read = behind(value, MOVING_REGISTERS).owner
    if isinstance(read, FpToFpOp) or (isinstance(read, Block) and isinstance(read.parent_op(), scf.ForOp)):
        return True
    if not isinstance(read, LocalLoadOp) or role_of(read) is not None:
        return False
    if not isinstance(memory_type(read.src).encoding, attrs.SwizzledSharedEncoding):
        return False  # ldmatrix may transpose a tile that TMA has written
    return brings_neighbours(read) is False


def brings_neighbours(read: LocalLoadOp) -> bool | None:
    """Whether a thread's first two elements are adjacent in memory; None if it has one, or a layout is not known."""
    if registers_of(read.result) < PAIR:
        return None
    try:
        memory = layout_of(read.src)
    except LayoutError:
        return None
    return memory.bases[enc.OFFSET][0] == layout_of(read.result).bases[enc.REGISTER][0]
