"""Legality of the `triton_gen` ops, in the words of Intel's verifier (TritonGENOps.cpp).

Limits: cl_intel_subgroup_2d_block_io 1.1.0, "Restrictions"; vISA LSC_UNTYPED for tile shapes; vISA DPAS for operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.typed import as_vector, number_of
from dotload.dialect_ext.types import GLOBAL_MEMORY, element_bits
from dotload.layout.xe_messages import BLOCKS as MOST_BLOCKS
from dotload.layout.xe_messages import (
    COLUMNS,
    MAX_ROW_BITS,
    MAX_ROWS,
    MAX_STORED_ROWS,
    TRANSFORMED_COLUMNS,
    TRANSPOSED_COLUMNS_32,
    TRANSPOSED_COLUMNS_64,
    TRANSPOSED_ROWS_64,
)

if TYPE_CHECKING:
    from dotload.dialect_ext.triton_gen import BlockLoad2DOp, BlockMessageOp, BlockPrefetch2DOp, BlockStore2DOp
    from dotload.dialect_ext.triton_gen_matrix import BdpasOp, DpasOp

MIN_WIDTH_BYTES = MIN_PITCH_BYTES = 64
MAX_EXTENT = 1 << 24  # of width and pitch in bytes, of height in rows
PITCH_MULTIPLE_BYTES = 16
DEFAULT_SUBGROUP_SIZE = 16

# Element bits -> tiles in a message.
BLOCKS: Mapping[int, Sequence[int]] = {
    bits: tuple(count for count in (1, 2, 4) if count <= most) for bits, most in MOST_BLOCKS.items()
}
PREFETCH_256 = "ttig.support_prefetch_256b"


def constant_value(value: SSAValue) -> int | None:
    """The integer that a constant op defines, None for anything else."""
    op = value.owner
    if isinstance(op, Operation) and op.name in ("arith.constant", "llvm.mlir.constant"):
        return number_of(op.properties.get("value", op.attributes.get("value")))
    return None


def subgroup_size(op: Operation) -> int:
    """The subgroup size that the module around `op` gives; 16 if it gives none."""
    size = number_of(_of_module(op, "ttg.threads-per-warp"))
    return DEFAULT_SUBGROUP_SIZE if size is None else size


def _of_module(op: Operation, name: str) -> Attribute | None:
    """An attribute of the module around `op`."""
    parent = op.parent_op()
    while parent is not None:
        if (found := parent.attributes.get(name)) is not None:
            return found
        parent = parent.parent_op()
    return None


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise VerifyException(message)


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def verify_load(op: BlockLoad2DOp) -> None:
    """Check the region, a lane's vector, and the tile: plain, transposed or with the VNNI transform."""
    bits, rows, columns, blocks = _shape(op)
    _verify_region(op)
    _verify_result(op, bits * rows * columns * blocks // subgroup_size(op))
    transpose, transform = bool(op.transpose.value.data), bool(op.vnni_transform.value.data)
    _require(not (transpose and transform), "transpose and vnni_transform are mutually exclusive")
    if transpose:
        _verify_transposed(bits, rows, columns, blocks)
    if transform:
        _verify_transformed(bits, rows, columns, blocks)
    _verify_tile(op, max_height=MAX_ROWS, blocks=BLOCKS)
    element_size = element_bits(_element(op.res.type))
    if bits == 32 or transform:
        _require(element_size == 32, "expecting result element type to be 32 bits")


def verify_store(op: BlockStore2DOp) -> None:
    """Check the region and the tile."""
    _verify_region(op)
    _verify_tile(op, max_height=MAX_STORED_ROWS, blocks=dict.fromkeys(BLOCKS, (1,)))


def verify_prefetch(op: BlockPrefetch2DOp) -> None:
    """Check the region and the tiles, which on some targets may be four times as wide as a load's."""
    _verify_region(op)
    wider = 4 if _of_module(op, PREFETCH_256) is not None else 1
    _verify_tile(op, max_height=MAX_ROWS, blocks=dict.fromkeys(BLOCKS, (1, 2, 4)), wider=wider)


def _shape(op: BlockMessageOp) -> tuple[int, int, int, int]:
    """Element bits, rows, columns, blocks."""
    bits, rows, columns, blocks = (
        attr.value.data for attr in (op.elem_size_in_bits, op.tile_height, op.tile_width, op.v_blocks)
    )
    _require(bits in COLUMNS, "expecting elem_size_in_bits to be 8, 16, 32, or 64")
    return bits, rows, columns, blocks


def _verify_region(op: BlockMessageOp) -> None:
    """Check the base and the constant parameters of the memory region."""
    bits, *_ = _shape(op)
    base = op.ptr.type
    is_global = isinstance(base, LLVMPointerType) and getattr(base.addr_space, "data", 0) in (0, GLOBAL_MEMORY)
    _require(is_global, f"operand #0 must be LLVM pointer to global memory, but got '{base}'")
    width, height, pitch, x = (constant_value(v) for v in (op.base_width, op.base_height, op.base_pitch, op.x))
    if width is not None:
        _require(width >= MIN_WIDTH_BYTES, f"2nd operand (base width) should be >= {MIN_WIDTH_BYTES}")
        _require(width <= MAX_EXTENT, "2nd operand (base width) should be <= 2^24")
        unit = max(4, bits // 8)
        _require(width % unit == 0, f"2nd operand (base width) should be aligned to MAX(4, element_size) = {unit}")
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
    multiple = 32 // bits
    if x is not None and multiple > 1:
        _require(x % multiple == 0, f"5th operand (x) should be a multiple of {multiple} for {bits} bit elements")


def _verify_result(op: BlockLoad2DOp, expected_bits: int) -> None:
    vector = as_vector(op.res.type)
    if vector is None:
        raise VerifyException(f"result #0 must be fixed-length vector of integers or floats, but got '{op.res.type}'")
    size = element_bits(vector.element_type) * vector.element_count()
    _require(
        size == expected_bits, f"result size of {size} bits does not match the expected size of {expected_bits} bits"
    )


def _verify_transposed(bits: int, rows: int, columns: int, blocks: int) -> None:
    _require(blocks == 1, "expecting v_blocks to be 1 with transpose")
    _require(bits in (32, 64), "transpose is only supported for 32 and 64 bit elements")
    if bits == 32:
        most = TRANSPOSED_COLUMNS_32
        _require(1 <= columns <= most, f"expecting tile_width to be between 1 and {most} with transpose")
    else:
        height = TRANSPOSED_ROWS_64
        _require(rows == height, f"expecting tile_height to be {height} for 64 bit elements with transpose")
        _require(columns in TRANSPOSED_COLUMNS_64, "expecting tile_width to be 1, 2, or 4 with transpose")


def _verify_transformed(bits: int, rows: int, columns: int, blocks: int) -> None:
    _require(blocks in (1, 2, 4), "expecting v_blocks to be 1, 2, or 4")
    _require(bits in (8, 16), "vnni_transform is only supported for 8 and 16 bit elements")
    least = 32 // bits
    widest = TRANSFORMED_COLUMNS
    _require(
        least <= rows <= MAX_ROWS, f"expecting tile_height to be between {least} and {MAX_ROWS} with vnni_transform"
    )
    _require(least <= columns <= widest, f"expecting tile_width to be between {least} and {widest} with vnni_transform")


def _verify_tile(op: BlockMessageOp, *, max_height: int, blocks: Mapping[int, Sequence[int]], wider: int = 1) -> None:
    """Check a tile and the number of tiles; `wider`: the factor by which a row may exceed a plain message's."""
    bits, rows, columns, count = _shape(op)
    _require(1 <= rows <= max_height, f"expecting tile_height to be between 1 and {max_height}")
    _require(_is_power_of_two(rows), "expecting tile_height to be 1, 2, 4, 8, 16, or 32")
    narrowest, widest = COLUMNS[bits]
    _require(
        narrowest <= columns <= widest * wider,
        f"expecting tile_width to be between {narrowest} and {widest * wider} for {bits} bit elements",
    )
    _require(_is_power_of_two(columns), "expecting tile_width to be a power of 2")
    _require(count in blocks[bits], f"expecting v_blocks to be {_one_of(blocks[bits])} for {bits} bit elements")
    most = MAX_ROW_BITS * wider
    _require(
        bits * columns * count <= most,
        f"expecting elem_size_in_bits * tile_width * v_blocks <= {most}: "
        f"tile_width * v_blocks should be less than or equal to {most // bits} for {bits} bit elements",
    )


def _one_of(values: Sequence[int]) -> str:
    """`1`, `1 or 2`, `1, 2, or 4`"""
    *most, last = map(str, values)
    return f"{', '.join(most)}{',' * (len(most) > 1)} or {last}" if most else last


def verify_dpas(op: DpasOp) -> None:
    """Check repeat count, precisions, and a lane's vectors: rc rows of A and C, B of systolic depth 8.

    With subgroups of 32 lanes the vectors are half as long.
    """
    repeat = op.rc.value.data
    _require(repeat in (1, 2, 4, 8), "expecting repeat count to be 1, 2, 4, or 8")
    precision = _verify_precisions(op)
    _verify_accumulator(op, precision, repeat)
    _verify_factors(op, precision, repeat)


def verify_bdpas(op: BdpasOp) -> None:
    """Check as for dpas, with 8 rows of small floats; one 8-bit scale (e8m0) per row of A and per column of B."""
    repeat = op.rc.value.data
    _require(repeat == 8, "expecting repeat count to be 8")
    precision = _verify_precisions(op)
    small = (*FLOAT8, "e2m1", "bf16", "f16")
    _require(precision in small, f"expecting precision type of a scaled product to be one of {', '.join(small)}")
    _verify_accumulator(op, precision, repeat)
    _verify_factors(op, precision, repeat)
    for place, scale in (("4th operand (scale of A)", op.scale_a), ("5th operand (scale of B)", op.scale_b)):
        _require(_element(scale.type) == IntegerType(8), f"{place} should be i8 or a vector of i8, got {scale.type}")


def _verify_precisions(op: DpasOp | BdpasOp) -> str:
    """Check the precisions; returns that of A."""
    names = {code: name for name, code in enums.DPAS_PRECISION.cases.items()}
    pa, pb = names[op.pa.value.data], names[op.pb.value.data]
    _require(pa == pb or {pa, pb} <= set(FLOAT8), "expecting precision of matrix A and B to be the same")
    return pa


def _verify_accumulator(op: DpasOp | BdpasOp, precision: str, repeat: int) -> None:
    _require(op.c.type == op.d.type, "1st operand (C) and result (D) should have the same type")
    _require(
        _length(op.c.type) in _halves(repeat),
        "the dimension for 1st operand (C) and result (D) should match repeat count",
    )
    _require(
        _length(op.b.type) in _halves(SYSTOLIC_DEPTH),
        "the dimension for the 3rd operand (B) should match the systolic depth of 8",
    )
    _require(
        precision in ACCUMULATORS,
        f"expecting precision type to be tf32, bf16, fp16, u8, or s8, or one of {', '.join((*FLOAT8, 'e2m1'))}",
    )
    accumulators = ACCUMULATORS[precision]
    _require(
        str(_element(op.c.type)) in accumulators,
        f"the element type for 1st operand (C) and the result should be {' or '.join(accumulators)}",
    )


def _verify_factors(op: DpasOp | BdpasOp, precision: str, repeat: int) -> None:
    a, b = str(_element(op.a.type)), str(_element(op.b.type))
    if precision == "tf32":
        rows = -(-repeat // 2)
        _require(
            _length(op.a.type) in _halves(rows),
            "the dimension for the 2nd operand (A) should be equal to half of the repeat count",
        )
        for operand, element in (("2nd operand (A)", a), ("3rd operand (B)", b)):
            words = f"{operand} element type should be f32 or i32 when the precision type is tf32"
            _require(element in ("f32", "i32"), words)
        return
    _require(
        _length(op.a.type) in _halves(repeat),
        "2nd operand (A) should have the same number of elements as repeat count",
    )
    _require(a == "i16", "2nd operand (A) element type should be i16 when the precision type is not tf32")
    _require(b == "i32", "3rd operand (B) element type should be i32 when the precision type is not tf32")


def _halves(length: int) -> tuple[int, int]:
    """The length of a vector with 16 lanes a subgroup, and with 32."""
    return length, -(-length // 2)


SYSTOLIC_DEPTH = 8
FLOAT8 = ("bf8", "hf8")
# Precision of A and B -> the legal element types of C and D (vISA DPAS).
ACCUMULATORS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("u8", "i8"), ("i32",)),
    "f16": ("f16", "f32"),
    **dict.fromkeys(("bf16", *FLOAT8, "e2m1"), ("bf16", "f32")),
    "tf32": ("f32",),
}


def _length(type_: Attribute) -> int:
    vector = as_vector(type_)
    return 1 if vector is None else vector.element_count()


def _element(type_: Attribute) -> Attribute:
    vector = as_vector(type_)
    return type_ if vector is None else vector.element_type
