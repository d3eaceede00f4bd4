"""Legal forms: the list of each spelling, on which planner, verifier and emulator agree."""

from __future__ import annotations

from itertools import product

import pytest

from dotload import dialect_ext
from dotload.dialect_ext.errors import SourceError
from dotload.emulator.builtin_blocks import check_shape
from dotload.emulator.errors import EmulatorError
from dotload.layout.block_message import Message, Mode
from dotload.layout.xe_messages import FORMS, Emit, form_problem, instruction_problem, legal_forms

SIZES = tuple(1 << bit for bit in range(7))
MESSAGES = [
    Message(mode, bits, rows, columns, blocks)
    for mode, bits, rows, columns, blocks in product(Mode, (8, 16, 32, 64), SIZES, SIZES, (1, 2, 4, 8))
]
FORM_NAMES = {Mode.PLAIN: "", Mode.TRANSFORM: "transform", Mode.TRANSPOSE: "transpose"}


def plain(text: str) -> Message:
    bits, rest = text.split("b_")
    rows, rest = rest.split("r")
    columns, blocks = rest.removesuffix("c").split("x")
    return Message(Mode.PLAIN, int(bits), int(rows), int(columns), int(blocks))


@pytest.mark.parametrize("text", ["32b_4r4x1c", "64b_2r8x1c", "64b_4r4x1c", "16b_8r8x1c", "8b_8r16x2c", "32b_16r4x2c"])
def test_the_instruction_takes_what_the_builtin_does_not(text):
    message = plain(text)
    assert form_problem(Emit.TRITON_GEN, message, 16) is None
    assert form_problem(Emit.SPIRV, message, 16) == f"emit=spirv has no message {message}"


@pytest.mark.parametrize("emit", Emit)
def test_what_is_planned_is_legal_and_listed(emit):
    for size in (16, 32):
        for message in legal_forms(emit, size):
            assert form_problem(emit, message, size) is None
            assert any(message in set(table.messages()) for table in FORMS[emit])


def test_every_opencl_form_is_one_of_spirv_and_of_the_instruction():
    opencl, spirv, instruction = (set(legal_forms(emit, 16)) for emit in Emit.__reversed__())
    assert opencl < spirv < instruction


def test_the_emulator_knows_the_same_instruction():
    """The emulator has the rules from the vendor's text, and shares no code with this table."""
    for message in MESSAGES:
        try:
            shape = (message.element_bytes, message.rows, message.columns, message.blocks)
            check_shape("read", FORM_NAMES[message.mode], *shape)
            taken = True
        except EmulatorError:
            taken = False
        assert taken == (instruction_problem(message) is None), message


def emitted(message: Message) -> str:
    count = message.result_elements(16)
    vector = f"vector<{count}xi{message.result_bits(16)}>"
    flags = [str(message.mode is mode).lower() for mode in (Mode.TRANSPOSE, Mode.TRANSFORM)]
    return f"""llvm.func @f(%p: !llvm.ptr<1>, %i: i32) {{
  %v = triton_gen.2Dblockload %p, %i, %i, %i, %i, %i {{elem_size_in_bits = {message.element_bits},
    tile_width = {message.columns}, tile_height = {message.rows}, v_blocks = {message.blocks}, transpose = {flags[0]},
    vnni_transform = {flags[1]}, cache_control = Default}} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> {vector}
  llvm.return
}}"""


def is_verified(message: Message) -> bool:
    """Whether the verifier accepts the op that sends this message."""
    try:
        dialect_ext.parse_module(emitted(message))
    except SourceError:
        return False
    return True


def test_the_verifier_takes_what_the_table_takes():
    for message in [message for message in MESSAGES if message.result_elements(16)][::23]:
        assert is_verified(message) == (instruction_problem(message) is None), message
