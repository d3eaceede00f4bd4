"""The choice among the plans for a load.

Memory delivers cache lines of 64 bytes. A row of a message, of at most 64 bytes, takes a whole line however little of
it is wanted. If warps alternate along a row, each warp's part of it is narrow, and there are two ways to read two
parts that are 32 bytes apart:

    two messages of R rows of 16 bytes      2 R lines, the whole payload is wanted
    one message of R rows of 64 bytes       R lines, half of the payload stays unread

The second is chosen if the unread part takes few registers. They are free again as soon as the message has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dotload.layout.block_message import GRF_BYTES, Mode

if TYPE_CHECKING:
    from dotload.layout.block_load import BlockLoadPlan

SPARE_BYTES = 128 * GRF_BYTES // 8
"""The most unread bytes of a load's messages: an eighth of the smallest register file that a thread can have."""

_MODES = (Mode.PLAIN, Mode.TRANSFORM, Mode.TRANSPOSE)


def best_plan(plans: Sequence[BlockLoadPlan]) -> BlockLoadPlan:
    """The plan with the smallest payload, then the fewest messages, then the cheapest permutation; or one with fewer
    messages that reads half as many lines, if its unread bytes are within the request's `spare_bytes`.
    """
    tight = min(plans, key=_preference)
    if not tight.request.spare_bytes:
        return tight
    fewer = [plan for plan in plans if plan.messages < tight.messages and _saves_lines(plan, tight)]
    return min(fewer, key=lambda plan: (plan.messages, _preference(plan)), default=tight)


def _saves_lines(plan: BlockLoadPlan, tight: BlockLoadPlan) -> bool:
    """Whether the plan has half the rows or less: it reads no more lines even if each row lies across two."""
    unread = plan.payload_bytes - tight.payload_bytes
    return 2 * plan.rows <= tight.rows and unread <= plan.request.spare_bytes


def _preference(plan: BlockLoadPlan) -> tuple[object, ...]:
    """Least waste, fewest messages, adjacent rows, cheapest permutation, then the plainest form; the rest only makes
    the choice deterministic."""
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
