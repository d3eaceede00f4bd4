"""Intel's Triton backend (triton-xpu) with dotload's passes at the end of `make_ttgir`.

`compile_xe` compiles a `@triton.jit` function for a named target with no GPU, driver or SYCL on the machine: the
backend's stages are static methods, and only its constructor needs a device. `install` splices the same passes into the
backend of a process that has a device. Both run inside an environment where `triton` is triton-xpu.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dotload.passes import registry, remarks
from dotload.plugin.fingerprint import fingerprint
from dotload.plugin.report import publish
from dotload.plugin.rewrite import Rewriter, Spliced
from dotload.plugin.triton_types import Context, JitFunction, Module, XpuBackend, libtriton
from dotload.plugin.xpu_passes import passes_for
from dotload.plugin.xpu_request import (
    TARGETS,
    XeCompileError,
    attributes_of,
    check_counts,
    check_group,
    check_types,
    properties_of,
    signature_of,
)


@dataclass(frozen=True)
class XeKernel:
    """A compiled kernel: the result of each stage. `arguments`: Triton's types of the run-time arguments, in order."""

    name: str
    target: str
    num_warps: int
    threads_per_warp: int
    shared_bytes: int
    arguments: tuple[str, ...]
    ttir: str
    ttgir: str
    llir: str
    spirv: bytes
    build_flags: str
    remarks: tuple[remarks.Remark, ...] = field(default=())


def _backend_class() -> Any:
    try:
        return importlib.import_module("triton.backends.intel.compiler").XPUBackend
    except ImportError as error:
        raise XeCompileError(
            "compiling for Xe needs an environment whose `triton` is triton-xpu (pip install --pre triton-xpu)"
        ) from error


def _known(target: str) -> None:
    if target not in TARGETS:
        raise XeCompileError(f"unknown target '{target}'; known: {', '.join(TARGETS)}")


def _backend(target: str) -> XpuBackend:
    """Intel's backend without its constructor, which compiles a helper against SYCL headers."""
    _known(target)
    cls = _backend_class()
    backend = cls.__new__(cls)
    backend.properties = properties_of(target)
    backend.binary_ext = "spv"
    return backend


def _context(backend: XpuBackend) -> Context:
    """An MLIR context with Triton's dialects and the backend's."""
    ir = libtriton().ir
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    return context


def compile_xe(
    kernel: JitFunction,
    signature: Mapping[str, str] | Sequence[str],
    *,
    constants: Mapping[str, Any] | None = None,
    target: str = "pvc",
    num_warps: int = 8,
    threads_per_warp: int = 16,
    num_stages: int = 2,
    dotload: bool = True,
    pass_options: Mapping[str, str] | None = None,
) -> XeKernel:
    """Compile a `@triton.jit` function for `target` (pvc, bmg, lnl).

    If `triton` is not triton-xpu, an environment that has it compiles (`make xpu-env`, or DOTLOAD_XPU_PYTHON names its
    Python). It imports the kernel's file, so a script needs `if __name__ == "__main__"` around its top-level code.

    `signature`: Triton types of the run-time arguments ("*fp16", "i32"), by name or in order; ":16" at the end of one
    promises that the pointer or number is divisible by 16. `constants`: values of the constexpr parameters. With
    `dotload=False` the loads are lowered by Intel's backend alone. `pass_options`: options of dotload's passes, as on
    dotload-opt's command line ({"guard": "checked"}).
    """
    types = signature_of(kernel, signature, constants or {})
    check_types(types)
    _known(target)
    check_counts(target, num_warps, threads_per_warp, num_stages)
    if not _is_installed():
        from dotload.plugin.xpu_environment import compile_kernel_there

        return compile_kernel_there(
            kernel,
            signature=types,
            constants=dict(constants or {}),
            target=target,
            num_warps=num_warps,
            threads_per_warp=threads_per_warp,
            num_stages=num_stages,
            dotload=dotload,
            pass_options=dict(pass_options or {}),
        )
    backend = _backend(target)
    options = backend.parse_options(
        {"num_warps": num_warps, "threads_per_warp": threads_per_warp, "num_stages": num_stages}
    )
    source = importlib.import_module("triton.compiler.compiler").ASTSource(
        kernel,
        signature={name: type_.partition(":")[0] for name, type_ in types.items()},
        constexprs={(kernel.arg_names.index(name),): value for name, value in (constants or {}).items()},
        attrs=attributes_of(kernel, types),
    )
    context = _context(backend)
    metadata: dict[str, Any] = {"num_warps": num_warps}
    module = source.make_ir(options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    module = backend.make_ttir(module, metadata, options)
    ttir = str(module)
    module = backend.make_ttgir(module, metadata, options, backend.properties)
    try:
        passes = passes_for(target, given=pass_options) if dotload else []
    except registry.RegistryError as error:
        raise XeCompileError(str(error)) from error
    arguments = tuple(type_.partition(":")[0] for type_ in types.values() if type_ != "constexpr")
    return _finish(backend, module, metadata, options, passes, target, arguments, ttir)


def _is_installed() -> bool:
    """Whether `triton` is triton-xpu."""
    return importlib.util.find_spec("triton.backends.intel") is not None


def compile_ttgir(text: str, *, target: str = "pvc", dotload: bool = True) -> XeKernel:
    """Compile the text of a TTGIR module; warps and threads are the module's own."""
    from dotload.plugin import bridge  # here: listing passes never loads xDSL

    backend = _backend(target)
    try:
        module = bridge.from_text(_names_of_3_3(text), _context(backend))
    except bridge.BridgeError as error:
        raise XeCompileError(f"this TTGIR does not parse: {error}") from error
    warps = re.search(r'"ttg\.num-warps" = (\d+)', text)
    if warps is None:
        raise XeCompileError("this TTGIR does not say how many warps it has (module attribute ttg.num-warps)")
    options = backend.parse_options({"num_warps": int(warps[1])})
    passes = passes_for(target) if dotload else []
    head = re.search(r"tt\.func (?:public )?@[^(]*\((.*)", str(module))  # MLIR's own text has arguments named %argN
    arguments = tuple(
        "*" + pointer if pointer else number
        for pointer, number in re.findall(r"%arg\d+: (?:!tt\.ptr<([^,>]+)[^>]*>|(\w+))", head[1] if head else "")
    )
    return _finish(backend, module, {"num_warps": int(warps[1])}, options, passes, target, arguments, "")


_OLDER_NAMES = (
    (r"\bttig\.support_2d_block_io\b", "triton_intel_gpu.support_sg_2d_block"),
    (r"\bttig\.support_subgroup_matrix_multiply_accumulate\b", "triton_intel_gpu.support_dpas"),
    (r"\bttig\.", "triton_intel_gpu."),
)


def _names_of_3_3(text: str) -> str:
    """TTGIR with the names that triton-xpu 3.3 knows: its dialect was renamed `ttig` afterwards."""
    for pattern, name in _OLDER_NAMES:
        text = re.sub(pattern, name, text)
    return text


def compile_llir(text: str, *, num_warps: int = 8) -> XeKernel:
    """Compile the text of a kernel's LLVM IR to SPIR-V."""
    backend = _backend("pvc")
    metadata: dict[str, Any] = {}
    spirv = backend.make_spv(text, metadata, backend.parse_options({"num_warps": num_warps}))
    flags = metadata["build_flags"]
    return XeKernel(metadata["name"], "pvc", num_warps, 16, 0, (), "", "", text, spirv, flags)


def _finish(
    backend: XpuBackend,
    module: Module,
    metadata: dict[str, Any],
    options: Any,
    passes: Sequence[Spliced],
    target: str,
    arguments: tuple[str, ...],
    ttir: str,
) -> XeKernel:
    """Compile TTGIR to SPIR-V: dotload's passes, then Triton's own conversion."""
    collected: list[remarks.Remark] = []
    module = Rewriter(passes, collected.extend)(module)
    ttgir = str(module)
    lanes = re.search(r'"ttg\.threads-per-warp" = (\d+)', ttgir)
    check_group(target, metadata["num_warps"], int(lanes[1]) if lanes else 32)
    llir = backend.make_llir(module, metadata, options)
    spirv = backend.make_spv(llir, metadata, options)
    return XeKernel(
        metadata["name"],
        target,
        metadata["num_warps"],
        metadata["threads_per_warp"],
        metadata["shared"] or 0,
        arguments,
        ttir,
        ttgir,
        llir,
        spirv,
        metadata["build_flags"],
        tuple(collected),
    )


# --- A process with a device -----------------------------------------------------------------------------------------

_saved: dict[str, Any] = {}


@cache
def is_here() -> bool:
    """Whether `triton` is a triton-xpu that predates Triton's own hook for changes to the stages."""
    try:
        importlib.import_module("triton.backends.intel")
        importlib.import_module("triton.knobs")
    except ImportError as error:
        return "knobs" in str(error)
    return False


def install(chosen: Callable[[], Sequence[Spliced] | None]) -> None:
    """Call `chosen` for every kernel that triton-xpu compiles from now on: it returns the passes, None for all."""
    cls = _backend_class()
    _saved.update({"make_ttgir": cls.__dict__["make_ttgir"], "hash": cls.__dict__["hash"]})
    stock_ttgir, stock_hash = cls.make_ttgir, cls.hash

    def make_ttgir(mod: Any, metadata: Any, opt: Any, properties: Any) -> Any:
        module = stock_ttgir(mod, metadata, opt, properties)
        return Rewriter(passes, publish)(module) if (passes := passes_for(None, chosen())) else module

    def backend_hash(self: Any) -> str:
        return stock_hash(self) + (fingerprint(passes) if (passes := passes_for(None, chosen())) else "")

    cls.make_ttgir = staticmethod(make_ttgir)
    cls.hash = backend_hash
    forget_compiled()


def uninstall() -> None:
    """Restore the backend's own functions."""
    if not _saved:
        return
    cls = _backend_class()
    for name, function in _saved.items():
        setattr(cls, name, function)
    _saved.clear()
    forget_compiled()


def forget_compiled() -> None:
    """Drop the kernels that this process has compiled: its in-process cache ignores the backend's hash."""
    kind = importlib.import_module("triton.runtime.jit").JITFunction
    for function in gc.get_objects():
        if isinstance(function, kind):
            for name in ("device_caches", "cache"):
                if hasattr(getattr(function, name, None), "clear"):
                    getattr(function, name).clear()
