"""The analysis is right: its claims hold for the values as numpy computes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dotload import dialect_ext
from dotload.passes.analysis.stride_info import ANY, Info, Scaled, divisor, meet
from dotload.passes.analysis.strides import Strides

ENCODING = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 2], order = [1, 0]}>"


def parsed(body: str, arguments: str) -> ModuleOp:
    """Parse a function."""
    text = f"#e = {ENCODING}\n#r = #ttg.slice<{{dim = 1, parent = #e}}>\n#c = #ttg.slice<{{dim = 0, parent = #e}}>\n"
    return dialect_ext.parse_module(f"{text}tt.func @f({arguments}) {{\n{body}\ntt.return\n}}")


def analyse(body: str, arguments: str = "") -> dict[str, Info]:
    """The analysis result of each named value of a function."""
    module = parsed(body, arguments)
    strides = Strides(module)
    values = [result for op in module.walk() for result in op.results]
    values += [arg for op in module.walk() for region in op.regions for block in region.blocks for arg in block.args]
    return {value.name_hint: strides.of(value) for value in values if value.name_hint}


def check(info: Info, values: np.ndarray) -> None:
    """Strides hold within runs, and the first element of each group is a multiple of the alignment."""
    for axis, (stride, run) in enumerate(zip(info.strides, info.runs, strict=True)):
        groups = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis] // run, run)
        if stride is not None:
            assert np.all(np.diff(groups, axis=-1) == stride), (axis, stride, run)
    starts = values[tuple(slice(None, None, run) for run in info.runs)]
    assert np.all(starts % info.align == 0), (info.align, starts)


RANGE = "%x = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #r>"


@pytest.mark.parametrize("start", [0, 16, 24])
def test_range(start):
    info = analyse(f"%x = tt.make_range {{end = {start + 32} : i32, start = {start} : i32}} : tensor<32xi32, #r>")["x"]
    assert (info.strides, info.runs, info.align) == ((1,), (32,), divisor(start))


ARITHMETIC = {
    "arith.addi": lambda x, c: x + c,
    "arith.subi": lambda x, c: x - c,
    "arith.muli": lambda x, c: x * c,
    "arith.remsi": lambda x, c: x % c,
}


@pytest.mark.parametrize("constant", [1, 2, 3, 8, 12, 16, 24, 64, 100])
@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("factor", [1, 2, 6])
def test_arithmetic_with_a_constant(op, constant, factor):
    body = f"""{RANGE}
      %f = arith.constant dense<{factor}> : tensor<64xi32, #r>
      %y = arith.muli %x, %f : tensor<64xi32, #r>
      %c = arith.constant dense<{constant}> : tensor<64xi32, #r>
      %z = {op} %y, %c : tensor<64xi32, #r>"""
    values = ARITHMETIC[op](np.arange(64) * factor, constant)
    check(analyse(body)["z"], values)


@pytest.mark.parametrize("width", [8, 64])
@pytest.mark.parametrize("first", [-128, -64, -8, 0, 64])
def test_rests_of_negative_numbers_are_negative(first, width):
    body = f"""{RANGE}
      %f = arith.constant dense<{first}> : tensor<64xi32, #r>
      %y = arith.addi %x, %f : tensor<64xi32, #r>
      %c = arith.constant dense<{width}> : tensor<64xi32, #r>
      %z = arith.remsi %y, %c : tensor<64xi32, #r>"""
    info = analyse(body)["z"]
    check(info, np.fmod(np.arange(64) + first, width))
    assert (info.strides, info.runs) == (((1,), (width,)) if first >= 0 else ((None,), (1,)))


@pytest.mark.parametrize(("scalar", "run"), [("arith.divsi %p, %n", 64), ("arith.subi %p, %n", 1)])
def test_what_is_not_known_of_a_scalar_is_taken_not_to_be_negative(scalar, run):
    """Columns of a matrix modulo their number are read in vectors, since their tile's index, a quotient, is assumed
    nonnegative."""
    body = f"""{RANGE}
      %p = tt.get_program_id x : i32
      %tile = {scalar} : i32
      %c64 = arith.constant 64 : i32
      %first = arith.muli %tile, %c64 : i32
      %at = tt.splat %first : i32 -> tensor<64xi32, #r>
      %y = arith.addi %at, %x : tensor<64xi32, #r>
      %count = tt.splat %n : i32 -> tensor<64xi32, #r>
      %z = arith.remsi %y, %count : tensor<64xi32, #r>"""
    assert analyse(body, "%n: i32 {tt.divisibility = 64 : i32}")["z"].runs == (run,)


@pytest.mark.parametrize("predicate", ["slt", "sle", "sgt", "sge", "eq", "ne"])
@pytest.mark.parametrize("limit", [0, 16, 24, 30, 31, 64])
def test_masks(predicate, limit):
    body = f"""{RANGE}
      %c = arith.constant dense<{limit}> : tensor<64xi32, #r>
      %m = arith.cmpi {predicate}, %x, %c : tensor<64xi32, #r>
      %w = arith.cmpi {predicate}, %c, %x : tensor<64xi32, #r>"""
    compare = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}
    compare |= {"eq": np.equal, "ne": np.not_equal}
    infos, x = analyse(body), np.arange(64)
    check(infos["m"], compare[predicate](x, limit).astype(int))
    check(infos["w"], compare[predicate](limit, x).astype(int))


@pytest.mark.parametrize("limit", [0, 16, 24, 31, 64])
def test_a_mask_that_is_chosen_by_a_mask(limit):
    """vLLM's `tl.where(dims < HEAD, 1, 0).to(tl.int1)` changes no more often than the comparison."""
    body = f"""{RANGE}
      %c = arith.constant dense<{limit}> : tensor<64xi32, #r>
      %one = arith.constant dense<1> : tensor<64xi32, #r>
      %zero = arith.constant dense<0> : tensor<64xi32, #r>
      %m = arith.cmpi slt, %x, %c : tensor<64xi32, #r>
      %y = arith.select %m, %one, %zero : tensor<64xi1, #r>, tensor<64xi32, #r>
      %w = arith.cmpi ne, %y, %zero : tensor<64xi32, #r>
      %z = arith.select %m, %x, %zero : tensor<64xi1, #r>, tensor<64xi32, #r>"""
    infos, x = analyse(body), np.arange(64)
    check(infos["y"], np.where(x < limit, 1, 0))
    check(infos["w"], np.where(x < limit, 1, 0))
    check(infos["z"], np.where(x < limit, x, 0))
    assert infos["w"].strides == (0,)
    assert infos["w"].runs == infos["m"].runs


def test_one_condition_for_all_elements():
    body = f"""{RANGE}
      %one = arith.constant dense<1> : tensor<64xi32, #r>
      %zero = arith.constant dense<0> : tensor<64xi32, #r>
      %y = arith.select %which, %one, %zero : tensor<64xi32, #r>
      %z = arith.select %which, %x, %zero : tensor<64xi32, #r>"""
    infos = analyse(body, "%which: i1")
    assert (infos["y"].strides, infos["y"].runs) == ((0,), (64,))
    assert (infos["z"].strides, infos["z"].runs) == ((None,), (1,))


def test_what_holds_of_both_values_holds_of_a_choice():
    """As of the matrix, and its stride, that a product of split operands takes for a tile."""
    divisible = "{tt.divisibility = 16 : i32}"
    body = f"""{RANGE}
      %base = arith.select %which, %p, %q : i32
      %s = tt.splat %base : i32 -> tensor<64xi32, #r>
      %y = arith.addi %s, %x : tensor<64xi32, #r>
      %z = arith.select %which, %x, %y : tensor<64xi32, #r>"""
    infos = analyse(body, f"%which: i1, %p: i32 {divisible}, %q: i32 {divisible}")
    assert (infos["base"].align, infos["base"].scalar.name_hint) == (16, "base")
    assert (infos["y"].strides, infos["y"].runs, infos["y"].align) == ((1,), (64,), 16)
    assert (infos["z"].strides, infos["z"].runs, infos["z"].align) == ((1,), (64,), 16)


@pytest.mark.parametrize("limit", [0, 16, 24, 31, 64])
def test_a_mask_chooses_between_rows(limit):
    body = f"""{RANGE}
      %c = arith.constant dense<{limit}> : tensor<64xi32, #r>
      %far = arith.constant dense<128> : tensor<64xi32, #r>
      %m = arith.cmpi slt, %x, %c : tensor<64xi32, #r>
      %y = arith.addi %x, %far : tensor<64xi32, #r>
      %z = arith.select %m, %x, %y : tensor<64xi1, #r>, tensor<64xi32, #r>"""
    infos, x = analyse(body), np.arange(64)
    check(infos["z"], np.where(x < limit, x, x + 128))
    assert (infos["z"].strides, infos["z"].runs) == ((1,), infos["m"].runs)


@pytest.mark.parametrize(("op", "least"), [("arith.minsi", np.minimum), ("arith.maxsi", np.maximum)])
def test_the_smaller_of_two(op, least):
    """As of the columns that are left, modulo which the last block of a batched product takes its columns."""
    body = f"""{RANGE}
      %c = arith.constant 64 : i32
      %n = {op} %c, %left : i32
      %s = tt.splat %n : i32 -> tensor<64xi32, #r>
      %y = arith.remsi %x, %s : tensor<64xi32, #r>
      %far = arith.constant dense<16> : tensor<64xi32, #r>
      %w = arith.addi %x, %far : tensor<64xi32, #r>
      %z = {op} %x, %w : tensor<64xi32, #r>"""
    infos, x = analyse(body, "%left: i32 {tt.divisibility = 16 : i32}"), np.arange(64)
    assert (infos["n"].align, infos["y"].strides, infos["y"].runs) == (16, (1,), (16,))
    check(infos["z"], least(x, x + 16))
    assert (infos["z"].strides, infos["z"].runs) == ((1,), (64,))


def test_an_index_is_one_for_all_tokens_of_a_page():
    pointers = "!tt.ptr<i32>"
    body = f"""{RANGE}
      %size = arith.constant dense<16> : tensor<64xi32, #r>
      %page = arith.divsi %x, %size : tensor<64xi32, #r>
      %s = tt.splat %p : {pointers} -> tensor<64x{pointers}, #r>
      %at = tt.addptr %s, %page : tensor<64x{pointers}, #r>, tensor<64xi32, #r>
      %y = tt.load %at : tensor<64x{pointers}, #r>
      %limit = arith.constant dense<24> : tensor<64xi32, #r>
      %m = arith.cmpi slt, %x, %limit : tensor<64xi32, #r>
      %z = tt.load %at, %m : tensor<64x{pointers}, #r>
      %w = tt.load %at, %m, %x : tensor<64x{pointers}, #r>
      %v = tt.load %at {{isVolatile = true}} : tensor<64x{pointers}, #r>"""
    infos = analyse(body, f"%p: {pointers}")
    known = [(infos[name].strides, infos[name].runs) for name in ("y", "z", "w", "v")]
    assert known == [((0,), (16,)), ((0,), (8,)), ((None,), (1,)), ((None,), (1,))]


def test_a_sum_with_unknown_rows_is_as_aligned_as_both():
    """Rows of a paged cache: the page is loaded, and the position in it is multiplied by a stride divisible by 16."""
    body = f"""{RANGE}
      %c = arith.constant dense<16> : tensor<64xi32, #r>
      %place = arith.remsi %x, %c : tensor<64xi32, #r>
      %s = tt.splat %stride : i32 -> tensor<64xi32, #r>
      %in_page = arith.muli %place, %s : tensor<64xi32, #r>
      %page = arith.muli %pages, %s : tensor<64xi32, #r>
      %z = arith.addi %page, %in_page : tensor<64xi32, #r>"""
    info = analyse(body, "%pages: tensor<64xi32, #r>, %stride: i32 {tt.divisibility = 16 : i32}")["z"]
    assert (info.strides, info.runs, info.align) == ((None,), (1,), 16)


def test_two_dims():
    body = """%m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #r>
      %k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #c>
      %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32, #r> -> tensor<32x1xi32, #e>
      %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32, #c> -> tensor<1x16xi32, #e>
      %s = arith.constant dense<40> : tensor<32x1xi32, #e>
      %row = arith.muli %m2, %s : tensor<32x1xi32, #e>
      %a = tt.broadcast %row : tensor<32x1xi32, #e> -> tensor<32x16xi32, #e>
      %b = tt.broadcast %k2 : tensor<1x16xi32, #e> -> tensor<32x16xi32, #e>
      %sum = arith.addi %a, %b : tensor<32x16xi32, #e>"""
    info = analyse(body)["sum"]
    assert (info.strides, info.runs) == ((40, 1), (32, 16))
    check(info, np.arange(32)[:, None] * 40 + np.arange(16)[None, :])


def test_pointers_count_in_bytes():
    body = f"""{RANGE}
      %p = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #r>
      %q = tt.addptr %p, %x : tensor<64x!tt.ptr<f32>, #r>, tensor<64xi32, #r>"""
    info = analyse(body, "%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}")["q"]
    assert (info.strides, info.runs, info.align) == ((4,), (64,), 16)


def test_a_pointer_is_as_aligned_as_its_elements():
    infos = analyse("", "%a: !tt.ptr<f32>, %b: !tt.ptr<i8>, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32")
    assert [infos[name].align for name in "abcn"] == [4, 1, 16, 1]


CASTS = {
    "the pointer": """%b = tt.bitcast %base : !tt.ptr<i8> -> !tt.ptr<f8E4M3FN>
      %p = tt.splat %b : !tt.ptr<f8E4M3FN> -> tensor<64x!tt.ptr<f8E4M3FN>, #r>
      %q = tt.addptr %p, %x : tensor<64x!tt.ptr<f8E4M3FN>, #r>, tensor<64xi32, #r>""",
    "its integer": """%i = tt.ptr_to_int %base : !tt.ptr<i8> -> i64
      %b = tt.int_to_ptr %i : i64 -> !tt.ptr<f8E4M3FN>
      %p = tt.splat %b : !tt.ptr<f8E4M3FN> -> tensor<64x!tt.ptr<f8E4M3FN>, #r>
      %q = tt.addptr %p, %x : tensor<64x!tt.ptr<f8E4M3FN>, #r>, tensor<64xi32, #r>""",
    "the tensor": """%p = tt.splat %base : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>, #r>
      %b = tt.addptr %p, %x : tensor<64x!tt.ptr<i8>, #r>, tensor<64xi32, #r>
      %q = tt.bitcast %b : tensor<64x!tt.ptr<i8>, #r> -> tensor<64x!tt.ptr<f8E4M3FN>, #r>""",
}


@pytest.mark.parametrize("casts", CASTS.values(), ids=CASTS)
def test_a_pointer_to_another_type_is_the_same(casts):
    """As kernels make one that get fp8 numbers as bytes, or the pointers of a group's matrices as integers."""
    info = analyse(f"{RANGE}\n{casts}", "%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}")["q"]
    assert (info.strides, info.runs, info.align) == ((1,), (64,), 16)


def test_a_stride_known_at_run_time():
    body = f"""{RANGE}
      %s = tt.splat %stride : i32 -> tensor<64xi32, #r>
      %y = arith.muli %x, %s : tensor<64xi32, #r>
      %two = arith.constant dense<2> : tensor<64xi32, #r>
      %z = arith.muli %y, %two : tensor<64xi32, #r>
      %zero = arith.subi %z, %z : tensor<64xi32, #r>"""
    infos = analyse(body, "%stride: i32 {tt.divisibility = 8 : i32}")
    (stride,) = infos["z"].strides
    assert isinstance(stride, Scaled)
    assert (stride.value.name_hint, stride.factor, infos["z"].runs) == ("stride", 2, (64,))
    assert infos["zero"].strides in ((0,), (None,))


def test_strides_known_at_run_time_are_added_and_subtracted():
    body = f"""{RANGE}
      %s = tt.splat %stride : i32 -> tensor<64xi32, #r>
      %y = arith.muli %x, %s : tensor<64xi32, #r>
      %four = arith.constant dense<4> : tensor<64xi32, #r>
      %z = arith.muli %y, %four : tensor<64xi32, #r>
      %five = arith.addi %y, %z : tensor<64xi32, #r>
      %three = arith.subi %z, %y : tensor<64xi32, #r>
      %square = arith.muli %y, %s : tensor<64xi32, #r>"""
    infos = analyse(body, "%stride: i32 {tt.divisibility = 8 : i32}")
    for name, factor in (("five", 5), ("three", 3)):
        (stride,) = infos[name].strides
        assert isinstance(stride, Scaled)
        assert (stride.value.name_hint, stride.factor, infos[name].runs) == ("stride", factor, (64,))
    assert infos["square"].strides == (None,)


def test_what_a_branch_yields_is_known_behind_it():
    """Both results have the same stride, and start at multiples of a common divisor."""
    body = f"""{RANGE}
      %far = arith.constant dense<48> : tensor<64xi32, #r>
      %y = scf.if %which -> (tensor<64xi32, #r>) {{
        %moved = arith.addi %x, %far : tensor<64xi32, #r>
        scf.yield %moved : tensor<64xi32, #r>
      }} else {{
        scf.yield %x : tensor<64xi32, #r>
      }}
      %z = arith.addi %y, %far : tensor<64xi32, #r>"""
    infos = analyse(body, "%which: i1")
    assert (infos["y"].strides, divisor(infos["y"].align)) == ((1,), 16)
    assert (infos["z"].strides, divisor(infos["z"].align)) == ((1,), 16)


def test_products_of_two_ranges_are_unknown():
    info = analyse(f"{RANGE}\n%y = arith.muli %x, %x : tensor<64xi32, #r>")["y"]
    assert (info.strides, info.runs) == ((None,), (1,))


LOOP = """%c0 = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %x = tt.make_range {{end = 64 : i32, start = 0 : i32}} : tensor<64xi32, #r>
  %by = arith.constant dense<{by}> : tensor<64xi32, #r>
  %end = scf.for %i = %c0 to %n step %step iter_args(%y = %x) -> (tensor<64xi32, #r>) : i32 {{
    %z = {op} %y, %by : tensor<64xi32, #r>
    scf.yield %z : tensor<64xi32, #r>
  }}"""


@pytest.mark.parametrize(("op", "by", "stride", "align"), [
    ("arith.addi", 32, 1, 32), ("arith.addi", 24, 1, 8), ("arith.muli", 3, None, None), ("arith.muli", 1, 1, ANY),
])  # fmt: skip
def test_what_a_loop_carries_holds_in_every_iteration(op, by, stride, align):
    infos = analyse(LOOP.format(op=op, by=by), "%n: i32")
    assert infos["i"].align == 16
    for name in ("y", "end"):
        assert infos[name].strides == (stride,)
        if align is not None:
            assert infos[name].align == align


def test_meet_is_weaker_than_both():
    a, b = Info((1,), (64,), 64), Info((1,), (16,), 32)
    both = meet(a, b)
    assert (both.strides, both.runs) == ((1,), (16,))
    assert math.gcd(both.align, 16) == both.align
    assert meet(a, Info((2,), (64,), 64)).runs == (1,)


def test_hints_are_taken():
    hints = "tt.contiguity = dense<16> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>"
    body = f"%y = arith.muli %x, %x {{{hints}}} : tensor<64xi32, #r>"
    info = analyse(f"{RANGE}\n{body}")["y"]
    assert (info.strides, info.runs, info.align) == ((1,), (16,), 16)


def test_a_hint_of_pointers_counts_elements():
    hints = "tt.contiguity = dense<16> : tensor<1xi32>"
    pointers = "tensor<64x!tt.ptr<f32>, #r>"
    body = f"""{RANGE}
      %far = arith.muli %x, %x : tensor<64xi32, #r>
      %a = tt.splat %base : !tt.ptr<f32> -> {pointers}
      %p = tt.addptr %a, %far {{{hints}}} : {pointers}, tensor<64xi32, #r>"""
    info = analyse(body, "%base: !tt.ptr<f32>")["p"]
    assert (info.strides, info.runs) == ((4,), (16,))


TILE = """%m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #r>
  %first = arith.muli %at, %c64 : i32
  %from = tt.splat %first : i32 -> tensor<64xi32, #r>
  %rows = arith.addi %m, %from : tensor<64xi32, #r>
  %m1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #e>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32, #e>
  %down = arith.muli %m1, %pitches : tensor<64x1xi32, #e>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #c>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #c> -> tensor<1x64xi32, #e>
  %down2 = tt.broadcast %down : tensor<64x1xi32, #e> -> tensor<64x64xi32, #e>
  %across = tt.broadcast %n1 : tensor<1x64xi32, #e> -> tensor<64x64xi32, #e>
  %offsets = arith.addi %down2, %across : tensor<64x64xi32, #e>
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #e>
  %p = tt.addptr %bases, %offsets : tensor<64x64x!tt.ptr<f32>, #e>, tensor<64x64xi32, #e>
  tt.store %p, %v : tensor<64x64x!tt.ptr<f32>, #e>"""
AROUND = {
    "in a line": "%c64 = arith.constant 64 : i32\n%at = tt.get_program_id x : i32\n{}",
    "in a loop": "%c64 = arith.constant 64 : i32\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
    "scf.for %at = %c0 to %end step %c1 : i32 {{\n{}\n}}",
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("base", "pitch", "aligned_by"), [(16, 16, 8), (8, 2, 8), (16, 1, 4), (4, 16, 4)])
def test_pairs_of_a_tile_are_as_aligned_as_base_and_pitch(around, base, pitch, aligned_by):
    arguments = f"""%base: !tt.ptr<f32> {{tt.divisibility = {base} : i32}},
      %pitch: i32 {{tt.divisibility = {pitch} : i32}}, %end: i32, %v: tensor<64x64xf32, #e>"""
    module = parsed(AROUND[around].format(TILE), arguments)
    (pointers,) = [op.operands[0] for op in module.walk() if op.name == "tt.store"]
    for strides in (Strides(module), Strides.behind(pointers)):
        assert strides.of(pointers).strides[1] == 4
        assert strides.aligned_by(pointers, (1, 2)) == aligned_by
        assert strides.aligned_by(pointers, (1, 1)) == 4
        assert strides.aligned_by(pointers, (1, 128)) == 1  # longer than the known run


@pytest.mark.parametrize(("divisible", "aligned_by"), [("16", 16), ("[1, 16]", 16), ("[16, 1]", 4), ("8", 8)])
def test_a_hint_of_lines_holds_of_their_distance(divisible, aligned_by):
    """Triton's tutorial of grouped GEMMs gives the hint on pointers whose pitch it loads."""
    hint = f"{{tt.divisibility = dense<{divisible}> : tensor<2xi32>}}"
    tile = TILE.replace("%bases, %offsets :", f"%bases, %offsets {hint} :")
    arguments = "%base: !tt.ptr<f32>, %pitch: i32, %end: i32, %v: tensor<64x64xf32, #e>"
    module = parsed(AROUND["in a loop"].format(tile), arguments)
    (pointers,) = [op.operands[0] for op in module.walk() if op.name == "tt.store"]
    assert Strides(module).aligned_by(pointers, (1, 4)) == aligned_by


def test_what_a_while_loop_carries():
    """A while loop carries an index that grows by 32, and a tensor that starts there."""
    body = """%c0 = arith.constant 0 : i32
      %c32 = arith.constant 32 : i32
      %x = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #r>
      %end = scf.while (%at = %c0) : (i32) -> i32 {
        %more = arith.cmpi slt, %at, %n : i32
        scf.condition(%more) %at : i32
      } do {
      ^bb0(%now: i32):
        %from = tt.splat %now : i32 -> tensor<64xi32, #r>
        %y = arith.addi %from, %x : tensor<64xi32, #r>
        %next = arith.addi %now, %c32 : i32
        scf.yield %next : i32
      }"""
    infos = analyse(body, "%n: i32")
    assert (infos["y"].strides, infos["y"].runs, infos["y"].align) == ((1,), (64,), 32)
    assert (infos["now"].align, infos["end"].align) == (32, 32)


def test_of_what_a_loop_carries_the_short_analysis_knows_nothing():
    module = parsed(LOOP.format(op="arith.addi", by=32), "%n: i32")
    (loop,) = [op for op in module.walk() if op.name == "scf.for"]
    (carried,) = loop.results
    assert Strides(module).of(carried).strides == (1,)
    assert Strides.behind(carried).of(carried).strides == (None,)


def test_the_short_analysis_knows_how_an_induction_variable_is_aligned():
    """A byte packs two numbers along k: the bytes start at k // 2, and the mask is the same in groups of 16."""
    body = """%c64 = arith.constant 64 : i32
      %c2 = arith.constant 2 : i32
      %start = arith.muli %first, %c64 : i32
      %x = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #r>
      %count = tt.splat %n : i32 -> tensor<32xi32, #r>
      scf.for %k = %start to %end step %c64 : i32 {
        %half = arith.divsi %k, %c2 : i32
        %from = tt.splat %half : i32 -> tensor<32xi32, #r>
        %byte = arith.addi %from, %x : tensor<32xi32, #r>
        %mask = arith.cmpi slt, %byte, %count : tensor<32xi32, #r>
      }"""
    module = parsed(body, "%n: i32 {tt.divisibility = 16 : i32}, %first: i32, %end: i32")
    (mask,) = [op.results[0] for op in module.walk() if op.name == "arith.cmpi"]
    assert Strides.behind(mask).of(mask) == Strides(module).of(mask)
    assert Strides.behind(mask).of(mask).is_same_in_groups(0, 16)


@pytest.mark.parametrize(("contiguous", "aligned_by"), [(4, 8), (6, 8), (3, 1)])
def test_pairs_lie_within_runs(contiguous, aligned_by):
    hints = f"tt.contiguity = dense<{contiguous}> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>"
    pointers = "tensor<64x!tt.ptr<f32>, #r>"
    body = f"""{RANGE}
      %far = arith.muli %x, %x : tensor<64xi32, #r>
      %a = tt.splat %base : !tt.ptr<f32> -> {pointers}
      %p = tt.addptr %a, %far {{{hints}}} : {pointers}, tensor<64xi32, #r>"""
    module = parsed(body, "%base: !tt.ptr<f32>")
    (pointer,) = [op.results[0] for op in module.walk() if op.name == "tt.addptr"]
    assert Strides(module).aligned_by(pointer, (2,)) == aligned_by


SKEWED = """%m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #r>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #c>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #r> -> tensor<64x1xi32, #e>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #c> -> tensor<1x64xi32, #e>
  %m2 = tt.broadcast %m1 : tensor<64x1xi32, #e> -> tensor<64x64xi32, #e>
  %n2 = tt.broadcast %n1 : tensor<1x64xi32, #e> -> tensor<64x64xi32, #e>
  %sum = arith.addi %m2, %n2 : tensor<64x64xi32, #e>
  %c64 = arith.constant dense<64> : tensor<64x64xi32, #e>"""


def test_groups_of_one_dim_start_anywhere_in_another():
    """(m + n) % 64 wraps at another n in each row, and so does (m + n) < 64 change."""
    body = f"""{SKEWED}
      %y = arith.remsi %sum, %c64 : tensor<64x64xi32, #e>
      %less = arith.cmpi slt, %sum, %c64 : tensor<64x64xi32, #e>
      %straight = arith.remsi %n2, %c64 : tensor<64x64xi32, #e>"""
    infos, index = analyse(body), np.add.outer(np.arange(64), np.arange(64))
    check(infos["y"], index % 64)
    check(infos["less"], (index < 64).astype(int))
    assert (infos["straight"].strides, infos["straight"].runs) == ((0, 1), (64, 64))


def test_one_bit_holds_no_run_of_numbers():
    body = f"""{RANGE}
      %bit = arith.trunci %x : tensor<64xi32, #r> to tensor<64xi1, #r>
      %y = arith.extsi %bit : tensor<64xi1, #r> to tensor<64xi32, #r>"""
    check(analyse(body)["y"], -(np.arange(64) % 2))


@pytest.mark.parametrize("first", [0, 8, 64, 112, 128, 200])
@pytest.mark.parametrize("factor", [0, 1, 2])
def test_bytes_wrap_around(first, factor):
    body = f"""%x = tt.make_range {{end = {first + 256} : i32, start = {first} : i32}} : tensor<256xi32, #r>
      %f = arith.constant dense<{factor}> : tensor<256xi32, #r>
      %z = arith.muli %x, %f : tensor<256xi32, #r>
      %c = arith.constant dense<{first}> : tensor<256xi32, #r>
      %byte = arith.trunci %z : tensor<256xi32, #r> to tensor<256xi8, #r>
      %one = arith.trunci %c : tensor<256xi32, #r> to tensor<256xi8, #r>"""
    infos = analyse(body)
    check(infos["byte"], ((np.arange(256) + first) * factor).astype(np.int8).astype(int))
    check(infos["one"], np.full(256, first).astype(np.int8).astype(int))
    assert factor != 1 or infos["byte"].runs == (min(128, divisor(first)),)


@pytest.mark.parametrize("name", ["addi", "subi", "muli"])
@pytest.mark.parametrize("factor", [1, 3, 16, 100, -8])
def test_sums_and_products_of_bytes_wrap_around(name, factor):
    """As bytes, 64 numbers times 3 reach beyond 127."""
    body = f"""{RANGE}
      %byte = arith.trunci %x : tensor<64xi32, #r> to tensor<64xi8, #r>
      %f = arith.constant dense<{factor}> : tensor<64xi8, #r>
      %y = arith.{name} %byte, %f : tensor<64xi8, #r>
      %wide = arith.extsi %y : tensor<64xi8, #r> to tensor<64xi32, #r>
      %c = arith.{name} %f, %f : tensor<64xi8, #r>
      %cw = arith.extui %c : tensor<64xi8, #r> to tensor<64xi32, #r>
      %fw = arith.extui %f : tensor<64xi8, #r> to tensor<64xi32, #r>"""
    operation = {"addi": np.add, "subi": np.subtract, "muli": np.multiply}[name]
    infos, constant = analyse(body), np.full(64, factor)
    check(infos["wide"], operation(np.arange(64), constant).astype(np.int8).astype(int))
    check(infos["cw"], operation(constant, constant).astype(np.uint8).astype(int))
    assert infos["fw"].constant == factor % 256


@pytest.mark.parametrize("width", [4, 8, 16, 64])
@pytest.mark.parametrize("shape", [(4, 16), (8, 8), (2, 4, 8), (64,)])
def test_several_dims_of_one(width, shape):
    """Element i is (i + 64) % width, in the one dim and in several."""
    new = "x".join(map(str, shape))
    body = f"""{RANGE.replace("= 64", "= 128").replace("start = 0", "start = 64")}
        %w = arith.constant dense<{width}> : tensor<64xi32, #r>
        %column = arith.remsi %x, %w : tensor<64xi32, #r>
        %y = tt.reshape %column : tensor<64xi32, #r> -> tensor<{new}xi32>"""
    info = analyse(body)["y"]
    check(info, ((np.arange(64) + 64) % width).reshape(shape))
    assert info.runs[-1] == min(width, shape[-1])
    if width == 64:
        assert info.runs == shape


def test_reordered_elements_run_anyhow():
    body = f"{RANGE}\n%y = tt.reshape %x allow_reorder : tensor<64xi32, #r> -> tensor<4x16xi32>"
    assert analyse(body)["y"].strides == (None, None)
