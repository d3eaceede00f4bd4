"""Encodings are parsed into fields, in each version of the syntax, and give the right layouts."""

import pytest

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext import parse_module, print_module
from dotload.layout import encodings as layouts
from dotload.layout.linear import LayoutError

MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>"
)
BLOCKED_LAYOUT = layouts.Blocked((1, 8), (4, 8), (4, 1), (1, 0))
MMA_LAYOUT = layouts.NvidiaMma(2, 0, (2, 2), (16, 8))
DPAS_LAYOUT = layouts.Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))

LAYOUTS = {
    BLOCKED: BLOCKED_LAYOUT,
    f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>": layouts.Slice(1, BLOCKED_LAYOUT),
    "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], block = []}>": layouts.Linear(
        ((0, 1),), ((0, 2), (1, 0)), ()
    ),
    MMA: MMA_LAYOUT,
    f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>": layouts.DotOperand(0, MMA_LAYOUT, 2),
    DPAS: DPAS_LAYOUT,
    DPAS.replace("ttig", "triton_intel_gpu"): DPAS_LAYOUT,
    f"#ttg.dot_op<{{opIdx = 1, parent = {DPAS}, kWidth = 2}}>": layouts.DotOperand(1, DPAS_LAYOUT, 2),
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>": layouts.SwizzledShared(
        8, 1, 8, (1, 0)
    ),
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>": layouts.NvmmaShared(
        128, True, 8
    ),
    "#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8, 16], numBlocks = 2, order = [1, 0], "
    "kWidth = 2, threadsPerWarp = 16}>": layouts.Subgroup2DBlock((2, 1), (8, 16), 2, (1, 0), 16),
    "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>": layouts.SharedLinear(((0, 1), (1, 0))),
}
OPAQUE = (
    "#ttg.shared_memory",
    "#ttg.padded_shared<[128:+4, 256:+8] {order = [1, 0], shape = [64, 64]}>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>",
    "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1]]}}>",
    "#ttng.tensor_memory",
    "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
    "#ttng.tensor_memory_scales_encoding<>",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], "
    "CGALayout = [[0, 0], [1, 0]]}>",
)


def parsed(text: str) -> attrs.StructAttr:
    attribute = parse_module(f"module attributes {{a = {text}}} {{}}").attributes["a"]
    assert isinstance(attribute, attrs.StructAttr)
    return attribute


@pytest.mark.parametrize("text", [*LAYOUTS, *OPAQUE])
def test_printed_as_written(text: str) -> None:
    assert str(parsed(text)) == text


@pytest.mark.parametrize(("text", "layout"), LAYOUTS.items())
def test_layout(text: str, layout: layouts.Encoding) -> None:
    attribute = parsed(text)
    assert isinstance(attribute, attrs.EncodingAttr)
    assert attribute.to_encoding() == layout


def test_layout_of_a_target_that_is_not_served() -> None:
    attribute = parsed(OPAQUE[2])
    assert isinstance(attribute, attrs.EncodingAttr)
    with pytest.raises(LayoutError, match="no linear layout is known"):
        attribute.to_encoding()


def test_clusters_as_each_version_writes_them() -> None:
    older = parsed(BLOCKED.replace("}>", ", CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>"))
    newer = parsed(BLOCKED.replace("}>", ", CGALayout = [[1, 0]]}>"))
    shared = parsed(BLOCKED.replace("}>", ", CTAsPerCGA = [2, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}>"))
    assert isinstance(older, attrs.CgaEncodingAttr)
    assert isinstance(newer, attrs.CgaEncodingAttr)
    assert isinstance(shared, attrs.CgaEncodingAttr)
    assert older.cga == newer.cga == layouts.Cga(((1, 0),))
    assert shared.cga == layouts.Cga(((0, 0),))


def test_keys_in_any_order_are_one_attribute() -> None:
    shuffled = "#ttg.blocked<{order = [1, 0], warpsPerCTA = [4, 1], sizePerThread = [1, 8], threadsPerWarp = [4, 8]}>"
    assert parsed(shuffled) == parsed(BLOCKED)


def test_derived_shapes_of_dpas_are_not_believed() -> None:
    assert str(parsed(DPAS.replace("A = [32, 16]", "A = [1, 1]"))) == DPAS
    assert str(parsed(DPAS.replace(", A = [32, 16], B = [16, 32], C = [32, 32]", ""))) == DPAS


def test_built_in_python() -> None:
    built = attrs.BlockedEncoding.of(
        size_per_thread=[1, 8], threads_per_warp=[4, 8], warps_per_cta=[4, 1], order=[1, 0]
    )
    assert built == parsed(BLOCKED)


def test_aliases_are_numbered_as_they_are_met() -> None:
    other = BLOCKED.replace("[1, 8]", "[2, 4]")
    text = f'#x = {other}\n#y = {BLOCKED}\n"test.op"() {{a = #y, b = #x, c = {DPAS}}} : () -> ()\n'
    printed = print_module(parse_module(text))
    assert printed.startswith(f"#blocked = {BLOCKED}\n#blocked1 = {other}\n#mma = {DPAS}\nmodule {{")
    assert "a = #blocked, b = #blocked1, c = #mma" in printed
