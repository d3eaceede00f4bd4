"""Triton's compile options, as far as the commands take them: an absurd number is refused, since Triton would use up
all memory."""

from __future__ import annotations

LARGEST = {"num_warps": 64, "num_stages": 64, "num_ctas": 16, "maxnreg": 1024}
"""Above any GPU's warps per block, blocks per cluster and registers per thread; stages are the pipeliner's buffers."""

SMALLEST = {"num_stages": 0, "maxnreg": 1}
POWERS_OF_TWO = ("num_warps", "num_ctas")

AMD_ARCHITECTURE = r"gfx\d{1,2}[0-9a-f]{2}"
"""gfx942, gfx90a, gfx1100: the major version, then minor version and stepping of one digit each."""


def refusal(name: str, value: int) -> str | None:
    """The error in an option's value; None if the value is left to Triton."""
    flag = f"--{name.replace('_', '-')}={value}"
    if name in POWERS_OF_TWO and (value < 1 or value & (value - 1)):
        return f"{flag}: expected a power of two"
    if value < SMALLEST.get(name, value):
        return f"{flag} is too small: at least {SMALLEST[name]}"
    largest = LARGEST.get(name)
    if largest is None or value <= largest:
        return None
    return f"{flag} is too large: at most {largest}"
