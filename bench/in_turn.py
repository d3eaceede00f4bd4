"""The time of a launch among others of the same kernel, each on its own tensors, like successive layers of a model.

triton.testing.do_bench zeroes 256 MB before each launch, so that L2 is full of dirty lines. A memory-bound kernel then
pays for writing them back. Launched in turn, it finds in L2 the data that others read.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

CYCLES_AHEAD = 2_000_000
"""The GPU waits this long before the first launch, so that later launches never wait for the CPU."""
REPEATS = 5


def time_in_turn(launches: Sequence[Callable[[], None]], milliseconds: float) -> float:
    """Milliseconds per launch: the median of some runs of about this total length."""
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
