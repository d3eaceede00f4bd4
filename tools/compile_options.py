"""Triton's options of a compilation, as far as the commands take them: a number that cannot be meant is refused, where
Triton would take all memory that there is."""

from __future__ import annotations

LARGEST = {"num_warps": 64, "num_stages": 64, "num_ctas": 16, "maxnreg": 1024}
"""More than any GPU has registers a thread, warps a block or blocks a cluster; stages are the pipeliner's buffers."""


POWERS_OF_TWO = ("num_warps", "num_ctas")


def refusal(name: str, value: int) -> str | None:
    """What is wrong with an option's value; None where Triton may judge it."""
    flag = f"--{name.replace('_', '-')}={value}"
    if name in POWERS_OF_TWO and (value < 1 or value & (value - 1)):
        return f"{flag}: expected a power of two"
    largest = LARGEST.get(name)
    if largest is None or value <= largest:
        return None
    return f"{flag} is too large: at most {largest}"
