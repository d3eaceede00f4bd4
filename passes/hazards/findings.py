"""Findings of the hazard check."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from dotload.layout.reject import Reason
from dotload.passes.remarks import where


class Hazard(Reason):
    """The kinds of hazards. The first text is that of the error, the second that of the note at the other op."""

    NOT_ARRIVED = "reads shared memory that {agent} may still be writing\nwritten here"
    NOT_SYNCED = (
        "reads shared memory that other warps may not have written yet: no CTA barrier in between\nwritten here"
    )
    STILL_READ = "writes shared memory that {agent} may still be reading\nread here"
    READ_BY_OTHERS = "writes shared memory that other warps may still be reading: no CTA barrier in between\nread here"
    STILL_WRITTEN = "writes shared memory that {agent} may still be writing\nwritten here"
    WRITTEN_BY_OTHERS = (
        "writes shared memory that other warps may still be writing: no CTA barrier in between\nwritten here"
    )
    NOT_FENCED = "{agent} accesses shared memory without a fence after the threads' write\nwritten here"
    RESULT_IN_FLIGHT = "uses the result of a wgmma without waiting for it\nthe wgmma"
    REGISTERS_IN_FLIGHT = "writes registers from which a wgmma may still be reading its A\nthe wgmma"


@dataclass(frozen=True)
class Finding:
    """An op that races with another; findings with the same ops and kind are equal."""

    hazard: Hazard
    op: Operation
    other: Operation
    agent: str = field(default="", compare=False)

    @property
    def message(self) -> str:
        """The whole finding in one line."""
        error, note = self._texts
        return f"'{self.op.name}' {error}; {where(self.other)}: {note}, by '{self.other.name}'"

    @property
    def lines(self) -> tuple[str, str]:
        """The error and the note, each with its place."""
        error, note = self._texts
        return (
            f"{where(self.op)}: error: '{self.op.name}' {error} [{self.hazard.code}]",
            f"{where(self.other)}: note: {note}, by '{self.other.name}'",
        )

    @property
    def _texts(self) -> list[str]:
        return self.hazard.value.format(agent=self.agent).split("\n")
