"""Runs Triton's C++ passes: libtriton parses, transforms and prints."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import re
import sys
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dotload.tools.opt import cpp_passes, libtriton, pipeline
from dotload.tools.opt.cpp_passes import CppPass
from dotload.tools.opt.diagnostics import Capture
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.exported import Exported, mangled
from dotload.tools.opt.libtriton import Libtriton
from dotload.tools.opt.pipeline import PassElement

if TYPE_CHECKING:
    from dotload.plugin.triton_types import Context, Module, PassManager

# The error for a wheel that hides MLIR's symbols.
_HIDDEN = "{wheel} hides MLIR's C++ functions, so {what}; Triton 3.7 and newer on x86-64 export them"

# Names that different versions of Triton give the same option.
_RENAMED_OPTIONS = (frozenset({"arch", "gfx-arch", "arch-generation-name"}),)
_PASS_NAME = re.compile(r"[\w-]+")
_LOCATION_ALIAS = re.compile(r"^#loc\d* = .*\n", re.MULTILINE)
_LOCATION = re.compile(r" loc\((?:#\w+|unknown|callsite\([^)]*\)|\"[^\"\n]*\"(?::\d+:\d+|\([^)]*\))?)\)")
# A handler must be destroyed before its context, which Python does not guarantee: so nothing is destroyed.
_IMMORTAL: list[Any] = []


@dataclass
class CppEngine:
    """One MLIR context with the settings of the command."""

    library: Libtriton
    exported: Exported | None
    context: Context
    verify_each: bool = True
    flags: Sequence[str] = ()
    _dialects: dict[str, bool] = field(default_factory=dict[str, bool])
    _registered: set[str] = field(default_factory=set[str])

    @classmethod
    def load(
        cls,
        *,
        allow_unregistered: bool = False,
        flags: Sequence[str] = (),
        use_exported: bool = True,
        verify_each: bool = True,
        print_op_on_diagnostic: bool = False,
    ) -> CppEngine:
        """Load libtriton. `flags` are LLVM's own (printing, debugging); `use_exported` False keeps to the bindings."""
        library = libtriton.load()
        exported = Exported.load(library.path) if use_exported else None
        engine = cls(library, exported, library.new_context(), verify_each, flags)
        if allow_unregistered:
            engine._require("it cannot allow unregistered dialects").allow_unregistered_dialects(engine.context)
        if flags:
            engine._require(f"there is no {' '.join(flags)}").parse_flags(flags)
        # Only a handler makes MLIR print remarks and warnings. It borrows the source manager.
        sources = library.module.llvm.source_mgr()
        handler = library.module.ir.source_mgr_diag(sources, engine.context)
        _IMMORTAL.append((handler, sources, engine.context))
        engine.context.printOpOnDiagnostic(print_op_on_diagnostic)
        return engine

    def parse(self, path: str) -> Module:
        """The module in the file at `path`; DriverError if MLIR rejects it, after its diagnostics."""
        try:
            module = self.library.module.ir.parse_mlir_module(path, self.context)
        except RuntimeError:
            raise DriverError("") from None
        module.context = self.context
        return module

    def knows_dialect(self, name: str) -> bool:
        """Whether libtriton has this dialect, which then itself rejects a nonsensical attribute."""
        if name not in self._dialects:
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(f"module attributes {{test.probe = #{name}.nonsense}} {{}}")
                file.flush()
                with Capture().collect() as said, contextlib.suppress(DriverError):
                    self.parse(file.name)  # succeeds if unregistered dialects are allowed
            self._dialects[name] = "error" in said[0] and "unregistered dialect" not in said[0]
        return self._dialects[name]

    def run(self, module: Module, elements: Sequence[PassElement]) -> None:
        """Run the passes over `module`, in place; DriverError if one fails, after its diagnostics."""
        if self.exported:
            self._run_exported(self.exported, module, elements)
        else:
            self._run_bound(module, elements)

    def text(self, module: Module) -> str:
        """The module as triton-opt prints it."""
        if hasattr(module, "str_nodebug"):
            return module.str_nodebug().rstrip("\n")
        return _LOCATION.sub("", _LOCATION_ALIAS.sub("", str(module))).strip("\n")  # Triton 3.3

    @contextlib.contextmanager
    def plain_printing(self) -> Generator[None, None, None]:
        """Print modules in full inside the block, whatever the flags: text that crosses the bridge must be complete."""
        if not self.flags or self.exported is None:
            yield
            return
        self.exported.reset_flags()
        try:
            yield
        finally:
            self.exported.parse_flags(self.flags)

    def dump(self, elements: Sequence[PassElement]) -> None:
        """Print the passes as MLIR's `--dump-pass-pipeline` does; on a wheel that hides MLIR, print them as given."""
        if self.exported:
            self.exported.dump(self.context, self._registered_pipeline(self.exported, elements))
        else:
            print(pipeline.dump(elements), file=sys.stderr)

    def _run_exported(self, exported: Exported, module: Module, elements: Sequence[PassElement]) -> None:
        passes = self._registered_pipeline(exported, elements)
        if not exported.run(self.context, module, passes, verify_each=self.verify_each):
            raise DriverError("")

    def _registered_pipeline(self, exported: Exported, elements: Sequence[PassElement]) -> str:
        """The pipeline's text, once every pass in it is known to MLIR."""
        for element in elements:
            for name in (element.name, *_passes_in_options(element)):
                self._register(exported, name)
        return pipeline.body([self._with_todays_options(element) for element in elements])

    def _register(self, exported: Exported, flag: str) -> None:
        """Make `flag` known to MLIR's pipeline parser: by its creator, else by its binding with default options."""
        if flag in self._registered:
            return
        self._registered.add(flag)
        row = find(flag)
        creator = next((name for name in row.creators if exported.has(mangled(f"mlir::{name}"))), None)
        if creator:
            exported.register_creator(f"mlir::{creator}")
            return
        binding = self.library.fitting(row)
        if binding is None:
            raise DriverError(self._missing(row))

        def new_manager() -> PassManager:
            manager = self.library.module.ir.pass_manager(self.context)
            self.library.add(manager, binding, {})
            return manager

        exported.register_bound(new_manager)

    def _run_bound(self, module: Module, elements: Sequence[PassElement]) -> None:
        """Run the passes by bindings alone: these nest passes as required, and take the given options."""
        manager = self.library.module.ir.pass_manager(self.context)
        for element in elements:
            row = find(element.name)
            binding = self.library.fitting(row)
            if binding is None:
                raise DriverError(self._missing(row))
            known = dict(binding.options)
            options = dict(self._with_todays_options(element).option_list())
            for name in options:
                if name not in known:
                    takes = ", ".join(known) or "none"
                    what = f"'{row.flag}' takes only the options that its binding has ({takes}), not '{name}'"
                    raise DriverError(_HIDDEN.format(wheel=libtriton.wheel(), what=what))
            self.library.add(manager, binding, options)
        try:
            # Triton 3.3 takes the module alone; newer versions also take a tag for reproducers.
            manager.run(module, *(["dotload-opt"] if "arg1" in (manager.run.__doc__ or "") else []))
        except RuntimeError:
            raise DriverError("") from None

    def _with_todays_options(self, element: PassElement) -> PassElement:
        """The pass with options renamed as in this version, if another version names them differently."""
        row = find(element.name)
        binding = self.library.fitting(row) if element.options and len(row.bindings) > 1 else None
        if binding is None:
            return element
        today = {name for name, _ in binding.options}
        renamed = {other: name for group in _RENAMED_OPTIONS for name in group & today for other in group - today}
        options = " ".join(f"{renamed.get(name, name)}={value}" for name, value in element.option_list())
        return dataclasses.replace(element, options=options)

    def _missing(self, row: CppPass) -> str:
        if row.creators and not self.exported:
            what = f"it cannot make '{row.flag}', which has no Python binding there"
            return _HIDDEN.format(wheel=libtriton.wheel(), what=what)
        return (
            f"'{row.flag}' is a pass of another Triton version: {libtriton.wheel()} does not have it; "
            "--list-passes shows those it has"
        )

    def _require(self, what: str) -> Exported:
        if self.exported is None:
            raise DriverError(_HIDDEN.format(wheel=libtriton.wheel(), what=what))
        return self.exported


def find(flag: str) -> CppPass:
    """The row of `flag`; DriverError naming the nearest flags otherwise."""
    rows = cpp_passes.table()
    if flag in rows:
        return rows[flag]
    from dotload.tools.opt.listing import installed_flags

    near = difflib.get_close_matches(flag, installed_flags(), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; --list-passes shows them all"
    raise DriverError(f"unknown pass '{flag}'{hint}")


def _passes_in_options(element: PassElement) -> list[str]:
    """The passes that options such as the inliner's `op-pipelines` name."""
    pipelines = [value for name, value in element.option_list() if name.endswith(("pipeline", "pipelines"))]
    return [word for text in pipelines for word in _PASS_NAME.findall(text) if word in cpp_passes.table()]
