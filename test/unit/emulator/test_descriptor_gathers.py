"""Descriptor loads that are not block loads are done lane by lane: each register is compared with numpy, zeros or NaN
outside."""

from __future__ import annotations

import numpy as np
import pytest
from converted_case import kernel, lowered, pointers
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload.emulator import run
from dotload.emulator.sites import Kind

pytest.importorskip("triton._C.libtriton")

ROWS, COLUMNS = 32, 16
HEIGHT, WIDTH = 40, 23  # of the memory


def ttgir(*, planes: bool, nan: bool, encoding: str) -> str:
    front, index = ("1x", "%z, ") if planes else ("", "")
    sizes, strides = ("%three, ", "%plane, ") if planes else ("", "")
    padding = " {padding = 2 : i32}" if nan else ""
    value = f"tensor<{ROWS}x{COLUMNS}xf16, {encoding}>"
    loaded = f"tensor<{front}{ROWS}x{COLUMNS}xf16, {'#batch' if planes else encoding}>"
    reshaped = f"    %r = tt.reshape %a : {loaded} -> {value}\n" if planes else ""
    body = f"""{pointers("to", "%out", encoding, ROWS, COLUMNS, "f16")}
    %three = arith.constant 3 : i32
    %rows = arith.constant {HEIGHT} : i32
    %columns = arith.constant {WIDTH} : i32
    %one = arith.constant 1 : i64
    %line = arith.constant {WIDTH} : i64
    %plane = arith.constant {WIDTH * HEIGHT} : i64
    %d = tt.make_tensor_descriptor %memory, [{sizes}%rows, %columns], [{strides}%line, %one]{padding}
      : <f16>, <tensor<{front}{ROWS}x{COLUMNS}xf16>>
    %a = tt.descriptor_load %d[{index}%y, %x] : !tt.tensordesc<tensor<{front}{ROWS}x{COLUMNS}xf16>> -> {loaded}
{reshaped}    tt.store %to_all, {"%r" if planes else "%a"} : tensor<{ROWS}x{COLUMNS}x!tt.ptr<f16>, {encoding}>"""
    batch = (
        "#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>\n#batch = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [1, 4, 4], "
        "warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>\n"
    )
    return batch + kernel("%memory: !tt.ptr<f16>, %out: !tt.ptr<f16>, %z: i32, %y: i32, %x: i32", body)


@pytest.mark.parametrize("nan", [False, True], ids=["zeros", "nan"])
@pytest.mark.parametrize(("planes", "encoding"), [(False, "#dot_a"), (False, "#blocked"), (True, "#blocked")])
def test_each_element_or_the_padding(planes: bool, nan: bool, encoding: str) -> None:
    source = lowered(ttgir(planes=planes, nan=nan, encoding=encoding))[0]
    memory = aligned((3, HEIGHT, WIDTH), np.float16)
    memory[:] = np.arange(1, memory.size + 1).reshape(memory.shape) % 2000
    for z, y, x in ((0, 0, 0), (2, 8, 7), (1, -3, -5), (0, 30, 20), (3, 0, 0), (-1, 0, 0)):
        if not planes and z:
            z = 0
        out = np.zeros((ROWS, COLUMNS), np.float16)
        report = run(source, (1,), [memory, out, z, y, x], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
        m, k = np.meshgrid(y + np.arange(ROWS), x + np.arange(COLUMNS), indexing="ij")
        inside = (m >= 0) & (m < HEIGHT) & (k >= 0) & (k < WIDTH) & (0 <= z < 3)
        values = memory[min(max(z, 0), 2), np.clip(m, 0, HEIGHT - 1), np.clip(k, 0, WIDTH - 1)]
        np.testing.assert_array_equal(out, np.where(inside, values, np.nan if nan else 0))
        assert not list(report.select(Kind.BLOCK_READ))


def test_a_transposed_block() -> None:
    """The mark of a descriptor load that transposes is part of its meaning: the load keeps it, and is done by lanes."""
    body = f"""{pointers("to", "%out", "#dot_b", ROWS, ROWS, "f16")}
    %rows = arith.constant {HEIGHT} : i32
    %columns = arith.constant {WIDTH} : i32
    %one = arith.constant 1 : i64
    %line = arith.constant {WIDTH} : i64
    %d = tt.make_tensor_descriptor %memory, [%rows, %columns], [%line, %one] : <f16>, <tensor<{ROWS}x{ROWS}xf16>>
    %a = tt.descriptor_load %d[%y, %x] {{ttig.block_io = "column_major"}} : !tt.tensordesc<tensor<{ROWS}x{ROWS}xf16>>
      -> tensor<{ROWS}x{ROWS}xf16, #dot_b>
    tt.store %to_all, %a : tensor<{ROWS}x{ROWS}x!tt.ptr<f16>, #dot_b>"""
    text = kernel("%memory: !tt.ptr<f16>, %out: !tt.ptr<f16>, %y: i32, %x: i32", body)
    memory = aligned((HEIGHT, WIDTH), np.float16)
    memory[:] = np.arange(1, memory.size + 1).reshape(memory.shape)
    wanted = np.zeros((ROWS, ROWS), np.float16)
    wanted[: WIDTH - 3] = memory[5 : 5 + ROWS, 3:].T
    for hints in ("required", "derive"):
        out = np.zeros((ROWS, ROWS), np.float16)
        arguments = [memory, out, 5, 3]
        report = run(lowered(text, hints)[0], (1,), arguments, 4, 16, kernel="kernel", timeout=HANG_SECONDS)
        np.testing.assert_array_equal(out, wanted)
        assert not list(report.select(Kind.BLOCK_READ))
