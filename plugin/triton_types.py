"""Triton's objects as dotload uses them: Triton and its library come without stubs.

A protocol has the few methods that are used, in the form that all supported versions share; `Any` stands for objects
that are only handed back to Triton. Importing this module does not import Triton.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any, Protocol, cast

Stage = Callable[[Any, dict[str, Any]], Any]
"""A stage of Triton: (module or text, metadata) -> the next module or text; the last stage returns an ELF file."""


class Value(Protocol):
    """`ir.value`"""

    def get_type(self) -> object: ...


class Block(Protocol):
    """`ir.block`"""

    def id(self) -> int: ...


class Operation(Protocol):
    """`ir.operation`"""

    def get_block(self) -> Block: ...
    def get_name(self) -> str: ...
    def get_num_operands(self) -> int: ...
    def get_operand(self, index: int, /) -> Value: ...
    def get_num_results(self) -> int: ...
    def get_result(self, index: int, /) -> Value: ...
    def get_str_attr(self, name: str, /) -> str | None: ...


class Context(Protocol):
    """`ir.context`"""

    def printOpOnDiagnostic(self, whether: bool, /) -> None: ...


class Module(Protocol):
    """`ir.module`; Triton keeps the context of a module alive as an attribute of it."""

    context: Context

    def get_operation(self) -> Operation: ...
    def get_int_attr(self, name: str, /) -> int | None: ...
    def set_attr(self, name: str, attribute: object, /) -> None: ...
    def walk(self, visit: Callable[[Operation], None], /) -> None: ...
    def str_nodebug(self) -> str: ...


class Builder(Protocol):
    """`ir.builder`"""

    def get_unit_attr(self) -> object: ...
    def get_string_attr(self, text: str, /) -> object: ...


class PassManager(Protocol):
    """`ir.pass_manager`"""

    def enable_debug(self) -> bool: ...
    def get_pipeline_str(self) -> str: ...
    def run(self, module: Any, /, *tag: str) -> None: ...


class IR(Protocol):
    """The module `ir` of libtriton."""

    def context(self) -> Context: ...
    def load_dialects(self, context: Context, /) -> None: ...
    def builder(self, context: Context, /) -> Builder: ...
    def pass_manager(self, context: Context, /) -> PassManager: ...
    def parse_mlir_module(self, path: str, context: Context, /) -> Module: ...
    def source_mgr_diag(self, sources: object, context: Context, /) -> object: ...


class Libtriton(Protocol):
    """The library: `passes`, `llvm` and the backends hold functions that are looked up by name."""

    @property
    def ir(self) -> IR: ...
    @property
    def passes(self) -> Any: ...
    @property
    def llvm(self) -> Any: ...
    @property
    def nvidia(self) -> Any: ...


class Target(Protocol):
    """`triton.backends.compiler.GPUTarget`: `arch` is 90 of sm_90, or a name as gfx942."""

    @property
    def backend(self) -> str: ...
    @property
    def arch(self) -> int | str: ...


class Backend(Protocol):
    """`triton.backends.compiler.BaseBackend`"""

    @property
    def target(self) -> Target: ...
    def load_dialects(self, context: Context, /) -> None: ...
    def parse_options(self, options: dict[str, Any], /) -> Any: ...
    def add_stages(self, stages: dict[str, Any], options: Any, language: Any, /) -> None: ...


class XpuBackend(Protocol):
    """`triton.backends.intel.compiler.XPUBackend` of triton-xpu 3.3: its stages, static methods, one by one."""

    properties: dict[str, Any]
    binary_ext: str

    def load_dialects(self, context: Context, /) -> None: ...
    def parse_options(self, options: dict[str, Any], /) -> Any: ...
    def get_codegen_implementation(self, options: Any, /) -> dict[str, Any]: ...
    def get_module_map(self) -> dict[str, Any]: ...
    def make_ttir(self, module: Module, metadata: dict[str, Any], options: Any, /) -> Module: ...
    def make_ttgir(
        self, module: Module, metadata: dict[str, Any], options: Any, properties: dict[str, Any], /
    ) -> Module: ...
    def make_llir(self, module: Module, metadata: dict[str, Any], options: Any, /) -> str: ...
    def make_spv(self, llir: str, metadata: dict[str, Any], options: Any, /) -> bytes: ...


class JitFunction(Protocol):
    """`triton.runtime.jit.JITFunction`: what `@triton.jit` makes."""

    __name__: str

    @property
    def arg_names(self) -> list[str]: ...


class RuntimeKnobs(Protocol):
    """`triton.knobs.runtime`"""

    add_stages_inspection_hook: Callable[..., Any] | None


def libtriton() -> Libtriton:
    """The library, which `import triton` loads."""
    return cast("Libtriton", importlib.import_module("triton._C.libtriton"))


def runtime_knobs() -> RuntimeKnobs:
    """The settings that hold the hook."""
    return importlib.import_module("triton.knobs").runtime


def version() -> str:
    """The version of the installed Triton."""
    try:
        return importlib.import_module("triton").__version__
    except ModuleNotFoundError as error:
        raise ImportError("dotload needs Triton: pip install 'dotload[triton]'") from error


def minor_version() -> tuple[int, int]:
    """The first two numbers of the version; (0, 0) if it does not begin with two numbers."""
    numbers = re.match(r"(\d+)\.(\d+)", version())
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
