"""`--stage`: Triton's whole pipeline from a TTIR or TTGIR file, with dotload's passes in their places, with no GPU."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotload.plugin.triton_types import IR, Backend, Context, Module, Target, libtriton
from dotload.tools.compile_options import AMD_ARCHITECTURE
from dotload.tools.opt.command_line import Command
from dotload.tools.opt.diagnostics import Capture
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.libtriton import package_folder, wheel
from dotload.tools.opt.runner import INTEL_DIALECTS
from dotload.tools.opt.timing import Share, Timing

_MODULE_TARGET = re.compile(r'ttg\.target"? = "(\w+:\w+)"')
# A function without a visibility keyword is public.
_KERNEL = re.compile(r"^  tt\.func (?!private )(?:\w+ )?@([\w.$-]+|\"[^\"]*\")", re.MULTILINE)
_FIXED_BY_TTGIR = ("num_warps", "num_ctas")
# `sass` is not a stage of Triton: it is the disassembled cubin.
_SASS, _CUBIN = "sass", "cubin"
_NOT_WITH_STAGE = {
    "split_marker": "--split-input-file",
    "verify_diagnostics": "--verify-diagnostics",
    "allow_unregistered": "--allow-unregistered-dialect",
    "dump_pipeline": "--dump-pass-pipeline",
}
_ARCHITECTURES = {"cuda": r"\d{2,3}[af]?", "hip": AMD_ARCHITECTURE, "xpu": ".+"}
_DEFAULT_LANES = {"cuda": 32, "hip": 64, "xpu": 16}


@dataclass(frozen=True)
class Source:
    """The input: the file that libtriton reads it from, and its name in messages."""

    path: str
    name: str

    @classmethod
    @contextlib.contextmanager
    def of(cls, file: str, text: str) -> Generator[Source, None, None]:
        """The source of an input file or of standard input."""
        if file != "-":
            yield cls(file, file)
            return
        with tempfile.TemporaryDirectory(prefix="dotload") as folder:
            path = Path(folder) / "input.mlir"
            path.write_text(text)
            yield cls(str(path), "<stdin>")


@dataclass(frozen=True)
class Facts:
    """A module's own compile settings; `stage` is the stage whose result it is."""

    stage: str
    target: str | None
    fixed: dict[str, int]
    """Compile options that the layouts of a TTGIR module depend on."""

    @classmethod
    def of(cls, module: Module) -> Facts:
        fixed: dict[str, int] = {}
        for name in _FIXED_BY_TTGIR:
            value = module.get_int_attr(f"ttg.{name.replace('_', '-')}")
            if value is not None:
                fixed[name] = value
        target = _MODULE_TARGET.search(str(module))
        return cls("ttgir" if "num_warps" in fixed else "ttir", target[1] if target else None, fixed)


def run_stage(command: Command, text: str, timing: Timing) -> str | bytes:
    """The result of `--stage`: text, or the bytes of an object file; with `--diff` a unified diff."""
    if command.passes:
        raise DriverError("--stage runs Triton's own pipeline: run passes before or after it, through a pipe")
    for field, flag in _NOT_WITH_STAGE.items():
        if getattr(command, field):
            raise DriverError(f"--stage runs Triton's own pipeline, which has no {flag}")
    if command.print_after_all or command.print_before_all:
        os.environ["MLIR_ENABLE_DUMP"] = "1"
    with Source.of(command.input, text) as source, _warnings_as_diagnostics(source.name):
        if not command.diff:
            return _compile(command, source, timing, with_dotload=not command.no_dotload)
        stock = _compile(command, source, timing, with_dotload=False)
        ours = _compile(command, source, timing, with_dotload=True)
    if isinstance(stock, bytes) or isinstance(ours, bytes):
        raise DriverError(f"--diff compares text, and {command.stage} is an object file; --stage=sass shows its code")
    before, after = (text.splitlines(keepends=True) for text in (stock, ours))
    return "".join(difflib.unified_diff(before, after, f"{command.stage} (stock)", f"{command.stage} (dotload)"))


@contextlib.contextmanager
def _warnings_as_diagnostics(name: str) -> Generator[None, None, None]:
    """Print Python's warnings as a compiler prints its own."""

    def show(message: Warning | str, *_: Any) -> None:
        print(f"{name}:1:1: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@dataclass(frozen=True)
class Pipeline:
    """Triton's stages for one module: each key of `stages` transforms the result of the key before it."""

    module: Module
    facts: Facts
    backend: Backend
    options: Any
    stages: dict[str, Any]

    @classmethod
    def of(cls, command: Command, source: Source) -> Pipeline:
        """Triton's own stages; DriverError for a target that the wheel does not support."""
        ir = libtriton().ir
        language = importlib.import_module("triton.backends.compiler").Language.TRITON
        make_backend = importlib.import_module("triton.compiler.compiler").make_backend
        context = ir.context()
        ir.load_dialects(context)
        module = _parse(ir, source, context)
        facts = Facts.of(module)
        target = _target(command.target or facts.target)
        stages: dict[str, Any] = {}
        try:
            backend: Backend = make_backend(target)
            backend.load_dialects(context)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # advice on environment variables, for launches
                options = backend.parse_options(_options(command, facts))
            backend.add_stages(stages, options, language)
        except DriverError:
            raise
        except Exception as error:  # whatever a backend raises, the target or an option is the cause
            raise DriverError(f"{wheel()} cannot compile for {_name(target)}: {_one_line(error)}") from error
        return cls(module, facts, backend, options, stages)

    def splice(self) -> Callable[[], None]:
        """Put dotload's passes at their places, as the plugin does for a kernel; returns what ends the compilation."""
        from dotload.plugin.selection import default_passes
        from dotload.plugin.stages import rework_stages

        backend = self.backend.target.backend
        passes = [spliced for spliced in default_passes() if backend in spliced.entry.backends]
        compilation = rework_stages(self.backend, self.stages, self.options, passes) if passes else None
        return compilation.finish if compilation else lambda: None

    def to_run(self, wanted: str) -> list[str]:
        """The stages from the module to `wanted`; DriverError for a stage that the target does not have."""
        names = list(self.stages)
        if wanted not in names:
            known = ", ".join([*names, *([_SASS] if _CUBIN in names else [])])
            raise DriverError(f"{_name(self.backend.target)} has no stage '{wanted}', but {known}")
        if (self.facts.stage, wanted) == ("ttir", "ttir"):
            return ["ttir"]  # a TTIR file may be of any origin: clean it up as make_ttir does
        return names[names.index(self.facts.stage) + 1 : names.index(wanted) + 1]


def _check_kernels(pipeline: Pipeline, names: list[str], source: Source) -> None:
    """DriverError where Triton would abort: on a module without a kernel, and from `llir` on with several."""
    kernels = _KERNEL.findall(str(pipeline.module))
    if not kernels and set(names) - {"ttir"}:
        raise DriverError(f"{source.name}:1:1: error: the module has no kernel (a public tt.func)")
    if len(kernels) > 1 and set(names) - {"ttir", "ttgir"}:
        several = ", ".join(f"@{name}" for name in kernels)
        raise DriverError(f"{source.name}:1:1: error: Triton compiles one kernel at a time; the module has {several}")


def _compile(command: Command, source: Source, timing: Timing, *, with_dotload: bool) -> str | bytes:
    with timing.step(Share.MLIR, "Import triton, parse"):
        pipeline = Pipeline.of(command, source)
    names = pipeline.to_run(_CUBIN if command.stage == _SASS and _CUBIN in pipeline.stages else command.stage)
    _check_kernels(pipeline, names, source)
    finish = pipeline.splice() if with_dotload else lambda: None
    if with_dotload:
        if pipeline.facts.stage == "ttgir" and (command.diff or command.remarks):
            what = "the input is TTGIR: passes with a place in make_ttgir do not run; run them by their flags"
            print(f"{source.name}:1:1: remark: {what}", file=sys.stderr)
    target = pipeline.backend.target
    metadata: dict[str, Any] = {"target": target, "hash": "", "name": source.name, **vars(pipeline.options)}
    result: Any = pipeline.module
    for name in names:
        with timing.step(Share.PASS, f"make_{name}" + ("" if with_dotload else " (stock)")):
            result = _run(pipeline.stages[name], name, result, metadata, source)
    finish()
    if command.stage == _SASS:
        return disassemble(result)
    return result if isinstance(result, bytes) else _text(result)


def _run(stage: Any, name: str, module: Any, metadata: dict[str, Any], source: Source) -> Any:
    try:
        return stage(module, metadata)
    except Exception as error:  # whatever Triton raises, the user's input is the cause
        raise DriverError(f"{source.name}:1:1: error: make_{name} failed: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _name(target: Target) -> str:
    return f"{target.backend}:{target.arch}"


def _parse(ir: IR, source: Source, context: Context) -> Module:
    # Only with a handler does MLIR begin a message with file:line:col. It is destroyed before its context.
    sources = libtriton().llvm.source_mgr()
    handler = ir.source_mgr_diag(sources, context)
    said: list[str] = []
    try:
        with Capture().collect() as said:
            module = ir.parse_mlir_module(source.path, context)
    except RuntimeError:
        raise DriverError(_rejected(said[0].replace(source.path, source.name), source)) from None
    finally:
        del handler, sources
    module.context = context
    return module


def _rejected(said: str, source: Source) -> str:
    """The message for a file that MLIR rejects with these words."""
    if any(f"{dialect}{end}" in said for dialect in INTEL_DIALECTS for end in ('"', ".", "`")):
        what = f"{wheel()} does not know this module's Intel dialects: --stage compiles it with the wheel triton-xpu"
        return f"{source.name}:1:1: error: {what}"
    return said.rstrip("\n") or f"{source.name}:1:1: error: MLIR rejects this file"


def _target(text: str | None) -> Target:
    """`cuda:90` or `sm_90` as Triton's target; DriverError when it is missing or malformed."""
    if text is None:
        raise DriverError("--stage needs a target, and the file names none; give one, such as --target=cuda:90")
    spelled = re.sub(r"^sm_?(?=\d)", "cuda:", re.sub("^(?=gfx)", "hip:", text))
    backend, _, architecture = spelled.partition(":")
    if not re.fullmatch(_ARCHITECTURES.get(backend, "none"), architecture):
        raise DriverError(f"unknown target '{text}': write cuda:90 or sm_90, hip:gfx942 or the like")
    if backend == "cuda":
        architecture = architecture.rstrip("af")  # Triton turns 90 into sm_90a
    lanes = 32 if backend == "hip" and architecture.startswith("gfx1") else _DEFAULT_LANES[backend]
    gpu_target = importlib.import_module("triton.backends.compiler").GPUTarget
    return gpu_target(backend, int(architecture) if architecture.isdecimal() else architecture, lanes)


def _options(command: Command, facts: Facts) -> dict[str, Any]:
    """The compile options: the command's, and for TTGIR those that the module fixes."""
    options: dict[str, Any] = dict(facts.fixed)
    for name in ("num_warps", "num_stages", "num_ctas"):
        value = getattr(command, name)
        if value is None:
            continue
        if options.setdefault(name, value) != value:
            flag = name.replace("_", "-")
            raise DriverError(f"--{flag}={value}, but the TTGIR file was made for {options[name]}")
    return options


def _text(result: Any) -> str:
    if isinstance(result, str):
        return result if result.endswith("\n") else result + "\n"
    return result.str_nodebug().rstrip("\n") + "\n"


def disassemble(cubin: bytes, *, with_lines: bool = False) -> str:
    """The SASS of `cubin`, by the nvdisasm in the triton wheel; `with_lines` adds the source lines."""
    path = package_folder() / "backends" / "nvidia" / "bin" / "nvdisasm"
    if not path.exists():
        raise DriverError(f"{wheel()} has no nvdisasm, which --stage=sass needs; use --stage=ptx")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        result = subprocess.run(
            [str(path), "-c", *(["-g"] if with_lines else []), file.name], capture_output=True, text=True, check=False
        )
    if result.returncode:
        raise DriverError(f"nvdisasm failed: {result.stderr.strip()}")
    return result.stdout


def print_remarks() -> None:
    """Print the passes' remarks to standard error."""
    from dotload.plugin.report import report

    for remark in report(clear=True):
        print(remark, file=sys.stderr)
