"""NVIDIA GPUs: resources of a block and of a multiprocessor, one table row per compute capability.

Sources: [GUIDE] CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and the "Shared Memory"
sections of each capability; [PTX] PTX ISA, the target notes of the instructions. Shared memory is in bytes, a register
has 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

WARP_LANES = 32
REGISTER_BITS = 32

MAX_THREAD_REGISTERS = 255
"""[GUIDE] The most registers of a thread."""

ALL_THREAD_REGISTERS = MAX_THREAD_REGISTERS + 1
"""Registers allocated to a thread with the most registers; assumed for kernels whose registers are not known."""

UNCERTAIN_REGISTERS = 16
"""By how many registers a thread's estimated number may be too high, as in kernels by descriptors."""

MULTIPROCESSOR_REGISTERS = 65536
"""[GUIDE] The registers of a multiprocessor."""

RESERVED_BLOCK_BYTES = 1 << 10
"""[GUIDE] Shared memory that the system reserves per block, from capability 8.0 on."""


@dataclass(frozen=True)
class NvidiaTarget:
    """One compute capability, written as Triton writes it: 90 is 9.0.

    `shared_bytes`: shared memory of a multiprocessor. `max_warps`, `max_blocks`: residency limits of a multiprocessor.
    `has_wgmma`: the dot of a warpgroup reads its operands from shared memory (PTX ISA, wgmma). `transposes_bytes`:
    ldmatrix transposes matrices of 16 x 16 bytes (PTX ISA, ldmatrix, .m16n16).
    """

    capability: int
    shared_bytes: int
    max_warps: int
    max_blocks: int
    has_wgmma: bool = False
    transposes_bytes: bool = False

    @property
    def max_block_bytes(self) -> int:
        """The most shared memory that a block may have."""
        return self.shared_bytes - RESERVED_BLOCK_BYTES

    def blocks_by_registers(self, warps: int, thread_registers: int = ALL_THREAD_REGISTERS) -> int:
        """The number of resident blocks that registers allow, with `thread_registers` per thread."""
        return max(1, MULTIPROCESSOR_REGISTERS // (warps * WARP_LANES * thread_registers))

    def resident_blocks(self, warps: int, block_bytes: int, thread_registers: int = ALL_THREAD_REGISTERS) -> int:
        """The number of resident blocks with `warps` warps and `block_bytes` of shared memory each."""
        by_memory = self.shared_bytes // (block_bytes + RESERVED_BLOCK_BYTES)
        by_registers = self.blocks_by_registers(warps, thread_registers)
        return min(by_registers, by_memory, self.max_warps // warps, self.max_blocks)

    def most_registers(self, blocks: int, warps: int) -> int:
        """The most registers per thread with which this many blocks and warps are resident; allocated by eights."""
        return min(MAX_THREAD_REGISTERS, MULTIPROCESSOR_REGISTERS // (blocks * warps * WARP_LANES) // 8 * 8)

    def spare_bytes(self, warps: int, thread_registers: int = ALL_THREAD_REGISTERS) -> int:
        """The shared memory that a block may take without reducing the number of blocks that registers allow."""
        return self.shared_bytes // self.blocks_by_registers(warps, thread_registers) - RESERVED_BLOCK_BYTES


TARGETS = (
    NvidiaTarget(80, 164 << 10, 64, 32),
    NvidiaTarget(86, 100 << 10, 48, 16),
    NvidiaTarget(87, 164 << 10, 48, 16),
    NvidiaTarget(89, 100 << 10, 48, 24),
    NvidiaTarget(90, 228 << 10, 64, 32, has_wgmma=True),
    NvidiaTarget(100, 228 << 10, 64, 32, transposes_bytes=True),
    NvidiaTarget(103, 228 << 10, 64, 32, transposes_bytes=True),
    NvidiaTarget(110, 228 << 10, 48, 24, transposes_bytes=True),
    NvidiaTarget(120, 100 << 10, 48, 24, transposes_bytes=True),
    NvidiaTarget(121, 100 << 10, 48, 24, transposes_bytes=True),
)

HOPPER = next(target for target in TARGETS if target.has_wgmma)


def find_target(capability: int) -> NvidiaTarget:
    """The row of a capability, or of the nearest one below it in the table, or else the first row."""
    below = [target for target in TARGETS if target.capability <= capability]
    return below[-1] if below else TARGETS[0]
