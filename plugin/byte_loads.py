"""Loads of single bytes that are left in PTX, at lines that no remark tells of.

Whether a thread loads one byte or sixteen is decided by Triton's analysis of alignment, when it lowers a load. It may
know less than `passes/analysis/strides.py`, by which stage-dot-operands tells of such loads. PTX shows what came of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from dotload.layout.byte_transposes import WORD_BYTES
from dotload.passes.operand_staging.reasons import NARROW_LOADS, StagingReason
from dotload.passes.remarks import KERNEL, Remark

TELLING = frozenset((StagingReason.LOADED_BY_ELEMENTS.code, NARROW_LOADS))
"""Codes of the remarks that tell of such a load before it is lowered."""

ADVICE = "pass pointers and strides divisible by 16, and tell by `tl.multiple_of` what Triton does not see"

_MULTIPLIES = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b")
_FILE = re.compile(r'^\s*\.file\s+(\d+) "([^"]*)"', re.MULTILINE)
_LINE_OR_LOAD = re.compile(
    r"^\s*(?:\.loc\s+(\d+) (\d+) (\d+)|(?:@!?%p\d+ )?ld\.global(?:\.[\w:]+)*\.[bsu]8\s)", re.MULTILINE
)
_VECTOR = re.compile(r"\.v[248]\.")


def untold_byte_loads(ptx: str, remarks: Iterable[Remark]) -> Iterator[Remark]:
    """A remark for each line of a kernel with matrix products that loads a word or more byte by byte."""
    if not _MULTIPLIES.search(ptx):
        return
    told = {_line_of(remark.location) for remark in remarks if remark.reason in TELLING}
    for location, count in byte_loads(ptx).items():
        if count >= WORD_BYTES and _line_of(location) not in told:
            message = f"{count} instructions of a thread load one byte each: {ADVICE}"
            yield Remark("analysis", "stage-dot-operands", location, message, "LOADED_BY_BYTES")


def byte_loads(ptx: str) -> Counter[str]:
    """How many instructions load one byte of global memory, by file:line:column, or `KERNEL` where PTX has no line."""
    files = dict(_FILE.findall(ptx))
    found, location = Counter[str](), KERNEL
    for match in _LINE_OR_LOAD.finditer(ptx):
        file, line, column = match.groups()
        if file is not None:
            location = f"{files.get(file, '')}:{line}:{column}"
        elif not _VECTOR.search(match[0]):
            found[location] += 1
    return found


def _line_of(location: str) -> str:
    return location.rsplit(":", 1)[0]
