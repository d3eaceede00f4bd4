"""2D block messages are compared, element by element, with the tables of cl_intel_subgroup_2d_block_io (subgroup size
16)."""

import numpy as np
import pytest
from xe_kernels import aligned, mangled, module, store_vector

from dotload.emulator import EmulatorError

DTYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
LETTERS = {1: "h", 2: "t", 4: "j"}
SIGNED_LETTERS = {1: "c", 2: "s", 4: "i"}
ROWS = (1, 2, 4, 8, 16, 32)

# form, bits, columns, rows, blocks, bits of an element of the lane's vector: the extension's list of functions.
READS = [
    *(("", 8, 32, rows, blocks, 16) for rows in ROWS for blocks in (1, 2)),
    *(("", 8, 16, rows, 4, 8) for rows in (8, 16, 32)),
    *(("", 16, 16, rows, blocks, 16) for rows in ROWS for blocks in (1, 2)),
    *(("", 32, 8, rows, blocks, 32) for rows in ROWS[1:] for blocks in (1, 2)),
    *(("", 32, 16, rows, 1, 32) for rows in ROWS),
    *(("transform", 8, 16, 32, blocks, 32) for blocks in (1, 2, 4)),
    *(("transform", 16, 16, rows, blocks, 32) for rows in (16, 32) for blocks in (1, 2)),
    *(("transpose", 32, 8, rows, 1, 32) for rows in (8, 16, 32)),
]
WRITES = [
    *((8, 16, rows, 8) for rows in (1, 2, 4, 8)),
    *((8, 32, rows, 16) for rows in (1, 2, 4, 8)),
    *((16, 16, rows, 16) for rows in (1, 2, 4, 8)),
    *((32, 16, rows, 32) for rows in (1, 2, 4, 8)),
]


def place(form: str, bits: int, columns: int, rows: int, block: int, y: int, x: int) -> tuple[int, int, int]:
    """(element of the lane's vector, lane, element inside that element), by the extension's tables."""
    packed = 32 // bits
    if form == "transform":
        return block * (rows // packed) + y // packed, x, y % packed
    if form == "transpose":
        if rows == 8:
            return x // 2, (x % 2) * 8 + y, 0
        return x * (rows // 16) + y // 16, y % 16, 0
    if columns == 8:  # two rows fill the lanes
        return block * (rows // 2) + y // 2, (y % 2) * 8 + x, 0
    share = columns // 16  # neighbouring elements that one lane holds
    return block * rows + y, x // share, x % share


def expected(surface: np.ndarray, shape: tuple, corner: tuple[int, int], result_bits: int) -> np.ndarray:
    """[lane][element] of the read at `corner` (x, y); zero outside the surface."""
    form, bits, columns, rows, blocks = shape
    share = result_bits // bits
    out = np.zeros((16, rows * columns * blocks // 16 // share, share), surface.dtype)
    for block in range(blocks):
        for y in range(rows):
            for x in range(columns):
                row, column = corner[1] + y, corner[0] + block * columns + x
                if 0 <= row < surface.shape[0] and 0 <= column < surface.shape[1]:
                    element, lane, sub = place(form, bits, columns, rows, block, y, x)
                    out[lane, element, sub] = surface[row, column]
    return out.reshape(16, -1)


def read_kernel(symbol: str, leading: str, result_bits: int, count: int) -> str:
    """Each lane reads its part of the block at (%x, %y) and stores it."""
    vector = f"<{count} x i{result_bits}>"
    types = f"{leading}ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr"
    body = f"""
  %data = alloca {vector}, align 64
  %c0 = insertelement <2 x i32> poison, i32 %x, i32 0
  %c = insertelement <2 x i32> %c0, i32 %y, i32 1
  call spir_func void @{symbol}({{leading}}ptr addrspace(1) %in, i32 %w, i32 %h, i32 %p, <2 x i32> %c, ptr %data)
  %v = load {vector}, ptr %data
{store_vector("v", vector, count, f"i{result_bits}")}"""
    parameters = "ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %w, i32 %h, i32 %p, i32 %x, i32 %y"
    return module(body, parameters, f"declare spir_func void @{symbol}({types})")


def opencl_read(form: str, bits: int, columns: int, rows: int, blocks: int, result_bits: int, letters: dict) -> str:
    middle = f"_{form}" if form else ""
    name = f"intel_sub_group_2d_block_read{middle}_{bits}b_{rows}r{columns}x{blocks}c"
    count = rows * columns * blocks // 16 * bits // result_bits
    symbol = mangled(name, f"PU3AS1viiiDv2_iP{letters[result_bits // 8]}")
    return read_kernel(symbol, "", result_bits, count).replace("{leading}", "")


def spirv_read(form: str, bits: int, columns: int, rows: int, blocks: int, result_bits: int) -> str:
    name = f"__spirv_Subgroup2DBlockLoad{form.capitalize()}INTEL"
    count = rows * columns * blocks // 16 * bits // result_bits
    symbol = mangled(name, "iiiiPU3AS1viiiDv2_iPv")
    constants = f"i32 {bits // 8}, i32 {columns}, i32 {rows}, i32 {blocks}, "
    return read_kernel(symbol, "i32, i32, i32, i32, ", result_bits, count).replace("{leading}", constants)


def make_surface(bits: int, random: np.random.Generator) -> np.ndarray:
    """40 rows of 192 bytes, in a pitch of 256 bytes."""
    dtype = DTYPES[bits // 8]
    whole = aligned((40, 256 // (bits // 8)), dtype)
    whole[:] = random.integers(1, 1 << min(bits, 62), whole.shape, dtype=np.uint64).astype(dtype)
    return whole[:, : 192 // (bits // 8)]


@pytest.mark.parametrize("shape", READS, ids=lambda shape: "_".join(str(part) for part in shape))
def test_read(shape: tuple, launch, random) -> None:
    form, bits, columns, rows, blocks, result_bits = shape
    surface = make_surface(bits, random)
    unit = 4 // (bits // 8) or 1
    sources = [
        opencl_read(form, bits, columns, rows, blocks, result_bits, LETTERS),
        opencl_read(form, bits, columns, rows, blocks, result_bits, SIGNED_LETTERS),
        spirv_read(form, bits, columns, rows, blocks, result_bits),
    ]
    right_edge = (surface.shape[1] // unit - 2) * unit
    for source, corner in zip(sources, [(unit, 3), (right_edge, 30), (-2 * unit, -5)], strict=True):
        out = np.zeros((16, rows * columns * blocks // 16 * bits // result_bits), DTYPES[result_bits // 8])
        report = launch(source, surface, out, 192, 40, 256, *corner)
        wanted = expected(surface, shape[:5], corner, result_bits)
        assert np.array_equal(out.view(DTYPES[bits // 8]), wanted)
        (count,) = report.loads[:1]
        inside = np.count_nonzero(wanted) * bits // 8  # the surface holds no zero
        assert (count.messages, count.bytes_asked, count.bytes_used) == (1, wanted.size * bits // 8, inside)


@pytest.mark.parametrize("shape", WRITES, ids=lambda shape: "_".join(str(part) for part in shape))
@pytest.mark.parametrize("corner", [(4, 1), (184, 37), (-4, -1)])
def test_write(shape: tuple, corner: tuple[int, int], launch, random) -> None:
    """A write stores what a read of the same shape would find, and changes nothing else."""
    bits, columns, rows, value_bits = shape
    name = f"intel_sub_group_2d_block_write_{bits}b_{rows}r{columns}x1c"
    symbol = mangled(name, f"PU3AS1viiiDv2_iP{LETTERS[value_bits // 8]}")
    count = rows * columns * bits // 16 // value_bits
    vector = f"<{count} x i{value_bits}>"
    x = corner[0] * 8 // bits
    surface = "ptr addrspace(1) %out, i32 192, i32 40, i32 256"
    body = f"""
  %data = alloca {vector}, align 64
  %place = mul i32 %item, {count}
  %slot = getelementptr i{value_bits}, ptr addrspace(1) %in, i32 %place
  %v = load {vector}, ptr addrspace(1) %slot, align 1
  store {vector} %v, ptr %data
  call spir_func void @{symbol}({surface}, <2 x i32> <i32 {x}, i32 {corner[1]}>, ptr %data)
"""
    declaration = f"declare spir_func void @{symbol}(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)"
    source = module(body, "ptr addrspace(1) %in, ptr addrspace(1) %out", declaration)
    dtype = DTYPES[bits // 8]
    values = random.integers(1, 200, (16, count * value_bits // bits)).astype(dtype)
    whole = aligned((40, 256 // (bits // 8)), dtype)
    launch(source, values, whole)
    wanted = np.zeros_like(whole)
    for y in range(rows):
        for column in range(columns):
            row, col = corner[1] + y, x + column
            if 0 <= row < 40 and 0 <= col < 192 // (bits // 8):
                element, lane, sub = place("", bits, columns, rows, 0, y, column)
                share = value_bits // bits
                wanted[row, col] = values[lane, element * share + sub]
    assert np.array_equal(whole, wanted)


def test_compiler_intrinsic_has_the_registers_own_operands(launch, random) -> None:
    """The intrinsic takes sizes less one, x and y separately, and returns the vector; with 32 lanes, each element
    covers twice as much."""
    name = "llvm.genx.GenISA.LSC2DBlockRead.v{count}i16"
    constants = "i32 16, i32 16, i32 8, i32 1, i1 false, i1 false, i32 0"
    for lanes, count in ((16, 8), (32, 4)):
        symbol = name.format(count=count)
        vector = f"<{count} x i16>"
        types = "i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i1, i32"
        body = f"""
  %base = ptrtoint ptr addrspace(1) %in to i64
  %v = call {vector} @{symbol}(i64 %base, i32 127, i32 39, i32 255, i32 2, i32 1, {constants})
{store_vector("v", vector, count, "i16")}"""
        source = module(body, "ptr addrspace(1) %in, ptr addrspace(1) %out", f"declare {vector} @{symbol}({types})")
        surface = make_surface(16, random)
        out = np.zeros((lanes, count), np.uint16)
        launch(source, surface, out, subgroup_size=lanes)
        block = surface[1:9, 2:18]
        if lanes == 16:
            assert np.array_equal(out, block.T)
        else:  # lane l of element i holds row 2i + l / 16
            assert np.array_equal(out.T.reshape(8, 16), block)


@pytest.mark.parametrize("x", [0, 100000])
def test_prefetch_moves_nothing(x: int, launch) -> None:
    symbol = mangled("intel_sub_group_2d_block_prefetch_16b_8r16x2c", "PU3AS1viiiDv2_i")
    body = (
        f"call spir_func void @{symbol}(ptr addrspace(1) %in, i32 64, i32 1000, i32 64, <2 x i32> <i32 {x}, i32 990>)"
    )
    source = module(body, "ptr addrspace(1) %in", f"declare void @{symbol}(ptr addrspace(1), i32, i32, i32, <2 x i32>)")
    report = launch(source, aligned((4, 32), np.uint16))  # shorter than the surface, which a prefetch allows
    (count,) = report.sites
    assert (count.messages, count.bytes_asked) == (1, 8 * 16 * 2 * 2)
    assert count.bytes_used == (0 if x else 8 * 64)


BROKEN_RULES = [
    ((1, 64, 40, 64, 0, 0), "base address must be a multiple of 64 bytes"),
    ((0, 60, 40, 64, 0, 0), "width must be 64 to 2^24 bytes, got 60"),
    ((0, 66, 40, 128, 0, 0), "width must be a multiple of 4 bytes, got 66"),
    ((0, 1 << 25, 40, 1 << 24, 0, 0), "width must be 64 to 2^24"),
    ((0, 64, 0, 64, 0, 0), "height must be 1 to 2^24 rows, got 0"),
    ((0, 64, 40, 48, 0, 0), "pitch must be 64 to 2^24"),
    ((0, 64, 40, 72, 0, 0), "pitch must be a multiple of 16 bytes, got 72"),
    ((0, 128, 40, 112, 0, 0), "pitch must be at least its width"),
    ((0, 64, 40, 64, 1, 0), "x must be a multiple of 2 for 16-bit elements, got 1"),
]


@pytest.mark.parametrize(("values", "rule"), BROKEN_RULES, ids=[rule for _, rule in BROKEN_RULES])
def test_broken_rule_is_named(values: tuple[int, ...], rule: str, launch) -> None:
    offset, width, height, pitch, x, y = values
    source = opencl_read("", 16, 16, 8, 1, 16, LETTERS)
    surface = aligned((4096,), np.uint16)
    out = np.zeros((16, 8), np.uint16)
    with pytest.raises(EmulatorError) as caught:
        launch(source, surface[offset:], out, width, height, pitch, x, y)
    assert rule in str(caught.value)
    assert "read_16b_8r16x1c" in str(caught.value)


def test_the_smallest_legal_surface_is_accepted(launch) -> None:
    """A surface just inside all limits is accepted: the control for the rules above."""
    source = opencl_read("", 16, 16, 8, 1, 16, LETTERS)
    out = np.ones((16, 8), np.uint16)
    launch(source, aligned((32,), np.uint16), out, 64, 1, 64, 0, 0)
    assert not out.any()


def test_operands_that_differ_between_lanes_are_refused(launch) -> None:
    source = opencl_read("", 16, 16, 8, 1, 16, LETTERS).replace("i32 %y, i32 1", "i32 %item, i32 1")
    with pytest.raises(EmulatorError, match="coordinate of a subgroup message must be the same in every lane"):
        launch(source, aligned((4096,), np.uint16), np.zeros((16, 8), np.uint16), 64, 40, 64, 0, 0)


ILLEGAL_SHAPES = [
    (("", 16, 16, 64, 1, 16), "rows: a power of two up to 32"),
    (("", 16, 16, 3, 1, 16), "rows: a power of two up to 32"),
    (("", 16, 32, 8, 2, 16), "at most 64 bytes"),
    (("", 32, 8, 8, 4, 32), "blocks: a power of two up to 2"),
    (("transpose", 32, 8, 16, 2, 32), "a transposed read has one block"),
    (("transpose", 16, 16, 16, 1, 16), "transpose"),
    (("transform", 32, 8, 16, 1, 32), "only 8-bit and 16-bit elements transform"),
]


@pytest.mark.parametrize(("shape", "rule"), ILLEGAL_SHAPES, ids=[str(shape) for shape, _ in ILLEGAL_SHAPES])
def test_shape_that_the_hardware_lacks_is_refused(shape: tuple, rule: str, launch) -> None:
    source = opencl_read(*shape, LETTERS)
    with pytest.raises(EmulatorError, match=rule):
        launch(source, aligned((4096,), np.uint16), np.zeros(4096, np.uint16), 64, 40, 64, 0, 0)


def test_surface_larger_than_its_array_is_caught(launch) -> None:
    """The surface is legal for the hardware but larger than the array: the message says which array and by how far."""
    source = opencl_read("", 16, 16, 8, 1, 16, LETTERS)
    surface = aligned((6, 32), np.uint16)
    with pytest.raises(EmulatorError) as caught:
        launch(source, surface, np.zeros((16, 8), np.uint16), 64, 40, 64, 0, 0)
    assert "byte 384 of argument 0, which has 384 bytes" in str(caught.value)
    assert "subgroup 0" in str(caught.value)
