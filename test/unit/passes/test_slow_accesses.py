"""Every kernel that reads or writes a dot's tile element by element has a remark about it.

The accesses are read from the kernel's PTX, by its locations, without asking a pass.
"""

import inspect
import itertools
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="compiles with Triton")
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "bench")]

import gemm  # noqa: E402
import triton.language as tl  # noqa: E402
from ahead_of_time import source  # noqa: E402
from gemm import Case  # noqa: E402
from kernels_at_large import USES, block_pointers  # noqa: E402
from sampling import sampled  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

import dotload  # noqa: E402

A_WORD = 4
"""Accesses of a thread at one line: fewer are no tile."""
CAPABILITIES = (80, 89, 90, 100, 120)
POINTERS = {"fp8": "*fp8e4nv", "int8": "*i8", "tf32": "*fp32"}
OF_STRIDE_1 = {"rr": ("ak", "bn"), "cr": ("am", "bn"), "cc": ("am", "bk"), "rc": ("ak", "bk")}
TILES = ((64, 64, 64), (16, 64, 64), (32, 64, 64))
UNALIGNED = {
    "aligned": (),
    "strides": ("M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn"),
    "pointers": ("a_ptr", "b_ptr"),
    "A": ("a_ptr", "stride_am"),
}
"""The arguments of a GEMM that are no multiples of 16."""


def slow_accesses(ptx: str, kind: str) -> Counter[tuple[str, str]]:
    """How many single elements a thread loads from global memory, or accesses in shared memory, by line."""
    of_bytes = r"(?:ld|st)\.(?P<space>global|shared)(?:::\w+)?(?:\.(?!v\d)[\w:]+)*\.[bsu]8\s"
    of_words = r"(?:ld\.global(?:\.(?!v\d)[\w:]+)*\.[bf]32\s+\{|cp\.async\.ca\.shared\.global .*, 0x4,)"
    found, line, is_assembly = Counter[tuple[str, str]](), "", False
    for text in ptx.splitlines():
        is_assembly = "begin inline asm" in text or (is_assembly and "end inline asm" not in text)
        location = re.match(r"\s*\.loc\s+\d+ (\d+) ", text)
        if location and not is_assembly:  # whose own lines are counted on from the first by some versions
            line = location[1]
        code = re.sub(r"^@!?%p\d+\s+", "", text.strip())
        if access := re.match(of_bytes, code):
            found[access["space"], line] += not (access["space"] == "global" and code.startswith("st"))
        elif kind == "tf32" and re.match(of_words, code):
            found["global", line] += 1
    return found


def check(make, kind: str, capability: int, num_warps: int, rows: frozenset[str] = frozenset()) -> None:
    """Each line that loads single elements has a remark; some line has, if shared memory is accessed by bytes.

    `rows`: the lines that load no tiles, but words of a row.
    """
    dotload.report(clear=True)
    with dotload.enabled():
        options = {"num_warps": num_warps, "num_stages": 3}
        compiled = triton.compile(make, GPUTarget("cuda", capability, 32), options)
    missed = [remark for remark in dotload.report() if remark.kind != "passed" and remark.location.count(":") > 1]
    told = {remark.location.rsplit(":", 2)[1] for remark in missed}
    slow = {place for place, count in slow_accesses(compiled.asm["ptx"], kind).items() if count >= A_WORD}
    assert {line for space, line in slow if space == "global"} - rows <= told
    assert missed or {line for _, line in slow} <= rows


def gemms():
    """GEMMs of every kind and order, with and without known alignment of tiles."""
    for capability, kind, orders, tile, arguments in itertools.product(
        CAPABILITIES, POINTERS, OF_STRIDE_1, TILES, UNALIGNED
    ):
        if kind != "fp8" or capability >= 89:
            yield Case(kind, orders, *tile, 4, 3), UNALIGNED[arguments], capability


@pytest.mark.parametrize(("case", "any_number", "capability"), sampled(gemms(), 24), ids=str)
def test_products(case, any_number, capability, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    pointers = gemm.KINDS[case.kind]
    types = {"a_ptr": pointers.inputs, "b_ptr": pointers.inputs, "c_ptr": pointers.output}
    made = source(gemm.matmul, types, case.constants, any_number=any_number)
    check(made, case.kind, capability, case.num_warps)


@pytest.mark.parametrize("capability", [89, 90])
def test_a_staged_tile_that_is_loaded_by_bytes_has_one_reason(capability, tmp_path, monkeypatch):
    """B is stored by bytes since it is loaded by bytes: alignment helps, and K-major memory would not."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    case, types = Case("fp8", "rr", *TILES[0], 4, 3), {"a_ptr": "*fp8e4nv", "b_ptr": "*fp8e4nv", "c_ptr": "*fp16"}
    check(source(gemm.matmul, types, case.constants, any_number=UNALIGNED["pointers"]), "fp8", capability, 4)
    told = {remark.reason for remark in dotload.report()}
    assert "NARROW_LOADS" in told
    assert "ACCESSED_BY_BYTES" not in told


def uses():
    """Kernels around dots, in all orders; K-major ones, too. Not for tcgen05: stock Triton fails on some."""
    mma_sync_or_wgmma = (each for each in CAPABILITIES if each != 100)
    for capability, use, kind, orders in itertools.product(mma_sync_or_wgmma, USES, POINTERS, OF_STRIDE_1):
        is_possible = use.kernel is not block_pointers or triton.__version__ < "3.9"
        if is_possible and (kind != "fp8" or capability >= 89):
            yield use, kind, orders, capability


@pytest.mark.parametrize(("use", "kind", "orders", "capability"), sampled(uses(), 24), ids=str)
def test_kernels_at_large(use, kind, orders, capability, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": POINTERS[kind], "b": POINTERS[kind], "c": "*fp32"}
    types["d"] = "*i32" if str(use) == "gathered" else POINTERS[kind]
    constants = use.constants(kind) | dict.fromkeys(OF_STRIDE_1[orders], 1)
    lines, first = inspect.getsourcelines(use.kernel.fn)
    rows = frozenset(str(first + at) for at, text in enumerate(lines) if re.search(r"tl\.load\(d \+ [mn]\)", text))
    check(source(use.kernel, types, constants), kind, capability, 4, rows if kind == "tf32" else frozenset())


@triton.jit
def through_an_index(a, b, index, c):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    rows = tl.load(index + m)
    x = tl.load(a + rows[:, None] * 32 + k[None, :])
    y = tl.load(b + m[None, :] * 32 + k[:, None])
    tl.store(c + m[:, None] * 64 + m[None, :], tl.dot(x, y))


def test_an_index_is_no_tile(tmp_path, monkeypatch):
    """A thread loads the row indices of its elements in single words, as it must."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp32", "b": "*fp32", "index": "*i32", "c": "*fp32"}
    lines, first = inspect.getsourcelines(through_an_index.fn)
    (line,) = [first + at for at, text in enumerate(lines) if "load(index" in text]
    check(source(through_an_index, types, {}), "tf32", 90, 4, frozenset([str(line)]))
    assert not dotload.report()


@pytest.mark.parametrize("capability", [80, 90])
def test_tiles_that_a_loop_carries(capability, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    (use,) = [use for use in USES if str(use) == "loaded_ahead"]
    types = {"a": "*i8", "b": "*i8", "c": "*fp32", "d": "*i8"}
    constants = use.constants("int8") | dict.fromkeys(OF_STRIDE_1["rr"], 1)
    check(source(use.kernel, types, constants), "int8", capability, 4)
    assert {remark.reason for remark in dotload.report()} == {"CARRIED"}


@triton.jit
def transposed(a, b, c, K, TRANSPOSED: tl.constexpr):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, K, 32):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        if TRANSPOSED:
            y = tl.trans(tl.load(b + m[:, None] + (first + k)[None, :] * 64))
        else:
            y = tl.load(b + m[None, :] + (first + k)[:, None] * 64)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@pytest.mark.parametrize("is_transposed", [False, True])
def test_words_of_a_transposed_tile(is_transposed, tmp_path, monkeypatch):
    """For mma.sync, Triton copies the transpose word by word, but not the tile as the dot takes it: so it is loaded."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    check(source(transposed, types, {"TRANSPOSED": is_transposed}), "tf32", 80, 4)
    told = [remark.pass_name for remark in dotload.report()]
    assert told == ["hoist-load-transposes"] * is_transposed + ["stage-dot-operands"]
    assert dotload.report()[-1].reason == "WORDS_OF_MMA"


@triton.jit
def masked(a, b, mask, c, stride):
    m = tl.arange(0, 64)
    keep = tl.load(mask + m[:, None] * stride + m[None, :]) != 0
    x = tl.where(keep, tl.load(a + m[:, None] * 64 + m[None, :]), 0.0)
    tl.store(c + m[:, None] * 64 + m[None, :], tl.dot(x, tl.load(b + m[:, None] * 64 + m[None, :])))


def test_what_picks_elements_is_no_operand(tmp_path, monkeypatch):
    """A mask is loaded byte by byte: the remark names its line, and does not call it A."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp16", "b": "*fp16", "mask": "*i8", "c": "*fp32"}
    check(source(masked, types, {}, any_number=("stride",)), "int8", 90, 4)
    (remark,) = dotload.report()
    lines, first = inspect.getsourcelines(masked.fn)
    (line,) = [first + place for place, text in enumerate(lines) if "load(mask" in text]
    assert (remark.reason, int(remark.location.rsplit(":", 2)[1])) == ("LOADED_BY_BYTES", line)
    assert "one byte at a time" in remark.message


@triton.jit
def paged(p, v, pages, c, n, stride_page, stride_d):
    m, t, d = tl.arange(0, 16), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((16, 64), tl.float32)
    for first in range(0, n, 64):
        page = tl.load(pages + (first + t) // 16)
        at = page[:, None] * stride_page + d[None, :] * stride_d + ((first + t) % 16)[:, None]
        x = tl.load(p + m[:, None] * n + first + t[None, :])
        acc = tl.dot(x, tl.load(v + at).to(x.dtype), acc)
    tl.store(c + m[:, None] * 64 + d[None, :], acc)


@pytest.mark.parametrize("capability", [89, 90])
def test_a_page_of_tokens_that_lie_side_by_side(capability, tmp_path, monkeypatch):
    """Triton loads the tokens of a page in vectors, since their page is one: no remark says that it may not."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"p": "*bf16", "v": "*fp8e4nv", "pages": "*i32", "c": "*fp32"}
    check(source(paged, types, {}), "fp8", capability, 4)
    assert {remark.kind for remark in dotload.report()} <= {"passed"}


@triton.jit
def summed_too(a, b, c, sums, K, POLICY: tl.constexpr):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    acc, total = tl.zeros((64, 64), tl.int32), tl.zeros((64,), tl.int32)
    for first in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        pointers = b + (first + k[:, None]) * 64 + m[None, :]
        acc = tl.dot(x, tl.load(pointers), acc, out_dtype=tl.int32)
        total += tl.sum(tl.load(pointers, eviction_policy=POLICY).to(tl.int32), 0)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)
    tl.store(sums + m, total)


@pytest.mark.parametrize("policy", ["", "evict_last"])
def test_two_loads_of_a_tile_are_one_unless_they_differ(policy, tmp_path, monkeypatch):
    """Triton makes one load of equal ones: a remark that advises two says how they stay two."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*i8", "b": "*i8", "c": "*i32", "sums": "*i32"}
    check(source(summed_too, types, {"POLICY": policy}), "int8", 80, 4)
    kept = [remark.message for remark in dotload.report() if remark.reason == "OTHER_USES"]
    assert len(kept) == (not policy)
    assert all("eviction_policy" in message for message in kept)


@triton.jit
def with_zero_points(a, b, zeros, c, K):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        y = tl.load(b + m[None, :] * K + first + k[:, None])
        z = tl.load(zeros + first + m[None, :])
        acc = tl.dot(x, (y.to(tl.float16) - z.to(tl.float16)), acc)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@pytest.mark.parametrize("capability", [80, 90])
def test_a_row_is_loaded_in_the_order_of_fragments(capability, tmp_path, monkeypatch):
    """Its elements are aligned and contiguous: no advice on alignment would help."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp16", "b": "*i8", "zeros": "*i8", "c": "*fp32"}
    check(source(with_zero_points, types, {}), "int8", capability, 4)
    lines, first = inspect.getsourcelines(with_zero_points.fn)
    (line,) = [first + place for place, text in enumerate(lines) if "load(zeros" in text]
    (remark,) = [each for each in dotload.report() if f":{line}:" in each.location and each.kind != "passed"]
    assert remark.reason == "LOADED_BY_BYTES"
    assert "nothing to gain" in remark.message


@triton.jit
def product(a, b, c, start, HINT: tl.constexpr):
    m = tl.arange(0, 64)
    first = start & -16
    if HINT:
        first = tl.multiple_of(first, 16)
    x = tl.load(a + first + m[:, None] * 64 + m[None, :])
    y = tl.load(b + m[None, :] * 64 + m[:, None])
    tl.store(c + m[:, None] * 64 + m[None, :], tl.dot(x, y, out_dtype=tl.int32))


@pytest.mark.parametrize("hint", [False, True])
def test_an_alignment_that_triton_does_not_see(hint, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    made = source(product, {"a": "*i8", "b": "*i8", "c": "*i32"}, {"HINT": hint}, any_number=("start",))
    check(made, "int8", 90, 4)
    remarks = [] if hint else [("LOADED_BY_BYTES", "each thread loads one byte of A at a time")]
    assert [(remark.reason, remark.message.partition(",")[0]) for remark in dotload.report()] == remarks


@triton.jit
def numbers_in_bytes(a, b, c, K):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(a.to(tl.pointer_type(tl.float8e4nv)) + m[:, None] * K + first + k[None, :])
        y = tl.load(b.to(tl.pointer_type(tl.float8e4nv)) + (first + k)[:, None] * 64 + m[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@pytest.mark.parametrize("capability", [89, 90])
def test_a_pointer_to_another_type_is_as_aligned(capability, tmp_path, monkeypatch):
    """Triton loads in vectors: no remark says that it may not, and B is staged."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    check(source(numbers_in_bytes, {"a": "*u8", "b": "*u8", "c": "*fp32"}, {}), "fp8", capability, 4)
    assert {remark.kind for remark in dotload.report()} >= {"passed"}
    assert not {"LOADED_BY_ELEMENTS", "NARROW_LOADS"} & {remark.reason for remark in dotload.report()}


@triton.jit
def converted_to(a, b, c, K, TYPE: tl.constexpr):
    m, acc = tl.arange(0, 64), tl.zeros((64, 64), tl.float32)
    xs = tl.make_tensor_descriptor(a, [64, K], [K, 1], [64, 64])
    ys = tl.make_tensor_descriptor(b, [64, K], [K, 1], [64, 64])
    for k in range(0, K, 64):
        acc = tl.dot(xs.load([0, k]).to(TYPE) * 2, ys.load([0, k]).to(TYPE).T * 2, acc)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@pytest.mark.parametrize("type_", [tl.float32, tl.bfloat16], ids=str)
def test_bytes_are_read_one_by_one_for_a_dot_of_words(type_, tmp_path, monkeypatch):
    """K is contiguous already. The advice is to convert to 16 bits, and that helps."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    check(source(converted_to, {"a": "*i8", "b": "*i8", "c": "*fp32"}, {"TYPE": type_}), "int8", 90, 4)
    told = [remark.message for remark in dotload.report() if remark.reason == "ACCESSED_BY_BYTES"]
    assert len(told) == (type_ is tl.float32)
    assert all("convert bytes to 16 bits, not to 32" in message for message in told)


@triton.jit
def scaled(a, b, a_scales, b_scales, c):
    m, k, group = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 2)
    x = tl.load(a + m[:, None] * 64 + k[None, :])
    y = tl.load(b + k[:, None] * 64 + m[None, :])
    x_scale = tl.load(a_scales + m[:, None] * 2 + group[None, :])
    y_scale = tl.load(b_scales + m[:, None] * 2 + group[None, :])
    tl.store(c + m[:, None] * 64 + m[None, :], tl.dot_scaled(x, x_scale, "e4m3", y, y_scale, "e4m3"))


def test_a_product_with_scales_in_hardware(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "a_scales": "*u8", "b_scales": "*u8", "c": "*fp32"}
    check(source(scaled, types, {}), "fp8", 120, 4)
    assert "SCALED_DOT" in {remark.reason for remark in dotload.report()}


@triton.jit
def transposed_result(a, b, c):
    m = tl.arange(0, 64)
    x, y = tl.load(a + m[:, None] * 64 + m[None, :]), tl.load(b + m[None, :] * 64 + m[:, None])
    z = tl.dot(x, y, out_dtype=tl.int32).to(tl.int8)
    tl.store(c + m[:, None] * 64 + m[None, :], tl.dot(z.T, y, out_dtype=tl.int32))


@pytest.mark.parametrize("capability", [80, 90])
def test_a_result_that_is_transposed(capability, tmp_path, monkeypatch):
    """As dS is in the backward pass of attention: no load is to blame, and PTX shows the line of the transpose."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    check(source(transposed_result, {"a": "*i8", "b": "*i8", "c": "*i32"}, {}), "int8", capability, 4)
    assert "ACCESSED_BY_BYTES" in {remark.reason for remark in dotload.report()}


@triton.jit
def packed_to_fp8(a, b, scales, c, K, stride_k: tl.constexpr, stride_n: tl.constexpr):
    m, n, k = tl.arange(0, 64), tl.arange(0, 128), tl.arange(0, 64)
    acc, eights = tl.zeros((64, 128), tl.float32), b + k[:, None] // 8 * stride_k + n[None, :] * stride_n
    scales += n[None, :]
    for first in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        y = ((tl.load(eights) >> (k % 8 * 4)[:, None]) & 15).to(tl.float16) * tl.load(scales)
        acc = tl.dot(x, y.to(x.dtype), acc)
        eights += 8 * stride_k
        scales += 128
    tl.store(c + m[:, None] * 128 + n[None, :], acc)


@pytest.mark.parametrize("strides", [(1, 512), (128, 1)])
def test_columns_that_a_thread_holds_are_not_transposed(strides, tmp_path, monkeypatch):
    """Lanes and warps lie along N: a thread stores its column of bytes in vectors, in whatever order B is loaded."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types, (stride_k, stride_n) = {"a": "*fp8e4nv", "b": "*i32", "scales": "*fp16", "c": "*fp32"}, strides
    check(source(packed_to_fp8, types, {"stride_k": stride_k, "stride_n": stride_n}), "fp8", 90, 4)
    assert not [remark.message for remark in dotload.report() if "element by element" in remark.message]


@triton.jit
def scaled_and_transposed(a, b, a_scales, b_scales, c, K):
    m, n, k, group = tl.arange(0, 64), tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 2)
    acc = tl.zeros((64, 128), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        y = tl.load(b + (first + k[None, :]) * 128 + n[:, None])
        x_scale = tl.load(a_scales + m[:, None] * (K // 32) + first // 32 + group[None, :])
        y_scale = tl.load(b_scales + n[:, None] * (K // 32) + first // 32 + group[None, :])
        acc = tl.dot_scaled(x, x_scale, "e4m3", y.T, y_scale, "e4m3", acc)
    tl.store(c + m[:, None] * 128 + n[None, :], acc)


def test_a_tile_that_is_read_at_the_line_of_its_dot_is_named(tmp_path, monkeypatch):
    """The line of the dot does not show which operand is accessed by bytes."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"a": "*fp8e4nv", "b": "*fp8e4nv", "a_scales": "*u8", "b_scales": "*u8", "c": "*fp32"}
    check(source(scaled_and_transposed, types, {}), "fp8", 90, 4)
    told = [remark.message for remark in dotload.report() if remark.reason == "ACCESSED_BY_BYTES"]
    assert told or triton.__version__ < "3.9"  # these read B in vectors
    assert all("one byte of B (tile 64x128) in shared memory" in message for message in told)
