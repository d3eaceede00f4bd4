"""Loops and the dots in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue, Use

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext import gpu, ttg
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.tt_compute import DotOp
from dotload.dialect_ext.ttg import LocalAllocOp, LocalStoreOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.nvidia_targets import REGISTER_BITS, WARP_LANES
from dotload.passes.ir.def_use import uses_behind

DOTS = (WarpGroupDotOp, DotOp)
DOT_NAMES = frozenset(kind.name for kind in DOTS)

ACCUMULATOR = 2
"""The index of C among the operands of a dot."""

BARRIERS = (gpu.BarrierOp, ttg.BarrierOp, ttg.LocalBarrierOp)
"""Barriers of all threads, as a user writes them."""

FIRST_ITER_ARG = 3
"""The index of the first loop-carried operand of an scf.for, after the bounds and the step."""


def ancestors(op: Operation) -> Iterator[Operation]:
    """The ops around the op, the innermost first."""
    around = op.parent_op()
    while around is not None:
        yield around
        around = around.parent_op()


def loops_around(op: Operation) -> list[scf.ForOp | scf.WhileOp]:
    """The loops around the op, the innermost first."""
    return [each for each in ancestors(op) if isinstance(each, scf.ForOp | scf.WhileOp)]


def loop_around(op: Operation) -> scf.ForOp | scf.WhileOp | None:
    """The innermost loop around the op."""
    return next(iter(loops_around(op)), None)


def loops_of(dots: Iterable[Operation]) -> list[scf.ForOp]:
    """The loops in whose own blocks the dots are, each once."""
    parents = dict.fromkeys(dot.parent_op() for dot in dots)
    return [loop for loop in parents if isinstance(loop, scf.ForOp)]


def function_around(op: Operation) -> FuncOp | None:
    """The function around the op."""
    return next((each for each in ancestors(op) if isinstance(each, FuncOp)), None)


def terminator(block: Block) -> Operation:
    """The last op of a block that is not empty."""
    assert block.last_op is not None
    return block.last_op


def wgmma_dots(loop: scf.ForOp) -> list[WarpGroupDotOp]:
    """The wgmma dots in the loop's own block."""
    return of_kind(loop.body.block.ops, WarpGroupDotOp)


def is_only_dot(dot: Operation) -> bool:
    """Whether the dot is the only one in its loop, nested loops included."""
    loop = dot.parent_op()
    return isinstance(loop, scf.ForOp) and [op for op in loop.walk() if op.name in DOT_NAMES] == [dot]


def feeds_dot(op: Operation) -> bool:
    """Whether an operand of a dot is computed from the op's results; scales of a dot's result do not count."""

    def is_operand(use: Use) -> bool:
        if isinstance(use.operation, DOTS):
            return use.index != ACCUMULATOR
        is_stored = isinstance(use.operation, LocalAllocOp | LocalStoreOp)
        return is_stored or use.operation.parent_block() is not op.parent_block()

    return any(is_operand(use) for use in uses_behind(op, lambda user: not isinstance(user, DOTS)))


def warps_of(accumulator: SSAValue) -> int:
    """The warps that compute a dot of mma.sync or wgmma."""
    encoding = tensor_type(accumulator).encoding
    assert isinstance(encoding, attrs.NvidiaMmaEncoding)
    return math.prod(encoding.warps_per_cta)


def threads_of(dot: Operation) -> int:
    """The number of threads that compute the dot; 0 if not known."""
    is_mma = isinstance(tensor_type(dot.results[0]).encoding, attrs.NvidiaMmaEncoding)
    return warps_of(dot.results[0]) * WARP_LANES if is_mma else 0


def accumulator_registers(loop: scf.ForOp) -> int:
    """The registers per thread that the accumulators of all wgmma dots of the loop take; a chain of dots shares one."""
    dots = [dot for dot in wgmma_dots(loop) if not isinstance(dot.c.owner, WarpGroupDotOp)]
    bits = sum(math.prod(tensor_type(dot.d).get_shape()) * element_bits(dot.d.type) for dot in dots)
    return bits // (REGISTER_BITS * WARP_LANES * warps_of(dots[0].d))


@dataclass(frozen=True)
class Carried:
    """A loop-carried value: the initial value, the argument in the body, the yielded value, and the loop's result."""

    loop: scf.ForOp
    index: int

    @property
    def init(self) -> SSAValue:
        return self.loop.iter_args[self.index]

    @property
    def argument(self) -> BlockArgument:
        return self.loop.body.block.args[self.index + 1]

    @property
    def back(self) -> SSAValue:
        return terminator(self.loop.body.block).operands[self.index]

    @property
    def result(self) -> SSAValue:
        return self.loop.results[self.index]

    @property
    def entry(self) -> Use:
        """The use of the initial value by the loop."""
        return Use(self.loop, FIRST_ITER_ARG + self.index)

    def enter_with(self, value: SSAValue) -> None:
        """Replace the initial value."""
        self.loop.operands[FIRST_ITER_ARG + self.index] = value

    def yield_next(self, value: SSAValue) -> None:
        """Replace the yielded value."""
        terminator(self.loop.body.block).operands[self.index] = value


def carried_by_loop(value: SSAValue) -> Carried | None:
    """The loop-carried value of which this is the argument or the result; None for anything else."""
    if isinstance(value, BlockArgument):
        loop, index = value.block.parent_op(), value.index - 1
    else:
        assert isinstance(value, OpResult)
        loop, index = value.op, value.index
    return Carried(loop, index) if isinstance(loop, scf.ForOp) and index >= 0 else None


def carry(loop: scf.ForOp, init: SSAValue, hint: str | None) -> Carried:
    """Add a loop-carried value to a loop: `init` in every iteration, until another value is yielded.

    The loop stays the same op, so that nothing that is known of its other values is lost.
    """
    add_operand(loop, init)
    argument = loop.body.block.insert_arg(init.type, len(loop.body.block.args))
    argument.name_hint = hint
    add_operand(terminator(loop.body.block), argument)
    return Carried(loop, add_result(loop, init.type).index)


def add_operand(op: Operation, value: SSAValue) -> int:
    """Add an operand at the end; returns its index."""
    op.operands = [*op.operands, value]
    return len(op.operands) - 1


def add_result(op: Operation, type_: Attribute) -> OpResult:
    """Add a result at the end, to a loop or branch whose regions yield it."""
    result = OpResult(type_, op, len(op.results))
    result.name_hint = op.results[0].name_hint if op.results else None
    op.results = type(op.results)((*op.results, result))
    return result


def is_pipelined_loop(loop: scf.ForOp) -> bool:
    """Whether Triton pipelines such a loop: it contains no other loop and no barrier."""
    return not any(op is not loop and isinstance(op, (scf.ForOp, scf.WhileOp, *BARRIERS)) for op in loop.walk())
