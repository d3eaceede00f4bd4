"""Matrix multiplies agree with numpy; operands are distributed over lanes as
cl_intel_subgroup_matrix_multiply_accumulate says."""

import numpy as np
import pytest
from xe_kernels import mangled, module, store_vector

from dotload.emulator import EmulatorError

DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "i8": 32, "u8": 32}
SPIRV_BITS = {"f16": 0xC00, "bf16": 0x3000, "tf32": 0x300, "i8": 0x33, "u8": 0x30, "e4m3": 0xC000, "e5m2": 0x30000}
DPAS = "__spirv_SubgroupMatrixMultiplyAccumulateINTEL"


def to_bits(values: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    types = {"f16": np.float16, "tf32": np.float32, "i8": np.int8, "u8": np.uint8, "f32": np.float32, "i32": np.int32}
    return values.astype(types[kind])


def from_bits(bits: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    if kind == "tf32":
        return (bits.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)
    return bits.astype(np.float32 if bits.dtype == np.float16 else bits.dtype)


def deal(rows: np.ndarray, lane_bytes: int, lanes: int) -> np.ndarray:
    """[lane][element]: a matrix's rows, one after the other, distributed over the lanes element by element."""
    flat = np.ascontiguousarray(rows).view(np.uint8).reshape(-1, lanes, lane_bytes)
    return flat.transpose(1, 0, 2).copy().view(rows.dtype)


def pack_b(b: np.ndarray) -> np.ndarray:
    """K x 16 -> rows of 16 words, neighbours in K sharing a word, the lower one in the low bits."""
    packed = 4 // b.itemsize
    return np.ascontiguousarray(b.reshape(-1, packed, 16).transpose(0, 2, 1))


def kernel(symbol: str, spirv: str, types: tuple[str, str, str]) -> str:
    """A kernel that loads this lane's A, B and C, multiplies, and stores D over C."""
    loads = ""
    for name, type_ in zip("abc", types, strict=True):
        loads += f"""
  %{name}p = getelementptr {type_}, ptr addrspace(1) %{name}_in, i32 %item
  %{name} = load {type_}, ptr addrspace(1) %{name}p, align 1"""
    a, b, c = types
    given = f"{a} %a, {b} %b, {c} %c"
    declared = ", ".join(types)
    if spirv:
        depth, bits = spirv.split()
        given, declared = f"i32 {depth}, {given}, i32 {bits}", f"i32, {declared}, i32"
    body = f"""{loads}
  %d = call {c} @{symbol}({given})
  store {c} %d, ptr addrspace(1) %cp, align 1"""
    parameters = ", ".join(f"ptr addrspace(1) %{name}_in" for name in "abc")
    return module(body, parameters, f"declare {c} @{symbol}({declared})")


def vector(count: int, element: str) -> str:
    return f"<{count} x {element}>" if count > 1 else element


CASES = [
    *((kind, "f32", m, 16) for kind in ("f16", "bf16", "tf32") for m in (1, 2, 4, 8)),
    *((kind, "i32", m, 16) for kind in ("i8", "u8") for m in (1, 2, 4, 8)),
    ("f16", "f16", 8, 16),
    ("bf16", "bf16", 8, 16),
    ("f16", "f32", 8, 32),
    ("tf32", "f32", 8, 32),
    ("i8", "i32", 8, 32),
]


@pytest.mark.parametrize("spelling", ["opencl", "spirv"])
@pytest.mark.parametrize(("kind", "result", "m", "lanes"), CASES)
def test_product(kind: str, result: str, m: int, lanes: int, spelling: str, launch, random) -> None:
    k = DEPTH[kind]
    integers = kind in ("i8", "u8")
    low = 0 if kind == "u8" else -128
    draw = (
        (lambda *shape: random.integers(low, low + 256, shape))
        if integers
        else (lambda *shape: random.standard_normal(shape))
    )
    a, b = (to_bits(draw(*shape), kind) for shape in ((m, k), (k, 16)))
    c = to_bits(random.integers(-9, 9, (m, 16)), result)
    a_element, a_bytes = ("float", 4) if kind == "tf32" else ("i16", 2)
    b_element = "float" if kind == "tf32" else "i32"
    c_element = {"f32": "float", "i32": "i32", "f16": "half", "bf16": "i16"}[result]
    a_lane = max(1, m * k * a.itemsize // a_bytes // lanes)
    types = (vector(a_lane, a_element), vector(8 * 16 // lanes, b_element), vector(m * 16 // lanes, c_element))
    if spelling == "opencl":
        symbol, spirv = mangled(f"intel_sub_group_{kind}_{kind}_matrix_mad_k{k}", "x"), ""
    else:
        bits = SPIRV_BITS[kind] | (12 if result == "bf16" else 0)
        symbol, spirv = mangled(DPAS, "x"), f"{k} {bits}"
    a_dealt = deal(a, a_bytes, lanes) if a.nbytes >= a_bytes * lanes else deal(np.resize(a, (2 * m, k)), a_bytes, lanes)
    d = deal(c, c.itemsize, lanes)
    launch(kernel(symbol, spirv, types), a_dealt, deal(pack_b(b), 4, lanes), d, subgroup_size=lanes)
    got = from_bits(d.transpose(1, 0, 2).reshape(m, 16), result)
    if integers:
        assert np.array_equal(got, a.astype(np.int32) @ b.astype(np.int32) + c)
    else:
        wanted = from_bits(a, kind).astype(np.float64) @ from_bits(b, kind).astype(np.float64) + from_bits(c, result)
        assert np.allclose(got, wanted, rtol=2e-2 if result != "f32" else 1e-5, atol=6e-2 if result != "f32" else 1e-4)


def test_integers_wrap(launch) -> None:
    a = np.full((8, 32), 127, np.int8)
    b = np.full((32, 16), 127, np.int8)
    c = np.full((8, 16), 2**31 - 1, np.int32)
    d = deal(c, 4, 16)
    symbol = mangled("intel_sub_group_i8_i8_matrix_mad_k32", "Dv8_sDv8_iS0_")
    launch(kernel(symbol, "", ("<8 x i16>", "<8 x i32>", "<8 x i32>")), deal(a, 2, 16), deal(pack_b(b), 4, 16), d)
    wanted = np.int64(2**31 - 1) + 32 * 127 * 127
    assert (d.view(np.int32) == wanted - 2**32).all()


# Every value that these formats hold exactly, as (bits, value): OCP 8-bit floating point specification, table 1.
EXACT = {
    "e4m3": [(0x00, 0.0), (0x01, 2**-9), (0x08, 2**-6), (0x38, 1.0), (0x7E, 448.0), (0xB8, -1.0)],
    "e5m2": [(0x00, 0.0), (0x01, 2**-16), (0x04, 2**-14), (0x3C, 1.0), (0x7B, 57344.0), (0xBC, -1.0)],
}


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_eight_bit_floats(kind: str, launch) -> None:
    """A row with one value and zeros, times ones, gives the value."""
    one = next(bits for bits, value in EXACT[kind] if value == 1.0)
    b = np.full((32, 16), one, np.uint8)
    a = np.zeros((8, 32), np.uint8)
    values = np.zeros(8)
    for row, (bits, value) in enumerate(EXACT[kind]):
        a[row, 3], values[row] = bits, value
    d = np.zeros((16, 8), np.float32)
    source = kernel(mangled(DPAS, "x"), f"32 {SPIRV_BITS[kind]}", ("<8 x i16>", "<8 x i32>", "<8 x float>"))
    report = launch(source, deal(a, 2, 16), deal(pack_b(b), 4, 16), d)
    assert np.array_equal(d.T, np.repeat(values[:, None], 16, 1).astype(np.float32))
    assert report.dpas == 1


REFUSED = [
    (mangled("intel_sub_group_f16_f16_matrix_mad_k8", "x"), "", "<8 x float>", "K of f16 is 16"),
    (mangled("intel_sub_group_f16_bf16_matrix_mad_k16", "x"), "", "<8 x float>", "must have the same precision"),
    (mangled("intel_sub_group_i8_i8_matrix_mad_k32", "x"), "", "<8 x float>", "accumulates in s32"),
    (mangled("intel_sub_group_f16_f16_matrix_mad_k16", "x"), "", "<3 x float>", "M must be 1, 2, 4 or 8"),
    (mangled(DPAS, "x"), "16 0", "<8 x float>", "operand bits 0x0 name no precision of A"),
    (mangled(DPAS, "x"), "8 3072", "<8 x float>", "K of f16 is 16, got 8"),
]


@pytest.mark.parametrize(("symbol", "spirv", "c", "message"), REFUSED, ids=[case[-1] for case in REFUSED])
def test_what_the_hardware_lacks_is_refused(symbol: str, spirv: str, c: str, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(kernel(symbol, spirv, ("<8 x i16>", "<8 x i32>", c)), *[np.zeros(1024, np.uint8)] * 3)
    assert message in str(caught.value)


def test_store_helper_places_lanes_in_order(launch) -> None:
    """Checks the test's own oracle: element i of lane l is stored at l * count + i."""
    body = "  %v0 = insertelement <2 x i32> poison, i32 %item, i32 0\n"
    body += "  %v = insertelement <2 x i32> %v0, i32 7, i32 1\n" + store_vector("v", "<2 x i32>", 2, "i32")
    out = np.zeros((16, 2), np.int32)
    launch(module(body, "ptr addrspace(1) %out"), out)
    assert np.array_equal(out, np.stack([np.arange(16), np.full(16, 7)], 1))
