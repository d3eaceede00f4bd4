"""Messages of loads of every family of layouts: dotload's plan against a model of Intel's tile search.

    python bench/intel_layouts.py [--loads 20000] [--seed 0] [--list]

The families are operands and accumulators of DPAS, blocked layouts and linear layouts, for subgroups of 16 and 32, with
elements of 8 to 64 bits, by rows and by columns. A tile of the model that the instruction does not support (32-bit
elements in four blocks, for example) is not a plan: such loads are counted separately. Exits with 1 if a load takes
more messages than in the model, or is left although the model has a legal tile.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from intel_tile_search import search

from dotload.layout.block_load import BlockLoadPlan, LoadRequest, plan_block_load
from dotload.layout.block_load_choice import SPARE_BYTES
from dotload.layout.encodings import Blocked, Dpas
from dotload.layout.linear import LinearLayout
from dotload.layout.xe_targets import Emit, find_target

TARGET = find_target("xe2")
MAX_BYTES_A_LANE = 1024
MAX_ROW_STEP = 32  # allowed by a pitch of up to 512 KB


@dataclass(frozen=True)
class Case:
    """One load of a warp, and its name in a list."""

    family: str
    layout: LinearLayout
    bits: int
    column_major: bool
    text: str
    operand_b: bool = False
    tile_registers: int = 0

    @property
    def axes(self) -> tuple[int, int]:
        """Positions of the row and the column dim."""
        return (1, 0) if self.column_major else (0, 1)


def operand(random_: random.Random) -> Case:
    """An operand of DPAS, or its accumulator."""
    bits, ops = random_.choice([(16, 2), (16, 2), (8, 4), (8, 2), (32, 1)])
    lanes = random_.choice((16, 16, 32))
    name = random_.choice("AABBC")
    bits = 32 if name == "C" else bits
    warps = random_.choice([(1, 1), (2, 2), (4, 2), (8, 4), (4, 1)])
    cluster = random_.choice([(1, 1), (2, 1), (4, 1), (4, 2), (2, 4), (1, 2)])
    shape = tuple(random_.choice((16, 32, 64, 128, 256)) for _ in range(2))
    dpas = Dpas(8, 8, 16, ops, lanes, warps, cluster)
    column_major = random_.random() < 0.5
    text = f"{name} {shape} {dpas}"
    layout, tile = dpas.operand_layout(name, shape), math.prod(dpas.instruction_shape(name)) // lanes
    return Case(f"operand {name}", layout, bits, column_major, text, name == "B", tile)


def blocked(random_: random.Random) -> Case:
    """A blocked layout whose rows of lanes, along the dim that is contiguous in registers, have up to 64 bytes."""
    bits, lanes = random_.choice((8, 16, 32, 64)), random_.choice((16, 32))
    order = random_.choice([(1, 0), (0, 1)])
    each = [1, 1]
    each[order[0]] = random_.choice([count for count in (1, 2, 4, 8) if count * bits <= 64])
    each[order[1]] = random_.choice((1, 1, 1, 2, 4))
    across = random_.choice(
        [1 << bit for bit in range(6) if 1 << bit <= lanes and (each[order[0]] * bits << bit) <= 512]
    )
    warps = random_.choice([(1, 1), (1, 4), (4, 1), (2, 2), (8, 1)])
    shape = tuple(random_.choice((16, 32, 64, 128)) for _ in range(2))
    threads = (lanes // across, across) if order == (1, 0) else (across, lanes // across)
    encoding = Blocked((each[0], each[1]), threads, warps, order)
    column_major = random_.random() < 0.5
    return Case("blocked", encoding.to_linear_layout(shape), bits, column_major, f"{shape} {encoding}")


def linear(random_: random.Random) -> Case:
    """A linear layout: one row of lanes or several, and the remaining bits of rows and columns in any order."""
    bits, lanes = random_.choice((8, 16, 32, 64)), random_.choice((4, 5))
    rows, columns = random_.choice((3, 4, 5)), random_.choice((3, 4, 5, 6))
    by_rows = random_.random() < 0.7
    every = [(0, 1 << bit) for bit in range(columns)] + [(1 << bit, 0) for bit in range(rows)]
    packed = random_.choice((0, 0, 1, 2))
    first = [(0, 1 << bit) for bit in range(packed)]
    rest = [basis for basis in every if basis not in first]
    ordered = rest if by_rows else sorted(rest, key=lambda basis: basis[0] == 0)
    moving = ordered[:lanes]
    others = [basis for basis in rest if basis not in moving]
    random_.shuffle(others)
    warps = others[: random_.choice((0, 0, 1, 2))]
    registers = [*first, *(basis for basis in others if basis not in warps)]
    sizes = {"dim0": 1 << rows, "dim1": 1 << columns}
    layout = LinearLayout.from_bases({"register": registers, "lane": moving, "warp": warps, "block": []}, sizes)
    return Case("linear", layout, bits, False, str(layout).replace("\n", " "))


FAMILIES: tuple[Callable[[random.Random], Case], ...] = (operand, blocked, linear)


def cases(count: int, seed: int) -> list[Case]:
    """`count` loads that fit a lane's registers and in which no lane holds a copy."""
    random_ = random.Random(seed)
    found: list[Case] = []
    while len(found) < count:
        case = random_.choice(FAMILIES)(random_)
        held = case.layout.in_sizes["register"] * case.bits // 8
        if held <= MAX_BYTES_A_LANE and all(any(basis) for basis in case.layout.bases["lane"]):
            found.append(case)
    return found


def own(case: Case) -> BlockLoadPlan | None:
    """dotload's plan."""
    row, column = (f"dim{axis}" for axis in case.axes)
    lanes = case.layout.in_sizes["lane"]
    request = LoadRequest(case.layout, case.bits, row, column, case.tile_registers, max_row_step=MAX_ROW_STEP)
    request = replace(request, spare_bytes=0 if case.tile_registers else SPARE_BYTES)  # as the passes do
    plan = plan_block_load(request, TARGET.messages(Emit.TRITON_GEN, lanes))
    return plan if isinstance(plan, BlockLoadPlan) else None


def verdict(case: Case, cost: Counter[str]) -> tuple[str, str]:
    """Which side is ahead, and by what; `cost` counts rows, bytes and unread bytes of loads that both serve."""
    plan = own(case)
    tile = search(case.layout, case.bits, *case.axes, operand_b=case.operand_b)
    texts = f"{plan.messages if plan else '-'} x {plan.message if plan else '-'}"
    texts += f" against {tile.messages if tile else '-'} x {tile.message if tile else '-'}"
    if tile is None:
        return ("only dotload" if plan else "neither"), texts
    if tile.problem is not None:
        return "illegal tile", f"{texts}: {tile.problem}"
    if plan is None:
        return "only Intel", texts
    cost["own rows"] += plan.rows
    cost["model's rows"] += tile.messages * tile.message.rows
    cost["own bytes"] += plan.payload_bytes
    cost["model's bytes"] += tile.messages * tile.message.payload_bits // 8
    cost["loads with unread bytes"] += plan.waste > 1
    if plan.messages == tile.messages:
        return "equal", texts
    return ("fewer" if plan.messages < tile.messages else "more"), texts


COLUMNS = ("fewer", "equal", "more", "only dotload", "only Intel", "illegal tile", "neither")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="list every load that dotload is behind in")
    options = parser.parse_args()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    cost: Counter[str] = Counter()
    for case in cases(options.loads, options.seed):
        who, texts = verdict(case, cost)
        table[case.family][who] += 1
        if options.list and who in ("more", "only Intel"):
            print(f"{who}: {texts}: {case.bits} bits, column_major={case.column_major}, {case.text}")
    print(f"| layouts | loads | {' | '.join(COLUMNS)} |\n|---|{'--:|' * (len(COLUMNS) + 1)}")
    for family, counts in sorted(table.items()):
        print(f"| {family} | {counts.total()} | {' | '.join(str(counts[name]) for name in COLUMNS)} |")
    every = sum(table.values(), Counter[str]())
    print(f"| all | {every.total()} | {' | '.join(str(every[name]) for name in COLUMNS)} |")
    behind = every["more"] + every["only Intel"]
    served = every["fewer"] + every["equal"] + every["more"]
    share = 100 * every["fewer"] / max(1, served)
    print(f"\n{behind} loads behind the model; fewer messages in {share:.1f} % of those that both serve")
    ahead = 100 * (every["fewer"] + every["only dotload"]) / max(1, served + every["only dotload"])
    print(f"with those that the model leaves as gathers, one read a register at least: {ahead:.1f} %")
    rows, bytes_ = (100 * (cost[f"own {what}"] / max(1, cost[f"model's {what}"]) - 1) for what in ("rows", "bytes"))
    print(f"of those, rows (a cache line each at least): {rows:+.2f} %; bytes: {bytes_:+.2f} %")
    print(f"loads that leave some bytes unread: {cost['loads with unread bytes']}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
