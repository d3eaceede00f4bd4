"""The NVIDIA half of `make demo`: an fp8 GEMM whose B is row-major, compiled for sm_90, stock beside dotload."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings

BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
TARGET = "sm_90"
POINTERS = {"a": "*fp8e4nv:16", "b": "*fp8e4nv:16", "c": "*fp16:16"}
NUMBERS = dict.fromkeys(("K", "stride_a", "stride_b", "stride_c"), "i32:16")
TILE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 128}


def show() -> bool:
    """Show the kernel both ways; returns whether dotload staged its operand."""
    if importlib.util.find_spec("triton") is None:
        print("Triton is not installed (pip install 'dotload[triton]'): the NVIDIA half of the demo needs it.")
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matmul = importlib.import_module("dotload.tools.demo_fp8").matmul
    from dotload.tools.inspect import inspect
    from dotload.tools.inspect.report import remark_lines, rows, table_lines

    blocks = " x ".join(map(str, TILE.values()))
    print(f"{BOLD}A x B, B row-major (N contiguous, not K), fp8, block {blocks}, 8 warps, for {TARGET}{PLAIN}")
    found = inspect(matmul, POINTERS | NUMBERS, constants=TILE, target=TARGET, num_warps=8)
    print("\n".join(remark_lines(found.dotload.remarks)))
    print("\n".join(table_lines([*rows(found.stock, found.dotload)])))
    print(f"\n{BOLD}Stores of B to shared memory in stock's kernel:{PLAIN} {stock_stores(found.stock.ttgir)}")
    return any(remark.kind == "passed" for remark in found.dotload.remarks)


def stock_stores(ttgir: str) -> str:
    """How stock Triton transposes B on the way to shared memory, and the cost for one tile."""
    from dotload.tools.viewer.explain import report_of

    findings = report_of(ttgir, "gemm.ttgir").findings
    stores = (f"{one.access}: {one.cost}, {one.verdict}" for one in findings if one.operation == "ttg.local_alloc")
    return next(stores, "none")
