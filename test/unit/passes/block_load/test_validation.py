"""Validation runs the emitted code on names: right code is accepted, and code with one error is rejected."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sampling import sampled
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32

sys.path.append(str(Path(__file__).parents[3]))

from mutants.intel import LOADS, Load, Lowered, lower, run

from dotload.dialect_ext.ttig import BlockLoadFromPtrOp
from dotload.layout.xe_targets import find_target
from dotload.passes.block_load.validation.block_loads import Groups, wrong_registers

FP8_TRANSPOSED_B = LOADS[6]
GUARDED = LOADS[4]


def ops(lowered: Lowered, name: str) -> list:
    return [op for op in lowered.module.walk() if op.name == name]


@pytest.mark.parametrize(("load", "emit"), sampled(LOADS, 9), ids=repr)
def test_what_is_emitted_is_right(load, emit):
    assert lower(load, emit).refusal() is None


def test_mutants_of_it_are_not():
    table, complaints = run(6, seed=5)
    assert not complaints
    assert sum(tally.refused for tally in table.values()) > 4


def test_a_register_of_a_shuffle_that_holds_another_element():
    """One that the plan's proof took for zero, and so for the same."""
    broken = lower(*FP8_TRANSPOSED_B)
    shuffle = ops(broken, "llvm.shufflevector")[0]
    picks = [int(pick) for pick in shuffle.properties["mask"].get_values()]
    shuffle.properties["mask"] = DenseArrayBase.from_list(i32, [*picks[:2], picks[2] ^ 4, *picks[3:]])
    assert "does not hold its element" in str(broken.refusal())


def test_lanes_that_exchange_with_others():
    broken = lower(Load("f8E5M2", 1, 2, shape=(32, 32), column_major=True, lanes=32), "triton-gen")
    assert broken.refusal() is None
    shuffles = [op for op in ops(broken, "llvm.call") if "shuffle_xor" in str(op.properties["callee"])]
    distance = shuffles[0].operands[1].owner
    distance.properties["value"] = IntegerAttr(8, i32)
    assert "does not hold its element" in str(broken.refusal())
    distance.properties["value"] = IntegerAttr(32, i32)
    assert "a shuffle with lanes that are not there" in str(broken.refusal())


def test_a_message_that_the_spelling_does_not_have():
    broken = lower(*FP8_TRANSPOSED_B)
    ops(broken, "triton_gen.2Dblockload")[0].properties["tile_width"] = IntegerAttr(16, i32)
    assert "tile_width for 32 bit elements should be less than or equal to 8 with transpose" in str(broken.refusal())


def test_a_base_that_is_not_aligned():
    broken = lower(*GUARDED)
    constant = next(op for op in ops(broken, "arith.constant") if op.properties["value"].value.data == -64)
    constant.properties["value"] = IntegerAttr(-32, constant.properties["value"].type)
    assert "the base is not a multiple of 64 bytes" in str(broken.refusal())


def test_a_branch_that_holds_back_what_is_inside():
    broken = lower(*GUARDED)
    compare = ops(broken, "arith.cmpi")[1]  # after that of width and pitch
    compare.operands = [compare.operands[1], compare.operands[0]]
    assert "does not hold its element" in str(broken.refusal())


def test_a_message_that_nobody_sent_is_not_looked_at():
    broken = lower(*LOADS[0])
    call = next(op for op in ops(broken, "llvm.call") if "read" in str(op.properties["callee"]))
    call.detach()
    assert broken.refusal() == "a load from memory that no message has filled"


DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [1, 1], repCluster = [1, 1]}>"
)
POINTERS, MASK, VALUES = (f"tensor<16x32x{element}, #a>" for element in ("!tt.ptr<f16>", "i1", "f16"))
THROUGH_POINTERS = f"""
#mma = {DPAS}
#a = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 1}}>
module attributes {{"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io}} {{
  tt.func @f(%p: {POINTERS}, %pitch: i32, %m: {MASK}, %o: {VALUES}) -> {VALUES} {{
    %v = ttig.2d_block_load_from_ptr %p, %pitch, %m, %o {{row_major}}
      {{base_height = 16 : i32, base_width = 32 : i32}} : ({POINTERS}, i32, {MASK}, {VALUES}) -> {VALUES}
    tt.return %v : {VALUES}
  }}
}}
"""


@pytest.mark.parametrize(("change", "problem"), [(None, None), ("arith.select", "does not hold its element")])
def test_a_load_through_pointers(change, problem):
    """`other` values come from elsewhere; without the selects, zeros stay in their place."""
    from dotload import dialect_ext
    from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass

    module, asked = (dialect_ext.parse_module(THROUGH_POINTERS) for _ in range(2))
    Convert2DBlockLoadToLLVMPass(emit="opencl").apply(dialect_ext.context(), module)
    (op,) = (op for op in asked.walk() if isinstance(op, BlockLoadFromPtrOp))
    (function,) = (found for found in module.walk() if found.name == "tt.func")
    op.operands = list(function.regions[0].block.args)
    for select in [found for found in module.walk() if found.name == change]:
        select.results[0].replace_all_uses_with(select.operands[1])
    casts = [found for found in module.walk() if found.name == "builtin.unrealized_conversion_cast"]
    verdict = wrong_registers(op, casts[-1].operands[0], find_target("xe2"), Groups())
    assert verdict is None if problem is None else problem in str(verdict)
