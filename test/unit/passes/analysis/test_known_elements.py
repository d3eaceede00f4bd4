"""Elements known at compile time, and the sources of other tensors' elements."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import SSAValue

from dotload import dialect_ext
from dotload.passes.analysis.known_elements import known_elements, origin_of

K = "%k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"


def value_of(body: str, type_: str) -> SSAValue:
    text = f"""tt.func @f(%w: tensor<4x2xi32>, %b: tensor<4x2xi8>, %i: i32) -> {type_} {{
      {body}
      tt.return %r : {type_}
    }}"""
    (end,) = (op for op in dialect_ext.parse_module(text).walk() if op.name == "tt.return")
    return end.operands[0]


def test_shifts_as_kernels_compute_them() -> None:
    body = (
        f"{K}%c = arith.constant dense<8> : tensor<16xi32>\n%m = arith.remsi %k, %c : tensor<16xi32>\n"
        "%s = arith.constant 4 : i32\n%f = tt.splat %s : i32 -> tensor<16xi32>\n"
        "%p = arith.muli %m, %f : tensor<16xi32>\n"
        "%e = tt.expand_dims %p {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n"
        "%r = tt.broadcast %e : tensor<16x1xi32> -> tensor<16x2xi32>"
    )
    found = known_elements(value_of(body, "tensor<16x2xi32>"))
    assert found is not None
    assert np.array_equal(found, np.arange(16)[:, None] % 8 * 4 + np.zeros((1, 2), int))


@pytest.mark.parametrize(
    "body",
    [
        f"{K}%s = tt.splat %i : i32 -> tensor<16xi32>\n%r = arith.muli %k, %s : tensor<16xi32>",
        f"{K}%z = arith.constant dense<0> : tensor<16xi32>\n%r = arith.divsi %k, %z : tensor<16xi32>",
    ],
    ids=["by an argument", "by zero"],
)
def test_not_known(body: str) -> None:
    assert known_elements(value_of(body, "tensor<16xi32>")) is None


def test_each_of_a_join_twice() -> None:
    body = (
        "%j = tt.join %b, %b : tensor<4x2xi8> -> tensor<4x2x2xi8>\n"
        "%t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<4x2x2xi8> -> tensor<4x2x2xi8>\n"
        "%f = tt.reshape %t : tensor<4x2x2xi8> -> tensor<8x2xi8>\n"
        "%r = arith.extui %f : tensor<8x2xi8> to tensor<8x2xi32>"
    )
    origin = origin_of(value_of(body, "tensor<8x2xi32>"))
    assert str(origin.tensor.type) == "tensor<4x2xi8>"
    assert np.array_equal(origin.places, np.repeat(np.arange(8).reshape(4, 2), 2, axis=0))


def test_each_of_a_broadcast_eight_times() -> None:
    body = (
        "%e = tt.expand_dims %w {axis = 1 : i32} : tensor<4x2xi32> -> tensor<4x1x2xi32>\n"
        "%y = tt.broadcast %e : tensor<4x1x2xi32> -> tensor<4x8x2xi32>\n"
        "%r = tt.reshape %y : tensor<4x8x2xi32> -> tensor<32x2xi32>"
    )
    places = origin_of(value_of(body, "tensor<32x2xi32>")).places
    assert np.array_equal(places, np.repeat(np.arange(8).reshape(4, 2), 8, axis=0))


def test_what_is_computed_or_reordered_is_its_own_origin() -> None:
    for body in (
        "%r = arith.addi %w, %w : tensor<4x2xi32>",
        "%x = tt.reshape %w allow_reorder : tensor<4x2xi32> -> tensor<8xi32>\n"
        "%r = tt.reshape %x : tensor<8xi32> -> tensor<4x2xi32>",
    ):
        value = value_of(body, "tensor<4x2xi32>")
        origin = origin_of(value)
        assert "tt.func" not in str(origin.tensor.owner)
        assert np.array_equal(origin.places, np.arange(8).reshape(4, 2))


def test_halves_of_a_cast() -> None:
    """A cast exchanges the dims here: a register holds element [k, n] of the source, and [n, k] of the result."""
    others = "[0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = []}>"
    columns = f"#ttg.linear<{{register = [[1, 0], [2, 0]], lane = [[0, 1], {others}"
    rows = f"#ttg.linear<{{register = [[0, 1], [0, 2]], lane = [[1, 0], {others}"
    body = (
        "%k = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n"
        f"%s = tt.reshape %k : tensor<8xi32> -> tensor<4x2xi32, {columns}>\n"
        f"%c = builtin.unrealized_conversion_cast %s : tensor<4x2xi32, {columns}> to tensor<2x4xi32, {rows}>\n"
        f"%h = tt.reshape %c : tensor<2x4xi32, {rows}> -> tensor<2x2x2xi32>\n"
        "%x, %r = tt.split %h : tensor<2x2x2xi32> -> tensor<2x2xi32>"
    )
    value = value_of(body, "tensor<2x2xi32>")
    found = known_elements(value)
    assert found is not None
    assert found.tolist() == [[2, 6], [3, 7]]
    assert np.array_equal(found, origin_of(value).places)
