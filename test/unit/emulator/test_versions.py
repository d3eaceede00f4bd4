"""Loads that are block loads under a condition, run on either side of it: the result is numpy's, and the messages tell
which side it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from converted_case import kernel, lowered, pointers
from limits import HANG_SECONDS
from xe_kernels import aligned

from dotload.emulator import Report, run
from dotload.emulator.sites import Kind

pytest.importorskip("triton._C.libtriton")

ROWS, COLUMNS, STEPS = 64, 32, 2


@dataclass(frozen=True)
class Case:
    """A matrix with rows `stride` elements apart, `shift` elements behind an aligned address."""

    stride: int
    shift: int = 0


def ttgir() -> str:
    """The sum of two tiles that follow each other, of memory of which nothing is known but the size of its elements."""
    index, pointer = f"tensor<{ROWS}x{COLUMNS}xi32, #dot_a>", f"tensor<{ROWS}x{COLUMNS}x!tt.ptr<f16>, #dot_a>"
    value, m, k = f"tensor<{ROWS}x{COLUMNS}xf16, #dot_a>", f"{ROWS}x1", f"1x{COLUMNS}"
    rows, columns = (f"#ttg.slice<{{dim = {dim}, parent = #dot_a}}>" for dim in (1, 0))
    body = f"""{pointers("to", "%out", "#dot_a", ROWS, COLUMNS, "f16")}
    %begin = arith.constant 0 : i32
    %end = arith.constant {STEPS * COLUMNS} : i32
    %width = arith.constant {COLUMNS} : i32
    %zero = arith.constant dense<0.0> : {value}
    %step = arith.constant dense<{COLUMNS}> : {index}
    %base = tt.addptr %memory, %shift : !tt.ptr<f16>, i32
    %m = tt.make_range {{end = {ROWS} : i32, start = 0 : i32}} : tensor<{ROWS}xi32, {rows}>
    %k = tt.make_range {{end = {COLUMNS} : i32, start = 0 : i32}} : tensor<{COLUMNS}xi32, {columns}>
    %m2 = tt.expand_dims %m {{axis = 1 : i32}} : tensor<{ROWS}xi32, {rows}> -> tensor<{m}xi32, #dot_a>
    %k2 = tt.expand_dims %k {{axis = 0 : i32}} : tensor<{COLUMNS}xi32, {columns}> -> tensor<{k}xi32, #dot_a>
    %strides = tt.splat %stride : i32 -> tensor<{m}xi32, #dot_a>
    %starts = arith.muli %m2, %strides : tensor<{m}xi32, #dot_a>
    %down = tt.broadcast %starts : tensor<{m}xi32, #dot_a> -> {index}
    %along = tt.broadcast %k2 : tensor<{k}xi32, #dot_a> -> {index}
    %offsets = arith.addi %down, %along : {index}
    %bases = tt.splat %base : !tt.ptr<f16> -> {pointer}
    %first = tt.addptr %bases, %offsets : {pointer}, {index}
    %r:2 = scf.for %i = %begin to %end step %width iter_args(%p = %first, %acc = %zero) -> ({pointer}, {value}) : i32 {{
      %x = tt.load %p : {pointer}
      %sum = arith.addf %acc, %x : {value}
      %next = tt.addptr %p, %step : {pointer}, {index}
      scf.yield %next, %sum : {pointer}, {value}
    }}
    tt.store %to_all, %r#1 : {pointer}"""
    return kernel("%memory: !tt.ptr<f16>, %out: !tt.ptr<f16>, %stride: i32, %shift: i32", body)


@pytest.fixture(scope="module")
def source() -> str:
    return lowered(ttgir(), hints="derive")[0]


def launch(source: str, case: Case) -> Report:
    """Run the kernel and compare its result."""
    memory, width = aligned((ROWS * case.stride + 4096,), np.float16), STEPS * COLUMNS
    memory[:] = np.arange(memory.size) % 61
    out = np.zeros((ROWS, COLUMNS), np.float16)
    arguments = [memory, out, case.stride, case.shift]
    report = run(source, (1,), arguments, 4, 16, kernel="kernel", timeout=HANG_SECONDS)
    m, k = np.meshgrid(np.arange(ROWS), np.arange(width), indexing="ij")
    values = memory[case.shift + m * case.stride + k]
    np.testing.assert_array_equal(out, values.reshape(ROWS, STEPS, COLUMNS).sum(1))
    return report


def block_reads(report: Report) -> int:
    return sum(count.messages for count in report.select(Kind.BLOCK_READ))


BLOCKS = [Case(136), Case(72), Case(136, shift=2), Case(1000, shift=30), Case(72, shift=62)]
GATHERS = [
    *(Case(131), Case(132), Case(140, shift=2)),
    *(Case(136, shift=1), Case(136, shift=3), Case(131, shift=1)),
    *(Case(56), Case(0)),  # rows of less than a surface has, with what is missing to 64 bytes
]


@pytest.mark.parametrize("case", BLOCKS)
def test_where_the_hardware_may(case: Case, source: str) -> None:
    assert block_reads(launch(source, case)) > 0


@pytest.mark.parametrize("case", GATHERS)
def test_where_it_may_not(case: Case, source: str) -> None:
    assert block_reads(launch(source, case)) == 0
