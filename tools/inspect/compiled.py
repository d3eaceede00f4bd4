"""A compiled request, by stock Triton and with dotload: results of the stages, resources, instruction counts."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from dotload.layout.nvidia_targets import find_target
from dotload.passes.remarks import Remark
from dotload.plugin.cubin import Resources, resources_of
from dotload.tools.inspect import counts
from dotload.tools.inspect.request import InspectError, Request, line_of

EMITTED = ("ttir", "ttgir", "llir", "ptx", "amdgcn", "sass")
_WAVEFRONTS = re.compile(r"dotload\.(stock_)?wavefronts = (\d+)")
_SHOWN_BY_REPR = re.compile(r"""\w+\((?P<quote>['"])(?P<text>.*)(?P=quote)\)""", re.DOTALL)
_STOCK_AFTER_ALL = ("OUTWEIGHED", "OUTGROWN", "FAILED")
"""Codes of remarks on a kernel that is stock's in the end, whatever its TTGIR was before."""


@dataclass(frozen=True)
class Version:
    """One compiled kernel: `texts` of its stages by name, and its object file if the target has one.

    `wavefronts`: predicted cycles of shared memory per loop iteration for staged operands; None if nothing was staged.
    `capability`: 90 for sm_90, None for other vendors' targets.
    """

    name: str
    texts: Mapping[str, str]
    binary: bytes
    metadata: Mapping[str, Any]
    remarks: tuple[Remark, ...]
    capability: int | None
    wavefronts: int | None = None

    @property
    def ttgir(self) -> str:
        """The kernel's TTGIR."""
        return self.texts["ttgir"]

    @property
    def ptx(self) -> str:
        """The kernel's PTX; KeyError for targets other than NVIDIA's."""
        return self.texts["ptx"]

    @cached_property
    def sass(self) -> str:
        """The disassembly with source lines, by the nvdisasm of the triton wheel."""
        from dotload.tools.opt.stages import disassemble

        return disassemble(self.binary, with_lines=True)

    def text(self, stage: str) -> str:
        """The text of a stage, `sass` too; InspectError for an unknown stage."""
        if stage == "sass" and self.capability is not None:
            return self.sass
        if stage not in self.texts:
            has = [*self.texts, *(["sass"] if self.capability is not None else [])]
            raise InspectError(f"this target has no {stage}, but {', '.join(has)}")
        return self.texts[stage]

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Counts of the instructions that show how operands are read."""
        if "ptx" in self.texts:
            return counts.ptx_counts(self.ptx)
        return counts.xe_counts(self.texts["llir"]) if "xe" in self.metadata else {}

    @cached_property
    def resources(self) -> Resources | None:
        """Registers, stack and shared memory of an NVIDIA kernel."""
        if self.capability is None:
            return None
        return resources_of(self.binary, self.metadata["shared"], self.metadata["num_warps"])

    @property
    def blocks(self) -> int | None:
        """The number of resident blocks on a multiprocessor."""
        if self.resources is None or self.capability is None:
            return None
        return self.resources.blocks(find_target(self.capability))


@dataclass(frozen=True)
class Inspection:
    """A kernel, stock beside dotload. `str()` of it is the report that dotload-inspect prints."""

    kernel: str
    file: str
    target: str
    stock: Version
    dotload: Version
    unpromised: tuple[str, ...] = ()
    """Arguments without promised divisibility: loads through them are narrow."""

    def __str__(self) -> str:
        from dotload.tools.inspect.report import as_text

        return as_text(self)

    def save_html(self, path: str) -> None:
        """Write source, TTGIR, PTX and SASS side by side, linked by line, as one page."""
        from dotload.tools.inspect.page import as_html

        try:
            Path(path).write_text(as_html(self), encoding="utf-8")
        except OSError as error:
            raise InspectError(f"cannot write {path}: {error.strerror or error}") from error


def inspect_request(request: Request) -> Inspection:
    """Both versions of the kernel; InspectError if it does not compile."""
    stock, ours = _compile_for_xe(request) if request.is_for_xe else _compile_both(request)
    return Inspection(request.kernel.__name__, request.file, request.target, stock, ours, request.unpromised)


def pair(compiled_stock: Any, compiled_ours: Any) -> tuple[Version, Version]:
    """The results of `triton.compile` without and with dotload, as versions."""
    predicted = {prefix or "": int(number) for prefix, number in _WAVEFRONTS.findall(_ttgir(compiled_ours))}
    remarks = tuple(Remark(**remark) for remark in getattr(compiled_ours.metadata, "dotload", None) or ())
    undone = any(remark.reason in _STOCK_AFTER_ALL for remark in remarks)
    chosen = compiled_stock if undone else compiled_ours
    stock_wavefronts = predicted.get("stock_")
    stock = _version("stock", compiled_stock, (), stock_wavefronts)
    return stock, _version("dotload", chosen, remarks, stock_wavefronts if undone else predicted.get(""))


def _ttgir(compiled: Any) -> str:
    return str(compiled.asm.get("ttgir", ""))


def _version(name: str, compiled: Any, remarks: tuple[Remark, ...], wavefronts: int | None) -> Version:
    target = compiled.metadata.target
    texts = {stage: str(compiled.asm[stage]) for stage in EMITTED if stage in compiled.asm and stage != "sass"}
    is_cuda = target.backend == "cuda"
    binary = compiled.asm["cubin"] if is_cuda else b""
    capability = int(target.arch) if is_cuda else None
    return Version(name, texts, binary, compiled.metadata._asdict(), remarks, capability, wavefronts)


def _compile_both(request: Request) -> tuple[Version, Version]:
    import dotload

    knobs = importlib.import_module("triton.knobs").compilation
    with warnings.catch_warnings(), knobs.scope():
        knobs.always_compile = True  # a cached kernel may have the lines of an equal one in another file
        # Triton's advice is for launches, and dotload's warnings are in its remarks.
        warnings.simplefilter("ignore")
        with dotload.disabled():
            stock = _compile(request, said := io.StringIO())
        with dotload.enabled():
            ours = _compile(request, io.StringIO())
    print(said.getvalue(), file=sys.stderr, end="")  # tl.static_print
    return pair(stock, ours)


def _compile(request: Request, said: TextIO) -> Any:
    """The compiled kernel; `said` collects output of the kernel and Triton, such as all PTX if ptxas refuses it."""
    triton = importlib.import_module("triton")
    try:
        with contextlib.redirect_stdout(said):
            return triton.compile(request.source(), target=request.gpu_target(), options=dict(request.options))
    except InspectError:
        raise
    except Exception as error:  # whatever Triton raises, the user's kernel or option is the cause
        raise InspectError(_located(request, error)) from error


def message_of(error: BaseException) -> str:
    """The message of an error in one line. Triton prints an excerpt first, so its message is the last line.

    For an error in a function that a kernel calls, Triton raises another error for the call, without a message: the
    cause has it. If Triton shows an exception by its repr, `ValueError("...")`, the result is the text inside.
    """
    while getattr(error, "error_message", "") is None and error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines() or [type(error).__name__]
    text = " ".join(str(getattr(error, "error_message", None) or lines[-1]).split())
    found = _SHOWN_BY_REPR.fullmatch(text)
    return found["text"] if found else text


def _located(request: Request, error: Exception) -> str:
    """file:line:column: error: the message, also for Triton's errors, which print an excerpt."""
    node = getattr(error, "node", None)
    first = line_of(request.kernel)
    line, column = (first + node.lineno - 1, node.col_offset + 1) if node is not None else (first, 1)
    of_ptxas = re.search(r"^ptxas\S* (?:fatal|error).*$", str(error), re.MULTILINE)
    return f"{request.file}:{line}:{column}: error: {of_ptxas[0] if of_ptxas else message_of(error)}"


def _compile_for_xe(request: Request) -> tuple[Version, Version]:
    from dotload.plugin.xpu_environment import compile_there
    from dotload.plugin.xpu_request import XeCompileError

    asked = {
        "file": request.file,
        "kernel": request.kernel.__name__,
        "signature": {name: type_ for name, type_ in request.types.items() if type_ != "constexpr"},
        "constants": dict(request.constants),
        "target": request.target,
        **request.options,
    }
    try:
        answers = compile_there([asked | {"dotload": False}, asked | {"dotload": True}])
    except XeCompileError as error:
        raise InspectError(str(error)) from error
    versions: list[Version] = []
    for name, kernel in zip(("stock", "dotload"), answers, strict=True):
        if isinstance(kernel, str):
            raise InspectError(kernel)
        texts = {"ttir": kernel.ttir, "ttgir": kernel.ttgir, "llir": kernel.llir}
        metadata = {"xe": True, "shared": kernel.shared_bytes, "num_warps": kernel.num_warps}
        versions.append(Version(name, texts, kernel.spirv, metadata, kernel.remarks, None))
    return versions[0], versions[1]
