"""Why a candidate stays as it is: a reason from a catalogue, with a stable code.

A catalogue is an enum: the name of a member is its code, the value the text of the remark, with fields for the found
and the expected values. Planners return or raise a `Reject`; the pass turns it into a remark.
"""

from __future__ import annotations

import enum


class Reason(enum.Enum):
    """A catalogue of reasons; each part of dotload that has reasons subclasses it."""

    @property
    def code(self) -> str:
        """The stable code, for programs: K_MAJOR."""
        return self.name


class Reject(Exception):
    """A candidate that stays as it is. `reason`: from a catalogue; `message`: its text with the values filled in."""

    def __init__(self, reason: Reason, **values: object) -> None:
        self.reason = reason
        self.message = str(reason.value).format(**values)
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The stable code of the reason."""
        return self.reason.code
