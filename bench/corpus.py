"""PTX of a corpus of kernels, made without a GPU: how a change of dotload changes its output.

    python bench/corpus.py write before/ [--random 100] [--only REGEX]     # in the one checkout
    python bench/corpus.py write after/                                    # in the other
    python bench/corpus.py compare before/ after/

The kernels: GEMMs in every memory order, by pointers and by descriptors, attention, gated and scaled products, Gluon's,
those of the benchmarks of serving and of weights, those of test/kernels_at_large.py, and random tiles; for sm_80, 86,
89, 90 and 120. `write` prints those that fall back to stock after a failure. For another checkout or version of Triton,
set PYTHONPATH to the folder of its `dotload`, and use a Python that has that Triton but no dotload: one of `.venvs/`.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "test"))

import attention_fp8
import converted_operands
import gemm
import gluon_dot_loads
import kernels_at_large as at_large
import kv_cache
import microscaled_weights
import quantised_weights
import scaled_products
import serving
import several_products
import triton
from ahead_of_time import source
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource

import dotload

CAPABILITIES = (80, 86, 89, 90, 120)
POINTERS = {"fp8": "*fp8e4nv", "int8": "*i8", "tf32": "*fp32"}
UNIT_STRIDES = {"rr": ("ak", "bn"), "cr": ("am", "bn"), "cc": ("am", "bk")}
NUMBERED = re.compile(r"(%[a-z]+|\$L__\w*?)\d+")
"""A register or a label of PTX."""


@dataclass(frozen=True)
class Kernel:
    """A kernel to compile: `compile` returns what triton.compile does."""

    name: str
    compile: Callable[[], Any]

    def ptx(self) -> tuple[str, Sequence[str]]:
        """The PTX with dotload on, or the first line of Triton's error; and dotload's failures."""
        try:
            with dotload.enabled():
                made = self.compile()
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[:1]}", ()
        remarks = getattr(made.metadata, "dotload", ())
        return made.asm["ptx"], [remark["message"] for remark in remarks if remark["kind"] == "failure"]


@dataclass(frozen=True)
class SourceKernel(Kernel):
    """A kernel whose source `make` returns."""

    make: Callable[[], Any]
    num_warps: int
    num_stages: int


def of_source(
    name: str, make: Callable[[], Any], capability: int, num_warps: int, num_stages: int, **options: Any
) -> SourceKernel:
    """A kernel whose source `make` returns, for a compute capability."""
    options |= {"num_warps": num_warps, "num_stages": num_stages}

    def compiled() -> Any:
        return triton.compile(make(), GPUTarget("cuda", capability, 32), options)

    return SourceKernel(name, compiled, make, num_warps, num_stages)


def gemms() -> Iterator[Kernel]:
    """Every kind and order, in tiles that exercise different loop transformations."""
    tiles = {
        90: (
            *((128, 256, 128, 8, 3), (256, 128, 128, 8, 4), (128, 128, 128, 4, 3)),
            *((128, 128, 64, 8, 3), (64, 64, 64, 4, 2)),
        ),
        89: ((128, 128, 64, 8, 3), (64, 64, 64, 4, 4)),
    }
    for kind in ("fp8", "fp8e5", "int8", "tf32", "fp16xint8"):
        for orders in gemm.ORDERS:
            for capability in (90, 120, 89 if kind.startswith("fp8") else 80):
                for m, n, k, warps, stages in tiles.get(capability, tiles[89]):
                    for descriptors in (False, True) if capability >= 90 and kind != "fp16xint8" else (False,):
                        depth = k * 8 // max(8, gemm.KINDS[kind].bits)
                        case = gemm.Case(kind, orders, m, n, depth, warps, stages, descriptors=descriptors)
                        yield of_case(case, capability)


def of_case(case: gemm.Case, capability: int) -> Kernel:
    """One kernel of bench/gemm.py."""
    how = f"{'tma' if case.descriptors else 'ptr'}{'-masked' if case.masked else ''}"
    tile = case.tile.replace(" ", "-")
    name = f"gemm-{case.kind}-{case.orders}-{how}-{tile}-sm{capability}"
    return of_source(name, case.source, capability, case.num_warps, case.num_stages)


def randoms(count: int) -> Iterator[Kernel]:
    """Random tiles of random kinds."""
    generator = random.Random(0)
    for number in range(count):
        case, _ = gemm.random_problem(generator)
        kernel = of_case(case, generator.choice(CAPABILITIES))
        yield replace(kernel, name=f"random{number}-{kernel.name}")


def uses() -> Iterator[Kernel]:
    """The kernels of test/kernels_at_large.py, as people write them."""
    for use in at_large.USES:
        if use.kernel is at_large.block_pointers and triton.__version__ >= "3.9":
            continue
        for kind, orders, capability in (("fp8", "cr", 90), ("tf32", "rr", 90), ("int8", "cc", 80), ("fp8", "rr", 89)):
            types = {"a": POINTERS[kind], "b": POINTERS[kind], "c": "*fp32"}
            types["d"] = "*i32" if str(use) == "gathered" else POINTERS[kind]
            constants = use.constants(kind) | dict.fromkeys(UNIT_STRIDES[orders], 1)
            tile = "x".join(str(size) for size in use.tile.values())
            name = f"use-{use}-{tile}-{kind}-{orders}-sm{capability}"
            yield of_source(name, lambda u=use, t=types, c=constants: source(u.kernel, t, c), capability, 4, 3)


def attentions() -> Iterator[SourceKernel]:
    """fp8 attention, with V row-major and with V equal to K."""
    fp8 = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr"), "*fp8e4nv") | {"o_ptr": "*fp16", "scale": "fp32"}
    for tile in attention_fp8.TILES:
        sizes = {"BLOCK_M": tile.block_m, "BLOCK_N": tile.block_n, "D": attention_fp8.HEAD}
        flavours = {
            "ptr": (attention_fp8.attention, sizes | {"stride_vd": 1}),
            "tma": (attention_fp8.attention_by_descriptors, sizes | {"V_TRANSPOSED": False}),
            "latent": (several_products.latent, sizes),
        }
        for how, (kernel, constants) in flavours.items():
            name = f"attention-{how}-{tile}".replace(" ", "-")
            make = lambda k=kernel, c=constants: source(k, fp8, c, any_number=("scale",))  # noqa: E731
            yield of_source(name, make, 90, tile.num_warps, tile.num_stages)


def caches() -> Iterator[SourceKernel]:
    """Attention of few query rows over an fp8 cache; the sequence is split, so that the second program has a part."""
    for rows, block_n, warps in ((16, 32, 4), (16, 64, 8), (32, 64, 4), (64, 64, 4)):
        for queries in (kv_cache.BF16, kv_cache.FP8):
            for cast_v in (False, True):
                case = kv_cache.Kernel(queries, kv_cache.FP8, rows, block_n, warps, 3, splits=2, cast_v=cast_v)
                for capability in (89, 90):
                    how = f"{queries.strip('*')}{'-cast' if cast_v else ''}"
                    name = f"cache-{how}-{case.tile}-sm{capability}".replace(" ", "-")
                    yield of_source(name, case.source, capability, warps, 3)
    for rows, flag, stages in itertools.product((16, 64), ("gathered", "paged"), (2, 4)):
        case = kv_cache.Kernel(kv_cache.BF16, kv_cache.FP8, rows, 64, 4, stages, splits=2, **{flag: True})
        yield of_source(f"cache-{flag}-{case.tile}-sm90".replace(" ", "-"), case.source, 90, 4, stages)
    for heads, block_n, warps, latent in itertools.product((16, 64), (32, 64), (4, 8), (False, True)):
        for queries, scaled in ((kv_cache.BF16, False), (kv_cache.BF16, True), (kv_cache.FP8, False)):
            sizes = {"head": 512, "rope": 64, "head_v": 512, "latent": latent, "scaled": scaled}
            case = kv_cache.Kernel(queries, kv_cache.FP8, heads, block_n, warps, 2, **sizes)
            name = f"mla-{queries.strip('*')}{'-latent' * latent}{'-scaled' * scaled}-{case.tile}-sm90".replace(
                " ", "-"
            )
            yield of_source(name, case.source, 90, warps, 2)


def several() -> Iterator[SourceKernel]:
    """Gated and scaled products, and Gluon's loads in the layout of mma.sync."""
    tiles = [
        several_products.Tile(*sizes) for sizes in ((128, 128, 128, 8, 3), (64, 128, 128, 4, 3), (128, 64, 64, 4, 4))
    ]
    for tile, orders in itertools.product(tiles, gemm.ORDERS):
        name = f"{orders}-{tile}".replace(" ", "-")
        for kind in ("fp8", "tf32"):
            depth = replace(tile, block_k=tile.block_k // 4 if kind == "tf32" else tile.block_k)
            make = lambda k=kind, o=orders, t=depth: several_products.gated_source(k, o, t)  # noqa: E731
            yield of_source(f"gated-{kind}-{name}", make, 90, tile.num_warps, tile.num_stages)
        make = lambda o=orders, t=tile: scaled_products.scaled_source(o, t)  # noqa: E731
        yield of_source(f"scaled-{name}", make, 90, tile.num_warps, tile.num_stages)
    for m, n, k, warps in gluon_dot_loads.TILES:
        for stride in ("stride_bk", "stride_bn"):
            sizes = {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "WARPS_M": warps // 2, "WARPS_N": 2, stride: 1}
            kernel = lambda c=sizes: gluon_source(c)  # noqa: E731
            yield of_source(f"gluon-{stride}-{m}x{n}x{k}-w{warps}", kernel, 90, warps, 3)


def weights_and_caches() -> Iterator[Kernel]:
    """The kernels of bench/serving.py, and products with weights that are converted, unpacked or scaled."""
    for tiles, _ in serving.rows():
        for kernel, capability in itertools.product(tiles, (89, 90)):
            yield of_benchmark(f"serving-{kernel.name}-{kernel.tile}", kernel, capability)
    for kernel in itertools.chain(*map(quantised_weights.kernels, (16, 64))):
        yield of_benchmark(f"quantised-{kernel.form}-{kernel.tile}", kernel, 90)
    for format_, order, rows in itertools.product(microscaled_weights.FORMATS, "cr", (16, 64, 128)):
        for kernel in itertools.islice(microscaled_weights.tiles(format_, order, rows), 0, None, 8):
            yield of_benchmark(f"microscaled-{format_}-{order}-{kernel.tile}", kernel, 90)
    for kind, orders, rows in itertools.product(("fp16xint8", "bf16xfp8"), ("rc", "rr"), (16, 64)):
        for case in itertools.islice(converted_operands.few_rows(rows)(kind, orders), 0, None, 20):
            yield of_case(case, 90)


def of_benchmark(name: str, kernel: Any, capability: int) -> Kernel:
    """A kernel that a benchmark compiles."""
    return Kernel(re.sub(r"\W+", "-", f"{name}-sm{capability}"), partial(kernel.compile, capability))


def gluon_source(constants: Mapping[str, Any]) -> Any:
    """The Gluon GEMM of bench/gluon_dot_loads.py."""
    plain = source(gluon_dot_loads.matmul, dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16"), constants)
    return GluonASTSource(plain.fn, plain.signature, plain.constants, plain.attrs)


def without_ptxas(*arguments: Any) -> tuple[str, str] | None:
    """A Triton hook that omits the last stage: only PTX is compared."""
    if not arguments:
        return "no-ptxas", "no-ptxas"
    _, stages, *_ = arguments
    stages["cubin"] = lambda *_: b""
    return None


def write(folder: Path, random_count: int, only: str) -> None:
    """Compile the corpus; one file a kernel."""
    folder.mkdir(parents=True, exist_ok=True)
    knobs.runtime.add_stages_inspection_hook = without_ptxas
    kernels = [*gemms(), *uses(), *attentions(), *caches(), *several(), *weights_and_caches(), *randoms(random_count)]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        for kernel in kernels:
            path = folder / f"{kernel.name}.ptx"
            if re.search(only, kernel.name) and not path.exists():
                ptx, failures = kernel.ptx()
                path.write_text(ptx)
                for failure in failures:
                    print(f"{kernel.name}: {failure}", flush=True)
    print(f"\nTriton {triton.__version__}, dotload of {Path(str(dotload.__file__)).parent}", file=sys.stderr)


def compare(before: Path, after: Path) -> int:
    """Print the kernels that differ, with the number of differing lines; 1 if there are any."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.ptx")})
    differing = 0
    for name in names:
        old, new = (code((folder / name).read_text()) if (folder / name).exists() else [] for folder in (before, after))
        if old == new:
            continue
        differing += 1
        counts = [sum(line[:2] in ("- ", "+ ") for line in difflib.ndiff(old, new))] if differing <= 20 else []
        reordered = sorted(old) == sorted(new)
        print(name, "only in another order" if reordered else f"{counts} lines differ" if counts else "differs")
    print(f"{len(names) - differing} of {len(names)} kernels are the same, {differing} differ")
    return int(differing > 0)


def code(ptx: str) -> list[str]:
    """The instructions of a PTX text, registers and labels numbered as they appear, without the source's path."""
    instructions = itertools.takewhile(lambda line: ".section" not in line, ptx.splitlines())
    lines = (line for line in instructions if ".loc" not in line and ".file" not in line)
    seen: dict[str, int] = {}
    return [NUMBERED.sub(lambda name: f"{name[1]}{seen.setdefault(name[0], len(seen))}", line) for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--random", type=int, default=100)
    writing.add_argument("--only", default="")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.before, options.after)
    write(options.folder, options.random, options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
