"""Registers: what the loads of a loop take of a thread's register file.

A register of the file (GRF) has 64 bytes, and a thread has 128 of them, or twice or four times as many where its
compiler is told to. What a loop loads for its products is live at one time, beside the accumulators: more than the
whole file cannot but spill.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.block_message import GRF_BYTES
from dotload.layout.xe_targets import XeTarget

REGISTERS = "REGISTERS"  # code of the remark
REGISTER_COUNTS = (128, 256, 512)


def registers_of(plan: BlockLoadPlan) -> int:
    """Registers that the payloads of all messages of a load take."""
    return plan.messages * -(-plan.message.payload_bits // (8 * GRF_BYTES))


def held_by_loops(planned: Iterable[tuple[Operation, BlockLoadPlan]]) -> dict[Operation, int]:
    """Of every loop with block loads right in it, the registers that these take together."""
    held: dict[Operation, int] = {}
    for load, plan in planned:
        loop = load.parent_op()
        if loop is not None and loop.name in ("scf.for", "scf.while"):
            held[loop] = held.get(loop, 0) + registers_of(plan)
    return held


def pressure(held: int, target: XeTarget) -> str | None:
    """What is to be said of a loop whose loads take so many registers; None where they fit the smallest file."""
    small = [count for count in REGISTER_COUNTS if held > count]
    if not small:
        return None
    fitting = [str(count) for count in target.registers if held <= count]
    advice = f"compile for {fitting[0]}" if fitting else f"{target.name} has no more than {target.registers[-1]}"
    return f"the block loads of this loop take {held} registers, more than {small[-1]} a thread: {advice}"
