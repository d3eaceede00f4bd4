"""Small kernels in hand-written LLVM IR, so that these tests need no compiler for Intel GPUs."""

from __future__ import annotations

import mmap

import numpy as np

LANE = """
  %lane64 = call i64 @_Z12get_local_idj(i32 0)
  %item = trunc i64 %lane64 to i32
"""


def module(body: str, parameters: str, declarations: str = "", name: str = "kernel") -> str:
    """A kernel whose lanes have their index in the work-group as %item."""
    return f"""
declare spir_func i64 @_Z12get_local_idj(i32)
{declarations}
define spir_kernel void @{name}({parameters}) {{
entry:{LANE}{body}
  ret void
}}
"""


def mangled(name: str, types: str) -> str:
    return f"_Z{len(name)}{name}{types}"


def store_vector(value: str, type_: str, count: int, element: str) -> str:
    """IR that stores %`value` of this lane at out[item * count]."""
    return f"""
  %place = mul i32 %item, {count}
  %slot = getelementptr {element}, ptr addrspace(1) %out, i32 %place
  store {type_} %{value}, ptr addrspace(1) %slot, align 1
"""


def aligned(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Zeros that start at a page, as does the array that owns them: where the emulator copies that one, views of it
    keep their distance from an aligned address."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(mmap.mmap(-1, max(1, count)), np.uint8)[:count].view(dtype).reshape(shape)
