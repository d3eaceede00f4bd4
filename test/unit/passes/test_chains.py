"""Chains of ops whose two operands are the same value, forty in a row: each value is visited once, not 2^40 times. And
chains that are longer than Python's stack is deep.

There is no time limit: an analysis without memoization would not end.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
from xdsl.context import Context
from xdsl.ir import SSAValue

from dotload import dialect_ext
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.passes.analysis.constancy import is_constant_along, is_same_for_all
from dotload.passes.analysis.fusion import is_product
from dotload.passes.analysis.intervals import Interval, interval_of
from dotload.passes.analysis.known_elements import known_elements
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import holds
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass
from dotload.passes.lower_to_2d_block_prefetch import LowerTo2DBlockPrefetchPass
from dotload.passes.narrow_operand_products import NarrowOperandProductsPass
from dotload.passes.operand_staging.converted import find_converted
from dotload.passes.rematerialization.repeated_loads import falls
from dotload.passes.stage_dot_operands import StageDotOperandsPass

LENGTH = 40


def chain(op: str, type_: str, start: str) -> str:
    """Each value is an op of the previous value and itself; the last one is %r."""
    names = [start, *(f"%v{number}" for number in range(1, LENGTH)), "%r"]
    return "\n".join(f"{new} = {op} {old}, {old} : {type_}" for old, new in pairwise(names))


def value_of(body: str, type_: str, arguments: str = "%a: tensor<16xi32>, %x: f32") -> SSAValue:
    """The value that a function returns."""
    text = f"tt.func @f({arguments}) -> {type_} {{\n{body}\ntt.return %r : {type_}\n}}"
    (end,) = (op for op in dialect_ext.parse_module(text).walk() if op.name == "tt.return")
    return end.operands[0]


def test_each_is_asked_once() -> None:
    asked: list[int] = []

    def needed(number: int) -> list[int]:
        asked.append(number)
        return [number - 1, number - 1] if number else []

    assert holds([LENGTH], needed)
    assert sorted(asked) == list(range(LENGTH + 1))
    assert not holds([LENGTH], lambda number: [number - 1] if number else None)


def test_intervals() -> None:
    steps = "".join(
        f"%h{n} = arith.shrsi %v{n}, %one : tensor<16xi32>\n%v{n + 1} = arith.subi %v{n}, %h{n} : tensor<16xi32>\n"
        for n in range(LENGTH)
    )
    body = f"""%m = arith.constant dense<15> : tensor<16xi32>
      %one = arith.constant dense<1> : tensor<16xi32>
      %v0 = arith.andi %a, %m : tensor<16xi32>
      {steps}%r = arith.andi %v{LENGTH}, %m : tensor<16xi32>"""
    assert interval_of(value_of(body, "tensor<16xi32>")) == Interval(0, 15)


def test_known_elements() -> None:
    start = "%k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
    found = known_elements(value_of(start + chain("arith.andi", "tensor<16xi32>", "%k"), "tensor<16xi32>"))
    assert found is not None
    assert np.array_equal(found, np.arange(16))


def test_constant_along_a_dim() -> None:
    start = "%s = tt.splat %x : f32 -> tensor<16x16xf32>\n"
    assert is_constant_along(
        value_of(start + chain("arith.mulf", "tensor<16x16xf32>", "%s"), "tensor<16x16xf32>"), (0,)
    )


def test_same_for_all() -> None:
    start = "%s = tt.splat %n : i32 -> tensor<16xi32>\n"
    value = value_of(start + chain("arith.addi", "tensor<16xi32>", "%s"), "tensor<16xi32>", "%n: i32")
    assert is_same_for_all(value)


def test_falling_masks() -> None:
    start = """%k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
      %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
      %limit = tt.splat %n : i32 -> tensor<16x1xi32>
      %m = arith.cmpi slt, %k1, %limit : tensor<16x1xi32>
      """
    mask = value_of(start + chain("arith.andi", "tensor<16x1xi1>", "%m"), "tensor<16x1xi1>", "%n: i32")
    assert falls(mask, 0, 8, Strides.behind(mask))


def test_products() -> None:
    cast = chain("builtin.unrealized_conversion_cast", "f32, f32 to f32", "%s")
    assert is_product(value_of(f"%s = arith.mulf %x, %x : f32\n{cast}", "f32"))
    assert not is_product(value_of(f"%s = arith.addf %x, %x : f32\n{cast}", "f32"))


def test_narrow_products() -> None:
    """Differences of zeros are known to be integers; each op is rewritten once."""
    module = dialect_ext.parse_module(f"""
      tt.func @f(%a: tensor<16x64xbf16>, %b: tensor<64x32xi32>, %s: tensor<64x32xbf16>, %c: tensor<16x32xf32>) {{
        %mask = arith.constant dense<0> : tensor<64x32xi32>
        %n = arith.andi %b, %mask : tensor<64x32xi32>
        %x = arith.sitofp %n : tensor<64x32xi32> to tensor<64x32xf32>
        {chain("arith.subf", "tensor<64x32xf32>", "%x")}
        %w = arith.extf %s : tensor<64x32xbf16> to tensor<64x32xf32>
        %p = arith.mulf %r, %w : tensor<64x32xf32>
        %t = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
        %d = tt.dot %a, %t, %c : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
        tt.print "d" {{hex = false, isSigned = array<i32: 0>}} : %d : tensor<16x32xf32>
        tt.return
      }}""")
    NarrowOperandProductsPass().apply(Context(), module)
    differences = [op for op in module.walk() if op.name == "arith.subf"]
    assert len(differences) == LENGTH
    assert all(str(op.results[0].type) == "tensor<64x32xbf16>" for op in differences)


TARGET = (
    '"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32'
)
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"


def test_converted_operands() -> None:
    """The dot's operand does not depend on a load; the search for one visits each value once."""
    operand = "tensor<64x128xbf16, #blocked>"
    memory, before = (f"!ttg.memdesc<64x{size}xbf16, #shared, #smem>" for size in (128, 64))
    types = f"{before} * {memory} -> tensor<64x128xf32, #mma>"
    module = dialect_ext.parse_module(f"""
      #blocked = {BLOCKED}
      #mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}}>
      #shared = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
      #smem = #ttg.shared_memory
      module attributes {{{TARGET}}} {{
        tt.func @f(%a: {before}, %x: bf16, %acc: tensor<64x128xf32, #mma>, %n: i32) {{
          scf.for %i = %n to %n step %n : i32 {{
            %s = tt.splat %x : bf16 -> {operand}
            {chain("arith.mulf", operand, "%s")}
            %b = ttg.local_alloc %r : ({operand}) -> {memory}
            %d = ttng.warp_group_dot %a, %b, %acc {{inputPrecision = 0 : i32}} : {types}
          }}
          tt.return
        }}
      }}""")
    (dot,) = (op for op in module.walk() if isinstance(op, WarpGroupDotOp))
    assert find_converted(dot, 1) is None


def test_permuted_scales() -> None:
    """The values computed from the scales of columns are permuted once, and their old versions are erased."""
    module = dialect_ext.parse_module(f"""
      #blocked = {BLOCKED}
      #mma = #ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}}>
      #a = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 4}}>
      #b = #ttg.dot_op<{{opIdx = 1, parent = #mma, kWidth = 4}}>
      #row = #ttg.slice<{{dim = 0, parent = #b}}>
      module attributes {{{TARGET}}} {{
        tt.func @f(%x: tensor<16x64xf16, #a>, %p: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<128xf16, #row>,
            %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {{
          %w = tt.load %p : tensor<64x128x!tt.ptr<i8>, #blocked>
          %o = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
          {chain("arith.mulf", "tensor<128xf16, #row>", "%s")}
          %e = tt.expand_dims %r {{axis = 0 : i32}} : tensor<128xf16, #row> -> tensor<1x128xf16, #b>
          %k = tt.broadcast %e : tensor<1x128xf16, #b> -> tensor<64x128xf16, #b>
          %f = arith.sitofp %o : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
          %g = arith.mulf %f, %k : tensor<64x128xf16, #b>
          %d = tt.dot %x, %g, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
          tt.return %d : tensor<16x128xf32, #mma>
        }}
      }}""")
    StageDotOperandsPass().apply(Context(), module)
    assert sum(op.name == "arith.mulf" for op in module.walk()) == LENGTH + 1


def long_chain(op: str, step: str, type_: str, start: str) -> str:
    names = [start, *(f"%v{number}" for number in range(1, sys.getrecursionlimit())), "%r"]
    return "\n".join(f"{new} = {op} {old}, {step} : {type_}" for old, new in pairwise(names))


DPAS = """
      #mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16,
        warpsPerCTA = [1, 1], repCluster = [4, 2]}>
      #a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
      module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {"""


def test_many_advances() -> None:
    tile = "tensor<32x32xf16, #a>"
    module = dialect_ext.parse_module(f"""{DPAS}
        tt.func @f(%base: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}) -> {tile} {{
          %zero = arith.constant 0 : i32
          %step = arith.constant 32 : i32
          %one = arith.constant 1 : i64
          %size = arith.constant 1024 : i64
          %p = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%zero, %zero]
            {{order = array<i32: 1, 0>}} : <{tile}>
          {long_chain("tt.advance", "[%zero, %step]", f"<{tile}>", "%p")}
          %x = tt.load %r : !tt.ptr<{tile}>
          tt.return %x : {tile}
        }}
      }}""")
    LowerTo2DBlockLoadPass().apply(Context(), module)
    (load,) = (op for op in module.walk() if op.name == "ttig.2d_block_load")
    additions = [op for op in module.walk() if op.name == "arith.addi"]
    assert len(additions) == sys.getrecursionlimit()
    assert load.operands[4].owner is additions[-1]


def test_many_steps_of_pointers() -> None:
    pointers, numbers = "tensor<32x32x!tt.ptr<f16>, #a>", "tensor<32x32xi32, #a>"
    slices = [f"#ttg.slice<{{dim = {dim}, parent = #a}}>" for dim in (0, 1)]
    module = dialect_ext.parse_module(f"""{DPAS}
        tt.func @f(%base: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}) {{
          %row = tt.make_range {{start = 0 : i32, end = 32 : i32}} : tensor<32xi32, {slices[1]}>
          %column = tt.make_range {{start = 0 : i32, end = 32 : i32}} : tensor<32xi32, {slices[0]}>
          %rows = tt.expand_dims %row {{axis = 1 : i32}} : tensor<32xi32, {slices[1]}> -> tensor<32x1xi32, #a>
          %columns = tt.expand_dims %column {{axis = 0 : i32}} : tensor<32xi32, {slices[0]}> -> tensor<1x32xi32, #a>
          %pitch = arith.constant dense<1024> : tensor<32x1xi32, #a>
          %down = arith.muli %rows, %pitch : tensor<32x1xi32, #a>
          %downs = tt.broadcast %down : tensor<32x1xi32, #a> -> {numbers}
          %alongs = tt.broadcast %columns : tensor<1x32xi32, #a> -> {numbers}
          %offsets = arith.addi %downs, %alongs : {numbers}
          %start = tt.splat %base : !tt.ptr<f16> -> {pointers}
          %p = tt.addptr %start, %offsets : {pointers}, {numbers}
          %step = arith.constant dense<32> : {numbers}
          {long_chain("tt.addptr", "%step", f"{pointers}, {numbers}", "%p")}
          ttig.prefetch %r : {pointers}
          tt.return
        }}
      }}""")
    LowerTo2DBlockPrefetchPass().apply(Context(), module)
    assert any(op.name == "triton_gen.2Dblockprefetch" for op in module.walk())
