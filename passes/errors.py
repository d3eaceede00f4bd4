"""Errors of a pass that the user sees, at the place in the program that they concern."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TypeVar

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from dotload.passes.remarks import where

Kind = TypeVar("Kind", bound=enum.Enum)


class LocatedFailure(PassFailedException):
    """A pass cannot go on because of one op; `place` is its file:line:column."""

    def __init__(self, at: Operation, message: str):
        super().__init__(message)
        self.place = where(at)


IN_BACKEND = "Intel's backend lowers it: see dotload.compile_xe"
"""What to do about an op that dotload's conversion to LLVM lacks."""


class LocatedFailures(PassFailedException):
    """A pass has found mistakes; `lines` are complete diagnostics, each with its place."""

    def __init__(self, lines: Sequence[str]):
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


def option_of(kind: type[Kind], option: str, value: str) -> Kind:
    """The member of an enumeration that the value of a pass's option names; PassFailedException, listing all, if none.

    Upper and lower case are the same. A pass also asks when it is made, so that a wrong value is an error of whoever
    chose the pass, and not of each kernel.
    """
    members = {str(member.value): member for member in kind}
    if value.lower() not in members:
        raise PassFailedException(f"unknown {option} '{value}'; known are {', '.join(members)}")
    return members[value.lower()]
