"""Prefetches through tensors of pointers, run: the messages fetch all of a tile's elements and no other bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from converted_case import kernel, lowered
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload.emulator import run

pytest.importorskip("triton._C.libtriton")

# Every lane of every warp notes the message that it sends; an entry has nine numbers.
ENTRY = 9
_CALL = re.compile(r"^ *call spir_func void (@_Z36__spirv_Subgroup2DBlockPrefetchINTEL\w*)\((.*)\)", re.MULTILINE)
_NOTE = """
define void @note(ptr addrspace(1) %log, i32 %size, i32 %columns, i32 %rows, i32 %blocks, ptr addrspace(1) %base,
                  i32 %width, i32 %height, i32 %pitch, <2 x i32> %corner) {{
  %at = atomicrmw add ptr addrspace(1) %log, i64 {entry} monotonic
  %address = ptrtoint ptr addrspace(1) %base to i64
  %x = extractelement <2 x i32> %corner, i32 0
  %y = extractelement <2 x i32> %corner, i32 1
{stores}
  ret void
}}
"""
_FIELDS = ("columns", "rows", "blocks", "width", "height", "pitch", "x", "y")


def noting(source: str) -> str:
    """The kernel, with a note of every prefetch behind the length of its first argument."""
    lines = [
        "  %s0 = getelementptr i64, ptr addrspace(1) %log, i64 %at",
        "  %first = getelementptr i64, ptr addrspace(1) %s0, i64 1",
        "  store i64 %address, ptr addrspace(1) %first",
    ]
    for number, name in enumerate(_FIELDS):
        lines.append(f"  %w{number} = sext i32 %{name} to i64")
        lines.append(f"  %p{number} = getelementptr i64, ptr addrspace(1) %s0, i64 {number + 2}")
        lines.append(f"  store i64 %w{number}, ptr addrspace(1) %p{number}")
    found = re.search(r"define spir_kernel void @kernel\(ptr addrspace\(1\) (%\w+)", source)
    assert found is not None, source
    noted = _CALL.sub(
        lambda call: f"  call void @note(ptr addrspace(1) {found[1]}, {_bare(call[2])})\n{call[0]}", source
    )
    return noted + _NOTE.format(entry=ENTRY, stores="\n".join(lines))


def _bare(arguments: str) -> str:
    """Arguments of a call without what is said of them."""
    return re.sub(r"\b(?:nonnull|noundef|readonly|writeonly) ", "", arguments)


def fetched(log: np.ndarray, size: int) -> set[int]:
    """The addresses of all bytes that messages fetch."""
    found: set[int] = set()
    for base, columns, rows, blocks, width, height, pitch, x, y in log[1 : 1 + log[0]].reshape(-1, ENTRY).tolist():
        for row in range(max(0, y), min(height, y + rows)):
            along = range(max(0, x * size), min(width, (x + columns * blocks) * size))
            found.update(base + row * pitch + byte for byte in along)
    return found


@dataclass(frozen=True)
class Tile:
    """What is prefetched in each step of a loop along its contiguous dim: `shape` in rows of memory and columns.

    Rows wrap around after `count`; `depth`: columns of the matrix, a mask keeps what lies behind; `skew`: bytes by
    which the matrix begins behind a multiple of 64.
    """

    shape: tuple[int, int] = (64, 32)
    dtype: str = "f16"
    by_columns: bool = False
    count: int = 64
    depth: int = 96
    skew: int = 0

    @property
    def size(self) -> int:
        return {"f16": 2, "i8": 1, "f32": 4}[self.dtype]

    def ttgir(self) -> str:
        rows, columns = self.shape
        enc, dims = ("#dot_b", (0, 1)) if self.by_columns else ("#dot_a", (1, 0))
        whole = f"{columns}x{rows}" if self.by_columns else f"{rows}x{columns}"
        tall, flat = (f"1x{rows}", f"{columns}x1") if self.by_columns else (f"{rows}x1", f"1x{columns}")
        m, k = (f"#ttg.slice<{{dim = {dim}, parent = {enc}}}>" for dim in dims)
        pointer, index = f"tensor<{whole}x!tt.ptr<{self.dtype}>, {enc}>", f"tensor<{whole}xi32, {enc}>"
        body = f"""
    %begin = arith.constant 0 : i32
    %width = arith.constant {columns} : i32
    %step = arith.constant dense<{columns}> : {index}
    %m = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{rows}xi32, {m}>
    %k = tt.make_range {{end = {columns} : i32, start = 0 : i32}} : tensor<{columns}xi32, {k}>
    %counts = tt.splat %count : i32 -> tensor<{rows}xi32, {m}>
    %wrapped = arith.remsi %m, %counts : tensor<{rows}xi32, {m}>
    %m2 = tt.expand_dims %wrapped {{axis = {dims[0]} : i32}} : tensor<{rows}xi32, {m}> -> tensor<{tall}xi32, {enc}>
    %k2 = tt.expand_dims %k {{axis = {dims[1]} : i32}} : tensor<{columns}xi32, {k}> -> tensor<{flat}xi32, {enc}>
    %strides = tt.splat %stride : i32 -> tensor<{tall}xi32, {enc}>
    %starts = arith.muli %m2, %strides : tensor<{tall}xi32, {enc}>
    %down = tt.broadcast %starts : tensor<{tall}xi32, {enc}> -> {index}
    %along = tt.broadcast %k2 : tensor<{flat}xi32, {enc}> -> {index}
    %offsets = arith.addi %down, %along : {index}
    %start = tt.addptr %base, %shift : !tt.ptr<{self.dtype}>, i32
    %bases = tt.splat %start : !tt.ptr<{self.dtype}> -> {pointer}
    %first = tt.addptr %bases, %offsets : {pointer}, {index}
    %end = scf.for %i = %begin to %limit step %width iter_args(%ptrs = %first) -> ({pointer}) : i32 {{
      %left = arith.subi %depth, %i : i32
      %lefts = tt.splat %left : i32 -> tensor<{flat}xi32, {enc}>
      %inside = arith.cmpi slt, %k2, %lefts : tensor<{flat}xi32, {enc}>
      %mask = tt.broadcast %inside : tensor<{flat}xi1, {enc}> -> tensor<{whole}xi1, {enc}>
      ttig.prefetch %ptrs, %mask : {pointer}
      %next = tt.addptr %ptrs, %step : {pointer}, {index}
      scf.yield %next : {pointer}
    }}"""
        numbers = ", ".join(f"%{name}: i32 {{tt.divisibility = 16 : i32}}" for name in ("count", "stride", "depth"))
        base = f"%base: !tt.ptr<{self.dtype}> {{tt.divisibility = 64 : i32}}"
        shift = f"%shift: i32 {{tt.divisibility = {4 // self.size} : i32}}"
        return kernel(f"%log: !tt.ptr<i64>, {base}, {shift}, {numbers}, %limit: i32", body)


CASES = [
    Tile(),
    Tile(count=32),
    Tile(count=48, depth=80),
    Tile(shape=(128, 64), count=96, depth=128, skew=4),
    Tile(by_columns=True, depth=64),
    Tile(by_columns=True, shape=(32, 128), count=32, depth=160, skew=60),
    Tile(dtype="i8", shape=(16, 64), count=32, depth=96),
    Tile(shape=(2, 32), count=32),
]


@pytest.mark.parametrize("tile", CASES)
def test_what_is_fetched(tile: Tile) -> None:
    source, before = lowered(tile.ttgir())
    assert "triton_gen.2Dblockprefetch" in before
    rows, columns = tile.shape
    stride, limit = tile.depth + 64, tile.depth + columns  # the last step lies behind the matrix
    memory = aligned((rows * stride * tile.size + 4096,), np.uint8)
    log = np.zeros(1 + ENTRY * 4096, np.int64)
    arguments = [log, memory, tile.skew // tile.size, tile.count, stride, tile.depth, limit]
    signature = ["*i64", "*bits", *["i32"] * 5]
    run(noting(source), (1,), arguments, 4, 16, kernel="kernel", signature=signature, timeout=HANG_SECONDS)
    m, k = np.meshgrid(np.arange(rows) % tile.count, np.arange(tile.depth), indexing="ij")
    wanted = (memory.ctypes.data + tile.skew + (m * stride + k)[..., None] * tile.size + np.arange(tile.size)).ravel()
    assert fetched(log, tile.size) == set(wanted.tolist())
