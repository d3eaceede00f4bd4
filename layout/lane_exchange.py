"""Exchanges between lanes, for layouts that no message deals as they want.

A message deals elements to lanes by the bits of their place, and some layouts want one bit in the lane's number that
the message leaves in the register's. Pairs of lanes exchange these bits by themselves: with i the bit of the lane and j
that of the register, every lane keeps the registers in which bit j is its own bit i, and gives the others to lane ^ 2^i
for as many of that one's.

    8-bit B by columns, two elements a channel, 32 lanes: a transposing message of 32-bit elements and 32 rows holds K 0
    to 3 in a lane, and N 16 in lane bit 4. DPAS wants K 0 and 1 in a lane, K 2 in lane bit 4, the rest in registers:
    i = 4, j = 1.

Both maps are linear, so that the exchange is one of two bases, and the plan's proof goes on as without.
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
        """What lanes hold behind it, of what they hold before."""
        lanes, registers = list(payload[LANE]), list(payload[REGISTER])
        lanes[self.lane], registers[self.register] = registers[self.register], lanes[self.lane]
        return {**payload, LANE: tuple(lanes), REGISTER: tuple(registers)}


def find_exchange(
    held: Sequence[Basis], registers: Sequence[Basis], wanted: Sequence[Basis], element_bits: int
) -> Exchange | None:
    """What brings lanes that hold these places to those that are wanted; None where it takes more than one exchange, or
    pairs of lanes would not exchange whole words.
    """
    differ = [bit for bit, (have, want) in enumerate(zip(held, wanted, strict=True)) if have != want]
    if len(differ) != 1 or wanted[differ[0]] not in registers:
        return None
    if (element_bits << len(registers)) // 2 < WORD_BITS:
        return None
    return Exchange(differ[0], registers.index(wanted[differ[0]]))
