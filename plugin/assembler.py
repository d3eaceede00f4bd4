"""The stage "cubin" of a compilation: PTX through ptxas, and what its kernel takes of the chip.

ptxas gives a kernel the registers that it asks for, however many blocks that keeps out. One that would have another
resident block with a few registers less is assembled again with that limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from dotload.layout.nvidia_targets import NvidiaTarget
from dotload.passes.remarks import KERNEL, Remark
from dotload.plugin.cubin import Resources, resources_of
from dotload.plugin.ptxas import assembled_right, quiet
from dotload.plugin.triton_types import Backend, Stage

LEAST_SHARE = 0.75
"""A limit to less than this share of its registers is not tried: each takes a run of ptxas, and most would spill."""
MOST_WARPS = 16
"""Where more warps are resident, one block more has little to hide, and a grid that has none to spare only loses."""

_LIMITS = re.compile(r"^\.(?:maxnreg|minnctapersm)\b|\bsetmaxnreg\b", re.MULTILINE)
"""How PTX says itself how many registers a kernel has (PTX ISA, performance-tuning directives; setmaxnreg)."""
_BLOCK_SIZE = re.compile(r"^\.reqntid .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Assembled:
    """A kernel that ptxas has seen: PTX, cubin, what it takes if that is known, and remarks.

    `made`: that on another ptxas. `limit`: that on a limit to its registers.
    """

    ptx: str
    cubin: bytes
    resources: Resources | None
    made: Remark | None = None
    limit: Remark | None = None


@dataclass
class Assembler:
    """Assembles kernels of one compilation by Triton's `stage`; remembers the last one."""

    backend: Backend
    stage: Stage
    num_warps: int
    last: Assembled | None = None

    def assemble(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """What ptxas makes of a kernel."""
        return self._remembered(ptx, self.stage(ptx, metadata), metadata)

    def assemble_quietly(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """As `assemble`, for a kernel whose failure is caught."""
        return self._remembered(ptx, quiet(self.backend, self.stage)(ptx, metadata), metadata)

    def assemble_rewritten(self, ptx: str, metadata: dict[str, Any]) -> Assembled:
        """What ptxas makes of a rewritten kernel, another ptxas where Triton's would make it wrong."""
        plain = quiet(self.backend, self.stage)(ptx, metadata)
        cubin, made = assembled_right(self.backend, self.stage, ptx, plain, metadata)
        return replace(self._remembered(ptx, cubin, metadata), made=made)

    def versions(self, ptx: str, metadata: dict[str, Any], target: NvidiaTarget) -> list[Assembled]:
        """A rewritten kernel, the best version first: as it is, or with a limit to its registers for one more block.

        A kernel that spills by the limit comes second.
        """
        plain = self.assemble_rewritten(ptx, metadata)
        limited = None if plain.resources is None else self._limited(plain, plain.resources, metadata, target)
        return [plain] if limited is None else limited

    def _limited(
        self, plain: Assembled, before: Resources, metadata: dict[str, Any], target: NvidiaTarget
    ) -> list[Assembled] | None:
        """The versions of a kernel that has a limit; None where there is none, or where ptxas refuses it."""
        registers = registers_for_one_more(before, target)
        ptx = None if registers is None else with_most_registers(plain.ptx, registers)
        try:
            limited = None if ptx is None else self.assemble_rewritten(ptx, metadata)
        except Exception:  # whatever ptxas says, there is the kernel without a limit
            return None
        if limited is None or limited.resources is None:
            return None
        after = limited.resources
        limited = replace(limited, limit=remark_on_limit(before, after, target))
        return [plain, limited] if after.stack_bytes > before.stack_bytes else [limited]

    def _remembered(self, ptx: str, cubin: bytes, metadata: dict[str, Any]) -> Assembled:
        """The kernel, with what it takes; it is the last one from now on."""
        try:
            resources = resources_of(cubin, metadata["shared"], metadata.get("num_warps", self.num_warps))
        except ValueError:  # an unknown kind of file
            resources = None
        self.last = Assembled(ptx, cubin, resources)
        return self.last


def registers_for_one_more(ours: Resources, target: NvidiaTarget) -> int | None:
    """The most registers with which a kernel has one resident block more; None where other things keep that out, or
    where it would have to do with far fewer."""
    blocks = ours.blocks(target) + 1
    if blocks * ours.warps > MOST_WARPS or replace(ours, registers=1).blocks(target) < blocks:
        return None
    registers = target.most_registers(blocks, ours.warps)
    return registers if registers >= LEAST_SHARE * ours.registers else None


def with_most_registers(ptx: str, registers: int) -> str | None:
    """The PTX of a kernel that takes so many registers at most; None where it is not known how to say so."""
    if _LIMITS.search(ptx) or len(_BLOCK_SIZE.findall(ptx)) != 1:
        return None
    return _BLOCK_SIZE.sub(rf"\g<0>.maxnreg {registers}\n", ptx)


def remark_on_limit(before: Resources, after: Resources, target: NvidiaTarget) -> Remark:
    """What the user is told of a kernel that has fewer registers than ptxas would give it."""
    text = f"has {after.registers} registers, not {before.registers}: {after.blocks(target)} blocks are resident"
    return Remark("analysis", "stage-dot-operands", KERNEL, text, "REGISTERS_LIMITED")
