"""Generated Triton kernels around a dot: random loops, loads, conversions, uses, dots and stores."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from random import Random
from typing import Any

import triton
import triton.language as tl

HEAD = """\
def kernel(a, b, d, c, M, N, K, am, ak, bk, bn, BM: constexpr, BN: constexpr, BK: constexpr, ACC: constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    out = c + m[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), ACC)
    total = tl.zeros((BN,), tl.float32)
"""
DESCRIPTORS = {
    "r": "    {0}_tiles = tl.make_tensor_descriptor({0}, [{1}, {2}], [{3}, 1], [{4}, {5}])\n",
    "c": "    {0}_tiles = tl.make_tensor_descriptor({0}, [{2}, {1}], [{3}, 1], [{5}, {4}])\n",
}
FLOATS = {"bf16": tl.bfloat16, "fp16": tl.float16, "fp32": tl.float32}
LOOPS = (
    "for i in range(0, K, BK):",
    "for i in tl.range(0, K, BK, num_stages=4):",
    "for i in tl.range(0, K, BK, num_stages=1):",
    "for i in tl.range(0, K, BK, loop_unroll_factor=2):",
    "for i in tl.range(0, K, BK, disallow_acc_multi_buffer=True):",
    "for i in tl.range(0, K, BK, disable_licm=True):",
    "for i in tl.static_range(0, 3 * BK, BK):",
    "for i in range(K - BK, -1, -BK):",
    "for i in range(tl.program_id(0) % 2 * BK, K, 2 * BK):",
    "for j in range(2):\n      for i in range(0, K, BK):",
    "for j in tl.range(0, 2, flatten=True):\n      for i in range(0, K, BK):",
    "for i in tl.range(0, K, BK, warp_specialize=True):",
)
MASKS = (
    "",
    "",
    "",
    ", mask=({rows} < {limit}) & (i + {inner} < K), other=0",
    ", mask=i + {inner} < K, other=0",
    ", mask={rows} < {limit}",
    ", eviction_policy='evict_last'",
    ", cache_modifier='.cg'",
    ", volatile=True",
)
CONVERSIONS = (
    *[""] * 8,
    "{0} = ({0}.to(tl.float32) * 2).to({0}.dtype)",
    "{0} = {0}.to(tl.bfloat16)",
    "{0} = {0}.to(tl.float16)",
    "{0} = tl.where(i < K // 2, {0}, {0})",
    "{0} = tl.trans(tl.trans({0}))",
    "{0} = tl.reshape(tl.reshape({0}, ({0}.shape[0] * {0}.shape[1],)), {0}.shape)",
    "{0} = -{0}",
    "{0} = {0} + {0}",
)
USES = (
    *[""] * 8,
    "total += tl.sum(y.to(tl.float32), 0)",
    "tl.device_print('i', i)",
    "tl.debug_barrier()",
    "acc += tl.sum(x.to(ACC), 1)[:, None]",
    "tl.store(out, acc.to(tl.float32))",
    "tl.atomic_add(c + m, 1.0)",
    "if i == BK:\n          acc = acc * 0",
    "acc += tl.max(acc, 1)[:, None]",
    "tl.device_assert(i < K)",
)
PRODUCTS = (
    *["acc = tl.dot(x, y, acc, out_dtype=ACC)"] * 5,
    "acc += tl.dot(x, y, out_dtype=ACC)",
    "acc = acc * 2 + tl.dot(x, y, out_dtype=ACC)",
    "acc = tl.dot(x, y, acc, out_dtype=ACC, max_num_imprecise_acc=32)",
    "acc = tl.dot(x, y, acc, input_precision='tf32x3')",
    "acc = tl.dot(x, y, acc, input_precision='ieee')",
    "acc += tl.trans(tl.dot(tl.trans(y), tl.trans(x), out_dtype=ACC))",
    "if i // BK % 2 == 0:\n          acc = tl.dot(x, y, acc, out_dtype=ACC)",
    "acc = tl.dot(x, y, acc, out_dtype=ACC)\n      acc = tl.dot(x, y, acc, out_dtype=ACC)",
    "acc = tl.dot(x, y, acc, out_dtype=ACC)\n"
    "      acc = tl.dot(x, tl.load(d + (i + k)[:, None] * bk + n[None, :] * bn).to(x.dtype), acc, out_dtype=ACC)",
    "acc += tl.dot(tl.dot(x, y, out_dtype=ACC).to(tl.float16), tl.full((BN, BN), 1, tl.float16)).to(ACC)",
    "acc = tl.dot_scaled(x, tl.full((BM, BK // 32), 127, tl.uint8), FORMAT,\n"
    "                          y, tl.full((BN, BK // 32), 127, tl.uint8), FORMAT, acc)",
)
STORES = (
    "tl.store(out, acc.to(tl.float32))",
    "tl.store(out, acc.to(tl.float32) + total[None, :], mask=(m[:, None] < M) & (n[None, :] < N))",
    "tl.store(c + n[:, None] * N + m[None, :], tl.trans(acc).to(tl.float32))",
    "tl.atomic_add(out, acc.to(tl.float32))",
    "tl.store(c + m, tl.sum(acc, 1).to(tl.float32))",
    "tl.store(out, tl.sigmoid(acc.to(tl.float32)).to(tl.float16).to(tl.float32))",
)
FORMATS = {"fp8": "'e4m3'", "fp8e5": "'e5m2'"}


@dataclass(frozen=True)
class Operand:
    """A or B, and how it is loaded. `rows`, `columns`: the index of each dim and its size; K's index is relative to
    `i`."""

    name: str
    order: str
    loaded: str

    def descriptor(self) -> str:
        """The statement before the loop that makes the descriptor."""
        rows, columns, pitch, block = {
            "a": ("M", "K", {"r": "am", "c": "ak"}, ("BM", "BK")),
            "b": ("K", "N", {"r": "bk", "c": "bn"}, ("BK", "BN")),
        }[self.name]
        return DESCRIPTORS[self.order].format(self.name, rows, columns, pitch[self.order], *block)

    def load(self, mask: str) -> str:
        """The expression that loads the operand in the loop."""
        rows, inner, limit = (
            ("m[:, None]", "k[None, :]", "M") if self.name == "a" else ("n[None, :]", "k[:, None]", "N")
        )
        pitch, step = ("am", "ak") if self.name == "a" else ("bn", "bk")
        if self.loaded == "descriptor":
            first = "tl.program_id(0) * BM" if self.name == "a" else "tl.program_id(1) * BN"
            along_k_last = (self.name == "a") == (self.order == "r")
            at = f"[{first}, i]" if along_k_last else f"[i, {first}]"
            return f"{self.name}_tiles.load({at}){'' if self.order == 'r' else '.T'}"
        if self.loaded == "gathered":
            rows = f"tl.load(d + {rows[0]}).to(tl.int32){rows[1:]}"
        at = f"{self.name} + {rows} * {pitch} + (i + {inner}) * {step}"
        if self.loaded == "transposed":
            turned = at.replace("[:, None]", "[@]").replace("[None, :]", "[:, None]").replace("[@]", "[None, :]")
            return f"tl.trans(tl.load({turned}))"
        return f"tl.load({at}{mask.format(rows=rows, inner=inner, limit=limit)})"


def write(random: Random, orders: str, kind: str, descriptors: bool) -> str:
    """The source of a kernel whose operands have these memory orders."""
    ways = ("pointers",) * 6 + ("gathered", "transposed") + ("descriptor",) * (6 if descriptors else 1)
    operands = [Operand(name, order, random.choice(ways)) for name, order in zip("ab", orders, strict=True)]
    lines = HEAD + "".join(each.descriptor() for each in operands if each.loaded == "descriptor")
    body = [f"{value} = {each.load(random.choice(MASKS))}" for value, each in zip("xy", operands, strict=True)]
    body += [random.choice(CONVERSIONS).format(value) for value in "xy"]
    body += ["if x.dtype != y.dtype:\n          y = y.to(x.dtype)", random.choice(USES), random.choice(PRODUCTS)]
    loop = random.choice(LOOPS)
    text = f"    {loop}\n" + "".join(f"      {'  ' * loop.count(chr(10))}{line}\n" for line in body if line)
    if loop.count("\n"):
        text = text.replace("\n          ", "\n            ").replace("\n      acc", "\n        acc")
    return f"{lines}{text}    {random.choice(STORES)}\n".replace("FORMAT", FORMATS.get(kind, "'fp16'"))


def jitted(text: str, name: str) -> Any:
    """The kernel with this source, put into linecache, from which Triton reads it."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"tl": tl, "constexpr": tl.constexpr, "__name__": name}
    exec(compile(text, file, "exec"), names)
    return triton.jit(names["kernel"])
