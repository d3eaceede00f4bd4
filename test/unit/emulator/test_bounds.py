"""Every instruction and intrinsic that accesses memory is checked against the bounds of the arrays."""

from __future__ import annotations

import numpy as np
import pytest
from xe_kernels import aligned, mangled, module

from dotload.emulator import EmulatorError

IN, OUT = "ptr addrspace(1) %in", "ptr addrspace(1) %out"
COUNT = 16  # elements of each array, of 4 bytes
ONES = "<i1 true, i1 true, i1 true, i1 {last}>"
PLACES = "  %places = getelementptr i32, ptr addrspace(1) %{array}, <4 x i64> <i64 0, i64 1, i64 15, i64 {place}>\n"


def masked(name: str, array: str, body: str, declaration: str, last: bool, place: int) -> str:
    mask = ONES.format(last=str(last).lower())
    places = PLACES.format(array=array, place=place)
    start = f"  %start = getelementptr i32, ptr addrspace(1) %{array}, i64 {place}\n"
    flat = "  %flat = addrspacecast ptr addrspace(1) %start to ptr\n"
    return module(places + start + flat + body.format(mask=mask), f"{IN}, {OUT}", declaration.format(name=name))


def block(operation: str, arguments: str) -> str:
    parameters = "ptr addrspace(1), ptr addrspace(1), i64, i1" if "mem" in operation and "set" not in operation else (
        "ptr addrspace(1), i8, i64, i1"
    )  # fmt: skip
    spaces = "p1.p1" if "set" not in operation else "p1"
    symbol = f"llvm.{operation}.{spaces}.i64"
    return module(f"  call void @{symbol}({arguments})\n", f"{IN}, {OUT}", f"declare void @{symbol}({parameters})")


SET, COPY = "ptr addrspace(1) align 64 %out, i8 7, i64 {bytes}, i1 false", (
    "ptr addrspace(1) align 64 %out, ptr addrspace(1) %in, i64 {bytes}, i1 false"
)  # fmt: skip


@pytest.mark.parametrize("operation", ["memset", "memset.inline", "memcpy", "memcpy.inline", "memmove"])
def test_blocks_of_bytes(operation: str, launch) -> None:
    arguments = SET if "set" in operation else COPY
    report = launch(
        block(operation, arguments.format(bytes=64)), np.ones(16, np.int32), out := aligned((16,), np.int32)
    )
    assert np.all(out == (0x07070707 if "set" in operation else 1))
    stores = [count for count in report.sites if count.site.label == operation]
    assert (stores[-1].messages, stores[-1].bytes_asked) == (1, 16 * 64)  # of one subgroup, of 16 lanes
    whole = np.zeros(84, np.int32)
    with pytest.raises(EmulatorError, match=f"{operation}: (load|store) of 65 bytes .* which has 64 bytes"):
        launch(block(operation, arguments.format(bytes=65)), np.ones(16, np.int32), whole[:16])
    assert not whole[16:].any()


@pytest.mark.parametrize("size", [100_000_000, -1, 1 << 62])
def test_a_huge_memset(size: int, launch) -> None:
    with pytest.raises(EmulatorError, match="memset: store of"):
        launch(block("memset", SET.format(bytes=size)), np.zeros(16, np.int32), np.zeros(16, np.int32))


VECTOR = "<4 x i32> <i32 1, i32 2, i32 3, i32 4>"
MASKED = {
    "masked.gather": (
        "in",
        "  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> %places, <4 x i1> {mask}, "
        "<4 x i32> zeroinitializer)\n  store <4 x i32> %v, ptr addrspace(1) %out\n",
        "declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i32>)",
        15,
    ),
    "masked.scatter": (
        "out",
        f"  call void @llvm.masked.scatter.v4i32.v4p1({VECTOR}, <4 x ptr addrspace(1)> %places, <4 x i1> {{mask}})\n",
        "declare void @llvm.masked.scatter.v4i32.v4p1(<4 x i32>, <4 x ptr addrspace(1)>, <4 x i1>)",
        15,
    ),
    "masked.load": (
        "in",
        "  %v = call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) align 64 %start, <4 x i1> {mask}, "
        "<4 x i32> zeroinitializer)\n  store <4 x i32> %v, ptr addrspace(1) %out\n",
        "declare <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1), <4 x i1>, <4 x i32>)",
        12,
    ),
    "masked.store": (
        "out",
        f"  call void @llvm.masked.store.v4i32.p1({VECTOR}, ptr addrspace(1) align 64 %start, <4 x i1> {{mask}})\n",
        "declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)",
        12,
    ),
    "masked.expandload": (
        "in",
        "  %v = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %flat, <4 x i1> {mask}, <4 x i32> zeroinitializer)\n"
        "  store <4 x i32> %v, ptr addrspace(1) %out\n",
        "declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)",
        12,
    ),
    "masked.compressstore": (
        "out",
        f"  call void @llvm.masked.compressstore.v4i32({VECTOR}, ptr %flat, <4 x i1> {{mask}})\n",
        "declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)",
        12,
    ),
}


@pytest.mark.parametrize("name", MASKED)
def test_masked_accesses(name: str, launch) -> None:
    """Masked accesses may reach the last element of an array, and go one further only if the mask disables it."""
    array, body, declaration, last_place = MASKED[name]
    whole = np.arange(COUNT + 16, dtype=np.int32)
    for reaches, lets_through, ends_well in [(0, True, True), (1, False, True), (1, True, False)]:
        source = masked(name, array, body, declaration, lets_through, last_place + reaches)
        arrays = (whole[:COUNT].copy(), np.zeros(COUNT, np.int32))
        if ends_well:
            launch(source, *arrays)
            assert arrays[1].any()
            continue
        with pytest.raises(EmulatorError, match=f"{name}: (load|store) of 4 bytes at .* byte 64 of argument"):
            launch(source, *arrays)


def place(index: int) -> str:
    return f"  %p = getelementptr i32, ptr addrspace(1) %out, i32 {index}\n"


INSTRUCTIONS = {
    "load": "  %v = load i32, ptr addrspace(1) %p\n",
    "store": "  store volatile i32 1, ptr addrspace(1) %p\n",
    "load atomic": '  %v = load atomic i32, ptr addrspace(1) %p syncscope("device") acquire, align 4\n',
    "store atomic": "  store atomic volatile i32 1, ptr addrspace(1) %p monotonic, align 4\n",
    "atomicrmw": "  %v = atomicrmw volatile fadd ptr addrspace(1) %p, float 1.0 seq_cst\n",
    "cmpxchg": "  %v = cmpxchg weak volatile ptr addrspace(1) %p, i32 0, i32 1 seq_cst monotonic\n",
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions(name: str, launch) -> None:
    launch(module(place(COUNT - 1) + INSTRUCTIONS[name], OUT), np.zeros(COUNT, np.int32))
    with pytest.raises(EmulatorError, match=r"of 4 bytes at .* byte 64 of argument 0, which has 64 bytes"):
        launch(module(place(COUNT) + INSTRUCTIONS[name], OUT), np.zeros(COUNT, np.int32))


def test_vectors_and_gaps_in_structures(launch) -> None:
    """The bytes of a type follow LLVM's data layout."""
    for type_, size in [("<17 x i32>", 68), ("{ i8, [8 x i64] }", 72), ("<{ i8, [8 x i64] }>", 65)]:
        with pytest.raises(EmulatorError, match=f"load of {size} bytes"):
            launch(module(f"  %v = load {type_}, ptr addrspace(1) %out\n", OUT), np.zeros(COUNT, np.int32))


CONSTANTS = {
    "inttoptr (i64 4096000 to ptr)": "store of 4 bytes at address 0x3e8000 is outside every array",
    "null": "store of 4 bytes at address 0x0 is outside every array",
    "getelementptr (i8, ptr @table, i64 64)": "store of 4 bytes",
    "@table": "a global variable of the kernel's, which are read-only here",
}


@pytest.mark.parametrize("pointer", CONSTANTS)
def test_pointers_that_are_constants(pointer: str, launch) -> None:
    source = module(f"  store i32 1, ptr {pointer}\n", OUT) + "@table = internal global [16 x i32] zeroinitializer\n"
    with pytest.raises(EmulatorError) as caught:
        launch(source, np.zeros(COUNT, np.int32))
    assert CONSTANTS[pointer] in str(caught.value)


VARIABLES = {
    "an array": ("[16 x i32]", "[17 x i32]"),
    "several values": ("i32, i32 16", "i32, i32 17"),
    "a structure": ("{ i8, [15 x i32] }", "{ i8, [16 x i32] }"),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_the_lanes_own_variables(name: str, launch) -> None:
    for type_, fits in zip(VARIABLES[name], (False, True), strict=True):
        body = f"  %a = alloca {type_}\n  %p = getelementptr i32, ptr %a, i32 16\n  store i32 1, ptr %p\n"
        if fits:
            launch(module(body, ""))
            continue
        with pytest.raises(EmulatorError, match="is outside the lane's own variables"):
            launch(module(body, ""))


HELPER = """
define internal void @fill(ptr %p) {
  %more = alloca [16 x i32]
  %q = getelementptr i32, ptr %more, i32 15
  store i32 1, ptr %q
  %r = getelementptr i32, ptr %p, i32 15
  store i32 1, ptr %r
  ret void
}
"""


def test_a_variable_can_be_handed_on_and_is_forgotten_with_its_function(launch) -> None:
    body = "  %a = alloca [16 x i32]\n" + "  call void @fill(ptr %a)\n" * 2
    launch(module(body, "") + HELPER)
    dangling = HELPER.replace("void @fill", "ptr @fill").replace("ret void", "ret ptr %q")
    escaped = "  %a = alloca [16 x i32]\n  %q = call ptr @fill(ptr %a)\n  store i32 1, ptr %q\n"
    with pytest.raises(EmulatorError, match="is outside the lane's own variables"):
        launch(module(escaped, "") + dangling)


def test_a_block_read_fills_nothing_but_arrays_and_variables(launch) -> None:
    symbol = mangled("intel_sub_group_2d_block_read_16b_8r16x1c", "PU3AS1viiiDv2_iPt")
    call = (
        f"  call void @{symbol}(ptr addrspace(1) %out, i32 64, i32 8, i32 64, <2 x i32> zeroinitializer, ptr %data)\n"
    )
    declaration = f"declare void @{symbol}(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)"
    room = "  %a = alloca [64 x i16]\n  %data = getelementptr i16, ptr %a, i32 {offset}\n"
    surface = aligned((8, 32), np.uint16)
    launch(module(room.format(offset=56) + call, OUT, declaration), surface)
    with pytest.raises(EmulatorError, match="is outside the lane's own variables"):
        launch(module(room.format(offset=57) + call, OUT, declaration), surface)
    with pytest.raises(EmulatorError, match="is outside every array"):
        launch(module(call.replace("%data", "null"), OUT, declaration), surface)


def test_an_array_of_python_objects_is_none(launch) -> None:
    with pytest.raises(EmulatorError, match="argument 0: an array of Python objects"):
        launch(module("", OUT), np.array([object()] * 16))


@pytest.mark.parametrize(("predicate", "place"), [("true", 15), ("false", 15), ("false", 1 << 40), ("true", 16)])
def test_predicated_accesses(predicate: str, place: int, launch) -> None:
    """Predicated GenISA accesses ignore the pointer if the predicate is false."""
    load, store = "llvm.genx.GenISA.PredicatedLoad.i32.p1i32.i32", "llvm.genx.GenISA.PredicatedStore.p1i32.i32"
    pointer = "ptr addrspace(1)"
    body = f"""  %from = getelementptr i32, {IN}, i64 {place}
  %to = getelementptr i32, {OUT}, i64 {place}
  %v = call i32 @{load}({pointer} %from, i64 4, i1 {predicate}, i32 9)
  store i32 %v, {OUT}
  call void @{store}({pointer} %to, i32 5, i64 4, i1 {predicate})
"""
    declared = f"""declare i32 @{load}({pointer}, i64, i1, i32)
declare void @{store}({pointer}, i32, i64, i1)"""
    kernel = module(body, f"{IN}, {OUT}", declared)
    out = aligned((COUNT,), np.int32)
    if place == 16:
        with pytest.raises(EmulatorError, match=r"load of 4 bytes .* is outside every array: byte 64 of argument 0"):
            launch(kernel, np.ones(COUNT, np.int32), out)
        return
    launch(kernel, np.ones(COUNT, np.int32), out)
    assert (out[0], out[-1]) == ((1, 5) if predicate == "true" else (9, 0))
