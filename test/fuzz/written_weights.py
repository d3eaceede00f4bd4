"""Generated Triton kernels that multiply activations by quantised weights: of 8, 4 and 2 bits, packed along K or along
N, with zero points and scales by column and group, unpacked and scaled in the ways of AWQ, GPTQ, HQQ and others."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from written_kernels import FLOATS

HEAD = """\
def kernel(x, w, s, z, index, lut, c, M, N, L, BM: constexpr, BN: constexpr, BK: constexpr, GROUP: constexpr,
           C: constexpr):
    first, second = tl.program_id(0), tl.program_id(1)
    m, n = {m}, {n}
    acc = tl.zeros(({accumulator}), tl.float32)
"""
ROWS = (*["first * BM + tl.arange(0, BM)"] * 4, "(first * BM + tl.arange(0, BM)) % M")
COLUMNS = (*["second * BN + tl.arange(0, BN)"] * 4, "(second * BN + tl.arange(0, BN)) % N")
LOOPS = (
    *["for i in range(0, L, BK):"] * 8,
    "for i in range(tl.program_id(2) * BK, L, BK * 2):",
    "for i in tl.range(0, L, BK, num_stages=1):",
    "for i in tl.range(0, L, BK, num_stages=5):",
    "for i in tl.range(0, L, BK, loop_unroll_factor=2):",
    "for i in range(L - BK, -1, -BK):",
    "for o in range(0, L, GROUP):\n    for i in range(o, o + GROUP, BK):",
    "for first in range(0, 2):\n    for i in range(0, L, BK):",
)
STORED = {8: ("*i8", "*u8", "*fp8e4nv", "*fp8e5"), 4: ("*i8", "*u8", "*i32", "*i32"), 2: ("*i8", "*u8", "*i32")}
"""Types of memory by the bits of a number."""
WORDS = {"*i8": 8, "*u8": 8, "*i32": 32, "*fp8e4nv": 8, "*fp8e5": 8}
SHIFTS = (
    "({at} % {count}) * {bits}",
    "({at} & {last}) * {bits}",
    "(({at} % 2) * {half} + ({at} % {count}) // 2) * {bits}",  # AWQ's order
)
ACTIVATIONS = (
    *[""] * 6,
    ", mask=m[:, None] < M, other=0.0",
    ", mask=k[None, :] < L, other=0.0",
    ", cache_modifier='.cg'",
)
WEIGHTS = (
    *[""] * 6,
    ", mask=k{k} < L, other={zero}",
    ", mask=n{n} < N, other={zero}",
    ", eviction_policy='evict_first'",
)
GROUPED = "i // GROUP * N + n"
"""Where a column's number for the group of a tile is."""
PLACES = {
    "column": "n{n}",
    "group": f"({GROUPED}){{n}}",
    "row": "k{k} // GROUP * N + n{n}",
    "group along": "n{n} * (L // GROUP) + i // GROUP",
    "row along": "n{n} * (L // GROUP) + k{k} // GROUP",
    "by index": "tl.load(index + k){k} * N + n{n}",
}
"""Where scales and zero points are."""
FORMULAS = (
    "({v} - {z}).to(C) * {s}.to(C)",
    "(({v}.to(tl.float32) - {z}) * {s}).to(C)",
    "({v}.to(C) - {z}.to(C)) * {s}.to(C)",
    "({v}.to(tl.float32) * {s}).to(C)",
    "{v}.to(C) * {s}.to(C)",
    "tl.fma({v}.to(tl.float32), {s}.to(tl.float32), -{s}.to(tl.float32)).to(C)",
    "({v}.to(C) - 8) * {s}.to(C)",
    "{v}.to(C) * {s}.to(C) - {z}.to(C)",
    "(({v} - 8).to(C) * {s}.to(C)).to(C)",
    "tl.load(lut + ({v} & 15)).to(C) * {s}.to(C)",
)
"""The values that are multiplied, if scales are applied before: `v` the numbers, `z` zero points, `s` scales."""
PLAIN = (
    "{v}.to(C)",
    "{v}.to(C)",
    "({v} - 8).to(C)",
    "({v}.to(tl.float32) - 8.0).to(C)",
    "({v} - {z}).to(C)",
    "tl.load(lut + ({v} & 15)).to(C)",
)
SUMS = (
    *["acc = tl.dot({0}, {1}, acc)"] * 6,
    "acc += tl.dot({0}, {1})",
    "acc += tl.dot({0}, {1}, out_dtype=tl.float32)",
)
SCALED_SUMS = (
    "acc += tl.dot({0}, {1}) * tl.load(s + {place}){columns}.to(tl.float32)",
    "acc = acc + tl.dot({0}, {1}) * tl.load(s + {place}){columns}",
    "p = tl.dot({0}, {1})\nacc += p * tl.load(s + {place}){columns}",
)


@dataclass
class Weights:
    """How weights are stored: numbers of `bits` in memory of type `stored`, several in a word `along` K or N.

    `order`: which index is contiguous in memory. `first`: the first index of the tile as it is loaded.
    """

    random: Random
    bits: int
    stored: str
    along: str
    order: str
    first: str

    @property
    def count(self) -> int:
        """Numbers in a word."""
        return WORDS[self.stored] // self.bits

    def index(self, name: str) -> str:
        """The dims of an index `k` or `n` in a tile."""
        return "[:, None]" if name == self.first else "[None, :]"

    def load(self, packed: str = "") -> str:
        """A load of the tile: each word as often as there are numbers in it, or once, at these places along the dim."""
        count = f" // {self.count}" if self.count > 1 else ""
        at = {name: f"({name}{count if name == self.along else ''})" for name in "kn"}
        at |= {self.along: packed} if packed else {}
        sizes = {"k": "L", "n": "N"}
        words = {name: f"({size}{count if name == self.along else ''})" for name, size in sizes.items()}
        outer = "n" if self.order == "k" else "k"
        zero = "0.0" if "fp" in self.stored else "0"
        mask = self.random.choice(WEIGHTS).format(k=self.index("k"), n=self.index("n"), zero=zero)
        mask = "" if packed else mask
        terms = f"{at[outer]}{self.index(outer)} * {words[self.order]} + {at[self.order]}{self.index(self.order)}"
        return f"tl.load(w + {terms}{mask})"

    def unpacked(self) -> list[str]:
        """Statements that make `v` of the tile's numbers, [K, N] or [N, K]."""
        if self.count == 1:
            return [f"v = {self.load()}"]
        ways = [self.by_shifts] * 3
        if self.stored != "*i32" and self.bits == 4:
            ways += [self.by_join] * 3
        return self.random.choice(ways)()

    def by_shifts(self) -> list[str]:
        """Each number from a word of its own, as GPTQ and AWQ do."""
        shift = self.random.choice(SHIFTS).format(
            at=self.along, count=self.count, bits=self.bits, last=self.count - 1, half=self.count // 2
        )
        mask = (1 << self.bits) - 1
        return [f"q = {self.load()}", f"shifts = ({shift}){self.index(self.along)}", f"v = (q >> shifts) & {mask}"]

    def by_join(self) -> list[str]:
        """Both halves of a byte, joined, as HQQ and others do."""
        size = {"k": "BK", "n": "BN"}[self.along]
        base = {"k": "i", "n": "second * BN"}[self.along]
        packed = f"({base} // 2 + tl.arange(0, {size} // 2))"
        halves = self.random.choice((("q & 15", "q >> 4"), ("q & 0xF", "(q >> 4) & 0xF"), ("(q << 4) >> 4", "q >> 4")))
        halves = halves[:: self.random.choice((1, 1, -1))]
        lines = [f"q = {self.load(packed)}", f"lo, hi = {', '.join(halves)}"]
        if self.along != self.first and self.random.random() < 0.5:
            return [*lines, "v = tl.interleave(lo, hi)"]
        shape = {"k": ("BK", "BN"), "n": ("BN", "BK")}[self.first]
        dims = "0, 2, 1" if self.along == self.first else "0, 1, 2"
        return [*lines, f"v = tl.reshape(tl.permute(tl.join(lo, hi), ({dims})), ({', '.join(shape)}))"]


def write(random: Random) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A kernel's source, the types of its pointers, and its constants."""
    bits = random.choice((8, 8, 8, 4, 4, 4, 2))
    along, order, first = (random.choice("kn") for _ in range(3))
    weights = Weights(random, bits, random.choice(STORED[bits]), along, order, first)
    is_left = random.random() < 0.25
    body = ["k = i + tl.arange(0, BK)", f"a = tl.load(x + m[:, None] * L + k[None, :]{random.choice(ACTIVATIONS)})"]
    values, dot = _values(random, weights)
    body += [*weights.unpacked(), *values]
    if random.random() < 0.3:
        body[1:] = [*body[2:], body[1]]
    turned = "b.T" if first == "n" else "b"
    operands = ("tl.trans(b)" if first == "k" else "b", "a.to(C).T") if is_left else ("a.to(C)", turned)
    columns = "[:, None]" if is_left else "[None, :]"
    body.append(dot.format(*operands, place=GROUPED if random.random() < 0.7 else "n", columns=columns))
    loop = random.choice(LOOPS).splitlines()
    inner = ["    " * len(loop) + line for text in body for line in text.splitlines()]
    scale = f"acc = acc * tl.load(s + n){columns}" if random.random() < 0.3 else "pass"
    where = "n[:, None] * M + m[None, :]" if is_left else "m[:, None] * N + n[None, :]"
    lines = [*loop, *inner, scale, f"tl.store(c + {where}, acc)"]
    head = HEAD.format(m=random.choice(ROWS), n=random.choice(COLUMNS), accumulator="BN, BM" if is_left else "BM, BN")
    compute = random.choice(("fp16", "bf16", "fp16", "bf16", "fp32"))
    activations = random.choice((compute, compute, compute, "fp32", "fp8e4nv"))
    scales = random.choice(("*fp32", "*fp16", "*bf16"))
    types = {"x": f"*{activations}", "w": weights.stored, "s": scales, "z": random.choice(("*fp32", "*fp16", "*i8"))}
    types |= {"index": "*i32", "lut": "*fp16", "c": "*fp32"}
    sizes = {"BM": (16, 16, 32, 64, 64, 128), "BN": (32, 64, 128, 128, 256), "BK": (32, 64, 64, 128), "GROUP": (128,)}
    constants: dict[str, Any] = {name: random.choice(choices) for name, choices in sizes.items()}
    constants["C"] = FLOATS[compute]
    text = head + "".join(f"    {line}\n" for line in lines)
    return text, types, constants


def _values(random: Random, weights: Weights) -> tuple[list[str], str]:
    """Statements that make `b` of the numbers `v`, and the one that multiplies it."""
    is_float = weights.stored.startswith("*fp")
    formula = random.choice(PLAIN if random.random() < 0.4 else FORMULAS)
    if is_float and ("{v} -" in formula or "&" in formula):
        formula = "{v}.to(C)"
    place, other = (
        random.choice(list(PLACES.values())).format(k=weights.index("k"), n=weights.index("n")) for _ in "sz"
    )
    names = {"v": "v", "s": f"tl.load(s + {place})", "z": f"tl.load(z + {other})"}
    sums = SCALED_SUMS if "{s}" not in formula and random.random() < 0.5 else SUMS
    return [f"b = {formula.format(**names)}"], random.choice(sums)
