"""Times of launches, in milliseconds, that are among other launches on the GPU.

`medians_in_turn` compares kernels. A GPU runs at a higher clock after it has rested, or after a kernel that takes less
power, so each kernel is launched after each other one.

`time_in_turn` times one kernel, each launch on its own tensors, like successive layers of a model.
triton.testing.do_bench zeroes 256 MB before each launch, so that L2 is full of dirty lines. A memory-bound kernel then
pays for writing them back. Launched in turn, it finds in L2 the data that others read.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)

LAUNCHES = 10
L2_BYTES = 256 << 20
"""As triton.testing.do_bench writes before each launch."""
CYCLES_AHEAD = 2_000_000
"""The GPU waits this long before the first launch, so that later launches never wait for the CPU."""
REPEATS = 5


def medians_in_turn(launches: Mapping[Key, Callable[[], None]], rounds: int) -> dict[Key, float]:
    """Median milliseconds of each launch.

    A round launches each one LAUNCHES times, in turn, in a new order each time, and with L2 full of other data.
    """
    import torch

    other_data = torch.empty(L2_BYTES, dtype=torch.int8, device="cuda")
    order = random.Random(0)
    events: dict[Key, list[tuple[Any, Any]]] = defaultdict(list)
    for _ in range(LAUNCHES * (rounds + 1)):  # the first round warms up
        for key in order.sample(list(launches), len(launches)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            other_data.zero_()
            start.record()
            launches[key]()
            end.record()
            events[key].append((start, end))
    torch.cuda.synchronize()
    return {
        key: statistics.median(start.elapsed_time(end) for start, end in pairs[LAUNCHES:])
        for key, pairs in events.items()
    }


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
