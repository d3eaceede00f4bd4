"""Launch random GEMMs compiled with dotload, each once, for test_compute_sanitizer.py to run under compute-sanitizer.

    python test/gpu/launch_random_kernels.py COUNT SEED compile    # in several processes, to Triton's cache
    python test/gpu/launch_random_kernels.py COUNT SEED launch     # prints how many were launched

Kernels that stock Triton cannot compile or launch are left out. Each tensor has its own allocation, so memcheck sees
where it ends.
"""

import os
import random
import sys
from pathlib import Path

os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import gemm
import torch
import triton
from compile_jobs import compile_all, compiled


def is_compiled_by_stock(case):
    try:
        compiled(case, "stock")
    except Exception:
        return False
    return True


def launch(case, problem, seed):
    a, b, c = gemm.tensors(case.kind, case.orders, *problem, seed=seed)
    try:
        case.launch(compiled(case, "dotload"), a, b, c)
    except triton.runtime.errors.OutOfResources:
        return False
    torch.cuda.synchronize()
    return True


def main():
    count, seed, step = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    problems = [gemm.random_problem(random.Random(seed * 1_000_003 + number)) for number in range(count)]
    if step == "compile":
        compile_all([(case, flavour) for case, _ in problems for flavour in ("stock", "dotload")])
        return
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    launched = [is_compiled_by_stock(case) and launch(case, problem, seed) for case, problem in problems]
    print(f"launched {sum(launched)}", flush=True)


if __name__ == "__main__":
    main()
