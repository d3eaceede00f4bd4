"""Times of the command lines, and of the parts of a compilation: the bridge, the dialects' parser, a plan.

    python bench/tool_times.py [--runs 9]

Each row shows its limit, if any. The kernel has 300 lines; the tile of the plan is that of the README's table.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dotload.dialect_ext import parse_module, print_module
from dotload.layout import staging
from dotload.layout.raw_tiles import Tile

LINES = 300
LAYOUT = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"

HEAD = """\
#A = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#C = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#dotA = #ttg.dot_op<{opIdx = 0, parent = #C, kWidth = 2}>
#dotB = #ttg.dot_op<{opIdx = 1, parent = #C, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80",
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gemm_unrolled(%a0: tensor<128x32x!tt.ptr<f16>, #A>, %b0: tensor<32x128x!tt.ptr<f16>, #A>,
                                %out: tensor<128x128x!tt.ptr<f32>, #C>) {
    %c0 = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #C>
    %stepA = arith.constant dense<32> : tensor<128x32xi32, #A>
    %stepB = arith.constant dense<4096> : tensor<32x128xi32, #A>
"""
STEP = """\
    %x{i} = tt.load %a{i} : tensor<128x32x!tt.ptr<f16>, #A>
    %y{i} = tt.load %b{i} : tensor<32x128x!tt.ptr<f16>, #A>
    %p{i} = ttg.convert_layout %x{i} : tensor<128x32xf16, #A> -> tensor<128x32xf16, #dotA>
    %q{i} = ttg.convert_layout %y{i} : tensor<32x128xf16, #A> -> tensor<32x128xf16, #dotB>
    %c{n} = tt.dot %p{i}, %q{i}, %c{i}
      : tensor<128x32xf16, #dotA> * tensor<32x128xf16, #dotB> -> tensor<128x128xf32, #C>
    %a{n} = tt.addptr %a{i}, %stepA : tensor<128x32x!tt.ptr<f16>, #A>, tensor<128x32xi32, #A>
    %b{n} = tt.addptr %b{i}, %stepB : tensor<32x128x!tt.ptr<f16>, #A>, tensor<32x128xi32, #A>
"""
TAIL = """\
    tt.store %out, %c{n} : tensor<128x128x!tt.ptr<f32>, #C>
    tt.return
  }}
}}
"""
BRIDGE = """
import os, sys, time
from dotload.tools.opt.cpp_engine import CppEngine
from dotload.plugin.bridge import from_xdsl, to_xdsl

engine = CppEngine.load()
seconds = []
for _ in range(int(sys.argv[2])):
    module = engine.parse(sys.argv[1])
    before = time.perf_counter()
    from_xdsl(to_xdsl(module), engine.context)
    seconds.append(time.perf_counter() - before)
print(*seconds, flush=True)
os._exit(0)
"""


def kernel(lines: int = LINES) -> str:
    """A GEMM of at least `lines` lines, its loop unrolled."""
    steps = -(-(lines - HEAD.count("\n") - TAIL.count("\n")) // STEP.count("\n"))
    body = "".join(STEP.format(i=i, n=i + 1) for i in range(steps))
    return HEAD + body + TAIL.format(n=steps)


def time_command(words: list[str], runs: int) -> tuple[float, float]:
    """Median seconds of wall time, and of dotload's own share by `--mlir-timing`."""
    command = [str(Path(sys.executable).parent / "dotload-opt"), *words, "-o", "/dev/null"]
    walls, owns = [], []
    for _ in range(runs):
        before = time.perf_counter()
        result = subprocess.run([*command, "--mlir-timing"], capture_output=True, text=True, check=True)
        walls.append(time.perf_counter() - before)
        own = re.search(r"own share ([\d.]+) seconds", result.stderr)
        assert own, result.stderr
        owns.append(float(own.group(1)))
    return statistics.median(walls), statistics.median(owns)


def time_bridge(file: str, runs: int) -> tuple[float, float]:
    """Seconds of the first round trip, and the median of later ones."""
    result = subprocess.run(
        [sys.executable, "-c", BRIDGE, file, str(runs + 1)], capture_output=True, text=True, check=True
    )
    first, *rest = map(float, result.stdout.split())
    return first, statistics.median(rest)


def time_layout(runs: int) -> float:
    """Median seconds of wall time of dotload-layout over a tensor of 256x256."""
    command = [str(Path(sys.executable).parent / "dotload-layout"), "-l", LAYOUT, "-t", "tensor<256x256xf16>"]
    return median_of(runs, lambda: subprocess.run(command, capture_output=True, check=True))


def time_dialects(text: str, runs: int) -> tuple[float, float]:
    """Median seconds to read a module into xDSL's dialects, and to print it."""
    module = parse_module(text)
    return (
        median_of(runs, lambda: parse_module(text, verify=False)),
        median_of(runs, lambda: print_module(module)),
    )


def time_plan(runs: int) -> float:
    """Median seconds to search for the layouts of an operand of wgmma, and to prove them."""

    def plan() -> None:
        for cached in (staging.plan_wgmma_registers, staging.plan_register_route, staging.prove):
            cached.cache_clear()
        route = staging.plan_wgmma_registers(Tile(1, 256, 128, 8), 128, 8)
        assert route is not None
        assert staging.prove(route)

    return median_of(runs, plan)


def median_of(runs: int, work: Callable[[], object]) -> float:
    """Median seconds of wall time."""
    seconds: list[float] = []
    for _ in range(runs):
        before = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - before)
    return statistics.median(seconds)


def main() -> int:
    """Print the table; exit status 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(kernel())
        file.flush()
        cpp_wall_s, cpp_own_s = time_command([file.name, "--tritongpu-coalesce"], runs)
        mixed_wall_s, _ = time_command([file.name, "-cse", "--stage-dot-operands", "-canonicalize"], runs)
        first_s, bridge_s = time_bridge(file.name, runs)
    read_s, print_s = time_dialects(kernel(), runs)
    rows = [
        ("dotload-opt --tritongpu-coalesce, wall", cpp_wall_s, 0.6),
        ("  of which dotload's own", cpp_own_s, 0.15),
        ("dotload-opt -cse --stage-dot-operands -canonicalize, wall", mixed_wall_s, None),
        ("dotload-layout, 256x256, wall", time_layout(runs), 0.5),
        ("bridge round trip, the first", first_s, None),
        ("bridge round trip, after warm-up", bridge_s, 0.06),
        ("Triton's assembly read into xDSL", read_s, 0.1),
        ("the same printed", print_s, 0.1),
        ("fp8 operand of 256x128 planned and proved", time_plan(runs), 0.3),
    ]
    print(f"A kernel of {kernel().count(chr(10))} lines, median of {runs} runs")
    for name, seconds, limit_s in rows:
        verdict = (
            "" if limit_s is None else f"  limit {1e3 * limit_s:4.0f} ms  {'ok' if seconds <= limit_s else 'OVER'}"
        )
        print(f"{name:60}{1e3 * seconds:7.1f} ms{verdict}")
    return int(any(limit_s is not None and seconds > limit_s for _, seconds, limit_s in rows))


if __name__ == "__main__":
    sys.exit(main())
