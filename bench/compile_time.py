"""The time of the two Intel passes on the demo's GEMM: the passes alone, and the whole dotload-opt command.

    python bench/compile_time.py [--repeat N]

Prints the best and the median of N runs of each. The passes run in a process without earlier plans, once cold (the
first kernel of a process) and once warm.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dotload.tools.demo_kernel import gemm

PASSES = ["--lower-to-2d-block-load=emit=opencl", "--convert-2d-block-load-to-llvm=emit=opencl"]
LIMIT_PASSES_MS, LIMIT_COMMAND_MS = 100, 1000


def run_passes() -> float:
    """Milliseconds for both passes on a fresh module, parsing and printing not counted."""
    from dotload import dialect_ext
    from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
    from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass

    context = dialect_ext.context()
    module = dialect_ext.parse_module(gemm(transposed_b=False), "gemm.ttgir")
    begin = time.perf_counter()
    LowerTo2DBlockLoadPass(emit="opencl").apply(context, module)
    Convert2DBlockLoadToLLVMPass(emit="opencl").apply(context, module)
    return 1e3 * (time.perf_counter() - begin)


def cold_and_warm(_: int) -> tuple[float, float]:
    """The first and the second run in a new process."""
    code = "import compile_time as c; print(c.run_passes(), c.run_passes())"
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True)
    cold, warm = map(float, done.stdout.split())
    return cold, warm


def run_command(kernel: Path) -> float:
    """Milliseconds for dotload-opt, from start to exit."""
    tool = Path(sys.executable).with_name("dotload-opt")
    begin = time.perf_counter()
    subprocess.run([tool, kernel, *PASSES, "-o", "/dev/null"], check=True)
    return 1e3 * (time.perf_counter() - begin)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7, help="runs of each (default: 7)")
    repeat = parser.parse_args().repeat
    passes = [cold_and_warm(index) for index in range(repeat)]
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder) / "gemm.ttgir"
        kernel.write_text(gemm(transposed_b=False))
        command = [run_command(kernel) for _ in range(repeat)]
    rows = (
        ("both passes, first kernel of a process", [cold for cold, _ in passes], LIMIT_PASSES_MS),
        ("both passes, after that", [warm for _, warm in passes], LIMIT_PASSES_MS),
        ("dotload-opt with both passes", command, LIMIT_COMMAND_MS),
    )
    print(f"{'':40} {'best':>8} {'median':>8} {'limit':>8}  (ms, {repeat} runs)")
    for name, times, limit in rows:
        print(f"{name:40} {min(times):8.1f} {statistics.median(times):8.1f} {limit:8d}")
    return 0 if all(statistics.median(times) <= limit for _, times, limit in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
