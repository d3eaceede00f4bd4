"""`make demo`: what dotload does to a GEMM for Intel and for NVIDIA, on a machine with neither.

Intel: the operand loads become 2D block loads and shuffle-vectors. For A x B and A x B^T, the demo shows the loads
before and after, how the messages cover the operands, and the proof of each rewrite: the loaded layout composed with
the shuffles is the matrix unit's layout.

NVIDIA (demo_nvidia.py): an fp8 kernel compiled for sm_90, stock beside dotload.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp

from dotload import dialect_ext
from dotload.dialect_ext.encodings import DotOperandEncoding
from dotload.dialect_ext.ttig import BlockLoadOp
from dotload.dialect_ext.typed import tensor_type
from dotload.layout.block_load import BlockLoadPlan, permuted
from dotload.layout.xe_targets import Emit, find_target
from dotload.passes.block_load.request import find_plan
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass
from dotload.tools import demo_nvidia
from dotload.tools.demo_kernel import K, M, N, gemm

TARGET, EMIT = find_target("xe2"), Emit.OPENCL
BOLD, DIM, PLAIN = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
INDENT = "    "


def main() -> int:
    """Show both halves; 1 if a load was not rewritten."""
    fine = [show(transposed_b=transposed) for transposed in (False, True)]
    return 0 if demo_nvidia.show() and all(fine) else 1


def show(*, transposed_b: bool) -> bool:
    """Show one GEMM; returns whether both of its operand loads were rewritten and proved."""
    right = f"B^T, B [{N}, {K}]" if transposed_b else f"B [{K}, {N}]"
    print(f"{BOLD}A [{M}, {K}] x {right}, f16, block 256 x 256 x 32, 32 warps{PLAIN}")
    context = dialect_ext.context()
    module = dialect_ext.parse_module(gemm(transposed_b=transposed_b), "gemm.ttgir")
    print_lines("Before:", module, ("tt.load",))

    started = time.perf_counter()
    LowerTo2DBlockLoadPass(emit=EMIT.value).apply(context, module)
    lowered = time.perf_counter()
    print_lines("After lower-to-2d-block-load:", module, ("ttig.2d_block_load",))
    plans = {load: plan_of(load) for load in module.walk() if isinstance(load, BlockLoadOp)}
    for load, plan in plans.items():
        show_plan(operand_name(load), plan)

    converting = time.perf_counter()
    # Without the loads in the rarely taken branch that reads the ends of rows again.
    Convert2DBlockLoadToLLVMPass(emit=EMIT.value, cut_surfaces=False).apply(context, module)
    converted = time.perf_counter()
    module.verify()
    print_lines("After convert-2d-block-load-to-llvm:", module, ("llvm.call", "llvm.shufflevector"))
    spent = 1e3 * (lowered - started + converted - converting)
    print(f"{DIM}Both passes together: {spent:.0f} ms{PLAIN}\n")
    return len(plans) == 2


def plan_of(load: BlockLoadOp) -> BlockLoadPlan:
    """The plan that the passes follow for a load."""
    plan = find_plan(tensor_type(load.result), not load.is_row_major, TARGET, EMIT)
    assert isinstance(plan, BlockLoadPlan), plan
    return plan


def operand_name(load: BlockLoadOp) -> str:
    """A or B, B^T where the block load transposes."""
    encoding = tensor_type(load.result).encoding
    assert isinstance(encoding, DotOperandEncoding)
    return "AB"[encoding.op_index] + ("" if load.is_row_major else "^T")


def show_plan(operand: str, plan: BlockLoadPlan) -> None:
    """The messages, the three layouts and the proof."""
    noun = "message" if plan.messages == 1 else "messages"
    print(f"{BOLD}{operand}: {plan.messages} {noun} of {plan.message}{PLAIN}")
    print("\n".join(INDENT + line if line else "" for line in plan.describe().split("\n")))
    wanted = plan.request.encoding
    proved = "proved" if permuted(plan).equivalent(wanted) else "NOT PROVED"
    count = f"{1 << wanted.in_bits:,} places (register, lane, warp)"
    print(f"\n{INDENT}{BOLD}{proved}{PLAIN}: loaded layout composed with shuffles == encoding, {count}\n")


def print_lines(title: str, module: ModuleOp, names: Iterable[str]) -> None:
    """The lines of a module's text with ops of these names; runs of shuffles are shortened."""
    print(f"{BOLD}{title}{PLAIN}")
    shown = [
        line.strip() for line in dialect_ext.print_module(module).split("\n") if any(f"{n} " in line for n in names)
    ]
    run: list[str] = []
    for line in [*shown, ""]:
        if "llvm.shufflevector" in line:
            run.append(line)
            continue
        for text in run[:2] + ([f"... and {len(run) - 2} more shuffles"] if len(run) > 2 else []):
            print(INDENT + text)
        run = []
        print(INDENT + line if line else "")


if __name__ == "__main__":
    sys.exit(main())
