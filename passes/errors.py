"""Errors of a pass that the user sees, at the place in the program that they concern."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from dotload.passes.remarks import where


class LocatedFailure(PassFailedException):
    """A pass cannot go on because of one op; `place` is its file:line:column."""

    def __init__(self, at: Operation, message: str):
        super().__init__(message)
        self.place = where(at)


class LocatedFailures(PassFailedException):
    """A pass has found mistakes; `lines` are complete diagnostics, each with its place."""

    def __init__(self, lines: Sequence[str]):
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)
