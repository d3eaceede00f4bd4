"""Loads of single elements found in PTX, and when a remark reports them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.kernel_line import YIELDED, LinesOfBytes, lines_of_bytes, lines_of_tiles
from dotload.plugin.narrow_loads import name_of_tile, narrow_loads, unreported_narrow_loads

LOAD = "\t@%p1 ld.global.b8 { %rs1 }, [ %rd1 + 0 ];\n"
COPY = "\tcp.async.ca.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x4, %r2;\n"
DOT = "\tmma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1}, {%r2}, {%r3}, {%r4};\n"
TF32 = "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1}, {%r2}, {%r3}, {%r4};\n"
FILE = '\t.file\t1 "/kernels/gemm.py"\n'


def at(line: int) -> str:
    return f"\t.loc\t1 {line} 24 // gemm.py:{line}:24\n"


TILES = {"/kernels/gemm.py:7": ()}


def told(ptx: str, *remarks: Remark, tiles: dict[str, tuple[str, ...]] = TILES) -> list[str]:
    return [f"{remark.location} {remark.reason}" for remark in unreported_narrow_loads(ptx, remarks, tiles)]


def test_elements_are_counted_by_line() -> None:
    vector = "\tld.global.v4.b8 { %rs1, %rs2, %rs3, %rs4 }, [ %rd1 + 0 ];\n"
    shared = "\tld.shared.v4.b8 {%rs1, %rs2, %rs3, %rs4}, [%r1];\n"
    others = vector + shared + "\tst.global.b8 [%rd1], %rs1;\n\tld.global.b32 %r1, [%rd1];\n"
    wide = COPY.replace("0x4", "0x10")
    hinted = "\tld.global.nc.L1::evict_last.u8 %rs1, [%rd1];\n"
    ptx = LOAD + at(7) + LOAD * 3 + others + wide + COPY + at(8) + hinted + FILE
    line = "/kernels/gemm.py:7:24"
    expected = {(KERNEL, "", "byte"): 1, (line, "", "byte"): 3, (line, "", "word"): 2}
    expected |= {("/kernels/gemm.py:8:24", "", "byte"): 1}
    assert narrow_loads(ptx) == expected


def test_a_function_that_loads_is_told_of_at_each_call() -> None:
    """Of a remark with several calls, the first is that of the function. PTX of Triton 3.6 names no calls."""
    calls = [f", inlined at /kernels/gemm.py:{line}:9" for line in (20, 21)]
    tiles = {f"/kernels/load.py:7{call}": (operand,) for call, operand in zip(calls, "AB", strict=True)}
    files = FILE + '\t.file\t2 "/kernels/load.py"\n'
    load = "\t.loc\t2 7 24"
    ptx = "".join(f"{load}, function_name $L__info, inlined_at 1 {line} 9 // l\n{LOAD * 4}" for line in (20, 21, 22))
    found = [remark.message for remark in unreported_narrow_loads(ptx + DOT + files, (), tiles)]
    assert [message.partition(" at a time")[0] for message in found] == [
        "each thread loads one byte of A",
        "each thread loads one byte of B",
        "each thread loads one byte of a row or column",
    ]
    assert [message.partition(", inlined")[2] for message in found] == [
        f" at /kernels/gemm.py:{n}:9" for n in (20, 21, 22)
    ]
    known = f"kept tt.load{calls[0]}, inlined at /kernels/gemm.py:50:5"
    known = Remark("missed", "stage-dot-operands", "/kernels/load.py:7:20", known, "LOADED_BY_ELEMENTS")
    assert len(told(ptx + DOT + files, known, tiles=tiles)) == 2
    (remark,) = unreported_narrow_loads(f"{load}\n{LOAD * 4}{DOT}{files}", (), tiles)
    assert "one byte of A and B at" in remark.message


def test_lines_within_inline_assembly_do_not_count() -> None:
    """LLVM of Triton 3.9 gives the lines of inline assembly numbers that count up from the kernel's line."""
    begin, end = "\t// begin inline asm\n", "\t// end inline asm\n"
    ptx = at(7) + (begin + at(7) + "\tmov.u16 %rs1, 0x0;\n" + at(8) + LOAD + end) * 4 + at(9) + LOAD + FILE
    assert narrow_loads(ptx) == {("/kernels/gemm.py:7:24", "", "byte"): 4, ("/kernels/gemm.py:9:24", "", "byte"): 1}


def test_a_line_is_told_of_once() -> None:
    staged = Remark("passed", "stage-dot-operands", "/kernels/gemm.py:7:20", "row-major B is staged")
    known = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:7:20", "kept tt.load", "LOADED_BY_ELEMENTS")
    bytes_ = at(7) + LOAD * 4 + DOT + FILE
    assert told(bytes_) == told(bytes_, staged) == ["/kernels/gemm.py:7:24 LOADED_BY_BYTES"]
    assert not told(bytes_, known)


@pytest.mark.parametrize(
    "access", ["ld.shared.b8 %rs1, [%r1];", "@%p1 st.shared.b8 [%r1], %rs1;", "st.shared::cta.b8 [%r1], %rs1;"]
)
def test_bytes_of_shared_memory_are_told_of_where_no_tile_is(access: str) -> None:
    """Their line may be that of the load, of a conversion or of the dot: one remark on a tile is enough."""
    staged = Remark("passed", "stage-dot-operands", "/kernels/gemm.py:5:20", "row-major B is staged")
    stays = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:5:20", "kept tt.load", "NOT_FOLLOWED")
    ptx = at(7) + f"\t{access}\n" * 4 + DOT + FILE
    assert told(ptx) == told(ptx, staged) == ["/kernels/gemm.py:7:24 ACCESSED_BY_BYTES"]
    assert not told(ptx, stays)


def test_a_staged_tile_that_is_read_byte_by_byte_is_told_of_once() -> None:
    """As MXFP4 weights with K contiguous are: "let K be contiguous" would be no advice."""
    known = Remark("missed", "convert-staged-operands-to-llvm", "/kernels/gemm.py:7:20", "kept the read", "NO_WORDS")
    access = "\tld.shared.b8 %rs1, [%r1];\n" * 4
    assert told(at(7) + access + at(8) + access + DOT + FILE, known) == ["/kernels/gemm.py:8:24 ACCESSED_BY_BYTES"]


def test_a_staged_tile_may_be_read_at_the_line_of_its_conversion() -> None:
    """So LLVM says of SGLang's decoding with an index, where 16 warps share 128 columns of V."""
    known = Remark("missed", "convert-staged-operands-to-llvm", "/kernels/gemm.py:7:20", "kept the read", "NO_WORDS")
    staged = Remark("passed", "stage-dot-operands", "/kernels/gemm.py:7:20", "row-major B is staged: ld.shared.{}")
    by_bytes, by_pairs = (replace(staged, message=staged.message.format(unit)) for unit in ("b8", "b16"))
    access = at(8) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    assert told(access) == told(access, known, by_pairs) == ["/kernels/gemm.py:8:24 ACCESSED_BY_BYTES"]
    assert not told(access, known, by_bytes)
    at_load = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" + access
    assert told(at_load, known, by_bytes) == ["/kernels/gemm.py:8:24 ACCESSED_BY_BYTES"], "other bytes are told"


def test_a_remark_on_another_tile_does_not_silence_one() -> None:
    """The scales of tl.dot_scaled may be loaded by elements, and its weights be read byte by byte."""
    access = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    shared = LinesOfBytes(set(), {"/kernels/gemm.py:7": {(64, 128)}})
    missed = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:5:20", "", "LOADED_BY_ELEMENTS")
    scales, weights = (replace(missed, message=f"B (8 bits, tile {shape})") for shape in ("128x4", "128x64"))
    (remark,) = unreported_narrow_loads(access, [scales], {}, shared)
    assert remark.reason == "ACCESSED_BY_BYTES"
    assert not list(unreported_narrow_loads(access, [scales, weights], {}, shared))


def test_a_tile_that_is_reshaped_is_told_of_once() -> None:
    """A remark on its load names three dims, and its bytes are accessed as two; a tile of two dims is another."""
    access = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    shared = LinesOfBytes(set(), {"/kernels/gemm.py:7": {(64, 64)}})
    missed = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:7:20", "", "NOT_FOLLOWED")
    reshaped, other = (replace(missed, message=f"B (8 bits, tile {shape})") for shape in ("2x32x64", "32x128"))
    assert not list(unreported_narrow_loads(access, [reshaped], {}, shared))
    assert list(unreported_narrow_loads(access, [other], {}, shared))


def test_a_remark_on_an_operand_of_the_same_shape_does_not_silence_another() -> None:
    """A and B of a square product: bytes of A are told of, at the line that loads A, unless the remark is there."""
    access = at(7) + "\tst.shared.b8 [%r1], %rs1;\n" * 4 + DOT + FILE
    shared, tiles = LinesOfBytes(set(), {"/kernels/gemm.py:7": {(64, 64)}}), {"/kernels/gemm.py:7": ("A",)}
    of_b = Remark("missed", "stage-dot-operands", "/kernels/gemm.py:5:20", "row-major B (tile 64x64)", "OTHER_USES")
    of_a, here = replace(of_b, message="A (tile 64x64)"), replace(of_b, location="/kernels/gemm.py:7:20")
    (remark,) = unreported_narrow_loads(access, [of_b], tiles, shared)
    assert remark.reason == "ACCESSED_BY_BYTES"
    for known in (of_a, here):
        assert not list(unreported_narrow_loads(access, [known], tiles, shared))
    assert not list(unreported_narrow_loads(access, [of_b], {}, shared)), "whose bytes they are is not known"


def test_bytes_of_a_row_are_told_of_without_advice() -> None:
    """Where no line is known, they may be those of a tile."""
    texts = (at(line) + LOAD * 4 + DOT + FILE for line in (8, 7))
    row, tile = (unreported_narrow_loads(text, (), TILES) for text in texts)
    assert ["nothing to gain" in remark.message for remark in (*row, *tile)] == [True, False]
    (nowhere,) = unreported_narrow_loads(LOAD * 4 + DOT, (), {})
    assert "nothing to gain" not in nowhere.message


def test_a_row_that_is_loaded_in_place_of_a_tile_has_no_advice() -> None:
    """Before `deduplicate-row-loads`, the line loads a tile of an operand."""
    row = Remark("passed", "deduplicate-row-loads", "/kernels/gemm.py:7:30", "one row is loaded instead of 128")
    tiles = {"/kernels/gemm.py:7": ("B",)}
    (told_of_row,) = unreported_narrow_loads(at(7) + LOAD * 4 + DOT + FILE, [row], tiles)
    assert "of a row or column at a time" in told_of_row.message
    assert "nothing to gain" in told_of_row.message


def test_scales_in_shared_memory_are_not_told_of() -> None:
    scales, operand = {"/kernels/gemm.py:7": ("scales",)}, {"/kernels/gemm.py:7": ("B",)}
    text = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    assert not told(text, tiles=scales)
    assert told(text, tiles=operand)


def test_what_is_not_told() -> None:
    assert not told(at(7) + LOAD * 3 + DOT + FILE), "less than a word"
    assert not told(at(7) + LOAD * 4 + FILE), "no product of matrices"
    assert not told(at(7) + COPY * 4 + DOT + FILE), "words are told of where they are multiplied"
    words = at(7) + COPY * 4 + TF32 + FILE
    assert told(words, tiles={"/kernels/gemm.py:7": ("A",)}) == ["/kernels/gemm.py:7:24 LOADED_BY_WORDS"]
    assert not told(words, tiles={}), "an index or scales of rows"
    assert not told(words), "a tile that no dot takes, such as one to which the result is added"
    assert told(at(7) + LOAD * 4 + DOT + FILE, tiles={}) == ["/kernels/gemm.py:7:24 LOADED_BY_BYTES"]


def test_scales_have_no_advice() -> None:
    """But for tensor memory, whole rows of them are loaded."""
    tiles = {"/kernels/gemm.py:7": ("scales",)}
    tcgen05 = "\ttcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;\n"
    for dot, is_advised in ((DOT, False), (tcgen05, True)):
        (remark,) = unreported_narrow_loads(at(7) + LOAD * 4 + dot + FILE, (), tiles)
        assert "one byte of scales at" in remark.message
        assert ("nothing to gain" not in remark.message) == is_advised


@pytest.mark.parametrize(
    ("operands", "text"),
    [
        ((), "one byte at"),
        (("B",), "one byte of B at"),
        (("B", "A"), "one byte of A and B at"),
        ((YIELDED,), "one byte at"),
    ],
)
def test_the_operand_is_named(operands: tuple[str, ...], text: str) -> None:
    (remark,) = unreported_narrow_loads(at(7) + LOAD * 4 + DOT + FILE, (), {"/kernels/gemm.py:7": operands})
    assert text in remark.message


LOADS = """
    %a = tt.load %pa, %keep, %zero : tensor<16x32x!tt.ptr<i8>> loc(#loc1)
    %b = tt.load %pb : tensor<32x16x!tt.ptr<i8>> loc("k.py":2:9)
    %mask = tt.load %pm : tensor<32x16x!tt.ptr<i8>> loc("k.py":3:9)
    %row = tt.load %pr : tensor<1x16x!tt.ptr<i8>> loc("k.py":4:9)
    %index = tt.load %pi : tensor<32x16x!tt.ptr<i8>> loc("k.py":5:9)
    %pc = tt.addptr %p, %index : tensor<32x16x!tt.ptr<i8>> loc("k.py":6:9)
    %c = tt.load %pc : tensor<32x16x!tt.ptr<i8>> loc("k.py":7:9)
    %cond = arith.cmpi ne, %mask, %zero : tensor<32x16xi8> loc("k.py":8:9)
    %b_1 = arith.select %cond, %b, %zero : tensor<32x16xi1>, tensor<32x16xi8> loc("k.py":9:9)
    %b_2 = arith.addi %b_1, %row : tensor<32x16xi8> loc("k.py":9:9)
"""
DOTS = {
    "tt.dot %a, %b_2, %acc : tensor<16x32xi8>": {1: "A", 2: "B", 3: "", 5: "", 7: ""},
    "tt.dot %x, %c, %acc : tensor<16x32xi8>": {1: "", 2: "", 3: "", 5: "", 7: "B"},
    "tt.dot_scaled %a scale %mask, %b scale %c, %acc : tensor<16x32xi8>": {
        **{1: "A", 2: "B", 3: "scales", 5: "", 7: "scales"}
    },
}


@pytest.mark.parametrize("dot", DOTS)
def test_a_tile_is_of_the_operand_that_is_computed_from_it(dot: str) -> None:
    """Not one that gives masks or addresses, or that another dot takes first."""
    after = (
        '    %e = arith.trunci %d : tensor<16x16xi8> loc("k.py":9:9)\n    %f = tt.dot %e, %y, %d : i8 loc("k.py":9:9)\n'
    )
    text = f'{LOADS}    %d = {dot} loc("k.py":9:9)\n{after}#loc1 = loc("k.py":1:9)\n'
    found = {line: "".join(operands) for line, operands in lines_of_tiles(text).items()}  # type: ignore[arg-type]
    assert found == {f"k.py:{line}": operand for line, operand in DOTS[dot].items()}


def test_a_tile_that_is_yielded_may_be_an_operand() -> None:
    """As a loop does that loads the tile of its next iteration; here, neither of the dot's operands is known."""
    text = f'{LOADS}    scf.yield %b_2, %i : tensor<32x16xi8>, i32 loc("k.py":9:9)\n'
    found = {line: operands for line, operands in lines_of_tiles(text).items() if operands}  # type: ignore[arg-type]
    assert found == {"k.py:2": {YIELDED}}
    (remark,) = unreported_narrow_loads(at(7) + COPY * 4 + TF32 + FILE, (), {"/kernels/gemm.py:7": {YIELDED}})
    assert "one word at a time" in remark.message


BRANCH = """
    %s:2 = scf.if %is_first -> (tensor<32x16xi8>, tensor<32x16xi8>) {
      %c_1 = arith.addi %sum, %c : tensor<32x16xi8> loc("k.py":8:9)
      scf.yield %b, %c_1 : tensor<32x16xi8>, tensor<32x16xi8> loc("k.py":8:9)
    } else {
      scf.yield %b_1, %sum : tensor<32x16xi8>, tensor<32x16xi8> loc("k.py":8:9)
    } loc("k.py":8:9)
"""


def test_what_a_branch_yields_is_followed() -> None:
    """A tile that it adds to the sum is no operand."""
    text = (
        f'{LOADS}{BRANCH}    %d = tt.dot %a, %s#0, %acc : tensor<16x32xi8> loc("k.py":9:9)\n#loc1 = loc("k.py":1:9)\n'
    )
    found = {line: operands for line, operands in lines_of_tiles(text).items() if operands}  # type: ignore[arg-type]
    assert found == {"k.py:1": {"A"}, "k.py:2": {"B"}}


MOVES = """
    %a = ttg.convert_layout %x : tensor<16x32xi1, #b> -> tensor<16x32xi1, #c> loc("k.py":1:9)
    %b = ttg.convert_layout %x : tensor<1x32xi8, #b> -> tensor<1x32xi8, #c> loc(#loc3)
    %c = ttg.local_load %x : !ttg.memdesc<16x32xi8, #s, #smem> -> tensor<16x32xi8, #c> loc("k.py":3:9)
    %d = ttg.convert_layout %x : tensor<16x32xi1, #b> -> tensor<16x32xi1, #c> loc("k.py":4:9)
    %e = ttg.convert_layout %x : tensor<16x32xf8E5M2, #b> -> tensor<16x32xf8E5M2, #c> loc("k.py":4:20)
    %f = ttg.convert_layout %x : tensor<32xf32, #b> -> tensor<32xf32, #c> loc("k.py":5:9)
#loc1 = loc("k.py":2:9)
#loc2 = loc("l.py":7:5)
#loc3 = loc("name"(#loc4))
#loc4 = loc(callsite(#loc2 at #loc1))
"""


def test_masks_and_rows_in_shared_memory_are_not_told_of() -> None:
    call = ", inlined at k.py:2:9"
    lines, places = {"k.py:1", "l.py:7" + call}, {"k.py:1:9", "l.py:7:5" + call, "k.py:4:9"}
    assert lines_of_bytes(MOVES).rows == lines | places  # type: ignore[arg-type]
    ptx = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    assert not list(unreported_narrow_loads(ptx, (), {}, LinesOfBytes({"/kernels/gemm.py:7"}, {})))


def test_a_mask_is_known_beside_a_tile() -> None:
    """As of two loads in a line, of which one has a mask."""
    ptx = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    shared = LinesOfBytes({"/kernels/gemm.py:7:24"}, {"/kernels/gemm.py:7": {(16, 32)}})
    assert not list(unreported_narrow_loads(ptx, (), {}, shared))
    assert list(unreported_narrow_loads(ptx.replace("7 24", "7 9"), (), {}, shared))


def test_a_tile_in_shared_memory_is_named() -> None:
    """The line may be that of a dot, and the dot the transposed one: the shape tells which operand it is."""
    tiles = lines_of_bytes(MOVES).tiles  # type: ignore[arg-type]
    assert tiles == {place: {(16, 32)} for place in ("k.py:3", "k.py:3:9", "k.py:4", "k.py:4:20")}
    ptx = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    shared, factors = LinesOfBytes(set(), {"/kernels/gemm.py:7": {(16, 32)}}), [("A", "64x32x"), ("B", "32x16x")]
    (remark,) = unreported_narrow_loads(ptx, (), {}, shared, factors)
    assert "accesses one byte of B (tile 32x16) in shared memory at a time" in remark.message


def test_a_part_of_a_tile_is_named_as_the_tile() -> None:
    """Triton's prefetcher reads a tile in parts; the tile's own remark, at another line, is enough."""
    shared = lines_of_bytes(PARTS)  # type: ignore[arg-type]
    assert shared.tiles == {place: {(64, 128)} for place in ("/kernels/gemm.py:7", "/kernels/gemm.py:7:9")}
    ptx = at(7) + "\tld.shared.b8 %rs1, [%r1];\n" * 4 + DOT + FILE
    kept = Remark("missed", "stage-dot-operands", "k.py:9:5", "kept tt.load: A (tile 64x128)", "ACCUMULATOR_USED")
    assert not list(unreported_narrow_loads(ptx, [kept], {}, shared))


@pytest.mark.parametrize(("order", "rows"), [("1, 0", {"k.py:1", "k.py:1:9"}), ("0, 1", set[str]())])
def test_a_tile_that_is_read_in_words_is_no_tile_of_bytes(order: str, rows: set[str]) -> None:
    """The mask of a K-major A is loaded with it, at the same place."""
    shared = lines_of_bytes(MASKED.replace("ORDER", order))  # type: ignore[arg-type]
    assert shared.rows == rows
    assert shared.tiles == ({} if rows else {place: {(64, 64)} for place in ("k.py:1", "k.py:1:9")})


@pytest.mark.parametrize(("order", "is_known"), [("1, 0", True), ("0, 1", False)])
def test_a_result_that_is_stored_by_rows_is_no_tile_of_bytes(order: str, is_known: bool) -> None:
    """P of attention: bytes of V, which LLVM may read at the line of the dot, are not called those of P."""
    shared = lines_of_bytes(STORED.replace("ORDER", order))  # type: ignore[arg-type]
    assert (not shared.tiles) == is_known


STORED = """
#shared = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [ORDER]}>
    %s = ttg.local_alloc %p : (tensor<32x128xf8E4M3FN, #mma>) -> !ttg.memdesc<32x128xf8E4M3FN, #shared, #smem> loc("k.py":1:9)
"""  # noqa: E501

MASKED = """
#shared = #ttg.swizzled_shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [ORDER]}>
    %m = ttg.convert_layout %i : tensor<64xi1, #b> -> tensor<64xi1, #c> loc("k.py":1:9)
    %t = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> loc("k.py":1:9)
    %x = ttg.local_load %t : !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> loc("k.py":1:9)
"""  # noqa: E501

PARTS = """
    %p = ttg.memdesc_subslice %t[0, 32] : !ttg.memdesc<64x128xi8, #s, #smem, mutable> -> !ttg.memdesc<64x32xi8, #s, #smem, mutable, 64x128> loc("/kernels/gemm.py":7:9)
    %x = ttg.local_load %p : !ttg.memdesc<64x32xi8, #s, #smem, mutable, 64x128> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> loc("/kernels/gemm.py":7:9)
    %y = ttg.local_load %q : !ttg.memdesc<128x64xi8, #s, #smem, mutable, 3x128x64> -> tensor<128x64xi8, #b> loc("/kernels/gemm.py":7:9)
"""  # noqa: E501


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        ({(16, 32)}, "B (tile 32x16)"),
        ({(16, 64)}, "a tile 16x64"),
        ({(32, 64)}, "a tile 32x64"),
        ({(16, 32), (16, 64)}, ""),
    ],
)
def test_an_operand_is_known_by_its_shape(sizes: set[tuple[int, ...]], name: str) -> None:
    """A packed tile, and one of two operands of a shape, are no operand for sure."""
    assert name_of_tile(sizes, FACTORS) == name


def test_an_operand_is_known_by_the_line_that_loads_it() -> None:
    assert name_of_tile({(32, 64)}, FACTORS, {"B"}) == "B (tile 32x64)"
    assert name_of_tile({(16, 32)}, FACTORS, {"A"}) == "B (tile 32x16)", "the tile comes from another line"


FACTORS = [("A", "64x32x"), ("B", "32x16x"), ("B", "32x64x")]

SCALED = """
    %s = ttg.local_load %m : !ttg.memdesc<64x4xi8, #s, #smem> -> tensor<64x4xi8, #b> loc("k.py":1:9)
    %t = ttg.convert_layout %s : tensor<64x4xi8, #b> -> tensor<64x4xi8, #c> loc("k.py":2:9)
    %u = arith.extui %t : tensor<64x4xi8, #c> to tensor<64x4xi16, #c> loc("k.py":3:9)
    %v = tt.expand_dims %u {axis = 2 : i32} : tensor<64x4xi16, #c> -> tensor<64x4x1xi16, #d> loc("k.py":3:9)
    %w = tt.broadcast %v : tensor<64x4x1xi16, #d> -> tensor<64x4xNxi16, #d> loc("k.py":3:9)
    %x = ttg.local_load %n : !ttg.memdesc<64x64xi8, #s, #smem> -> tensor<64x64xi8, #b> loc("k.py":4:9)
    %y = tt.dot %x, %x, %z : tensor<64x64xi8, #b> * tensor<64x64xi8, #b> -> tensor<64x64xi32, #b> loc("k.py":5:9)
    %p = tt.expand_dims %y {axis = 2 : i32} : tensor<64x64xi32, #b> -> tensor<64x64x1xi32, #d> loc("k.py":6:9)
    %q = tt.broadcast %p : tensor<64x64x1xi32, #d> -> tensor<64x64x32xi32, #d> loc("k.py":6:9)
"""


@pytest.mark.parametrize(("repeats", "lines"), [(32, {"k.py:1", "k.py:2", "k.py:3"}), (8, set[str]())])
def test_bytes_that_are_repeated_are_scales(repeats: int, lines: set[str]) -> None:
    """A byte packs eight numbers at most. A tile is none because its product is repeated."""
    rows = lines_of_bytes(SCALED.replace("N", str(repeats))).rows  # type: ignore[arg-type]
    assert rows == lines | {f"{line}:9" for line in lines}
