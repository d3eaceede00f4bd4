"""Exchanges between lanes, for layouts that no message delivers directly.

A message deals elements to lanes by the bits of their coordinates. Some layouts need one bit in the lane number that
the message puts into the register number. Pairs of lanes exchange such bits: with i the bit of the lane and j that of
the register, every lane keeps the registers whose bit j equals its own bit i, and swaps the others with lane ^ 2^i.

    8-bit B by columns, two elements a channel, 32 lanes: a transposing message of 32-bit elements and 32 rows puts K 0
    to 3 into a lane, and N 16 into lane bit 4. DPAS needs K 0 and 1 in a lane, K 2 in lane bit 4, the rest in
    registers: i = 4, j = 1.

Both maps are linear, so the exchange swaps two bases, and the plan's proof is the same as without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dotload.layout.encodings import LANE, REGISTER
from dotload.layout.linear import Basis
from dotload.layout.widths import WORD_BITS


@dataclass(frozen=True)
class Exchange:
    """Bit `lane` of a lane's number and bit `register` of a register's number change places."""

    lane: int
    register: int

    def __str__(self) -> str:
        return f"Lanes {1 << self.lane} apart exchange registers {1 << self.register} apart"

    def apply(self, payload: Mapping[str, tuple[Basis, ...]]) -> dict[str, tuple[Basis, ...]]:
        """The payload after the exchange."""
        lanes, registers = list(payload[LANE]), list(payload[REGISTER])
        lanes[self.lane], registers[self.register] = registers[self.register], lanes[self.lane]
        return {**payload, LANE: tuple(lanes), REGISTER: tuple(registers)}


def find_exchange(
    held: Sequence[Basis], registers: Sequence[Basis], wanted: Sequence[Basis], element_bits: int
) -> Exchange | None:
    """The exchange that turns the lane bases `held` into those `wanted`; None if it takes more than one exchange, or if
    pairs of lanes would not exchange whole words.
    """
    differ = [bit for bit, (have, want) in enumerate(zip(held, wanted, strict=True)) if have != want]
    if len(differ) != 1 or wanted[differ[0]] not in registers:
        return None
    if (element_bits << len(registers)) // 2 < WORD_BITS:
        return None
    return Exchange(differ[0], registers.index(wanted[differ[0]]))
