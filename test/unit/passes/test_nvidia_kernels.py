"""Whole kernels, compiled without a GPU: what dotload changes in their PTX, and which PTX stays the same."""

import functools
import itertools
import re
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="compiles with Triton")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

import gemm
import kv_cache
import quantised_weights
import sass
import serving
import triton
import triton.language as tl
from ahead_of_time import source
from attention_fp8 import Tile
from sampling import sampled
from scaled_products import scaled_source
from several_products import Tile as ProductTile
from several_products import gated, gated_source
from triton.backends.compiler import GPUTarget

import dotload
from dotload.layout.nvidia_targets import find_target
from dotload.passes import registry
from dotload.passes.analysis.prefilter import has_staged_operands
from dotload.plugin import nvidia, stages
from dotload.plugin.report import report
from dotload.plugin.triton_types import minor_version


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DOTLOAD_STRICT", "1")


@functools.cache
def compiled(case, capability=90):
    """The kernel with dotload on; each is compiled once for all tests of this file."""
    with dotload.enabled():
        return case.compile(capability)


@functools.cache
def compiled_by_stock(case, capability=90):
    return case.compile(capability)


def ptx(case, *, on, capability=90):
    return (compiled if on else compiled_by_stock)(case, capability).asm["ptx"]


def count(text, instruction):
    return len(re.findall(instruction, text))


NON_K_MAJOR = [
    gemm.Case("fp8", "rr", 128, 256, 128, 8, 3),
    gemm.Case("fp8", "cc", 256, 128, 128, 8, 3),
    gemm.Case("fp8", "cr", 128, 128, 128, 4, 3),
    gemm.Case("fp8e5", "rr", 128, 128, 64, 4, 4),
    gemm.Case("int8", "rr", 128, 128, 128, 4, 3),
    gemm.Case("int8", "cr", 128, 128, 64, 4, 2),
    gemm.Case("fp8", "cc", 128, 128, 64, 4, 1),
    gemm.Case("fp8", "rr", 64, 64, 128, 4, 3),
]


TWICE = NON_K_MAJOR[2]
"""Neither operand is K-major: one is read through registers, the other copied. All tests share its compilation."""


def is_twice(case):
    return case is TWICE


@pytest.mark.parametrize("case", sampled(NON_K_MAJOR, 1, is_twice), ids=str)
def test_no_byte_is_stored_alone(case):
    """Stock Triton transposes with st.shared.b8; dotload's kernel has none, and copies both operands
    asynchronously."""
    stock, ours = ptx(case, on=False), ptx(case, on=True)
    byte_stores = r"st\.shared(?:::cta)?\.(?:b8|u8)"
    assert count(stock, byte_stores) > 0
    assert count(ours, byte_stores) == 0
    assert count(ours, r"ld\.shared(?:::cta)?\.(?:b8|u8)") == 0
    if case.num_stages > 1:
        assert count(ours, r"cp\.async\.c[ag]\.shared") > count(stock, r"cp\.async\.c[ag]\.shared")
    assert count(ours, "wgmma.mma_async") > 0
    assert count(ours, r"\.local") == 0  # words become elements in memory, which LLVM removes


FROM_TMA = [
    gemm.Case("fp8", "rr", 256, 128, 128, 8, 3, descriptors=True),
    gemm.Case("fp8", "cr", 128, 256, 128, 8, 3, descriptors=True),
    gemm.Case("fp8", "cr", 128, 128, 128, 4, 3, descriptors=True),
    gemm.Case("fp8", "cc", 128, 128, 64, 4, 4, descriptors=True),
    gemm.Case("int8", "cr", 128, 128, 128, 8, 3, descriptors=True),
    gemm.Case("int8", "rr", 128, 128, 128, 4, 3, descriptors=True),
    gemm.Case("tf32", "cr", 128, 128, 32, 4, 3, descriptors=True),
]


@pytest.mark.parametrize("case", sampled(FROM_TMA, 1), ids=str)
def test_a_tile_of_tma_is_read_where_it_lies(case):
    """Tiles are read where TMA has written them: the only stores are K-major copies of one of two operands."""
    ours = ptx(case, on=True)
    assert count(ours, r"cp\.async\.bulk\.tensor") > 0
    body = tma_loop(ours)
    stores = count(body, r"stmatrix") + count(body, r"st\.shared(?:::cta)?\.v4")
    copied = (case.block_m if case.orders == "cr" else 0) * case.block_k * gemm.KINDS[case.kind].bits // 8
    assert stores == copied // (16 * 32 * case.num_warps)
    assert count(body, r"st\.shared(?:::cta)?\.(?:b8|u8|b32)") == 0
    assert count(ours, r"\.local") == 0


def tma_loop(text):
    """The PTX of the loop with the dots; waits for mbarriers are loops of their own, whose labels are local."""
    blocks = re.split(r"\$L__BB\d+_\d+:", text)
    body = next(block for block in blocks if "cp.async.bulk.tensor" in block and "wgmma.mma_async" in block)
    return re.split(r"bra \s*\$L__BB", body)[0]


@pytest.mark.parametrize("case", sampled([NON_K_MAJOR[0], TWICE, NON_K_MAJOR[4]], 0, is_twice), ids=str)
def test_a_word_costs_a_quarter_of_a_matrix_read_and_one_permutation(case):
    """A non-K-major tile is read by ldmatrix.trans, four words at a time, and each word permuted once."""
    ours = ptx(case, on=True)
    non_k_major_rows = case.block_m * (case.orders[0] == "c") + case.block_n * (case.orders[1] == "r")
    words = non_k_major_rows * case.block_k // 4 // (32 * case.num_warps)
    assert count(ours, r"ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared\.b16") == words // 4
    assert count(ours, r"prmt\.b32") == words


@pytest.mark.parametrize("case", sampled([NON_K_MAJOR[0], TWICE, NON_K_MAJOR[5]], 0, is_twice), ids=str)
def test_all_warps_have_arrived_before_a_tile_is_read(case):
    """Each wait for a copy is followed by a barrier, then come the reads; reads are followed by one before the next
    copies."""
    loop = re.split(r"\$L__BB\d+_\d+:", ptx(case, on=True))
    loop = next(block for block in loop if "ldmatrix" in block and "wgmma.mma_async" in block)
    found = re.findall(r"cp\.async\.wait_group|bar\.sync|ldmatrix\S*trans|cp\.async\.cg", loop)
    order = [name for number, name in enumerate(found) if number == 0 or name != found[number - 1]]
    for name, following in itertools.pairwise(order):
        assert not (name == "cp.async.wait_group" and following.startswith("ldmatrix"))
        assert not (name.startswith("ldmatrix") and following == "cp.async.cg")


def dot_loop(text):
    """The PTX of the loop with the dots."""
    blocks = re.split(r"\$L__BB\d+_\d+:", text)
    return next(block for block in blocks if "cp.async.cg" in block and "wgmma.mma_async" in block).split("bra")[0]


@pytest.mark.parametrize("kind", sampled(["fp8", "int8"], 1))
def test_a_dot_runs_while_the_next_tile_is_copied(kind):
    """With both operands non-K-major, one is copied K-major, an iteration ahead: after the start of the dot, which
    the next iteration waits for. The loop has one CTA barrier, and the dot is in one piece."""
    loop = dot_loop(ptx(gemm.Case(kind, "cr", 128, 256, 128, 8, 3), on=True))
    found = re.findall(r"st\.shared\.v4|wgmma\.\w+_group\.sync\.aligned(?:\s+\d+)?|bar\.sync|cp\.async\.cg", loop)
    order = [re.sub(r"\s+", " ", name) for number, name in enumerate(found) if number == 0 or name != found[number - 1]]
    start, commit = "wgmma.wait_group.sync.aligned 0", "wgmma.commit_group.sync.aligned"
    assert order[:4] == [start, "bar.sync", commit, "st.shared.v4"]
    assert set(order[4:]) == {"cp.async.cg"}
    assert found.count("bar.sync") == 1


@pytest.mark.parametrize("kind", sampled(["fp8", "tf32"], 1))
def test_no_warp_waits_for_another_between_dots_of_tiles_of_tma(kind):
    """CTA barriers are placed while the dot runs: before the copy's stores, after them, and, with Triton 3.6 and 3.7,
    after the next loads."""
    block_k = 1024 // gemm.KINDS[kind].bits
    loop = tma_loop(ptx(gemm.Case(kind, "cr", 128, 256, block_k, 8, 3, descriptors=True), on=True))
    names = r"wgmma\.(?:wait|commit)_group|bar\.sync|stmatrix|st\.shared(?:::cta)?\.v4|cp\.async\.bulk\.tensor"
    found = re.findall(names, loop)
    assert found[:3] == ["wgmma.wait_group", "wgmma.commit_group", "bar.sync"]
    stores = max(place for place, name in enumerate(found) if name.startswith("st"))
    loads = found.index("cp.async.bulk.tensor")
    assert stores < loads
    assert "bar.sync" in found[stores:loads]
    assert found[-1] == ("bar.sync" if minor_version() < (3, 8) else "cp.async.bulk.tensor")


def test_part_of_a_dot_is_in_flight_where_two_blocks_are_resident():
    """With 4 warps and 3 stages, another tile would cost a resident block, so part of the dot stays in flight
    instead."""
    loop = dot_loop(ptx(TWICE, on=True))
    pending = re.findall(r"wgmma\.wait_group\.sync\.aligned\s+(\d+)", loop)
    assert pending
    assert "0" not in pending


@pytest.mark.parametrize(
    "case",
    [
        *sampled([*NON_K_MAJOR, *FROM_TMA], 0, is_twice),
        *sampled(
            [
                gemm.Case("tf32", "cr", 128, 256, 32, 8, 3),
                gemm.Case("tf32", "rr", 128, 128, 32, 4, 3),
                gemm.Case("tf32", "cr", 128, 128, 32, 4, 2),
            ],
            1,
        ),
        *sampled([gemm.Case("int8", "cr", 128, 256, 128, 8, 4), gemm.Case("fp8", "cr", 128, 256, 128, 8, 2)], 0),
    ],
    ids=str,
)
def test_no_register_is_written_while_wgmma_reads_it(case, tmp_path):
    """ptxas treats the registers of A as free once wgmma has started, so the loop must not overwrite them."""
    cubin = compiled(case).asm["cubin"]
    loops = list(sass.dot_loops(sass.disassemble(cubin, tmp_path)))
    assert loops or case.num_stages == 1
    for loop in loops:
        assert sass.writes_to_registers_in_flight(loop) == []


@pytest.mark.parametrize("orders", sampled(["rr", "cc", "cr"], 1))
def test_no_register_is_written_while_wgmma_reads_it_for_several_dots(orders, tmp_path):
    """All fragments are read before the first dot, while seven of eight parts are in flight."""
    with dotload.enabled():
        kernel = triton.compile(
            gated_source("fp8", orders, ProductTile(128, 128, 128, 8, 3)),
            GPUTarget("cuda", 90, 32),
            {"num_warps": 8, "num_stages": 3},
        )
    assert sass.spilled_bytes(kernel.asm["cubin"], tmp_path) == 0
    (loop,) = sass.dot_loops(sass.disassemble(kernel.asm["cubin"], tmp_path))
    assert sum("GMMA" in line for line in loop) == 8
    assert sass.writes_to_registers_in_flight(loop) == []


@pytest.mark.parametrize("form", ["packed, 4 bits", "packed in bytes, 4 bits"])
def test_constants_of_packed_products_stay_in_registers(form, tmp_path):
    """A conversion divides the upper of two fields by 16; ptxas does not move both constants anew for each one."""
    with dotload.enabled():
        cubin = quantised_weights.Kernel(form, 64, 128, 128, 8).compile().asm["cubin"]
    (loop,) = sass.dot_loops(sass.disassemble(cubin, tmp_path))
    assert sum(line.startswith("HFMA2") for line in loop) >= 32
    assert sum("0x2c003c00" in line for line in loop) <= 2  # 1 and 1/16 in f16


ORDERED = ("LDG.E", "BAR.SYNC", "QGMMA", "LDGSTS", "WARPGROUP.DEPBAR")


def scaled_loop(orders, wrap, folder):
    """The instructions of a loop of fp8 with scales by block."""
    tile = ProductTile(128, 128, 128, 8, 3)
    with dotload.enabled():
        cubin = triton.compile(scaled_source(orders, tile, wrap), GPUTarget("cuda", 90, 32), tile.options).asm["cubin"]
    assert sass.spilled_bytes(cubin, folder) == 0
    (loop,) = sass.dot_loops(sass.disassemble(cubin, folder))
    return loop


@pytest.mark.parametrize("orders", ["cc", "cr"])
def test_no_register_is_written_while_wgmma_reads_it_for_a_scaled_dot(orders, tmp_path):
    """The next tiles, and the scales of columns, are loaded while the dot runs."""
    loop = scaled_loop(orders, True, tmp_path)
    assert sum(line.startswith("LDG.E") for line in loop) == 3  # two rows, and one column
    assert sass.writes_to_registers_in_flight(loop) == []


@pytest.mark.parametrize("orders", ["rr", "cc", "cr"])
def test_an_element_of_a_scaled_dot_takes_one_instruction(orders, tmp_path, monkeypatch):
    """A thread has 64 elements, of two rows. Their scales are multiplied by that of all columns first."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop = scaled_loop(orders, False, tmp_path)
    assert [sum(line.startswith(name) for line in loop) for name in ("FMUL", "FFMA", "FADD")] == [2, 64, 0]


def test_a_dot_of_two_read_operands_waits_for_no_scale(tmp_path, monkeypatch):
    """Scales are loaded before the iteration's first barrier, and the next tiles while the dot runs."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    loop = scaled_loop("cr", False, tmp_path)
    places = {name: [place for place, line in enumerate(loop) if line.startswith(name)] for name in ORDERED}
    scales, barriers, dots, tiles, waits = places.values()
    assert max(scales) < min(barriers) < max(dots) < max(tiles) < min(waits)


def test_writes_to_registers_in_flight_are_seen():
    """Code that ptxas once generated for a loop that did not wait for the previous iteration's dot."""
    load, dot = "LDSM.16.MT88.4 R156, [R2]", "IGMMA.64x128x32.S8.S8 R88, R156, gdesc[UR8], R88, gsb0"
    wait = "WARPGROUP.DEPBAR.LE gsb0, 0x{}"
    assert sass.writes_to_registers_in_flight([wait.format(0), load, dot]) == []
    assert sass.writes_to_registers_in_flight([load, wait.format(0), dot]) == [load]
    assert sass.writes_to_registers_in_flight([load, dot, wait.format(1)]) == [load]
    assert sass.writes_to_registers_in_flight(["IMAD R159, R1, R2, R3", dot, wait.format(0)]) == []


MOST_FOR_TWO_BLOCKS = (228 * 1024) // 2 - 1024


@pytest.mark.parametrize("tile", sampled([Tile(128, 128, 4, 3), Tile(64, 128, 4, 3)], 1), ids=str)
def test_two_blocks_of_attention_share_a_multiprocessor(tile, tmp_path):
    """Two blocks are resident, as with V stored transposed. With two K-major buffers for V, it was one."""
    with dotload.enabled():
        kernel = tile.compile(transposed=False)
    assert kernel.metadata.shared <= MOST_FOR_TWO_BLOCKS
    assert sass.spilled_bytes(kernel.asm["cubin"], tmp_path) == 0


def test_attention_without_room_for_another_block_keeps_two_buffers():
    with dotload.enabled():
        kernel = Tile(128, 128, 8, 3).compile(transposed=False)
    assert "!ttg.memdesc<2x128x128xf8E4M3FN, #shared1" in kernel.asm["ttgir"]


@pytest.mark.parametrize("orders", sampled(["rc", "rr"], 1))
def test_a_dot_runs_while_weights_are_converted(orders):
    """int8 weights in an fp16 dot: stock Triton waits for each dot before it stores the next tile."""

    def pending(text):
        return {int(number) for number in re.findall(r"wgmma\.wait_group\.sync\.aligned\s+(\d+)", text)}

    case = gemm.Case("fp16xint8", orders, 64, 64, 64, 4, 3)
    assert pending(ptx(case, on=False)) == {0}
    assert max(pending(ptx(case, on=True))) > 0


@pytest.mark.parametrize("orders", sampled(["rc", "rr"], 1))
def test_operands_that_are_converted_stay_in_registers(orders):
    """wgmma takes them from registers as the A of the transposed dot; they are not stored to shared memory again."""
    from_registers = r"wgmma\.mma_async\S+\s+\{[^}]*\}, \{"
    case = gemm.Case("fp16xint8", orders, 64, 128, 64, 4, 3)
    assert count(ptx(case, on=False), from_registers) == 0
    assert count(ptx(case, on=True), from_registers) == count(ptx(case, on=True), r"wgmma\.mma_async") > 0


@pytest.mark.parametrize("rows", [64, 128])
def test_a_dot_stays_in_flight_while_its_operand_is_converted(rows):
    """The operand is converted part by part, so the loop does not wait for the whole dot."""
    text = ptx(gemm.Case("fp16xint8", "rr", rows, 128, 64, 4, 3), on=True)
    loop = re.search(r"(\$L__BB0_\d+):\s.*?bra\s+\1;", text, re.DOTALL)
    assert loop is not None
    assert count(loop[0], r"wgmma\.wait_group\.sync\.aligned\s+0") == 0


@pytest.mark.parametrize("orders", sampled(["rr", "cc"], 1))
def test_tf32_copies_in_vectors(orders):
    """Stock Triton copies one element per cp.async."""
    case = gemm.Case("tf32", orders, 64, 64, 32, 4, 3)
    stock, ours = ptx(case, on=False), ptx(case, on=True)
    assert count(stock, r"cp\.async\.ca\.shared.*0x4,") > 0
    assert count(ours, r"cp\.async\.ca\.shared.*0x4,") == 0
    assert count(ours, r"cp\.async\.cg\.shared.*0x10,") > 0


@pytest.mark.parametrize(
    ("case", "pairs"),
    [(gemm.Case("tf32", "rr", 256, 128, 32, 8, 3), 64), (gemm.Case("tf32", "rr", 128, 128, 32, 8, 3), 32)],
    ids=str,
)
def test_results_of_a_permuted_dot_are_stored_in_pairs(case, pairs):
    """The result is stored from registers, not through shared memory."""
    ours = ptx(case, on=True)
    assert count(ours, r"st\.global\.v2\.b32") == pairs
    assert count(ours, r"st\.shared") == 0


LATENT = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, 16, 32, 4, 2, head=512, rope=64, head_v=512, latent=True)


@pytest.mark.parametrize(
    ("capability", "strict", "products"), [(90, "0", "f16"), (89, "0", "f16"), (90, "1", "bf16"), (120, "0", "bf16")]
)
@pytest.mark.parametrize("scaled", [False, True])
def test_latent_attention_in_bf16_multiplies_in_f16_before_blackwell(capability, strict, products, scaled, monkeypatch):
    """Both dots, of keys and of values, with and without a scale; strict mode does not."""
    monkeypatch.setenv("DOTLOAD_STRICT", strict)
    with dotload.enabled():
        text = replace(LATENT, scaled=scaled).compile(capability).asm["ptx"]
    found = set(re.findall(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.(\w+)\.", text))
    assert found == {products}


FEW_HEADS = replace(LATENT, latent=False)
MANY_HEADS = replace(FEW_HEADS, rows=64, num_warps=8)


@pytest.mark.parametrize(
    ("kernel", "strict", "versions"),
    [
        (FEW_HEADS, "0", 2),
        (FEW_HEADS, "1", 1),
        (MANY_HEADS, "0", 2),
        (replace(MANY_HEADS, queries=kv_cache.FP8), "0", 1),
        (replace(MANY_HEADS, block_n=128), "0", 1),
    ],
    ids=str,
)
def test_latent_attention_has_a_version_that_loads_no_values(kernel, strict, versions, monkeypatch):
    monkeypatch.setenv("DOTLOAD_STRICT", strict)
    with dotload.enabled():
        text = kernel.compile().asm["ttir"]
    assert text.count("scf.for") == versions
    assert text.count("tt.load") == 2 + 5 if versions == 2 else 2 + 3


@pytest.mark.parametrize("case", sampled(NON_K_MAJOR[:3], 0, is_twice), ids=str)
def test_a_rewritten_kernel_keeps_its_lines(case):
    stock, ours = ptx(case, on=False), ptx(case, on=True)

    def lines(text):
        return set(re.findall(r"\.loc\s+1 (\d+)", text))

    # Lines of the stores and of the loop stay; lines disappear if other ops took over their work.
    assert len(lines(ours) & lines(stock)) >= 0.7 * len(lines(stock))


@pytest.mark.parametrize("case", sampled([NON_K_MAJOR[0], TWICE, FROM_TMA[1]], 0, is_twice), ids=str)
def test_no_vector_is_as_wide_as_the_accumulator(case):
    """LLVM's SLP vectorizer once made one vector of a thread's whole tile, which took most of LLVM's time."""
    llvm = compiled(case).asm["llir"]
    widths = [int(width) for width in re.findall(r"<(\d+) x (?:float|half)>", llvm)]
    assert max(widths) <= 8


@pytest.mark.parametrize("capability", sampled([80, 89], 1))
def test_mma_sync_reads_words(capability):
    """Stock Triton reads a non-K-major 8-bit operand of mma.sync byte by byte."""
    case = gemm.Case("int8", "rr", 64, 64, 64, 4, 3)
    stock, ours = ptx(case, on=False, capability=capability), ptx(case, on=True, capability=capability)
    byte_loads = r"ld\.shared(?:::cta)?\.(?:b8|u8|s8)"
    assert count(stock, byte_loads) > 0
    assert count(ours, byte_loads) == 0
    assert count(ours, "mma.sync") > 0


def test_a_loop_loads_as_far_ahead_as_a_block_of_the_target_has_room():
    """16 stages would take 180 KB; a block of sm_89 has 99."""
    kernel = compiled(gemm.Case("int8", "rr", 64, 128, 64, 4, 16), 89)
    assert find_target(89).max_block_bytes // 2 < kernel.metadata.shared <= find_target(89).max_block_bytes
    assert count(kernel.asm["ptx"], "ldmatrix") > 0


@pytest.mark.parametrize(("orders", "copied"), [("cc", False), ("cr", True)])
def test_dots_that_share_a_take_it_from_the_same_registers(orders, copied):
    """Where nothing else is staged: B in registers, too, would need them transposed, so c x r copies A K-major."""
    types = dict.fromkeys(("a_ptr", "b_ptr", "d_ptr"), "*fp8e4nv") | {"c_ptr": "*fp16"}
    unit = {"cc": ("stride_am", "stride_bk"), "cr": ("stride_am", "stride_bn")}[orders]
    constants = dict.fromkeys(("BLOCK_M", "BLOCK_N", "BLOCK_K"), 64) | dict.fromkeys(unit, 1)
    report(clear=True)
    with dotload.enabled():
        kernel = triton.compile(source(gated, types, constants), GPUTarget("cuda", 90, 32), {"num_warps": 4})
    assert not [remark for remark in report() if remark.kind == "failure"]
    loop = kernel.asm["ttgir"].split("scf.for")[1].split("scf.yield")[0]
    assert ("!llvm.ptr<3>" in "".join(re.findall("llvm.store.*", loop))) == copied
    assert loop.count("ttng.warp_group_dot ") == 4


def test_the_users_option_goes_before_the_kernels():
    """The plugin passes num_stages on, unless the user sets it. 0 means unknown: the loop then waits for its dot
    before the next copy."""
    case = TWICE
    with dotload.enabled(passes=["stage-dot-operands{num-stages=0}", "convert-staged-operands-to-llvm"]):
        ours = case.compile().asm["ptx"]
    assert set(re.findall(r"wgmma\.wait_group\.sync\.aligned\s+(\d+)", ours)) == {"0"}


def test_passes_over_loops_run_only_behind_a_staged_operand(monkeypatch):
    """After a staged operand, all passes that this version of Triton needs run, in order."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")  # strict mode leaves some out
    entries = [registry.find(name) for name in nvidia.LOOPS.split(",") if nvidia.runs_with(name, minor_version())]
    names = [entry.name for entry in entries if entry.precondition is has_staged_operands]
    seen = []
    for name in names:
        monkeypatch.setattr(registry.find(name).load(), "rewrite", lambda self, *_: seen.append(self.name))
    with dotload.enabled():
        gemm.Case("fp8", "rc", 64, 64, 64, 4, 3).compile()
        assert not seen
        gemm.Case("fp8", "rr", 64, 64, 64, 4, 3).compile()
    assert seen == names


def test_scales_that_a_loop_loads_are_multiplied_behind_it(monkeypatch):
    """vLLM's kernel: the scale of keys is multiplied once per score, that of values once per result."""
    monkeypatch.setenv("DOTLOAD_STRICT", "0")
    report(clear=True)
    with dotload.enabled():
        compiled = serving.pages_kernel(32, scaled=True).compile()
    sunk = [remark for remark in report() if remark.pass_name == "sink-operand-scales"]
    assert [remark.kind for remark in sunk] == ["passed", "passed"]
    loop = compiled.asm["ttgir"].split("scf.for")[1].split("scf.yield")[0]
    assert "tt.load" not in loop


UNTOUCHED = [
    *[gemm.Case(kind, orders, 64, 64, 64, 4, 3) for kind in ("fp16", "bf16") for orders in gemm.ORDERS],
    *[gemm.Case(kind, "rc", 128, 128, 64, 4, 3) for kind in ("fp8", "int8")],
    gemm.Case("tf32", "rc", 64, 64, 32, 4, 3),
]


@pytest.mark.parametrize("case", sampled(UNTOUCHED, 3), ids=str)
def test_everything_else_is_stock_to_the_letter(case):
    assert ptx(case, on=True) == ptx(case, on=False)


@pytest.mark.parametrize(("kind", "anchors"), [("fp16", []), ("bf16", []), ("fp8", ["tritongpu-assign-latencies"])])
def test_the_pipeline_is_cut_only_for_elements_that_may_be_staged(kind, anchors, monkeypatch):
    cut = []
    real = stages.respliced
    monkeypatch.setattr(stages, "respliced", lambda *args: cut.extend(args[2].rewrites) or real(*args))
    with dotload.enabled():
        gemm.Case(kind, "rr", 64, 64, 64, 4, 3).compile()
    assert cut == anchors


def test_the_report_tells_the_users_line():
    report(clear=True)
    with dotload.enabled():
        gemm.Case("fp8", "rr", 64, 64, 64, 4, 3).compile()
    found = [remark for remark in report() if remark.reason != "ASSEMBLED"]
    (remark,) = [remark for remark in found if remark.pass_name == "stage-dot-operands"]
    file, line, _ = remark.location.rsplit(":", 2)
    assert Path(file).name == "gemm.py"
    assert "tl.load(b)" in Path(file).read_text().splitlines()[int(line) - 1]
    assert remark.kind == "passed"


@triton.jit
def microscaled(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, k, SIZE: tl.constexpr):
    at, group = tl.arange(0, SIZE), tl.arange(0, SIZE // 32)
    c = tl.zeros((SIZE, SIZE), tl.float32)
    for start in range(0, k, SIZE):
        inner, groups = start + at, start // 32 + group
        a = tl.load(a_ptr + at[:, None] * k + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * SIZE + at[None, :])
        a_scale = tl.load(a_scale_ptr + at[:, None] * (k // 32) + groups[None, :])
        b_scale = tl.load(b_scale_ptr + at[:, None] * (k // 32) + groups[None, :])
        c = tl.dot_scaled(a, a_scale, "e4m3", b, b_scale, "e4m3", c)
    tl.store(c_ptr + at[:, None] * SIZE + at[None, :], c)


def test_dots_that_triton_makes_of_scaled_ones_are_looked_at():
    pointers = {"a_ptr": "*fp8e4nv", "b_ptr": "*fp8e4nv", "a_scale_ptr": "*u8", "b_scale_ptr": "*u8", "c_ptr": "*fp32"}
    report(clear=True)
    with dotload.enabled():
        compiled = triton.compile(source(microscaled, pointers, {"SIZE": 128}), target=GPUTarget("cuda", 90, 32))
    assert "tt.dot " not in compiled.asm["ttir"]
    remarks = report()
    found = [remark.reason for remark in remarks if remark.kind == "missed"]
    assert found.count("LOADED_BY_ELEMENTS") == 2  # scales in rows of 4 bytes, whose alignment is not known
    assert set(found) <= {"LOADED_BY_ELEMENTS", "OUTWEIGHED", "UNDONE"}  # stock's may take fewer registers
    assert any("A (K-major, 8 bits, converted to 16" in remark.message for remark in remarks)


@triton.jit
def halves_of_bytes(a_ptr, b_ptr, c_ptr, k, stride, SHIFTED: tl.constexpr, SIZE: tl.constexpr):
    at, packed = tl.arange(0, SIZE), tl.arange(0, SIZE // 2)
    c = tl.zeros((SIZE, SIZE), tl.float32)
    for start in range(0, k, SIZE):
        a = tl.load(a_ptr + at[:, None] * k + (start + at)[None, :])
        first = (start // SIZE) << 5 if SHIFTED else start // 2
        byte = tl.load(b_ptr + at[:, None] * stride + (first + packed)[None, :]).to(tl.int32)
        b = tl.reshape(tl.join((byte & 15) - 8, (byte >> 4) - 8), (SIZE, SIZE)).to(tl.bfloat16)
        c += tl.dot(a, tl.trans(b))
    tl.store(c_ptr + at[:, None] * SIZE + at[None, :], c)


@pytest.mark.parametrize("is_shifted", [False, True])
def test_unpacked_tiles_stay_pipelined_wherever_triton_knows_of_their_vectors(is_shifted, tmp_path, monkeypatch):
    """Half of an aligned number is aligned. Triton knows as much of a number that is shifted left; dotload does
    not."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    pointers = {"a_ptr": "*bf16", "b_ptr": "*u8", "c_ptr": "*fp32"}
    copies = []
    for switch in (nullcontext(), dotload.enabled()):
        with switch:
            made = source(halves_of_bytes, pointers, {"SHIFTED": is_shifted, "SIZE": 64})
            compiled = triton.compile(made, target=GPUTarget("cuda", 90, 32), options={"num_stages": 3})
        sizes = re.findall(r"cp\.async\.c[ag]\S+ \[[^]]*\], \[[^]]*\], (0x\w+)", compiled.asm["ptx"])
        copies.append(sum(int(size, 16) for size in sizes))
    assert copies[0] == copies[1] == 3 * (64 * 64 * 2 + 64 * 32) // 128
