"""The stage "cubin" of a compilation: PTX through ptxas, and the resources that the kernel takes.

ptxas gives a kernel the registers that it asks for, whatever that costs in occupancy. A kernel that would have one more
resident block with slightly fewer registers is assembled again with that limit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

from dotload.layout.nvidia_targets import NvidiaTarget
from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.cubin import Resources, resources_of
from dotload.plugin.ptxas import assemble_right, quiet
from dotload.plugin.triton_types import Backend, Stage


@dataclass(frozen=True)
class LimitRule:
    """Up to so many resident blocks and warps, limits down to this share of a kernel's registers are tried.

    Each try runs ptxas, and most limits below would spill.
    """

    least_share: float
    most_blocks: float = math.inf
    most_warps: float = math.inf


LIMIT_RULES = (
    LimitRule(2 / 3, most_blocks=2, most_warps=16),  # one block alone waits for its loads
    LimitRule(3 / 4, most_warps=16),
    LimitRule(0.85, most_blocks=4),  # a fifth block hides little
)

_LIMITS = re.compile(r"^\.(?:maxnreg|minnctapersm)\b|\bsetmaxnreg\b", re.MULTILINE)
"""PTX that already limits the kernel's registers (PTX ISA, performance-tuning directives; setmaxnreg)."""
_BLOCK_SIZE = re.compile(r"^\.reqntid .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Assembled:
    """An assembled kernel: PTX, cubin, its resources if known, and remarks.

    `made`: the remark on another ptxas. `limit`: the remark on a register limit.
    """

    ptx: str
    cubin: bytes
    resources: Resources | None
    made: Remark | None = None
    limit: Remark | None = None


@dataclass
class Assembler:
    """Assembles kernels of one compilation with Triton's `stage`; remembers the last kernel."""

    backend: Backend
    stage: Stage
    num_warps: int
    last: Assembled | None = None

    def assemble(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """Assemble a kernel."""
        return self._remembered(ptx, self.stage(ptx, metadata), metadata)

    def assemble_quietly(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """Assemble a kernel without printing it if ptxas refuses it: the caller catches the failure."""
        return self._remembered(ptx, quiet(self.backend, self.stage)(ptx, metadata), metadata)

    def assemble_rewritten(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """Assemble a rewritten kernel, with another ptxas if Triton's may miscompile it."""
        cubin, made = assemble_right(self.backend, self.stage, ptx, metadata)
        return replace(self._remembered(ptx, cubin, metadata), made=made)

    def versions(self, ptx: str, metadata: dict[str, Any], target: NvidiaTarget) -> list[Assembled]:
        """The versions of a rewritten kernel, the best first: as it is, or with a register limit for one more block.

        A version that spills because of the limit comes second.
        """
        plain = self.assemble_rewritten(ptx, metadata)
        limited = None if plain.resources is None else self._limited(plain, plain.resources, metadata, target)
        return [plain] if limited is None else limited

    def _limited(
        self, plain: Assembled, before: Resources, metadata: dict[str, Any], target: NvidiaTarget
    ) -> list[Assembled] | None:
        """The versions of a kernel with a register limit; None if no limit helps, or if ptxas refuses it."""
        registers = registers_for_one_more(before, target)
        ptx = None if registers is None else with_most_registers(plain.ptx, registers)
        try:
            limited = None if ptx is None else self.assemble_rewritten(ptx, metadata)
        except Exception:  # whatever ptxas says: the kernel without a limit remains
            return None
        if limited is None or limited.resources is None:
            return None
        after = limited.resources
        limited = replace(limited, limit=remark_on_limit(before, after, target))
        return [plain, limited] if after.stack_bytes > before.stack_bytes else [limited]

    def _remembered(self, ptx: str, cubin: bytes, metadata: dict[str, Any]) -> Assembled:
        """The kernel with its resources, remembered as the last one."""
        try:
            resources = resources_of(cubin, metadata["shared"], metadata.get("num_warps", self.num_warps))
        except ValueError:  # an unknown kind of file
            resources = None
        self.last = Assembled(ptx, cubin, resources)
        return self.last


def registers_for_one_more(ours: Resources, target: NvidiaTarget) -> int | None:
    """The most registers with which a kernel has one more resident block; None if another resource limits the blocks,
    or if no rule has so small a share of the kernel's registers."""
    blocks = ours.blocks(target) + 1
    warps = blocks * ours.warps
    shares = [rule.least_share for rule in LIMIT_RULES if blocks <= rule.most_blocks and warps <= rule.most_warps]
    if not shares or replace(ours, registers=1).blocks(target) < blocks:
        return None
    registers = target.most_registers(blocks, ours.warps)
    return registers if registers >= min(shares) * ours.registers else None


def with_most_registers(ptx: str, registers: int) -> str | None:
    """The PTX with a limit of this many registers; None if the PTX has another limit or no single block size."""
    if _LIMITS.search(ptx) or len(_BLOCK_SIZE.findall(ptx)) != 1:
        return None
    return _BLOCK_SIZE.sub(rf"\g<0>.maxnreg {registers}\n", ptx)


def remark_on_limit(before: Resources, after: Resources, target: NvidiaTarget) -> Remark:
    """The remark on a kernel that has fewer registers than ptxas would give it."""
    limited = f"limited to {after.registers} registers per thread instead of {before.registers}"
    text = f"{limited}: {after.blocks(target)} blocks are resident"
    return Remark("analysis", "stage-dot-operands", KERNEL, text, "REGISTERS_LIMITED")
