"""Why a candidate stays as it is: a reason out of a catalogue, with a stable code.

A catalogue is an enum: the name of a member is its code, the value the text of the remark, with fields for what was
found and what was expected. Planners return or raise a `Reject`; the pass turns it into a remark.
"""

from __future__ import annotations

import enum


class Reason(enum.Enum):
    """A catalogue of reasons; subclassed by each part of dotload that has some."""

    @property
    def code(self) -> str:
        """The stable code, for programs: K_MAJOR."""
        return self.name


class Reject(Exception):
    """A candidate that stays as it is. `reason`: out of a catalogue; `message`: its text with the values filled in."""

    def __init__(self, reason: Reason, **values: object) -> None:
        self.reason = reason
        self.message = str(reason.value).format(**values)
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The stable code of the reason."""
        return self.reason.code
