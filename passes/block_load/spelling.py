"""The three spellings of a 2D block load message in LLVM-dialect IR.

    triton-gen   triton_gen.2Dblockload, for Intel's convert-tritongen-to-llvm
    spirv        __spirv_Subgroup2DBlockLoad*INTEL, as SPV_INTEL_2d_block_io names them
    opencl       intel_sub_group_2d_block_read_*, the functions of cl_intel_subgroup_2d_block_io

The functions write to private memory, from which the result is loaded as a vector. Names are mangled by the Itanium
ABI: PU3AS1v is a pointer to void in address space 1 (global memory), Dv2_i a vector of two ints.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerType, VectorType, i32
from xdsl.dialects.llvm import LoadOp
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.triton_gen import BlockLoad2DOp
from dotload.layout.block_message import Message, Mode
from dotload.layout.xe_targets import Emit
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import vector_type

SURFACE_ARGUMENTS = "PU3AS1viiiDv2_i"  # base, width, height, pitch, coordinates
RESULT_CODES = {8: "h", 16: "t", 32: "j"}  # uchar, ushort, uint
OPENCL_SUBGROUP_SIZE = 16
SPIRV_NAMES = {
    Mode.PLAIN: "__spirv_Subgroup2DBlockLoadINTEL",
    Mode.TRANSFORM: "__spirv_Subgroup2DBlockLoadTransformINTEL",
    Mode.TRANSPOSE: "__spirv_Subgroup2DBlockLoadTransposeINTEL",
}
SUBGROUP_ID = "_Z16get_sub_group_id"
LANE_ID = "_Z22get_sub_group_local_id"
SHUFFLE_XOR_32 = "_Z21sub_group_shuffle_xorjj"  # uint sub_group_shuffle_xor(uint value, uint mask)
SHUFFLE_64 = "_Z17sub_group_shufflelj"  # long sub_group_shuffle(long value, uint lane)


@dataclass(frozen=True)
class Surface:
    """The memory that messages read from: address, width and pitch in bytes, height in rows."""

    base: SSAValue
    width: SSAValue
    height: SSAValue
    pitch: SSAValue


def opencl_symbol(message: Message) -> str:
    """The mangled name of the OpenCL function."""
    shape = f"{message.element_bits}b_{message.rows}r{message.columns}x{message.blocks}c"
    name = f"intel_sub_group_2d_block_read{message.mode.value}_{shape}"
    return f"_Z{len(name)}{name}{SURFACE_ARGUMENTS}P{RESULT_CODES[message.result_bits(OPENCL_SUBGROUP_SIZE)]}"


def spirv_symbol(mode: Mode) -> str:
    """The mangled name of the SPIR-V friendly function."""
    name = SPIRV_NAMES[mode]
    return f"_Z{len(name)}{name}iiii{SURFACE_ARGUMENTS}Pv"


def result_type(message: Message, subgroup_size: int) -> VectorType[Attribute]:
    """The vector that a lane receives."""
    return vector_type(message.result_elements(subgroup_size), IntegerType(message.result_bits(subgroup_size)))


def emit_message(
    builder: LLVMBuilder, emit: Emit, message: Message, subgroup_size: int, surface: Surface, x: SSAValue, y: SSAValue
) -> SSAValue:
    """One message at column `x` (message elements) and row `y`; the vector that a lane receives."""
    result = result_type(message, subgroup_size)
    if emit is Emit.TRITON_GEN:
        return builder.insert(
            BlockLoad2DOp(
                surface.base,
                surface.width,
                surface.height,
                surface.pitch,
                x,
                y,
                result,
                elem_size_in_bits=message.element_bits,
                tile_width=message.columns,
                tile_height=message.rows,
                v_blocks=message.blocks,
                transpose=message.mode is Mode.TRANSPOSE,
                vnni_transform=message.mode is Mode.TRANSFORM,
            )
        )
    room = builder.entry.alloca(result.get_shape()[0], result.element_type)
    arguments = [surface.base, surface.width, surface.height, surface.pitch, builder.vector([x, y]), room]
    if emit is Emit.OPENCL:
        builder.call_void(opencl_symbol(message), arguments)
    else:
        sizes = (message.element_bytes, message.columns, message.rows, message.blocks)
        builder.call_void(spirv_symbol(message.mode), [*map(builder.constant, sizes), *arguments])
    return builder.insert(LoadOp(room, result))


def subgroup_id(builder: LLVMBuilder, emit: Emit) -> SSAValue:
    """The number of the warp in its work group, as i32."""
    if emit is Emit.TRITON_GEN:
        return builder.insert(arith.IndexCastOp(builder.insert(gpu.SubgroupIdOp()), i32))
    return builder.entry.once(SUBGROUP_ID, i32)
