"""Registers and stack of an assembled kernel, read from its ELF file.

Both are attributes in the section `.nv.info`, EIATTR_REGCOUNT and EIATTR_FRAME_SIZE: pairs of a symbol and a number.
The tests compare them with what `cuobjdump -res-usage` prints. (Triton's own `n_regs` and `n_spills` need a GPU.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from dotload.layout.nvidia_targets import WARP_LANES, NvidiaTarget

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_FRAME_SIZE, _REGISTER_COUNT = 0x11, 0x2F
_SIZED_VALUE = 4
"""The attribute format with a 16-bit size followed by that many bytes."""


@dataclass(frozen=True)
class Resources:
    """Resources of a block: `registers` and bytes of stack per thread, bytes of shared memory, warps."""

    registers: int
    stack_bytes: int
    shared_bytes: int
    warps: int

    def blocks(self, target: NvidiaTarget) -> int:
        """The number of resident blocks on a multiprocessor."""
        registers = -(-max(1, self.registers) // 8) * 8  # allocated by eights [GUIDE]
        return target.resident_blocks(self.warps, self.shared_bytes, registers)

    @property
    def spill_wavefronts(self) -> int:
        """Wavefronts for all warps to write their stack once and read it once: 128 bytes each."""
        return 2 * self.stack_bytes * self.warps * WARP_LANES // 128


def resources_of(cubin: bytes, shared_bytes: int, warps: int) -> Resources:
    """The resources of a cubin with one kernel; ValueError for any other file."""
    try:
        (info,) = (body for name, body in sections_of(cubin) if name == ".nv.info")
        numbers = dict(_numbers(info))
        return Resources(numbers[_REGISTER_COUNT], numbers[_FRAME_SIZE], shared_bytes, warps)
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise ValueError(f"not a cubin with one kernel: {error}") from error


def sections_of(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and contents of each section."""
    if cubin[:4] != b"\x7fELF":
        raise ValueError("no ELF file")
    fields: tuple[int, ...] = _HEADER.unpack_from(cubin)
    section_offset, section_size, count, names_index = fields[-8], *fields[-3:]
    headers: list[tuple[int, ...]] = [
        _SECTION.unpack_from(cubin, section_offset + number * section_size) for number in range(count)
    ]
    names_at = headers[names_index][4]
    for name, _, _, _, offset, size, *_ in headers:
        start = names_at + name
        yield cubin[start : cubin.index(b"\0", start)].decode(), cubin[offset : offset + size]


def _numbers(info: bytes) -> Iterator[tuple[int, int]]:
    """The attributes of `.nv.info` that are pairs of a symbol and a number: attribute and number."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == _SIZED_VALUE:
            if attribute in (_FRAME_SIZE, _REGISTER_COUNT):
                yield attribute, struct.unpack_from("<II", info, at)[1]
            at += size
