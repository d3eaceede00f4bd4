"""The one exception of the driver: a mistake of the user, or a failure that was already reported."""

from __future__ import annotations


class DriverError(Exception):
    """Stops the command with exit status 1. The text is for the user; it is empty when it was already printed."""
