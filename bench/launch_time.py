"""The time that Python takes to launch a kernel, stock and with dotload on.

    python bench/launch_time.py     # needs an NVIDIA GPU and PyTorch

Triton asks dotload for a key at each launch. The kernel does nothing, and the GPU is never behind. A block `with
dotload.enabled()` around each launch costs more than `dotload.enable()` at the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import triton

import dotload

LAUNCHES = 5000
ROUNDS = 5


@triton.jit
def nothing(a_ptr, size):
    pass


def microseconds(launch: Callable[[], object]) -> float:
    """The time of a launch, the least of several rounds."""
    import torch

    rounds: list[float] = []
    for _ in range(ROUNDS):
        launch()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        rounds.append(time.perf_counter() - start)
    return min(rounds) / LAUNCHES * 1e6


def main() -> None:
    """Print a line for each way."""
    import torch

    tensor = torch.zeros(1, device="cuda")

    def launch() -> None:
        nothing[(1,)](tensor, 16)

    def launch_in_block() -> None:
        with dotload.enabled():
            launch()

    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, microseconds a launch")
    print(f"stock                    {microseconds(launch):6.1f}")
    dotload.enable()
    print(f"dotload.enable()         {microseconds(launch):6.1f}")
    dotload.disable()
    print(f"with dotload.enabled():  {microseconds(launch_in_block):6.1f}")


if __name__ == "__main__":
    main()
