"""Sites, the places in a kernel that the emulator watches: calls of builtins, and the kernel's own loads and stores."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

from dotload.emulator.library import NativeSite


class Kind(IntEnum):
    """The kind of a site, numbered as in emulator/native/abi.hpp."""

    BLOCK_READ = 0
    BLOCK_WRITE = 1
    BLOCK_PREFETCH = 2
    DPAS = 3
    SHUFFLE = 4
    REDUCE = 5
    VOTE = 6
    BARRIER = 7
    ROW_READ = 8
    ROW_WRITE = 9
    LOAD = 10
    STORE = 11

    @property
    def is_message(self) -> bool:
        """Whether the site moves data between memory (other than local memory) and registers."""
        return self not in _NO_MESSAGE

    @property
    def is_load(self) -> bool:
        return self in (Kind.BLOCK_READ, Kind.ROW_READ, Kind.LOAD)


_NO_MESSAGE = (Kind.DPAS, Kind.SHUFFLE, Kind.REDUCE, Kind.VOTE, Kind.BARRIER)


@dataclass(frozen=True)
class Site:
    """One site. emulator/native/abi.hpp explains the numbers; `label` is its name in output."""

    kind: Kind
    label: str
    operation: int = 0
    element_bytes: int = 0
    rows: int = 0
    columns: int = 0
    blocks: int = 0
    result_bytes: int = 0
    type: int = 0
    local: bool = False  # a load or store of local memory: checked, not counted
    location: str = ""  # file:line:col in the kernel's source, if the IR has it

    def lane_bytes(self, lanes: int) -> int:
        """Bytes of a 2D block read or write that one lane holds; 0 for every other kind."""
        if self.kind not in (Kind.BLOCK_READ, Kind.BLOCK_WRITE):
            return 0
        # A block fills whole elements of the vectors of 16 lanes.
        unit = 16 * self.result_bytes
        block = -(-self.rows * self.columns * self.element_bytes // unit) * unit
        return max(self.result_bytes, block * self.blocks // lanes)

    def to_native(self) -> NativeSite:
        names = [field[0] for field in NativeSite._fields_]
        return NativeSite(*(int(getattr(self, name)) for name in names))


assert {field[0] for field in NativeSite._fields_} <= {field.name for field in fields(Site)}
