"""The glance at a module's text: what Triton really hands over before its pipeliner, for each order and type."""

from __future__ import annotations

import pytest

from dotload.passes.analysis.glance import may_hold_wrong_order

HEAD = """\
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 8], order = [0, 1]}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2]], warp = [[1, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
"""


def hopper(a_layout: str, b_layout: str, element: str = "f8E4M3FN", b_op: str = "tt.load %y") -> str:
    a, b = f"!ttg.memdesc<128x64x{element}, #shared, #smem>", f"!ttg.memdesc<64x128x{element}, #shared1, #smem>"
    return f"""{HEAD}
  %0 = tt.load %x : tensor<128x64x!tt.ptr<{element}>, {a_layout}> loc(#loc1)
  %1 = ttg.local_alloc %0 : (tensor<128x64x{element}, {a_layout}>) -> {a} loc(#loc1)
  %2 = {b_op} : tensor<64x128x!tt.ptr<{element}>, {b_layout}> loc(#loc1)
  %3 = ttg.local_alloc %2 : (tensor<64x128x{element}, {b_layout}>) -> {b} loc(#loc1)
  %4 = ttng.warp_group_dot %1, %3, %c : {a} * {b} -> tensor<128x128xf32, #mma> loc(#loc1)
"""


def ada(a_layout: str, b_layout: str) -> str:
    a, b = (f"#ttg.dot_op<{{opIdx = {index}, parent = #mma, kWidth = 4}}>" for index in (0, 1))
    dot = f"tensor<128x64xi8, {a}> * tensor<64x128xi8, {b}> -> tensor<128x128xi32, #mma>"
    return f"""{HEAD}
  %1 = ttg.convert_layout %0 : tensor<128x64xi8, {a_layout}> -> tensor<128x64xi8, {a}> loc(#loc1)
  %3 = ttg.convert_layout %2 : tensor<64x128xi8, {b_layout}> -> tensor<64x128xi8, {b}> loc(#loc1)
  %4 = tt.dot %1, %3, %c, inputPrecision = tf32 : {dot}
"""


@pytest.mark.parametrize("write", [hopper, ada])
@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("#blocked", "#blocked1", False),
        ("#blocked", "#blocked", True),
        ("#blocked1", "#blocked1", True),
        ("#blocked1", "#blocked", True),
        ("#blocked", "#linear", True),
    ],
)
def test_orders(write, a: str, b: str, answer: bool) -> None:
    assert may_hold_wrong_order(write(a, b)) is answer


@pytest.mark.parametrize(
    ("element", "answer"), [("i8", True), ("f8E5M2", True), ("f32", True), ("f16", False), ("bf16", False)]
)
def test_types(element: str, answer: bool) -> None:
    assert may_hold_wrong_order(hopper("#blocked", "#blocked", element)) is answer


def test_a_descriptor_says_nothing_by_its_layout() -> None:
    assert may_hold_wrong_order(hopper("#blocked", "#blocked1", b_op="tt.descriptor_load %y[%i, %j]"))


def test_a_kernel_without_products() -> None:
    assert not may_hold_wrong_order(HEAD + "  %0 = tt.load %x : tensor<128x64x!tt.ptr<i8>, #blocked>\n")
