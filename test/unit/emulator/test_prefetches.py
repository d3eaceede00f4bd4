"""Prefetches are run: their messages fetch all of a tile's elements and no other bytes.

DOTLOAD_FUZZ_LOADS is the number of random ones, DOTLOAD_FUZZ_SEED their seed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np
import pytest
from converted_case import kernel, lowered
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st
from limits import HANG_SECONDS
from sampling import sampled
from xe_kernels import aligned

from dotload.emulator import run

pytest.importorskip("triton._C.libtriton")

ROOM = 64 + 60  # bytes of a surface that begins up to 60 bytes before a row

# Every lane of every warp logs the messages that it sends; an entry has nine numbers.
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
    """The kernel, with a log entry for every prefetch after the length of its first argument."""
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
    """The arguments of a call without their attributes."""
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
    which the matrix begins after a multiple of 64.
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
    Tile(dtype="i8", shape=(2, 64), count=16, depth=16, skew=60),  # 80 bytes from row to row
    Tile(dtype="i8", shape=(2, 64), count=16, depth=64, skew=60),
]


@pytest.mark.parametrize("tile", sampled(CASES, 4))
def test_what_is_fetched(tile: Tile) -> None:
    assert check_tile(tile)


def check_tile(tile: Tile) -> bool:
    """Whether there are messages, after checking that they are right."""
    source, before = lowered(tile.ttgir())
    if "triton_gen.2Dblockprefetch" not in before:
        return False
    rows, columns = tile.shape
    stride, limit = tile.depth + 64, tile.depth + columns  # the last step lies behind the matrix
    memory = aligned((rows * stride * tile.size + 4096,), np.uint8)
    log = np.zeros(1 + ENTRY * 4096, np.int64)
    arguments = [log, memory, tile.skew // tile.size, tile.count, stride, tile.depth, limit]
    signature = ["*i64", "*bits", *["i32"] * 5]
    run(noting(source), (1,), arguments, 4, 16, kernel="kernel", signature=signature, timeout=HANG_SECONDS)
    m, k = np.meshgrid(np.arange(rows) % tile.count, np.arange(tile.depth), indexing="ij")
    wanted = (memory.ctypes.data + tile.skew + (m * stride + k)[..., None] * tile.size + np.arange(tile.size)).ravel()
    got = fetched(log, tile.size)
    # No message if a row, plus the distance from its aligned base, may be longer than the pitch.
    assert got == set(wanted.tolist()) or (not got and stride * tile.size < ROOM), tile
    return True


@dataclass(frozen=True)
class Region:
    """A tile of rows and columns of memory that begins at (y, x) of a matrix of `size` rows and columns, which begins
    `words` of 4 bytes after a multiple of 64; of a batch, number `plane` of matrices that are `gap` bytes apart."""

    by: str = "descriptor"
    shape: tuple[int, int] = (64, 32)
    dtype: str = "f16"
    by_columns: bool = False
    size: tuple[int, int] = (80, 96)
    y: int = 0
    x: int = 0
    words: int = 0
    plane: int | None = None
    gap: int = 0
    spare: int = 128  # bytes of the pitch beyond the width

    @property
    def bytes(self) -> int:
        return {"f16": 2, "i8": 1, "f32": 4}[self.dtype]

    @property
    def line(self) -> int:
        """The distance of two rows, in elements."""
        return -(-(self.size[1] * self.bytes + self.spare) // 16) * 16 // self.bytes

    @property
    def plane_elements(self) -> int:
        """The distance of two matrices, in elements."""
        return self.line * self.size[0] + self.gap // self.bytes

    def ttgir(self) -> str:
        front, index = ("1x", "%z, ") if self.plane is not None else ("", "")
        order = "%x, %y" if self.by_columns else "%y, %x"
        pick = reversed if self.by_columns else list
        shape = "x".join(map(str, pick(self.shape)))
        rank = 3 if front else 2
        if self.by == "descriptor":
            sizes, strides = (
                ("%four, " if front else "") + "%rows, %columns",
                ("%far, " if front else "") + "%line, %one",
            )
            block = f"tensor<{front}{shape}x{self.dtype}>"
            made = f"tt.make_tensor_descriptor %start, [{sizes}], [{strides}] : <{self.dtype}>, <{block}>"
            use = f"ttig.descriptor_prefetch %p[{index}{order}] : !tt.tensordesc<{block}>"
        else:
            sizes = ("%four64, " if front else "") + ", ".join(pick(("%rows64", "%columns64")))
            strides = ("%far, " if front else "") + ", ".join(pick(("%line", "%one")))
            encoding = "#batch" if front else ("#dot_b" if self.by_columns else "#dot_a")
            type_ = f"tensor<{front}{shape}x{self.dtype}, {encoding}>"
            dims = ", ".join(str(rank - 1 - dim) for dim in range(rank))
            made = (
                f"tt.make_tensor_ptr %start, [{sizes}], [{strides}], [{index}{order}] "
                f"{{order = array<i32: {dims}>}} : <{type_}>"
            )
            use = f"ttig.prefetch %p : !tt.ptr<{type_}>"
        body = f"""
    %four = arith.constant 4 : i32
    %four64 = arith.constant 4 : i64
    %one = arith.constant 1 : i64
    %rows64 = arith.extsi %rows : i32 to i64
    %columns64 = arith.extsi %columns : i32 to i64
    %start = tt.addptr %base, %shift : !tt.ptr<{self.dtype}>, i32
    %p = {made}
    {use}"""
        word, line = 4 // self.bytes, 16 // self.bytes

        def argument(name: str, type_: str, multiple: int) -> str:
            return f"%{name}: {type_} {{tt.divisibility = {multiple} : i32}}"

        arguments = [
            *("%log: !tt.ptr<i64>", argument("base", f"!tt.ptr<{self.dtype}>", 64), argument("shift", "i32", word)),
            *("%rows: i32", argument("columns", "i32", word), argument("line", "i64", line)),
            *(argument("far", "i64", word), "%z: i32", "%y: i32", argument("x", "i32", word)),
        ]
        batch = (
            "#wide = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, "
            "threadsPerWarp = 16, warpsPerCTA = [1, 2, 2], repCluster = [1, 2, 2]}>\n"
            "#batch = #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 1}>\n"
        )
        return batch + kernel(", ".join(arguments), body)


REGIONS = [
    Region(),
    Region(y=40, x=80, words=9),
    Region(y=-8, x=-16),
    Region("block pointer", (128, 64), y=3, x=6, words=1),
    Region("block pointer", (64, 32), by_columns=True, x=72, words=15),
    Region("descriptor", (32, 64), "i8", x=4, plane=2, gap=12),
    Region("block pointer", (64, 32), plane=1, gap=4, words=3),
    Region("descriptor", (64, 32), plane=4),
    Region("descriptor", (64, 32), x=64, words=9, spare=0),
    Region("block pointer", (64, 32), by_columns=True, x=72, words=15, spare=32),
]


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_what_is_fetched_of_a_region(region: Region) -> None:
    assert check_region(region)


def check_region(region: Region) -> bool:
    """Whether there are messages, after checking that they are right."""
    source, before = lowered(region.ttgir())
    if "triton_gen.2Dblockprefetch" not in before:
        return False
    size, plane = region.bytes, region.plane or 0
    memory = aligned((4 * region.plane_elements * size + 4096,), np.uint8)
    log = np.zeros(1 + ENTRY * 4096, np.int64)
    numbers = [region.words * 4 // size, *region.size, region.line, region.plane_elements, plane, region.y, region.x]
    signature = ["*i64", "*bits", "i32", "i32", "i32", "i64", "i64", "i32", "i32", "i32"]
    launched = [log, memory, *numbers]
    run(noting(source), (1,), launched, 4, 16, kernel="kernel", signature=signature, timeout=HANG_SECONDS)
    base = memory.ctypes.data + region.words * 4 + plane * region.plane_elements * size
    m, k = np.meshgrid(region.y + np.arange(region.shape[0]), region.x + np.arange(region.shape[1]), indexing="ij")
    inside = (m >= 0) & (m < region.size[0]) & (k >= 0) & (k < region.size[1])
    if region.by == "descriptor":
        inside &= 0 <= plane < 4
    # The surface is no wider than the pitch: bytes of a row beyond it are the beginning of the next row.
    inside &= k * size + base % 64 < region.line * size
    elements = (base + (m * region.line + k) * size)[inside]
    wanted = set((elements[:, None] + np.arange(size)).ravel().tolist())
    got = fetched(log, size)
    assert got >= wanted, region
    # Left of the aligned base is the rest of a cache line that is fetched anyway.
    pitch = region.line * size
    assert not {byte for byte in got - wanted if region.x >= 0 or (base - 1 - byte) % pitch >= 60}, region
    return True


KINDS = st.sampled_from(("f16", "i8", "f32"))
SHAPES = st.tuples(st.sampled_from((2, 16, 32, 64, 128)), st.sampled_from((16, 32, 64, 128)))


@seed(int(os.environ.get("DOTLOAD_FUZZ_SEED", "0")))
@settings(
    max_examples=int(os.environ.get("DOTLOAD_FUZZ_LOADS", "5")),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_any_prefetch(data: st.DataObject) -> None:
    """Random prefetches through pointers, block pointers and descriptors."""
    by = data.draw(st.sampled_from(("pointers", "block pointer", "descriptor")))
    dtype, shape, words = data.draw(KINDS), data.draw(SHAPES), data.draw(st.integers(0, 15))
    by_columns = by != "descriptor" and data.draw(st.booleans())
    size = {"f16": 2, "i8": 1, "f32": 4}[dtype]
    if by == "pointers":
        count, depth = data.draw(st.integers(1, 8)) * 16, data.draw(st.integers(1, 10)) * 16
        assume(check_tile(Tile(shape, dtype, by_columns, count, depth, words * 4)))
        return
    unit = 4 // size
    rows, columns = data.draw(st.integers(1, 140)), data.draw(st.integers(64 // unit // size, 160 // unit)) * unit
    y, x = data.draw(st.integers(-20, rows + 4)), data.draw(st.integers(-40 // unit, columns // unit + 4)) * unit
    plane = None if by_columns else data.draw(st.none() | st.integers(0, 3))
    gap, spare = data.draw(st.sampled_from((0, 4, 64, 76))), data.draw(st.sampled_from((0, 0, 16, 48, 128)))
    assume(check_region(Region(by, shape, dtype, by_columns, (rows, columns), y, x, words, plane, gap, spare)))
