"""Mutation test of strict mode: its checks must refuse each mutant that computes something else, or races.

    python bench/nvidia_mutants.py [--count 1200] [--seed 0] [--jobs 2] [--show]

Takes dotload's output, TTGIR with accesses in the LLVM dialect, changes one op of a kernel, and runs
`check-shared-memory-hazards` and translation validation on it. Prints, for each kind of mutation, how many mutants each
check refused, and how many are harmless. Mutants that no check refuses run once more, with copies and products as late
as possible (bench/delayed.py): one that then stores something else is WRONG, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from typing import Any

import corpus
import delayed
import hazards
from triton import knobs
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.check_shared_memory_hazards import hazards_of
from dotload.passes.validation.compare import Stored, differences, stored_by
from dotload.passes.validation.machine import Invalid, Unsupported
from dotload.plugin import bridge, nvidia
from dotload.plugin.triton_types import minor_version

KERNELS = (
    "gemm-fp8-cr-ptr-128x128x128-w4-s3-sm90",
    "gemm-int8-rr-ptr-128x128x128-w4-s3-sm90",
    "gemm-fp8-cc-ptr-128x256x128-w8-s3-sm90",
    "gemm-fp8-rr-ptr-128x128x64-w8-s3-sm90",
    "gemm-int8-cc-ptr-128x128x64-w8-s3-sm90",
    "gemm-tf32-cr-ptr-128x128x32-w4-s3-sm90",
    "gemm-tf32-rr-ptr-128x256x32-w8-s3-sm90",
    "gemm-fp8-cr-tma-128x128x128-w4-s3-sm90",
    "gemm-tf32-cr-tma-128x128x32-w4-s3-sm90",
    "gemm-int8-cc-ptr-64x64x64-w4-s4-sm80",
    "attention-ptr-64x64-w4-s3",
    "attention-tma-128x64-w8-s3",
    "gated-fp8-cr-128x64x64-w4-s4",
)
OUTPUTS = ("hazards", "validation", "verifier", "harmless", "WRONG")


@dataclass(frozen=True)
class Mutation:
    """A kind of mutation, for ops of these names for which `fits` holds; `change` changes one, with a seed."""

    kind: str
    names: tuple[str, ...]
    change: Callable[[Any, random.Random], bool]


# Mutations; each returns whether it has changed the op.


def drop(op: Operation, _: random.Random) -> bool:
    """Remove an op; its operands replace its results."""
    for result in op.results:
        users = [use.operation for use in result.uses]
        if op.operands and len(op.results) == len(op.operands):
            result.replace_all_uses_with(op.operands[list(op.results).index(result)])
        else:
            for user in users:  # tokens
                user.operands = [value for value in user.operands if value is not result]
        if result.first_use:
            return False
    Rewriter.erase_op(op)
    return True


def drop_commit(op: Operation, generator: random.Random) -> bool:
    """Drop a commit, so that the copies go into the next group."""
    if not op.operands:
        return False
    op.results[0].replace_all_uses_with(op.operands[0])
    Rewriter.erase_op(op)
    return True


def wait_less(name: str, most: int) -> Callable[[Operation, random.Random], bool]:
    """Weaken a wait, so that more stays in flight."""

    def change(op: Operation, generator: random.Random) -> bool:
        old: Any = op.properties[name]
        op.properties[name] = IntegerAttr(old.value.data + generator.randint(1, most), old.type)
        return True

    return change


def other_operand(place: int) -> Callable[[Operation, random.Random], bool]:
    """Take the operand of an earlier op of this kind."""

    def change(op: Operation, generator: random.Random) -> bool:
        module = root_of(op)
        found: list[SSAValue] = []
        for other in module.walk():
            if other is op:
                break
            same = other.name == op.name and len(other.operands) == len(op.operands)
            if same and other.operands[place].type == op.operands[place].type and is_above(other.operands[place], op):
                found.append(other.operands[place])
        values = [value for value in dict.fromkeys(found) if value is not op.operands[place]]
        if not values:
            return False
        op.operands[place] = generator.choice(values)
        return True

    return change


def root_of(op: Operation) -> Operation:
    """The module."""
    while (parent := op.parent_op()) is not None:
        op = parent
    return op


def is_above(value: SSAValue, op: Operation) -> bool:
    """Whether the value is defined where the op runs."""
    block: Any = value.owner if not isinstance(value.owner, Operation) else value.owner.parent_block()
    return block is not None and block.find_ancestor_op_in_block(op) is not None


def swap_operands(op: Operation, _: random.Random) -> bool:
    """Swap the first two operands."""
    a, b, *rest = op.operands
    if a is b or a.type != b.type:
        return False
    op.operands = [b, a, *rest]
    return True


def swap_results(op: Operation, _: random.Random) -> bool:
    """Swap the users of two results."""
    a, b = op.results[:2]
    uses = [list(a.uses), list(b.uses)]
    for result, others in ((b, uses[0]), (a, uses[1])):
        for use in others:
            use.operation.operands[use.index] = result
    return bool(uses[0] or uses[1])


def swap_entries(name: str) -> Callable[[Operation, random.Random], bool]:
    """Swap two entries of an array."""

    def change(op: Operation, generator: random.Random) -> bool:
        array: Any = op.properties.get(name)
        values = list(array.iter_values())
        if len(values) < 2:
            return False
        a, b = generator.sample(range(len(values)), 2)
        if values[a] == values[b]:
            return False
        values[a], values[b] = values[b], values[a]
        op.properties[name] = DenseArrayBase.from_list(array.elt_type, values)
        return True

    return change


def other_constant(op: Operation, generator: random.Random) -> bool:
    """Change an address computation: a bit of a mask or of an offset, or the amount of a shift."""
    value, users = op.properties.get("value"), {use.operation.name for use in op.results[0].uses}
    addresses = {"arith.xori", "arith.andi", "arith.shli", "arith.shrui", "arith.muli"}
    if (
        not isinstance(value, IntegerAttr)
        or not users
        or not users <= addresses
        or op.results[0].type.name != "integer_type"
    ):
        return False
    made = value.value.data ^ (1 << generator.randrange(0, 4) if users & {"arith.shli", "arith.shrui"} else 16)
    op.properties["value"] = IntegerAttr(made, value.type)
    return True


def other_step(op: Operation, generator: random.Random) -> bool:
    """Change a constant offset of an address."""
    array: Any = op.properties["rawConstantIndices"]
    values = list(array.iter_values())
    if len(values) != 1 or values[0] < 0:
        return False
    op.properties["rawConstantIndices"] = DenseArrayBase.from_list(
        array.elt_type, [values[0] ^ generator.choice((16, 64, 512))]
    )
    return True


def other_matrix(op: Operation, _: random.Random) -> bool:
    """Toggle .trans of an ldmatrix."""
    name: Any = op.properties["intrin"]
    if "ldmatrix" not in name.data:
        return False
    op.properties["intrin"] = StringAttr(name.data.replace(".trans", "") if ".trans" in name.data else name.data)
    return ".trans" in name.data


def other_selector(op: Operation, generator: random.Random) -> bool:
    """Change the selector of a prmt."""
    name: Any = op.properties["intrin"]
    return "prmt" in name.data and (other_operand(2)(op, generator) or swap_operands(op, generator))


def other_swizzle(op: Operation, generator: random.Random) -> bool:
    """Swap two bases of the layout of an allocation, in all types."""
    type_: Any = op.results[0].type
    if type_.encoding.name != "ttg.shared_linear":
        return False
    encoding = type_.encoding
    layout = encoding.to_encoding()
    bases = list(layout.offset)
    a, b = generator.sample(range(len(bases)), 2)
    bases[a], bases[b] = bases[b], bases[a]
    new = type(encoding).of(offset=tuple(bases), alignment=layout.alignment)
    for inner in root_of(op).walk():
        if inner.name == "ttg.async_copy_global_to_local" or any("memdesc" in str(r.type.name) for r in inner.results):
            for value in (*inner.results, *inner.operands):
                found: Any = value.type
                if getattr(found, "encoding", None) == encoding and found.name == "ttg.memdesc":
                    parameters = [new if each == encoding else each for each in found.parameters]
                    Rewriter.replace_value_with_new_type(value, type(found)(*parameters))
    return True


def flip_phase(op: Operation, _: random.Random) -> bool:
    """Wait for the other phase, so that the first wait passes at once."""
    (zero,) = [
        each
        for each in root_of(op).walk()
        if each.name == "arith.constant" and is_zero(each) and is_above(each.results[0], op)
    ][:1] or [None]
    if zero is None or op.operands[1] is zero.results[0]:
        return False
    op.operands[1] = zero.results[0]
    return True


def is_zero(op: Operation) -> bool:
    """Whether the op is the i32 constant 0."""
    value = op.properties["value"]
    return isinstance(value, IntegerAttr) and value.value.data == 0 and str(value.type) == "i32"


def move_up(op: Operation, generator: random.Random) -> bool:
    """Move a copy further up, as far as its operands allow."""
    movable = [op]
    above = op.prev_op
    steps = generator.randint(20, 400)
    while above is not None and steps and not any(value.owner is above for value in op.operands):
        above, steps = above.prev_op, steps - 1
    if above is None or above is op.prev_op:
        return False
    block = op.parent_block()
    assert block is not None
    op.detach()
    block.insert_op_after(op, above)
    return bool(movable)


MUTATIONS = (
    Mutation("dropped CTA barrier", ("gpu.barrier",), drop),
    Mutation("dropped fence", ("ttng.fence_async_shared",), drop),
    Mutation("dropped wait for copies", ("ttg.async_wait",), drop),
    Mutation("shorter wait for copies", ("ttg.async_wait",), wait_less("num", 3)),
    Mutation("dropped commit", ("ttg.async_commit_group",), drop_commit),
    Mutation("dropped wait for wgmma", ("ttng.warp_group_dot_wait",), drop),
    Mutation("shorter wait for wgmma", ("ttng.warp_group_dot_wait",), wait_less("pendings", 3)),
    Mutation("dropped wait for an mbarrier", ("ttng.wait_barrier",), drop),
    Mutation("phase of an mbarrier", ("ttng.wait_barrier",), flip_phase),
    Mutation(
        "copy started earlier",
        ("ttg.async_copy_global_to_local", "ttng.async_tma_copy_global_to_local", "llvm.inline_asm"),
        move_up,
    ),
    Mutation("target of a copy", ("llvm.inline_asm",), other_operand(0)),
    Mutation("source of a copy", ("llvm.inline_asm",), other_operand(1)),
    Mutation("dropped copy", ("llvm.inline_asm",), drop),
    Mutation("buffer index", ("ttg.memdesc_index",), other_operand(1)),
    Mutation("part of a tile", ("ttg.memdesc_subslice",), swap_entries("offsets")),
    Mutation("swizzle", ("ttg.local_alloc",), other_swizzle),
    Mutation("address computation", ("arith.constant",), other_constant),
    Mutation("offset of an address", ("llvm.getelementptr",), other_step),
    Mutation("base of an address", ("llvm.getelementptr",), other_operand(0)),
    Mutation("prmt selector", ("llvm.call_intrinsic",), other_selector),
    Mutation("ldmatrix without .trans", ("llvm.call_intrinsic",), other_matrix),
    Mutation("shuffle mask", ("llvm.shufflevector",), swap_entries("mask")),
    Mutation("shuffle operands", ("llvm.shufflevector",), swap_operands),
    Mutation("word of a vector", ("llvm.extractvalue",), other_operand(0)),
    Mutation("word that is stored", ("llvm.insertelement",), other_operand(1)),
    Mutation("word of a fragment", ("llvm.store",), other_operand(0)),
    Mutation("place of a word", ("llvm.store",), other_operand(1)),
    Mutation("halves of a split", ("tt.split",), swap_results),
    Mutation("order of a transpose", ("tt.trans",), swap_entries("order")),
    Mutation("tile of a dot", ("ttng.warp_group_dot",), other_operand(1)),
    Mutation("fragments of a dot", ("ttng.warp_group_dot", "tt.dot"), other_operand(0)),
)


@cache
def kernels() -> dict[str, corpus.Kernel]:
    """The kernels of the corpus, by name."""
    every = [*corpus.gemms(), *corpus.attentions(), *corpus.several()]
    return {kernel.name: kernel for kernel in every}


@cache
def compiled(name: str) -> tuple[ModuleOp, Stored]:
    """dotload's output for a kernel, and the stores of stock's kernel."""
    stock, ours = (bridge.to_xdsl(hazards.module_of(kernels()[name], stock=stock)) for stock in (True, False))
    return ours, stored_by(stock)


def verdict_of(module: ModuleOp, wanted: Stored) -> str:
    """The check that refuses a kernel; if none does, `harmless`, or `WRONG` by another kind of oracle."""
    options = nvidia.options_for("check-shared-memory-hazards", minor_version())
    try:
        if any(hazards_of(function, **options) for function in of_kind(module.ops, FuncOp)):
            return "hazards"
        if differences(wanted, stored_by(module)):
            return "validation"
    except (Invalid, Unsupported):
        return "validation"
    except (ValueError, AssertionError, IndexError, KeyError):
        return "verifier"  # an op that does not fit its types
    return "WRONG" if delayed.is_wrong(module, wanted) else "harmless"


def mutants(seed: int) -> Iterator[tuple[str, Mutation, ModuleOp]]:
    """An endless series of mutants, of random kernels, kinds and ops."""
    generator = random.Random(seed)
    while True:
        name = generator.choice(KERNELS)
        module = compiled(name)[0].clone()
        mutation = generator.choice(MUTATIONS)
        ops = [op for op in module.walk() if op.name in mutation.names]
        if not ops:
            continue
        place = generator.randrange(len(ops))
        if mutation.change(ops[place], generator):
            yield f"{name} {mutation.names[0]} {place}", mutation, module


def tally(count: int, seed: int, show: bool = False) -> dict[str, Counter[str]]:
    """For each kind, the number of mutants that each check refused."""
    knobs.runtime.add_stages_inspection_hook = hazards.stop_behind_ttgir
    rows: dict[str, Counter[str]] = {mutation.kind: Counter() for mutation in MUTATIONS}
    for number, (name, mutation, module) in zip(range(count), mutants(seed), strict=False):
        verdict = verdict_of(module, compiled(name.split()[0])[1])
        rows[mutation.kind][verdict] += 1
        if show and verdict in ("harmless", "verifier", "WRONG"):
            print(number, name, mutation.kind, verdict, flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--show", action="store_true", help="name the mutants that are not refused")
    options = parser.parse_args()
    rows: dict[str, Counter[str]] = {mutation.kind: Counter() for mutation in MUTATIONS}
    with tempfile.TemporaryDirectory() as cache_folder:
        os.environ["TRITON_CACHE_DIR"] = cache_folder
        share = -(-options.count // options.jobs)
        seeds = range(options.seed, options.seed + options.jobs)
        with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
            for found in pool.map(partial(tally, share, show=options.show), seeds):
                for kind, row in found.items():
                    rows[kind] += row
    print(f"{'':32}" + "".join(f"{output:>12}" for output in OUTPUTS))
    for kind, row in rows.items():
        print(f"{kind:32}" + "".join(f"{row[output]:12}" for output in OUTPUTS))
    total: Counter[str] = sum(rows.values(), Counter())
    print(f"{'all ' + str(total.total()):32}" + "".join(f"{total[output]:12}" for output in OUTPUTS))
    return int(total["WRONG"] > 0)


if __name__ == "__main__":
    sys.exit(main())
