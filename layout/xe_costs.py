"""What a load costs on Xe in each of its forms, for the choice whether two of them under a branch pay.

Times are of a whole matrix product, relative to one whose operands are all loaded by 2D block messages.
"""

from __future__ import annotations

from dataclasses import dataclass

SPECIALIZED = 16
"""Triton compiles a kernel anew for integer arguments that are multiples of this, and for addresses: what it has not
marked is none (triton/runtime/jit.py, `tt.divisibility`)."""


@dataclass(frozen=True)
class Costs:
    """`gathered`: the product with an operand that is gathered; `branch`: what a branch round its messages adds;
    `chance`: how often a number of which nothing is known is the multiple that it should be."""

    gathered: float
    branch: float
    chance: float


OF_DPAS = Costs(
    # A^T x B, whose A is gathered, at 19.4 % of oneDNN's speed, A x B at 79.8 % (intel-xpu-backend-for-triton issue
    # 2354, Data Center GPU Max 1100, February 2025).
    gathered=79.8 / 19.4,
    # 729 instructions instead of 582 with two messages in branches, the dearest case that was measured, of a kernel
    # that is little but its loads (docs/passes/lower_to_2d_block_load.md, pvc).
    branch=729 / 582 - 1,
    # Not measured: nothing is known, so as likely as not.
    chance=0.5,
)
"""Of operands and results of the matrix unit, which a gather reads an element at a time."""


def pays(costs: Costs, *, unknown: int) -> bool:
    """Whether a branch between block messages and a gather is less than the gather alone, on average. `unknown`: the
    numbers of which the branch depends."""
    saved = costs.chance**unknown * (costs.gathered - 1)
    return saved > costs.branch


def may_be_multiple(of: int, *, specialized: bool) -> bool:
    """Whether a number that is not known to be a multiple may be one. `specialized`: Triton has looked at it."""
    return not specialized or of < SPECIALIZED
