"""Why a pipelined loop, or a read of a staged tile, stays as it is: codes and texts of the remarks."""

from __future__ import annotations

from dotload.layout.reject import Reason


class LoopReason(Reason):
    """Reasons of the passes over pipelined loops."""

    COMPLETION = "the loop has no asynchronous loads (num_stages=1), or it is not known how they complete"
    NOT_ONE_DOT = "the loop does not accumulate exactly one dot, or also uses the accumulator otherwise"
    OPERANDS = "an operand of the dot is not one of the loop's buffers, whole or split along k"
    ITERATIONS = "the dots read tiles of different iterations, and the next copy may overwrite one of them"
    EFFECTS = "reads or waits cannot move past {value}, which needs shared memory or has other side effects"
    LOADS_BEFORE_DOT = "the loop starts the next loads before the dot"
    OTHER_READS = "a staged tile has other reads than the dot's fragments and one K-major copy"
    NOT_FENCED = "the loop has no ttng.fence_async_shared for the K-major copy"
    ADDRESS = "the buffer of a staged tile is not known, or its index is not computed by arithmetic alone"
    FEW_TILES = (
        "{value} tiles are in flight when an iteration starts, {limit} are needed; use a larger num_stages, or smaller "
        "tiles"
    )
    FEW_BUFFERS = "a raw tile has {value} buffers, {limit} are needed"
    FEW_COLUMNS = "the dot has {value} columns; with {limit} or fewer it is memory-bound"
    NO_REGISTERS = "the accumulator takes {value} registers per thread; use more warps or smaller tiles"
    FRAGMENTS = "accumulators and fragments would take {value} registers per thread; use more warps or smaller tiles"
    SHARED_LAYOUT = "another dot, or the function's type, uses the layout of the accumulator"
    MBARRIERS = "the loop's TMA loads start at CTA barriers that follow the wait for the dot"
    SCALE_ADDRESSES = "each thread loads {value} scales, whose addresses are not computed by arithmetic alone"
    NO_ROOM = "shared memory has no room for {value} bytes of scales; use smaller tiles or a smaller num_stages"
    PIECES = "a warp has {value} rows of A, and a dot in pieces is no faster with more than {limit}; use more warps"
    ROW_CONFLICTS = "copying rows of B in the order of the accumulator's columns would cause more bank conflicts"
    OTHER_K = "k of the dot cannot be permuted: its A or its K-major copy has other uses, or another layout"
    OVERWRITTEN = "the next copy may overwrite a buffer that the dot still reads"


class ReadReason(Reason):
    """Why a read of a staged tile is left to Triton's own conversion."""

    PARTITION = "in a warp-specialized partition, a warp cannot tell its position from the thread ID"
    ELEMENTS = "elements of {value} bits are not read in words; 8 and 32 bits are"
    NO_WORDS = (
        "its registers do not hold whole words of shared memory; if the other dim of the tile is contiguous in global "
        "memory, ldmatrix can read it"
    )
    NO_PAIRS = "its registers do not hold pairs of bytes of shared memory: {value}"
    UNPROVED = "the proof of the plan failed; please report this"
