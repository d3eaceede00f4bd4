"""Why an operand of an NVIDIA dot stays as it is: codes and texts of the remarks, and what the user could change."""

from __future__ import annotations

from dotload.layout.reject import Reason

NARROW_LOADS = "NARROW_LOADS"
"""The code of the advice for a staged tile that threads load in smaller pieces than possible."""
ACCESSED_BY_BYTES = "ACCESSED_BY_BYTES"
"""The code of the advice for a tile that threads read or write in shared memory byte by byte."""
READ_BY_BYTES = "threads read the packed tile from shared memory by single bytes"
PACK_MORE = "pack more numbers along K in an integer"


class StagingReason(Reason):
    """Reasons of stage-dot-operands, stage-dot-loads and unpack-operands-in-registers."""

    OTHER_USES = (
        "the tile has other uses than this dot; load it once for each use, each time with another `eviction_policy`: "
        "Triton makes one load of equal ones"
    )
    VOLATILE = "the load is volatile, so it cannot become an asynchronous copy"
    ORDERED = (
        "{value} orders the loop's memory accesses, so stock Triton does not load the tile ahead; move it out of the "
        "loop, or relax it"
    )
    WRITTEN = (
        "the loop writes through the pointer of this load, so stock Triton does not load the tile ahead; if what "
        "is written is other memory, pass it as another argument"
    )
    REORDERED = (
        "the loop also loads through a pointer that it writes through; if this tile were loaded ahead, Triton could "
        "store before it loads; if what is written is other memory, pass it as another argument"
    )
    ACCUMULATOR_LAYOUT = (
        "the accumulator has no NVIDIA MMA layout, so the dot does not run on tensor cores; for 32-bit operands, allow "
        '`input_precision="tf32"`'
    )
    CLUSTER = "the dot is spread over a cluster of CTAs, which is not supported"
    NOT_IN_SHARED_MEMORY = "wgmma does not read this operand from shared memory"
    SHORT_K = "the tile has {value} bytes along k, and wgmma's swizzle needs at least 32; use a larger BLOCK_K"
    SMALL_TILE = "the tile is too small for the lanes of a warp; use larger blocks"
    ACCUMULATOR_USED = (
        "the loop uses the accumulator for more than accumulation; only scale its rows in the loop (its columns if A "
        "is not K-major), and move the rest after the loop; a dot that starts anew may store its result, once"
    )
    ACCUMULATOR_CARRIED = "the accumulator is not carried by the loop around the dot; initialize it before that loop"
    ACCUMULATOR_SHARED = (
        "another dot of the loop adds to the same accumulator, and none of its operands can be staged with the same "
        "permutation; load the operands of both in the same memory order"
    )
    ACCUMULATOR_MOVES = "the loop yields the accumulator as another of its loop-carried values"
    WHILE_LOOP = "the loop around the dot is not an scf.for; use `for ... in range`"
    WORDS_OF_MMA = "mma.sync reads 32-bit operands one by one in either order: nothing to gain"
    SINGLE_BYTES = (
        "a warp has too few rows or columns of the tile to read words, so the kernel reads bytes in either case; use "
        "larger blocks or fewer warps"
    )
    NO_DOT_OPERAND = "the operand is not converted to a dot operand layout"
    NOT_FOLLOWED = (
        "stock Triton transposes the tile element by element, and {value} is not supported between the load and the "
        "dot; load it from a K-major matrix"
    )
    MULTIPLIED = (
        "stock Triton transposes the tile element by element, and {value} between the load and the dot is not "
        "supported; multiply the result of the dot instead if the factor is the same all along K, or load the tile "
        "from a K-major matrix"
    )
    CARRIED = (
        "stock Triton transposes the tile element by element, and the loop carries it to the next iteration; load it "
        "in the iteration that uses it, and let `num_stages` prefetch it"
    )
    LOADED_BY_ELEMENTS = (
        "the tile is not known to be contiguous and aligned, so threads may load it element by element; pass strides "
        "of 1 as constants, and pointers, strides and bounds of masks divisible by 16; use `tl.multiple_of` and "
        "`tl.max_contiguous` where Triton cannot infer it, as of an index"
    )
    APART = (
        "neighbouring elements of the tile are {value} bytes apart in memory, so threads load them one by one; load "
        "wider elements that hold several, and take them apart"
    )
    BRANCHED = "stock Triton transposes the tile element by element, and a branch loads it; load it once, with a mask"
    OTHER_BLOCK = (
        "stock Triton transposes the tile element by element, and {value} takes it in another block, as of a branch; "
        "load, convert and multiply it in one block"
    )
    COMPUTED_WITH = (
        "stock Triton transposes the tile element by element, and {value} combines it with another; use one dot per "
        "tile, or load the tiles from K-major matrices"
    )
    BATCHED = (
        "stock Triton transposes the tile element by element, and tiles of {value} dimensions are not supported; use "
        "two-dimensional tiles"
    )
    READ_TRANSPOSED = "stock Triton reads the tile by ldmatrix, which transposes bytes on this GPU: nothing to gain"
    SCALED_DOT = (
        "stock Triton transposes the tile element by element, and block-scaled dots of the hardware are not supported;"
        " load it from a K-major matrix"
    )
    TCGEN05_WORDS = (
        "tcgen05 reads tf32 in either order, but Triton copies it K-major in 4-byte words; load it from a K-major "
        "matrix"
    )
    NO_LAYOUT = "no layout found: {value}"
    UNPROVED = "the proof of the plan failed; please report this"
    CONTIGUITY = "the pointers are not known to be contiguous along one dimension; pass strides of 1 as constants"
    NO_WARPS = "the module has no attribute ttg.num-warps"
    CONVERTED = (
        "the tile is converted before the dot, and its loop is not known to load in vectors, or has no shared memory "
        "for a second buffer"
    )
    SINGLE_ELEMENTS = (
        "the operand is unpacked from this tile, whose fragments would be read element by element; load it from a "
        "matrix that is packed along K, or whose K is contiguous"
    )
    MANY_REGISTERS = (
        "the accumulator and the operand unpacked from this tile would take {value} registers per thread; use smaller "
        "blocks or more warps"
    )
    ONE_BLOCK = (
        "with a second buffer for the converted tile, a single block would be resident; use smaller blocks, or fewer "
        "stages if there are more than two"
    )
    SEVERAL_CONVERTED = (
        "another dot of the loop takes a converted tile too; with two buffers for each, fewer blocks would be resident"
    )
    BOTH_COMPUTED = (
        "the tile is converted before the dot, but the loop computes A in registers as well, which it cannot do again "
        "until the dot has ended: a second buffer gains nothing; multiply what is loaded, and scale the result"
    )
