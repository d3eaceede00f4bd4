"""Shared by the GPU tests: reasons to skip, and a builder for the small CUDA libraries that they generate."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

TARGET = ["-gencode=arch=compute_90a,code=sm_90a"]

# This template launches every kernel: it copies inputs in and outputs out, and returns errors.
HOST_PRELUDE = r"""
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); return (int)e; } } while (0)
template <typename T> static cudaError_t to_device(T** device, const void* host, size_t bytes) {
    cudaError_t error = cudaMalloc((void**)device, bytes);
    return error != cudaSuccess ? error : cudaMemcpy(*device, host, bytes, cudaMemcpyHostToDevice);
}
"""


def why_not(*tools: str) -> str | None:
    """The reason why the GPU tests cannot run here; None if they can."""
    for tool in ("nvidia-smi", "nvcc", *tools):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    found = subprocess.run(query, capture_output=True, text=True, check=False)
    if found.returncode or not found.stdout.strip():
        return "no NVIDIA GPU answers"
    if found.stdout.split()[0] != "9.0":
        return f"compute capability {found.stdout.split()[0]}, these tests need 9.0 (wgmma)"
    return None


@pytest.fixture(scope="session")
def hopper() -> None:
    """Skip the test unless there is a Hopper GPU and nvcc."""
    reason = why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def profiled_hopper() -> None:
    """Skip the test unless there is a Hopper GPU, nvcc and Nsight Compute."""
    reason = why_not("ncu")
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compile CUDA source (after the prelude) into a shared library or, with `program=True`, an executable."""

    def compile_source(name: str, source: str, program: bool = False) -> Path:
        folder = tmp_path_factory.mktemp(name)
        (folder / f"{name}.cu").write_text(HOST_PRELUDE + source)
        output = folder / (name if program else f"lib{name}.so")
        kind = [] if program else ["-shared", "-Xcompiler", "-fPIC"]
        command = ["nvcc", "-std=c++17", "-O1", *TARGET, *kind, "-o", str(output), str(folder / f"{name}.cu")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return output

    return compile_source


@pytest.fixture(scope="session")
def load_library(build: Callable[..., Path]) -> Callable[[str, str], ctypes.CDLL]:
    """Compile and load a shared library."""
    return lambda name, source: ctypes.CDLL(str(build(name, source)))


@pytest.fixture(scope="session")
def number_formats() -> dict[str, Callable]:
    """Small integers that every type represents exactly, as raw bits of that type."""
    import numpy as np

    def e4m3(values: np.ndarray) -> np.ndarray:
        # value = (1 + mantissa / 8) * 2 ** (exponent - 7); all of 1 .. 15 are exact
        magnitude = np.abs(values).astype(np.int64)
        exponent = np.floor(np.log2(np.maximum(magnitude, 1))).astype(np.int64)
        mantissa = magnitude * 8 // (1 << exponent) - 8
        bits = np.where(magnitude == 0, 0, (exponent + 7) << 3 | mantissa) | (values < 0) << 7
        return bits.astype(np.uint8)

    return {
        "f16": lambda v: v.astype(np.float16).view(np.uint16),
        "bf16": lambda v: (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16),
        "tf32": lambda v: v.astype(np.float32).view(np.uint32),
        "f64": lambda v: v.astype(np.float64).view(np.uint64),
        "e4m3": e4m3,
        "e5m2": lambda v: (v.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8),
        "s8": lambda v: v.astype(np.int8).view(np.uint8),
        "u8": lambda v: v.astype(np.uint8),
    }
