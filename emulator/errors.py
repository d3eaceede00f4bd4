"""The one exception of the emulator: a kernel that cannot run, or one that broke a rule while it ran."""


class EmulatorError(Exception):
    """A mistake in a kernel, its arguments or its launch; the message is meant for the user."""
