"""Intel's Xe GPUs that have 2D block messages: limits of memory and registers, one table row per target.

Sources: [OCL] cl_intel_subgroup_2d_block_io 1.1.0, [SPV] SPV_INTEL_2d_block_io, [GEN] the verifier of Intel's TritonGEN
dialect (TritonGENOps.cpp). Where they differ, the stricter one is taken. Sizes of groups are those that the devices
report (Level Zero: subGroupSizes, maxTotalGroupSize). Which messages are legal is in dotload.layout.xe_messages.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotload.layout.block_message import Message
from dotload.layout.xe_messages import MAX_ROW_BITS, MAX_ROWS, Emit, legal_forms

__all__ = ["TARGETS", "TARGET_ALIASES", "Emit", "XeTarget", "find_target"]


@dataclass(frozen=True)
class XeTarget:
    """The limits of one GPU generation. Sizes of memory are in bytes, heights in rows."""

    name: str
    description: str
    max_row_bytes: int = MAX_ROW_BITS // 8  # [OCL]: columns x blocks of one message
    max_rows: int = MAX_ROWS
    min_width_bytes: int = 64  # [OCL], [SPV]
    min_pitch_bytes: int = 64  # [GEN]
    pitch_multiple_bytes: int = 16  # [OCL]; [SPV] would allow 8
    max_extent: int = 1 << 24  # [OCL]: width and pitch in bytes, height in rows
    base_multiple_bytes: int = 64  # [OCL]: address of the surface; a module may say that its device takes less
    x_multiple_bytes: int = 4  # [OCL]: x is a multiple of 4 8-bit or of 2 16-bit elements
    width_multiple_bytes: int = 4  # [OCL]
    registers: tuple[int, ...] = (128, 256)  # of GRF_BYTES: the sizes of a thread's register file
    subgroup_sizes: tuple[int, ...] = (16, 32)  # lanes; a row of DPAS has 16 elements, 32 lanes hold two rows
    max_lanes: int = 1024  # of a work-group

    def messages(self, emit: Emit, subgroup_size: int) -> tuple[Message, ...]:
        """The legal messages for this spelling and subgroup size, in no order of merit: so far the same for all."""
        return legal_forms(emit, subgroup_size)

    def group_problem(self, warps: int, lanes: int) -> str | None:
        """Why no work-group of so many subgroups of so many lanes runs; None if one does."""
        if lanes not in self.subgroup_sizes:
            return f"a subgroup of {self.name} has {' or '.join(map(str, self.subgroup_sizes))} lanes, not {lanes}"
        if warps * lanes > self.max_lanes:
            most = f"at most {self.max_lanes} lanes, which is {self.max_lanes // lanes} subgroups of {lanes}"
            return f"a work-group of {self.name} has {most}, not {warps}"
        return None


# Xe2 and Xe3 share the message shapes: Intel's backend has no separate code path for them. Xe3P: the base alignment
# comes from that backend's device queries (ttig.2d_block_io_base_alignment), and 512 registers are a choice of its
# compiler (issue 7442).
TARGETS = {
    target.name: target
    for target in (
        XeTarget("pvc", "Data Center GPU Max (Ponte Vecchio, Xe-HPC)"),
        XeTarget("xe2", "Arc B-series (Battlemage), Xe2"),
        XeTarget("lnl", "Lunar Lake, Xe2"),
        XeTarget("xe3", "Panther Lake, Xe3"),
        XeTarget("xe3p", "Crescent Island, Xe3P", base_multiple_bytes=4, registers=(128, 256, 512)),
    )
}
TARGET_ALIASES = {"bmg": "xe2", "ptl": "xe3", "cri": "xe3p"}


def find_target(name: str) -> XeTarget:
    """The target called `name`, case-insensitively; ValueError that lists them all otherwise."""
    key = name.lower()
    key = TARGET_ALIASES.get(key, key)
    if key not in TARGETS:
        raise ValueError(f"unknown Xe target '{name}'; known are {', '.join([*TARGETS, *TARGET_ALIASES])}")
    return TARGETS[key]
