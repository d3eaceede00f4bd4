"""How many blocks run side by side on a multiprocessor of compute capability 9.0.

The figures are from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; shared memory
in bytes.
"""

from __future__ import annotations

MULTIPROCESSOR_BYTES = 228 << 10
RESERVED_BYTES = 1 << 10
"""What the system keeps of each block's share ("Shared Memory 9.x")."""

BLOCK_BYTES = MULTIPROCESSOR_BYTES - RESERVED_BYTES
"""The most that a block may have."""

THREAD_REGISTERS = 255
"""The most that a thread may have, 32 bits each."""

FULL_BLOCK_WARPS = 8
"""Warps that take all 65536 registers of a multiprocessor where each thread has the most it may."""


def blocks_by_registers(warps: int) -> int:
    """The blocks that have registers, where each thread takes the most it may."""
    return max(1, FULL_BLOCK_WARPS // warps)


def resident_blocks(warps: int, shared_bytes: int) -> int:
    """The blocks that have registers, by `blocks_by_registers`, and this much shared memory."""
    return min(blocks_by_registers(warps), MULTIPROCESSOR_BYTES // (shared_bytes + RESERVED_BYTES))


def spare_bytes(warps: int) -> int:
    """The shared memory that a block may take without keeping others out that have registers."""
    return MULTIPROCESSOR_BYTES // blocks_by_registers(warps) - RESERVED_BYTES
