"""Loads of single elements that remain in PTX, at lines without a remark.

Triton's analysis of alignment decides whether a thread loads one byte or sixteen, when it lowers a load. It may know
less than `passes/analysis/strides.py`, with which stage-dot-operands reports such loads. PTX shows the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from dotload.layout.byte_transposes import WORD_BYTES
from dotload.passes.operand_staging.reasons import NARROW_LOADS, StagingReason
from dotload.passes.remarks import KERNEL, Remark

TELLING = frozenset((StagingReason.LOADED_BY_ELEMENTS.code, NARROW_LOADS))
"""Codes of the remarks that report such a load before it is lowered."""

ADVICE = (
    "pass strides of 1 as constants, and pointers and strides divisible by 16; tell by `tl.multiple_of` what Triton "
    "does not see"
)

_MULTIPLIES = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b")
_MULTIPLIES_WORDS = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\.\S*tf32\b")
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+) "([^"]*)"', re.MULTILINE)
_LINE_OR_LOAD = re.compile(
    r"""^[ \t]*(?:
    \.loc[ \t]+(?P<file>\d+)[ ](?P<line>\d+)[ ](?P<column>\d+)
    | (?P<assembly>//[ ](?:begin|end)[ ]inline[ ]asm)
    | (?:@!?%p\d+[ \t]+)?(?:
        ld\.global(?:\.(?!v\d)[\w:]+)*\.(?:(?P<byte>[bsu]8)|(?P<loaded>[bfsu]32))\s
        | (?P<copied>cp\.async)\.ca\.shared\.global\b.*,[ ]0x4,))""",
    re.MULTILINE | re.VERBOSE,
)


def untold_narrow_loads(ptx: str, remarks: Iterable[Remark]) -> Iterator[Remark]:
    """A remark for each line of a kernel with matrix products that loads four bytes or more one by one.

    In kernels that multiply in tf32, also for lines that load or copy single words.
    """
    if not _MULTIPLIES.search(ptx):
        return
    told = {_line_of(remark.location) for remark in remarks if remark.reason in TELLING}
    has_words = _MULTIPLIES_WORDS.search(ptx) is not None
    for (location, unit), count in narrow_loads(ptx).items():
        if count >= WORD_BYTES and _line_of(location) not in told and (unit == "byte" or has_words):
            message = f"{count} instructions of a thread load one {unit} each: {ADVICE}"
            yield Remark("analysis", "stage-dot-operands", location, message, f"LOADED_BY_{unit.upper()}S")


def narrow_loads(ptx: str) -> Counter[tuple[str, str]]:
    """The number of instructions that load or copy one "byte" or one "word" of global memory.

    Counted by file:line:column, or `KERNEL` if PTX has none. Some versions of LLVM number the lines inside inline
    assembly from its first line, so the line in front of the assembly is used.
    """
    files = dict(_FILE.findall(ptx))
    found, location, is_assembly = Counter[tuple[str, str]](), KERNEL, False
    for match in _LINE_OR_LOAD.finditer(ptx):
        if match["assembly"]:
            is_assembly = "begin" in match["assembly"]
        elif match["file"] and not is_assembly:
            location = f"{files.get(match['file'], '')}:{match['line']}:{match['column']}"
        elif not match["file"]:
            found[location, "byte" if match["byte"] else "word"] += 1
    return found


def _line_of(location: str) -> str:
    return location.rsplit(":", 1)[0]
