"""One random masked load through a tensor of pointers: pointers, mask and other values are read from tables, and every
register is compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from block_load_case import BYTES, Load, layout_of, to_llvm, with_intrinsics
from limits import HANG_SECONDS
from xdsl.utils.exceptions import PassFailedException
from xe_kernels import aligned

from dotload import dialect_ext
from dotload.emulator import Report, run
from dotload.layout.block_load import Reject
from dotload.layout.xe_targets import Emit, find_target
from dotload.passes.block_load.emit_ttig import message_region
from dotload.passes.block_load.request import find_plan
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass

UNREAD_ROWS = 32
_CAST = re.compile(r"^ *(%\w+) = builtin\.unrealized_conversion_cast %(\w+) : tensor<.*> to (!llvm\.struct<\((.*)\)>)$")
_OFFSET = "(!llvm.ptr<1>) -> !llvm.ptr<1>"
# Argument -> its type in the table, and a function from an entry to the value of the struct.
_TABLES = {"ptrs": ("i64", "llvm.inttoptr {0} : i64 to !llvm.ptr<1>"), "mask": ("i8", "llvm.trunc {0} : i8 to i1")}


@dataclass(frozen=True)
class PointerLoad:
    """`kept`: rows and columns of the tensor that the mask lets through; multiples of 64, so that no message is cut.
    `pitch`: bytes from row to row, which may overlap; enough for all that is read where it is 0.
    """

    load: Load
    kept: tuple[int, int]
    guarded: bool = False
    pitch: int = 0

    def ttgir(self, emit: str) -> str | None:
        """The TTGIR of the load; None if there is no plan for it."""
        tensor = re.search(r"-> (tensor<.*>)$", self.load.ttgir(), re.MULTILINE)
        assert tensor is not None
        module = dialect_ext.parse_module(self.load.ttgir())
        (op,) = (op for op in module.walk() if op.name == "ttig.2d_block_load")
        plan = find_plan(op.results[0].type, self.load.column_major, find_target("pvc"), Emit(emit))
        if isinstance(plan, Reject):
            return None
        width, height = message_region(plan)
        order = "column_major" if self.load.column_major else "row_major"
        value = tensor[1]
        pointers = value.replace(f"x{self.load.dtype},", f"x!tt.ptr<{self.load.dtype}>,")
        mask = value.replace(f"x{self.load.dtype},", "xi1,")
        guard = ", ttig.guard = array<i32: 0, 1>" if self.guarded else ""
        head = self.load.ttgir().split("  tt.func")[0]
        return f"""{head}  tt.func public @load(%out: !tt.ptr<{self.load.dtype}>, %pitch: i32, %ptrs: {pointers}, %mask: {mask}, %other: {value}) {{
    %a = ttig.2d_block_load_from_ptr %ptrs, %pitch, %mask, %other {{{order}}} {{base_height = {height} : i32, base_width = {width} : i32{guard}}} : ({pointers}, i32, {mask}, {value}) -> {value}
    tt.return
  }}
}}
"""  # noqa: E501  (IR)


def _from_table(match: re.Match[str]) -> list[str]:
    """The struct for this argument, filled from its table."""
    result, name, struct, types = match.groups()
    kinds = types.split(", ")
    stored, convert = _TABLES.get(name, (kinds[0], ""))
    lines = [f"    %{name}_row = llvm.getelementptr %{name}[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {stored}"]
    lines.append(f"    %{name}_s0 = llvm.mlir.undef : {struct}")
    for index in range(len(kinds)):
        place, entry, value = (f"%{name}_{part}{index}" for part in "pev")
        lines.append(
            f"    {place} = llvm.getelementptr %{name}_row[{index}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {stored}"
        )
        lines.append(f"    {entry} = llvm.load {place} : !llvm.ptr<1> -> {stored}")
        if convert:
            lines.append(f"    {value} = {convert.format(entry)}")
        whole = result if index == len(kinds) - 1 else f"%{name}_s{index + 1}"
        lines.append(
            f"    {whole} = llvm.insertvalue {value if convert else entry}, %{name}_s{index}[{index}] : {struct}"
        )
    return lines


def _closed(text: str, registers: int) -> str:
    """The lowered function without Triton's ops."""
    lines: list[str] = []
    for line in text.splitlines():
        if "tt.func" in line:
            tables = ", ".join(f"%{name}: !llvm.ptr<1>" for name in ("ptrs", "mask", "other"))
            lines.append("  llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64")
            lines.append(f"  llvm.func @load(%out: !llvm.ptr<1>, %pitch: i32, {tables}) {{")
            lines.append("    %zero = llvm.mlir.constant(0 : i32) : i32")
            lines.append("    %item = llvm.call spir_funccc @_Z12get_local_idj(%zero) : (i32) -> i64")
            lines.append(f"    %count = llvm.mlir.constant({registers} : i64) : i64")
            lines.append("    %start = llvm.mul %item, %count : i64")
        elif match := _CAST.match(line):
            lines += _from_table(match)
        elif match := re.search(r"unrealized_conversion_cast (%\w+) : (!llvm\.struct<\((.*)\)>) to tensor", line):
            type_ = match[3].split(", ")[0]
            lines.append(f"    %row = llvm.getelementptr %out[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {type_}")
            for index in range(registers):
                lines.append(f"    %r{index} = llvm.extractvalue {match[1]}[{index}] : {match[2]}")
                lines.append(
                    f"    %q{index} = llvm.getelementptr %row[{index}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {type_}"
                )
                lines.append(f"    llvm.store %r{index}, %q{index} : {type_}, !llvm.ptr<1>")
        else:
            lines.append(line.replace("tt.return", "llvm.return"))
    return "\n".join(lines)


def check_pointers(case: PointerLoad, emit: str = "opencl") -> Report | None:
    """As `check` in block_load_case."""
    load = case.load
    text = case.ttgir(emit)
    if text is None:
        return None
    module = dialect_ext.parse_module(text)
    try:
        Convert2DBlockLoadToLLVMPass(emit=emit, target="pvc").apply(dialect_ext.context(), module)
    except PassFailedException:
        return None
    row, column = layout_of(load)
    source = to_llvm(with_intrinsics(_closed(dialect_ext.print_module(module), row.shape[2])))
    size = BYTES[load.dtype]
    down, across = (column, row) if load.column_major else (row, column)
    end = (load.x + int(across.max()) + 1) * size
    pitch = case.pitch or -(-(end + 128) // 16) * 16
    # A message may read unused rows after the tensor's last row; this memory covers them.
    memory = aligned((pitch * (load.y + int(down.max()) + 1 + UNREAD_ROWS) + end + 256,), np.uint8)
    memory[:] = np.random.default_rng(load.x * 7 + load.y).integers(1, 255, memory.size, dtype=np.uint8)
    offsets = (load.y + down) * pitch + (load.x + across) * size + load.base_words * 4
    mask = (row < case.kept[0]) & (column < case.kept[1])
    other = (np.arange(row.size).reshape(row.shape) % 251).astype(f"u{size}")
    values = memory[offsets[..., None] + np.arange(size)].view(f"u{size}")[..., 0]
    wanted = np.where(mask, values, other)
    out = np.full(wanted.shape, 0xEE, wanted.dtype)
    pointers = (offsets + memory.ctypes.data).astype(np.uint64)
    # The kernel only gets addresses; `memory` is passed as well, so that they are known to be in bounds.
    source = source.replace("define void @load(", "define void @load(ptr addrspace(1) %dotload_memory, ", 1)
    arguments = [memory, out, pitch, pointers, mask.astype(np.uint8), other]
    raw = ["*bits", "*bits", "i32", "*bits", "*bits", "*bits"]
    warps = load.warps[0] * load.warps[1]
    report = run(source, (1,), arguments, warps, load.lanes, kernel="load", signature=raw, timeout=HANG_SECONDS)
    wrong = np.argwhere(out != wanted)
    place = dict(zip(("warp", "lane", "register"), wrong[0].tolist(), strict=True)) if wrong.size else {}
    assert not wrong.size, f"check_pointers({case!r}, {emit!r}): {len(wrong)} of {wanted.size} registers, first {place}"
    return report
