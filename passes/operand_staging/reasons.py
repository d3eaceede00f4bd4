"""Why an operand of an NVIDIA dot stays as it is: codes and texts of the remarks, and what the user could change."""

from __future__ import annotations

from dotload.layout.reject import Reason

NARROW_LOADS = "NARROW_LOADS"
"""The code of the advice for a staged tile that threads load in smaller pieces than possible."""
ACCESSED_BY_BYTES = "ACCESSED_BY_BYTES"
"""The code of the advice for a tile that threads read or write in shared memory byte by byte."""


class StagingReason(Reason):
    """Reasons of stage-dot-operands, stage-dot-loads and unpack-operands-in-registers."""

    OTHER_USES = "the loaded tile has other uses than the dot; load it once for each"
    VOLATILE = "the load is volatile, and would be an asynchronous copy"
    ORDERED = (
        "the loop orders its accesses to memory by {value}, and stock loads the tile in that order; do that behind the "
        "loop, or relax it"
    )
    WRITTEN = (
        "the loop writes through the pointer that it loads the tile through, and stock does not load the tile ahead; "
        "pass what is written as another argument"
    )
    ACCUMULATOR_LAYOUT = "the accumulator is not in a layout of NVIDIA's matrix units"
    CLUSTER = "the dot is spread over a cluster of CTAs"
    NOT_IN_SHARED_MEMORY = "wgmma does not read the operand from shared memory"
    SHORT_K = "the tile has {value} bytes of k, wgmma's swizzle takes at least 32; use a larger BLOCK_K"
    SMALL_TILE = "the tile is too small to be dealt to the lanes of a warp; use larger blocks"
    ACCUMULATOR_USED = (
        "the loop uses the accumulator besides accumulating; let it scale whole rows only (whole columns, where A is "
        "not K-major), and do the rest behind it"
    )
    ACCUMULATOR_CARRIED = "the accumulator is not carried by the loop around the dot; begin it before the loop"
    ACCUMULATOR_SHARED = (
        "another dot of the loop adds to the same accumulator, and no operand of it is staged alike; load both in the "
        "same order"
    )
    ACCUMULATOR_MOVES = "the loop passes the accumulator on as another of its values"
    WHILE_LOOP = "the loop around the dot is no scf.for; use `for ... in range`"
    WORDS_OF_MMA = "mma.sync reads 32-bit operands one by one in either order"
    NO_DOT_OPERAND = "the operand is not converted to a dot operand layout"
    NOT_FOLLOWED = (
        "stock reads or writes the tile element by element, behind {value}, which is not followed; load it from a "
        "K-major matrix, or do that behind the dot"
    )
    CARRIED = (
        "stock reads or writes the tile element by element, and the loop carries it to the next iteration; load it in "
        "the iteration that multiplies it, and let `num_stages` load ahead"
    )
    LOADED_BY_ELEMENTS = (
        "the elements of the tile are not known to lie together in memory, and threads may load them one by one; pass "
        "strides of 1 as constants, and pointers and strides divisible by 16"
    )
    BRANCHED = (
        "stock reads or writes the tile element by element: it is loaded in branches, which is not followed; load it "
        "once, under a mask"
    )
    COMPUTED_WITH = (
        "stock reads the tile element by element: the operand is computed from more than this tile by {value}; "
        "multiply the tiles one by one, or load them from K-major matrices"
    )
    BATCHED = (
        "stock reads or writes the tile element by element, and tiles of {value} dims are not followed; multiply two-"
        "dimensional tiles"
    )
    READ_TRANSPOSED = "stock reads the tile by ldmatrix, which transposes bytes on this GPU; nothing to change"
    SCALED_DOT = (
        "stock reads the tile element by element, and products with scales of groups in hardware are not followed; "
        "load it from a K-major matrix"
    )
    TCGEN05_WORDS = (
        "tcgen05 reads tf32 in either order, but Triton copies it K-major by words of 4 bytes; load it from a K-major "
        "matrix"
    )
    NO_LAYOUT = "no layout: {value}"
    UNPROVED = "the plan did not pass its proof"
    CONTIGUITY = "no dim of the pointers is known to be contiguous; pass strides of 1 as constants"
    NO_WARPS = "the module does not say how many warps it has"
    CONVERTED = (
        "the tile is converted before the dot, and its loop is not known to load in vectors, or has no room for a "
        "second buffer"
    )
    SINGLE_ELEMENTS = (
        "the operand is unpacked from this tile, of which fragments would be read element by element; load it from a "
        "matrix that is packed along K, or whose K is contiguous"
    )
    MANY_REGISTERS = (
        "the accumulator and the operand, which is unpacked from this tile, would take {value} registers of a thread; "
        "use smaller blocks or more warps"
    )
    SEVERAL_CONVERTED = (
        "the loop waits for another dot of a converted tile too; two buffers each would leave room for fewer blocks"
    )
