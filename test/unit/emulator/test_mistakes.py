"""Errors of a kernel or a launch are reported with what, where and in which lane, and the process continues."""

import numpy as np
import pytest
from xe_kernels import aligned, mangled, module, store_vector

from dotload.emulator import EmulatorError

COPY = f"""
  %p = getelementptr float, ptr addrspace(1) %in, i32 %item
  %v = load float, ptr addrspace(1) %p
{store_vector("v", "float", 1, "float")}"""
IO = "ptr addrspace(1) %in, ptr addrspace(1) %out"
SOURCE = module(COPY, IO)


def arrays(count: int = 16) -> list[np.ndarray]:
    return [np.ones(count, np.float32), np.zeros(count, np.float32)]


def test_control_the_kernel_itself_is_sound(launch) -> None:
    source, target = arrays()
    report = launch(SOURCE, source, target)
    assert target.all()
    assert [(count.site.label, count.messages, count.bytes_asked) for count in report.sites] == [
        ("load_32b", 1, 64),
        ("store_32b", 1, 64),
    ]


def test_load_past_the_end_tells_load_lane_and_address(launch) -> None:
    source, target = np.ones(10, np.float32), np.zeros(16, np.float32)
    with pytest.raises(EmulatorError) as caught:
        launch(SOURCE, source, target)
    text = str(caught.value)
    assert "load_32b: load of 4 bytes at address 0x" in text
    assert "byte 40 of argument 0, which has 40 bytes" in text
    assert "[work-group (0, 0, 0), subgroup 0, lane 10]" in text


def test_a_grid_too_large_for_the_arrays_is_an_access_out_of_bounds(launch) -> None:
    symbol = mangled("get_global_id", "j")
    body = COPY.replace("%item", "%global")
    head = f"  %wide = call i64 @{symbol}(i32 0)\n  %global = trunc i64 %wide to i32\n"
    source = module(head + body, IO, f"declare i64 @{symbol}(i32)")
    launch(source, *arrays(32), grid=(2,))
    with pytest.raises(EmulatorError, match=r"work-group \(2, 0, 0\)"):
        launch(source, *arrays(32), grid=(3,))


def test_debug_locations_name_the_line(launch) -> None:
    text = SOURCE.replace("%v = load float, ptr addrspace(1) %p", "%v = load float, ptr addrspace(1) %p, !dbg !2")
    text = text.replace("(ptr addrspace(1) %in, ptr addrspace(1) %out) {", f"({IO}) !dbg !3 {{")
    text += """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!4}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)
!1 = !DIFile(filename: "gemm.py", directory: "/")
!2 = !DILocation(line: 7, column: 12, scope: !3)
!3 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !6)
!6 = !{}
"""
    with pytest.raises(EmulatorError) as caught:
        launch(text, np.ones(10, np.float32), np.zeros(16, np.float32))
    assert str(caught.value).startswith("gemm.py:7:12: kernel: load_32b: ")


def test_store_to_a_read_only_array(launch) -> None:
    source, target = arrays()
    target.flags.writeable = False
    with pytest.raises(EmulatorError, match="store to argument 1, which is a read-only array"):
        launch(SOURCE, source, target)


def test_local_memory_has_bounds(launch) -> None:
    body = "  %l = getelementptr i32, ptr addrspace(3) %local, i32 %item\n  store i32 1, ptr addrspace(3) %l\n"
    source = module(body, "ptr addrspace(3) %local")
    launch(source, local_bytes=64)
    with pytest.raises(EmulatorError, match="byte 60 of local memory, which has 60 bytes"):
        launch(source, local_bytes=60)


ENDLESS = module("  br label %again\nagain:\n  br label %again\nnever:", "")


def test_a_kernel_that_never_ends_is_stopped(launch) -> None:
    with pytest.raises(EmulatorError, match=r"did not end within 0.3 s; it was at \[work-group"):
        launch(ENDLESS, timeout=0.3)


def test_a_launch_of_too_many_groups_is_stopped_between_them(launch) -> None:
    source, target = arrays()
    with pytest.raises(EmulatorError, match=r"did not end within 0\.2 s"):
        launch(SOURCE, source, target, grid=(1 << 30,), timeout=0.2)


ZERO = "  %z = load i32, ptr addrspace(1) %out\n"
ACCIDENTS = [
    (f"{ZERO}  %q = sdiv i32 7, %z\n", "integer division by zero"),
    ("  %n = inttoptr i64 64 to ptr\n  store i32 1, ptr %n\n  %q = add i32 0, 0\n", "store of 4 bytes at address 0x40"),
    (
        f"{ZERO}  %a = alloca [10000000 x i32]\n  %e = getelementptr i32, ptr %a, i32 %z\n"
        "  store volatile i32 1, ptr %e\n  %q = load volatile i32, ptr %e\n",
        "private stack that overflowed",
    ),
]


@pytest.mark.parametrize(("body", "message"), ACCIDENTS, ids=[message for _, message in ACCIDENTS])
def test_accidents_end_the_launch_and_not_the_process(body: str, message: str, launch) -> None:
    source = module(body + store_vector("q", "i32", 1, "i32"), "ptr addrspace(1) %out")
    for _ in range(2):
        with pytest.raises(EmulatorError) as caught:
            launch(source, np.zeros(16, np.int32))
        assert message in str(caught.value)


ARGUMENTS = [
    ((), "takes 2 arguments (ptr, ptr), 0 were given"),
    ((np.ones(16, np.float32), 3), "argument 1: the kernel takes an array here, got int 3"),
    (
        (np.ones(16, np.float64), np.zeros(16, np.float32)),
        "argument 0: the kernel takes an array of float, got one of float64",
    ),
    (
        (np.ones(16, np.int32), np.zeros(16, np.float32)),
        "argument 0: the kernel takes an array of float, got one of int32",
    ),
]


@pytest.mark.parametrize(("given", "message"), ARGUMENTS, ids=[message for _, message in ARGUMENTS])
def test_wrong_arguments(given: tuple, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(SOURCE, *given)
    assert message in str(caught.value)


SCALARS = [
    ("i32", 1.5, "takes an integer (i32), got float 1.5"),
    ("i32", 1 << 40, f"{1 << 40} does not fit in i32"),
    ("float", "x", "takes a float, got str 'x'"),
    ("half", 1e10, "10000000000.0 does not fit in half"),
    ("float", 1e300, "1e+300 does not fit in float"),
    ("float", np.ones(3), "takes a number (float) here, got an array"),
]


@pytest.mark.parametrize(("type_", "value", "message"), SCALARS, ids=[message for *_, message in SCALARS])
def test_wrong_numbers(type_: str, value: object, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(module("", f"{type_} %x"), value)
    assert message in str(caught.value)


def test_numbers_of_every_size_arrive(launch) -> None:
    parameters = "i8 %a, i16 %b, i32 %c, i64 %d, float %e, double %f, half %g, i1 %h, ptr addrspace(1) %out"
    body = ""
    for name, type_ in zip("abcdefgh", ["i8", "i16", "i32", "i64", "float", "double", "half", "i1"], strict=True):
        cast = {"float": "fpext float", "half": "fpext half", "double": "fadd double 0.0,"}.get(
            type_, f"sitofp {type_}"
        )
        suffix = "" if type_ == "double" else " to double"
        body += f"  %v{name} = {cast} %{name}{suffix}\n"
        body += f"  %p{name} = getelementptr double, ptr addrspace(1) %out, i32 {ord(name) - 97}\n"
        body += f"  store double %v{name}, ptr addrspace(1) %p{name}\n"
    out = np.zeros(8)
    launch(module(body, parameters), -3, -300, -70000, -(1 << 40), 0.5, 0.1, 1.5, 1, out)
    assert out.tolist() == [-3, -300, -70000, -(2.0**40), 0.5, 0.1, 1.5, -1]


SIGNATURES = [
    (("*fp16", "*fp32"), "argument 0: the kernel takes an array of fp16, got one of float32"),
    (("*fp32",), "the signature has 1 types for 2 arguments"),
]


@pytest.mark.parametrize(("signature", "message"), SIGNATURES)
def test_signature_is_held_against_the_arrays(signature: tuple[str, ...], message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(SOURCE, *arrays(), signature=signature)
    assert message in str(caught.value)


CALLS = [
    ("no_such_builtin", "not a builtin that the emulator knows"),
    (mangled("intel_sub_group_f16_f16_matrix_mul_k16", "x"), "did you mean intel_sub_group_f16_f16_matrix_mad_k16?"),
]


@pytest.mark.parametrize(("symbol", "message"), CALLS)
def test_undefined_builtin_is_named(symbol: str, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(module(f"  call void @{symbol}()\n", "", f"declare void @{symbol}()"))
    assert f"'{symbol}'" in str(caught.value)
    assert message in str(caught.value)


LAUNCHES = [
    ({"subgroup_size": 8}, "a subgroup has 16 or 32 lanes, got 8"),
    ({"num_warps": 0}, "1 to 64 subgroups, got 0"),
    ({"num_warps": 64, "subgroup_size": 32}, "at most 1024 lanes, got 64 subgroups of 32"),
    ({"grid": (0,)}, "sizes of at least 1"),
    ({"grid": (1, 1, 1, 1)}, "one to three sizes"),
    ({"kernel": "other"}, "defines no kernel 'other' (it defines kernel)"),
    ({"local_bytes": -1}, "local memory has 0 to 1073741824 bytes, got -1"),
    ({"local_bytes": 1 << 60}, "local memory has 0 to 1073741824 bytes"),
    ({"grid": (1 << 30, 1 << 30, 1 << 30)}, "all together below 2^62"),
    ({"timeout": float("nan")}, "the timeout is a number of seconds, got nan"),
]


@pytest.mark.parametrize(("options", "message"), LAUNCHES, ids=[message for _, message in LAUNCHES])
def test_launches_that_make_no_sense(options: dict, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(SOURCE, *arrays(), **options)
    assert message in str(caught.value)


def test_what_the_kernel_was_compiled_for_is_held_against_the_launch(launch) -> None:
    marks = " !intel_reqd_sub_group_size !0 !reqd_work_group_size !1 {"
    head, _, tail = SOURCE.partition(f"({IO}) {{")
    source = f"{head}({IO}){marks}{tail}\n!0 = !{{i32 16}}\n!1 = !{{i64 16, i64 1, i64 1}}\n"
    launch(source, *arrays())
    assert launch(source, *arrays(), num_warps=None, subgroup_size=None).subgroups == 1
    with pytest.raises(EmulatorError, match="compiled for subgroups of 16, not of 32"):
        launch(source, *arrays(32), subgroup_size=32)
    with pytest.raises(EmulatorError, match=r"compiled for 16 work-items \(1 subgroups\), not for 2 subgroups"):
        launch(source, *arrays(32), num_warps=2)


SOURCES = [
    ("define void @kernel() {\n  nonsense\n}\n", "not sound LLVM IR"),
    ("declare void @f()\n", "defines no kernel"),
    ("define void @a() {\n  ret void\n}\ndefine void @b() {\n  ret void\n}\n", "several kernels (a, b)"),
]


@pytest.mark.parametrize(("source", "message"), SOURCES, ids=[message for _, message in SOURCES])
def test_sources_that_are_no_kernel(source: str, message: str, launch) -> None:
    with pytest.raises(EmulatorError) as caught:
        launch(source)
    assert message in str(caught.value)


def test_a_file_that_is_not_there(launch) -> None:
    with pytest.raises(EmulatorError, match=r"cannot read /no/such.ll: No such file"):
        launch("/no/such.ll")


def test_a_block_read_must_fit_the_variable_it_fills(launch) -> None:
    symbol = mangled("intel_sub_group_2d_block_read_16b_32r16x1c", "PU3AS1viiiDv2_iPt")
    body = f"""
  %data = alloca <8 x i16>
  call void @{symbol}(ptr addrspace(1) %in, i32 64, i32 32, i32 64, <2 x i32> zeroinitializer, ptr %data)
"""
    source = module(body, IO, f"declare void @{symbol}(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)")
    with pytest.raises(EmulatorError, match="each lane has 64 bytes of it, the kernel keeps 16 there"):
        launch(source, *arrays(4096))


def test_views_keep_their_offset_and_share_their_bytes(launch) -> None:
    whole = np.arange(64, dtype=np.float32)
    launch(SOURCE, whole[8:24], whole[40:56])
    assert np.array_equal(whole[40:56], np.arange(8, 24))
    assert np.array_equal(whole[:40], np.arange(40))


@pytest.mark.parametrize(("type_", "dtype"), [("half", np.float16), ("float", np.float32), ("double", np.float64)])
def test_numbers_that_newer_llvm_prints_by_name(type_: str, dtype: type, launch) -> None:
    out = aligned((3,), dtype)
    names = ("+inf", "-inf", "+qnan")
    stores = "".join(
        f"  %p{at} = getelementptr {type_}, ptr addrspace(1) %out, i32 {at}\n"
        f"  store {type_} {name}, ptr addrspace(1) %p{at}\n"
        for at, name in enumerate(names)
    )
    launch(module(stores, "ptr addrspace(1) %out"), out)
    np.testing.assert_array_equal(out, np.array([np.inf, -np.inf, np.nan], dtype))


@pytest.mark.parametrize(
    ("type_", "digits", "dtype"),
    [("half", "2E66", np.float16), ("float", "3FB8AA3B", np.float32), ("double", "3FB999999999999A", np.float64)],
)
def test_numbers_that_newer_llvm_prints_by_their_bits(type_: str, digits: str, dtype: type, launch) -> None:
    """Newer LLVM prints some numbers as bits; an operand has no type before it."""
    out = aligned((1,), dtype)
    body = f"  %x = fadd {type_} 0.0, f0x{digits}\n  store {type_} %x, ptr addrspace(1) %out\n"
    launch(module(body, "ptr addrspace(1) %out"), out)
    assert out.tobytes()[::-1].hex().upper() == digits
