"""dotload makes the loads of matrix operands fast: a plugin for the Triton compiler.

    import dotload

    dotload.enable()            # kernels compiled from here on
    with dotload.enabled():     # or only those of this block
        ...
    with dotload.disabled():    # as stock Triton does
        ...
    dotload.report()            # what became of each load, and why

Nothing is imported until it is used: neither Triton nor xDSL.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dotload.passes.registry import Place, register_pass
    from dotload.plugin.hook import disable, disabled, enable, enabled
    from dotload.plugin.report import report
    from dotload.plugin.xpu import compile_xe
    from dotload.plugin.xpu_request import XeCompileError
    from dotload.tools.inspect import inspect

    __version__: str

_HOMES = {
    "Place": "dotload.passes.registry",
    "XeCompileError": "dotload.plugin.xpu_request",
    "compile_xe": "dotload.plugin.xpu",
    "disable": "dotload.plugin.hook",
    "disabled": "dotload.plugin.hook",
    "enable": "dotload.plugin.hook",
    "enabled": "dotload.plugin.hook",
    "inspect": "dotload.tools.inspect",
    "register_pass": "dotload.passes.registry",
    "report": "dotload.plugin.report",
}

__all__ = [
    "Place",
    "XeCompileError",
    "compile_xe",
    "disable",
    "disabled",
    "enable",
    "enabled",
    "inspect",
    "register_pass",
    "report",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'dotload' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes longer to import than most commands to run

    try:
        return version("dotload")
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
