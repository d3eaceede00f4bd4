"""2D block messages and matrix multiplies: three spellings of each, and the shapes that the hardware supports.

Spellings: OpenCL C (cl_intel_subgroup_2d_block_io, cl_intel_subgroup_matrix_multiply_accumulate), SPIR-V friendly
(SPV_INTEL_2d_block_io, SPV_INTEL_subgroup_matrix_multiply_accumulate), and the intrinsics of Intel's own compiler.
"""

from __future__ import annotations

import re

from dotload.emulator.builtins import Builtin, Family, Signature, collective, constant
from dotload.emulator.errors import EmulatorError
from dotload.emulator.sites import Kind, Site
from dotload.emulator.types import byte_size, vector

FORMS = ("", "transform", "transpose")  # numbered as BlockForm of emulator/native/block2d.cpp
_KINDS = {"read": Kind.BLOCK_READ, "write": Kind.BLOCK_WRITE, "prefetch": Kind.BLOCK_PREFETCH}

# Block width in elements, by element bytes (vISA lsc_load_block2d: at least 4 bytes, at most 64 bytes a row).
_COLUMNS = {1: (4, 64), 2: (2, 32), 4: (1, 16), 8: (1, 8)}
_MAX_BLOCKS = {1: 4, 2: 4, 4: 2, 8: 1}
_MAX_ROW_BYTES = 64
_MAX_ROWS = {"read": 32, "write": 8, "prefetch": 32}


def check_shape(action: str, form: str, element_bytes: int, rows: int, columns: int, blocks: int) -> None:
    """Raise EmulatorError with the rule that this message shape breaks."""

    def rule(holds: bool, text: str) -> None:
        if not holds:
            shape = block_label(action, form, element_bytes, rows, columns, blocks)
            raise EmulatorError(f"2D block message {shape}: {text}")

    rule(element_bytes in _COLUMNS, f"elements have 8, 16, 32 or 64 bits, got {element_bytes * 8}")
    low, high = _COLUMNS[element_bytes]
    rule(_is_power_of_two(rows) and rows <= _MAX_ROWS[action], f"rows: a power of two up to {_MAX_ROWS[action]}")
    rule(_is_power_of_two(columns) and low <= columns <= high, f"columns: a power of two from {low} to {high}")
    most = _MAX_BLOCKS[element_bytes] if action == "read" else 4 if action == "prefetch" else 1
    rule(_is_power_of_two(blocks) and blocks <= most, f"blocks: a power of two up to {most}")
    rule(columns * blocks * element_bytes <= _MAX_ROW_BYTES, f"a row has at most {_MAX_ROW_BYTES} bytes")
    if form == "transpose":
        rule(blocks == 1, "a transposed read has one block")
        wide = element_bytes == 4 and columns <= 8
        double = element_bytes == 8 and rows == 8 and columns <= 4
        rule(wide or double, "only 32-bit elements (up to 8 columns) and 64-bit ones (8 rows, up to 4) transpose")
    if form == "transform":
        rule(element_bytes <= 2, "only 8-bit and 16-bit elements transform")
        rule(rows * element_bytes >= 4, f"a transformed read of {element_bytes * 8}-bit elements has at least "
             f"{4 // element_bytes} rows")  # fmt: skip
        rule(columns <= 16, "a transformed read has at most 16 columns")  # vISA lsc_load_block2d


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def block_label(action: str, form: str, element_bytes: int, rows: int, columns: int, blocks: int) -> str:
    """The label of a message, as in its OpenCL name: read_transform_16b_32r16x2c."""
    head = f"{action}_{form}" if form else action
    return f"{head}_{element_bytes * 8}b_{rows}r{columns}x{blocks}c"


def lane_element_bytes(form: str, element_bytes: int, columns: int, lanes: int) -> int:
    """Bytes of one element of a lane's vector: the lane's part of a row, or 32 bits if transformed."""
    if form == "transform":
        return 4
    if form == "transpose":
        return element_bytes
    return max(element_bytes, min(4, columns * element_bytes // lanes))


def block_site(action: str, form: str, element_bytes: int, shape: tuple[int, int, int], result_bytes: int) -> Site:
    """The site of a block message; `shape`: rows, columns, blocks."""
    rows, columns, blocks = shape
    check_shape(action, form, element_bytes, rows, columns, blocks)
    if result_bytes not in _COLUMNS:
        raise EmulatorError(f"a lane's elements have 8, 16, 32 or 64 bits, got {result_bytes * 8}")
    return Site(
        _KINDS[action],
        block_label(action, form, element_bytes, rows, columns, blocks),
        operation=FORMS.index(form),
        element_bytes=element_bytes,
        rows=rows,
        columns=columns,
        blocks=blocks,
        result_bytes=result_bytes,
    )


_ELEMENT_OF_MANGLED = {"h": 1, "c": 1, "t": 2, "s": 2, "j": 4, "i": 4, "m": 8, "l": 8}


def _opencl_block(match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    action, form = match["action"], match["form"] or ""
    bits, rows, columns, blocks = (int(match[name]) for name in ("bits", "rows", "columns", "blocks"))
    signature.need(5 if action == "prefetch" else 6)
    result_bytes = lane_element_bytes(form, bits // 8, columns, lanes)
    if named := re.search(r"P([hctsjiml])$", signature.mangled_types):  # old names use the signed letters too
        result_bytes = _ELEMENT_OF_MANGLED[named[1]]
    site = block_site(action, form, bits // 8, (rows, columns, blocks), result_bytes)
    operands = [f"{type_} %p{index}" for index, type_ in enumerate(signature.parameters)]
    return Builtin(collective("void", operands), lambda _arguments: site, data=None if action == "prefetch" else 5)


_SPIRV_ACTIONS = {
    "Load": ("read", ""),
    "LoadTransform": ("read", "transform"),
    "LoadTranspose": ("read", "transpose"),
    "Store": ("write", ""),
    "Prefetch": ("prefetch", ""),
}


def _spirv_block(match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    """Element bytes, width, height and count come first, as constants; a store's source precedes its surface."""
    action, form = _SPIRV_ACTIONS[match["op"]]
    signature.need(9 if action == "prefetch" else 10)
    surface = [5, 6, 7, 8, 9, 4] if action == "write" else list(range(4, len(signature.parameters)))
    operands = [f"{signature.parameters[index]} %p{index}" for index in surface]

    def site(arguments: tuple[str, ...]) -> Site:
        names = ("element size", "block width", "block height", "block count")
        size, columns, rows, blocks = (constant(arguments, i, f"the {name}") for i, name in enumerate(names))
        result_bytes = lane_element_bytes(form, size, columns, lanes)
        return block_site(action, form, size, (rows, columns, blocks), result_bytes)

    return Builtin(collective("void", operands), site, data={"read": 9, "write": 4}.get(action))


_GENISA_ACTIONS = {"Read": "read", "Write": "write", "Prefetch": "prefetch"}


def _genisa_block(match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    """(i64 base, width - 1, height - 1, pitch - 1, x, y, bits, columns, rows, blocks, transpose, transform, cache
    [, value]) -> vector: the register operands of the instruction itself."""
    action = _GENISA_ACTIONS[match["op"]]
    signature.need(14 if action == "write" else 13)
    value = signature.result if action == "read" else signature.parameters[13] if action == "write" else "i8"
    lines = [f"  %data = alloca {value}, align 64"]
    for name, index in (("width", 1), ("height", 2), ("pitch", 3)):
        lines.append(f"  %{name} = add i32 %p{index}, 1")
    lines.append("  %x = insertelement <2 x i32> poison, i32 %p4, i32 0")
    lines.append("  %xy = insertelement <2 x i32> %x, i32 %p5, i32 1")
    if action == "write":
        lines.append(f"  store {value} %p13, ptr %data")
    operands = ["i64 %p0", "i32 %width", "i32 %height", "i32 %pitch", "<2 x i32> %xy", "ptr %data"]
    body = collective("void", operands, "\n".join(lines))
    if action == "read":
        body = body.replace("  ret void", f"  %value = load {value}, ptr %data\n  ret {value} %value")

    def site(arguments: tuple[str, ...]) -> Site:
        names = ("element size", "block width", "block height", "block count", "transpose flag", "transform flag")
        bits, columns, rows, blocks, transpose, transform = (
            constant(arguments, 6 + i, f"the {name}") for i, name in enumerate(names)
        )
        if transpose and transform:
            raise EmulatorError("2D block message: transpose and transform exclude each other")
        form = "transpose" if transpose else "transform" if transform else ""
        found = block_site(action, form, bits // 8, (rows, columns, blocks), byte_size(vector(value)[1]))
        if found.lane_bytes(lanes) > byte_size(value):
            raise EmulatorError(f"{found.label}: each lane has {found.lane_bytes(lanes)} bytes of it, not a {value}")
        return found

    return Builtin(body, site)


# --- Matrix multiplies --------------------------------------------------------------------------------------------

# Numbered as Precision of emulator/native/dpas.cpp, with the bytes of one element of A or B.
_PRECISIONS = {"u8": 0, "s8": 1, "f16": 2, "bf16": 3, "tf32": 4, "e4m3": 5, "e5m2": 6, "f32": 7, "s32": 8}
_OPENCL_PRECISION = {"i8": "s8", "s8": "s8", "u8": "u8", "f16": "f16", "bf16": "bf16", "tf32": "tf32"}
_DEPTH = {"u8": 32, "s8": 32, "e4m3": 32, "e5m2": 32, "f16": 16, "bf16": 16, "tf32": 8}
_ACCUMULATORS = {"float": "f32", "half": "f16", "i32": "s32", "i16": "bf16", "bfloat": "bf16"}
_ACCUMULATORS_OF = {
    "u8": ("s32",),
    "s8": ("s32",),
    "f16": ("f32", "f16"),
    "bf16": ("f32", "bf16"),
    "tf32": ("f32",),
    "e4m3": ("f32", "bf16"),
    "e5m2": ("f32", "bf16"),
}
# Matrix Multiply Accumulate Operands (SPV_INTEL_subgroup_matrix_multiply_accumulate and its float8 sibling): the bits
# of A and of B that give the precision; 8-bit integers also have a bit for signedness.
_OPERAND_BITS = {
    "s8": (0x10, 0x20),
    "tf32": (0x100, 0x200),
    "f16": (0x400, 0x800),
    "bf16": (0x1000, 0x2000),
    "e4m3": (0x4000, 0x8000),
    "e5m2": (0x10000, 0x20000),
}
_SIGNED_BITS = (0x1, 0x2)


def dpas_site(a: str, b: str, a_type: str, c_type: str, lanes: int) -> Site:
    """The site of one multiply, from the precisions and a lane's types."""
    accumulator = _ACCUMULATORS.get(vector(c_type)[1], vector(c_type)[1])
    floats = {"e4m3", "e5m2"}
    if a != b and not ({a, b} <= floats or {a, b} <= {"u8", "s8"}):
        raise EmulatorError(f"matrix multiply: A is {a} and B is {b}; they must have the same precision")
    if accumulator not in _ACCUMULATORS_OF[a]:
        allowed = " or ".join(_ACCUMULATORS_OF[a])
        raise EmulatorError(f"matrix multiply: {a} accumulates in {allowed}, the kernel's C is {c_type}")
    rows = vector(c_type)[0] * lanes // 16
    if rows not in (1, 2, 4, 8):
        raise EmulatorError(f"matrix multiply: M must be 1, 2, 4 or 8, C is {c_type} in {lanes} lanes")
    return Site(
        Kind.DPAS,
        f"dpas_{a}_{b}_{accumulator}_{rows}x16x{_DEPTH[a]}",
        operation=_PRECISIONS[a],
        rows=rows,
        columns=vector(a_type)[0],
        blocks=vector(c_type)[0],
        result_bytes=_PRECISIONS[accumulator],
        type=_PRECISIONS[b],
    )


def _multiply(signature: Signature, operands: tuple[int, int, int]) -> str:
    """Body of a wrapper whose A, B and C are these parameters."""
    c_type = signature.parameters[operands[2]]
    if signature.result != c_type:
        raise EmulatorError(f"matrix multiply: C is {c_type} but the result is {signature.result}")
    return collective(signature.result, [f"{signature.parameters[index]} %p{index}" for index in operands])


def _opencl_dpas(match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    signature.need(3)
    a, b = _OPENCL_PRECISION[match["a"]], _OPENCL_PRECISION[match["b"]]
    if int(match["k"]) != _DEPTH[a]:
        raise EmulatorError(f"matrix multiply: K of {a} is {_DEPTH[a]}, the kernel calls {signature.name}")
    site = dpas_site(a, b, signature.parameters[0], signature.parameters[2], lanes)
    return Builtin(_multiply(signature, (0, 1, 2)), lambda _arguments: site)


def _spirv_dpas(_match: re.Match[str], signature: Signature, lanes: int) -> Builtin:
    signature.need(5)

    def precision(bits: int, which: int) -> str:
        for name, masks in _OPERAND_BITS.items():
            if bits & masks[which]:
                return "u8" if name == "s8" and not bits & _SIGNED_BITS[which] else name
        raise EmulatorError(f"matrix multiply: operand bits 0x{bits:x} name no precision of {'AB'[which]}")

    def site(arguments: tuple[str, ...]) -> Site:
        depth, bits = constant(arguments, 0, "K"), constant(arguments, 4, "the operand mask")
        a, b = precision(bits, 0), precision(bits, 1)
        if depth != _DEPTH[a]:
            raise EmulatorError(f"matrix multiply: K of {a} is {_DEPTH[a]}, got {depth}")
        return dpas_site(a, b, signature.parameters[1], signature.parameters[3], lanes)

    return Builtin(_multiply(signature, (1, 2, 3)), site)


_BLOCK_NAME = (
    r"intel_sub_group_2d_block_(?P<action>read|write|prefetch)(_(?P<form>transform|transpose))?"
    r"_(?P<bits>\d+)b_(?P<rows>\d+)r(?P<columns>\d+)x(?P<blocks>\d+)c"
)

FAMILIES: tuple[tuple[str, Family], ...] = (
    (_BLOCK_NAME, _opencl_block),
    (r"__spirv_Subgroup2DBlock(?P<op>LoadTransform|LoadTranspose|Load|Store|Prefetch)INTEL", _spirv_block),
    (r"llvm\.genx\.GenISA\.LSC2DBlock(?P<op>Read|Write|Prefetch)(\..*)?", _genisa_block),
    (r"intel_sub_group_(?P<a>b?f16|tf32|[isu]8)_(?P<b>b?f16|tf32|[isu]8)_matrix_mad_k(?P<k>\d+)", _opencl_dpas),
    (r"__spirv_SubgroupMatrixMultiplyAccumulateINTEL", _spirv_dpas),
)
