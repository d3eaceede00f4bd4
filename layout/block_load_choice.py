"""Which of the plans that serve a load is taken.

What memory delivers are cache lines of 64 bytes, and a row of a message, of 64 bytes at most, takes a line however
little of it is wanted. Where warps take turns along a row, a warp's own part of it is narrow, and there are two ways to
read two parts that lie 32 bytes apart:

    two messages of R rows of 16 bytes      2 R lines, all that comes is wanted
    one message of R rows of 64 bytes       R lines, half of what comes is left unread

The second is taken where the registers for what is unread are few. They are free again as soon as the message is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dotload.layout.block_message import GRF_BYTES, Mode

if TYPE_CHECKING:
    from dotload.layout.block_load import BlockLoadPlan

SPARE_BYTES = 128 * GRF_BYTES // 8
"""What the messages of a load may leave unread: an eighth of the smallest register file that a thread can have."""

_MODES = (Mode.PLAIN, Mode.TRANSFORM, Mode.TRANSPOSE)


def best_plan(plans: Sequence[BlockLoadPlan]) -> BlockLoadPlan:
    """The plan that brings the least, with the fewest messages and, among equals, the cheapest permutation; or one with
    fewer messages that reads half as many lines, if what it leaves unread is within the request's `spare_bytes`.
    """
    tight = min(plans, key=_preference)
    if not tight.request.spare_bytes:
        return tight
    fewer = [plan for plan in plans if plan.messages < tight.messages and _saves_lines(plan, tight)]
    return min(fewer, key=lambda plan: (plan.messages, _preference(plan)), default=tight)


def _saves_lines(plan: BlockLoadPlan, tight: BlockLoadPlan) -> bool:
    """Half the rows, so that not even rows that lie across two lines each are more lines."""
    unread = plan.payload_bytes - tight.payload_bytes
    return 2 * plan.rows <= tight.rows and unread <= plan.request.spare_bytes


def _preference(plan: BlockLoadPlan) -> tuple[object, ...]:
    """Nothing left unread, fewest messages, adjacent rows, cheapest permutation, then the plainest form; the rest only
    makes the choice deterministic."""
    message = plan.message
    return (
        plan.waste,
        plan.messages,
        plan.row_step,
        plan.shuffle_cost.key,
        plan.packed,
        _MODES.index(message.mode),
        message.blocks,
        -message.rows,
    )
