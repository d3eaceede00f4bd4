"""Kernels for other NVIDIA GPUs on a Hopper GPU: their PTX is assembled for Hopper.

Results are those of the other GPU, and so are the instructions; times are Hopper's. Hopper has the instructions of
sm_80 to sm_89. Of sm_120's, it lacks conversions from fp8 and fp4 to bf16, and products with scales.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.cache import get_cache_manager

HOPPER = 90
CAPABILITIES = (80, 86, 89, HOPPER, 120)


def compile_for(capability: int) -> None:
    """Let Triton compile for GPUs of this compute capability in this process, until it is called again."""
    driver.active.get_current_target = lambda: GPUTarget("cuda", capability, 32)


def on_hopper(kernel: Any) -> Any:
    """A compiled kernel that is not loaded yet, as a Hopper GPU can launch it.

    Raises CalledProcessError if the PTX has an instruction that Hopper lacks.
    """
    if kernel.metadata.target.arch != HOPPER:
        kernel.kernel = assembled(re.sub(r"\.target sm_\w+", ".target sm_90a", kernel.asm["ptx"]))
    return kernel


def assembled(ptx: str) -> bytes:
    """Machine code by the newest ptxas of the wheel, from Triton's cache if it is there."""
    assembler, name = knobs.nvidia.ptxas_blackwell, "on_hopper.cubin"
    cache = get_cache_manager(hashlib.sha256(f"{assembler.version}{ptx}".encode()).hexdigest())
    if found := cache.get_file(name):
        return Path(found).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        text.write_text(ptx)
        command = [assembler.path, "-arch=sm_90a", "-o", binary, text]
        subprocess.run(command, check=True, capture_output=True)
        return Path(cache.put(binary.read_bytes(), name, binary=True)).read_bytes()
