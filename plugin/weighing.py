"""A rewritten kernel that spills, or whose lower occupancy may make it slower, is weighed against stock's after ptxas.

Both kernels are then assembled, and their resources are known (`cubin.py`). The cost of a kernel is that of one
iteration of its loop, in cycles of a multiprocessor's shared memory:

    wavefronts of its operands + wavefronts of its spills + waits * LATENCY / resident blocks

The last term is the part of the waits that resident blocks do not hide. A pipelined loop has one wait per iteration, a
loop of one stage has two; stock's has another for loads that only dotload's kernel issues an iteration ahead. The
kernel with the lower cost is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dotload.layout.nvidia_targets import UNCERTAIN_REGISTERS, NvidiaTarget
from dotload.passes.analysis.prefilter import COSTS
from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.assembler import Assembled
from dotload.plugin.cubin import Resources
from dotload.plugin.triton_types import Module

LATENCY = 1000
"""Cycles of an iteration's unhidden wait: one load from global memory, and barriers (estimated)."""

FEW_BYTES = 16
"""Bytes of stack per thread that a kernel without staged operands may take: packed conversions save more than they
cost."""

SURELY_LESS = 0.95
"""A kernel that spills is taken in place of one that does not if it costs at most this share, by estimate."""

NO_GAIN = (3,)
"""Numbers of resident blocks that were worth no spills in random kernels on an H200, unlike two and four."""


@dataclass(frozen=True)
class Expectation:
    """The staging pass's estimates for its kernel and stock's (passes/operand_staging/stock.py).

    Wavefronts per iteration, bytes of shared memory per block, registers per thread, waits per iteration.
    """

    wavefronts: int
    stock_wavefronts: int
    stock_bytes: int
    stock_registers: int
    stock_waits: int = 1
    waits: int = 1

    @staticmethod
    def of(module: Module) -> Expectation | None:
        """The estimates that the pass has left in the module; None if it has staged nothing."""
        numbers = [module.get_int_attr(name) for name in COSTS]
        known = [number for number in numbers if number is not None]
        return Expectation(*known) if len(known) == len(numbers) else None


@dataclass(frozen=True)
class Verdict:
    """The result of weighing: whether ours is taken, and the text of the remark."""

    takes_ours: bool
    message: str


NOTHING_STAGED = Expectation(0, 0, 0, 0)
"""For a kernel without staged operands: no wavefronts are saved, and nothing is known of stock's kernel."""


def is_doubtful(ours: Resources, expected: Expectation, target: NvidiaTarget) -> bool:
    """Whether the kernel spills or has fewer resident blocks than stock's may have, and stock's may be faster."""
    if expected is NOTHING_STAGED:
        return ours.stack_bytes > FEW_BYTES
    stock = least_of_stock(ours, expected)
    if ours.stack_bytes == 0 and ours.blocks(target) >= stock.blocks(target):
        return False
    return cost_of_ours(ours, expected, target) > cost_of_stock(stock, expected, target)


def least_of_stock(ours: Resources, expected: Expectation) -> Resources:
    """The least resources that stock's kernel may take: no spills, and fewer registers than estimated."""
    registers = max(1, min(ours.registers, expected.stock_registers) - UNCERTAIN_REGISTERS)
    return Resources(registers, 0, expected.stock_bytes, ours.warps)


def needs_of(ours: Resources, expected: Expectation, target: NvidiaTarget) -> Sequence[Remark]:
    """The remark on a kernel that spills, or may have half of stock's blocks, and is faster whatever stock's takes."""
    stock = least_of_stock(ours, expected)
    is_much = ours.stack_bytes > 0 or ours.blocks(target) * 2 <= stock.blocks(target)
    if expected is NOTHING_STAGED or not is_much:
        return ()
    least = cost_of_stock(stock, expected, target)
    costs = f"estimated {cost_of_ours(ours, expected, target)} cycles per iteration, stock {least} or more"
    text = f"may need more resources than stock's kernel, but is faster by estimate: {describe(ours, target)}; {costs}"
    return (remark_of(Verdict(True, text)),)


def best_first(versions: Sequence[Assembled], expected: Expectation, target: NvidiaTarget) -> Sequence[Assembled]:
    """The versions of a kernel; the one with a register limit first if its spills cost less than it saves."""
    plain, limited = versions[0].resources, versions[-1].resources
    if plain is None or limited is None or not is_better_limited(plain, limited, expected, target):
        return versions
    return versions[::-1]


def is_better_limited(plain: Resources, limited: Resources, expected: Expectation, target: NvidiaTarget) -> bool:
    """Whether the kernel with a register limit, which spills, is better: its blocks save more than that costs."""
    if expected is NOTHING_STAGED or limited.blocks(target) in NO_GAIN:
        return False
    return cost_of_ours(limited, expected, target) <= SURELY_LESS * cost_of_ours(plain, expected, target)


def weigh(ours: Resources, stock: Resources, expected: Expectation, target: NvidiaTarget) -> Verdict | None:
    """Which kernel is taken; None if ours neither spills more nor has fewer resident blocks."""
    if ours.stack_bytes <= stock.stack_bytes and ours.blocks(target) >= stock.blocks(target):
        return None
    compared = f"{describe(ours, target)}; stock: {describe(stock, target)}"
    if not stock.blocks(target):
        return Verdict(True, f"needs more resources than stock's kernel, which does not fit at all: {compared}")
    our_cost, stock_cost = cost_of_ours(ours, expected, target), cost_of_stock(stock, expected, target)
    costs = f"estimated {our_cost} cycles per iteration, stock {stock_cost}"
    if our_cost <= stock_cost:
        return Verdict(
            True, f"needs more resources than stock's kernel, but is faster by estimate: {compared}; {costs}"
        )
    return Verdict(False, f"stock's kernel is used, which is faster by estimate: {compared}; {costs}")


def remark_of(verdict: Verdict) -> Remark:
    """The remark on a verdict."""
    kind, code = ("analysis", "WEIGHED") if verdict.takes_ours else ("missed", "OUTWEIGHED")
    return Remark(kind, "stage-dot-operands", KERNEL, verdict.message, code)


def outgrown(taken: int, most: int) -> Remark:
    """The remark on a kernel whose shared memory exceeds a block's; sizes in bytes."""
    sizes = f"dotload's needs {taken} bytes of shared memory, a block has {most}"
    text = f"stock's kernel is used: {sizes}; use a smaller num_stages"
    return Remark("missed", "stage-dot-operands", KERNEL, text, "OUTGROWN")


def cost_of_ours(ours: Resources, expected: Expectation, target: NvidiaTarget) -> int:
    """`cost` of dotload's kernel."""
    return cost(ours, expected.wavefronts, target, expected.waits)


def cost_of_stock(stock: Resources, expected: Expectation, target: NvidiaTarget) -> int:
    """`cost` of stock's kernel."""
    return cost(stock, expected.stock_wavefronts, target, expected.stock_waits)


def cost(kernel: Resources, wavefronts: int, target: NvidiaTarget, waits: int) -> int:
    """Cycles of a multiprocessor per iteration of a block's loop."""
    return wavefronts + kernel.spill_wavefronts + waits * LATENCY // max(1, kernel.blocks(target))


def describe(kernel: Resources, target: NvidiaTarget) -> str:
    """The resources of a kernel, for the remark."""
    blocks = kernel.blocks(target)
    resident = "1 resident block" if blocks == 1 else f"{blocks} resident blocks"
    return f"{kernel.stack_bytes} bytes of stack, {kernel.registers} registers, {resident}"
