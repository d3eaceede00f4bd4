"""Transposes of square tiles, which cannot be told by their types."""

import pytest
from xdsl.ir import SSAValue

from dotload.dialect_ext import parse_module
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.analysis.transposes import is_transposed_where

TEXT = """
tt.func @tiles(%p: !tt.ptr<i8>, %q: !tt.ptr<i8>, %x: tensor<16xi32>) {
  %row = tt.expand_dims %x {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %column = tt.expand_dims %x {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rows = tt.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %columns = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<16x16x!tt.ptr<i8>>
  %qs = tt.splat %q : !tt.ptr<i8> -> tensor<16x16x!tt.ptr<i8>>
  %a = tt.addptr %ps, %rows : tensor<16x16x!tt.ptr<i8>>, tensor<16x16xi32>
  %b = tt.addptr %qs, %columns : tensor<16x16x!tt.ptr<i8>>, tensor<16x16xi32>
  %c = tt.addptr %qs, %rows : tensor<16x16x!tt.ptr<i8>>, tensor<16x16xi32>
  tt.return
}
"""
UNLIKE = """
!v = tensor<16xi32>
!p8 = !tt.ptr<i8>
!p16 = !tt.ptr<i16>
!p32 = !tt.ptr<i32>
tt.func @tiles(%p: !tt.ptr<i8>, %f: f32, %g: f32, %m: tensor<16xi1>, %n: tensor<16xi1>, %x: tensor<16xi32>) {
  FIRST
  SECOND
  %row = tt.expand_dims %y {axis = 0 : i32} : tensor<16xTYPE> -> tensor<1x16xTYPE>
  %column = tt.expand_dims %z {axis = 1 : i32} : tensor<16xTYPE> -> tensor<16x1xTYPE>
  %a = tt.broadcast %row : tensor<1x16xTYPE> -> tensor<16x16xTYPE>
  %b = tt.broadcast %column : tensor<16x1xTYPE> -> tensor<16x16xTYPE>
  tt.return
}
"""
"""Tensors of 16 elements, %y and %z, of some type."""


def pair(first: str, second: str, type_: str) -> list[SSAValue]:
    text = UNLIKE.replace("FIRST", first).replace("SECOND", second).replace("TYPE", type_)
    return [op.results[0] for op in parse_module(text).walk() if op.name == "tt.broadcast"]


@pytest.mark.parametrize(
    ("first", "second", "type_", "is_known"),
    [
        ("%y = arith.addi %x, %x : !v", "%z = arith.addi %x, %x : !v", "i32", True),
        ("%y = arith.addi %x, %x : !v", "%z = arith.muli %x, %x : !v", "i32", False),
        (
            "%h = arith.trunci %x : !v to tensor<16xi16> %y = arith.extsi %h : tensor<16xi16> to !v",
            "%k = arith.trunci %x : !v to tensor<16xi8> %z = arith.extsi %k : tensor<16xi8> to !v",
            "i32",
            False,
        ),
        (
            "%y, %h = arith.mului_extended %x, %x : !v",
            "%k, %z = arith.mului_extended %x, %x : !v",
            "i32",
            False,
        ),
        ("%y = tt.splat %f : f32 -> tensor<16xf32>", "%z = tt.splat %g : f32 -> tensor<16xf32>", "f32", False),
        ("%y = arith.andi %m, %m : tensor<16xi1>", "%z = arith.andi %n, %n : tensor<16xi1>", "i1", False),
        (
            "%h = tt.bitcast %p : !p8 -> !p16 %i = tt.bitcast %h : !p16 -> !p16 "
            "%y = tt.splat %i : !p16 -> tensor<16x!p16>",
            "%k = tt.bitcast %p : !p8 -> !p32 %l = tt.bitcast %k : !p32 -> !p16 "
            "%z = tt.splat %l : !p16 -> tensor<16x!p16>",
            "!p16",
            False,
        ),
    ],
)
def test_ops_of_other_types_or_results_make_other_values(first: str, second: str, type_: str, is_known: bool) -> None:
    a, b = pair(first, second, type_)
    assert (is_transposed_where(a, b) is not None) == is_known


def test_square_tiles_are_told_apart_by_the_dims_that_are_added() -> None:
    (function,) = of_kind(parse_module(TEXT).walk(), FuncOp)
    p, q, _ = function.body.block.args
    a, b, c = (op.results[0] for op in function.body.block.ops if op.name == "tt.addptr")
    assert is_transposed_where(a, b) == [(p, q)]
    assert is_transposed_where(a, c) is None
    assert is_transposed_where(a, a) is None


def test_a_block_pointer_is_not_its_own_transpose() -> None:
    (function,) = of_kind(parse_module(TEXT).walk(), FuncOp)
    pointer = function.body.block.args[0]
    assert is_transposed_where(pointer, pointer) is None
    assert is_transposed_where(None, None) == []
    assert is_transposed_where(pointer, None) is None
