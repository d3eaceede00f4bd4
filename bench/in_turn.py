"""The time of a launch among others of the same kernel, each on tensors of its own, as the layers of a model follow.

triton.testing.do_bench zeroes 256 MB before each launch, so that L2 is full of lines that are not written back yet.
A kernel that memory limits then writes them back in its own time. Launched in turn, it finds there what others read.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

CYCLES_AHEAD = 2_000_000
"""The GPU waits that long before the first launch, so that it never waits for the CPU to launch the next."""
REPEATS = 5


def time_in_turn(launches: Sequence[Callable[[], None]], milliseconds: float) -> float:
    """Milliseconds a launch: the median of some runs of about this length in all."""
    import torch

    def run(count: int) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(CYCLES_AHEAD)
        start.record()
        for place in range(count):
            launches[place % len(launches)]()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / count

    run(len(launches))
    count = max(len(launches), round(milliseconds / REPEATS / run(len(launches))))
    return statistics.median(run(count) for _ in range(REPEATS))
