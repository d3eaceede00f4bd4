"""Random 2D block loads: plan, lowering and hardware are compared with a gather that reads one element at a time.

DOTLOAD_FUZZ_LOADS is the number of loads (default 5), DOTLOAD_FUZZ_SEED their seed (default 0). A failure shrinks, and
its message is a call of `check` that reproduces it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from block_load_case import BYTES, Load, Planes, check, expected, make_surface
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from pointer_load_case import PointerLoad, check_pointers
from sampling import sampled

from dotload.emulator import Kind

LOADS = int(os.environ.get("DOTLOAD_FUZZ_LOADS", "5"))
SEED = int(os.environ.get("DOTLOAD_FUZZ_SEED", "0"))
PHASES = (Phase.generate, Phase.shrink)
MAX_REGISTERS = 256  # of a lane: what one would keep


def blocks_of_lanes(lanes: int, size: int) -> st.SearchStrategy[tuple[tuple[int, int], tuple[int, int]]]:
    """Elements of a lane side by side, lanes side by side; as rows of memory have them."""
    across = [1 << bit for bit in range(6) if (1 << bit) <= lanes and (1 << bit) * size <= 64]
    each = [1, 2, 4] if size < 4 else [1, 2]
    return st.tuples(
        st.sampled_from([(1, count) for count in each]), st.sampled_from([(lanes // n, n) for n in across])
    )


@st.composite
def loads(draw: st.DrawFn, subgroup_sizes: tuple[int, ...] = (16,)) -> Load:
    dtype = draw(st.sampled_from(sorted(BYTES)))
    size = BYTES[dtype]
    lanes = draw(st.sampled_from(subgroup_sizes))
    operand = draw(st.sampled_from((0, 1, 2)))
    # Without support in the matrix unit, 8-bit floats are multiplied as 16-bit floats.
    ops_per_channel = draw(st.sampled_from((2, 4))) if dtype.startswith("f8") else max(1, 4 // size)
    warps = draw(st.sampled_from([(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4)]))
    cluster = draw(st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (4, 2), (1, 4), (4, 4)]))
    repeat_count = draw(st.sampled_from((8, 8, 8, 4, 2)[: 5 if lanes == 16 else 3]))
    shape = draw(st.tuples(*[st.sampled_from((16, 32, 64, 128))] * 2))
    width = draw(st.integers(-(-64 // size), 160).filter(lambda w: w * size % 4 == 0))
    height = draw(st.integers(1, 140))
    unit = max(1, 4 // size)  # x is given in whole 32-bit words
    base_words = draw(st.sampled_from((0, 0, 0, 1, 5, 15)))
    assume(base_words * 4 % size == 0)
    x = draw(st.integers(-40 // unit, width // unit + 4)) * unit
    y = draw(st.integers(-20, height + 4))
    load = Load(
        dtype, operand, ops_per_channel, repeat_count, warps, cluster, shape, draw(st.booleans()), lanes,
        width, height, draw(st.sampled_from((0, 0, 16, 48, 64, 80, 192))), x, y, base_words,
        draw(st.sampled_from(((), (0,), (1,), (0, 1)))),
    )  # fmt: skip
    if draw(st.booleans()):
        load = replace(load, known_x=True, x=draw(st.sampled_from((x, x - x % 16, x - x % 32, x - x % 64))))
    if len(subgroup_sizes) > 1 and draw(st.booleans()):
        load = replace(load, blocked=draw(blocks_of_lanes(lanes, size)), known_pitch=draw(st.booleans()))
    held = size if load.blocked is None else load.blocked[0][1] * size
    if held == 8:  # by messages of 64-bit elements, the unit of x and of the surface
        unit = 8 // size
        load = replace(load, width=width + -width % unit, x=load.x - load.x % unit, base_words=base_words & ~1)
    assume(expected(load, make_surface(load)[1]).shape[2] <= MAX_REGISTERS)
    return load


def fuzzed(examples: int) -> settings:
    """Settings for so many examples, without a deadline, health checks or a database."""
    return settings(
        max_examples=examples,
        database=None,
        phases=PHASES,
        suppress_health_check=list(HealthCheck),
    )


@seed(SEED)
@fuzzed(LOADS)
@given(loads())
def test_every_register_of_every_lane(load: Load) -> None:
    """Every register is right in the spelling that this release of Intel's backend links."""
    assume(check(load, validate=False) is not None)


@seed(SEED)
@fuzzed(LOADS // 4)
@given(loads())
def test_every_register_of_every_lane_in_spirv_names(load: Load) -> None:
    """Every register is right with SPIR-V's names, which cover more shapes than OpenCL's."""
    assume(check(load, "spirv", validate=False) is not None)


@seed(SEED)
@fuzzed(LOADS // 2)
@given(loads((16, 32)))
def test_every_register_of_every_lane_by_the_instruction_itself(load: Load) -> None:
    """Every shape of the instruction, for subgroups of 16 and 32, operands and blocked layouts."""
    assume(check(load, "triton-gen", validate=False) is not None)


@st.composite
def pointer_loads(draw: st.DrawFn, subgroup_sizes: tuple[int, ...] = (16,)) -> PointerLoad:
    load = draw(loads(subgroup_sizes))
    assume(load.x >= 0)
    assume(load.y >= 0)
    kept = draw(st.tuples(*[st.sampled_from((0, 64, 128))] * 2))
    pitch = draw(st.sampled_from((0, 0, 64, 80, 96, 112, 128)))
    return PointerLoad(load, kept, draw(st.booleans()), pitch)


@seed(SEED)
@fuzzed(LOADS // 4)
@given(pointer_loads())
def test_every_register_of_a_masked_load_through_pointers(case: PointerLoad) -> None:
    """Masks enable or disable whole messages, with `other` values for what is disabled."""
    assume(check_pointers(case) is not None)


@seed(SEED)
@fuzzed(LOADS // 4)
@given(pointer_loads((16, 32)))
def test_every_register_of_a_masked_load_by_the_instruction_itself(case: PointerLoad) -> None:
    """For subgroups of 16 and 32, operands and blocked layouts."""
    assume(check_pointers(case, "triton-gen") is not None)


NAMED = [
    Load(shape=(32, 32)),
    Load(operand=1, shape=(32, 64)),
    Load(operand=1, shape=(32, 64), column_major=True),
    Load(operand=0, shape=(64, 32), column_major=True),
    Load("i8", 0, 4, shape=(64, 64), width=128),
    Load("i8", 1, 4, shape=(64, 64), width=128),
    Load("f32", 0, 1, shape=(32, 32)),
    Load("f32", 2, 2, shape=(64, 64)),
    Load("f32", 0, 1, shape=(32, 32), column_major=True),
    Load("f8E5M2", 1, 2, shape=(64, 32), width=80),
    Load(shape=(64, 32), warps=(2, 2), cluster=(2, 1), x=-6, y=20),
    Load(shape=(64, 32), x=6, y=-3, base_words=15),
]


BY_THE_INSTRUCTION = [
    Load("f64", 2, 1, shape=(32, 32), column_major=True),
    Load("i64", shape=(32, 16), blocked=((1, 1), (2, 8)), x=3, base_words=2),
    Load("f64", shape=(16, 16), blocked=((1, 1), (8, 2)), column_major=True, x=-2, y=30, guard=(0, 1)),
    Load("f16", shape=(32, 64), blocked=((1, 4), (2, 8)), warps=(2, 1), width=92),
    Load("f32", shape=(32, 32), blocked=((1, 2), (2, 8)), x=2),
    Load("bf16", shape=(32, 64), blocked=((1, 1), (1, 32)), lanes=32, base_words=3),
    Load("i8", shape=(32, 64), blocked=((1, 1), (1, 32)), lanes=32, x=4),
    Load("i8", 1, 4, shape=(64, 64), width=128, lanes=32, column_major=True),
    Load("f16", 0, 2, shape=(64, 64), warps=(2, 1), cluster=(4, 1), lanes=32),
    Load("i8", shape=(4, 128), blocked=((1, 1), (1, 16)), warps=(1, 2), width=112, x=4),  # half of it unread
    # Lanes exchange registers.
    Load("f8E5M2", 1, 2, shape=(64, 32), column_major=True, width=96, lanes=32, y=-5),
    Load("i8", 1, 2, shape=(32, 64), column_major=True, width=96, lanes=32, warps=(2, 2), cluster=(1, 2), guard=(0, 1)),
]


# The base is aligned down to 64 bytes, and the bytes before the original base are not part of the memory.
LEFT_OF_THE_BASE = [
    (Load(shape=(32, 32), base_words=15, x=-6), "opencl"),  # within a message
    (Load(shape=(32, 32), base_words=15, x=-16), "opencl"),  # between the blocks of one
    (Load(shape=(32, 32), base_words=15, x=-32), "opencl"),  # a message
    (Load(shape=(32, 32), base_words=15, x=-32, known_x=True), "opencl"),
    (Load(shape=(32, 64), base_words=15, x=-32, known_x=True), "spirv"),
    (Load(shape=(32, 32), base_words=15, x=-16, known_x=True), "triton-gen"),
    (Load("i8", 1, 4, shape=(64, 64), width=128, base_words=9, x=-64, known_x=True, column_major=True), "opencl"),
    (Load(shape=(32, 64), warps=(1, 2), base_words=1, x=-64, guard=(0, 1)), "opencl"),
    (Load(operand=1, shape=(32, 64), column_major=True, base_words=5, x=-6), "opencl"),
    (Load("i8", 1, 4, shape=(64, 64), width=128, base_words=9, x=-12), "opencl"),
    (Load("f32", 2, 2, shape=(32, 32), base_words=3, x=-3, planes=Planes(2, first=1)), "opencl"),
    (Load("i64", shape=(32, 16), blocked=((1, 1), (2, 8)), x=-3, base_words=2), "triton-gen"),
    (Load("f32", shape=(32, 64), blocked=((1, 1), (1, 16)), warps=(2, 2), x=-6, base_words=7, known_pitch=True),
     "triton-gen"),
    (Load("i8", shape=(4, 128), blocked=((1, 1), (1, 16)), warps=(1, 2), width=112, x=-16, base_words=15),
     "triton-gen"),
    (Load("f8E5M2", 1, 2, shape=(64, 32), column_major=True, width=96, lanes=32, x=-8, base_words=15), "triton-gen"),
]  # fmt: skip


@pytest.mark.parametrize(("load", "emit"), sampled(LEFT_OF_THE_BASE, 8), ids=repr)
def test_nothing_is_read_left_of_the_base(load: Load, emit: str) -> None:
    assert check(load, emit) is not None


# Rows of one lane, or of neighbouring lanes, are two or more rows apart.
BY_STEPS = [
    (Load("f16", shape=(64, 16), blocked=((1, 1), (1, 16)), warps=(4, 1), height=80), 4),
    (Load("f16", shape=(64, 16), blocked=((1, 1), (1, 16)), warps=(4, 1), height=33, y=-7, base_words=0), 4),
    (Load("f16", shape=(64, 16), blocked=((1, 1), (1, 16)), warps=(4, 1), height=1, y=-2, base_words=3), 4),
    (Load("f16", shape=(64, 16), blocked=((1, 1), (1, 16)), warps=(4, 1), height=2, y=1, guard=(0, 1)), 4),
    (Load("f32", shape=(32, 64), blocked=((1, 1), (1, 16)), warps=(2, 2), x=-6, y=20), 8),
    (Load("i8", 0, 4, shape=(64, 32), column_major=True, width=96, height=40, y=3), 4),
    (Load("i8", 0, 4, shape=(64, 64), column_major=True, warps=(2, 1), cluster=(2, 1), width=96, height=40, y=-5), 8),
]


@pytest.mark.parametrize(("load", "messages"), sampled(BY_STEPS, 6), ids=repr)
def test_rows_that_are_some_apart(load: Load, messages: int) -> None:
    """One message for the whole part of a warp, or one for every first row, whatever lies inside of the memory."""
    known = replace(load, known_pitch=True)
    report = check(known, "triton-gen")
    assert report is not None
    if not load.guard:
        assert report.load_messages == messages, report.by_shape()


@pytest.mark.parametrize("load", sampled(BY_THE_INSTRUCTION, 7), ids=repr)
def test_loads_that_only_the_instruction_has(load: Load) -> None:
    assert check(load, "triton-gen") is not None


@pytest.mark.parametrize("load", sampled(NAMED, 7), ids=repr)
def test_loads_that_must_have_a_plan(load: Load) -> None:
    """The fuzzer accepts loads without a plan; these must have one."""
    assert check(load) is not None


@pytest.mark.parametrize("kept", [(32, 32), (64, 32), (0, 64)])
def test_masked_loads_that_must_have_a_plan(kept: tuple[int, int]) -> None:
    assert check_pointers(PointerLoad(Load(shape=(64, 64), warps=(2, 2), x=4), kept)) is not None


SHORT_ROWS = [
    (Load(shape=(64, 32), base_words=1), "opencl"),
    (Load(operand=1, shape=(32, 32), base_words=15), "opencl"),
    (Load(operand=1, shape=(32, 64), column_major=True, base_words=9), "spirv"),
    (Load("i8", 0, 4, shape=(64, 64), width=128, base_words=5), "triton-gen"),
    (Load("i64", shape=(32, 16), blocked=((1, 1), (2, 8)), base_words=2), "triton-gen"),
    (Load("f8E5M2", 1, 2, shape=(64, 32), column_major=True, width=96, lanes=32, base_words=15), "triton-gen"),
]


SHORT_CASES = [
    (load, emit, guarded, pitch)
    for load, emit in SHORT_ROWS
    for guarded in (False, True)
    for pitch in (64, 80, 96, 112, 128)
]


@pytest.mark.parametrize(("load", "emit", "guarded", "pitch"), sampled(SHORT_CASES, 4), ids=repr)
def test_rows_shorter_than_a_surface_with_an_unaligned_base(load: Load, emit: str, guarded: bool, pitch: int) -> None:
    """Found by this fuzzer: 64 bytes plus the distance of the base from a multiple of 64 are wider than the pitch."""

    def messages(kept: tuple[int, int], pitch: int) -> int:
        report = check_pointers(PointerLoad(load, kept, guarded, pitch), emit)
        assert report is not None
        return sum(count.messages for count in report.select(Kind.BLOCK_READ))

    assert messages((128, 128), pitch) == messages((128, 128), 0) * (1 if pitch >= 124 else 2)
    assert messages((0, 64), pitch) == 0 or not guarded


# A surface that begins before the base and would be wider than its pitch.
DENSE_ROWS = [
    (Load(shape=(32, 32), width=96, spare=0, base_words=15, x=80, y=8), "opencl"),
    (Load(shape=(32, 32), width=32, spare=0, base_words=1, y=-3), "opencl"),  # rows of 64 bytes
    (Load(shape=(32, 32), width=32, spare=0, base_words=1, x=6, y=-3), "opencl"),
    (Load(shape=(32, 32), width=32, spare=0, base_words=1, x=-6), "opencl"),
    (Load(shape=(32, 64), width=32, spare=0, base_words=1, x=-32, known_x=True), "opencl"),  # one message remains
    (Load(shape=(32, 64), warps=(1, 2), width=40, spare=0, base_words=9, guard=(0, 1)), "spirv"),
    (Load(operand=1, shape=(32, 64), width=68, spare=0, base_words=4, y=20), "spirv"),
    (Load(operand=1, shape=(32, 64), column_major=True, width=56, height=40, spare=0, base_words=7, x=4), "opencl"),
    (Load("i8", 1, 4, shape=(64, 64), width=80, spare=16, base_words=9, x=16), "opencl"),
    (Load("f32", 2, 2, shape=(32, 32), width=28, spare=0, base_words=3, planes=Planes(2, first=3, gap=4)), "opencl"),
    (Load("i64", shape=(32, 16), blocked=((1, 1), (2, 8)), width=12, spare=0, base_words=6), "triton-gen"),
    (Load("f16", shape=(32, 64), blocked=((1, 4), (2, 8)), warps=(2, 1), width=60, spare=0, base_words=2),
     "triton-gen"),
    (Load("f8E5M2", 1, 2, shape=(64, 32), column_major=True, width=80, lanes=32, spare=0, base_words=15),
     "triton-gen"),
]  # fmt: skip


@pytest.mark.parametrize(("load", "emit"), sampled(DENSE_ROWS, 4), ids=repr)
def test_rows_that_follow_each_other(load: Load, emit: str) -> None:
    assert check(load, emit) is not None


def test_what_is_cut_off_a_surface_is_read_where_a_message_needs_it() -> None:
    """Row by row, at the end of rows that follow each other without a gap of what the base is moved back by."""

    def messages(x: int, base_words: int, spare: int = 0) -> int:
        report = check(Load(shape=(32, 32), width=160, spare=spare, x=x, base_words=base_words))
        assert report is not None
        return report.load_messages

    assert messages(128, 0) == messages(0, 4) == messages(120, 4) == messages(122, 3, 16) == 1
    assert messages(122, 4) == messages(128, 4) == messages(128, 5, 16) == 1 + 32


GUARDED = Load("f16", 0, shape=(64, 32), warps=(2, 1), cluster=(4, 1), column_major=True, width=96, height=40)


@pytest.mark.parametrize(
    ("place", "sent"),
    sampled(
        [
            ({}, 2 * 2),  # two warps, two messages of 32 rows by 16 columns each
            ({"x": 40}, 2 * 2),  # columns 40 to 103 of 96
            ({"x": 48}, 3),  # columns 96 to 111 are outside
            ({"x": 64}, 2),
            ({"x": 80}, 1),
            ({"x": 96}, 0),
            ({"x": -14}, 2 * 2),
            ({"x": -16}, 3),
            ({"x": -62}, 1),
            ({"x": -64}, 0),
            ({"y": 39}, 2 * 2),
            ({"y": 40}, 0),
            ({"y": -31}, 2 * 2),
            ({"y": -32}, 0),
            ({"y": 40, "x": 48, "guard": (0,)}, 3),  # dim 0 lies along x
            ({"y": 40, "x": 48, "guard": (1,)}, 0),
            ({"y": 40, "x": 96, "guard": ()}, 2 * 2),
        ],
        9,
    ),
)
def test_guards_hold_back_what_lies_outside(place: dict[str, Any], sent: int) -> None:
    """Guards suppress messages that lie outside, and nothing else: every register is right in any case."""
    report = check(replace(GUARDED, **{"guard": (0, 1), **place}))
    assert report.load_messages == sent


@pytest.mark.parametrize(("kept", "sent"), [((32, 32), 1), ((64, 32), 2), ((0, 64), 0), ((64, 64), 4)])
def test_a_mask_holds_back_messages(kept: tuple[int, int], sent: int) -> None:
    """`sent` quarters of the messages are sent if the mask is their guard; otherwise all are, and masked ones read
    zeros."""
    load = Load("i16", 2, shape=(64, 64), warps=(2, 2), cluster=(4, 2))

    def messages(guarded: bool) -> int:
        report = check_pointers(PointerLoad(load, kept, guarded))
        assert report is not None
        return sum(count.messages for count in report.select(Kind.BLOCK_READ))

    assert messages(True) * 4 == messages(False) * sent
    assert messages(False) > 0


def test_warps_that_start_inside_a_word_have_no_plan() -> None:
    """Found by this fuzzer: x counts whole 32-bit words, and the second warp started two bytes into one."""
    assert check(Load("i8", 2, 4, repeat_count=2, warps=(2, 1), column_major=True, height=1)) is None


def test_the_reference_is_not_blind() -> None:
    """Two loads whose register maps differ in one bit give different results, so a wrong bit would be noticed."""
    plain, moved = Load(shape=(32, 32)), Load(shape=(32, 32), cluster=(2, 1))
    surface = make_surface(plain)[1]
    assert not np.array_equal(expected(plain, surface), expected(moved, surface))
