"""Which values are known to be nonnegative, on functions of one result."""

from __future__ import annotations

import pytest

from dotload import dialect_ext
from dotload.passes.analysis.signs import is_nonnegative

NOT_NEGATIVE = {
    "a constant": "%r = arith.constant 0 : i32",
    "a product": "%p = tt.get_program_id x : i32\n%c = arith.constant 3 : i32\n%r = arith.muli %p, %c : i32",
    "the larger": "%c = arith.constant 0 : i32\n%r = arith.maxsi %a, %c : i32",
    "low bits": "%c = arith.constant 31 : i32\n%r = arith.andi %a, %c : i32",
    "an index of 64 bits": "%w = arith.extui %small : i16 to i64\n%r = arith.trunci %w : i64 to i32",
    "widened": "%r = arith.extui %small : i16 to i32",
    "a rest": "%p = tt.get_program_id y : i32\n%n = tt.get_num_programs x : i32\n%r = arith.remsi %p, %n : i32",
    "a rest by any number": "%p = tt.get_program_id y : i32\n%r = arith.remsi %p, %a : i32",
    "chosen": "%c = arith.constant 1 : i32\n%p = tt.get_program_id x : i32\n%r = arith.select %b, %c, %p : i32",
    "carried": """%c = arith.constant 0 : i32
      %s = arith.constant 8 : i32
      %r = scf.for %i = %c to %a step %s iter_args(%x = %c) -> (i32) : i32 {
        %y = arith.addi %x, %i : i32
        scf.yield %y : i32
      }""",
}
MAYBE_NEGATIVE = {
    "a constant": "%r = arith.constant -1 : i32",
    "an argument": "%c = arith.constant 1 : i32\n%r = arith.muli %a, %c : i32",
    "a difference": "%p = tt.get_program_id x : i32\n%c = arith.constant 3 : i32\n%r = arith.subi %p, %c : i32",
    "low bits": "%p = tt.get_program_id x : i32\n%s = arith.trunci %p : i32 to i8\n%r = arith.extsi %s : i8 to i32",
    "a quotient by any number": "%p = tt.get_program_id x : i32\n%r = arith.divsi %p, %a : i32",
    "a sum of small numbers": """%c = arith.constant 100 : i8
      %s = arith.addi %c, %c : i8
      %r = arith.extsi %s : i8 to i32""",
    "the larger of unknown ones": "%c = arith.constant -1 : i32\n%r = arith.maxsi %a, %c : i32",
    "chosen": "%c = arith.constant 1 : i32\n%r = arith.select %b, %c, %a : i32",
    "carried": """%c = arith.constant 0 : i32
      %s = arith.constant 8 : i32
      %m = arith.constant -8 : i32
      %r = scf.for %i = %c to %a step %s iter_args(%x = %c) -> (i32) : i32 {
        %y = arith.addi %x, %m : i32
        scf.yield %y : i32
      }""",
    "counted from below": """%c = arith.constant 0 : i32
      %s = arith.constant 8 : i32
      %r = scf.for %i = %a to %c step %s iter_args(%x = %c) -> (i32) : i32 {
        scf.yield %i : i32
      }""",
}


def result_of(body: str, *, trusts_counts: bool = False) -> bool:
    text = f"tt.func @f(%a: i32, %b: i1, %small: i16, %z: !tt.ptr<i32>) -> i32 {{\n{body}\ntt.return %r : i32\n}}"
    (end,) = (op for op in dialect_ext.parse_module(text).walk() if op.name == "tt.return")
    return is_nonnegative(end.operands[0], trusts_counts=trusts_counts)


@pytest.mark.parametrize("body", NOT_NEGATIVE.values(), ids=NOT_NEGATIVE.keys())
def test_not_negative(body: str) -> None:
    assert result_of(body)


@pytest.mark.parametrize("body", MAYBE_NEGATIVE.values(), ids=MAYBE_NEGATIVE.keys())
def test_maybe_negative(body: str) -> None:
    assert not result_of(body)


@pytest.mark.parametrize(
    ("quotient", "is_trusted"),
    [
        ("%q = arith.divsi %p, %a : i32", True),
        ("%c = arith.constant 127 : i32\n%s = arith.addi %a, %c : i32\n%q = arith.divsi %p, %s : i32", True),
        (
            "%c = arith.constant 8 : i32\n%s = arith.subi %a, %p : i32\n%t = arith.minsi %s, %c : i32\n"
            "%q = arith.divsi %p, %t : i32",
            True,
        ),
        ("%q = arith.divsi %a, %p : i32", False),
        ("%c = arith.constant -2 : i32\n%q = arith.divsi %p, %c : i32", False),
        ("%c = arith.constant 0 : i32\n%s = arith.subi %c, %a : i32\n%q = arith.divsi %p, %s : i32", False),
        ("%c = arith.constant -5 : i32\n%s = arith.addi %a, %c : i32\n%q = arith.divsi %p, %s : i32", False),
        ("%c = arith.constant -1 : i32\n%s = arith.muli %a, %c : i32\n%q = arith.divsi %p, %s : i32", False),
        ("%s = tt.load %z : !tt.ptr<i32>\n%q = arith.divsi %p, %s : i32", False),
    ],
)
def test_a_number_of_tiles(quotient: str, is_trusted: bool) -> None:
    """A program id is divided by a number of tiles, which may be trusted to be positive, or by another number."""
    body = f"%p = tt.get_program_id x : i32\n{quotient}\n%c3 = arith.constant 64 : i32\n%r = arith.muli %q, %c3 : i32"
    assert result_of(body, trusts_counts=True) == is_trusted
    assert not result_of(body)
