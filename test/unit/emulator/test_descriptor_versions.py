"""A descriptor load of short rows, whose width is known at run time only: a block load if the kernel finds the width
even and neither width nor pitch too small, else lane by lane. Both are compared with numpy."""

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
HEIGHT = 40  # of the memory


ANY_WIDTH = ((64, 64, True), (34, 40, True), (23, 64, False), (24, 32, False), (16, 24, False))
OF_16 = ((64, 64, True), (48, 56, True), (16, 16, False), (16, 64, False))


def ttgir(*, nan: bool, divides: int) -> str:
    padding = " {padding = 2 : i32}" if nan else ""
    body = f"""{pointers("to", "%out", "#dot_a", ROWS, COLUMNS, "f16")}
    %rows = arith.constant {HEIGHT} : i32
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %memory, [%rows, %width], [%pitch, %one]{padding}
      : <f16>, <tensor<{ROWS}x{COLUMNS}xf16>>
    %a = tt.descriptor_load %d[%y, %x] : !tt.tensordesc<tensor<{ROWS}x{COLUMNS}xf16>>
      -> tensor<{ROWS}x{COLUMNS}xf16, #dot_a>
    tt.store %to_all, %a : tensor<{ROWS}x{COLUMNS}x!tt.ptr<f16>, #dot_a>"""
    places = "%y: i32, %x: i32 {tt.divisibility = 16 : i32}"
    known = f" {{tt.divisibility = {divides} : i32}}"
    return kernel(f"%memory: !tt.ptr<f16>, %out: !tt.ptr<f16>, %width: i32{known}, %pitch: i64, {places}", body)


@pytest.mark.parametrize(("divides", "sizes"), [(1, ANY_WIDTH), (16, OF_16)], ids=["any width", "of 16"])
@pytest.mark.parametrize("nan", [False, True], ids=["zeros", "nan"])
def test_each_element_or_the_padding(nan: bool, divides: int, sizes: tuple[tuple[int, int, bool], ...]) -> None:
    source = lowered(ttgir(nan=nan, divides=divides), "derive")[0]
    for width, pitch, by_blocks in sizes:
        memory = aligned((HEIGHT, pitch), np.float16)
        memory[:] = np.arange(1, memory.size + 1).reshape(memory.shape) % 2000
        for y, x in ((0, 0), (7, 16), (-3, 0), (3, 32)):
            out = np.zeros((ROWS, COLUMNS), np.float16)
            report = run(source, (1,), [memory, out, width, pitch, y, x], 4, 16, kernel="kernel", timeout=HANG_SECONDS)
            m, k = np.meshgrid(y + np.arange(ROWS), x + np.arange(COLUMNS), indexing="ij")
            inside = (m >= 0) & (m < HEIGHT) & (k >= 0) & (k < width)
            values = memory[np.clip(m, 0, HEIGHT - 1), np.clip(k, 0, width - 1)]
            np.testing.assert_array_equal(out, np.where(inside, values, np.nan if nan else 0))
            sent = sum(count.messages for count in report.select(Kind.BLOCK_READ))
            assert (sent > 0) == by_blocks
