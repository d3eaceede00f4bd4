"""The time limit of tests."""

HANG_SECONDS = 600
"""What has not ended by then hangs: at least ten times what the slowest takes on a busy machine."""
