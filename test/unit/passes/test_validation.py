"""Translation validation: rewritten kernels store the same names as stock's; wrong kernels do not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import DenseArrayBase, i32

triton = pytest.importorskip("triton", reason="compiles with Triton")
ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench"), str(ROOT / "test" / "unit")]

import corpus  # noqa: E402
import gemm  # noqa: E402
import hazards  # noqa: E402
from sampling import sampled  # noqa: E402
from triton import knobs  # noqa: E402

from dotload import dialect_ext  # noqa: E402
from dotload.passes.convert_async_copies_to_llvm import ConvertAsyncCopiesToLLVMPass  # noqa: E402
from dotload.passes.eliminate_transposed_loads import EliminateTransposedLoadsPass  # noqa: E402
from dotload.passes.multiply_in_f16 import MultiplyInF16Pass  # noqa: E402
from dotload.passes.sink_operand_scales import SinkOperandScalesPass  # noqa: E402
from dotload.passes.validation.compare import differences, stored_by  # noqa: E402
from dotload.passes.validation.machine import Invalid, Unsupported  # noqa: E402
from dotload.passes.validation.names import Names  # noqa: E402
from dotload.plugin import bridge  # noqa: E402

KERNELS = {
    each.name: each
    for each in [*corpus.gemms(), *corpus.uses(), *corpus.attentions(), *corpus.several(), *corpus.caches()]
}
FRAGMENTS = "gemm-fp8-cr-ptr-128x128x128-w4-s3-sm90"
SAMPLE = 3


@pytest.fixture(autouse=True)
def up_to_ttgir(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("DOTLOAD_STRICT", raising=False)
    for left_out in (SinkOperandScalesPass, EliminateTransposedLoadsPass, MultiplyInF16Pass):
        monkeypatch.setattr(left_out, "rewrite", lambda *_: False)  # strict mode does without
    monkeypatch.setattr(knobs.runtime, "add_stages_inspection_hook", hazards.stop_behind_ttgir)


def modules_of(name):
    return [bridge.to_xdsl(hazards.module_of(KERNELS[name], stock=stock)) for stock in (True, False)]


@pytest.mark.parametrize("name", sampled(KERNELS, keep=SAMPLE))
def test_a_rewritten_kernel_stores_the_same(name):
    stock, ours = modules_of(name)
    try:
        wanted, found = stored_by(stock), stored_by(ours)
    except Unsupported as unsupported:
        pytest.skip(str(unsupported))
    assert len(wanted.names)
    assert not differences(wanted, found)


@pytest.mark.parametrize("name", ["gemm-int8-cc-ptr-128x128x64-w8-s3-sm90", "gemm-fp8-rr-ptr-128x128x64-w8-s3-sm90"])
def test_loads_in_the_llvm_dialect_store_the_same(name):
    stock, ours = modules_of(name)
    copies, wanted = [op for op in ours.walk() if op.name == "llvm.inline_asm"], stored_by(stock)
    assert not differences(wanted, stored_by(ours))
    copies[1].operands[1] = copies[0].operands[1]
    assert "bytes that are stored differ" in differences(wanted, stored_by(ours))


@pytest.mark.parametrize(
    "name", sampled([each.name for each in corpus.caches()], keep=1, always=lambda name: "ed-16x64-w4-s2" in name)
)
def test_attention_over_a_cache_stores_the_same(name):
    """Includes tokens or pages found through an index in shared memory."""
    stock, ours = modules_of(name)
    assert any(op.name.startswith("llvm.") for op in ours.walk())
    assert not differences(stored_by(stock), stored_by(ours))


@pytest.mark.parametrize("kernel", ["converted-16x64", "scaled_columns-16x64"])
def test_what_is_computed_of_fragments_stores_the_same(kernel):
    stock, ours = modules_of(f"use-{kernel}-int8-cc-sm80")
    assert any(op.name.startswith("llvm.") for op in ours.walk())
    assert not differences(stored_by(stock), stored_by(ours))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8), st.sampled_from([1, 2, 4, 8]))
def test_the_bytes_of_an_element_give_its_name_again(names, size):
    """The names of an element's bytes give the element's name, so operands through shared memory give the same dot."""
    whole = np.array([0, *names], np.uint64)
    through_memory = Names(size, None, Names(size, whole).bytes)
    assert np.array_equal(through_memory.elements, whole)
    assert not through_memory.bytes[0].any()


@pytest.mark.parametrize("orders", sampled(["rr", "rc"], keep=1))
def test_operands_that_are_converted_in_registers_store_the_same(orders, monkeypatch):
    case = gemm.Case("fp16xint8", orders, 64, 64, 32, 4, 3)
    monkeypatch.setitem(KERNELS, "converted", corpus.of_case(case, 90))
    stock, ours = modules_of("converted")
    assert any(op.name.startswith("llvm.") for op in ours.walk())
    assert not differences(stored_by(stock), stored_by(ours))
    shift = named(ours, "ttg.memdesc_subslice")
    shift.properties["offsets"] = DenseArrayBase.from_list(i32, [16, 0])
    assert "bytes that are stored differ" in differences(stored_by(stock), stored_by(ours))


def named(module, name):
    return next(op for op in module.walk() if op.name == name)


def test_a_permutation_of_other_bytes_is_noticed():
    stock, ours = modules_of(FRAGMENTS)
    shuffle = named(ours, "llvm.shufflevector")
    shuffle.operands = [shuffle.operands[1], shuffle.operands[0]]
    assert "bytes that are stored differ" in differences(stored_by(stock), stored_by(ours))


def test_another_buffer_is_noticed():
    stock, ours = modules_of(FRAGMENTS)
    loop = named(ours, "scf.for")
    copy = next(op for op in loop.body.block.ops if op.name == "ttg.async_copy_global_to_local")
    first = named(ours, "ttg.async_copy_global_to_local")
    copy.operands[1].owner.operands[1] = first.operands[1].owner.operands[1]
    assert differences(stored_by(stock), stored_by(ours))


def test_an_access_outside_the_memory_is_refused():
    _, ours = modules_of(FRAGMENTS)
    products = (op for op in ours.walk() if op.name == "arith.muli" and op.results[0].first_use)
    index = next(op for op in products if op.results[0].first_use.operation.name == "llvm.getelementptr")
    index.operands[0] = index.operands[1]
    with pytest.raises(Invalid, match="outside the allocated memory"):
        stored_by(ours)


BLOCKS = """
tt.func public @early_return(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %is_one = arith.cmpi eq, %c1, %c1 : i32
  cf.cond_br %is_one, ^bb1(%n : i32), ^bb2
^bb1(%x: i32):
  %is_none = arith.cmpi eq, %c1, %c0 : i32
  tt.store %p, STORED : !tt.ptr<i32>
  cf.cond_br %is_none, ^bb3, ^bb2
^bb2:
  %q = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
  tt.store %q, %n : !tt.ptr<i32>
  cf.br ^bb3
^bb3:
  tt.return
}
"""


def test_kernels_that_return_early_are_followed():
    """Blocks are executed one after the other, with the values that branches pass on."""
    stored, other = (stored_by(dialect_ext.parse_module(BLOCKS.replace("STORED", each))) for each in ("%x", "%c1"))
    assert len(stored.addresses) == 8
    assert not differences(stored, stored_by(dialect_ext.parse_module(BLOCKS.replace("STORED", "%n"))))
    assert "4 of 8 bytes" in differences(stored, other)


BUFFER_OF_ONE = """
#b = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #b}>
#column = #ttg.slice<{dim = 0, parent = #b}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
tt.func public @buffer_of_one(%p: !tt.ptr<i8>, %q: !tt.ptr<i8>) {
  %c0 = arith.constant 0 : i32
  %width = arith.constant dense<128> : tensor<64x1xi32, #b>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
  %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #column>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #b>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #column> -> tensor<1x128xi32, #b>
  %s = arith.muli %r, %width : tensor<64x1xi32, #b>
  %sb = tt.broadcast %s : tensor<64x1xi32, #b> -> tensor<64x128xi32, #b>
  %cb = tt.broadcast %c : tensor<1x128xi32, #b> -> tensor<64x128xi32, #b>
  %at = arith.addi %sb, %cb : tensor<64x128xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #b>
  %qs = tt.splat %q : !tt.ptr<i8> -> tensor<64x128x!tt.ptr<i8>, #b>
  %pa = tt.addptr %ps, %at : tensor<64x128x!tt.ptr<i8>, #b>, tensor<64x128xi32, #b>
  %qa = tt.addptr %qs, %at : tensor<64x128x!tt.ptr<i8>, #b>, tensor<64x128xi32, #b>
  %x = tt.load %pa : tensor<64x128x!tt.ptr<i8>, #b>
  %m = ttg.local_alloc %x : (tensor<64x128xi8, #b>) -> !ttg.memdesc<64x128xi8, #s, #smem>
  %one = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x128xi8, #s, #smem> -> !ttg.memdesc<1x64x128xi8, #s, #smem>
  %v = ttg.memdesc_index %one[%c0] : !ttg.memdesc<1x64x128xi8, #s, #smem> -> !ttg.memdesc<64x128xi8, #s, #smem>
  %y = ttg.local_load MEMORY : !ttg.memdesc<64x128xi8, #s, #smem> -> tensor<64x128xi8, #b>
  tt.store %qa, %y : tensor<64x128x!tt.ptr<i8>, #b>
  tt.return
}
"""


def test_a_tile_is_read_as_a_buffer_of_one():
    """As `rematerialize-descriptors` has it: the encoding, which is transposed here, is that of the buffer."""
    found, wanted = (
        stored_by(dialect_ext.parse_module(BUFFER_OF_ONE.replace("MEMORY", memory))) for memory in ("%v", "%m")
    )
    assert len(wanted.addresses) == 64 * 128
    assert not differences(wanted, found)


CONVERSIONS = """
tt.func public @converted(%p: !tt.ptr<i8>, %q: !tt.ptr<bf16>) {
  %b = tt.load %p : !tt.ptr<i8>
  %f = arith.FIRST %b : i8 to f16
  %g = tt.fp_to_fp %f, rounding = rtne : f16 -> bf16
  %h = arith.sitofp %b : i8 to bf16
  tt.store %q, STORED : !tt.ptr<bf16>
  tt.return
}
"""


@pytest.mark.parametrize(("first", "same"), [("sitofp", True), ("uitofp", False)])
def test_bytes_are_converted_at_once_or_twice(first, same):
    """Every byte is a number of both types; a signed one is another number than an unsigned one."""
    text = CONVERSIONS.replace("FIRST", first)
    stored, other = (stored_by(dialect_ext.parse_module(text.replace("STORED", each))) for each in ("%g", "%h"))
    assert len(stored.addresses) == 2
    assert (not differences(stored, other)) == same


BUFFERS = """
#flat = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @copied(%p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %range = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #flat>
  %places = tt.reshape %range : tensor<2048xi32, #flat> -> tensor<64x32xi32, #blocked>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #blocked>
  %to = tt.addptr %ps, %places : tensor<64x32x!tt.ptr<f32>, #blocked>, tensor<64x32xi32, #blocked>
  %x = tt.load %to : tensor<64x32x!tt.ptr<f32>, #blocked>
  %tile = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %ms = ttg.memdesc_reinterpret %tile : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<1x64x32xf32, #shared, #smem>
  %m = ttg.memdesc_index %ms[%c0] : !ttg.memdesc<1x64x32xf32, #shared, #smem> -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %y = ttg.local_load READ : !ttg.memdesc<64x32xf32, #shared, #smem> -> tensor<64x32xf32, #blocked>
  tt.store %to, %y : tensor<64x32x!tt.ptr<f32>, #blocked>
  tt.return
}
}
"""  # noqa: E501


def test_a_tile_is_the_only_one_of_its_buffers():
    """A transposed tile too, whose first dim is contiguous, and not that of the buffers."""
    tile, buffer = (stored_by(dialect_ext.parse_module(BUFFERS.replace("READ", each))) for each in ("%tile", "%m"))
    assert not differences(tile, buffer)


COPIED_WORDS = """
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!pointers = tensor<32x32x!tt.ptr<i32>, #rows>
!tile = !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
!tiles = !ttg.memdesc<1x32x32xi32, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, dotload.staged = "operands"} {
tt.func public @copied_words(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant dense<4> : tensor<32x32xi32, #rows>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #flat>
  %places = tt.reshape %range : tensor<1024xi32, #flat> -> tensor<32x32xi32, #rows>
  %ps = tt.splat %p : !tt.ptr<i32> -> !pointers
  %from = tt.addptr %ps, %places : !pointers, tensor<32x32xi32, #rows>
  %qs = tt.splat %q : !tt.ptr<i32> -> !pointers
  %to = tt.addptr %qs, %places : !pointers, tensor<32x32xi32, #rows>
  %tiles = ttg.local_alloc : () -> !tiles
  %tile = ttg.memdesc_index %tiles[%zero] : !tiles -> !tile
  %copy = ttg.async_copy_global_to_local %from, %tile {contiguity = 4 : i32, dotload.free_buffer} : !pointers -> <32x32xi32, #shared, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %x = ttg.local_load %tile : !tile -> tensor<32x32xi32, #rows>
  %y = arith.shrui %x, %four : tensor<32x32xi32, #rows>
  tt.store %to, %y : !pointers
  tt.return
}
}
"""  # noqa: E501


def test_words_that_the_llvm_dialect_copies_are_the_same_integers():
    """Packed weights: what is unpacked from a word does not depend on which op has copied it."""
    copied, lowered = (dialect_ext.parse_module(COPIED_WORDS) for _ in range(2))
    assert ConvertAsyncCopiesToLLVMPass().rewrite(lowered)
    assert [op.name for op in lowered.walk()].count("llvm.inline_asm") == 2
    wanted = stored_by(copied)
    assert len(wanted.addresses) == 4 * 1024
    assert not differences(wanted, stored_by(lowered))
