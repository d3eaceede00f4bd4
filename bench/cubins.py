"""Kernels as cubins: compiled without a GPU, launched by the CUDA driver without their version of Triton."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import triton
from triton.compiler.compiler import ASTSource


@dataclass(frozen=True)
class Cubin:
    """Machine code, and its launch parameters: a block of `threads`, the `arguments` by name, scratch memory."""

    code: bytes
    name: str
    arguments: tuple[str, ...]
    threads: int
    shared_bytes: int
    scratch_bytes: int

    @staticmethod
    def of(source: ASTSource, kernel: Any) -> Cubin:
        """The cubin of a source that triton.compile has compiled; SystemExit if its launcher differs from this one."""
        meta = kernel.metadata
        constants = {source.fn.arg_names[place] for (place, *_) in source.constants}
        arguments = tuple(name for name in source.fn.arg_names if name not in constants)
        entry = kernel.asm["ptx"].split(".visible .entry")[1].split(")")[0]
        if entry.count(".param") != len(arguments) + 2 or meta.profile_scratch_size:
            raise SystemExit(f"error: Triton {triton.__version__} launches kernels in another way than this script")
        threads, scratch = 32 * meta.num_warps, meta.global_scratch_size
        return Cubin(kernel.asm["cubin"], meta.name, arguments, threads, meta.shared, scratch)


class Driver:
    """The part of the CUDA driver API that launches a cubin."""

    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    """CUfunction_attribute"""
    PREFER_SHARED = 1
    """CUfunc_cache. Triton sets it for kernels with more than 48 KiB; it leaves less of L1 for spills."""

    def __init__(self) -> None:
        import torch

        torch.cuda.init()
        torch.zeros(1, device="cuda")  # creates the context
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name: str, *arguments: Any) -> None:
        """Call the driver; RuntimeError if it does not return success."""
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUDA error {status}")

    def function(self, cubin: Cubin) -> ctypes.c_void_p:
        """The loaded kernel."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin.code)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, cubin.name.encode())
        if cubin.shared_bytes > 48 << 10:
            self.call("cuFuncSetCacheConfig", function, self.PREFER_SHARED)
        self.call("cuFuncSetAttribute", function, self.MAX_DYNAMIC_SHARED_SIZE_BYTES, cubin.shared_bytes)
        return function

    def launcher(self, cubin: Cubin, programs: tuple[int, int], arguments: Mapping[str, Any]) -> Callable[[], None]:
        """A launcher of the kernel on torch tensors and 32-bit integers, given by name, on the default stream."""
        import torch

        scratch = torch.empty(max(1, cubin.scratch_bytes * programs[0] * programs[1]), dtype=torch.int8, device="cuda")
        given = [arguments[name] for name in cubin.arguments]
        values: list[Any] = [
            ctypes.c_int32(value) if isinstance(value, int) else ctypes.c_void_p(value.data_ptr()) for value in given
        ]
        values += [ctypes.c_void_p(scratch.data_ptr()), ctypes.c_void_p(0)]
        packed = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        function = self.function(cubin)
        kept = (scratch, values, given)

        def launch(_: Any = kept) -> None:
            shape = (*programs, 1, cubin.threads, 1, 1)
            self.call("cuLaunchKernel", function, *shape, cubin.shared_bytes, None, packed, None)

        return launch
