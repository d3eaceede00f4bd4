"""What Intel's Xe GPUs can load with one 2D block message: limits and legal forms, one table row per target.

Sources: [OCL] cl_intel_subgroup_2d_block_io 1.1.0, [SPV] SPV_INTEL_2d_block_io, [GEN] the verifier of Intel's TritonGEN
dialect (TritonGENOps.cpp). Where they differ, the stricter one is taken.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from dotload.layout.block_message import Message, Mode


class Emit(enum.Enum):
    """The three ways to spell a 2D block load; each has its own set of legal forms."""

    TRITON_GEN = "triton-gen"
    SPIRV = "spirv"
    OPENCL = "opencl"


@dataclass(frozen=True)
class FormTable:
    """A block of legal forms: every combination of these columns (message elements), rows and blocks."""

    mode: Mode
    element_bits: int
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    blocks: tuple[int, ...]

    def messages(self) -> Iterator[Message]:
        """Each form of this block."""
        for columns, rows, blocks in product(self.columns, self.rows, self.blocks):
            yield Message(self.mode, self.element_bits, rows, columns, blocks)


EVERY_ROW_COUNT = (1, 2, 4, 8, 16, 32)

# [OCL], the list of functions. There is no form for a subgroup size other than 16.
OPENCL_FORMS = (
    FormTable(Mode.PLAIN, 8, (32,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 8, (16,), (8, 16, 32), (4,)),
    FormTable(Mode.PLAIN, 16, (16,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 32, (8,), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.PLAIN, 32, (16,), EVERY_ROW_COUNT, (1,)),
    FormTable(Mode.TRANSFORM, 8, (16,), (32,), (1, 2, 4)),
    FormTable(Mode.TRANSFORM, 16, (16,), (16, 32), (1, 2)),
    FormTable(Mode.TRANSPOSE, 32, (8,), (16, 32), (1,)),
)

# [GEN]: any power of two within the limits. Wider rows than these give a lane several adjacent elements, which a
# message of wider elements does as well.
TRITON_GEN_FORMS = (
    FormTable(Mode.PLAIN, 8, (4, 8, 16, 32), EVERY_ROW_COUNT, (1, 2, 4)),
    FormTable(Mode.PLAIN, 16, (2, 4, 8, 16), EVERY_ROW_COUNT, (1, 2, 4)),
    FormTable(Mode.PLAIN, 32, (1, 2, 4, 8, 16), EVERY_ROW_COUNT, (1, 2)),
    FormTable(Mode.TRANSFORM, 8, (4, 8, 16), (4, 8, 16, 32), (1, 2, 4)),
    FormTable(Mode.TRANSFORM, 16, (2, 4, 8, 16), (2, 4, 8, 16, 32), (1, 2, 4)),
    FormTable(Mode.TRANSPOSE, 32, (1, 2, 4, 8), EVERY_ROW_COUNT, (1,)),
)

FORMS = {Emit.OPENCL: OPENCL_FORMS, Emit.SPIRV: TRITON_GEN_FORMS, Emit.TRITON_GEN: TRITON_GEN_FORMS}

# The builtins of OpenCL and SPIR-V want a full subgroup of 16 ([OCL], "Subgroup size"); Intel's own intrinsics also
# take 32, with the same payload dealt to more lanes.
SUBGROUP_SIZES = {Emit.OPENCL: (16,), Emit.SPIRV: (16,), Emit.TRITON_GEN: (16, 32)}


@dataclass(frozen=True)
class XeTarget:
    """The limits of one GPU generation. Sizes of memory are in bytes, heights in rows."""

    name: str
    description: str
    max_row_bytes: int = 64  # [OCL]: columns x blocks of one message
    max_rows: int = 32  # more returned zeros silently, see intel-xpu-backend-for-triton PR 1152
    min_width_bytes: int = 64  # [OCL], [SPV]
    min_pitch_bytes: int = 64  # [GEN]
    pitch_multiple_bytes: int = 16  # [OCL]; [SPV] would allow 8
    max_extent: int = 1 << 24  # [OCL]: width and pitch in bytes, height in rows
    base_multiple_bytes: int = 64  # [OCL]: address of the surface
    x_multiple_bytes: int = 4  # [OCL]: x is a multiple of 4 8-bit or of 2 16-bit elements
    width_multiple_bytes: int = 4  # [OCL]
    native_fp8: bool = False  # DPAS on 8-bit floats; without, they are upcast after the load
    block_io: bool = True
    tolerates_odd_pitch: bool = field(default=False, kw_only=True)  # see intel-xpu-backend-for-triton issue 8154

    def messages(self, emit: Emit, subgroup_size: int) -> tuple[Message, ...]:
        """The legal messages for this spelling and subgroup size, in no order of merit."""
        if not self.block_io or subgroup_size not in SUBGROUP_SIZES[emit]:
            return ()
        forms = (message for table in FORMS[emit] for message in table.messages())
        return tuple(message for message in forms if self.allows(message, subgroup_size))

    def allows(self, message: Message, subgroup_size: int) -> bool:
        """Whether one message of this form fits the hardware and leaves no lane without data."""
        return (
            message.row_bytes <= self.max_row_bytes
            and message.rows <= self.max_rows
            and (message.blocks == 1 or not message.has_padding)
            and message.fills(subgroup_size)
        )


# Xe2 and Xe3 share the message shapes: Intel's backend has no separate code path for them.
TARGETS = {
    target.name: target
    for target in (
        XeTarget("pvc", "Data Center GPU Max (Ponte Vecchio, Xe-HPC)", tolerates_odd_pitch=True),
        XeTarget("xe2", "Arc B-series (Battlemage) and Lunar Lake, Xe2"),
        XeTarget("xe3", "Panther Lake, Xe3"),
    )
}
TARGET_ALIASES = {"bmg": "xe2", "lnl": "xe2", "ptl": "xe3"}


def find_target(name: str) -> XeTarget:
    """The target called `name`, case-insensitively; ValueError that lists them all otherwise."""
    key = name.lower()
    key = TARGET_ALIASES.get(key, key)
    if key not in TARGETS:
        raise ValueError(f"unknown Xe target '{name}'; known are {', '.join([*TARGETS, *TARGET_ALIASES])}")
    return TARGETS[key]


def find_emit(name: str) -> Emit:
    """The spelling called `name`; ValueError that lists them all otherwise."""
    for emit in Emit:
        if emit.value == name.lower():
            return emit
    known = ", ".join(emit.value for emit in Emit)
    raise ValueError(f"'{name}' is not a way to emit a 2D block load; known are {known}")
