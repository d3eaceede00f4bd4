"""Prefilters, on the types that Triton has before its pipeliner, for each order and element type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import pytest

from dotload.passes.analysis.prefilter import (
    Seen,
    has_layouts,
    has_overlapped_or_scales,
    has_staged_operands,
    has_staged_or_scales,
    may_become_non_k_major,
    may_convert_operands,
    may_hold_flattened,
    may_hold_non_k_major,
    may_hold_tiles,
    may_load_fragments,
    may_scale_columns,
    may_transpose_converted,
    may_transpose_words,
    may_unpack_operands,
)

ROWS = "#ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>"
COLUMNS = "#ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 8], order = [0, 1]}>"
LINEAR = "#ttg.linear<{register = [[0, 1]], lane = [[0, 2]], warp = [[1, 0]], block = []}>"
MMA = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 32]}>"
RESULT = f"tensor<128x128xf32, {MMA}>"


class Kernel(dict[str, list[Seen]]):
    attributes: ClassVar[dict[str, str]] = {}
    text = ""

    def holds(self, names: Sequence[str]) -> bool:
        return any(name in self for name in names)

    def attribute(self, name: str) -> str | None:
        return self.attributes.get(name)

    def prints(self, text: str) -> bool:
        return text in self.text

    def ops(self, *names: str) -> Iterator[Seen]:
        for name in names:
            yield from self.get(name, ())

    def holds_together(self, *names: str) -> bool:
        return all(name in self for name in names)


def memory(shape: str, *, transposed: bool) -> str:
    swizzle = f"swizzlingByteWidth = 64, transposed = {str(transposed).lower()}, elementBitWidth = 8"
    return f"!ttg.memdesc<{shape}, #ttg.nvmma_shared<{{{swizzle}}}>, #ttg.shared_memory>"


def fragments(shape: str, index: int) -> str:
    return f"tensor<{shape}, #ttg.dot_op<{{opIdx = {index}, parent = {MMA}, kWidth = 4}}>>"


def load(shape: str, element: str, layout: str) -> Seen:
    return Seen((f"tensor<{shape}x!tt.ptr<{element}>, {layout}>",), (f"tensor<{shape}x{element}, {layout}>",))


def hopper(a_layout: str, b_layout: str, element: str = "f8E4M3FN", b_op: str = "tt.load") -> Kernel:
    a = memory(f"128x64x{element}", transposed=False)
    b = memory(f"64x128x{element}", transposed=True)
    kernel = Kernel({"tt.load": [load("128x64", element, a_layout)]})
    kernel.setdefault(b_op, []).append(load("64x128", element, b_layout))
    kernel["ttg.local_alloc"] = [
        Seen((), (memory(f"3x128x64x{element}", transposed=False),)),
        Seen((f"tensor<128x64x{element}, {a_layout}>",), (a,)),
        Seen((f"tensor<64x128x{element}, {b_layout}>",), (b,)),
    ]
    kernel["ttg.convert_layout"] = [Seen((RESULT,), (f"tensor<128x128xf32, {ROWS}>",))]
    kernel["ttng.warp_group_dot"] = [Seen((a, b, RESULT), (RESULT,))]
    return kernel


def ada(a_layout: str, b_layout: str) -> Kernel:
    a, b = fragments("128x64xi8", 0), fragments("64x128xi8", 1)
    converted = [Seen((f"tensor<128x64xi8, {a_layout}>",), (a,)), Seen((f"tensor<64x128xi8, {b_layout}>",), (b,))]
    return Kernel({"ttg.convert_layout": converted, "tt.dot": [Seen((a, b, RESULT), (RESULT,))]})


@pytest.mark.parametrize("write", [hopper, ada])
@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (ROWS, COLUMNS, False),
        (ROWS, ROWS, True),
        (COLUMNS, COLUMNS, True),
        (COLUMNS, ROWS, True),
        (ROWS, LINEAR, True),
    ],
)
def test_orders(write, a: str, b: str, answer: bool) -> None:
    assert may_hold_non_k_major(write(a, b)) is answer


@pytest.mark.parametrize(
    ("element", "answer"), [("i8", True), ("f8E5M2", True), ("f32", True), ("f16", False), ("bf16", False)]
)
def test_types(element: str, answer: bool) -> None:
    assert may_hold_non_k_major(hopper(ROWS, ROWS, element)) is answer


def test_a_transpose_before_mma_sync() -> None:
    kernel = ada(ROWS, COLUMNS)
    kernel["ttg.convert_layout"][1] = Seen((f"tensor<128x64xi8, {COLUMNS}>",), (f"tensor<128x64xi8, {LINEAR}>",))
    assert may_hold_non_k_major(kernel)


@pytest.mark.parametrize(("element", "answer"), [("f32", True), ("f16", False)])
def test_a_transpose_of_tf32_into_fragments(element: str, answer: bool) -> None:
    transposed = Seen((f"tensor<128x64x{element}, {LINEAR}>",), (fragments(f"64x128x{element}", 1),))
    assert may_transpose_words(Kernel({"tt.trans": [transposed]})) is answer


def test_wider_elements_that_were_narrow_ones() -> None:
    kernel = hopper(ROWS, COLUMNS, "f16")
    assert not may_hold_non_k_major(kernel)
    kernel["tt.load"].append(load("64x128", "i8", COLUMNS))
    assert may_hold_non_k_major(kernel)


def test_a_descriptor_says_nothing_by_its_layout() -> None:
    assert may_hold_non_k_major(hopper(ROWS, COLUMNS, b_op="tt.descriptor_load"))


def test_a_kernel_without_dots() -> None:
    assert not may_hold_non_k_major(Kernel({"tt.load": [load("128x64", "i8", ROWS)]}))


def test_a_tile_that_comes_from_elsewhere() -> None:
    kernel = hopper(ROWS, COLUMNS)
    del kernel["ttg.local_alloc"]
    assert may_hold_non_k_major(kernel)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (fragments("128x64xf16", 0), True),
        (f"tensor<128x64xf16, {MMA}>", False),
        (f"tensor<128x64xf16, #ttg.dot_op<{{opIdx = 0, parent = {ROWS}}}>>", False),
    ],
)
def test_loads_of_fragments(result: str, answer: bool) -> None:
    assert may_load_fragments(Kernel({"tt.load": [Seen((), (result,))]})) is answer


def test_staged_operands_are_an_attribute_of_the_module() -> None:
    kernel = Kernel()
    assert not has_staged_operands(kernel)
    kernel.attributes = {"dotload.staged": "operands"}
    assert has_staged_operands(kernel)


@pytest.mark.parametrize(("element", "answer"), [("f8E4M3FN", True), ("i8", True), ("f16", False), ("f32", False)])
def test_results_of_k_major_bytes_that_may_be_scaled(element: str, answer: bool) -> None:
    kernel = hopper(ROWS, COLUMNS, element)
    assert not has_staged_or_scales(kernel)
    kernel["arith.mulf"] = [Seen((RESULT, RESULT), (RESULT,))]
    assert has_staged_or_scales(kernel) == answer
    assert has_overlapped_or_scales(kernel) == answer


@pytest.mark.parametrize(("element", "answer"), [("f8E4M3FN", True), ("i8", True), ("f16", False)])
def test_columns_that_may_be_scaled_modulo_n(element: str, answer: bool) -> None:
    kernel = source(element)
    kernel["arith.mulf"] = [Seen(("tensor<128x128xf32>",) * 2, ("tensor<128x128xf32>",))]
    assert not may_scale_columns(kernel)
    kernel["arith.remsi"] = [Seen(("i32", "i32"), ("i32",))]
    assert not may_scale_columns(kernel)
    kernel["arith.remsi"].append(Seen(("tensor<128xi32>",) * 2, ("tensor<128xi32>",)))
    assert may_scale_columns(kernel) == answer


def source(element: str, pointers: str = "tensor<64x128x!tt.ptr<f16>>") -> Kernel:
    """A kernel before its first stage, without layouts."""
    a, b, c = f"tensor<128x64x{element}>", f"tensor<64x128x{element}>", "tensor<128x128xf32>"
    return Kernel({"tt.load": [Seen((pointers, "tensor<64x128xi1>"), (b,))], "tt.dot": [Seen((a, b, c), (c,))]})


@pytest.mark.parametrize(
    ("element", "answer"), [("i8", True), ("f8E5M2", True), ("f32", True), ("f16", False), ("bf16", False)]
)
def test_types_before_there_are_layouts(element: str, answer: bool) -> None:
    assert may_become_non_k_major(source(element)) is answer


@pytest.mark.parametrize(
    "pointers",
    [
        "tensor<64x128x!tt.ptr<i8>>",
        "tensor<64x128x!tt.ptr<f8E4M3FN>>",
        "!tt.ptr<tensor<64x128xi8>>",
        "!tt.tensordesc<tensor<64x128xi8>>",
        "!tt.tensordesc<64x128xf8E5M2>",
        "!tt.tensordesc<64x128xi8, #ttg.nvmma_shared<{}>>",
    ],
)
def test_narrow_elements_before_there_are_layouts(pointers: str) -> None:
    assert may_become_non_k_major(source("f16", pointers))


@pytest.mark.parametrize(("element", "answer"), [("i32", True), ("i16", True), ("f16", False)])
def test_packed_integers_before_there_are_layouts(element: str, answer: bool) -> None:
    """No division tells of them: a kernel may load each integer once, and unpack it by shifts."""
    assert may_hold_tiles(source("f16", f"tensor<8x128x!tt.ptr<{element}>>")) is answer


def test_what_becomes_a_dot() -> None:
    assert may_become_non_k_major(Kernel({"tt.dot_scaled": [Seen((), ())]}))
    assert not may_become_non_k_major(Kernel({}))


def test_layouts_that_a_kernel_comes_with() -> None:
    assert not has_layouts(source("f16"))
    assert has_layouts(ada(ROWS, ROWS))
    assert not has_layouts(Kernel({"tt.load": [load("128x64", "f16", ROWS)]}))


def few_rows(pointed: str) -> Kernel:
    """mma.sync in bf16, whose B is loaded in elements of this type and converted."""
    a, b = (
        fragments(shape, index).replace("kWidth = 4", "kWidth = 2")
        for shape, index in (("16x64xbf16", 0), ("64x128xbf16", 1))
    )
    kernel = Kernel({"tt.load": [load("64x128", pointed, ROWS)], "tt.dot": [Seen((a, b, RESULT), (RESULT,))]})
    if pointed != "bf16":
        kernel["tt.fp_to_fp"] = [Seen((fragments(f"64x128x{pointed}", 1),), (b,))]
    return kernel


@pytest.mark.parametrize(("pointed", "expected"), [("f8E4M3FN", True), ("bf16", False)])
def test_operands_that_mma_sync_converts(pointed: str, expected: bool) -> None:
    assert may_hold_non_k_major(few_rows(pointed)) == expected
    assert may_convert_operands(few_rows(pointed)) == expected


@pytest.mark.parametrize(("pointed", "expected"), [("i8", True), ("i32", True), ("f8E4M3FN", True), ("bf16", False)])
def test_operands_that_are_unpacked_by_any_ops(pointed: str, expected: bool) -> None:
    """Nothing converts the 16-bit operand from 8 bits: nf4 is looked up by selects, fp6 put together from bits."""
    kernel = few_rows(pointed)
    kernel.pop("tt.fp_to_fp", None)
    assert may_unpack_operands(kernel) == expected


def test_a_conversion_without_a_dot_is_none_of_an_operand() -> None:
    assert not may_convert_operands(Kernel({"tt.fp_to_fp": [Seen((f"tensor<64xf8E4M3FN, {ROWS}>",), ())]}))


@pytest.mark.parametrize(("element", "expected"), [("f8E4M3FN", True), ("f32", True), ("f16", False)])
def test_tcgen05_is_looked_at_for_the_sake_of_remarks(element: str, expected: bool) -> None:
    operands = tuple(memory(f"128x128x{element}", transposed=False) for _ in range(2))
    assert may_hold_non_k_major(Kernel({"ttng.tc_gen5_mma": [Seen((*operands, RESULT), ())]})) == expected


@pytest.mark.parametrize("element", ["f8E4M3FN", "i8"])
def test_a_tile_of_a_descriptor_that_is_converted_may_be_one(element: str) -> None:
    """The descriptor says of integers whether they are signed; a dot in 16 bits says nothing of what it is made of."""
    descriptor = f"!tt.tensordesc<64x128x{'s' * (element == 'i8')}{element}, #ttg.nvmma_shared<{{}}>>"
    loaded = Seen((descriptor, "i32", "i32"), (f"tensor<64x128x{element}, {ROWS}>",))
    dot = Seen(("tensor<16x64xbf16, #a>", "tensor<64x128xbf16, #b>", RESULT), (RESULT,))
    kernel = Kernel({"tt.descriptor_load": [loaded], "tt.dot": [dot]})
    assert may_become_non_k_major(kernel)
    assert may_hold_non_k_major(kernel)
    assert not may_hold_non_k_major(Kernel({"tt.dot": [dot]}))


@pytest.mark.parametrize("name", ["scf.for", "ttng.warp_group_dot"])
def test_a_nest_of_flattened_loops_around_wgmma(name):
    kernel = hopper(ROWS, ROWS)
    kernel["scf.for"] = [Seen((), ()), Seen((), ())]
    assert not may_hold_flattened(kernel)
    kernel.text = "{tt.flatten}"
    assert may_hold_flattened(kernel)
    del kernel[name]
    assert not may_hold_flattened(kernel)


@pytest.mark.parametrize("name", ["tt.trans", "arith.sitofp", "ttng.warp_group_dot"])
def test_a_transpose_of_a_converted_operand_of_wgmma(name):
    kernel = hopper(ROWS, COLUMNS, "f16")
    tiles = [f"tensor<64x128x{element}, {COLUMNS}>" for element in ("i8", "f16")]
    kernel |= {"tt.trans": [Seen((tiles[0],), (tiles[0],))], "arith.sitofp": [Seen((tiles[0],), (tiles[1],))]}
    assert may_transpose_converted(kernel)
    del kernel[name]
    assert not may_transpose_converted(kernel)
