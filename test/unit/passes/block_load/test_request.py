"""Requests to the planner, made from tensor types, and the requests that it rejects."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerType, TensorType, f16, i1

from dotload import dialect_ext
from dotload.layout.block_load import BlockLoadPlan, LayoutReason
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import Emit, find_target
from dotload.passes.block_load.request import Bounds, find_plan

XE2 = find_target("xe2")
DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [2, 2], repCluster = [4, 2]}>"
)


def tensor(text: str) -> TensorType:
    module = dialect_ext.parse_module(f"tt.func @f(%x: {text}) {{ tt.return }}")
    (function,) = module.body.block.ops
    return function.body.block.args[0].type


def reason(type_: TensorType, **options) -> LayoutReason:
    verdict = find_plan(type_, False, XE2, Emit.TRITON_GEN, **options)
    assert isinstance(verdict, Reject)
    return verdict.reason


def test_an_operand_is_planned_in_its_own_channels():
    plan = find_plan(tensor(f"tensor<32x64xf16, #ttg.dot_op<{{opIdx = 1, parent = {DPAS}}}>>"), False, XE2, Emit.OPENCL)
    assert isinstance(plan, BlockLoadPlan)
    assert (plan.request.channel_bits, plan.request.tile_registers) == (32, 16)


def test_one_tile_bounds_what_a_message_brings():
    type_ = tensor(f"tensor<64x32xf16, #ttg.dot_op<{{opIdx = 0, parent = {DPAS}}}>>")
    plan = find_plan(type_, False, XE2, Emit.OPENCL, Bounds(one_tile=True))
    assert isinstance(plan, BlockLoadPlan)
    assert (str(plan.message), plan.messages) == ("16b_8r16x1c", 8)


def test_a_tensor_without_an_encoding():
    assert reason(TensorType(f16, [64, 32])) is LayoutReason.NO_ENCODING


def test_an_encoding_without_a_layout():
    type_ = tensor("tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.shared_memory}>>")
    assert reason(type_) is LayoutReason.ENCODING


@pytest.mark.parametrize("element", [i1, IntegerType(128)])
def test_elements_that_no_message_moves(element):
    shaped = tensor(f"tensor<64x32xf16, #ttg.dot_op<{{opIdx = 0, parent = {DPAS}}}>>")
    assert reason(TensorType(element, shaped.shape, shaped.encoding)) is LayoutReason.ELEMENT_BITS


def test_one_dim():
    assert reason(tensor(f"tensor<64xf16, #ttg.slice<{{dim = 1, parent = {DPAS}}}>>")) is LayoutReason.RANK


def test_a_cluster_of_blocks():
    blocked = "sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [2, 2], order = [1, 0]"
    type_ = tensor(f"tensor<64x32xf16, #ttg.blocked<{{{blocked}, CGALayout = [[1, 0]]}}>>")
    assert reason(type_) is LayoutReason.CLUSTER
