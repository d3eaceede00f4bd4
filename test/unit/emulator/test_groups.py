"""Ids, barriers and local memory, shuffles, reductions, scans, votes, 1D block accesses, and functions of one lane."""

import math

import numpy as np
import pytest
from xe_kernels import aligned, mangled, module, store_vector

from dotload.emulator import EmulatorError

IO = "ptr addrspace(1) %in, ptr addrspace(1) %out"
LLVM_TYPES = {
    "i": "i32",
    "j": "i32",
    "f": "float",
    "d": "double",
    "l": "i64",
    "s": "i16",
    "t": "i16",
    "Dh": "half",
    "c": "i8",
}
NUMPY_TYPES = {"i": np.int32, "j": np.uint32, "f": np.float32, "d": np.float64, "l": np.int64}
NUMPY_TYPES |= {"s": np.int16, "t": np.uint16, "Dh": np.float16, "c": np.int8}


def unary(symbol: str, letter: str, call: str = "{type} {value}") -> str:
    """A kernel with out[item] = symbol(in[item]); `call` gives the arguments."""
    type_ = LLVM_TYPES[letter]
    arguments = call.format(type=type_, value="%v")
    types = ", ".join(part.split()[0] for part in arguments.split(","))
    body = f"""
  %p = getelementptr {type_}, ptr addrspace(1) %in, i32 %item
  %v = load {type_}, ptr addrspace(1) %p
  %r = call spir_func {type_} @{symbol}({arguments})
{store_vector("r", type_, 1, type_)}"""
    return module(body, IO, f"declare spir_func {type_} @{symbol}({types})")


@pytest.mark.parametrize("lanes", [16, 32])
def test_ids(lanes: int, launch) -> None:
    names = ["get_group_id", "get_num_groups", "get_local_id", "get_local_size", "get_global_id", "get_global_size"]
    plain = ["get_sub_group_id", "get_num_sub_groups", "get_sub_group_local_id", "get_sub_group_size"]
    body, declarations = "", ""
    for index, name in enumerate(names):
        symbol = mangled(name, "j")
        body += f"  %q{index} = call i64 @{symbol}(i32 0)\n  %t{index} = trunc i64 %q{index} to i32\n"
        if name != "get_local_id":
            declarations += f"declare i64 @{symbol}(i32)\n"
    for index, name in enumerate(plain, len(names)):
        body += f"  %t{index} = call i32 @{mangled(name, '')}()\n"
        declarations += f"declare i32 @{mangled(name, '')}()\n"
    body += "  %group = mul i32 %t0, %t3\n  %index = add i32 %group, %item\n  %place = mul i32 %index, 10\n"
    for index in range(10):
        body += f"  %at{index} = add i32 %place, {index}\n"
        body += f"  %p{index} = getelementptr i32, ptr addrspace(1) %out, i32 %at{index}\n"
        body += f"  store i32 %t{index}, ptr addrspace(1) %p{index}\n"
    out = np.zeros((3, 2, lanes, 10), np.int32)
    launch(module(body, "ptr addrspace(1) %out", declarations), out, grid=(3,), num_warps=2, subgroup_size=lanes)
    items = 2 * lanes
    for group in range(3):
        for warp in range(2):
            for lane in range(lanes):
                local = warp * lanes + lane
                wanted = [group, 3, local, items, group * items + local, 3 * items, warp, 2, lane, lanes]
                assert out[group, warp, lane].tolist() == wanted


def test_grid_has_three_dimensions(launch) -> None:
    body, declarations = "", f"declare i64 @{mangled('get_group_id', 'j')}(i32)"
    for index in range(3):
        body += f"  %q{index} = call i64 @{mangled('get_group_id', 'j')}(i32 {index})\n"
        body += f"  %t{index} = trunc i64 %q{index} to i32\n"
    body += """  %z = mul i32 %t2, 6
  %y = mul i32 %t1, 2
  %zy = add i32 %z, %y
  %g = add i32 %zy, %t0
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %g
  %o = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
"""
    out = np.zeros(24, np.int32)
    launch(module(body, "ptr addrspace(1) %out", declarations), out, grid=(2, 3, 4))
    assert (out == 16).all()


@pytest.mark.parametrize("barrier", ["barrier", "control"])
def test_barrier_lets_subgroups_exchange_through_local_memory(barrier: str, launch) -> None:
    """Reversing 64 numbers needs the numbers of every subgroup."""
    symbol, arguments, types = {
        "barrier": (mangled("barrier", "j"), "i32 1", "i32"),
        "control": (mangled("__spirv_ControlBarrier", "iii"), "i32 2, i32 2, i32 272", "i32, i32, i32"),
    }[barrier]
    body = f"""
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %item
  %v = load i32, ptr addrspace(1) %p
  %l = getelementptr i32, ptr addrspace(3) %local, i32 %item
  store i32 %v, ptr addrspace(3) %l
  call spir_func void @{symbol}({arguments})
  %back = sub i32 63, %item
  %m = getelementptr i32, ptr addrspace(3) %local, i32 %back
  %r = load i32, ptr addrspace(3) %m
{store_vector("r", "i32", 1, "i32")}"""
    source = module(body, IO + ", ptr addrspace(3) %local", f"declare spir_func void @{symbol}({types})")
    values, out = np.arange(64, dtype=np.int32) ** 2, np.zeros(64, np.int32)
    launch(source, values, out, num_warps=4, local_bytes=256)
    assert np.array_equal(out, values[::-1])


SHUFFLES = [
    ("sub_group_shuffle", "{type} {value}, i32 3", lambda v: np.full_like(v, v[3])),
    ("sub_group_shuffle_xor", "{type} {value}, i32 5", lambda v: v[np.arange(v.size) ^ 5]),
    ("sub_group_shuffle_up", "{type} {value}, i32 1", lambda v: v[np.maximum(np.arange(v.size) - 1, 0)]),
    ("sub_group_shuffle_down", "{type} {value}, i32 2", lambda v: np.r_[v[2:], v[-2:]]),
    ("sub_group_broadcast", "{type} {value}, i32 7", lambda v: np.full_like(v, v[7])),
    ("intel_sub_group_shuffle", "{type} {value}, i32 1", lambda v: np.full_like(v, v[1])),
    ("__spirv_GroupNonUniformShuffleXor", "i32 3, {type} {value}, i32 1", lambda v: v[np.arange(v.size) ^ 1]),
    ("__spirv_GroupNonUniformBroadcast", "i32 3, {type} {value}, i32 2", lambda v: np.full_like(v, v[2])),
]


@pytest.mark.parametrize("letter", ["i", "f", "l", "Dh", "c"])
@pytest.mark.parametrize(("name", "call", "expected"), SHUFFLES, ids=[case[0] for case in SHUFFLES])
def test_shuffle(name: str, call: str, expected, letter: str, launch) -> None:
    for lanes in (16, 32):
        values = np.arange(1, lanes + 1).astype(NUMPY_TYPES[letter])
        out = np.zeros_like(values)
        launch(unary(mangled(name, letter + "j"), letter, call), values, out, subgroup_size=lanes)
        assert np.array_equal(out, expected(values))


REDUCTIONS = [
    *(("FAdd", letter, np.add) for letter in ("f", "d", "Dh")),
    *(("IAdd", letter, np.add) for letter in ("i", "l", "s")),
    ("FMax", "f", np.maximum),
    ("FMin", "d", np.minimum),
    ("FMul", "f", np.multiply),
    ("IMul", "i", np.multiply),
    ("SMax", "i", np.maximum),
    ("SMin", "s", np.minimum),
    ("UMax", "j", np.maximum),
    ("UMin", "j", np.minimum),
    ("BitwiseAnd", "i", np.bitwise_and),
    ("BitwiseOr", "i", np.bitwise_or),
    ("BitwiseXor", "i", np.bitwise_xor),
]


@pytest.mark.parametrize(("name", "letter", "operation"), REDUCTIONS, ids=[f"{r[0]}_{r[1]}" for r in REDUCTIONS])
@pytest.mark.parametrize("lanes", [16, 32])
def test_reductions_and_scans(name: str, letter: str, operation: np.ufunc, lanes: int, launch, random) -> None:
    dtype = NUMPY_TYPES[letter]
    values = random.integers(1, 4, lanes).astype(dtype)
    if dtype is np.uint32:
        values[3] = 0xFFFFFFFF  # the largest, and not negative
    if dtype is np.int32 and name == "SMax":
        values -= 9
    whole = operation.reduce(values)
    inclusive = operation.accumulate(values)
    clusters = np.repeat([operation.reduce(values[first : first + 4]) for first in range(0, lanes, 4)], 4)
    calls = {
        ("i32 3, i32 0, {type} {value}", "GroupNonUniform"): np.full(lanes, whole),
        ("i32 3, i32 0, {type} {value}", "Group"): np.full(lanes, whole),
        ("i32 3, i32 1, {type} {value}", "GroupNonUniform"): inclusive,
        ("i32 3, i32 3, {type} {value}, i32 4", "GroupNonUniform"): clusters,
    }
    for (call, prefix), wanted in calls.items():
        out = np.zeros(lanes, dtype)
        symbol = mangled(f"__spirv_{prefix}{name}", "ii" + letter)
        launch(unary(symbol, letter, call), values, out, subgroup_size=lanes)
        assert np.array_equal(out, wanted.astype(dtype)), (call, prefix)
    out = np.zeros(lanes, dtype)
    launch(unary(mangled(f"__spirv_GroupNonUniform{name}", "ii"), letter, "i32 3, i32 2, {type} {value}"), values, out,
           subgroup_size=lanes)  # fmt: skip
    assert np.array_equal(out[1:], inclusive[:-1].astype(dtype))


@pytest.mark.parametrize(("name", "letter"), [("reduce_max", "i"), ("reduce_max", "j"), ("scan_inclusive_add", "f")])
def test_opencl_names_tell_signs_by_their_mangling(name: str, letter: str, launch) -> None:
    values = np.arange(-8, 8).astype(np.int32).view(NUMPY_TYPES[letter])
    if letter == "f":
        values = np.arange(16, dtype=np.float32)
    out = np.zeros_like(values)
    launch(unary(mangled(f"sub_group_{name}", letter), letter), values, out)
    wanted = np.add.accumulate(values) if "scan" in name else np.full(16, values.max())
    assert np.array_equal(out, wanted)


def test_largest_of_nothing_but_nan_and_infinity(launch) -> None:
    values = np.array([-np.inf] * 15 + [np.nan], np.float32)
    out = np.zeros_like(values)
    launch(unary(mangled("__spirv_GroupNonUniformFMax", "iif"), "f", "i32 3, i32 0, {type} {value}"), values, out)
    assert (out == -np.inf).all()


@pytest.mark.parametrize(("name", "values", "wanted"), [
    ("all", [1] * 16, 1), ("all", [1] * 15 + [0], 0), ("any", [0] * 15 + [4], 1), ("any", [0] * 16, 0),
])  # fmt: skip
def test_votes(name: str, values: list[int], wanted: int, launch) -> None:
    out = np.full(16, -1, np.int32)
    launch(unary(mangled(f"sub_group_{name}", "i"), "i"), np.array(values, np.int32), out)
    assert (out == wanted).all()


def test_ballot_and_elect(launch) -> None:
    ballot, elect = mangled("__spirv_GroupNonUniformBallot", "ib"), mangled("__spirv_GroupNonUniformElect", "i")
    body = f"""
  %odd = trunc i32 %item to i1
  %b = call <4 x i32> @{ballot}(i32 3, i1 %odd)
  %e = call i1 @{elect}(i32 3)
  %word = extractelement <4 x i32> %b, i32 0
  %r = select i1 %e, i32 %word, i32 0
{store_vector("r", "i32", 1, "i32")}"""
    declarations = f"declare <4 x i32> @{ballot}(i32, i1)\ndeclare i1 @{elect}(i32)"
    out = np.ones(16, np.int32)
    launch(module(body, "ptr addrspace(1) %out", declarations), out)
    assert out.tolist() == [0b1010101010101010] + [0] * 15


def test_rows_are_read_and_written_lane_after_lane(launch) -> None:
    read, write = mangled("intel_sub_group_block_read_us2", "PU3AS1Kt"), mangled("intel_sub_group_block_write_us2", "x")
    body = f"""
  %v = call <2 x i16> @{read}(ptr addrspace(1) %in)
  call void @{write}(ptr addrspace(1) %out, <2 x i16> %v)
{store_vector("v", "<2 x i16>", 2, "i16").replace("%out", "%lanes")}"""
    declarations = f"declare <2 x i16> @{read}(ptr addrspace(1))\n"
    declarations += f"declare void @{write}(ptr addrspace(1), <2 x i16>)"
    values = np.arange(32, dtype=np.uint16)
    out, lanes = aligned((32,), np.uint16), np.zeros((16, 2), np.uint16)
    report = launch(module(body, IO + ", ptr addrspace(1) %lanes", declarations), values, out, lanes)
    assert np.array_equal(out, values)
    assert np.array_equal(lanes, values.reshape(2, 16).T)
    assert report.by_shape()["read_16b_x2"].bytes_asked == 64


FUNCTIONS = [
    ("__spirv_ocl_exp2", "f", np.exp2), ("__spirv_ocl_native_log2", "f", np.log2), ("sqrt", "d", np.sqrt),
    ("__spirv_ocl_erf", "f", np.vectorize(math.erf)), ("__imf_tanhf", "f", np.tanh), ("rint", "f", np.rint),
    ("__spirv_ocl_rsqrt", "f", lambda v: 1 / np.sqrt(v)), ("exp", "Dh", np.exp),
]  # fmt: skip


@pytest.mark.parametrize(("name", "letter", "expected"), FUNCTIONS, ids=[case[0] for case in FUNCTIONS])
def test_functions(name: str, letter: str, expected, launch) -> None:
    values = np.linspace(0.1, 3.9, 16).astype(NUMPY_TYPES[letter])
    out = np.zeros_like(values)
    symbol = name if name.startswith("__imf") else mangled(name, letter)
    launch(unary(symbol, letter), values, out)
    assert np.allclose(out, expected(values.astype(np.float64)), rtol=2e-3 if letter == "Dh" else 1e-6)


def test_bfloat_conversion_rounds_to_nearest_even(launch) -> None:
    convert = mangled("__spirv_ConvertFToBF16INTEL", "f")
    back = mangled("__spirv_ConvertBF16ToFINTEL", "s")
    body = f"""
  %p = getelementptr float, ptr addrspace(1) %in, i32 %item
  %v = load float, ptr addrspace(1) %p
  %h = call i16 @{convert}(float %v)
  %r = call float @{back}(i16 %h)
{store_vector("r", "float", 1, "float")}"""
    source = module(body, IO, f"declare i16 @{convert}(float)\ndeclare float @{back}(i16)")
    values = np.zeros(16, np.float32)
    step = 2.0**-7
    values[:6] = [1 + step / 2, 1 + 3 * step / 2, 1 + step / 2 + 1e-6, -(1 + step / 2), np.inf, np.nan]
    out = np.ones(16, np.float32)
    launch(source, values, out)
    assert out[:5].tolist() == [1, 1 + 2 * step, 1 + step, -1, np.inf]
    assert np.isnan(out[5])
    assert not out[6:].any()


def test_lanes_that_part_at_a_shuffle_are_named(launch) -> None:
    symbol = mangled("sub_group_shuffle", "ij")
    body = f"""
  %low = icmp ult i32 %item, 4
  br i1 %low, label %then, label %done
then:
  %v = call i32 @{symbol}(i32 %item, i32 0)
{store_vector("v", "i32", 1, "i32")}  br label %done
done:"""
    source = module(body, "ptr addrspace(1) %out", f"declare i32 @{symbol}(i32, i32)")
    with pytest.raises(EmulatorError) as caught:
        launch(source, np.zeros(16, np.int32))
    assert "waits at a subgroup function that lane" in str(caught.value)


def test_a_barrier_that_one_subgroup_skips_is_named(launch) -> None:
    symbol = mangled("barrier", "j")
    body = f"""
  %first = icmp ult i32 %item, 16
  br i1 %first, label %done, label %wait
wait:
  call void @{symbol}(i32 1)
  br label %done
done:"""
    source = module(body, "", f"declare void @{symbol}(i32)")
    with pytest.raises(EmulatorError, match="subgroup 1 waits at a barrier that 1 other subgroups"):
        launch(source, num_warps=2)
