"""Mutants of the code that convert-2d-block-load-to-llvm emits, and whether its validation rejects them.

    PYTHONPATH=test python -m mutants.intel [--mutants 1200] [--seed 0]

Each mutant is the lowered code of one load with one change: an index of a shuffle, the size or mode of a message, a
constant, the operands of an op, the field of a register, a removed op. An accepted mutant is run on the emulator, at
places that validation does not know; if any register differs, validation has accepted wrong code. Prints a table; exits
with 1 if there is such a mutant.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i1, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test" / "unit"), str(ROOT / "test" / "unit" / "emulator")]

from block_load_case import Load, Planes, expected, lowered, make_surface, outcome, source_of  # noqa: E402

from dotload import dialect_ext  # noqa: E402
from dotload.dialect_ext.errors import SourceError  # noqa: E402
from dotload.dialect_ext.ttig import BlockLoadOp  # noqa: E402
from dotload.emulator.errors import EmulatorError  # noqa: E402
from dotload.layout.xe_targets import find_target  # noqa: E402
from dotload.passes.block_load.validation.block_loads import wrong_registers  # noqa: E402

TARGET = "pvc"
LOADS = (
    (Load(shape=(32, 32)), "opencl"),
    (Load(shape=(64, 32), warps=(2, 2), cluster=(2, 1)), "spirv"),
    (Load(operand=1, shape=(32, 64), width=96), "opencl"),
    (Load(operand=1, shape=(32, 64), column_major=True), "spirv"),
    (Load(shape=(64, 32), warps=(2, 1), cluster=(4, 1), column_major=True, guard=(0, 1)), "opencl"),
    (Load("i8", 1, 4, shape=(64, 32), column_major=True, width=96), "opencl"),
    (Load("f8E5M2", 1, 2, shape=(64, 32), column_major=True, width=96), "triton-gen"),
    (Load("f8E5M2", 0, 2, shape=(32, 32), column_major=True, width=96), "triton-gen"),
    (Load("f32", 2, 2, shape=(16, 32), warps=(2, 1)), "opencl"),
    (Load("f32", 0, 1, shape=(16, 16)), "triton-gen"),
    (Load("f64", 2, 1, shape=(16, 16), column_major=True), "triton-gen"),
    (Load("f16", shape=(16, 64), blocked=((1, 4), (2, 8))), "triton-gen"),
    (Load("bf16", shape=(16, 64), blocked=((1, 1), (1, 32)), lanes=32, warps=(2, 1)), "triton-gen"),
    (Load("f8E5M2", 1, 2, shape=(32, 32), column_major=True, lanes=32), "triton-gen"),
    (Load(shape=(16, 32), planes=Planes(4, 2, 1)), "triton-gen"),
)


@dataclass
class Lowered:
    """The code of one load, the op that it was made for, with operands of this code, and the struct to check."""

    load: Load
    emit: str
    module: ModuleOp
    op: BlockLoadOp

    @property
    def struct(self) -> SSAValue:
        """The struct that the last cast turns into the tensor."""
        casts = [op for op in self.module.walk() if op.name == "builtin.unrealized_conversion_cast"]
        return casts[-1].operands[0]

    def refusal(self) -> str | None:
        """The error of validation; None if it accepts the mutant."""
        return wrong_registers(self.op, self.struct, find_target(TARGET))


def lower(load: Load, emit: str) -> Lowered:
    """Lower one load."""
    module = lowered(load, emit)
    assert module is not None, f"{load} has no plan with emit={emit}"
    (asked,) = (op for op in dialect_ext.parse_module(load.ttgir()).walk() if isinstance(op, BlockLoadOp))
    (function,) = (op for op in module.walk() if op.name == "tt.func")
    base, _, *rest = function.regions[0].block.args
    asked.operands = [base, *rest]
    return Lowered(load, emit, module, asked)


# Mutations: each takes an op and returns a description, or None if the op has nothing to change.

Change = Callable[[], None]


def _swapped(op: Operation, random_: random.Random) -> Change | None:
    pairs = [
        (a, b)
        for a in range(len(op.operands))
        for b in range(a)
        if op.operands[a].type == op.operands[b].type and op.operands[a] is not op.operands[b]
    ]
    if not pairs or op.name in ("llvm.shufflevector", "arith.addi", "arith.andi", "arith.xori"):
        return None
    a, b = random_.choice(pairs)

    def change() -> None:
        operands = list(op.operands)
        operands[a], operands[b] = operands[b], operands[a]
        op.operands = operands

    return change


def _another_pick(op: Operation, random_: random.Random) -> Change | None:
    if op.name != "llvm.shufflevector":
        return None
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    picks = [int(pick) for pick in mask.get_values()]
    (length,) = op.operands[0].type.get_shape()
    at = random_.randrange(len(picks))
    picks[at] = random_.choice([pick for pick in range(length) if pick != picks[at]])

    def change() -> None:
        op.properties["mask"] = DenseArrayBase.from_list(i32, picks)

    return change


def _another_field(op: Operation, random_: random.Random) -> Change | None:
    if op.name != "llvm.insertvalue":
        return None
    fields = len(op.results[0].type.types)
    (position,) = op.properties["position"].get_values()
    other = random_.choice([at for at in range(fields) if at != position])

    def change() -> None:
        op.properties["position"] = DenseArrayBase.from_list(i64, [other])

    return change


def _another_number(op: Operation, random_: random.Random) -> Change | None:
    value = op.properties.get("value")
    if op.name != "arith.constant" or not isinstance(value, IntegerAttr):
        return None
    number = value.value.data
    other = random_.choice([number + 1, number - 1, number * 2 or 4, number ^ 4, number ^ 16, 0 if number else 1])

    def change() -> None:
        op.properties["value"] = IntegerAttr(other, value.type)

    return change if other != number and other < 1 << 31 else None


def _another_operand(op: Operation, random_: random.Random) -> Change | None:
    """Another existing value of the same type: a wrong register, message or coordinate."""
    if not op.operands or op.parent is None:
        return None
    at = random_.randrange(len(op.operands))
    before = [result for other in op.parent.ops if other.is_before_in_block(op) for result in other.results]
    others = [value for value in before if value.type == op.operands[at].type and value is not op.operands[at]]
    if not others:
        return None
    other = random_.choice(others)

    def change() -> None:
        op.operands = [other if place == at else operand for place, operand in enumerate(op.operands)]

    return change


def _left_out(op: Operation, random_: random.Random) -> Change | None:
    same = [operand for operand in op.operands if op.results and operand.type == op.results[0].type]
    if not same or len(op.results) != 1:
        return None
    stays = random_.choice(same)

    def change() -> None:
        op.results[0].replace_all_uses_with(stays)

    return change


def _another_message(op: Operation, random_: random.Random) -> Change | None:
    if op.name == "triton_gen.2Dblockload":
        name = random_.choice(
            ["elem_size_in_bits", "tile_width", "tile_height", "v_blocks", "transpose", "vnni_transform"]
        )
        old = op.properties[name].value.data
        flips = name in ("transpose", "vnni_transform")
        new = IntegerAttr(0 if old else -1, i1) if flips else IntegerAttr(random_.choice([old * 2, old // 2 or 2]), i32)

        def change() -> None:
            op.properties[name] = new

        return change
    callee = str(op.properties.get("callee")) if op.name == "llvm.call" else ""
    if "2DBlockLoad" not in callee and "2d_block_read" not in callee:
        return None
    old_text = callee.removeprefix("@").strip('"')
    changed = [old_text.replace(a, b) for a, b in _RENAMINGS if a in old_text]
    if not changed:
        return None
    return _renamed(op, random_.choice(changed))


_RENAMINGS = (
    ("LoadTransform", "Load"), ("LoadTranspose", "Load"), ("BlockLoadINTEL", "BlockLoadTransposeINTEL"),
    ("BlockLoadINTEL", "BlockLoadTransformINTEL"), ("_transform_", "_"), ("_transpose_", "_"), ("x2c", "x1c"),
    ("x1c", "x2c"), ("32r", "16r"), ("16r", "32r"), ("16b", "8b"), ("32b", "16b"), ("8b", "16b"), ("8r", "16r"),
)  # fmt: skip


def _renamed(op: Operation, name: str) -> Change:
    def change() -> None:
        op.properties["callee"] = type(op.properties["callee"])(name)

    return change


CHANGES: dict[str, Callable[[Operation, random.Random], Change | None]] = {
    "index of a shuffle": _another_pick,
    "field of a register": _another_field,
    "constant": _another_number,
    "form of a message": _another_message,
    "operand": _another_operand,
    "operands exchanged": _swapped,
    "op left out": _left_out,
}
# A limit for each kind, since most ops insert registers into structs.
RARE = ("form of a message", "operands exchanged", "constant")


def mutants(load: Load, emit: str, count: int, random_: random.Random) -> Iterator[tuple[str, Lowered]]:
    """Random mutants of one load's code."""
    made = 0
    while made < count:
        kind = random_.choice(list(CHANGES))
        mutant = lower(load, emit)
        ops = [op for op in mutant.module.walk() if op.name not in ("tt.func", "builtin.module", "tt.return")]
        changes = [change for op in ops if (change := CHANGES[kind](op, random_)) is not None]
        if changes:
            random_.choice(changes)()
            made += 1
            yield kind, mutant


def differs(mutant: Lowered) -> bool | None:
    """Whether any register of the mutant is wrong on the emulator; None if LLVM or the emulator rejects the mutant."""
    source = source_of(mutant.module)
    for place in _settings(mutant.load):
        wanted = expected(place, make_surface(place)[1])
        try:
            got, _ = outcome(place, source, wanted.shape)
        except EmulatorError:
            return None
        if not np.array_equal(got, wanted):
            return True
    return False


def _settings(load: Load) -> Iterator[Load]:
    size = max(8 // make_surface(load)[1].dtype.itemsize, 1)
    yield load
    yield replace(load, x=3 * size, y=5, base_words=2)
    yield replace(load, x=-2 * size, y=-3)
    yield replace(load, x=load.width - 2 * size, y=load.height - 3, base_words=10)
    yield replace(load, x=load.width - 2 * size, y=-2, base_words=14, spare=0)


@dataclass
class Tally:
    """Counts for one kind of change."""

    refused: int = 0
    same: int = 0
    wrong: int = 0


def run(count: int, seed: int, loads: tuple[tuple[Load, str], ...] = LOADS) -> tuple[dict[str, Tally], list[str]]:
    """Run so many mutants; returns the counts, and a report on wrong mutants that were accepted."""
    random_ = random.Random(seed)
    table = {kind: Tally() for kind in CHANGES}
    complaints: list[str] = []
    shares = Counter(number % len(loads) for number in range(count))
    for number, (load, emit) in enumerate(loads):
        for place, (kind, mutant) in enumerate(mutants(load, emit, shares[number], random_)):
            if _refused(mutant):
                table[kind].refused += 1
            elif differs(mutant):
                table[kind].wrong += 1
                complaints.append(
                    f"seed {seed}, {load}, emit={emit}: mutant {place} ({kind}) was accepted and is wrong"
                )
            else:
                table[kind].same += 1
    return table, complaints


def _refused(mutant: Lowered) -> bool:
    try:
        mutant.module.verify()
    except (VerifyException, SourceError):
        return True
    return mutant.refusal() is not None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    table, complaints = run(options.mutants, options.seed)
    print("Intel: mutants of lowered 2D block loads\n")
    print("| change | mutants | refused | the same result | wrong and accepted |\n|---|--:|--:|--:|--:|")
    for kind, tally in table.items():
        total = tally.refused + tally.same + tally.wrong
        print(f"| {kind} | {total} | {tally.refused} | {tally.same} | {tally.wrong} |")
    print(f"\n{sum(tally.wrong for tally in table.values())} wrong ones accepted")
    print("\n".join(complaints), file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
