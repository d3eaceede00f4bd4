"""The emulator's only exception: a kernel that cannot run, or that broke a rule while running."""


class EmulatorError(Exception):
    """An error in a kernel, its arguments or its launch; the message is for the user."""
