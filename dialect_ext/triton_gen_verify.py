"""Legality of the `triton_gen` ops, in the words of Intel's verifier (TritonGENOps.cpp).

Limits: cl_intel_subgroup_2d_block_io 1.1.0, "Restrictions"; dotload.layout.xe_messages for tile shapes, the table that
the planner reads as well; vISA DPAS for operands.
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
from dotload.layout.block_message import Message, Mode
from dotload.layout.xe_messages import arrangement_problem, tile_problem

if TYPE_CHECKING:
    from dotload.dialect_ext.triton_gen import BlockLoad2DOp, BlockMessageOp, DpasOp

MIN_WIDTH_BYTES = MIN_PITCH_BYTES = 64
MAX_EXTENT = 1 << 24  # of width and pitch in bytes, of height in rows
PITCH_MULTIPLE_BYTES = 16
DEFAULT_SUBGROUP_SIZE = 16


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


def _forbid(problem: str | None) -> None:
    if problem is not None:
        raise VerifyException(problem)


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
    rows, columns, blocks = (attr.value.data for attr in (op.tile_height, op.tile_width, op.v_blocks))
    _forbid(tile_problem(bits, rows, columns, blocks, (min_height, max_height), max_blocks))
    multiple = 32 // bits
    if x is not None and multiple > 1:
        _require(x % multiple == 0, f"5th operand (x) should be a multiple of {multiple} for {bits} bit elements")


def verify_load_result(op: BlockLoad2DOp) -> None:
    """Transpose, VNNI transform, and the vector that a lane gets."""
    bits, rows, columns, blocks = (
        attr.value.data for attr in (op.elem_size_in_bits, op.tile_height, op.tile_width, op.v_blocks)
    )
    transpose, transform = bool(op.transpose.value.data), bool(op.vnni_transform.value.data)
    _require(not (transpose and transform), "transpose and vnni_transform are mutually exclusive")
    mode = Mode.TRANSPOSE if transpose else Mode.TRANSFORM if transform else Mode.PLAIN
    _forbid(arrangement_problem(Message(mode, bits, rows, columns, blocks)))
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
