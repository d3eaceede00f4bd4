"""The code emitted by `sink-operand-scales`, run in numpy: without rounding, the kernel computes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dotload.dialect_ext import parse_module
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.sink_operand_scales import SinkOperandScalesPass

TEXT = Path(__file__).parents[2].joinpath("lit/sink_operand_scales/sums.mlir").read_text()
ITERATIONS = 3
Values = dict[SSAValue, np.ndarray]


def run(block: Block, values: Values) -> list[np.ndarray]:
    """The operands of the block's last op, in float64."""
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if op is block.last_op:
            return operands
        for result, number in zip(op.results, results_of(op, operands, values), strict=True):
            values[result] = number
    raise AssertionError("the block has no end")


def results_of(op: Operation, operands: list[np.ndarray], values: Values) -> list[np.ndarray]:
    """The result of an op without rounding."""
    if isinstance(op, scf.ForOp):
        _, _, _, *carried = operands
        for iteration in range(ITERATIONS):
            carried = run(op.body.block, values | dict(zip(op.body.block.args, [iteration, *carried], strict=True)))
        return carried
    shape = getattr(op.results[0].type, "get_shape", tuple)()
    match op.name:
        case "arith.constant":
            constant = op.properties["value"]
            return [np.full(shape, constant.get_values()[0] if shape else constant.value.data, np.float64)]
        case "tt.splat":
            return [np.full(shape, operands[0])]
        case "tt.fp_to_fp" | "arith.truncf" | "arith.extf" | "arith.sitofp":
            return operands
        case "tt.trans":
            return [operands[0].T]
        case "tt.dot":
            return [operands[0] @ operands[1] + operands[2]]
        case "tt.addptr":
            return [operands[0] + operands[1]]
        case "tt.load":
            return [np.sin(operands[0])]
        case "arith.cmpi":
            return [np.bool_(True)]  # the loops run
        case "arith.mulf" | "arith.addf" | "math.exp2":
            named = {"arith.mulf": np.multiply, "arith.addf": np.add, "math.exp2": np.exp2}
            return [named[op.name](*operands)]
        case _:
            raise AssertionError(f"{op.name} is not known here")


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {each.sym_name.data: each for each in of_kind(module.walk(), FuncOp)}


@pytest.mark.parametrize("name", functions(parse_module(TEXT)))
@given(seed=st.integers(0, 1000))
def test_without_roundings_results_are_the_same(name: str, seed: int) -> None:
    before, after = parse_module(TEXT), parse_module(TEXT)
    assert SinkOperandScalesPass().rewrite(after)
    after.verify()
    results = []
    for module in (before, after):
        generator, block = np.random.default_rng(seed), functions(module)[name].body.block
        shapes = [getattr(each.type, "get_shape", tuple)() for each in block.args]
        values = {each: 0.25 * generator.normal(size=shape) for each, shape in zip(block.args, shapes, strict=True)}
        results += run(block, values)
    np.testing.assert_allclose(results[1], results[0], rtol=1e-9, atol=1e-9)
