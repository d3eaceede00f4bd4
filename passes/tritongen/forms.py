"""The possible spellings of a 2D block message: SPIR-V's builtins, or the intrinsics of GenISA (IGC's own)."""

from __future__ import annotations

from enum import Enum

from xdsl.dialects.builtin import ModuleOp

from dotload.dialect_ext.triton_gen import BlockLoad2DOp, BlockMessageOp, BlockPrefetch2DOp
from dotload.dialect_ext.triton_gen_verify import subgroup_size
from dotload.layout.block_prefetch import NOT_IN_SPIRV

LTS_DRIVER = "ttig.is_lts"
BASE_ALIGNMENT = "ttig.2d_block_io_base_alignment"
SPIRV_SUBGROUP_SIZE = 16


class Spelling(Enum):
    """How messages are called. `AUTO`: by SPIR-V's builtins if they exist."""

    AUTO = "auto"
    SPIRV = "spirv"
    GENISA = "genisa"


# (element bits, rows, columns) of a block that SPV_INTEL_2d_block_io lists as invalid.
_NO_LOAD = {(64, 2, 8), (64, 4, 4), (32, 4, 4)}
_NO_STORE = {(bits, rows, columns) for bits in (16, 32, 64) for rows, columns in ((2, 8), (4, 4))}


def spirv_obstacle(op: BlockMessageOp, module: ModuleOp) -> str | None:
    """Why SPIR-V has no builtin for a message; None if it has one."""
    bits, rows, columns, blocks = (
        attr.value.data for attr in (op.elem_size_in_bits, op.tile_height, op.tile_width, op.v_blocks)
    )
    shape = f"{bits}b_{rows}r{columns}x{blocks}c"
    if LTS_DRIVER in module.attributes:
        return f"the LTS driver ({LTS_DRIVER}) does not have the builtins"
    if isinstance(op, BlockPrefetch2DOp):
        return f"SPV_INTEL_2d_block_io has no prefetch of {shape}" if (bits, columns) in NOT_IN_SPIRV else None
    if (lanes := subgroup_size(op)) != SPIRV_SUBGROUP_SIZE:
        return f"the builtins are for subgroups of {SPIRV_SUBGROUP_SIZE} lanes, this one has {lanes}"
    refused = _NO_LOAD if isinstance(op, BlockLoad2DOp) else _NO_STORE
    if blocks == 1 and (bits, rows, columns) in refused:
        access = "load" if isinstance(op, BlockLoad2DOp) else "store"
        return f"SPV_INTEL_2d_block_io has no {access} of {shape}"
    return None
