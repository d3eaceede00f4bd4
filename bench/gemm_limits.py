"""The bottleneck of a GEMM: cycles of the tensor pipe and of shared memory, by arithmetic and by ncu.

    python bench/gemm_limits.py      # needs a Hopper GPU and ncu

For each kernel, per multiprocessor and step of its loop (BLOCK_K of one tile of the result): the cycles that the tensor
pipe must be busy, the wavefronts that shared memory must move, at one per cycle, and the cycles that a step took.
Wavefronts by arithmetic are those of the loop, without bank conflicts; counted ones include the epilogue's.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import gemm
import triton
from counters import count
from gemm import Case
from gemm_orders import compile_case

WAVEFRONT_BYTES = 128
MULTIPLIED = {8: 4096, 32: 1024}
"""Bits of an element -> dense multiply-adds of a multiprocessor's tensor cores per cycle (H100 white paper, table of
peak rates over multiprocessors and clock)."""

CYCLES = "sm__cycles_elapsed.max"
TENSOR = "sm__pipe_tensor_cycles_active.sum"
BY_ALL_BUT_COPIES = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
BY_WGMMA = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"
METRICS = (CYCLES, TENSOR, BY_ALL_BUT_COPIES, BY_WGMMA)
PARTITIONS = 4
"""Partitions of a multiprocessor, each with a tensor core; the counter of the tensor pipe is their sum."""


@dataclass(frozen=True)
class Kernel:
    """A kernel and its m = n = k; the operand that wgmma takes from registers, and the one copied K-major."""

    case: Case
    flavour: str
    size: int
    in_registers: str = ""
    copied: str = ""

    def wavefronts(self) -> dict[str, float]:
        """Shared-memory wavefronts of a step: for asynchronous copies, for threads, for wgmma."""
        case, element = self.case, gemm.KINDS[self.case.kind].bits // 8
        tiles = {"a": case.block_m * case.block_k * element, "b": case.block_n * case.block_k * element}
        rows = case.block_n if self.in_registers == "b" else case.block_m
        shared = [name for name in tiles if name != self.in_registers]
        # wgmma reads its B once for every 64 rows of A, and its A once.
        first = "b" if self.in_registers == "b" else "a"
        wgmma = sum(tiles[name] * (1 if name == first else rows // 64) for name in shared)
        threads = sum(tiles[name] for name in (self.in_registers, self.copied, self.copied) if name)
        moved = {"copies": sum(tiles.values()), "threads": threads, "wgmma": wgmma}
        return {name: amount / WAVEFRONT_BYTES for name, amount in moved.items()}

    def tensor_cycles(self) -> float:
        """Cycles that the tensor pipe is busy in a step."""
        case = self.case
        return case.block_m * case.block_n * case.block_k / MULTIPLIED[gemm.KINDS[case.kind].bits]

    def steps(self) -> int:
        """Steps of all blocks."""
        case = self.case
        return (self.size // case.block_m) * (self.size // case.block_n) * (self.size // case.block_k)


KERNELS = (
    Kernel(Case("fp8", "rc", 256, 128, 128, 8, 4), "stock", 8192),
    Kernel(Case("fp8", "cr", 256, 128, 128, 8, 3), "dotload", 8192, "a", "b"),
    Kernel(Case("fp8", "cr", 128, 256, 128, 8, 3, descriptors=True), "dotload", 8192, "b", "a"),
    Kernel(Case("tf32", "rc", 128, 256, 32, 8, 3, descriptors=True), "stock", 4096),
    Kernel(Case("tf32", "cr", 256, 128, 32, 8, 3, descriptors=True), "dotload", 4096, "a", "b"),
)


def launch(kernel: Kernel) -> None:
    """Run it twice: the second launch counts."""
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    size = kernel.size
    a, b, c = gemm.tensors(kernel.case.kind, kernel.case.orders, size, size, size)
    compiled = compile_case(kernel.case, kernel.flavour)
    for _ in range(2):
        kernel.case.launch(compiled, a, b, c)


def row(index: int, multiprocessors: int) -> str:
    """One row of the table."""
    kernel = KERNELS[index]
    *_, found = count([sys.executable, __file__, "--launch", str(index)], METRICS, "matmul")
    steps, wavefronts = kernel.steps(), kernel.wavefronts()
    took = found[CYCLES] * multiprocessors / steps
    cells = [
        f"{kernel.case.kind} {kernel.case.orders}{' TMA' if kernel.case.descriptors else ''} {kernel.flavour}",
        kernel.case.tile,
        f"{kernel.tensor_cycles():.0f}",
        f"{found[TENSOR] / PARTITIONS / steps:.0f}",
        " + ".join(f"{amount:.0f}" for amount in wavefronts.values()) + f" = {sum(wavefronts.values()):.0f}",
        f"{(found[BY_ALL_BUT_COPIES] - found[BY_WGMMA]) / steps:.0f} + {found[BY_WGMMA] / steps:.0f}",
        f"{took:.0f}",
        f"{kernel.tensor_cycles() / took:.2f}",
        f"{sum(wavefronts.values()) / took:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--launch", type=int, help="only run kernel number N, for ncu")
    options = parser.parse_args()
    if options.launch is not None:
        launch(KERNELS[options.launch])
        return
    import torch

    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    print(f"{torch.cuda.get_device_name()}, cycles and wavefronts a step and multiprocessor")
    print(
        "| kernel | tile | tensor pipe | counted | shared memory: copies + threads + wgmma | counted: threads + wgmma "
        "| took | tensor pipe busy | shared memory busy |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for index in range(len(KERNELS)):
        print(row(index, multiprocessors), flush=True)


if __name__ == "__main__":
    main()
