"""Runs dotload's Python passes, and the user's, over xDSL's modules."""

from __future__ import annotations

import os
import sys
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from dotload import dialect_ext
from dotload.passes import registry, remarks
from dotload.passes.pass_options import unknown_option, wrong_option
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.pipeline import PassElement

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


@dataclass(frozen=True)
class PythonEngine:
    """The command's settings for Python passes."""

    file: str
    verify_each: bool = True
    show_remarks: bool = False
    global_options: tuple[str, ...] = ()
    """Options (without value) that flags of the driver turn on in every pass that has them."""

    def parse(self, text: str) -> ModuleOp:
        """Read Triton's assembly or generic form; a located DriverError if it is malformed."""
        from dotload.dialect_ext.errors import SourceError

        try:
            return dialect_ext.parse_module(text, self.file)
        except SourceError as error:
            raise DriverError(str(error)) from error

    def text(self, module: ModuleOp, generic: bool, locations: bool, local_scope: bool = False) -> str:
        """The module as text, without the newline at its end."""
        text = dialect_ext.print_module(module, generic, print_locations=locations, local_scope=local_scope)
        return text.rstrip("\n")

    def run(self, module: ModuleOp, element: PassElement) -> None:
        """Run one pass over `module`, in place."""
        entry = registry.find(element.name)
        self.apply(module, entry.name, self.instantiate(entry, element))

    def apply(self, module: ModuleOp, name: str, instance: ModulePass) -> None:
        """Run a pass of this name over `module`, in place."""
        from xdsl.utils.exceptions import DiagnosticException, PassFailedException, VerifyException

        from dotload.layout.linear import LayoutError
        from dotload.passes.errors import LocatedFailure, LocatedFailures
        from dotload.plugin.bridge import xdsl_context

        found: list[remarks.Remark] = []
        try:
            with remarks.collect() as found:
                instance.apply(xdsl_context(), module)
            if self.verify_each:
                module.verify()
        except LocatedFailures as error:
            raise DriverError("\n".join(error.lines)) from error
        except (PassFailedException, VerifyException, DiagnosticException, LayoutError) as error:
            place = error.place if isinstance(error, LocatedFailure) else remarks.UNKNOWN
            raise DriverError(self._diagnostic(module, f"'{name}' failed: {_one_line(error)}", place)) from error
        except Exception as error:
            what = f"'{name}' failed: {type(error).__name__}: {_one_line(error)}; --traceback shows where"
            raise DriverError(self._diagnostic(module, what)) from error
        finally:
            if self.show_remarks:
                for remark in found:
                    print(remark, file=sys.stderr)

    def instantiate(self, entry: registry.PassEntry, element: PassElement) -> ModulePass:
        """The pass with the options of `element`; DriverError for an option it does not have, or a wrong value."""
        from xdsl.utils.arg_spec import ArgSpec
        from xdsl.utils.exceptions import PassFailedException

        known = entry.options()
        given = [(name, text) for name, text in element.option_list() if not _is_retired(entry, name, text)]
        options = {_option(name): text for name, text in given}
        if element.name in entry.aliases:
            options = dict(entry.alias_options) | options
        options = _from_environment(known) | options
        for name, _ in given:
            if _option(name) not in known:
                raise DriverError(unknown_option(entry, name))
        options |= {name: "true" for name in self.global_options if name in known and name not in options}
        values = {name: _values(text, str(known[name].type)) for name, text in options.items()}
        arguments = {name.replace("-", "_"): each for name, each in values.items()}
        try:
            return cast("Any", entry.load()).from_spec(ArgSpec(entry.name, arguments))
        except (ValueError, PassFailedException) as error:
            raise DriverError(wrong_option(entry, values) or f"'{element}': {_one_line(error)}") from error

    def _diagnostic(self, module: ModuleOp, message: str, place: str = remarks.UNKNOWN) -> str:
        place = remarks.where(module) if place == remarks.UNKNOWN else place
        if place == remarks.UNKNOWN or place.endswith(":0:0"):  # a module without a location in the file
            place = f"{self.file}:1:1"
        return f"{place}: error: {message}"


# Environment variables of Intel's passes -> the equivalent option here.
_ENVIRONMENT = {
    "TRITON_INTEL_2DBLOCK_ASSERT": "asserts",
    "TRITON_INTEL_ENABLE_BLOCK_IO_ALL_LAYOUTS": "all-layouts",
    "TRITON_INTEL_ONE_MATRIX_PER_LOAD_BT": "one-matrix-per-load",
}
# Former spellings of options, with dashes -> those of today.
_FORMER_OPTIONS = {"one-matrix-per-load-for-bt": "one-matrix-per-load"}
_TRUE, _FALSE = ("1", "true", "on"), ("", "0", "false", "off")
# Pass -> its former options in Intel's backend, with dashes -> the values that ask for what is done here anyway.
_RETIRED_OPTIONS = {
    "convert-triton-intel-gpu-to-llvm": {"use-tile-load-linear-layout": (*_TRUE, *_FALSE), "advanced-path": _FALSE}
}


def _from_environment(known: Container[str]) -> dict[str, str]:
    """The options set by Intel's variables, as far as a pass has them; DriverError for an invalid value."""
    found: dict[str, str] = {}
    for variable, option in _ENVIRONMENT.items():
        value = os.environ.get(variable)
        if value is None or option not in known:
            continue
        if value.lower() not in (*_TRUE, *_FALSE):
            raise DriverError(f"{variable}={value}: the value is 1 or 0")
        found[option] = "true" if value.lower() in _TRUE else "false"
    return found


def _option(name: str) -> str:
    """The name of an option here. Some of Intel's passes spell theirs with underscores."""
    dashed = name.replace("_", "-")
    return _FORMER_OPTIONS.get(dashed, dashed)


def _is_retired(entry: registry.PassEntry, name: str, text: str) -> bool:
    values = _RETIRED_OPTIONS.get(entry.name, {}).get(name.replace("_", "-"), ())
    return text.lower() in values


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _values(text: str, type_name: str) -> tuple[Any, ...]:
    """The text of an option as xDSL's pass specifications hold it: a tuple of base values."""
    if type_name.startswith("str"):
        return (text.strip("\"'"),)
    if type_name.startswith("bool") and text in ("0", "1"):  # as LLVM's tools accept
        return (text == "1",)
    return tuple(map(_value, text.split(",")))


def _value(word: str) -> Any:
    if word in ("true", "false"):
        return word == "true"
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word.strip("\"'")
