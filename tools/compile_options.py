"""Triton's options of a compilation, as far as the commands take them: a number that cannot be meant is refused, where
Triton would take all memory that there is."""

from __future__ import annotations

LARGEST = {"num_warps": 64, "num_stages": 64, "num_ctas": 16, "maxnreg": 1024}
"""More than any GPU has registers a thread, warps a block or blocks a cluster; stages are the pipeliner's buffers."""


def refusal(name: str, value: int) -> str | None:
    """What is wrong with an option's value; None where Triton may judge it."""
    largest = LARGEST.get(name)
    if largest is None or value <= largest:
        return None
    return f"--{name.replace('_', '-')}={value} is too large: at most {largest}"
