"""mma.sync fragments of every shape and type, and ldmatrix and stmatrix of every canonical layout, run on the tensor
cores and are compared with numpy. Inputs are small integers, so results are exact."""

import ctypes
import itertools
from collections.abc import Callable

import numpy as np
import pytest

from dotload.layout.fragments import ELEMENT_BITS, MMA_SHAPES, MatrixMove, mma_fragment
from dotload.layout.swizzle import Atom, AtomOrder, Major, Mode, Tile

pytestmark = pytest.mark.gpu

LANES = 32
TILE_BYTES = 64 * 128
INTEGER = ("b1", "s4", "u4", "s8", "u8")
FROM_MATRICES = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}  # type -> k
# e2m1 needs kind::f8f6f4 and a target of its own, sm_120a (PTX ISA, mma).
ABSENT_ON_HOPPER = {"e2m1"}


def words_of(operand: str, shape: tuple[int, int, int], dtype: str) -> int:
    """The number of registers of an operand (64-bit registers for f64)."""
    elements = mma_fragment(operand, shape, dtype).in_sizes["register"]
    return elements if operand == "C" else elements * ELEMENT_BITS[dtype] // max(32, ELEMENT_BITS[dtype])


def mma_statement(shape: tuple[int, int, int], dtype: str) -> str:
    """The asm statement on arrays a, b, c."""
    accumulator = "s32" if dtype in INTEGER else "f64" if dtype == "f64" else "f32"
    name = "mma.sync.aligned.m{}n{}k{}.row.col.".format(*shape) + f"{accumulator}.{dtype}.{dtype}.{accumulator}"
    name += ".and.popc" if dtype == "b1" else ""
    counts = [words_of(operand, shape, dtype) for operand in "CAB"]
    texts, at = [], 0
    for count in counts:
        texts.append("{" + ", ".join(f"%{at + i}" for i in range(count)) + "}")
        at += count
    c_kind = {"s32": "r", "f32": "f", "f64": "d"}[accumulator]
    in_kind = "d" if dtype == "f64" else "r"
    outputs = ", ".join(f'"+{c_kind}"(c[{i}])' for i in range(counts[0]))
    inputs = ", ".join(
        f'"{in_kind}"({name}[{i}])' for name, n in (("a", counts[1]), ("b", counts[2])) for i in range(n)
    )
    return f'asm volatile("{name} {texts[0]}, {texts[1]}, {texts[2]}, {texts[0]};" : {outputs} : {inputs});'


def types_of(dtype: str) -> tuple[str, str]:
    """The C++ types of an operand register and of an accumulator."""
    if dtype == "f64":
        return "double", "double"
    return "uint32_t", "int" if dtype in INTEGER else "float"


def fragment_kernel(shape: tuple[int, int, int], dtype: str) -> str:
    """A kernel that loads registers from memory, runs mma.sync, and stores them."""
    name = fragment_name(shape, dtype)
    operand, accumulator = types_of(dtype)
    na, nb, nc = (words_of(which, shape, dtype) for which in "ABC")
    return f"""
__global__ void {name}_kernel(const {operand}* a_in, const {operand}* b_in, {accumulator}* out) {{
    {operand} a[{na}], b[{nb}]; {accumulator} c[{nc}] = {{}};
    for (int i = 0; i < {na}; ++i) a[i] = a_in[threadIdx.x * {na} + i];
    for (int i = 0; i < {nb}; ++i) b[i] = b_in[threadIdx.x * {nb} + i];
    {mma_statement(shape, dtype)}
    for (int i = 0; i < {nc}; ++i) out[threadIdx.x * {nc} + i] = c[i];
}}
extern "C" int {name}(const void* a, const void* b, void* out) {{
    {operand} *da, *db; {accumulator}* result;
    CHECK(to_device(&da, a, 32 * {na} * sizeof({operand}))); CHECK(to_device(&db, b, 32 * {nb} * sizeof({operand})));
    CHECK(to_device(&result, out, 32 * {nc} * sizeof({accumulator})));
    {name}_kernel<<<1, 32>>>(da, db, result);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, result, 32 * {nc} * sizeof({accumulator}), cudaMemcpyDeviceToHost));
    cudaFree(da); cudaFree(db); cudaFree(result);
    return 0;
}}
"""


def fragment_name(shape: tuple[int, int, int], dtype: str) -> str:
    return "fragment_m{}n{}k{}_".format(*shape) + dtype


def move_statement(verb: str, matrices: int, trans: bool, registers: str, address: str) -> str:
    """ldmatrix or stmatrix on an array of registers."""
    listed = [f"%{i}" for i in range(matrices)]
    suffix = ".trans" if trans else ""
    if verb == "ldmatrix":
        outputs = ", ".join(f'"=r"({registers}[{i}])' for i in range(matrices))
        text = f"ldmatrix.sync.aligned.m8n8.x{matrices}{suffix}.shared.b16 {{{', '.join(listed)}}}, [%{matrices}];"
        return f'asm volatile("{text}" : {outputs} : "r"({address}) : "memory");'
    inputs = ", ".join(f'"r"({registers}[{i}])' for i in range(matrices))
    text = f"stmatrix.sync.aligned.m8n8.x{matrices}{suffix}.shared.b16 [%{matrices}], {{{', '.join(listed)}}};"
    return f'asm volatile("{text}" :: {inputs}, "r"({address}) : "memory");'


def matrix_kernel(dtype: str, a_trans: bool, b_trans: bool) -> str:
    """A kernel with tiles in shared memory and four k steps of ldmatrix and mma.sync."""
    name = matrix_name(dtype, a_trans, b_trans)
    _, accumulator = types_of(dtype)
    shape = (16, 8, FROM_MATRICES[dtype])
    return f"""
__global__ void {name}_kernel(const unsigned char* tiles, const int* rows_a, const int* rows_b, {accumulator}* out) {{
    __shared__ alignas(1024) unsigned char memory[{2 * TILE_BYTES}];
    for (int i = threadIdx.x; i < {2 * TILE_BYTES}; i += 32) memory[i] = tiles[i];
    __syncthreads();
    uint32_t base = (uint32_t)__cvta_generic_to_shared(memory);
    {accumulator} c[4] = {{}};
    for (int step = 0; step < 4; ++step) {{
        uint32_t a[4], b[2];
        uint32_t at_a = base + rows_a[step * 32 + threadIdx.x];
        uint32_t at_b = base + {TILE_BYTES} + rows_b[step * 32 + threadIdx.x];
        {move_statement("ldmatrix", 4, a_trans, "a", "at_a")}
        {move_statement("ldmatrix", 2, b_trans, "b", "at_b")}
        {mma_statement(shape, dtype)}
    }}
    for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = c[i];
}}
extern "C" int {name}(const void* tiles, const void* rows_a, const void* rows_b, void* out) {{
    unsigned char* d; int *ra, *rb; {accumulator}* result;
    CHECK(to_device(&d, tiles, {2 * TILE_BYTES})); CHECK(to_device(&ra, rows_a, 512));
    CHECK(to_device(&rb, rows_b, 512)); CHECK(to_device(&result, out, 512));
    {name}_kernel<<<1, 32>>>(d, ra, rb, result);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, result, 512, cudaMemcpyDeviceToHost));
    cudaFree(d); cudaFree(ra); cudaFree(rb); cudaFree(result);
    return 0;
}}
"""


def matrix_name(dtype: str, a_trans: bool, b_trans: bool) -> str:
    return f"matrix_{dtype}_{int(a_trans)}{int(b_trans)}"


def move_kernel(matrices: int, trans: bool) -> str:
    """A kernel that runs ldmatrix, stores its registers, then runs stmatrix on them to other memory, and stores
    that."""
    name = f"move_x{matrices}_{int(trans)}"
    return f"""
__global__ void {name}_kernel(const unsigned char* in, unsigned char* out) {{
    __shared__ alignas(1024) unsigned char memory[1024];
    for (int i = threadIdx.x; i < 512; i += 32) {{ memory[i] = in[i]; memory[512 + i] = 0; }}
    __syncthreads();
    uint32_t r[{matrices}];
    uint32_t at = (uint32_t)__cvta_generic_to_shared(memory) + 16 * (threadIdx.x % {8 * matrices});
    {move_statement("ldmatrix", matrices, trans, "r", "at")}
    {move_statement("stmatrix", matrices, trans, "r", "at + 512")}
    __syncthreads();
    for (int i = 0; i < {matrices}; ++i) ((uint32_t*)out)[threadIdx.x * {matrices} + i] = r[i];
    for (int i = threadIdx.x; i < {128 * matrices}; i += 32) out[512 + i] = memory[512 + i];
}}
extern "C" int {name}(const void* in, void* out) {{
    unsigned char *d, *result;
    CHECK(to_device(&d, in, 512)); CHECK(to_device(&result, out, 1024));
    {name}_kernel<<<1, 32>>>(d, result);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, result, 1024, cudaMemcpyDeviceToHost));
    cudaFree(d); cudaFree(result);
    return 0;
}}
"""


FRAGMENTS = [(d, s) for d, shapes in MMA_SHAPES.items() for s in shapes if d not in ABSENT_ON_HOPPER]
MOVES = list(itertools.product((1, 2, 4), (False, True)))


def cuda_source() -> str:
    parts = [fragment_kernel(shape, dtype) for dtype, shape in FRAGMENTS]
    parts += [move_kernel(*move) for move in MOVES]
    for dtype in FROM_MATRICES:
        transposes = (False, True) if ELEMENT_BITS[dtype] == 16 else (False,)
        parts += [matrix_kernel(dtype, *pair) for pair in itertools.product(transposes, transposes)]
    return "".join(parts)


@pytest.fixture(scope="module")
def library(hopper: None, load_library: Callable[[str, str], ctypes.CDLL]) -> ctypes.CDLL:
    return load_library("mma_sync", cuda_source())


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def values(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    low, high = {"b1": (0, 2), "u4": (0, 5), "u8": (0, 5)}.get(dtype, (-4, 5))
    return rng.integers(low, high, shape)


def held(values_: np.ndarray, operand: str, shape: tuple[int, int, int], dtype: str, bits_of: dict) -> np.ndarray:
    """The packed registers of every lane by our fragment layout."""
    fragment = mma_fragment(operand, shape, dtype)
    lane, register = np.meshgrid(np.arange(LANES), np.arange(fragment.in_sizes["register"]), indexing="ij")
    place = fragment.apply({"register": register, "lane": lane})
    mine = values_[place["dim0"], place["dim1"]]
    bits = ELEMENT_BITS[dtype]
    if bits >= 8:
        return np.ascontiguousarray(bits_of[dtype](mine))
    per_word = 32 // bits
    fields = (mine & (1 << bits) - 1).astype(np.uint64).reshape(LANES, -1, per_word)
    return np.ascontiguousarray((fields << (np.arange(per_word, dtype=np.uint64) * bits)).sum(axis=2).astype(np.uint32))


def accumulator_matrix(raw: np.ndarray, shape: tuple[int, int, int], dtype: str) -> np.ndarray:
    fragment = mma_fragment("C", shape, dtype)
    lane, register = np.meshgrid(np.arange(LANES), np.arange(fragment.in_sizes["register"]), indexing="ij")
    place = fragment.apply({"register": register, "lane": lane})
    result = np.full(shape[:2], np.nan)
    result[place["dim0"], place["dim1"]] = raw.reshape(LANES, -1)
    return result


def accumulator_buffer(count: int, dtype: str) -> np.ndarray:
    kind = np.int32 if dtype in INTEGER else np.float64 if dtype == "f64" else np.float32
    return np.full(LANES * count, -77777, dtype=kind)


@pytest.mark.parametrize(("dtype", "shape"), FRAGMENTS)
def test_fragments(
    dtype: str, shape: tuple[int, int, int], library: ctypes.CDLL, number_formats: dict[str, Callable]
) -> None:
    rng = np.random.default_rng(7)
    m, n, k = shape
    a, b = values(rng, dtype, (m, k)), values(rng, dtype, (k, n))
    out = accumulator_buffer(words_of("C", shape, dtype), dtype)
    inputs = [held(x, operand, shape, dtype, number_formats) for x, operand in ((a, "A"), (b, "B"))]
    assert getattr(library, fragment_name(shape, dtype))(*map(pointer, inputs), pointer(out)) == 0
    np.testing.assert_array_equal(accumulator_matrix(out, shape, dtype), a @ b)


def row_addresses(operand: str, dtype: str, trans: bool, offsets: np.ndarray, mn: int) -> np.ndarray:
    """The byte address that each lane gives to ldmatrix, for four k steps, from the layouts of move, fragment and
    tile.

    Byte 0 of lane l's row goes to some byte of some register of some lane. The fragment layout says which element
    belongs there, and `offsets` [m or n, k] where the tile has it.
    """
    bits, k = ELEMENT_BITS[dtype], FROM_MATRICES[dtype]
    fragment = mma_fragment(operand, (16, 8, k), dtype)
    matrices = 4 if operand == "A" else 2
    move = MatrixMove(matrices, trans=trans).to_linear_layout()
    lane = np.arange(LANES) % (8 * matrices)
    to = move.apply({"byte": np.zeros(LANES, dtype=np.int64), "lane": lane})
    element = to["register"] * (32 // bits) + to["byte"] * 8 // bits
    place = fragment.apply({"register": element, "lane": to["lane"]})
    along_mn, along_k = ("dim0", "dim1") if operand == "A" else ("dim1", "dim0")
    return np.stack([offsets[place[along_mn] + mn, place[along_k] + step * k] for step in range(4)]).astype(np.int32)


@pytest.mark.parametrize("dtype", FROM_MATRICES)
def test_ldmatrix_feeds_mma_from_every_layout(
    dtype: str, library: ctypes.CDLL, number_formats: dict[str, Callable]
) -> None:
    rng = np.random.default_rng(11)
    bits = ELEMENT_BITS[dtype]
    extents = (64, 128 * 8 // bits)
    majors = list(Major) if bits == 16 else [Major.K]  # .trans moves 16-bit units
    forms = list(itertools.product(majors, Mode, AtomOrder))
    done = 0
    for a_form, b_form in itertools.product(forms, forms):
        tiles, offsets, matrices = [], [], []
        for major, mode, order in (a_form, b_form):
            tile = Tile(Atom(major, mode, bits), extents, order)
            mn, k = np.meshgrid(np.arange(extents[0]), np.arange(extents[1]), indexing="ij")
            elements = tile.to_linear_layout().invert().apply({"dim0": mn, "dim1": k})["offset"]
            matrix = values(rng, dtype, extents)
            memory = np.zeros(extents[0] * extents[1], dtype=number_formats[dtype](matrix).dtype)
            memory[elements] = number_formats[dtype](matrix)
            tiles.append(memory.view(np.uint8))
            offsets.append(elements * bits // 8)
            matrices.append(matrix)
        m0, n0 = 16 * int(rng.integers(4)), 8 * int(rng.integers(8))
        trans = (a_form[0] is Major.MN, b_form[0] is Major.MN)
        rows = [
            row_addresses("A", dtype, trans[0], offsets[0], m0),
            row_addresses("B", dtype, trans[1], offsets[1], n0),
        ]
        out = accumulator_buffer(4, dtype)
        memory = np.concatenate(tiles)
        run = getattr(library, matrix_name(dtype, *trans))
        assert run(pointer(memory), *map(pointer, rows), pointer(out)) == 0
        expected = matrices[0][m0 : m0 + 16] @ matrices[1][n0 : n0 + 8].T
        found = accumulator_matrix(out, (16, 8, FROM_MATRICES[dtype]), dtype)
        np.testing.assert_array_equal(found, expected, err_msg=f"{dtype} {a_form} {b_form}")
        done += 1
    assert done == (256 if bits == 16 else 64)


@pytest.mark.parametrize(("matrices", "trans"), MOVES)
def test_ldmatrix_and_stmatrix_byte_by_byte(matrices: int, trans: bool, library: ctypes.CDLL) -> None:
    source = np.random.default_rng(5).permutation(512).astype(np.uint8)
    out = np.full(1024, 0xEE, dtype=np.uint8)
    assert getattr(library, f"move_x{matrices}_{int(trans)}")(pointer(source), pointer(out)) == 0
    rows = 8 * matrices
    lane, byte = np.meshgrid(np.arange(rows), np.arange(16), indexing="ij")
    to = MatrixMove(matrices, trans=trans).to_linear_layout().apply({"byte": byte, "lane": lane})
    expected = np.zeros((LANES, matrices, 4), dtype=np.uint8)
    expected[to["lane"], to["register"], to["byte"]] = source[: 16 * rows].reshape(rows, 16)
    np.testing.assert_array_equal(out[: 128 * matrices].reshape(LANES, matrices, 4), expected)
    np.testing.assert_array_equal(out[512 : 512 + 16 * rows], source[: 16 * rows])
