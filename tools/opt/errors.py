"""The driver's only exception: a user's mistake, or a failure that was already reported."""

from __future__ import annotations


class DriverError(Exception):
    """Stops the command with exit status 1. The text is for the user; it is empty if it was already printed."""


def displayed(file: str) -> str:
    """The name of an input in messages, as in LLVM's tools."""
    return "<stdin>" if file == "-" else file


def located(message: str, file: str, line: int = 1) -> str:
    """The message, with a place in front if it has none: the first line of the input or chunk."""
    return message if ": error: " in message else f"{displayed(file)}:{line}:1: error: {message}"
