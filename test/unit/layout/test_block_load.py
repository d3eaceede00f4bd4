"""Plans for 2D block loads: the document's examples, the operands of every type, and broken plans."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import sampled

from dotload.layout.block_load import (
    BlockLoadPlan,
    LayoutReason,
    LoadRequest,
    permuted,
    plan_block_load,
    prove,
)
from dotload.layout.block_message import Message, Mode
from dotload.layout.encodings import Blocked, Dpas
from dotload.layout.lane_exchange import Exchange, find_exchange
from dotload.layout.linear import LinearLayout
from dotload.layout.reject import Reject
from dotload.layout.xe_targets import TARGETS, Emit, find_target

XE2 = find_target("xe2")
GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))
SHAPES = {"A": (256, 32), "B": (32, 256)}


def request(dpas: Dpas, operand: str, shape: tuple[int, int], bits: int, *, column_major: bool = False) -> LoadRequest:
    """The request of the passes for this operand of tt.dot."""
    rows, columns = dpas.instruction_shape(operand)
    packs = bits * dpas.ops_per_channel == 32
    channel = (16 if operand == "A" and dpas.ops_per_channel > 1 else 32) if packs else bits
    row_dim, column_dim = ("dim1", "dim0") if column_major else ("dim0", "dim1")
    layout = dpas.operand_layout(operand, shape)
    return LoadRequest(layout, bits, row_dim, column_dim, rows * columns // dpas.threads_per_warp, channel)


def planned(wanted: LoadRequest, emit: Emit = Emit.OPENCL) -> BlockLoadPlan:
    plan = plan_block_load(wanted, XE2.messages(emit, wanted.subgroup_size))
    assert isinstance(plan, BlockLoadPlan), plan
    return plan


def gemm_plan(operand: str, *, column_major: bool = False) -> BlockLoadPlan:
    return planned(request(GEMM, operand, SHAPES[operand], 16, column_major=column_major))


# The elements that each lane of each warp receives, computed from the definition of the messages. This shares no code
# with the plan's own layouts.


def payload_place(message: Message, packed: int, subgroup_size: int, lane: int, register: int) -> tuple[int, int]:
    """(row, column) of a tensor element in a lane's vector, by arithmetic on byte offsets."""
    result_elements = message.result_bits(subgroup_size) // (message.element_bits // packed)
    vector_element, sub = divmod(register, result_elements)
    flat = (vector_element * subgroup_size + lane) * result_elements + sub  # in tensor elements
    offset, within = divmod(flat, packed)  # in message elements
    if message.mode is Mode.TRANSPOSE:
        column, row = divmod(offset, message.rows)
        return row, column * packed + within
    block, inside = divmod(offset, message.rows * message.columns)
    channel_rows = 32 // message.element_bits if message.mode is Mode.TRANSFORM else 1
    group, rest = divmod(inside, message.columns * channel_rows)
    column, low_row = divmod(rest, channel_rows)
    return group * channel_rows + low_row, (block * message.columns + column) * packed + within


def before_exchange(plan: BlockLoadPlan, lane: int, register: int) -> tuple[int, int]:
    """The lane that a register comes from, and its number there: kept if both bits agree, else the other lane's."""
    if plan.exchange is None:
        return lane, register
    i, j = 1 << plan.exchange.lane, 1 << plan.exchange.register
    if bool(lane & i) == bool(register & j):
        return lane, register
    return lane ^ i, register ^ j


def check_every_element(plan: BlockLoadPlan) -> None:
    """Compare every register of every lane and warp with the encoding."""
    wanted = plan.request
    encoding = wanted.encoding
    registers, lanes, warps = (encoding.in_sizes[name] for name in ("register", "lane", "warp"))
    row_axis, column_axis = wanted.axes
    warp_zero = {"register": 0, "lane": 0, "block": 0}
    for warp in range(0, warps, max(1, warps // 4)):
        warp_at = list(encoding.apply({**warp_zero, "warp": warp}).values())
        for register in range(registers):
            source = plan.shuffle.apply({"register": register})
            start = [0] * len(encoding.out_dims)
            for bit, basis in enumerate(plan.starts):
                if source["load"] >> bit & 1:
                    start = [a + b for a, b in zip(start, basis, strict=True)]
            for lane in range(lanes):
                sender, sent = before_exchange(plan, lane, source["register"])
                row, column = payload_place(plan.message, plan.packed, lanes, sender, sent)
                place = [a + b for a, b in zip(start, warp_at, strict=True)]
                place[row_axis] += row
                place[column_axis] += column
                expected = encoding.apply({"register": register, "lane": lane, "warp": warp, "block": 0})
                assert place == list(expected.values()), (register, lane, warp)


TILE_8X16 = """\
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (0, 8)
   offset=16 -> (1, 0)
   offset=32 -> (2, 0)
   offset=64 -> (4, 0)
"""
TILE_16X8 = """\
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (1, 0)
   offset=16 -> (2, 0)
   offset=32 -> (4, 0)
   offset=64 -> (8, 0)
"""


class TestDocumentExamples:
    """The listings of Intel's BLOCK_LOADS_LAYOUT.md for A [1024, 5120] x B [5120, 4096]."""

    def test_a(self):
        plan = gemm_plan("A")
        assert (str(plan.message), plan.messages) == ("16b_32r16x2c", 1)
        iterations = TILE_8X16 + " - iteration=1 -> (8, 0)\n   iteration=2 -> (16, 0)\n   iteration=4 -> (0, 16)\n"
        size = "where out dims are: [dim0 (size 32), dim1 (size 32)]"
        assert str(plan.tile_layout) == TILE_8X16 + "where out dims are: [dim0 (size 8), dim1 (size 16)]"
        assert str(plan.iteration_layout) == iterations + size
        assert str(plan.load_layout) == iterations + " - load is a size 1 dimension\n" + size

    def test_b(self):
        # The document lists A's iterations in this place; its own next listing has B's, in packed rows (K / 2). Its
        # load at (128, 0) is along N, the second dim.
        plan = gemm_plan("B")
        assert (str(plan.message), plan.messages) == ("transform 16b_32r16x2c", 2)
        iterations = TILE_8X16 + " - iteration=1 -> (0, 16)\n   iteration=2 -> (8, 0)\n"
        assert str(plan.tile_layout) == TILE_8X16 + "where out dims are: [dim0 (size 8), dim1 (size 16)]"
        assert str(plan.iteration_layout) == iterations + "where out dims are: [dim0 (size 16), dim1 (size 32)]"
        loads = iterations + " - load=1 -> (0, 128)\nwhere out dims are: [dim0 (size 16), dim1 (size 256)]"
        assert str(plan.load_layout) == loads

    def test_transposed_b(self):
        # Counted in 32-bit slots throughout: the document's load=1 -> (0, 16) counts 16-bit elements.
        plan = gemm_plan("B", column_major=True)
        assert (str(plan.message), plan.messages) == ("transpose 32b_32r8x1c", 4)
        iterations = TILE_16X8 + " - iteration=1 -> (16, 0)\n"
        assert str(plan.tile_layout) == TILE_16X8 + "where out dims are: [dim0 (size 16), dim1 (size 8)]"
        assert str(plan.iteration_layout) == iterations + "where out dims are: [dim0 (size 32), dim1 (size 8)]"
        loads = iterations + " - load=1 -> (0, 8)\n   load=2 -> (128, 0)\n"
        assert str(plan.load_layout) == loads + "where out dims are: [dim0 (size 256), dim1 (size 16)]"

    def test_points_of_a(self):
        # "0, 127 : 7, 15", "3, 127 : 31, 15", "4, 0 : 0, 16", "7, 127 : 31, 31"
        layout = gemm_plan("A").iteration_layout
        points = {(0, 127): (7, 15), (3, 127): (31, 15), (4, 0): (0, 16), (7, 127): (31, 31)}
        for (iteration, offset), place in points.items():
            assert tuple(layout.apply({"iteration": iteration, "offset": offset}).values()) == place

    def test_points_of_b(self):
        # "0, 1, 127 : 7, 31", "0, 2, 0 : 8, 0", and of the second load "1, 3, 127 : 143, 31" with the stride along N
        layout = gemm_plan("B").load_layout
        points = {(0, 1, 127): (7, 31), (0, 2, 0): (8, 0), (1, 3, 127): (15, 159)}
        for (load, iteration, offset), place in points.items():
            assert tuple(layout.apply({"load": load, "iteration": iteration, "offset": offset}).values()) == place

    def test_b_covers_the_block_of_one_warp_only(self):
        assert not gemm_plan("B").load_layout.is_surjective


OPERANDS = [
    (bits, opc, operand, column_major, rep, warps)
    for (bits, opc), operand, column_major, rep, warps in product(
        [(16, 2), (8, 4), (8, 2), (32, 1)], "AB", (False, True), [(1, 1), (4, 1), (4, 2), (2, 2)], [(8, 4), (2, 2)]
    )
]


@pytest.mark.parametrize(("bits", "opc", "operand", "column_major", "rep", "warps"), sampled(OPERANDS, 24))
def test_every_element_arrives(bits, opc, operand, column_major, rep, warps):
    dpas = Dpas(8, 8, 16, opc, 16, warps, rep)
    k = 2 * 8 * opc
    shape = (128, k) if operand == "A" else (k, 128)
    wanted = request(dpas, operand, shape, bits, column_major=column_major)
    plan = plan_block_load(wanted, XE2.messages(Emit.TRITON_GEN, 16))
    if isinstance(plan, Reject):
        # A^T with four elements a channel: a lane's first two elements are neighbours along K, apart in memory.
        assert (operand, column_major, opc) == ("A", True, 4)
        assert plan.reason is LayoutReason.NO_FORM
    else:
        check_every_element(plan)


@pytest.mark.parametrize("operand", "AB")
def test_subgroup_of_32(operand):
    dpas = Dpas(8, 8, 16, 2, 32, (4, 2), (4, 2))
    shape = (128, 32) if operand == "A" else (32, 128)
    check_every_element(planned(request(dpas, operand, shape, 16), Emit.TRITON_GEN))


def test_opencl_has_no_message_for_a_subgroup_of_32():
    wanted = request(Dpas(8, 8, 16, 2, 32, (4, 2), (4, 2)), "A", (128, 32), 16)
    plan = plan_block_load(wanted, XE2.messages(Emit.OPENCL, 32))
    assert isinstance(plan, Reject)
    assert plan.reason is LayoutReason.SUBGROUP_SIZE


def test_a_blocked_layout_with_a_row_of_lanes_is_served():
    layout = Blocked((1, 2), (1, 16), (4, 1), (1, 0)).to_linear_layout((32, 64))
    plan = planned(LoadRequest(layout, 16, "dim0", "dim1"), Emit.TRITON_GEN)
    assert plan.message.element_bits == 32
    check_every_element(plan)


def test_lanes_with_wide_vectors_are_not_served():
    layout = Blocked((1, 8), (4, 4), (4, 1), (1, 0)).to_linear_layout((64, 32))
    plan = plan_block_load(LoadRequest(layout, 16, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, Reject)
    assert plan.reason is LayoutReason.NO_FORM


def test_lanes_with_copies_are_not_served():
    layout = Blocked((1, 1), (1, 16), (4, 1), (1, 0)).to_linear_layout((64, 8))
    plan = plan_block_load(LoadRequest(layout, 16, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, Reject)
    assert plan.reason is LayoutReason.LANE_COPIES


BY_ROWS, BY_COLUMNS = False, True
# Lanes of one warp as rows x columns, adjacent elements of a lane, bits; the message, and the number of messages.
WIDE = [
    ((2, 8), 1, 64, 16, BY_ROWS, "64b_32r8x1c", 1),
    ((4, 4), 1, 64, 16, BY_ROWS, "64b_32r4x1c", 1),
    ((2, 8), 4, 16, 16, BY_ROWS, "64b_32r8x1c", 1),
    ((2, 8), 2, 32, 16, BY_ROWS, "64b_32r8x1c", 1),
    ((8, 2), 1, 64, 16, BY_COLUMNS, "transpose 64b_8r2x1c", 4),
    ((4, 8), 1, 64, 32, BY_ROWS, "64b_32r8x1c", 1),
    ((1, 32), 1, 16, 32, BY_ROWS, "16b_32r32x1c", 1),
    ((1, 32), 1, 8, 32, BY_ROWS, "8b_32r32x1c", 1),
    ((1, 32), 2, 8, 32, BY_ROWS, "16b_32r32x1c", 1),
]


@pytest.mark.parametrize(("lanes", "each", "bits", "size", "column_major", "message", "messages"), WIDE)
def test_wide_elements_and_wide_rows(lanes, each, bits, size, column_major, message, messages):
    order = (0, 1) if column_major else (1, 0)
    per_thread = (1, each)
    shape = (32, lanes[1] * each)
    layout = Blocked(per_thread, lanes, (1, 1), order).to_linear_layout(shape)
    plan = plan_block_load(LoadRequest(layout, bits, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, size))
    assert isinstance(plan, BlockLoadPlan)
    assert (str(plan.message), plan.messages) == (message, messages)
    check_every_element(plan)


def test_64_bit_elements_of_a_row_of_lanes_by_columns():
    """64-bit elements are loaded as two words each, which a transposing message of 32-bit elements leaves in one
    lane."""
    layout = Dpas(8, 8, 16, 1, 16, (1, 1), (1, 1)).operand_layout("C", (8, 16))
    plan = plan_block_load(LoadRequest(layout, 64, "dim1", "dim0"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, BlockLoadPlan)
    assert (str(plan.message), plan.messages, plan.request.words) == ("transpose 32b_16r8x1c", 2, 2)
    check_every_element(plan)


def test_a_row_of_64_bit_elements_is_too_wide():
    layout = GEMM.operand_layout("C", (256, 256))
    plan = plan_block_load(LoadRequest(layout, 64, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, Reject)
    assert plan.reason is LayoutReason.NO_FORM


def test_what_no_warp_can_hold_is_refused_at_once():
    layout = GEMM.operand_layout("A", (1 << 16, 1 << 16))
    plan = plan_block_load(LoadRequest(layout, 16, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, Reject)
    assert plan.reason is LayoutReason.TOO_LARGE


@pytest.mark.parametrize(("warps", "refused"), [(128, False), (256, True)])
def test_more_warps_than_a_work_group_has_are_refused_at_once(warps: int, refused: bool):
    layout = Dpas(8, 8, 16, 2, 16, (1, warps), (1, 1)).operand_layout("A", (64, 32))
    plan = plan_block_load(LoadRequest(layout, 16, "dim0", "dim1"), XE2.messages(Emit.TRITON_GEN, 16))
    assert isinstance(plan, Reject) == refused
    assert not refused or plan.reason is LayoutReason.TOO_MANY_WARPS


class TestBounds:
    """A mask that changes every so many rows or columns bounds the size of messages."""

    @pytest.mark.parametrize(("limit", "messages"), [(32, 1), (16, 2), (8, 4)])
    def test_rows(self, limit, messages):
        plan = planned(replace(request(GEMM, "A", (256, 32), 16), max_rows=limit))
        assert (plan.messages, plan.message.rows) == (messages, limit)
        check_every_element(plan)

    def test_columns(self):
        plan = planned(replace(request(GEMM, "A", (256, 32), 16), max_columns=16))
        assert (plan.messages, plan.message.blocks) == (2, 1)

    def test_exact(self):
        # OpenCL reads 16 columns of bytes only in groups of four blocks: half of the data is unused.
        wanted = replace(request(Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2)), "A", (256, 32), 8), max_columns=32, max_rows=8)
        plan = planned(wanted)
        assert (str(plan.message), plan.messages) == ("8b_8r16x4c", 4)
        check_every_element(plan)
        exact = plan_block_load(replace(wanted, exact=True), XE2.messages(Emit.OPENCL, 16))
        assert isinstance(exact, Reject)
        assert exact.reason is LayoutReason.NO_FORM

    def test_more_messages_rather_than_more_bytes(self):
        # Warps alternate every 16 columns of B: messages of 64 columns would be half as many, but half unused.
        plan = planned(request(Dpas(8, 8, 16, 4, 16, (4, 2), (1, 1)), "B", (64, 64), 8))
        assert (str(plan.message), plan.messages, plan.waste) == ("transform 8b_32r16x1c", 4, 1)
        check_every_element(plan)

    def test_waste(self):
        # 8 columns of column-major A are 4 pairs; OpenCL's smallest message transposes 8.
        wanted = request(Dpas(8, 8, 16, 2, 16, (4, 2), (1, 1)), "A", (32, 32), 16, column_major=True)
        assert (str(planned(wanted).message), planned(wanted).waste) == ("transpose 32b_32r8x1c", 2)
        assert planned(wanted, Emit.SPIRV) == planned(wanted)
        assert planned(wanted, Emit.TRITON_GEN).waste == 1

    def test_one_matrix_per_load(self):
        wanted = request(GEMM, "B", (32, 256), 16, column_major=True)
        plan = planned(replace(wanted, max_registers=wanted.tile_registers))
        assert (str(plan.message), plan.messages) == ("transpose 32b_16r8x1c", 8)
        assert plan.shuffle_cost.strided == 0


class TestSpareBytes:
    """Fewer messages of wider rows, partly unread, if that reads half as many cache lines."""

    # Four rows per warp; along a row, warps alternate every 16 bytes.
    TURNS = LoadRequest(Blocked((1, 1), (1, 16), (1, 2), (1, 0)).to_linear_layout((4, 128)), 8, "dim0", "dim1")

    @staticmethod
    def plan(wanted: LoadRequest) -> BlockLoadPlan:
        plan = planned(wanted, Emit.TRITON_GEN)
        check_every_element(plan)
        return plan

    def test_two_parts_of_a_warp_in_one_row(self):
        plan = self.plan(replace(self.TURNS, spare_bytes=256))
        assert (str(plan.message), plan.messages, plan.rows, plan.waste) == ("8b_4r16x4c", 2, 8, 2)

    def test_no_room_for_what_is_unread(self):
        plan = self.plan(replace(self.TURNS, spare_bytes=255))
        assert (str(plan.message), plan.messages, plan.rows, plan.waste) == ("8b_4r16x1c", 4, 16, 1)

    def test_what_lies_between_may_not_be_memory(self):
        assert self.plan(replace(self.TURNS, spare_bytes=256, exact=True)).waste == 1

    def test_rows_that_nobody_wants_save_no_lines(self):
        """Warps take turns by rows: one message of all rows would read as many lines as the two read together."""
        layout = Blocked((1, 1), (1, 16), (2, 1), (1, 0)).to_linear_layout((4, 16))
        plan = self.plan(LoadRequest(layout, 32, "dim0", "dim1", spare_bytes=1 << 20))
        assert (str(plan.message), plan.messages, plan.waste) == ("32b_1r16x1c", 2, 1)

    @settings(max_examples=40, deadline=None)
    @given(
        st.sampled_from((8, 16, 32)),
        st.sampled_from(((1, 16), (2, 8), (4, 4), (16, 1), (8, 2))),
        st.sampled_from(((1, 2), (1, 4), (2, 2), (2, 1))),
        st.sampled_from((64, 512, 1024, 4096)),
        st.booleans(),
    )
    def test_less_of_lines_and_no_more_of_bytes_than_allowed(self, bits, lanes, warps, spare, column_major):
        layout = Blocked((1, 1), lanes, warps, (1, 0)).to_linear_layout((32, 64))
        row, column = ("dim1", "dim0") if column_major else ("dim0", "dim1")
        wanted = LoadRequest(layout, bits, row, column)
        messages = XE2.messages(Emit.TRITON_GEN, 16)
        tight, plan = (plan_block_load(replace(wanted, spare_bytes=each), messages) for each in (0, spare))
        if isinstance(tight, Reject):
            assert isinstance(plan, Reject)
            assert plan.message == tight.message
            return
        assert isinstance(plan, BlockLoadPlan)
        check_every_element(plan)
        if plan.message != tight.message:
            assert plan.messages < tight.messages
            assert 2 * plan.messages * plan.message.rows <= tight.messages * tight.message.rows
            bytes_ = [each.messages * each.message.payload_bits // 8 for each in (tight, plan)]
            assert bytes_[1] <= bytes_[0] + spare


class TestExchange:
    """Lanes exchange registers if a message has a bit in the register that DPAS wants in the lane."""

    @staticmethod
    def transposed_b(lanes: int, warps: tuple[int, int] = (2, 2)) -> LoadRequest:
        return request(Dpas(8, 8, 16, 2, lanes, warps, (1, 2)), "B", (32, 64), 8, column_major=True)

    def test_8_bit_b_by_columns_for_32_lanes(self):
        plan = planned(self.transposed_b(32), Emit.TRITON_GEN)
        assert plan.message.mode is Mode.TRANSPOSE
        assert plan.exchange == Exchange(lane=4, register=1)
        check_every_element(plan)
        assert plan.describe().startswith("Lanes 16 apart exchange registers 2 apart.")

    def test_none_where_a_message_deals_as_is_wanted(self):
        assert planned(self.transposed_b(16), Emit.TRITON_GEN).exchange is None

    def test_not_for_what_may_be_gathered_as_well(self):
        plan = plan_block_load(replace(self.transposed_b(32), tile_registers=0), XE2.messages(Emit.TRITON_GEN, 32))
        assert isinstance(plan, Reject)
        assert plan.reason is LayoutReason.NO_FORM

    def test_another_exchange_is_not_proved(self):
        plan = planned(self.transposed_b(32), Emit.TRITON_GEN)
        for lane, register in product(range(5), range(4)):
            verdict = prove(replace(plan, exchange=Exchange(lane, register)))
            assert isinstance(verdict, BlockLoadPlan) == ((lane, register) == (4, 1))

    @given(st.permutations(range(8)), st.integers(0, 2), st.integers(0, 4))
    def test_exchanged_bases_are_what_the_lanes_do(self, places, lane, register):
        """Of any linear payload of 8 lanes and 32 registers."""
        bases = {"lane": tuple((1 << at,) for at in places[:3]), "register": tuple((1 << at,) for at in places[3:])}
        exchange = Exchange(lane, register)
        before = LinearLayout.from_bases(bases, {"at": 256})
        after = LinearLayout.from_bases(exchange.apply(bases), {"at": 256})
        for at, there in product(range(8), range(32)):
            partner = (at, there)
            if (at >> lane & 1) != (there >> register & 1):
                partner = (at ^ 1 << lane, there ^ 1 << register)
            wanted = before.apply({"lane": partner[0], "register": partner[1]})
            assert after.apply({"lane": at, "register": there}) == wanted

    def test_one_exchange_only_and_of_whole_words(self):
        held, registers = [(0, 1), (0, 2), (0, 4)], [(1, 0), (2, 0), (4, 0)]
        assert find_exchange(held, registers, [(0, 1), (2, 0), (0, 4)], 8) == Exchange(1, 1)
        assert find_exchange(held, registers, [(1, 0), (2, 0), (0, 4)], 8) is None
        assert find_exchange(held, registers, [(0, 1), (0, 8), (0, 4)], 8) is None
        assert find_exchange(held, registers[:2], [(0, 1), (2, 0), (0, 4)], 8) is None


class TestProof:
    """The proof rejects plans that are broken on purpose."""

    @pytest.fixture(params=[("A", False), ("B", False), ("B", True), ("A", True)])
    def plan(self, request) -> BlockLoadPlan:
        operand, column_major = request.param
        return gemm_plan(operand, column_major=column_major)

    @staticmethod
    def refusal(plan: BlockLoadPlan) -> str:
        verdict = prove(plan)
        assert isinstance(verdict, Reject), "the broken plan was accepted"
        assert verdict.reason is LayoutReason.PROOF
        return verdict.message

    def test_a_register_that_nobody_wanted(self):
        """Half of the message is left unread: its registers hold what is outside of a warp's part."""
        plan = planned(request(Dpas(8, 8, 16, 2, 16, (4, 2), (1, 1)), "A", (32, 32), 16, column_major=True))
        unread = next(1 << bit for bit, basis in enumerate(plan.brought) if not any(basis))
        bases = list(plan.shuffle.bases["register"])
        bases[1] = (bases[1][0] ^ unread, bases[1][1])
        self.refusal(replace(plan, shuffle=LinearLayout.from_bases({"register": bases}, plan.shuffle.out_sizes)))

    def test_the_plan_itself_is_proved(self, plan):
        assert prove(plan) is plan
        assert permuted(plan).equivalent(plan.request.encoding)

    def test_two_registers_exchanged(self, plan):
        first, second, *rest = plan.shuffle.bases["register"]
        shuffle = LinearLayout.from_bases({"register": [second, first, *rest]}, plan.shuffle.out_sizes)
        assert "register=1 holds" in self.refusal(replace(plan, shuffle=shuffle))

    @pytest.mark.parametrize("bit", range(6))
    def test_any_register_taken_from_elsewhere(self, plan, bit):
        bases = list(plan.shuffle.bases["register"])
        bases[bit] = (bases[bit][0] ^ 1, bases[bit][1]) if bases[bit] != (1, 0) else (0, 0)
        broken = replace(plan, shuffle=LinearLayout.from_bases({"register": bases}, plan.shuffle.out_sizes))
        assert f"register={1 << bit} holds" in self.refusal(broken)

    def test_a_message_that_does_not_transpose(self):
        plan = gemm_plan("B", column_major=True)
        assert self.refusal(replace(plan, message=replace(plan.message, mode=Mode.PLAIN)))

    def test_a_transform_gives_a_lane_the_same_elements_in_wider_channels(self):
        plan = gemm_plan("A")
        wider = replace(plan, message=replace(plan.message, mode=Mode.TRANSFORM))
        assert prove(wider) is wider
        assert wider.shuffle_cost.key > plan.shuffle_cost.key

    def test_a_message_with_half_the_rows(self, plan):
        assert self.refusal(replace(plan, message=replace(plan.message, rows=plan.message.rows // 2)))

    def test_a_start_inside_of_a_message(self):
        plan = gemm_plan("B")
        assert "inside of a message" in self.refusal(replace(plan, starts=((0, 144),)))

    def test_a_start_somewhere_else(self):
        plan = gemm_plan("B", column_major=True)
        assert "holds" in self.refusal(replace(plan, starts=(plan.starts[1], plan.starts[0])))

    def test_warps_that_start_inside_of_a_message(self):
        plan = gemm_plan("A")
        encoding = plan.request.encoding
        warps = [(8, 0), *encoding.bases["warp"][1:]]
        bases = {**encoding.bases, "warp": warps}
        moved = LinearLayout.from_bases(bases, encoding.out_sizes)
        assert "warps start" in self.refusal(replace(plan, request=replace(plan.request, encoding=moved)))


def test_every_message_of_every_target_deals_each_element_once():
    for emit, size in product(Emit, (16, 32)):
        for message in XE2.messages(emit, size):
            layout = message.payload(size, message.element_bits)
            assert layout.is_invertible, message
            assert layout.in_sizes["register"] * message.element_bits == (
                message.result_elements(size) * message.result_bits(size)
            )
            for lane, register in ((1, 0), (size - 1, layout.in_sizes["register"] - 1)):
                place = layout.apply({"register": register, "lane": lane})
                assert tuple(place.values()) == payload_place(message, 1, size, lane, register)


def test_tables_agree_with_the_limits():
    for target, emit in product(TARGETS, Emit):
        messages = find_target(target).messages(emit, 16)
        assert messages
        assert max(message.row_bytes for message in messages) == 64
        assert max(message.rows for message in messages) == 32
        assert max(message.payload_bits for message in messages) == 2048 * 8


def test_an_unknown_target_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown Xe target 'dg2'; known are pvc, xe2, lnl, xe3, xe3p, bmg"):
        find_target("dg2")


def test_permuted_equals_the_encoding_as_tables():
    plan = gemm_plan("B", column_major=True)
    wanted = plan.request.encoding
    assert np.array_equal(permuted(plan).table(), wanted.table())
