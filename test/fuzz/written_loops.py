"""Generated Triton kernels with several dots in a loop: products that share tiles, low-rank adapters, attention."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import triton.language as tl

SIDES = ("M", "N", "R")
"""The dims of tiles besides K, along which the loop runs."""
POINTERS = {"fp8": "*fp8e4nv", "fp8e5": "*fp8e5", "int8": "*i8", "tf32": "*fp32", "bf16": "*bf16"}
CASTS = {kind: f".to(tl.{name})" for kind, name in (("bf16", "bfloat16"), ("int8", "int8"))}
CASTS |= {"fp8": ".to(tl.float8e4nv)", "fp8e5": ".to(tl.float8e5)", "tf32": ""}
CONVERTED = ("fp8e5", "int8")
"""Types of tiles that a dot in bf16 may take."""
DEPTHS = {"tf32": (16, 32)}
SCORES = (
    "p{0} = tl.math.exp2(s{0}.to(tl.float32) * 0.1)",
    "p{0} = s{0}.to(tl.float32) * 0.1",
    "m{0} = tl.maximum(best{0}, tl.max(s{0}.to(tl.float32), 1))\n"
    "        p{0} = tl.math.exp2(s{0}.to(tl.float32) - m{0}[:, None])\n"
    "        acc{0} = acc{0} * tl.math.exp2(best{0} - m{0})[:, None]\n"
    "        best{0} = m{0}",
)
SUMS = (
    *["acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)"] * 4,
    "acc{0} += tl.dot({1}, {2}, out_dtype=ACC)",
    "acc{0} = acc{0} + tl.dot({1}, {2}, out_dtype=ACC) * tl.load(f + i // BK).to(ACC)",
    "acc{0} = acc{0} * 2 + tl.dot({1}, {2}, out_dtype=ACC)",
)
OTHERS = (
    *[""] * 8,
    "tl.debug_barrier()",
    "tl.store(f + 1000 + i, 1.0)",
    "tl.atomic_add(f + 1000, 1.0)",
    "acc0 += tl.load(f + i // BK).to(ACC)",
)
LOOPS = (
    *["for i in range(0, L, BK):"] * 5,
    "for i in tl.range(0, L, BK, num_stages=5):",
    "for i in range(tl.program_id(0), L, BK):",
    "for i in range(L - BK, -1, -BK):",
)


@dataclass(frozen=True)
class Tile:
    """A tile that the loop loads, `side` by K. `turned`: as [K, side]; `by_rows`: K is contiguous in memory."""

    name: str
    side: str
    stored: str
    turned: bool
    by_rows: bool
    descriptor: bool
    mask: bool

    def descriptor_text(self) -> str:
        """The statement before the loop that makes the descriptor."""
        sizes, blocks = [self.side, "L"], [f"B{self.side}", "BK"]
        if not self.by_rows:
            sizes, blocks = sizes[::-1], blocks[::-1]
        listed = f"[{', '.join(sizes)}], [{sizes[1]}, 1], [{', '.join(blocks)}]"
        return f"{self.name}_tiles = tl.make_tensor_descriptor({self.name}, {listed})"

    def load(self) -> str:
        """The statement in the loop that loads it."""
        first, rows = f"tl.program_id(0) * B{self.side}", self.side.lower()
        if self.descriptor:
            at = f"[{first}, i]" if self.by_rows else f"[i, {first}]"
            return f"{self.name}_ = {self.name}_tiles.load({at}){'' if self.by_rows != self.turned else '.T'}"
        side, inner = ("[None, :]", "[:, None]") if self.turned else ("[:, None]", "[None, :]")
        steps = ("L", "1") if self.by_rows else ("1", self.side)
        mask = f", mask={rows}{side} < {self.side}, other=0.0" if self.mask else ""
        return f"{self.name}_ = tl.load({self.name} + {rows}{side} * {steps[0]} + (i + k){inner} * {steps[1]}{mask})"

    def operand(self, kind: str, *, inner_first: bool) -> str:
        """The tile as [K, side] or [side, K], for a dot that multiplies in this type."""
        turned = ".T" if inner_first != self.turned else ""
        return f"{self.name}_{turned}{CASTS[kind] if kind != self.stored else ''}"


@dataclass
class Writer:
    """A kernel as it is written: tiles, the statements before the loop and in it, accumulators by rows and columns."""

    random: Random
    kind: str
    descriptors: bool
    tiles: list[Tile] = field(default_factory=list[Tile])
    setup: list[str] = field(default_factory=list[str])
    body: list[str] = field(default_factory=list[str])
    sums: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def operand(self, side: str, *, inner_first: bool) -> str:
        """A tile of this side, mostly one that another dot has as well."""
        known = [tile for tile in self.tiles if tile.side == side]
        is_new = not known or self.random.random() < 0.4
        tile = self.tile(side) if is_new else self.random.choice(known)
        if is_new or self.random.random() < 0.1:
            self.body.append(tile.load())
        return tile.operand(self.kind, inner_first=inner_first)

    def tile(self, side: str) -> Tile:
        """A new tile."""
        is_converted = self.kind == "bf16" and self.random.random() < 0.5
        stored = self.random.choice(CONVERTED) if is_converted else self.kind
        turned, by_rows, mask, descriptor = (self.random.random() < share for share in (0.5, 0.4, 0.2, 0.8))
        name = f"t{len(self.tiles)}"
        self.tiles.append(Tile(name, side, stored, turned, by_rows, self.descriptors and descriptor, mask))
        return self.tiles[-1]

    def scores(self, rows: str, number: int) -> str:
        """Attention's first product and softmax: a query by a tile of keys; returns the probabilities."""
        self.setup.append(f"q{number} = tl.load(q + {rows.lower()}[:, None] * BN + n[None, :]){CASTS[self.kind]}")
        keys = self.operand("N", inner_first=False)
        self.body.append(f"s{number} = tl.dot(q{number}, {keys}, out_dtype=ACC)")
        score = self.random.choice(SCORES[: 2 if self.kind == "int8" else 3])
        if "best" in score:
            self.setup.append(f"best{number} = tl.full((B{rows},), -1000.0, tl.float32)")
        self.body.append(score.format(number))
        return f"p{number}{CASTS[self.kind]}"

    def dot(self) -> None:
        """One more product."""
        rows, columns, number = self.random.choice(SIDES[:2]), self.random.choice(SIDES), len(self.sums)
        is_attention = self.random.random() < 0.3
        left = self.scores(rows, number) if is_attention else self.operand(rows, inner_first=False)
        right = self.operand(columns, inner_first=True)
        shares = (rows, columns) in self.sums and self.random.random() < 0.15
        into = self.sums.index((rows, columns)) if shares else number
        self.sums.append((rows, columns))
        self.body.append(self.random.choice(SUMS).format(into, left, right))

    def text(self, constants: dict[str, Any]) -> str:
        """The source."""
        if self.random.random() < 0.5:  # loads first
            self.body.sort(key=lambda line: " = tl.load(t" not in line and "_tiles.load(" not in line)
        arguments = [tile.name for tile in self.tiles] + [f"c{number}" for number in range(len(self.sums))]
        names = [*arguments, "q", "f", "M", "N", "R", "L", *(f"{name}: constexpr" for name in constants)]
        lines = [f"{side.lower()} = tl.program_id(0) * B{side} + tl.arange(0, B{side})" for side in SIDES]
        lines += ["k = tl.arange(0, BK)", *(tile.descriptor_text() for tile in self.tiles if tile.descriptor)]
        lines += [f"acc{at} = tl.zeros((B{rows}, B{columns}), ACC)" for at, (rows, columns) in enumerate(self.sums)]
        lines += [*self.setup, self.random.choice(LOOPS), *(f"    {line}" for line in self.body)]
        for at, (rows, columns) in enumerate(self.sums):
            place = f"c{at} + {rows.lower()}[:, None] * {columns} + {columns.lower()}[None, :]"
            lines.append(f"tl.store({place}, acc{at}.to(tl.float32))")
        return f"def kernel({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in lines if line.strip())


def write(random: Random, capability: int) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A kernel's source, the types of its pointers, and its constants."""
    kinds = ("fp8", "fp8e5", "int8", "tf32", "bf16") if capability >= 89 else ("fp8e5", "int8", "tf32", "bf16")
    writer = Writer(random, random.choice(kinds), capability >= 90 and random.random() < 0.3)
    for _ in range(random.choice((1, 2, 2, 2, 3, 3, 4))):
        writer.dot()
    writer.body.insert(random.randrange(len(writer.body) + 1), random.choice(OTHERS))
    constants: dict[str, Any] = {f"B{side}": random.choice((64, 128)) for side in "MN"}
    constants |= {"BR": random.choice((16, 32, 64)), "BK": random.choice(DEPTHS.get(writer.kind, (32, 64, 128)))}
    constants["ACC"] = tl.int32 if writer.kind == "int8" else tl.float32
    results = dict.fromkeys((f"c{number}" for number in range(len(writer.sums))), "*fp32")
    types = {tile.name: POINTERS[tile.stored] for tile in writer.tiles} | results | dict.fromkeys("qf", "*fp32")
    return writer.text(constants), types, constants
