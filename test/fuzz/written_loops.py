"""Generated Triton kernels with several dots in a loop: products that share tiles, low-rank adapters, attention; by
tiles that are gathered, unpacked or loaded an iteration ahead; in nests, one loop behind another, under branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import triton.language as tl

SIDES = ("M", "N", "R")
"""The dims of tiles besides K, along which the loop runs."""
POINTERS = {
    **{"fp8": "*fp8e4nv", "fp8e5": "*fp8e5", "int8": "*i8", "int4": "*i8"},
    **{"tf32": "*fp32", "bf16": "*bf16", "fp16": "*fp16"},
}
TYPES = {
    **{"fp8": "float8e4nv", "fp8e5": "float8e5", "int8": "int8", "int4": "int8"},
    **{"tf32": "float32", "bf16": "bfloat16", "fp16": "float16"},
}
CASTS = {kind: "" if kind == "tf32" else f".to(tl.{name})" for kind, name in TYPES.items()}
CONVERTED = {
    **{"bf16": ("fp8e5", "int8", "int4"), "fp16": ("fp8e5", "int8", "int4", "fp8")},
    **{"fp8": ("fp8e5",), "fp8e5": ("fp8",)},
}
"""Types of tiles that a dot in these types may take; fp8 from sm_89 on. Two types of 8 bits are multiplied as they
are."""
ATTRIBUTES = ("", "", "", ", eviction_policy='evict_last'", ", cache_modifier='.cg'", ", volatile=True")
"""Of loads through pointers."""
WAYS = (
    *["pointers"] * 8,
    *("masked", "k masked", "masked by ones", "rows by index", "k by index"),
    *("wide offsets", "rows modulo", *(["block pointer"] if hasattr(tl, "advance") else [])),
)
"""How tiles are loaded without a descriptor. Triton 3.9 has no block pointers."""
FORMATS = {"fp8": "e4m3", "fp8e5": "e5m2", "bf16": "bf16", "fp16": "fp16"}
DEPTHS = {"tf32": (16, 32)}
SCORES = (
    "p{0} = tl.math.exp2(s{0}.to(tl.float32) * 0.1)",
    "p{0} = s{0}.to(tl.float32) * 0.1",
    "m{0} = tl.maximum(best{0}, tl.max(s{0}.to(tl.float32), 1))\n"
    "p{0} = tl.math.exp2(s{0}.to(tl.float32) - m{0}[:, None])\n"
    "acc{0} = acc{0} * tl.math.exp2(best{0} - m{0})[:, None]\n"
    "best{0} = m{0}",
)
ROW_SCALES = "tl.load(f + i // BK * 512 + {rows}).to(ACC)[:, None]"
COLUMN_SCALES = "tl.load(f + i // BK * 512 + {columns}).to(ACC)[None, :]"
SUMS = (
    *["acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)"] * 6,
    "acc{0} += tl.dot({1}, {2}, out_dtype=ACC)",
    "acc{0} = acc{0} + tl.dot({1}, {2}, out_dtype=ACC) * tl.load(f + i // BK).to(ACC)",
    "acc{0} = acc{0} * 2 + tl.dot({1}, {2}, out_dtype=ACC)",
    f"acc{{0}} += tl.dot({{1}}, {{2}}, out_dtype=ACC) * {ROW_SCALES}",
    f"acc{{0}} += tl.dot({{1}}, {{2}}, out_dtype=ACC) * {ROW_SCALES} * {COLUMN_SCALES}",
    "if i // BK % 3 == 0:\n    acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\nif i // BK % 4 == 3:\n    acc{0} = acc{0} * 2",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\ntl.store(f + 2000 + {rows}, tl.sum(acc{0}, 1).to(tl.float32))",
    "y{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\nif i // BK % 2 == 0:\n    acc{0} = y{0}",
    "y{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\n"
    "if i // BK % 2 == 0:\n    acc{0} = y{0}\nelse:\n    acc{0} = y{0} * 2",
    "y{0} = tl.dot({1}, {2}, out_dtype=ACC)\nif i // BK % 3 == 0:\n    acc{0} = y{0}\nelse:\n    acc{0} += y{0}",
    "y{0} = tl.dot({1}, {2}, out_dtype=ACC)\nacc{0} += last{0}\nlast{0} = y{0}",
    "if i // BK % 2 == 0:\n    acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\n"
    "else:\n    acc{0} += tl.dot({1}, {2}, out_dtype=ACC) * 2",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\n"
    "if i // BK % 4 == 3:\n    tl.atomic_add(f + 2000 + {rows}, tl.sum(acc{0}, 1).to(tl.float32))",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC, max_num_imprecise_acc=32)",
    "acc{0} = tl.where(i // BK % 3 == 1, tl.zeros_like(acc{0}), acc{0})\n"
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)",
    "acc{0} += tl.trans(tl.dot(tl.trans({2}), tl.trans({1}), out_dtype=ACC))",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\nif i // BK % 4 == 3:\n"
    "    beside = c{0} + 16777216 + first * 65536 + ({rows} % 256)[:, None] * 256 + ({columns} % 256)[None, :]\n"
    "    tl.store(beside, acc{0}.to(tl.float32))\n"
    "    acc{0} = tl.zeros_like(acc{0})",
    "for _ in range(2):\n    acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)",
    "acc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)\nacc{0} = tl.dot({1}, {2}, acc{0}, out_dtype=ACC)",
)
PRECISIONS = ("tf32x3", "ieee")
SCALED = "acc{0} = tl.dot_scaled({1}, {scales_left}, '{format}', {2}, {scales_right}, '{format}', acc{0})"
OTHERS = (
    *[""] * 8,
    "tl.debug_barrier()",
    "tl.store(f + 1000 + i, 1.0)",
    "tl.atomic_add(f + 1000, 1.0)",
    "acc0 += tl.load(f + i // BK).to(ACC)",
    "acc0 += tl.cumsum(tl.load(f + i + k), 0).sum(0).to(ACC)",
    "tl.device_print('i', i)",
    "tl.device_assert(i < L)",
    "while tl.load(f + i // BK, volatile=True) < 1.0:\n    pass",
    "acc0 += tl.atomic_add(f + 1000, 1.0).to(ACC)",
    "acc0 += tl.sum({0}.to(tl.float32)).to(ACC)",
    "tl.store({1} + tl.arange(0, 16), tl.zeros((16,), {1}.dtype.element_ty))",
    "if tl.load(f + i) > 0.0:\n    acc0 = tl.zeros_like(acc0)",
)
"""Other statements in a loop, some with a loaded tile and its pointer."""
LOOPS = (
    *["for i in range(0, L, BK):"] * 6,
    "for i in tl.range(0, L, BK, num_stages=5):",
    "for i in tl.range(0, L, BK, num_stages=1):",
    "for i in tl.range(0, L, BK, loop_unroll_factor=2):",
    "for i in tl.range(0, L, BK, disallow_acc_multi_buffer=True):",
    "for i in range(tl.program_id(0), L, BK):",
    "for i in range(0, 4 * BK, BK):",
    "for i in range(L - BK, -1, -BK):",
    "i = 0\nwhile i < L:",
    "i = 0\nwhile (i < L) & (tl.load(f + i // BK) > 0.0):",
    "for i in tl.range(0, L, BK, disable_licm=True):",
    "for i in range(0, tl.load(index), BK):",
    "for i in range(0, 3 * BK, BK):",
    "for i in range(0, BK, BK):",
    "for i in tl.range(0, L, BK, warp_specialize=True):",
)
NESTS = (
    *[""] * 5,
    "for first in range(tl.program_id(0), T, tl.num_programs(0)):",
    "for first in tl.range(tl.program_id(0), T, tl.num_programs(0), flatten=True):",
    "for first in tl.range(0, T, num_stages=3):",
    "if first < T:",
    "if first >= T:\n    return",
    "first = tl.load(index + first)",
)
"""What is around the loops: mostly nothing."""


def indented(lines: list[str]) -> list[str]:
    """Statements, of one or more lines each, as the lines of a block."""
    return [f"    {line}" for statement in lines for line in statement.splitlines() if line.strip()]


@dataclass(frozen=True)
class Tile:
    """A tile that the loop loads, `side` by K. `turned`: as [K, side]; `by_rows`: K is contiguous in memory.

    `loaded`: through a descriptor, which the loop may make, or one of `WAYS`. `attributes`: of loads through pointers.
    """

    name: str
    side: str
    stored: str
    turned: bool
    by_rows: bool
    loaded: str
    attributes: str = ""

    @property
    def shape(self) -> str:
        """The tile's shape as it is loaded."""
        sizes = [f"B{self.side}", self.depth]
        return f"[{', '.join(sizes[::-1] if self.turned else sizes)}]"

    @property
    def depth(self) -> str:
        """Its size along K: two numbers of 4 bits are in a byte."""
        return "BK // 2" if self.stored == "int4" else "BK"

    def descriptor(self) -> str:
        """The statement before the loop that makes the descriptor."""
        sizes, blocks = [self.side, "L"], [f"B{self.side}", self.depth]
        if not self.by_rows:
            sizes, blocks = sizes[::-1], blocks[::-1]
        listed = f"[{', '.join(sizes)}], [{sizes[1]}, 1], [{', '.join(blocks)}]"
        return f"{self.name}_tiles = tl.make_tensor_descriptor({self.name}, {listed})"

    def load(self, at: str = "i") -> str:
        """The statement that loads the tile `at` this k."""
        rows, k = self.side.lower(), f"{at} // 2" if self.stored == "int4" else at
        if self.loaded == "block pointer":
            return self.load_block(k)
        if "descriptor" in self.loaded:
            made = f"{self.descriptor()}\n" if self.loaded == "descriptor in the loop" else ""
            place = [f"first * B{self.side}", k]
            listed = ", ".join(place if self.by_rows else place[::-1])
            turned = "" if self.by_rows != self.turned else ".T"
            return f"{made}{self.name}_ = {self.name}_tiles.load([{listed}]){turned}"
        side, inner = ("[None, :]", "[:, None]") if self.turned else ("[:, None]", "[None, :]")
        steps = ("L", "1") if self.by_rows else ("1", self.side)
        mask = f", mask={rows}{side} < {self.side}, other=0.0" if self.loaded == "masked" else ""
        row, column = f"{rows}{side}", f"({k} + tl.arange(0, {self.depth})){inner}"
        if self.loaded == "k masked":
            mask = f", mask={column} < L - 3, other=0.0"
        if self.loaded == "masked by ones":
            mask = f", mask={rows}{side} < {self.side}, other=1.0"
        if self.loaded == "wide offsets":
            row = f"{rows}.to(tl.int64){side}"
        if self.loaded == "rows modulo":
            row = f"({rows} % {self.side}){side}"
        if self.loaded == "rows by index":
            row = f"tl.load(index + {rows}){side}"
        if self.loaded == "k by index":
            column = f"tl.load(index + {k} + tl.arange(0, {self.depth})){inner}"
        place = f"{row} * {steps[0]} + {column} * {steps[1]}"
        return f"{self.name}_ = tl.load({self.name} + {place}{mask}{self.attributes})"

    def load_block(self, k: str) -> str:
        """The statement that loads the tile through a block pointer."""
        sizes, steps = (f"{self.side}", "L"), ("L", "1") if self.by_rows else ("1", self.side)
        place, blocks = (f"first * B{self.side}", f"({k}).to(tl.int32)"), (f"B{self.side}", self.depth)
        way = -1 if self.turned else 1
        listed = [f"({', '.join(each[::way])})" for each in (sizes, steps, place, blocks)]
        order = "(1, 0)" if self.by_rows != self.turned else "(0, 1)"
        made = f"tl.make_block_ptr({self.name}, {', '.join(listed)}, {order})"
        return f"{self.name}_ = tl.load({made}, boundary_check=(0,), padding_option='zero'{self.attributes})"

    def operand(self, kind: str, *, inner_first: bool) -> str:
        """The tile as [K, side] or [side, K], for a dot that multiplies in this type."""
        value = f"{self.name}_"
        if self.stored == "int4":
            both = f"tl.join({value} & 15, {value} >> 4)"
            swapped, shape = (f"tl.trans({both}, 0, 2, 1)", f"BK, B{self.side}")
            value = f"tl.reshape({swapped if self.turned else both}, {shape if self.turned else f'B{self.side}, BK'})"
        turned = ".T" if inner_first != self.turned else ""
        is_cast = kind != self.stored and not {kind, self.stored} <= {"fp8", "fp8e5"}
        return f"{value}{turned}{CASTS[kind] if is_cast else ''}"


@dataclass
class Writer:
    """A kernel as it is written: tiles, the statements before the loop, in it and behind it, accumulators by rows and
    columns.

    `ends`: the last statements of an iteration, which load the next one's tiles.
    """

    random: Random
    kind: str
    capability: int
    descriptors: bool
    tiles: list[Tile] = field(default_factory=list[Tile])
    setup: list[str] = field(default_factory=list[str])
    body: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])
    behind: list[str] = field(default_factory=list[str])
    sums: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def tile(self, side: str) -> Tile:
        """A tile of this side, mostly one that another dot has as well."""
        known = [tile for tile in self.tiles if tile.side == side]
        is_new = not known or self.random.random() < 0.4
        tile = self.new_tile(side) if is_new else self.random.choice(known)
        if is_new and self.random.random() < 0.1:  # an iteration ahead
            self.setup.append(tile.load("0"))
            self.ends.append(tile.load("(i + BK)"))
        elif is_new and self.random.random() < 0.05:
            otherwise = f"{tile.name}_ = tl.zeros({tile.shape}, tl.{TYPES[tile.stored]})"
            load = tile.load().replace("\n", "\n    ")
            self.body.append(f"if i % 3 == 0:\n    {load}\nelse:\n    {otherwise}")
        elif is_new or self.random.random() < 0.1:
            self.body.append(tile.load())
        return tile

    def new_tile(self, side: str) -> Tile:
        """A new tile."""
        types = [kind for kind in CONVERTED.get(self.kind, ()) if kind != "fp8" or self.capability >= 89]
        stored = self.random.choice(types) if types and self.random.random() < 0.5 else self.kind
        turned, by_rows, descriptor = (self.random.random() < share for share in (0.5, 0.4, 0.8))
        loaded = self.random.choice(WAYS)
        if self.descriptors and descriptor:
            loaded = self.random.choice((*["descriptor"] * 7, "descriptor in the loop"))
        attributes = self.random.choice(ATTRIBUTES) if self.random.random() < 0.2 else ""
        self.tiles.append(Tile(f"t{len(self.tiles)}", side, stored, turned, by_rows, loaded, attributes))
        return self.tiles[-1]

    def operand(self, side: str, *, inner_first: bool) -> str:
        """A tile of this side, as an operand."""
        return self.tile(side).operand(self.kind, inner_first=inner_first)

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

    def product(self, rows: str, number: int) -> tuple[str, str]:
        """The product of two tiles, and a tile by which it is multiplied, as the gradients of attention are."""
        left, right = self.operand(rows, inner_first=False), self.tile("N")
        self.body.append(f"s{number} = tl.dot({left}, {right.operand(self.kind, inner_first=True)}, out_dtype=ACC)")
        return f"s{number}{CASTS[self.kind]}", right.operand(self.kind, inner_first=False)

    def chain(self, rows: str, number: int) -> str:
        """The product of three tiles."""
        left, right = self.product(rows, number)
        self.body.append(f"u{number} = tl.dot({left}, {right}, out_dtype=ACC)")
        return f"u{number}{CASTS[self.kind]}"

    def dot(self) -> None:
        """One more product."""
        rows, columns, number = self.random.choice(SIDES[:2]), self.random.choice(SIDES), len(self.sums)
        form = self.random.choice(("tiles",) * 12 + ("attention",) * 6 + ("product", "chain", "right", "carried") * 2)
        of_sums = [at for at, sizes in enumerate(self.sums) if sizes == (rows, "N")]
        if form == "product":
            columns, (left, right) = "K", self.product(rows, number)
        elif form == "chain":
            left, right = self.chain(rows, number), self.operand(columns, inner_first=True)
        elif form == "right":  # a product as B
            right, _ = self.product(rows, number)
            left, rows, columns = self.operand(rows, inner_first=True), "K", "N"
        elif form == "carried" and of_sums:  # another accumulator as A
            left = f"acc{self.random.choice(of_sums)}{CASTS[self.kind]}"
            columns, right = "K", self.operand("N", inner_first=False)
        else:
            left = self.scores(rows, number) if form == "attention" else self.operand(rows, inner_first=False)
            right = self.operand(columns, inner_first=True)
        shares = (rows, columns) in self.sums and self.random.random() < 0.15
        into = self.sums.index((rows, columns)) if shares else number
        self.sums.append((rows, columns))
        is_scaled = form == "tiles" and self.kind in FORMATS and self.random.random() < 0.1
        text = SCALED if is_scaled else self.random.choice(SUMS)
        names = {"rows": rows.lower(), "columns": columns.lower(), "format": FORMATS.get(self.kind)}
        scales = "tl.load(e + {0}[:, None] * 64 + i // 32 + tl.arange(0, BK // 32)[None, :])"
        names |= {"scales_left": scales.format(names["rows"]), "scales_right": scales.format(names["columns"])}
        if "last" in text:
            self.setup.append(f"last{into} = tl.zeros((B{rows}, B{columns}), ACC)")
        if self.kind == "tf32" and self.random.random() < 0.1:
            text = text.replace("out_dtype=ACC", f"input_precision='{self.random.choice(PRECISIONS)}'")
        self.body.append(text.format(into, left, right, **names))

    def dot_behind(self) -> None:
        """A product behind the loop, of tiles that it has loaded ahead or that are loaded there."""
        at, (rows, columns) = self.random.choice(list(enumerate(self.sums)))
        left, right = (next((tile for tile in self.tiles if tile.side == side), None) for side in (rows, columns))
        if left is not None and right is not None:
            is_ahead = [any(line.startswith(f"{tile.name}_ = ") for line in self.ends) for tile in (left, right)]
            self.behind += [tile.load("T") for tile, ahead in zip((left, right), is_ahead, strict=True) if not ahead]
            operands = f"{left.operand(self.kind, inner_first=False)}, {right.operand(self.kind, inner_first=True)}"
            self.behind.append(f"acc{at} = tl.dot({operands}, acc{at}, out_dtype=ACC)")

    def loop(self) -> list[str]:
        """The loop."""
        head, body = self.random.choice(LOOPS), self.body
        if self.random.random() < 0.5:  # loads first
            body = sorted(body, key=lambda line: not line.startswith("t") or "_ = " not in line)
        step = ["i += BK"] if "while" in head else []
        return [*head.splitlines(), *indented([*body, *self.ends, *step])]

    def store(self, at: int, rows: str, columns: str) -> tuple[str, list[str]]:
        """The statement that stores an accumulator, and the one before the loops that makes its descriptor, if any."""
        value = f"acc{at}.to(tl.float32)"
        if self.descriptors and columns != "K" and self.random.random() < 0.5:
            sizes = f"[{rows}, {columns}], [{columns}, 1], [B{rows}, B{columns}]"
            made = f"c{at}_tiles = tl.make_tensor_descriptor(c{at}, {sizes})"
            return f"c{at}_tiles.store([first * B{rows}, first * B{columns}], {value})", [made]
        return f"tl.store(c{at} + {rows.lower()}[:, None] * {columns} + {columns.lower()}[None, :], {value})", []

    def text(self, constants: dict[str, Any]) -> str:
        """The source."""
        arguments = [tile.name for tile in self.tiles] + [f"c{number}" for number in range(len(self.sums))]
        names = [*arguments, *"qfeMNRKLT", "index", *(f"{name}: constexpr" for name in constants)]
        lines = ["first = tl.program_id(0)", "k = tl.arange(0, BK)"]
        lines += [tile.descriptor() for tile in self.tiles if tile.loaded == "descriptor"]
        inner = [f"{side.lower()} = first * B{side} + tl.arange(0, B{side})" for side in SIDES]
        inner += [f"acc{at} = tl.zeros((B{rows}, B{columns}), ACC)" for at, (rows, columns) in enumerate(self.sums)]
        inner += [*self.setup, *self.loop(), *(self.loop() if self.random.random() < 0.15 else ()), *self.behind]
        for at, (rows, columns) in enumerate(self.sums):
            store, descriptor = self.store(at, rows, columns)
            inner.append(store)
            lines += descriptor
        nest = self.random.choice(NESTS)
        lines += [nest, *(indented(inner) if nest.endswith(":") else inner)]
        return "\n".join([f"def kernel({', '.join(names)}):", *indented(lines), ""])


def write(random: Random, capability: int) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A kernel's source, the types of its pointers, and its constants."""
    kinds = ["fp8e5", "int8", "tf32", "bf16", "fp16", *(["fp8"] if capability >= 89 else [])]
    writer = Writer(random, random.choice(kinds), capability, capability >= 90 and random.random() < 0.3)
    for _ in range(random.choice((1, 2, 2, 2, 3, 3, 4))):
        writer.dot()
    if random.random() < 0.2:
        writer.dot_behind()
    tile = random.choice(writer.tiles)
    at = 1 + next((at for at, line in enumerate(writer.body) if f"{tile.name}_ = " in line), 0)
    other = random.choice(OTHERS).format(f"{tile.name}_", tile.name)
    writer.body.insert(random.randrange(at, len(writer.body) + 1), other)
    constants: dict[str, Any] = {f"B{side}": random.choice((32, *(64, 128) * 4, 256)) for side in "MN"}
    constants |= {"BR": random.choice((16, 32, 64)), "BK": random.choice(DEPTHS.get(writer.kind, (32, 64, 128)))}
    is_narrow = random.random() < 0.1 and writer.kind in ("fp16", "fp8", "fp8e5")
    constants["ACC"] = tl.int32 if writer.kind == "int8" else tl.float16 if is_narrow else tl.float32
    results = dict.fromkeys((f"c{number}" for number in range(len(writer.sums))), "*fp32")
    types = {tile.name: POINTERS[tile.stored] for tile in writer.tiles} | results
    types |= {"q": "*fp32", "f": "*fp32", "e": "*u8", "index": "*i32"}
    return writer.text(constants), types, constants
