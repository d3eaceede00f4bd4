"""Generated Triton kernels of attention as serving runs it: keys and values of a cache, gathered through an index or
contiguous, in 8 or 16 bits, converted, scaled and masked; values that are keys or a part of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from written_kernels import FLOATS

HEAD = """\
def kernel(q, e, y, v, index, f, c, L, BM: constexpr, BN: constexpr, HD: constexpr, RD: constexpr, VD: constexpr,
           C: constexpr):
    first = tl.program_id(0)
    m, d, r, dv = tl.arange(0, BM), tl.arange(0, HD), tl.arange(0, RD), tl.arange(0, VD)
    queries = tl.load(q + m[:, None] * HD + d[None, :]){queries}
    others = tl.load(q + m[:, None] * RD + r[None, :]){queries}
    best, total = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros(({accumulator}), tl.float32)
"""
PLACES = (
    *["at = tl.load(index + n // 16) * 16 + n % 16"] * 3,
    "at = tl.load(index + n // 64).to(tl.int64) * 64 + n % 64",
    "at = tl.load(index + n // 16, mask=n < L, other=0) * 16 + n % 16",
    "at = tl.load(index + i // BN) * BN + tl.arange(0, BN)",
    "at = tl.load(index + n)",
    "at = tl.load(index + n, mask=n < L - 3, other=0)",
    *["at = n"] * 3,
)
MASKS = (
    *[""] * 4,
    ", mask=(n < L - 5){n}, other=0.0",
    ", mask=(n < L - 5){n} & ({inner} < {size}){inner_dim}, other=0.0",
    ", mask={inner}{inner_dim} < {size}",
)
LOOPS = (
    *["for i in range(0, L, BN):"] * 6,
    "for i in range(first * BN, L - 64, BN):",
    "for i in tl.range(0, L, BN, num_stages=1):",
    "for i in tl.range(0, L, BN, num_stages=4):",
    "for i in tl.range(0, L, BN, loop_unroll_factor=2):",
    "for i in range(L - BN, -1, -BN):",
    "for head in range(0, 2):\n    for i in range(0, L, BN):",
    "for i in tl.range(0, L, BN, disallow_acc_multi_buffer=True):",
)
CONVERTED = (
    *["{0}.to(C)"] * 4,
    "{0}.to(queries.dtype)",
    "{0}.to(tl.float32).to(C)",
    "{0}.to(tl.bfloat16).to(C)",
    "{0}.to(tl.float16).to(C)",
    "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [{0}], {0}.dtype, True, 4).to(C)",
)
SCALED = (
    "({0}.to(tl.float32) * tl.load(f)).to(C)",
    "({0}.to(tl.float32) * tl.load(f + at){n}).to(C)",
    "({0}.to(C) * tl.load(f).to(C))",
)
SCORES = (
    *["s = s * {scale}"] * 4,
    "s = s * {scale} * tl.load(f)",
    "s = s * {scale} * tl.load(f + at){n}",
    "s = s * {scale}\ns = 30.0 * (2.0 / (1.0 + tl.exp(-2.0 * s / 30.0)) - 1.0)",
)
LIMITS = (
    *[""] * 3,
    "s = tl.where((n < L - 5){n}, s, -1e30)",
    "s = tl.where(n{n} <= i + 40 + m{m}, s, -1e30)",
    "s = tl.where((n{n} <= 400 + m{m}) & (n{n} > 200 + m{m}), s, -1e30)",
    "s += tl.where((n > 20){n}, 0.0, -1e30)",
    "if i < 64:\n    s = tl.where((n < 40){n}, s, -1e30)",
)
SOFTMAX = """\
top = tl.maximum(best, tl.max(s, {axis}))
p = tl.{exp}(s - top{m})
share = tl.{exp}(best - top)
acc = acc * share{m}
total = total * share + tl.sum(p, {axis})
best = top"""
WEIGHTS = (SOFTMAX, SOFTMAX, SOFTMAX, "p = tl.exp2(tl.minimum(s, 9.0))\ntotal += tl.sum(p, {axis})", "p = s")
ENDS = ("acc", "acc / total{m}", "acc / total{m} * tl.load(f)")
"""Without a sum of weights, only the first."""
DOTS = ("acc = tl.dot({0}, acc)", "acc += tl.dot({0})")
STORED = ("fp8e4nv", "fp8e4nv", "fp8e5", "i8", "i8", *FLOATS)
"""Types of the cache. Queries are multiplied in those of `FLOATS` as they are; others are converted, fp8 mostly."""


@dataclass(frozen=True)
class Tile:
    """A tile of the cache: rows of `size` numbers at `pointer`, as [rows, `inner`] or, not `by_rows`, the other way."""

    pointer: str
    inner: str
    size: str
    by_rows: bool

    @property
    def dims(self) -> dict[str, str]:
        """Of an index of rows, and of the index within a row."""
        n, inner = ("[:, None]", "[None, :]") if self.by_rows else ("[None, :]", "[:, None]")
        return {"n": n, "inner_dim": inner}

    def load(self, random: Random) -> str:
        """The statement that loads it."""
        mask = random.choice(MASKS).format(inner=self.inner, size=self.size, **self.dims)
        place = f"at{self.dims['n']} * {self.size} + {self.inner}{self.dims['inner_dim']}"
        return f"{self.pointer}_ = tl.load({self.pointer} + {place}{mask})"

    def operand(self, name: str, *, rows_first: bool) -> str:
        """A value of this shape as [rows, inner] or [inner, rows]."""
        return name if rows_first == self.by_rows else f"{name}.T"


@dataclass(frozen=True)
class Attention:
    """How a kernel's attention is written.

    `stored`: the type of the cache. `as_stored`: whether queries are multiplied in this type. `shares`: whether values
    are the keys. `turned`: whether scores have keys by rows.
    """

    stored: str
    as_stored: bool
    shares: bool
    turned: bool
    keys: Tile
    others: Tile
    values: Tile
    converted: str

    @staticmethod
    def draw(random: Random) -> Attention:
        """Any."""
        stored = random.choice(STORED)
        as_stored = stored in FLOATS or (stored.startswith("fp8") and random.random() < 0.25)
        by_rows = random.random() < 0.4
        return Attention(
            stored,
            as_stored,
            random.random() < 0.3,
            random.random() < 0.15,
            Tile("e", "d", "HD", by_rows),
            Tile("y", "r", "RD", by_rows),
            Tile("v", "dv", "VD", random.random() < 0.9),
            "{0}" if as_stored else random.choice((*CONVERTED * 3, *SCALED * 2)),
        )

    @property
    def names(self) -> dict[str, str]:
        """What the statements on scores are filled with."""
        n, m, axis = ("[:, None]", "[None, :]", "0") if self.turned else ("[None, :]", "[:, None]", "1")
        return {"n": n, "m": m, "axis": axis, "scale": "0.001" if self.stored == "i8" else "0.1"}

    def dot(self, left: str, right: str) -> str:
        """The operands of a product, or of its transpose."""
        return f"{right}, {left}" if self.turned else f"{left}, {right}"

    def scores(self, random: Random) -> list[str]:
        """Statements that load the keys and multiply them."""
        lines = [self.keys.load(random), f"k = {self.converted.format('e_', **self.keys.dims)}"]
        keys = self.keys.operand("k", rows_first=self.turned)
        lines.append(f"s = tl.dot({self.dot('queries.T' if self.turned else 'queries', keys)}).to(tl.float32)")
        if random.random() < 0.3:  # MLA's second part of the keys
            others = self.others.operand("o", rows_first=self.turned)
            lines += [self.others.load(random), f"o = {self.converted.format('y_', **self.others.dims)}"]
            lines.append(f"s += tl.dot({self.dot('others.T' if self.turned else 'others', others)})")
        exponential = random.choice(("exp", "exp2", "math.exp2"))
        return lines + [random.choice(each).format(exp=exponential, **self.names) for each in (SCORES, LIMITS, WEIGHTS)]

    def product(self, random: Random) -> list[str]:
        """Statements that multiply the values."""
        tile, name, converted = self.values, "v_", self.converted
        if self.shares:
            tile, name = self.keys, random.choice(("k", "e_"))
            converted = converted if name == "e_" else "{0}"
        if self.stored.startswith("fp8") and self.as_stored and random.random() < 0.5:
            converted = "{0}.to(C)"
        value = tile.operand("w", rows_first=not self.turned)
        p = "p.to(w.dtype)"
        dot = random.choice(DOTS).format(self.dot(p, value))
        return [f"w = {converted.format(name, **tile.dims)}", dot]

    def loop(self, random: Random) -> list[str]:
        """The loop over keys."""
        load = [] if self.shares else [self.values.load(random)]
        early, late = random.choice(((load, []), ([], load), ([], load)))
        body = ["n = i + tl.arange(0, BN)", random.choice(PLACES), *early, *self.scores(random), *late]
        loop = random.choice(LOOPS).splitlines()
        lines = [line for text in [*body, *self.product(random)] for line in text.splitlines()]
        return [*loop, *("    " * len(loop) + line for line in lines)]

    def text(self, random: Random) -> str:
        """The kernel's source."""
        queries = ".to(e.dtype.element_ty)" if self.as_stored else ".to(C)"
        head = HEAD.format(queries=queries, accumulator="VD, BM" if self.turned else "BM, VD")
        where = "dv[:, None] * BM + m[None, :]" if self.turned else "m[:, None] * VD + dv[None, :]"
        loop = self.loop(random)
        ends = ENDS if any("total" in line for line in loop) else ENDS[:1]
        end = f"tl.store(c + {where}, {random.choice(ends).format(**self.names)})"
        return head + "".join(f"    {line}\n" for line in [*loop, end])


def write(random: Random) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A kernel's source, the types of its pointers, and its constants."""
    attention = Attention.draw(random)
    width = random.choice((64, 128, 128, 256, 256, 512))
    constants: dict[str, Any] = {"HD": width, "RD": random.choice((32, 64)), "VD": width}
    if not attention.shares and random.random() < 0.2:
        constants["VD"] = width // 2
    constants["BM"] = random.choice((16, 16, 32, 64, 128) if width < 512 else (16, 16, 32, 64))
    constants["BN"] = random.choice((32, 32, 64, 64, 128) if width < 512 else (32,))
    compute = attention.stored if attention.stored in FLOATS else random.choice(("bf16", "bf16", "fp16"))
    types = {"q": "*fp32", "index": "*i32", "f": "*fp32", "c": "*fp32", **dict.fromkeys("eyv", f"*{attention.stored}")}
    return attention.text(random), types, constants | {"C": FLOATS[compute]}
