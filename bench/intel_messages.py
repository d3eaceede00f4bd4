"""Messages per load: dotload's plan against the lowering of Intel's own backend (triton-xpu 3.3).

    python bench/intel_messages.py [--xpu PYTHON] [--list]

Generates loads of matrix operands (element type x operand x memory order x repCluster x warpsPerCTA x block shape),
lowers each with both, and counts the 2D block reads in the output. Intel's backend runs in its own virtual environment,
in a process per load, since a failed assertion ends the process. Exits with 1 if a load takes more messages than in
Intel's lowering.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from dotload import dialect_ext
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass

ROOT = Path(__file__).resolve().parents[1]
XPU_PYTHON = ROOT / ".venvs" / "triton-xpu" / "bin" / "python"
WORKER = Path(__file__).with_name("intel_messages_worker.py")
READ = "2d_block_read"

# Element type -> elements in a 32-bit channel of the matrix unit. 8-bit floats are converted to f16 first.
OPS_PER_CHANNEL = {"f16": 2, "bf16": 2, "i8": 4, "f8E5M2": 2, "f32": 1}
CLUSTERS = ((1, 1), (2, 1), (4, 1), (4, 2), (2, 4))
WARPS = ((8, 4), (4, 2))
SHAPES = ((64, 64), (128, 32), (256, 64))  # (rows of C of A, or columns of B; K)


@dataclass(frozen=True)
class Case:
    """One load: operand A is [mn, k], B is [k, mn]; `transposed`: the other dim is contiguous in memory."""

    element: str
    operand: str
    transposed: bool
    cluster: tuple[int, int]
    warps: tuple[int, int]
    mn: int
    k: int

    @property
    def shape(self) -> tuple[int, int]:
        return (self.mn, self.k) if self.operand == "A" else (self.k, self.mn)

    def __str__(self) -> str:
        order = "column-major" if self.transposed else "row-major"
        return (
            f"{self.operand} {self.shape[0]}x{self.shape[1]}x{self.element} {order}, "
            f"repCluster {list(self.cluster)}, warpsPerCTA {list(self.warps)}"
        )

    def module(self) -> str:
        """The load as a separate kernel, in the syntax of Triton 3.3."""
        ops = OPS_PER_CHANNEL[self.element]
        index, k_width = ("AB".index(self.operand), max(1, ops // 2 if self.operand == "A" else ops))
        (rows, columns), (m, n) = self.shape, self.cluster
        first, second = ("%one", "%size") if self.transposed else ("%size", "%one")
        layout = "column_major" if self.transposed else "row_major"
        order = "0, 1" if self.transposed else "1, 0"
        warps = self.warps[0] * self.warps[1]
        a, b, c = f"[{8 * m}, {8 * ops}]", f"[{8 * ops}, {16 * n}]", f"[{8 * m}, {16 * n}]"
        tensor = f"tensor<{rows}x{columns}x{self.element}, #dot>"
        return f"""\
#mma = #triton_intel_gpu.dpas<{{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = {ops}, \
threadsPerWarp = 16, warpsPerCTA = [{self.warps[0]}, {self.warps[1]}], repCluster = [{m}, {n}], A = {a}, B = {b}, \
C = {c}}}>
#dot = #ttg.dot_op<{{opIdx = {index}, parent = #mma, kWidth = {k_width}}}>
module attributes {{triton_intel_gpu.min_sg_size = 16 : i32, triton_intel_gpu.support_dpas, \
triton_intel_gpu.support_sg_2d_block, triton_intel_gpu.target_arch = "spir64", "ttg.num-ctas" = 1 : i32, \
"ttg.num-warps" = {warps} : i32, ttg.target = "xpu", "ttg.threads-per-warp" = 16 : i32}} {{
  tt.func public @load(%base: !tt.ptr<{self.element}> {{tt.divisibility = 16 : i32}}) {{
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 4096 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [{first}, {second}], [%zero, %zero] \
{{order = array<i32: {order}>}} : <{tensor}>
    %value = tt.load %ptr {{boundaryCheck = array<i32: 0, 1>, triton_intel_gpu.block_io = "{layout}"}} \
: !tt.ptr<{tensor}>
    tt.return
  }}
}}
"""


def cases() -> list[Case]:
    """Every combination in which a warp has at least one tile of its own."""
    found = []
    for element, operand, transposed, cluster, warps, (mn, k) in product(
        OPS_PER_CHANNEL, "AB", (False, True), CLUSTERS, WARPS, SHAPES
    ):
        tile = 8 * cluster[0] if operand == "A" else 16 * cluster[1]
        across = warps[0] if operand == "A" else warps[1]
        if mn >= tile * across and k >= 8 * OPS_PER_CHANNEL[element]:
            found.append(Case(element, operand, transposed, cluster, warps, mn, k))
    return found


def own_messages(case: Case) -> int | None:
    """The block reads that dotload emits; None if it leaves the load. Reads of the ends of rows, row by row, do not
    count: Intel's lowering has none."""
    context = dialect_ext.context()
    module = dialect_ext.parse_module(case.module(), str(case))
    LowerTo2DBlockLoadPass(emit="opencl").apply(context, module)
    Convert2DBlockLoadToLLVMPass(emit="opencl", cut_surfaces=False).apply(context, module)
    calls = sum(op.name == "llvm.call" and READ in str(op.properties.get("callee")) for op in module.walk())
    return calls or None


def intel_messages(modules: list[str], python: Path) -> list[int | None]:
    """The block reads that Intel's backend emits; None if it loads element by element, or cannot lower the load."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(modules, file)
        file.flush()
        done = subprocess.run([python, WORKER, file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"intel_messages: Intel's backend failed:\n{done.stderr[-2000:]}")
    return [count or None for count in json.loads(done.stdout)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xpu", type=Path, default=XPU_PYTHON, help="Python of the environment that has triton-xpu")
    parser.add_argument("--list", action="store_true", help="list every load")
    options = parser.parse_args(arguments)
    if not options.xpu.exists():
        raise SystemExit(f"intel_messages: no Python at {options.xpu}; --xpu says where triton-xpu is installed")
    every = cases()
    theirs = intel_messages([case.module() for case in every], options.xpu)
    ours = [own_messages(case) for case in every]
    return report(every, ours, theirs, list_all=options.list)


def report(every: list[Case], ours: list[int | None], theirs: list[int | None], *, list_all: bool) -> int:
    """Print the table; 1 if a load takes more messages than Intel's."""
    table: dict[tuple[str, str, str], list[tuple[int | None, int | None]]] = defaultdict(list)
    for case, own, other in zip(every, ours, theirs, strict=True):
        order = "column-major" if case.transposed else "row-major"
        table[case.element, case.operand, order].append((own, other))
        if list_all:
            print(f"{own or 'kept':>5} {other or 'gather':>7}  {case}")
    print(f"{len(every)} loads; messages summed over those that both lower\n")
    print(
        "| element | operand | memory | loads | dotload | Intel 3.3 | fewer | equal | more | only dotload | neither |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    worse = 0
    for (element, operand, order), pairs in table.items():
        both = [(own, other) for own, other in pairs if own and other]
        fewer, equal = sum(own < other for own, other in both), sum(own == other for own, other in both)
        only = sum(bool(own) and not other for own, other in pairs)
        neither = sum(not own and not other for own, other in pairs)
        more = len(pairs) - fewer - equal - only - neither
        worse += more
        sums = f"{sum(own for own, _ in both)} | {sum(other for _, other in both)}"
        counts = f"{fewer} | {equal} | {more} | {only} | {neither}"
        print(f"| {element} | {operand} | {order} | {len(pairs)} | {sums} | {counts} |")
    print(f"\n{worse} loads take more messages than Intel's lowering, or are left where Intel's is not")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
