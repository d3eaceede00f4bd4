"""dotload makes the loads of matrix operands fast: a plugin for the Triton compiler."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("dotload")
except PackageNotFoundError:  # a source tree on the path, not installed
    __version__ = "0+unknown"
