"""Intervals of integers: each op by an example, and random chains of ops against numpy's values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import SSAValue

from dotload import dialect_ext
from dotload.passes.analysis.intervals import Interval, interval_of, unsigned_interval_of

ALL = Interval.of_bits(32, is_signed=True)


def value_of(body: str) -> SSAValue:
    text = f"""tt.func @f(%a: tensor<8xi32>, %b: tensor<8xi8>, %c: tensor<8xi32>) -> tensor<8xi32> {{
      %m = arith.constant dense<15> : tensor<8xi32>
      %e = arith.constant dense<8> : tensor<8xi32>
      %four = arith.constant dense<4> : tensor<8xi32>
      {body}
      tt.return %r : tensor<8xi32>
    }}"""
    (end,) = (op for op in dialect_ext.parse_module(text).walk() if op.name == "tt.return")
    return end.operands[0]


WIDE = "%x = arith.extui %b : tensor<8xi8> to tensor<8xi32>\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%r = arith.andi %a, %m : tensor<8xi32>", Interval(0, 15)),
        ("%r = arith.andi %m, %a : tensor<8xi32>", Interval(0, 15)),
        ("%r = arith.ori %a, %m : tensor<8xi32>", ALL),
        ("%x = arith.andi %a, %m : tensor<8xi32>\n%r = arith.subi %x, %e : tensor<8xi32>", Interval(-8, 7)),
        ("%x = arith.andi %a, %m : tensor<8xi32>\n%r = arith.addi %x, %e : tensor<8xi32>", Interval(8, 23)),
        ("%r = arith.subi %a, %e : tensor<8xi32>", ALL),
        ("%r = arith.extui %b : tensor<8xi8> to tensor<8xi32>", Interval(0, 255)),
        ("%r = arith.extsi %b : tensor<8xi8> to tensor<8xi32>", Interval(-128, 127)),
        (f"{WIDE}%r = arith.shrui %x, %four : tensor<8xi32>", Interval(0, 15)),
        (f"{WIDE}%r = arith.shrui %x, %c : tensor<8xi32>", ALL),
        ("%r = arith.shrui %a, %four : tensor<8xi32>", Interval(0, (1 << 28) - 1)),
        ("%r = arith.shrsi %a, %four : tensor<8xi32>", ALL),
    ],
)  # fmt: skip
def test_an_op(body: str, expected: Interval) -> None:
    assert interval_of(value_of(body)) == expected


def test_unsigned() -> None:
    value = value_of("%r = arith.addi %a, %c : tensor<8xi32>")
    assert unsigned_interval_of(value) == Interval(0, 2**32 - 1)
    assert unsigned_interval_of(value_of("%r = arith.andi %a, %m : tensor<8xi32>")) == Interval(0, 15)


OPS = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.andi": np.bitwise_and,
    "arith.shrsi": lambda a, b: a >> (b & 31),
    "arith.shrui": lambda a, b: (a.view(np.uint32) >> (b & 31).view(np.uint32)).view(np.int32),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(OPS)), st.integers(0, 31), st.booleans()), max_size=5), st.data())
def test_what_is_computed_is_in_the_interval(steps: list[tuple[str, int, bool]], data: st.DataObject) -> None:
    """Shifts are by less than 32, since an op's result is undefined otherwise."""
    inputs = np.array(data.draw(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=8, max_size=8)), np.int32)
    lines, name, found = [], "%a", inputs
    for number, (op, constant, is_first) in enumerate(steps):
        is_shift = "shr" in op
        lines.append(f"%k{number} = arith.constant dense<{constant}> : tensor<8xi32>")
        pair = (f"%k{number}", name) if is_first and not is_shift else (name, f"%k{number}")
        lines.append(f"%x{number} = {op} {', '.join(pair)} : tensor<8xi32>")
        operand = np.full(8, constant, np.int32)
        found = OPS[op](operand, found) if is_first and not is_shift else OPS[op](found, operand)
        name = f"%x{number}"
    lines.append(f"%z = arith.constant dense<0> : tensor<8xi32>\n%r = arith.addi {name}, %z : tensor<8xi32>")
    interval = interval_of(value_of("\n".join(lines)))
    assert interval.low <= found.min()
    assert found.max() <= interval.high
