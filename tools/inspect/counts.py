"""Counts of the instructions that show how a kernel reads its operands: static counts, loops not multiplied."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

PTX = {
    "ldmatrix": r"ldmatrix\.",
    "ld.shared.b8": r"ld\.shared(::cta)?\.[bus]8$",
    "st.shared.b8": r"st\.shared(::cta)?\.[bus]8$",
    "prmt": r"prmt\.",
    "cvt": r"cvt\.",
    "wgmma": r"wgmma\.mma_async",
    "tcgen05.mma": r"tcgen05\.mma",
    "mma": r"mma\.sync",
    "cp.async": r"cp\.async\.c[ag]\.",
    "cp.async.bulk": r"cp\.async\.bulk\.tensor.*\.shared::cluster\.global",
}
"""Name in the table -> the beginning of the PTX opcode."""

XE = {
    "2D block read": r"call .*(2d_block_read|2DBlockLoad|LSC2DBlockRead)",
    "2D block prefetch": r"call .*(2d_block_prefetch|2DBlockPrefetch|LSC2DBlockPrefetch)",
    "2D block write": r"call .*(2d_block_write|2DBlockStore|LSC2DBlockWrite)",
    "load": r"= load ",
    "shufflevector": r"= shufflevector ",
    "dpas": r"call .*(matrix_mad|MatrixMultiplyAccumulate|dpas)",
}
"""The same for a line of the LLVM IR of an Intel kernel."""

_OPCODE = re.compile(r"(?:^|[;{])\s*(?:[\w$]+:\s*)?(?:@!?%?\w+\s+)?([a-z][a-z0-9]*(?:[.:][\w:]+)+)", re.MULTILINE)


def ptx_counts(text: str) -> Mapping[str, int]:
    """The counts of a kernel's PTX, in the order of the table; zero counts are left out."""
    opcodes = Counter(match[1] for match in _OPCODE.finditer(text))
    found = {
        name: sum(count for opcode, count in opcodes.items() if re.match(pattern, opcode))
        for name, pattern in PTX.items()
    }
    return {name: count for name, count in found.items() if count}


def xe_counts(text: str) -> Mapping[str, int]:
    """The counts of an Intel kernel's LLVM IR."""
    found = {name: len(re.findall(pattern, text)) for name, pattern in XE.items()}
    return {name: count for name, count in found.items() if count}
