"""dotload-inspect: a Triton kernel compiled by stock Triton and with dotload, on a machine without a GPU.

request     a kernel in a file, its arguments and options -> the input of Triton's compiler
compiled    a request -> Version: texts, resources and remarks, stock's or dotload's
counts      PTX or LLVM IR -> counts of the instructions that show how operands are read
report      versions -> text
lines       TTGIR, PTX or SASS -> the line of the source that each line comes from
page        versions -> one HTML page: source, TTGIR, PTX and SASS, linked by line
dry_run     a script -> the kernels that it would launch, compiled and not launched
stand_in_*  torch and torch.compile without a GPU, for that
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dotload.plugin.triton_types import JitFunction
    from dotload.tools.inspect.compiled import Inspection


def inspect(
    kernel: JitFunction,
    signature: Mapping[str, str] | Sequence[str],
    *,
    constants: Mapping[str, Any] | None = None,
    target: str = "sm_90",
    **options: int,
) -> Inspection:
    """Compile a `@triton.jit` kernel with and without dotload; no GPU is needed.

    `signature`: Triton types of the run-time arguments ("*fp8e4nv:16", "i32"), by name or in order; ":16" promises that
    the pointer or number is divisible by 16. `constants`: values of the constexpr parameters. `target`: sm_80 to
    sm_121, gfx942 and the like, or pvc, bmg and lnl where triton-xpu is found. `options`: num_warps, num_stages, ...

        report = dotload.inspect(matmul, {"a": "*fp8e4nv:16", ...}, constants={"BLOCK_M": 128}, num_warps=8)
        print(report)
        report.dotload.ptx, report.stock.resources, report.dotload.remarks
        report.save_html("matmul.html")
    """
    from dotload.tools.inspect.compiled import inspect_request
    from dotload.tools.inspect.request import Request

    return inspect_request(Request.of(kernel, signature, constants or {}, target, options))
