"""Loads of several planes: each register of each lane is compared with numpy, including planes that do not exist."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import replace

import pytest
from block_load_case import BYTES, Load, Planes, check, expected, make_surface, outcome, source_of
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st
from sampling import sampled

from dotload import dialect_ext
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass

ROUND = {"shape": (32, 32), "width": 80, "height": 40}


@pytest.mark.parametrize(
    ("first", "warps"), sampled(itertools.product([0, 1, 3, 4, -1, -2, 1 << 31, -(1 << 33)], [1, 2]), 8)
)
def test_planes_that_do_not_exist_are_zero(first: int, warps: int) -> None:
    """Two planes of four, from every position where some or none of them exist; in one warp, and one per warp."""
    assert check(Load(**ROUND, planes=Planes(2, warps, first))) is not None


NAMED = [
    (Load(**ROUND, planes=Planes(4, 2, 1)), "opencl", 2),
    (Load(**ROUND, planes=Planes(2, gap=4)), "opencl", 2),
    (Load(**ROUND, planes=Planes(2, first=3), x=-16, y=-3, guard=(1, 2)), "opencl", 2),
    (Load("i8", 1, 4, shape=(32, 32), width=96, column_major=True, planes=Planes(2, gap=12)), "spirv", 2),
    (Load("f32", 2, 2, shape=(16, 32), planes=Planes(2, 2, 3), y=30), "opencl", 2),
    (Load("f64", shape=(8, 16), blocked=((1, 1), (2, 8)), planes=Planes(2, gap=8), base_words=2), "triton-gen", 2),
]


@pytest.mark.parametrize(("load", "emit", "planes"), NAMED, ids=repr)
def test_each_message_reads_one_plane(load: Load, emit: str, planes: int) -> None:
    report = check(load, emit)
    assert report is not None
    if not load.guard:
        assert report.load_messages % planes == 0


def test_a_plane_that_does_not_exist_is_not_read_where_messages_are_guarded() -> None:
    inside, half, outside = (
        check(Load(**ROUND, planes=Planes(2, first=first), guard=(0,))).load_messages for first in (2, 3, 4)
    )
    assert (half, outside) == (inside // 2, 0)


def test_rows_some_apart_in_every_plane() -> None:
    """Four warps take turns by rows: one message per plane and warp."""
    load = Load("f16", shape=(64, 16), blocked=((1, 1), (1, 16)), warps=(4, 1), height=80, y=-7, known_pitch=True)
    for first in (1, 3, 4):
        report = check(replace(load, planes=Planes(2, first=first, gap=16)), "triton-gen")
        assert report is not None
        assert report.load_messages == 4 * 2


@seed(int(os.environ.get("DOTLOAD_FUZZ_SEED", "0")))
@settings(
    max_examples=int(os.environ.get("DOTLOAD_FUZZ_LOADS", "5")),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.sampled_from((("f16", 0, 2), ("f16", 1, 2), ("i8", 0, 4), ("i8", 1, 4), ("f32", 2, 2))),
    st.sampled_from(((2, 1), (2, 2), (4, 2))),
    st.integers(-2, 5),
    st.sampled_from((0, 4, 64, 76)),
    st.booleans(),
    st.sampled_from(((), (0,), (1, 2), (0, 1, 2))),
    st.integers(-20, 40),
    st.integers(-10, 30),
    st.sampled_from((0, 1, 5, 15)),
    st.sampled_from((16, 32)),
)
def test_any_planes(kind, planes, first, gap, column_major, guard, y, words, base_words, lanes) -> None:
    dtype, operand, ops = kind
    shape = (32, 64) if operand else (32, 32)
    at = Planes(*planes, first=first, gap=gap)
    load = Load(dtype, operand, ops, shape=shape, width=96, height=40, y=y, planes=at, guard=guard, lanes=lanes)
    load = replace(load, column_major=column_major, x=words * 4 // BYTES[dtype], base_words=base_words)
    assume(check(load, "opencl" if lanes == 16 else "triton-gen", validate=False) is not None)


SIGNATURE = "%w: i32, %h: i32, %pitch: i32, %x: i32, %y: i32, %z: i64, %d: i64, %s: i64"
BY_DESCRIPTOR = """    %depth = arith.trunci %d : i64 to i32
    %p = tt.make_tensor_descriptor %base, [%depth, %rows, %columns], [%plane, %line, %one]
      : <f16>, <tensor<2x32x32xf16>>
    %a = tt.descriptor_load %p[%first, %y, %x] : !tt.tensordesc<tensor<2x32x32xf16>> -> TENSOR
"""
BY_BLOCK_POINTER = """    %wide = arith.extsi %columns : i32 to i64
    %high = arith.extsi %rows : i32 to i64
    %p = tt.make_tensor_ptr %base, [%d, %high, %wide], [%plane, %line, %one], [%first, %y, %x]
      {order = array<i32: 2, 1, 0>} : <TENSOR>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1, 2>} : !tt.ptr<TENSOR>
"""


@pytest.mark.parametrize("made", [BY_DESCRIPTOR, BY_BLOCK_POINTER], ids=["descriptor", "block pointer"])
@pytest.mark.parametrize(("first", "count"), [(0, 2), (3, 2), (-1, 2), (4, 4)])
def test_what_the_loads_themselves_promise(made: str, first: int, count: int) -> None:
    """From the op that Triton makes: planes, rows and columns outside of the shape are zero. Four planes there are."""
    load = Load(shape=(32, 32), width=40, height=36, y=9, x=16, planes=Planes(count, count, first, gap=32))
    tensor = re.search(r"-> (tensor<.*>)$", load.ttgir(), re.MULTILINE)
    assert tensor is not None
    body = f"""    %rows = arith.constant {load.height} : i32
    %columns = arith.constant {load.width} : i32
    %one = arith.constant 1 : i64
    %line = arith.constant {load.pitch // 2} : i64
    %plane = arith.constant {load.plane_bytes // 2} : i64
    %first = arith.trunci %z : i64 to i32
{made.replace("TENSOR", tensor[1]).replace("2x32x32xf16>>", f"{count}x32x32xf16>>")}"""
    head = load.ttgir().split("  tt.func")[0]
    alignment = "{tt.divisibility = 16 : i32}"
    signature = SIGNATURE.replace("%x: i32", f"%x: i32 {alignment}")
    text = f"""{head}  tt.func public @load(%base: !tt.ptr<f16> {alignment}, %out: !tt.ptr<f16>, {signature}) {{
{body}    tt.return
  }}
}}
"""
    module = dialect_ext.parse_module(text)
    LowerTo2DBlockLoadPass(emit="opencl").apply(dialect_ext.context(), module)
    Convert2DBlockLoadToLLVMPass(emit="opencl").apply(dialect_ext.context(), module)
    for op in [found for found in module.walk() if found.name.startswith("tt.make_tensor")]:
        op.detach()
        op.erase()
    wanted = expected(load, make_surface(load)[1])
    source = source_of(dialect_ext.parse_module(dialect_ext.print_module(module).replace(f" {alignment}", "")))
    out, report = outcome(load, source, wanted.shape)
    assert (out == wanted).all()
    assert report.load_messages or first == 4
