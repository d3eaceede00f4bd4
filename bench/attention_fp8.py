"""fp8 attention forward with V row-major and with V stored transposed, stock Triton against dotload.

    python bench/attention_fp8.py                   # head 128, sequences 4096 and 16384
    python bench/attention_fp8.py --sequences 4096 --rounds 1
    python bench/attention_fp8.py --descriptors     # tiles through tensor descriptors (TMA)

P V needs V with the sequence contiguous; kernels for Hopper therefore keep V transposed in memory. The reference is
that kernel. Each flavour gets the best of the same tile list.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import triton
import triton.language as tl
from ahead_of_time import source
from best_tile import best_of_each
from triton.backends.compiler import GPUTarget

import dotload

HEAD = 128


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, stride_head, stride_v_head, stride_vn, stride_vd, N,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + head * stride_head + rows[:, None] * D + dims[None, :])
    k_tile = k_ptr + head * stride_head + dims[:, None] + columns[None, :] * D
    v_tile = v_ptr + head * stride_v_head + columns[:, None] * stride_vn + dims[None, :] * stride_vd
    best = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for _ in range(0, N, BLOCK_N):
        k = tl.load(k_tile)
        scores = tl.dot(q, k) * scale
        new_best = tl.maximum(best, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_best[:, None])
        correction = tl.math.exp2(best - new_best)
        total = total * correction + tl.sum(p, 1)
        acc = acc * correction[:, None]
        v = tl.load(v_tile)
        acc = tl.dot(p.to(v.dtype), v, acc)
        best = new_best
        k_tile += BLOCK_N * D
        v_tile += BLOCK_N * stride_vn
    acc = acc / total[:, None]
    tl.store(o_ptr + head * stride_head + rows[:, None] * D + dims[None, :], acc.to(o_ptr.dtype.element_ty))


@triton.jit
def attention_by_descriptors(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, N, V_TRANSPOSED: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    heads, head = tl.num_programs(1), tl.program_id(1)
    first, row = head * N, head * N + tl.program_id(0) * BLOCK_M
    q_tiles = tl.make_tensor_descriptor(q_ptr, [heads * N, D], [D, 1], [BLOCK_M, D])
    k_tiles = tl.make_tensor_descriptor(k_ptr, [heads * N, D], [D, 1], [BLOCK_N, D])
    if V_TRANSPOSED:
        v_tiles = tl.make_tensor_descriptor(v_ptr, [heads * D, N], [N, 1], [D, BLOCK_N])
    else:
        v_tiles = tl.make_tensor_descriptor(v_ptr, [heads * N, D], [D, 1], [BLOCK_N, D])
    o_tiles = tl.make_tensor_descriptor(o_ptr, [heads * N, D], [D, 1], [BLOCK_M, D])
    q = q_tiles.load([row, 0])
    best = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, N, BLOCK_N):
        scores = tl.dot(q, k_tiles.load([first + start, 0]).T) * scale
        new_best = tl.maximum(best, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_best[:, None])
        correction = tl.math.exp2(best - new_best)
        total = total * correction + tl.sum(p, 1)
        acc = acc * correction[:, None]
        if V_TRANSPOSED:
            v = v_tiles.load([head * D, start]).T
        else:
            v = v_tiles.load([first + start, 0])
        acc = tl.dot(p.to(v.dtype), v, acc)
        best = new_best
    o_tiles.store([row, 0], (acc / total[:, None]).to(o_ptr.dtype.element_ty))


@dataclass(frozen=True)
class Tile:
    """Launch parameters."""

    block_m: int
    block_n: int
    num_warps: int
    num_stages: int

    def __str__(self) -> str:
        return f"{self.block_m}x{self.block_n} w{self.num_warps} s{self.num_stages}"

    def compile(self, *, transposed: bool, capability: int = 90) -> Any:
        """The compiled kernel, without a GPU; `transposed`: V is [head dim, sequence] in memory."""
        types = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr"), "*fp8e4nv") | {"o_ptr": "*fp16", "scale": "fp32"}
        constants = {"BLOCK_M": self.block_m, "BLOCK_N": self.block_n, "D": HEAD}
        constants["stride_vn" if transposed else "stride_vd"] = 1
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        kernel = source(attention, types, constants, any_number=("scale",))
        return triton.compile(kernel, target=GPUTarget("cuda", capability, 32), options=options)


TILES = [
    Tile(m, n, warps, stages) for m, warps in ((64, 4), (128, 4), (128, 8)) for n in (64, 128) for stages in (2, 3, 4)
]


@dataclass(frozen=True)
class Problem:
    """Heads x sequence, fp8; `v` is row-major or, `transposed`, [head dim, sequence] in memory.

    `descriptors`: tiles are loaded through tensor descriptors, not pointers. `flavour`: "stock" or "dotload".
    """

    q: Any
    k: Any
    v: Any
    out: Any
    transposed: bool
    descriptors: bool = False
    flavour: str = "stock"

    @staticmethod
    def random(heads: int, sequence: int, *, transposed: bool, descriptors: bool = False) -> Problem:
        """Random inputs; the same numbers for both layouts of V."""
        import torch

        generator = torch.Generator(device="cuda").manual_seed(0)
        q, k, v = (
            torch.randn(heads, sequence, HEAD, device="cuda", generator=generator).to(torch.float8_e4m3fn)
            for _ in range(3)
        )
        stored = v.view(torch.int8).transpose(1, 2).contiguous().view(v.dtype) if transposed else v
        out = torch.full((heads, sequence, HEAD), 123.0, device="cuda", dtype=torch.float16)
        return Problem(q, k, stored, out, transposed, descriptors)

    def launch(self, tile: Tile) -> None:
        """One forward pass."""
        heads, sequence, _ = self.q.shape
        tensors = (self.q, self.k, self.v, self.out, HEAD**-0.5 * 1.44269504)
        if self.descriptors:
            kernel, layout = attention_by_descriptors, (sequence, self.transposed)
        else:
            strides = (1, sequence) if self.transposed else (HEAD, 1)
            kernel, layout = attention, (sequence * HEAD, sequence * HEAD, *strides, sequence)
        constants = (tile.block_m, tile.block_n, HEAD)
        options = {"num_warps": tile.num_warps, "num_stages": tile.num_stages}
        with dotload.enabled() if self.flavour == "dotload" else nullcontext():
            kernel[(sequence // tile.block_m, heads)](*tensors, *layout, *constants, **options)

    @property
    def flops(self) -> int:
        """Operations of both products."""
        heads, sequence, _ = self.q.shape
        return 4 * heads * sequence * sequence * HEAD

    def error(self) -> float:
        """Relative error of the first head against float64."""
        import torch

        v = self.v[0].T if self.transposed else self.v[0]
        scores = self.q[0].double() @ self.k[0].double().T * HEAD**-0.5
        reference = torch.softmax(scores, -1) @ v.double()
        return ((self.out[0].double() - reference).norm() / reference.norm()).item()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sequences", default="4096,16384")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--descriptors", action="store_true", help="load through tensor descriptors, not pointers")
    arguments = parser.parse_args()
    import torch

    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}, dotload {dotload.__version__}")
    for sequence in map(int, arguments.sequences.split(",")):
        heads = max(1, 32 * 4096 // sequence)
        print(
            f"\nfp8 attention, {heads} heads x {sequence} x {HEAD}   TFLOP/s   of V transposed   tile   relative error"
        )
        problems: dict[str, tuple[Problem, list[Tile]]] = {}
        for name, transposed, flavour in (
            ("V transposed, stock", True, "stock"),
            ("V row-major, stock", False, "stock"),
            ("V row-major, dotload", False, "dotload"),
        ):
            problem = Problem.random(heads, sequence, transposed=transposed, descriptors=arguments.descriptors)
            problems[name] = replace(problem, flavour=flavour), TILES
        best = best_of_each(problems, arguments.rounds)
        for name, (speed, tile) in best.items():
            problem, share = problems[name][0], speed / best["V transposed, stock"][0]
            problem.launch(tile)
            print(f"  {name:22s} {speed:8.0f} {share:10.2f}   {tile!s:16s} {problem.error():.2e}", flush=True)


if __name__ == "__main__":
    main()
