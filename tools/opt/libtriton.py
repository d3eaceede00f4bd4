"""Finds and loads libtriton without `import triton`: 0.05 s instead of a second."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dotload.tools.opt.cpp_passes import Binding, CppPass
from dotload.tools.opt.errors import DriverError

if TYPE_CHECKING:
    from dotload.plugin import triton_types as bound

_NO_WHEEL = "no triton wheel is installed: `pip install triton` (3.6 or newer)"
# The name under which `import triton` loads the library: a later import of triton then finds this one.
_MODULE_NAME = "triton._C.libtriton"
# Distributions that install a package `triton`.
_DISTRIBUTIONS = ("triton", "triton-xpu")
# Modules of libtriton that register dialects and bind passes, besides `passes` itself.
_BACKENDS = ("nvidia", "amd", "intel", "proton")
# nanobind writes `(arg0: libtriton.ir.pass_manager, arg1: int, /)`, pybind11 `(arg0: ..., arg1: typing.SupportsInt)`.
_PARAMETER = re.compile(r"\w+: ([\w.:\[\]| ]+?)(?=, |\))")


def library_path() -> Path | None:
    """The path of the installed libtriton; None without one."""
    spec = importlib.util.find_spec("triton")
    if spec is None or not spec.submodule_search_locations:
        return None
    for folder in spec.submodule_search_locations:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = Path(folder) / "_C" / f"libtriton{suffix}"
            if path.exists():
                return path
    return None


def package_folder() -> Path:
    """The folder of the package `triton`; DriverError without one."""
    path = library_path()
    if path is None:
        raise DriverError(_NO_WHEEL)
    return path.parents[1]


@cache
def is_intels() -> bool:
    """Whether the installed wheel is triton-xpu, whose C++ passes know Intel's dialects."""
    path = library_path()
    return path is not None and (path.parents[1] / "backends" / "intel").is_dir()


def wheel() -> str:
    """Name and version of the installed wheel, as in `triton 3.9.0`."""
    from importlib.metadata import PackageNotFoundError, version

    for name in _DISTRIBUTIONS:
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return "triton (unknown version)"


@dataclass(frozen=True)
class Libtriton:
    """The loaded library: its Python module and the path of the shared object."""

    module: bound.Libtriton
    path: Path

    def new_context(self) -> bound.Context:
        """An MLIR context with every dialect that the library knows."""
        context = self.module.ir.context()
        self.module.ir.load_dialects(context)
        for name in _BACKENDS:
            load_dialects = getattr(getattr(self.module, name, None), "load_dialects", None)
            if load_dialects is not None:
                load_dialects(context)
        return context

    def function(self, path: str) -> Any | None:
        """The function at `path` below the module, as `passes.ttgpuir.add_pipeline`; None if it is not bound."""
        found: Any = self.module
        for name in path.split("."):
            found = getattr(found, name, None)
            if found is None:
                return None
        return found

    def parameters(self, path: str) -> list[str]:
        """The types of a binding's parameters after the pass manager, as its docstring gives them."""
        return parameter_types(self.function(path))

    def fitting(self, row: CppPass) -> Binding | None:
        """The binding of the row that fits this version: same path, same number of options, same option names."""
        return next((binding for binding in row.bindings if self._fits(binding)), None)

    def add(self, manager: bound.PassManager, binding: Binding, options: dict[str, str]) -> None:
        """Add the pass of `binding` to `manager` with `options` over the binding's defaults."""
        types = self.parameters(binding.path)
        values = [
            self._convert(options.get(name, default), type_name)
            for (name, default), type_name in zip(binding.options, types, strict=True)
        ]
        add_pass = self.function(binding.path)
        assert add_pass is not None, binding.path
        add_pass(manager, *values)

    def _fits(self, binding: Binding) -> bool:
        if self.function(binding.path) is None:
            return False
        return len(self.parameters(binding.path)) == len(binding.options) and all(
            name in self._pipeline_text(binding) for name, _ in binding.options if name != "-"
        )

    def _pipeline_text(self, binding: Binding) -> str:
        manager = self.module.ir.pass_manager(self._probe_context)
        self.add(manager, binding, {})
        return manager.get_pipeline_str()

    @cached_property
    def _probe_context(self) -> bound.Context:
        return self.new_context()

    def _convert(self, text: str, type_name: str) -> Any:
        """`text` as the value that a parameter of `type_name` takes."""
        if type_name == "bool":
            return _boolean(text)
        if type_name == "int" or type_name.startswith("typing.SupportsInt"):
            return _integer(text)
        if type_name == "str":
            return text
        if type_name == "list[str]":
            return [word for word in text.split(",") if word]
        kind = self.function(type_name.rpartition("libtriton.")[2])
        if kind is None:  # a type known only by its C++ name, such as `mlir::triton::nvidia_gpu::ClusterInfo`
            kind = self.module.nvidia.ClusterInfo
        return getattr(kind, text.upper()) if text else kind()


def load() -> Libtriton:
    """Load libtriton; DriverError with advice if there is none."""
    path = library_path()
    if path is None:
        raise DriverError(_NO_WHEEL)
    if _MODULE_NAME not in sys.modules:
        os.environ.setdefault("MLIR_ENABLE_DIAGNOSTICS", "warnings,remarks")  # read by the bound pass manager
        spec = importlib.util.spec_from_file_location(_MODULE_NAME, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[_MODULE_NAME] = module
        spec.loader.exec_module(module)
    return Libtriton(cast("bound.Libtriton", sys.modules[_MODULE_NAME]), path)


def parameter_types(function: Any) -> list[str]:
    """The types of a binding's parameters after the pass manager."""
    signature = next(line for line in (function.__doc__ or "").splitlines() if "(" in line)
    return _PARAMETER.findall(signature)[1:]


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise DriverError(f"'{text}' is not a boolean; write true or false")
    return text.lower() in ("true", "1")


def _integer(text: str) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        raise DriverError(f"'{text}' is not an integer") from None
    if not -(1 << 31) <= number < 1 << 31:
        raise DriverError(f"'{text}' is not a 32-bit integer")
    return number
