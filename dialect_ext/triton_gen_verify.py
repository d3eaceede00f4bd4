"""Legality of the `triton_gen` ops, in the words of Intel's verifier (TritonGENOps.cpp).

Limits: cl_intel_subgroup_2d_block_io 1.1.0, "Restrictions"; vISA LSC_UNTYPED for tile shapes; vISA DPAS for operands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.typed import as_vector, number_of
from dotload.dialect_ext.types import element_bits

if TYPE_CHECKING:
    from dotload.dialect_ext.triton_gen import BlockLoad2DOp, BlockMessageOp, DpasOp

MIN_WIDTH_BYTES = MIN_PITCH_BYTES = 64
MAX_EXTENT = 1 << 24  # of width and pitch in bytes, of height in rows
PITCH_MULTIPLE_BYTES = 16
MAX_ROW_BITS = 512  # one row of all tiles of a message: 64 bytes
DEFAULT_SUBGROUP_SIZE = 16

# Element bits -> smallest and largest tile width in elements.
TILE_WIDTHS = {8: (4, 64), 16: (2, 32), 32: (1, 16), 64: (1, 8)}
# Element bits -> most tiles in a message.
MAX_BLOCKS = {8: 4, 16: 4, 32: 2, 64: 1}


def constant_value(value: SSAValue) -> int | None:
    """The integer that a constant op defines, None for anything else."""
    op = value.owner
    if isinstance(op, Operation) and op.name in ("arith.constant", "llvm.mlir.constant"):
        return number_of(op.properties.get("value", op.attributes.get("value")))
    return None


def subgroup_size(op: Operation) -> int:
    """Lanes of a subgroup as the module around `op` has it; 16 where it says nothing."""
    parent = op.parent_op()
    while parent is not None:
        for name in ("ttg.threads-per-warp", "triton_gpu.threads-per-warp"):
            if (size := number_of(parent.attributes.get(name))) is not None:
                return size
        parent = parent.parent_op()
    return DEFAULT_SUBGROUP_SIZE


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise VerifyException(message)


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def verify_block_message(op: BlockMessageOp, *, min_height: int, max_height: int, max_blocks: int) -> None:
    """The region of memory (where its description is constant) and the shape of the tiles."""
    bits = op.elem_size_in_bits.value.data
    width, height, pitch, x = (constant_value(v) for v in (op.base_width, op.base_height, op.base_pitch, op.x))
    if width is not None:
        _require(width >= MIN_WIDTH_BYTES, f"2nd operand (base width) should be >= {MIN_WIDTH_BYTES}")
        _require(width <= MAX_EXTENT, "2nd operand (base width) should be <= 2^24")
        aligned = max(4, bits // 8)
        _require(
            width % aligned == 0, f"2nd operand (base width) should be aligned to MAX(4, element_size) = {aligned}"
        )
    if height is not None:
        _require(height <= MAX_EXTENT, "3rd operand (base height) should be <= 2^24")
    if pitch is not None:
        _require(pitch >= MIN_PITCH_BYTES, f"4th operand (base pitch) should be >= {MIN_PITCH_BYTES}")
        _require(pitch <= MAX_EXTENT, "4th operand (base pitch) should be <= 2^24")
        _require(
            pitch % PITCH_MULTIPLE_BYTES == 0,
            f"4th operand (base pitch) should be a multiple of {PITCH_MULTIPLE_BYTES} bytes",
        )
        if width is not None:
            _require(pitch >= width, "4th operand (base pitch) should be >= 2nd operand (base width)")
    _verify_tile(op, bits, min_height, max_height, max_blocks)
    multiple = 32 // bits
    if x is not None and multiple > 1:
        _require(x % multiple == 0, f"5th operand (x) should be a multiple of {multiple} for {bits} bit elements")


def _verify_tile(op: BlockMessageOp, bits: int, min_height: int, max_height: int, max_blocks: int) -> None:
    rows, columns, blocks = (attr.value.data for attr in (op.tile_height, op.tile_width, op.v_blocks))
    _require(bits in TILE_WIDTHS, "expecting 'elem_size_in_bits' to be 8, 16, 32, or 64")
    for name, size in (("tile_width", columns), ("tile_height", rows), ("v_blocks", blocks)):
        _require(_is_power_of_two(size), f"expecting {name} to be a power of 2")
    _require(
        min_height <= rows <= max_height,
        f"expecting tile_height to be between {min_height} and {max_height}",
    )
    _require(blocks <= max_blocks, f"expecting v_blocks to be between 1 and {max_blocks}")
    _require(
        bits * columns * blocks <= MAX_ROW_BITS,
        f"expecting elem_size_in_bits * tile_width * v_blocks <= {MAX_ROW_BITS}",
    )
    narrowest, widest = TILE_WIDTHS[bits]
    _require(
        narrowest <= columns <= widest,
        f"expecting tile_width for {bits} bit elements to be between {narrowest} and {widest}",
    )
    _require(
        blocks <= MAX_BLOCKS[bits],
        f"v_blocks for {bits} bit elements should be less than or equal to {MAX_BLOCKS[bits]}",
    )


def verify_load_result(op: BlockLoad2DOp) -> None:
    """Transpose, VNNI transform, and the vector that a lane gets."""
    bits, rows, columns, blocks = (
        attr.value.data for attr in (op.elem_size_in_bits, op.tile_height, op.tile_width, op.v_blocks)
    )
    transpose, transform = bool(op.transpose.value.data), bool(op.vnni_transform.value.data)
    _require(not (transpose and transform), "transpose and vnni_transform are mutually exclusive")
    if transpose:
        _require(blocks == 1, "transpose is only supported for v_blocks = 1")
        _require(bits in (32, 64), "transpose is only supported for 32 and 64 bit elements")
        if bits == 32:
            _require(columns <= 8, "tile_width for 32 bit elements should be less than or equal to 8 with transpose")
        else:
            _require(
                rows == 8 and columns in (1, 2, 4),
                "64 bit elements with transpose need tile_height 8 and tile_width 1, 2 or 4",
            )
    if transform:
        _require(bits in (8, 16), "vnni_transform is only supported for 8 and 16 bit elements")
        needed = 32 // bits
        _require(rows >= needed, f"tile_height for {bits} bit elements should be at least {needed} with vnni_transform")
    _verify_result_vector(op, bits, bits * rows * columns * blocks // subgroup_size(op), transform)


def _verify_result_vector(op: BlockLoad2DOp, bits: int, expected_bits: int, transform: bool) -> None:
    element = _element(op.res.type)
    size = element_bits(element) * _length(op.res.type)
    _require(
        size == expected_bits,
        f"result size of {size} bits does not match the expected size of {expected_bits} bits",
    )
    if bits == 32 or transform:
        _require(element_bits(element) == 32, "expecting result element type to be 32 bits")


def verify_dpas(op: DpasOp) -> None:
    """Repeat count, precisions, and the vectors of a lane: rc rows of A and C, the systolic depth of 8 of B."""
    repeat = op.rc.value.data
    _require(repeat in (1, 2, 4, 8), "expecting repeat count to be 1, 2, 4, or 8")
    names = {code: name for name, code in enums.DPAS_PRECISION.cases.items()}
    pa, pb = names[op.pa.value.data], names[op.pb.value.data]
    _require(pa == pb or {pa, pb} <= {"bf8", "hf8"}, "expecting precision of matrix A and B to be the same")
    depth = 8
    lanes_per_row = subgroup_size(op) // 16 or 1
    _require(
        _length(op.c.type) in (repeat, -(-repeat // lanes_per_row)),
        "1st operand (C) should have as many elements as repeat count",
    )
    _require(
        _length(op.a.type) in (repeat, -(-repeat // 2)),
        "2nd operand (A) should have repeat count or half as many elements",
    )
    _require(_length(op.b.type) in (depth, depth // 2), "3rd operand (B) should have 8 or 4 elements")
    accumulators = ACCUMULATORS[pa]
    _require(
        isinstance(_element(op.c.type), accumulators),
        f"1st operand (C) of element type {_element(op.c.type)} does not go with precision {pa}",
    )
    a, b = _element(op.a.type), _element(op.b.type)
    if pa == "tf32":
        _require(
            all(isinstance(e, Float32Type) or e == IntegerType(32) for e in (a, b)),
            "A and B should be vectors of f32 or i32 with precision tf32",
        )
    else:
        _require(a == IntegerType(16), "2nd operand (A) should be a vector of i16")
        _require(b == IntegerType(32), "3rd operand (B) should be a vector of i32")


ACCUMULATORS: dict[str, tuple[type[Attribute], ...]] = {
    **dict.fromkeys(("u8", "u4", "u2", "i8", "i4", "i2", "unused"), (IntegerType,)),
    "f16": (Float16Type, Float32Type),
    **dict.fromkeys(("bf16", "bf8", "hf8", "e2m1"), (BFloat16Type, Float32Type)),
    "tf32": (Float32Type,),
}


def _length(type_: Attribute) -> int:
    vector = as_vector(type_)
    return 1 if vector is None else vector.element_count()


def _element(type_: Attribute) -> Attribute:
    vector = as_vector(type_)
    return type_ if vector is None else vector.element_type
