"""triton-xpu from another environment: it owns the module name `triton`, so it lives in its own virtual environment
(`make xpu-env`), and this process runs the Python there to compile.

Requests and answers are lists of JSON objects. A request has `ttgir` or `llir` (text), or `file` and `kernel` (a Python
file and the name of a `@triton.jit` function in it) with `signature` and `constants`; and further parameters of
`compile_xe` by name.
"""

from __future__ import annotations

import base64
import dataclasses
import importlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dotload.passes.remarks import Remark
from dotload.plugin import xpu_constants
from dotload.plugin.triton_types import JitFunction
from dotload.plugin.xpu import XeKernel
from dotload.plugin.xpu_request import XeCompileError

_MAIN = "from dotload.plugin import xpu_environment; xpu_environment.main()"
_DIE_WITH = "from dotload.plugin import processes; processes.die_with({parent})"
PYTHON_VARIABLE = "DOTLOAD_XPU_PYTHON"
RECIPE = "python -m venv xpu-env && xpu-env/bin/pip install dotload triton-xpu==3.3.0b1 setuptools"
"""The command that makes such an environment. Its dotload brings numpy and xDSL; this process's sources run."""
_DIAGNOSTIC = re.compile(r'^loc\("[^"]*":(\d+:\d+)\): (error: .*)', re.MULTILINE)
_SAID = re.compile(r"Assertion `.*' failed|^\S+:\d+:\d+: error: .*", re.MULTILINE)
_ROOMS = ("layout", "dialect_ext", "passes", "plugin", "emulator", "tools")


def find_python() -> Path | None:
    """The Python of an environment with triton-xpu: named by DOTLOAD_XPU_PYTHON, or in .venvs beside dotload's sources.

    The current folder is not searched: its contents are not the user's choice.
    """
    if named := os.environ.get(PYTHON_VARIABLE):
        return Path(named) if Path(named).is_file() else None
    candidate = Path(__file__).resolve().parents[1] / ".venvs" / "triton-xpu" / "bin" / "python"
    return candidate if candidate.is_file() else None


def compile_there(requests: Sequence[Mapping[str, Any]], timeout_s: float | None = None) -> list[XeKernel | str]:
    """The compiled kernel, or the error message, of every request. XeCompileError if there is no environment."""
    asked = [{**request, "constants": xpu_constants.encoded(request.get("constants", {}))} for request in requests]
    output = run_there(_MAIN, json.dumps(asked), timeout_s)
    try:
        answers = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise XeCompileError(f"{find_python()} does not answer: it is not a Python with triton-xpu") from error
    return [_decode(answer) for answer in answers]


def compile_kernel_there(kernel: JitFunction, signature: Mapping[str, str], **parameters: Any) -> XeKernel:
    """`compile_xe` for a kernel of this process, through its file."""
    types = {name: type_ for name, type_ in signature.items() if type_ != "constexpr"}
    request = {"file": xpu_constants.file_of(kernel), "kernel": kernel.__name__, "signature": types, **parameters}
    (answer,) = compile_there([request])
    if isinstance(answer, str):
        raise XeCompileError(answer)
    return answer


def run_there(code: str, text: str = "", timeout_s: float | None = None) -> str:
    """The output of that Python running `code` with `text` on standard input. It sees this dotload.

    It is isolated (-I): neither the current folder nor PYTHONPATH nor the user's own packages can shadow a module.
    """
    python = find_python()
    if python is None:
        named = os.environ.get(PYTHON_VARIABLE)
        why = f"{PYTHON_VARIABLE}={named}: no such file; " if named else ""
        raise XeCompileError(
            f"{why}no environment with triton-xpu: `make xpu-env` makes one in a checkout; elsewhere "
            f"`{RECIPE}` does, and {PYTHON_VARIABLE}=xpu-env/bin/python names its Python"
        )
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+", errors="replace") as said:
        _lay_out_package(Path(folder))
        start = f"import sys; sys.path.insert(0, {folder!r})\n{_DIE_WITH.format(parent=os.getpid())}\n{code}"
        try:
            done = subprocess.run(
                [python, "-I", "-c", start],
                input=text,
                stdout=subprocess.PIPE,
                stderr=said,  # a file, which the child can read too
                text=True,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired as error:
            raise XeCompileError(f"triton-xpu did not end within {timeout_s:g} s") from error
        except OSError as error:
            raise XeCompileError(f"cannot run {python}: {error.strerror}") from error
        said.seek(0)
        lines = said.read().strip().splitlines() or ["no message"]
    if done.returncode != 0:
        how = f"exit code {done.returncode}" if done.returncode > 0 else signal.Signals(-done.returncode).name
        raise XeCompileError(f"triton-xpu failed ({how}): {lines[-1]}")
    return done.stdout


def _lay_out_package(folder: Path) -> None:
    """Link this dotload into its own folder: the other environment must see it, but not our triton."""
    import dotload

    (folder / "dotload").mkdir()
    for room in _ROOMS:
        module = importlib.import_module(f"dotload.{room}")
        (folder / "dotload" / room).symlink_to(Path(str(module.__file__)).parent.resolve())
    for file in Path(str(dotload.__file__)).parent.glob("*.py"):
        (folder / "dotload" / file.name).symlink_to(file.resolve())


def _decode(answer: dict[str, Any]) -> XeKernel | str:
    if "error" in answer:
        return answer["error"]
    answer["spirv"] = base64.b64decode(answer["spirv"])
    answer["arguments"] = tuple(answer["arguments"])
    answer["remarks"] = tuple(Remark(**remark) for remark in answer["remarks"])
    return XeKernel(**answer)


# --- The other side --------------------------------------------------------------------------------------------------


def _answer(request: dict[str, Any], modules: dict[str, Any]) -> dict[str, Any]:
    """The kernel, or the error: `line:column: error: ` and the message of MLIR if MLIR rejects the TTGIR. MLIR's
    exceptions do not say what is wrong; the assertion or error on standard error does."""
    start = os.fstat(2).st_size  # standard error is a file: see run_there
    try:
        kernel = _compile(dict(request), modules)
    except Exception as error:
        said = os.pread(2, os.fstat(2).st_size - start, start).decode(errors="replace")
        rejected = _DIAGNOSTIC.search(said) if "ttgir" in request else None
        if rejected:
            return {"error": rejected.expand(r"\1: \2")}
        why = _SAID.search(said) if isinstance(error, RuntimeError) else None
        kind = "" if isinstance(error, XeCompileError) else f"{type(error).__name__}: "
        return {"error": f"{kind}{error}" + (f" ({why[0]})" if why else "")}
    fields = dataclasses.asdict(kernel)
    return fields | {"spirv": base64.b64encode(kernel.spirv).decode()}


def _compile(request: dict[str, Any], modules: dict[str, Any]) -> XeKernel:
    from dotload.plugin import xpu

    constants = request.pop("constants")
    if "ttgir" in request:
        return xpu.compile_ttgir(request.pop("ttgir"), **request)
    if "llir" in request:
        return xpu.compile_llir(request.pop("llir"), **request)
    request["constants"] = xpu_constants.decoded(constants, partial(_load, modules))
    return xpu.compile_xe(_load(modules, request.pop("file"), request.pop("kernel")), **request)


def _load(modules: dict[str, Any], file: str, name: str) -> Any:
    """A kernel from a Python file, imported once."""
    if file not in modules:
        spec = importlib.util.spec_from_file_location(Path(file).stem, file)
        if spec is None or spec.loader is None:
            raise XeCompileError(f"cannot import {file}")
        modules[file] = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = modules[file]
        spec.loader.exec_module(modules[file])
    if not hasattr(modules[file], name):
        raise XeCompileError(f"{file} has no kernel '{name}'")
    kernel = getattr(modules[file], name)
    while type(kernel).__name__ in ("Autotuner", "Heuristics"):
        kernel = kernel.fn
    return kernel


def main() -> None:
    # triton.autotune asks the driver how to measure as soon as it decorates a kernel; there is no GPU here.
    driver: Any = importlib.import_module("triton.runtime").driver
    driver.set_active(SimpleNamespace(get_benchmarker=lambda: None))
    modules: dict[str, Any] = {}
    answers = [_answer(request, modules) for request in json.load(sys.stdin)]
    print(json.dumps(answers))
