"""Intel Xe subgroup builtins on a plain CPU.

`run` takes the LLVM IR of a kernel as Intel's Triton backend emits it, and numpy arrays. It shares no code with
dotload's own layouts and plans, so its results can judge them.
"""

from dotload.emulator.errors import EmulatorError
from dotload.emulator.report import Report, SiteCount, render
from dotload.emulator.runner import run
from dotload.emulator.sites import Kind, Site

__all__ = ["EmulatorError", "Kind", "Report", "Site", "SiteCount", "render", "run"]
