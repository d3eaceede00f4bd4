"""Shuffles from the messages' vectors in a lane to the struct of elements that Triton's type converter uses.

Each tile of the plan becomes one `llvm.shufflevector`, the operand of one matrix instruction. If the plan keeps the
channels of a message whole, the shuffle moves channels; otherwise it moves single elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.typed import vector_parts
from dotload.layout.block_load import LOAD, BlockLoadPlan
from dotload.layout.encodings import REGISTER
from dotload.passes.block_load.exchange import exchanged
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import vector_type


@dataclass(frozen=True)
class Pick:
    """One shuffle: the registers that it fills, and the positions in the vector of message `load` that it takes.

    `positions` count the vector's elements when `in_channels`, else the tensor elements within them.
    """

    load: int
    registers: tuple[int, ...]
    positions: tuple[int, ...]
    in_channels: bool


def picks_of(plan: BlockLoadPlan) -> tuple[Pick, ...]:
    """The shuffles of a plan: one per tile, or one per message if the tile comes from several."""
    registers = plan.shuffle.in_sizes[REGISTER]
    tile = min(plan.request.tile_registers or registers, registers)
    places = plan.shuffle.table()  # (message register, load) of each register
    names = plan.shuffle.out_dims
    register_at, load_at = names.index(REGISTER), names.index(LOAD)
    channel = plan.result_bits // plan.request.element_bits
    picks: list[Pick] = []
    for start in range(0, registers, tile):
        by_load: dict[int, list[int]] = {}
        for register in range(start, start + tile):
            by_load.setdefault(int(places[register, load_at]), []).append(register)
        for load, members in by_load.items():
            elements = [int(places[register, register_at]) for register in members]
            whole = _keeps_channels(elements, channel)
            unit = channel if whole else 1
            picks.append(Pick(load, tuple(members), tuple(element // unit for element in elements[::unit]), whole))
    return tuple(picks)


def _keeps_channels(elements: Sequence[int], channel: int) -> bool:
    """Whether the elements form whole channels, each in its own order."""
    return len(elements) % channel == 0 and all(
        elements[start] % channel == 0 and all(elements[start + at] == elements[start] + at for at in range(channel))
        for start in range(0, len(elements), channel)
    )


def gather(
    builder: LLVMBuilder, plan: BlockLoadPlan, vectors: Sequence[SSAValue], element: Attribute
) -> list[SSAValue]:
    """A lane's elements of the tensor, in the order of the encoding's registers; `vectors` holds one per message."""
    vectors = [exchanged(builder, plan, vector) for vector in vectors]
    words = plan.request.words
    counted = element if words == 1 else i32
    values: list[SSAValue | None] = [None] * (plan.shuffle.in_sizes[REGISTER] // words)
    narrow: dict[int, SSAValue] = {}
    for pick in picks_of(plan):
        vector = vectors[pick.load]
        if not pick.in_channels:
            if pick.load not in narrow:
                narrow[pick.load] = builder.bitcast(vector, vector_type(_elements(plan, vector), counted))
            vector = narrow[pick.load]
        operand = builder.shuffle(vector, pick.positions)
        operand = builder.bitcast(operand, vector_type(len(pick.registers) // words, element))
        for at, register in enumerate(pick.registers[::words]):
            values[register // words] = builder.element(operand, at)
    return [value for value in values if value is not None]


def _elements(plan: BlockLoadPlan, vector: SSAValue) -> int:
    """How many tensor elements a message's vector holds."""
    return vector_parts(vector)[0] * plan.result_bits // plan.request.element_bits
