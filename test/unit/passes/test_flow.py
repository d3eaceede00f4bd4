"""Values passed on by loops and branches: `sources` and `targets` agree."""

from xdsl.ir import Use

from dotload.dialect_ext import parse_module
from dotload.passes.ir.flow import sources, targets

TEXT = """
tt.func @kernel(%first: i32, %second: i32, %c: i1) {
  %for = scf.for %i = %first to %second step %first iter_args(%a = %first) -> (i32) : i32 {
    %sum = arith.addi %a, %i : i32
    scf.yield %sum : i32
  }
  %while:2 = scf.while (%b = %first, %d = %c) : (i32, i1) -> (i32, i1) {
    scf.condition(%d) %b, %d : i32, i1
  } do {
  ^bb0(%e: i32, %f: i1):
    scf.yield %second, %f : i32, i1
  }
  %if = scf.if %c -> (i32) {
    scf.yield %for : i32
  } else {
    scf.yield %while#0 : i32
  }
  tt.return
}
"""


def test_sources_and_targets_are_each_others_inverse():
    ops = list(parse_module(TEXT).walk())
    values = [value for op in ops for value in op.results]
    values += [value for op in ops for region in op.regions for block in region.blocks for value in block.args]
    uses = [(value, use) for value in values for use in value.uses]
    forwards = {(value, target) for value, use in uses for target in targets(use)}
    backwards = {(source, value) for value in values for source in sources(value)}
    induction = next(op for op in ops if op.name == "scf.for").regions[0].block.args[0]
    assert backwards - forwards == {(value, induction) for value in sources(induction)}
    assert forwards <= backwards
    assert len(forwards) == 14
    assert targets(Use(next(op for op in ops if op.name == "scf.if"), 0)) == []
