"""Register pressure: how much of a thread's register file the loads of a loop take.

A GRF register has 64 bytes. A thread has 128 of them, or two or four times as many by a compiler option. The
tiles that a loop loads for its dots are live at the same time, beside the accumulators. If they exceed the whole file,
the kernel must spill.
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
    """The registers that the payloads of all messages of a load take."""
    return plan.messages * -(-plan.message.payload_bits // (8 * GRF_BYTES))


def held_by_loops(planned: Iterable[tuple[Operation, BlockLoadPlan]]) -> dict[Operation, int]:
    """For every loop, the registers that the block loads directly in it take together."""
    held: dict[Operation, int] = {}
    for load, plan in planned:
        loop = load.parent_op()
        if loop is not None and loop.name in ("scf.for", "scf.while"):
            held[loop] = held.get(loop, 0) + registers_of(plan)
    return held


def pressure(held: int, target: XeTarget) -> str | None:
    """The remark for a loop whose loads take this many registers; None if they fit the smallest file."""
    small = [count for count in REGISTER_COUNTS if held > count]
    if not small:
        return None
    fitting = [str(count) for count in target.registers if held <= count]
    advice = (
        f"compile for {fitting[0]} registers" if fitting else f"{target.name} has no more than {target.registers[-1]}"
    )
    return f"the block loads of this loop take {held} registers per thread, more than {small[-1]}: {advice}"
