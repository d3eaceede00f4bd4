"""The PTX of dotload's kernels with each version of Triton, although versions split and fence dots differently."""

import re
import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

import gemm  # noqa: E402
import gemm_orders  # noqa: E402
import kv_cache  # noqa: E402
import microscaled_weights  # noqa: E402
import persistent_gemms  # noqa: E402
import quantised_weights  # noqa: E402
import serving  # noqa: E402
from sampling import sampled  # noqa: E402
from several_products import Tile, gated_source  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

import dotload  # noqa: E402
from dotload.plugin.triton_types import minor_version  # noqa: E402


def loop_of(case, names):
    """The instructions of the loop with dots whose names match `names`."""
    with dotload.enabled():
        return loop_in(case.compile(90).asm["ptx"], names)


def loop_in(text, names):
    """`loop_of` for a kernel's PTX."""
    blocks = re.split(r"\$L__BB\d+_\d+:", text)
    body = max(blocks, key=lambda block: block.count("wgmma.mma_async"))
    return [" ".join(found.split()) for found in re.findall(names, re.split(r"bra(?:\.uni)?\s+\$L__BB", body)[0])]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")


PART = ["wgmma.mma_async", "wgmma.commit_group", "wgmma.wait_group.sync.aligned 3"]


@pytest.mark.parametrize("orders", sampled(["rr", "cc"], 1))
def test_three_quarters_of_a_dot_stay_in_flight(orders):
    """A part waits for the same part of the previous dot. Fences, if any, do not wait for reads."""
    case = gemm.Case("fp8", orders, 128, 128, 128, 8, 3)
    names = r"ldmatrix|fence\.proxy|wgmma\.(?:mma_async|commit_group|wait_group\S*\s+\d+)"
    found = loop_of(case, names)
    if triton.__version__ >= "3.7":  # earlier versions lack it
        assert found.pop(0) == "fence.proxy"
    reads = found.count("ldmatrix")
    assert reads == 128 * 128 // (16 * 32 * case.num_warps)
    parts = found[reads:]
    assert {*parts} == {*PART}
    assert parts.count(PART[1]) == parts.count(PART[2]) == 4
    assert parts[-3:] == PART


def test_an_iteration_has_one_cta_barrier():
    """After the wait for a tile. The next loads write free buffers; waits for wgmma have no barriers of their own."""
    assert len(loop_of(gemm.Case("fp8", "rr", 128, 128, 128, 8, 3), r"bar\.sync")) == 1


@pytest.mark.parametrize(("orders", "barriers"), sampled([("rr", 1), ("cc", 1), ("cr", 2)], 1))
def test_a_gated_mlp_loads_between_its_dots(orders, barriers):
    """The next tiles, or those read into registers, are loaded between the dots. Seven of eight parts stay in
    flight, and no fence waits for the loads."""
    source, options = gated_source("fp8", orders, Tile(128, 128, 128, 8, 3)), {"num_warps": 8, "num_stages": 3}
    with dotload.enabled():
        text = triton.compile(source, GPUTarget("cuda", 90, 32), options).asm["ptx"]
    found = loop_in(text, r"wgmma\.mma_async|cp\.async\.cg|fence\.proxy|bar\.sync")
    dots = [place for place, name in enumerate(found) if name == "wgmma.mma_async"]
    first, second = dots[3], dots[4]
    assert len(dots) == 8
    assert found[first:second].count("cp.async.cg") >= 4
    assert not {*found[: dots[0]]} & {"cp.async.cg"}
    assert "fence.proxy" not in found[dots[0] :]
    assert found.count("bar.sync") == barriers


@pytest.mark.parametrize(
    ("case", "capability"),
    sampled(
        [
            (gemm.Case("fp8", "rr", 128, 128, 128, 8, 3), 90),
            (gemm.Case("int8", "cr", 128, 128, 128, 8, 3), 90),
            (gemm.Case("fp8", "cr", 128, 128, 128, 8, 3, descriptors=True), 90),
            (gemm.Case("int8", "cr", 128, 128, 64, 8, 3), 80),
        ],
        2,
    ),
    ids=str,
)
def test_reads_in_ttgir_come_down_to_the_same_instructions(case, capability):
    """As many ldmatrix and prmt as for reads in the LLVM dialect, and no other reads of the tiles."""
    counts = {}
    for flavour in ("llvm", "ttgir"):
        with dotload.enabled(passes=gemm_orders.FLAVOURS[flavour]):
            text = case.compile(capability).asm["ptx"]
        names = ("ldmatrix", "prmt", "ld.shared.b8", "ld.shared.b32", "st.shared")
        counts[flavour] = {name: text.count(f"{name}") for name in names}
    assert counts["ttgir"]["ldmatrix"] > 0
    assert counts["ttgir"] == counts["llvm"]


def test_the_index_of_a_paged_cache_is_copied_once():
    """One copy of 8 bytes serves the tiles of K and V."""
    case = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 64, 64, 4, 3, gathered=True)
    found = loop_of(case, r"cp\.async\.c[ag]\S+ \[[^]]*\], \[[^]]*\], 0x\w+")
    sizes = [int(each.split()[-1], 16) for each in found]
    assert sizes.count(8) == 1
    assert sizes.count(16) == 2 * 64 * 128 // (16 * 32 * case.num_warps)


def test_one_instruction_has_all_columns_of_scores():
    """Both warpgroups compute all 64 columns."""
    case = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 64, 64, 8, 3)
    found = loop_of(case, r"wgmma\.mma_async\.sync\.aligned\.(m64n\d+k16)")
    assert found == ["m64n64k16"] * (128 // 16)


DOTS = ("mma.sync", "wgmma.mma_async")


def rewritten(kernel):
    """The loop with the most dots of a kernel's PTX, and the kinds and passes of its remarks."""
    dotload.report(clear=True)
    with dotload.enabled():
        text = kernel.compile().asm["ptx"]
    loop = max(re.split(r"\$L__BB\d+_\d+:", text), key=lambda block: sum(map(block.count, DOTS)))
    return loop, {(remark.kind, remark.pass_name) for remark in dotload.report()}


SERVING = [
    (serving.pages_kernel(32, scaled=False), [4]),
    (serving.pages_kernel(32, scaled=False, tokens_scaled=True), [4, 4, 4]),
    (serving.pages_kernel(32, scaled=False, window=512), [4]),
    (serving.slots_kernel(32, latent=False), [8]),
]
"""Kernels, and the sizes of a thread's copies of indices and scales."""


@pytest.mark.parametrize("queries", [kv_cache.BF16, kv_cache.FP8])
def test_a_loop_of_one_tile_each_loads_the_next_before_its_last_dot(queries):
    """A fence follows the wait for tiles and precedes the first dot, except in Triton 3.6, which does not fence
    loads."""
    case = kv_cache.Kernel(queries, kv_cache.FP8, 64, 64, 8, 3, head=512, rope=64, head_v=512)
    ops = loop_of(case, r"cp\.async\.c[ag]|fence\.proxy\.async|wgmma\.mma_async")
    dots = [place for place, op in enumerate(ops) if op == "wgmma.mma_async"]
    loads = [place for place, op in enumerate(ops) if op.startswith("cp.async")]
    assert loads
    assert max(loads) < max(dots)
    assert "fence.proxy.async" in ops[: min(dots)] or (queries == kv_cache.FP8 and minor_version() < (3, 7))


def test_an_accumulator_that_takes_half_of_all_registers_is_not_spilled_for_others():
    """The product with the values is split into pieces, more if ptxas keeps two at a time, and wgmma descriptors
    are recomputed."""
    case = kv_cache.Kernel(kv_cache.FP8, kv_cache.FP8, 64, 64, 8, 2, head=512, rope=64, head_v=512)
    with dotload.enabled():
        text = case.compile(90).asm
    scores, pieces = 2, 4 if minor_version() >= (3, 9) else 2
    assert len(loop_in(text["ptx"], r"wgmma\.commit_group")) == scores + pieces
    assert ("ttg.memdesc_reinterpret" in text["ttgir"]) == (minor_version() >= (3, 8))


@pytest.mark.parametrize(("kernel", "lines"), SERVING, ids=str)
def test_kernels_in_the_form_of_those_that_serve_are_rewritten_whole(kernel, lines, monkeypatch):
    """With any mask, tiles, their index and scales are copied ahead, each once, and no byte is read alone."""
    if dict(kernel.constants).get("WINDOW"):
        monkeypatch.setenv("DOTLOAD_STRICT", "0")  # its mask is not folded in strict mode
    loop, told = rewritten(kernel)
    assert {("passed", "stage-dot-operands"), ("passed", "deduplicate-1d-loads")} <= told
    assert not {kind for kind, _ in told} & {"missed", "failure"}
    sizes = [int(size, 16) for size in re.findall(r"cp\.async\.c[ag]\S+ \[[^]]*\], \[[^]]*\], (0x\w+)", loop)]
    assert sorted(sizes) == lines + [16] * 4
    assert "ld.shared.b8" not in loop
    assert "ld.global" not in loop


def test_both_versions_of_a_loop_permute_their_results_back(monkeypatch):
    """MLIR merges the ends of two branches that differ in operands alone: these must not be tensors by then."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")  # a loop is not versioned in strict mode
    _, told = rewritten(serving.slots_kernel(64, latent=True, group=16))
    assert ("passed", "eliminate-transposed-loads") in told
    assert not {kind for kind, _ in told} & {"missed", "failure"}


@pytest.mark.parametrize(
    "kernel",
    [serving.pages_kernel(32, scaled=False), kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 16, 64, 4, 3, cast_v=True)],
    ids=str,
)
def test_llvm_scales_no_probabilities_in_f16(kernel, monkeypatch):
    """f16 cannot hold probabilities below 2^-24: they are multiplied by 2^15 and rounded before the conversion to
    f16."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    dotload.report(clear=True)
    with dotload.enabled():
        text = kernel.compile().asm["ptx"]
    assert any("scaled by 2^15" in remark.message for remark in dotload.report())
    assert not re.search(r"(?:mul|fma)\S*\.f16", text)


UNPACKED = {
    ("hoist-fragment-layouts", "pack-operand-conversions"): (
        quantised_weights.Kernel("experts, 8 bits", 16, 128, 64),
        quantised_weights.Kernel("experts, 4 bits", 16, 64, 128),
        quantised_weights.Kernel("experts, 4 bits", 16, 128, 64),
        quantised_weights.Kernel("packed, 4 bits", 16, 128, 64),
        quantised_weights.Kernel("packed along N, 4 bits", 16, 128, 128),
    ),
    ("unpack-operands-in-registers", "load-scales-ahead"): (
        quantised_weights.Kernel("experts, 8 bits", 64, 64, 64),
        quantised_weights.Kernel("experts, 8 bits, a row", 64, 128, 128, 8),
        quantised_weights.Kernel("experts, 4 bits", 64, 128, 64),
        quantised_weights.Kernel("packed, 4 bits", 64, 128, 64),
        quantised_weights.Kernel("packed along N, 4 bits", 64, 128, 64),
    ),
}
"""The passes that unpack weights, for mma.sync and for wgmma, and kernels for them."""


@pytest.mark.parametrize(
    ("kernel", "passes"), [(kernel, passes) for passes, kernels in UNPACKED.items() for kernel in kernels], ids=str
)
def test_weights_are_unpacked_on_words(kernel, passes, monkeypatch):
    """No weight is converted alone or stored to shared memory; for mma.sync, the loop has one scale.

    With wgmma, warps wait for each other when tiles have arrived, and before others are overwritten: not between parts.
    """
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop, told = rewritten(kernel)
    assert {("passed", name) for name in passes} <= told
    few_columns = ("missed", "sink-operand-conversions")
    assert not {kind for kind, _ in told - {few_columns}} & {"missed", "failure"}
    assert len(re.findall(r"st\.shared", loop)) <= ("wgmma.mma_async" not in loop)
    assert ("wgmma.mma_async" in loop) == (kernel.m == 64)
    assert not re.search(r"cvt\.rn\.\w+\.[su]\d+", loop)
    iteration = re.split(r"bra(?:\.uni)?\s+\$L__BB", loop)[0]
    assert kernel.m != 64 or (iteration.count("bar.sync") <= 2 and iteration.count("fence.proxy.async") <= 1)


@pytest.mark.parametrize("form", ["experts, 4 bits", "packed in bytes, 4 bits", "packed along N, 4 bits"])
def test_ldmatrix_reads_the_operand_beside_weights_that_share_bytes(form, monkeypatch):
    """Triton reads it by eight bytes, and moves each register once more."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop, told = rewritten(quantised_weights.Kernel(form, 16, 128, 128))
    assert ("passed", "narrow-k-width") in told
    assert len(re.findall(r"ldmatrix\S*\.x4", loop)) == 8
    assert not re.search(r"ld\.shared\.v2", loop)


@pytest.mark.parametrize("kind", ["fp16xint8", "bf16xfp8"])
def test_ldmatrix_reads_the_operand_beside_row_major_bytes(kind, monkeypatch):
    """It transposes the bytes, too."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    dotload.report(clear=True)
    with dotload.enabled():
        text = gemm.Case(kind, "rr", 64, 128, 64, 4, 3).compile(89).asm["ptx"]
    assert ("passed", "narrow-k-width") in {(remark.kind, remark.pass_name) for remark in dotload.report()}
    assert len(re.findall(r"ldmatrix\S*\.x4\.shared", text)) == 16
    assert len(re.findall(r"ldmatrix\S*\.x4\.trans", text)) == 4
    assert "ld.shared.v2" not in text


@pytest.mark.parametrize("form", ["packed, 4 bits", "packed in bytes, 4 bits"])
@pytest.mark.parametrize(("m", "num_stages"), [(32, 1), (64, 1), (64, 3)])
def test_weights_of_few_columns_are_stored_in_vectors(form, m, num_stages, monkeypatch):
    """32 columns are too few for 8 warps of mma.sync, and for wgmma with the weights as A."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop, told = rewritten(quantised_weights.Kernel(form, m, 32, 128, 8, num_stages))
    assert ("passed", "unpack-in-load-layout") in told
    assert not re.search(r"st\.shared\.b(?:8|16)", loop)


ATTENTION = [
    kv_cache.Kernel(kv_cache.FP8, kv_cache.FP8, 64, block_n=64),
    kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 128, block_n=64, num_warps=8),
    kv_cache.Kernel(kv_cache.FP8, kv_cache.FP8, 64, gathered=True),
    kv_cache.Kernel(kv_cache.FP8, kv_cache.FP8, 64, head=512, rope=64, head_v=512, num_warps=8),
]


@pytest.mark.parametrize("kernel", ATTENTION, ids=lambda kernel: f"{kernel.tile} {kernel.head_v}")
def test_probabilities_stay_in_their_lanes(kernel):
    """Triton would exchange them by 8 shuffles. The remaining shuffles get the warp's number and reduce rows."""
    assert len(loop_of(kernel, r"shfl\.sync\.idx")) <= 1


@pytest.mark.parametrize(
    "kernel",
    [quantised_weights.Kernel(f"experts, {bits} bits, a row", 16, 128, 128) for bits in (4, 8)],
    ids=str,
)
def test_a_row_of_scales_takes_no_operand_through_shared_memory(kernel, monkeypatch):
    """Triton would convert tile and row to the layout of the row's load, after the pipeliner."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop, _ = rewritten(kernel)
    assert len(re.findall(r"st\.shared", loop)) <= 1


def test_scales_and_zeros_of_tokens_are_loaded_once():
    """Four columns of 64 numbers of 2 bytes, in the loop and for two tiles before it: not 64 of each by each thread."""
    with dotload.enabled():
        text = serving.blocks_kernel(64).compile().asm["ptx"]
    assert len(re.findall(r"ld\.global\S*\.b16", text)) <= 4 * 3
    assert "ld.shared.b8" not in text


@pytest.mark.parametrize(
    ("kernel", "copied"),
    [
        (quantised_weights.Kernel("experts, 8 bits", 16, 64, 128), 16 * 128 * 2 + 64 * 128),
        (quantised_weights.Kernel("experts, 4 bits", 16, 64, 128), 16 * 128 * 2 + 64 * 64),
        (quantised_weights.Kernel("experts, 8 bits", 16, 128, 64), 16 * 64 * 2 + 128 * 64),
        (quantised_weights.Kernel("experts, 8 bits", 64, 128, 64), 64 * 64 * 2 + 128 * 64),
        (quantised_weights.Kernel("packed, 4 bits", 16, 64, 64), 16 * 64 * 2 + 64 * 64 // 2),
    ],
    ids=str,
)
def test_packed_weights_are_copied_once(kernel, copied):
    """Asynchronous copies load each byte once, and a scale is loaded per group and row, not per element."""
    dotload.report(clear=True)
    with dotload.enabled():
        text = kernel.compile().asm["ptx"]
    told = {remark.pass_name for remark in dotload.report() if remark.kind == "passed"}
    assert told & {"deduplicate-repeated-loads", "deduplicate-row-loads"}
    loop = max(re.split(r"\$L__BB\d+_\d+:", text), key=lambda block: sum(map(block.count, DOTS)))
    sizes = [int(size, 16) for size in re.findall(r"cp\.async\.c[ag]\S+ \[[^]]*\], \[[^]]*\], (0x\w+)", loop)]
    assert sum(sizes) * 32 * kernel.num_warps == copied
    assert "ld.global.b8" not in loop


@pytest.mark.parametrize("format_", microscaled_weights.FORMATS)
@pytest.mark.parametrize(("m", "n", "k", "warps"), sampled([(16, 64, 128, 4), (64, 64, 256, 4), (128, 128, 128, 8)], 1))
def test_microscaled_weights_are_multiplied_in_pairs(format_, m, n, k, warps, monkeypatch):
    """No instruction handles a single element of a weight: none selects NaN, no byte is converted alone."""
    monkeypatch.delenv("DOTLOAD_STRICT")
    kernel = microscaled_weights.Kernel(format_, "c", m, n, k, warps)
    stock = kernel.compile().asm["ptx"]
    with dotload.enabled():
        text = kernel.compile().asm["ptx"]
    elements = n * k // (32 * warps)
    assert len(re.findall(r"selp\.b16|selp\.bf16", text)) <= elements // 8
    assert len(re.findall(r"\sprmt\.|cvt\.bf16\.f16|cvt\.rn\.bf16\.f32", text)) < elements // 2
    assert len(re.findall(r"\sprmt\.|cvt\.bf16\.f16", stock)) >= elements


@pytest.mark.parametrize(("m", "n", "k", "warps"), sampled([(128, 64, 128, 4), (128, 128, 128, 8)], 1))
def test_b_is_stored_in_vectors_if_both_operands_are_scaled(m, n, k, warps):
    """Stock stores each element of a K-major B by itself, for wgmma to read with N contiguous."""
    kernel = microscaled_weights.Kernel("MXFP8", "c", m, n, k, warps, a_format="e4m3")
    stock = kernel.compile().asm["ptx"]
    with dotload.enabled():
        text = kernel.compile().asm["ptx"]
    elements, single, vector = n * k // (32 * warps), r"st\.shared(::cta)?\.b16", r"st\.shared(::cta)?\.v4\.b32"
    assert len(re.findall(single, stock)) >= elements
    assert len(re.findall(single, text)) + text.count("ld.shared.b8") <= elements // 8  # scales
    assert len(re.findall(vector, text)) >= elements // 8


@pytest.mark.parametrize("kind", ["fp16xint8", "bf16xfp8"])
@pytest.mark.parametrize(("orders", "rows", "warps"), sampled([("rr", 16, 4), ("rr", 64, 4), ("cr", 128, 8)], 2))
def test_converted_tiles_of_descriptors_are_staged(kind, orders, rows, warps):
    """Row-major weights loaded by TMA are read by ldmatrix and never byte by byte, in both generations of tensor
    cores."""
    dotload.report(clear=True)
    case = gemm.Case(kind, orders, rows, 128, 64, warps, 3, descriptors=True)
    with dotload.enabled():
        text = case.compile(90).asm["ptx"]
    told = {remark.pass_name for remark in dotload.report() if remark.kind == "passed"}
    assert "stage-dot-operands" in told
    assert re.search(r"ldmatrix\S*\.trans", text)
    assert not re.search(r"(?:ld|st)\.shared\S*\.[bu]8", text)


@pytest.mark.parametrize("descriptors", [False, True])
def test_flattened_loops_of_a_persistent_kernel_stay_nested(descriptors):
    """B goes through registers, so the loop over k stores nothing. In the fused loop, it would be copied K-major."""
    case = persistent_gemms.Persistent("fp8", "rr", 128, 128, 128, 8, 3, descriptors=descriptors)
    with dotload.enabled():
        kernel = case.compile()
    assert "unflatten-loops" in kernel.metadata.dotload_passes
    body = loop_in(kernel.asm["ptx"], r"wgmma\.mma_async|ldmatrix|st\.\w+|stmatrix")
    assert {*body} == {"wgmma.mma_async", "ldmatrix"}


@pytest.mark.parametrize("make", [gemm.Case, persistent_gemms.Persistent])
def test_weights_that_a_descriptor_loads_and_the_kernel_transposes(make):
    """They go through registers; a loop around the dot is not flattened."""
    case = make("fp16xint8", "rc", 128, 128, 64, 8, 3, descriptors=True)
    with dotload.enabled():
        kernel = case.compile()
    assert "sink-operand-transposes" in kernel.metadata.dotload_passes
    assert ("unflatten-loops" in kernel.metadata.dotload_passes) == (make is persistent_gemms.Persistent)
    body = loop_in(kernel.asm["ptx"], r"wgmma\.mma_async|st\.shared|stmatrix")
    assert {*body} == {"wgmma.mma_async"}
