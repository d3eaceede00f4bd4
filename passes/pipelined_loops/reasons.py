"""Why a pipelined loop stays as it is: codes and texts of the remarks."""

from __future__ import annotations

from dotload.layout.reject import Reason


class LoopReason(Reason):
    """Reasons of the passes over pipelined loops."""

    COMPLETION = "it is not known how the loop's loads complete; with num_stages=1, none is asynchronous"
    NOT_ONE_DOT = "the loop does more with its dots than to accumulate one of them"
    OPERANDS = "an operand of the dot is not a buffer of the loop, whole or split along k"
    ITERATIONS = "dots read tiles of more than one iteration, one of which the next copy may write"
    EFFECTS = "reads or waits would have to move past {value}, which needs shared memory or has other effects"
    LOADS_BEFORE_DOT = "the next loads start before the dot"
    OTHER_READS = "a staged tile is read for more than the dot's fragments and one K-major copy each"
    NOT_FENCED = "the K-major copy has no fence"
    ADDRESS = "the buffer of a staged tile is not picked by arithmetic alone"
    FEW_TILES = "tiles under way when an iteration starts: {value}, needed: {limit}; use more num_stages"
    FEW_BUFFERS = "a raw tile has {value} buffers, {limit} are needed"
    FEW_COLUMNS = "the dot has {value} columns; memory limits it with {limit} or fewer"
    NO_REGISTERS = "the accumulator takes {value} registers of a thread; use more warps, or smaller tiles"
    FRAGMENTS = "accumulators and fragments would take {value} registers of a thread; use more warps, or smaller tiles"
    SHARED_LAYOUT = "another dot, or the function's type, has the layout of the accumulator"
    MBARRIERS = "its loads by TMA start at CTA barriers behind the wait for the dot"
    SCALE_ADDRESSES = "each thread loads {value} scales, at addresses that are not computed by arithmetic alone"
    NO_ROOM = "there is no shared memory to share {value} bytes of scales out"
    PIECES = "a warp takes {value} rows of A for a dot in pieces: no faster with more than {limit}; use more warps"
    ROW_CONFLICTS = "rows of B, in the order of the accumulator's columns, would be copied with more bank conflicts"
    OTHER_K = "k of the dot cannot be permuted: its K-major copy has other uses, or its A has, or another layout"
    OVERWRITTEN = "the dot may still read a buffer that the next copy writes"
