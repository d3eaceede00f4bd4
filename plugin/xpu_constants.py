"""Values of constexpr parameters as JSON, for the environment that has triton-xpu.

Numbers, words and None go as they are. A type, a tuple and a `@triton.jit` function go as an object with one key.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from dotload.plugin.triton_types import JitFunction
from dotload.plugin.xpu_request import XeCompileError

_PLAIN = (bool, int, float, str)


def file_of(kernel: JitFunction) -> str:
    """The Python file that defines a kernel."""
    return str(Path(inspect.getfile(cast("Any", kernel).fn)).resolve())


def encoded(constants: Mapping[str, Any]) -> dict[str, Any]:
    """The values as JSON takes them; raises XeCompileError for one of another kind, and names its parameter."""
    return {name: _encoded(name, value) for name, value in constants.items()}


def decoded(constants: Mapping[str, Any], load: Callable[[str, str], Any]) -> dict[str, Any]:
    """The values again, in the process that compiles. `load`: a kernel, from its file and name."""
    return {name: _decoded(value, load) for name, value in constants.items()}


def _encoded(name: str, value: Any) -> Any:
    kind = type(value).__name__
    if value is None or isinstance(value, _PLAIN):
        return value
    if kind == "tuple":
        return {"tuple": [_encoded(name, part) for part in value]}
    if kind == "constexpr":
        return _encoded(name, value.value)
    if kind == "dtype":
        return {"dtype": value.name}
    if kind == "JITFunction":
        return {"function": [file_of(value), value.__name__]}
    raise XeCompileError(
        f"the constant {name} has to be a number, a word, None, a type of triton.language, a @triton.jit function or a "
        f"tuple of these, got {kind}"
    )


def _decoded(value: Any, load: Callable[[str, str], Any]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = cast("dict[str, Any]", value).items()
    if kind == "tuple":
        return tuple(_decoded(part, load) for part in content)
    return load(*content) if kind == "function" else importlib.import_module("triton.language").dtype(content)
