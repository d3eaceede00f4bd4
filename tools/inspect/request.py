"""A kernel to inspect: its file, the types of its arguments, its constants and the target."""

from __future__ import annotations

import ast
import atexit
import difflib
import importlib
import importlib.util
import re
import shutil
import sys
import tempfile
import tokenize
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from dotload.plugin import xpu_request
from dotload.plugin.triton_types import JitFunction, Target
from dotload.tools.compile_options import AMD_ARCHITECTURE, refusal
from dotload.tools.failures import Unreadable, read_text

XE_TARGETS = xpu_request.TARGETS
INTERPRETED = "InterpretedFunction"
"""The class of kernels under TRITON_INTERPRET=1."""
_AMD_LANES = {True: 64, False: 32}


class InspectError(Exception):
    """An invalid request, or a kernel that does not compile; the message is for the user."""


@dataclass(frozen=True)
class Request:
    """A compilation. `types`: the type of every parameter, in order; "constexpr" for those in `constants`."""

    kernel: JitFunction
    types: Mapping[str, str]
    constants: Mapping[str, Any]
    target: str
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        kernel: JitFunction,
        signature: Mapping[str, str] | Sequence[str],
        constants: Mapping[str, Any],
        target: str,
        options: Mapping[str, Any],
    ) -> Request:
        """The request, checked against the kernel's parameters."""
        for name, value in options.items():
            if (problem := refusal(name, value)) is not None:
                raise InspectError(problem)
        kernel = unwrapped(kernel)
        constants = default_constants(kernel) | dict(constants)
        given: Mapping[str, str] | Sequence[str] = signature
        if isinstance(signature, Mapping):  # Triton makes an argument that is 1 a constant
            constants |= {name: 1 for name, type_ in signature.items() if type_.endswith(":1")}
            given = {name: type_ for name, type_ in signature.items() if not type_.endswith(":1")}
            _check_that_all_are_given(kernel, {*given, *constants})
        try:
            types = xpu_request.signature_of(kernel, given, constants)
        except xpu_request.XeCompileError as error:
            raise InspectError(str(error)) from error
        return cls(kernel, {name: _canonical(name, type_) for name, type_ in types.items()}, constants, target, options)

    @property
    def is_for_xe(self) -> bool:
        """Whether Intel's backend compiles the kernel, in another environment."""
        return self.target in XE_TARGETS

    @property
    def file(self) -> str:
        """The kernel's file."""
        return str(Path(sys.modules[self.kernel.__module__].__file__ or "").resolve())

    @property
    def unpromised(self) -> tuple[str, ...]:
        """The pointers and integers without a promise to be divisible by 16."""
        numbers = ("constexpr", "tensordesc", "fp", "bf")
        return tuple(
            name
            for name, type_ in self.types.items()
            if not type_.startswith(numbers) and type_ != "i1" and not type_.endswith(":16")
        )

    def gpu_target(self) -> Target:
        """The target as Triton takes it."""
        return parse_target(self.target)

    def source(self) -> Any:
        """The source that triton.compile takes; Gluon's class for a Gluon kernel."""
        promised = xpu_request.attributes_of(self.kernel, self.types)
        signature = {name: type_.partition(":")[0] for name, type_ in self.types.items()}
        constants = {(self.kernel.arg_names.index(name),): value for name, value in self.constants.items()}
        return source_class(self.kernel)(self.kernel, signature, constants, promised)


def _check_that_all_are_given(kernel: Any, given: set[str]) -> None:
    """Raise InspectError for missing parameters, with the arguments to type."""
    missing = [parameter for parameter in kernel.params if parameter.name not in given]
    flags = " ".join(
        f"--const {parameter.name}=VALUE" if parameter.is_constexpr else f"--arg {parameter.name}=TYPE"
        for parameter in missing
    )
    if flags:
        raise InspectError(f"{kernel.__name__} also needs {flags} (a TYPE is such as '*fp16:16' or i32:16)")


def _canonical(name: str, type_: str) -> str:
    """The type with its element as Triton names it: fp8e4nv of float8_e4m3fn; InspectError for an unknown one."""
    known: Mapping[str, str] = importlib.import_module("triton._utils").type_canonicalisation_dict
    found = re.fullmatch(r"(\*?k?)(?:torch\.|tl\.)?([\w.]+)((?::.*)?)", type_)
    if type_.startswith(("tensordesc", "(", "[")) or type_ == "constexpr":  # a descriptor or tuple, which Triton parses
        return type_
    pointer, element, promise = found.groups() if found else ("", type_, "")
    if element not in known:
        near = difflib.get_close_matches(element, known, n=1, cutoff=0.5)
        hint = f"did you mean {pointer}{near[0]}{promise}?" if near else "such as *fp16:16, *fp8e4nv:16 or i32"
        raise InspectError(f"--arg {name}: unknown type '{type_}'; {hint}")
    return f"{pointer}{known[element]}{promise}"


def source_class(kernel: JitFunction) -> Any:
    """ASTSource, or Gluon's for a Gluon kernel."""
    if getattr(kernel, "is_gluon", lambda: False)():
        return importlib.import_module("triton.experimental.gluon._runtime").GluonASTSource
    return importlib.import_module("triton.compiler").ASTSource


def unwrapped(kernel: Any) -> JitFunction:
    """The function below `triton.autotune` and `triton.heuristics`."""
    if type(kernel).__name__ == INTERPRETED:
        raise InspectError(
            f"TRITON_INTERPRET is set, so that {kernel.__name__} is interpreted and not compiled: unset it"
        )
    while not hasattr(kernel, "arg_names") or type(kernel).__name__ in ("Autotuner", "Heuristics"):
        if not hasattr(kernel, "fn"):
            raise InspectError(f"{getattr(kernel, '__name__', kernel)} is not a @triton.jit kernel")
        kernel = kernel.fn
    return kernel


def line_of(kernel: Any) -> int:
    """The line of its `def`, below the decorators; of a kernel in a function, too."""
    above = next(n for n, text in enumerate(kernel.raw_src) if text.lstrip().startswith("def "))
    return kernel.starting_line_number + above


def default_constants(kernel: JitFunction) -> dict[str, Any]:
    """The constexpr parameters that have a default."""
    return {
        parameter.name: parameter.default
        for parameter in getattr(kernel, "params", ())
        if parameter.is_constexpr and parameter.has_default
    }


def parse_target(text: str) -> Target:
    """sm_90, cuda:90, gfx942 or hip:gfx942 as Triton's target."""
    gpu_target = importlib.import_module("triton.backends.compiler").GPUTarget
    if found := re.fullmatch(r"(?:sm_|cuda:|sm)(\d{2,3})[af]?", text):
        return gpu_target("cuda", int(found[1]), 32)
    if found := re.fullmatch(f"(?:hip:)?({AMD_ARCHITECTURE})", text):
        return gpu_target("hip", found[1], _AMD_LANES[found[1].startswith("gfx9")])
    known = f"sm_80 to sm_121, gfx942 and the like, {', '.join(XE_TARGETS)}"
    raise InspectError(f"unknown target '{text}'; known: {known}")


def parse_argument(text: str) -> tuple[str, str]:
    """`a=*fp8e4nv:16` as name and type."""
    name, equals, type_ = text.partition("=")
    if not equals or not name.isidentifier() or not type_:
        raise InspectError(f"--arg: '{text}' is not NAME=TYPE such as a=*fp16:16 or K=i32")
    return name, type_


def parse_constant(text: str) -> tuple[str, Any]:
    """`BLOCK_M=128` as name and value; tl.float32 and the like are Triton's types, other words are strings."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InspectError(f"--const: '{text}' is not NAME=VALUE such as BLOCK_M=128")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        language = importlib.import_module("triton.language")
        return name, getattr(language, value.removeprefix("tl."), value)


def load_kernel(place: str) -> JitFunction:
    """The kernel of `FILE.py:NAME`; of `FILE.py` if it has only one kernel."""
    file, colon, name = place.rpartition(":")
    if not colon:
        file, name = place, ""
    module = _import(file)
    kernels: dict[str, Any] = {key: value for key, value in vars(module).items() if _is_kernel(value)}
    if not name and len(kernels) == 1:
        return unwrapped(next(iter(kernels.values())))
    if name not in kernels:
        near = difflib.get_close_matches(name, kernels, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(kernels) or 'none'}"
        raise InspectError(f"{file}: {f'no kernel {name!r}' if name else 'which kernel?'}; {hint}")
    return unwrapped(kernels[name])


def _python_file(file: str) -> Path:
    """The file; for standard input, a file that lasts as long as the process, since Triton reads it again."""
    try:
        text = read_text(file, _declared_encoding(file))
    except Unreadable as error:
        raise InspectError(str(error)) from None
    if file != "-":
        return Path(file).resolve()
    folder = tempfile.mkdtemp(prefix="dotload-inspect")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "stdin.py"
    path.write_text(text, encoding="utf-8")
    return path


def _declared_encoding(file: str) -> str:
    """The encoding that a Python file declares in its first lines, `# coding: latin-1`; UTF-8 by default."""
    try:
        with open(file, "rb") as lines:
            return tokenize.detect_encoding(lines.readline)[0]
    except (OSError, SyntaxError, ValueError):  # told when the file is read or imported
        return "utf-8"


def _import(file: str) -> ModuleType:
    path = _python_file(file)
    sys.path.insert(0, str(path.parent))
    name = f"{path.stem}_to_inspect" if path.stem in sys.modules else path.stem  # copy.py must not replace the library
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InspectError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        advice = "end the process where `__name__` is `__main__` only"
        raise InspectError(f"{blame(error, path, file)}; {advice}") from error
    except Exception as error:  # whatever a user's file raises
        raise InspectError(blame(error, path, file)) from error
    return module


def blame(error: BaseException, path: Path, file: str) -> str:
    """file:line:column: error: the exception of a user's file, at the innermost line of that file in the traceback.

    `path` is the file's name in tracebacks, `file` its name in the message.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    lines = lines or [frame.lineno for frame in frames if frame.filename.endswith(path.name)]
    line, column, what = lines[-1] if lines else 1, 1, next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line, column, what = max(1, error.lineno or 1), max(1, error.offset or 1), error.msg
    return f"{file}:{line}:{column}: error: {type(error).__name__}{what and f': {what}'}"


def _is_kernel(value: Any) -> bool:
    return type(value).__name__ in ("JITFunction", "GluonJITFunction", "Autotuner", "Heuristics", INTERPRETED)
