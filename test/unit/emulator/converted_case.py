"""Kernels in TTGIR that dotload lowers to LLVM IR without Intel's passes."""

from __future__ import annotations

import re

from block_load_case import to_llvm

from dotload import dialect_ext
from dotload.passes import registry

DPAS = (
    "#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [2, 2], repCluster = [2, 2]}>"
)
PASSES = (
    "materialize-block-pointer",
    "lower-to-2d-block-load",
    "intel-allocate-shared-memory",
    "convert-triton-intel-gpu-to-llvm",
    "convert-tritongen-to-llvm",
)


def kernel(parameters: str, body: str) -> str:
    """A TTGIR module of one kernel for 4 warps of 16 lanes."""
    return f"""{DPAS}
#dot_a = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 1}}>
#dot_b = #ttg.dot_op<{{opIdx = 1, parent = #mma, kWidth = 2}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "xpu",
    "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io}} {{
  tt.func public @kernel({parameters}) {{
{body}
    tt.return
  }}
}}
"""


def pointers(name: str, base: str, encoding: str, rows: int, columns: int, dtype: str) -> str:
    """IR for %`name`_all: pointers to a row-major matrix."""
    row, column = (f"#ttg.slice<{{dim = {dim}, parent = {encoding}}}>" for dim in (1, 0))
    m, n = f"{rows}xi32, {row}", f"{columns}xi32, {column}"
    tall, flat, whole = (f"{shape}xi32, {encoding}" for shape in (f"{rows}x1", f"1x{columns}", f"{rows}x{columns}"))
    pointer = f"tensor<{rows}x{columns}x!tt.ptr<{dtype}>, {encoding}>"
    lines = f"""
    %m = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{m}>
    %n = tt.make_range {{end = {columns} : i32, start = 0 : i32}} : tensor<{n}>
    %m2 = tt.expand_dims %m {{axis = 1 : i32}} : tensor<{m}> -> tensor<{tall}>
    %n2 = tt.expand_dims %n {{axis = 0 : i32}} : tensor<{n}> -> tensor<{flat}>
    %s = arith.constant dense<{columns}> : tensor<{tall}>
    %r = arith.muli %m2, %s : tensor<{tall}>
    %rb = tt.broadcast %r : tensor<{tall}> -> tensor<{whole}>
    %nb = tt.broadcast %n2 : tensor<{flat}> -> tensor<{whole}>
    %o = arith.addi %rb, %nb : tensor<{whole}>
    %p = tt.splat {base} : !tt.ptr<{dtype}> -> {pointer}
    %all = tt.addptr %p, %o : {pointer}, tensor<{whole}>"""
    return re.sub(r"%(\w+)", lambda word: word[0] if word[0] == base else f"%{name}_{word[1]}", lines)


def lowered(text: str, hints: str = "required", *, cut_surfaces: bool = True) -> tuple[str, str]:
    """The LLVM IR of a kernel, and the module before the last pass; `cut_surfaces=False` as under Intel's flag. Loads
    are marked where `hints` require it."""
    module = dialect_ext.parse_module(text)
    before = ""
    options = {
        "lower-to-2d-block-load": {"hints": hints},
        "convert-triton-intel-gpu-to-llvm": {"cut_surfaces": cut_surfaces, "scratch": False},
    }
    for name in PASSES[hints == "derive" :]:
        before = dialect_ext.print_module(module)
        registry.find(name).load()(**options.get(name, {})).apply(dialect_ext.context(), module)
    for op in module.walk():
        for name in [each for each in op.attributes if each.startswith(("ttig.", "ttg.", "triton_gen."))]:
            del op.attributes[name]
    return to_llvm(dialect_ext.print_module(module, generic=True)), before
