"""Every canonical shared-memory layout and type that wgmma reads: our layout writes the tile, our descriptor describes
it, and the tensor cores' product is compared with numpy. Inputs are small integers, so results are exact."""

import ctypes
import itertools
from collections.abc import Callable

import numpy as np
import pytest

from dotload.layout.descriptors import MN_MAJOR_TYPES, describe_tile
from dotload.layout.fragments import ELEMENT_BITS, WGMMA_TYPES, wgmma_a_fragment, wgmma_accumulator, wgmma_k
from dotload.layout.swizzle import Atom, AtomOrder, Major, Mode, Tile

pytestmark = pytest.mark.gpu

M = N = 64
K_BYTES = 128  # four instructions
THREADS = 128
ACCUMULATORS = N // 2


def instruction(dtype: str, a_is_shared: bool, trans: tuple[int, int]) -> str:
    """The asm statement: accumulators %0 to %31, then descriptors or A's registers, then the scale predicate."""
    registers = ", ".join(f"%{i}" for i in range(ACCUMULATORS))
    at = ACCUMULATORS
    a = f"%{at}" if a_is_shared else "{" + ", ".join(f"%{at + i}" for i in range(4)) + "}"
    at += 1 if a_is_shared else 4
    accumulator = "s32" if dtype in ("s8", "u8") else "f32"
    tail = "" if accumulator == "s32" else ", 1, 1"
    if dtype in MN_MAJOR_TYPES:
        tail += f", {trans[0]}, {trans[1]}" if a_is_shared else f", {trans[1]}"
    name = f"wgmma.mma_async.sync.aligned.m64n{N}k{wgmma_k(dtype)}.{accumulator}.{dtype}.{dtype}"
    text = f"{{ .reg .pred p; setp.ne.b32 p, %{at + 1}, 0; {name} {{{registers}}}, {a}, %{at}, p{tail}; }}"
    constraint = "r" if accumulator == "s32" else "f"
    outputs = ", ".join(f'"+{constraint}"(acc[{i}])' for i in range(ACCUMULATORS))
    inputs = '"l"(desc_a)' if a_is_shared else ", ".join(f'"r"(a[{i}])' for i in range(4))
    return f'asm volatile("{text}" : {outputs} : {inputs}, "l"(desc_b), "r"(step));'


def kernel(name: str, dtype: str, a_is_shared: bool, trans: tuple[int, int]) -> str:
    """A kernel that scatters the tiles by offset tables, multiplies all k steps and stores the raw accumulators."""
    word = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t"}[ELEMENT_BITS[dtype]]
    accumulator = "int" if dtype in ("s8", "u8") else "float"
    a_setup = (
        "uint64_t desc_a = descs_a[step] + (base >> 4);"
        if a_is_shared
        else "const uint32_t* a = (const uint32_t*)a_in + (step * 128 + threadIdx.x) * 4;"
    )
    return f"""
__global__ void {name}_kernel(const {word}* a_in, const {word}* b_in, const int* to_a, const int* to_b,
                              const uint64_t* descs_a, const uint64_t* descs_b, int count, {accumulator}* out) {{
    __shared__ alignas(1024) unsigned char memory[{2 * M * K_BYTES}];
    for (int i = threadIdx.x; i < count; i += {THREADS}) {{
        {f"*({word}*)(memory + to_a[i]) = a_in[i];" if a_is_shared else ""}
        *({word}*)(memory + {M * K_BYTES} + to_b[i]) = b_in[i];
    }}
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint64_t base = (uint64_t)__cvta_generic_to_shared(memory);
    {accumulator} acc[{ACCUMULATORS}] = {{}};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < 4; ++step) {{
        {a_setup}
        uint64_t desc_b = descs_b[step] + ((base + {M * K_BYTES}) >> 4);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        {instruction(dtype, a_is_shared, trans)}
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    for (int i = 0; i < {ACCUMULATORS}; ++i) out[threadIdx.x * {ACCUMULATORS} + i] = acc[i];
}}
extern "C" int {name}(const void* a, const void* b, const void* to_a, const void* to_b, const void* descs_a,
                      const void* descs_b, int count, void* out) {{
    {word} *da, *db; int *oa, *ob; uint64_t *ga, *gb; {accumulator}* result;
    size_t size = count * sizeof({word}), out_size = {THREADS * ACCUMULATORS} * 4;
    CHECK(to_device(&da, a, size)); CHECK(to_device(&db, b, size));
    CHECK(to_device(&oa, to_a, count * 4)); CHECK(to_device(&ob, to_b, count * 4));
    CHECK(to_device(&ga, descs_a, 32)); CHECK(to_device(&gb, descs_b, 32));
    CHECK(to_device(&result, out, out_size));
    {name}_kernel<<<1, {THREADS}>>>(da, db, oa, ob, ga, gb, count, result);
    CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, result, out_size, cudaMemcpyDeviceToHost));
    cudaFree(da); cudaFree(db); cudaFree(oa); cudaFree(ob); cudaFree(ga); cudaFree(gb); cudaFree(result);
    return 0;
}}
"""


def kernel_name(dtype: str, a_is_shared: bool, trans: tuple[int, int]) -> str:
    return f"wgmma_{dtype}_{'ss' if a_is_shared else 'rs'}_{trans[0]}{trans[1]}"


def variants() -> list[tuple[str, bool, tuple[int, int]]]:
    """Every form of the instruction: type, A in shared memory or registers, and both transposes."""
    found = []
    for dtype in WGMMA_TYPES:
        transposes = (0, 1) if dtype in MN_MAJOR_TYPES else (0,)
        found += [(dtype, True, pair) for pair in itertools.product(transposes, transposes)]
        found += [(dtype, False, (0, trans)) for trans in transposes]
    return found


def cuda_source() -> str:
    return "".join(kernel(kernel_name(*variant), *variant) for variant in variants())


@pytest.fixture(scope="module")
def library(hopper: None, load_library: Callable[[str, str], ctypes.CDLL]) -> ctypes.CDLL:
    return load_library("wgmma", cuda_source())


def layouts_of(dtype: str) -> list[tuple[Major, Mode, AtomOrder]]:
    majors = list(Major) if dtype in MN_MAJOR_TYPES else [Major.K]
    return list(itertools.product(majors, Mode, AtomOrder))


def placed(dtype: str, operand: str, major: Major, mode: Mode, order: AtomOrder) -> tuple[np.ndarray, np.ndarray]:
    """Byte offset of every element, [m or n, k], and the four descriptors for a tile at address 0."""
    bits = ELEMENT_BITS[dtype]
    tile = Tile(Atom(major, mode, bits), (64, K_BYTES * 8 // bits), order)
    mn, k = np.meshgrid(np.arange(tile.shape[0]), np.arange(tile.shape[1]), indexing="ij")
    offsets = tile.to_linear_layout().invert().apply({"dim0": mn, "dim1": k})["offset"] * bits // 8
    steps = range(0, tile.shape[1], wgmma_k(dtype))
    descriptors = [describe_tile(tile, dtype, operand, 0, step).encode() for step in steps]
    return offsets.astype(np.int32), np.array(descriptors, dtype=np.uint64)


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def operands(dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    low = 0 if dtype == "u8" else -4
    shape = (64, K_BYTES * 8 // ELEMENT_BITS[dtype])
    return rng.integers(low, 5, shape), rng.integers(low, 5, shape)


def accumulators_as_matrix(raw: np.ndarray) -> np.ndarray:
    """[thread, register] -> [row, column], by our accumulator layout."""
    thread, register = np.meshgrid(np.arange(THREADS), np.arange(ACCUMULATORS), indexing="ij")
    place = wgmma_accumulator(N).apply({"register": register, "lane": thread % 32, "warp": thread // 32})
    result = np.full((M, N), np.nan)
    result[place["dim0"], place["dim1"]] = raw.reshape(THREADS, ACCUMULATORS)
    return result


def result_buffer(dtype: str) -> np.ndarray:
    size = THREADS * ACCUMULATORS
    return np.full(size, -77777, dtype=np.int32 if dtype in ("s8", "u8") else np.float32)


@pytest.mark.parametrize("dtype", WGMMA_TYPES)
def test_both_operands_in_shared_memory(dtype: str, library: ctypes.CDLL, number_formats: dict[str, Callable]) -> None:
    a, b = operands(dtype, 1)
    a_bits, b_bits = (np.ascontiguousarray(number_formats[dtype](x)) for x in (a, b))
    expected = a @ b.T
    done = 0
    for a_form, b_form in itertools.product(layouts_of(dtype), layouts_of(dtype)):
        to_a, descs_a = placed(dtype, "A", *a_form)
        to_b, descs_b = placed(dtype, "B", *b_form)
        trans = (int(a_form[0] is Major.MN), int(b_form[0] is Major.MN))
        out = result_buffer(dtype)
        run = getattr(library, kernel_name(dtype, True, trans))
        status = run(*map(pointer, (a_bits, b_bits, to_a, to_b, descs_a, descs_b)), a.size, pointer(out))
        assert status == 0
        np.testing.assert_array_equal(accumulators_as_matrix(out), expected, err_msg=f"{dtype} {a_form} {b_form}")
        done += 1
    assert done == (256 if dtype in MN_MAJOR_TYPES else 64)


@pytest.mark.parametrize("dtype", WGMMA_TYPES)
def test_operand_a_in_registers(dtype: str, library: ctypes.CDLL, number_formats: dict[str, Callable]) -> None:
    a, b = operands(dtype, 2)
    a_bits, b_bits = (np.ascontiguousarray(number_formats[dtype](x)) for x in (a, b))
    fragment = wgmma_a_fragment(dtype)
    per_thread = fragment.in_sizes["register"]
    thread, register = np.meshgrid(np.arange(THREADS), np.arange(per_thread), indexing="ij")
    place = fragment.apply({"register": register, "lane": thread % 32, "warp": thread // 32})
    steps = range(0, a.shape[1], wgmma_k(dtype))
    held = np.ascontiguousarray(np.stack([a_bits[place["dim0"], place["dim1"] + step] for step in steps]))
    assert held.nbytes == 4 * THREADS * 16
    for b_form in layouts_of(dtype):
        to_b, descs_b = placed(dtype, "B", *b_form)
        out = result_buffer(dtype)
        run = getattr(library, kernel_name(dtype, False, (0, int(b_form[0] is Major.MN))))
        unused = np.zeros(a.size, dtype=np.int32)
        status = run(*map(pointer, (held, b_bits, unused, to_b, descs_b, descs_b)), a.size, pointer(out))
        assert status == 0
        np.testing.assert_array_equal(accumulators_as_matrix(out), a @ b.T, err_msg=f"{dtype} {b_form}")
