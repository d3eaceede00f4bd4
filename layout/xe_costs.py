"""Costs of the forms of a load on Xe, to decide whether two forms under a branch pay.

Times are of a whole matrix product, relative to one whose operands are all loaded by 2D block messages.
"""

from __future__ import annotations

from dataclasses import dataclass

SPECIALIZED = 16
"""Triton specialises a kernel for integer arguments and addresses that are multiples of this: an argument without
`tt.divisibility` is not a multiple (triton/runtime/jit.py)."""


@dataclass(frozen=True)
class Costs:
    """`gathered`: time of the product with a gathered operand; `branch`: added time of a branch around its messages;
    `chance`: the probability that an unknown number is the multiple that it should be."""

    gathered: float
    branch: float
    chance: float


OF_DPAS = Costs(
    # A^T x B, with A gathered, runs at 19.4 % of oneDNN's speed, A x B at 79.8 % (intel-xpu-backend-for-triton issue
    # 2354, Data Center GPU Max 1100, February 2025).
    gathered=79.8 / 19.4,
    # 729 instructions instead of 582 with two messages in branches: the most expensive case measured, in a kernel that
    # is mostly loads (docs/passes/lower_to_2d_block_load.md, pvc).
    branch=729 / 582 - 1,
    # Not measured: an unknown number is as likely a multiple as not.
    chance=0.5,
)
"""Costs for operands and results of the matrix unit, which a gather reads one element at a time."""


def pays(costs: Costs, *, unknown: int) -> bool:
    """Whether a branch between block messages and a gather is cheaper than the gather alone, on average. `unknown`: how
    many unknown numbers the branch depends on."""
    saved = costs.chance**unknown * (costs.gathered - 1)
    return saved > costs.branch


def may_be_multiple(of: int, *, specialized: bool) -> bool:
    """Whether a number not known to be a multiple of `of` may be one. `specialized`: Triton has specialised on it."""
    return not specialized or of < SPECIALIZED
