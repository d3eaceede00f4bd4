"""Which register of which lane holds which matrix element: mma.sync and wgmma fragments, ldmatrix and stmatrix.

Every mma.sync shape of the m16n8 and m8n8 families follows one pattern (PTX ISA, "Matrix Fragments for mma"). Let
w = 32 / bits be the elements of a 32-bit register (1 for f64), lane = 4 g + c:

    A (row, k)     k = w c + (i mod w);   row = g, the next register adds 8 rows (m16), the next 4 w along k
    B (k, col)     k = w c + (i mod w);   col = g, the next register adds 4 w along k
    C (row, col)   col = 2 c + (i mod 2); row = g, the next pair adds 8 rows (m16)

so one 32-bit register of A or B is one 8 x 16-byte matrix, which is what ldmatrix delivers. wgmma's operand A in
registers is the same, 16 rows a warp; its accumulator repeats C every 8 columns.

In dims: `register` counts elements (not 32-bit words), `lane`, `warp`; out dims: dim0 (rows), dim1 (columns) of the
operand as a matrix, A being M x K and B being K x N. All fragments are invertible: `.invert()` is the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dotload.layout.linear import LayoutError, LinearLayout, log2_exact

Operand = Literal["A", "B", "C"]

ELEMENT_BITS = {
    "b1": 1, "s4": 4, "u4": 4, "e2m1": 4, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32,
    "f64": 64,
}  # fmt: skip

_BY_BITS = {
    1: ((8, 8, 128), (16, 8, 128), (16, 8, 256)),
    4: ((8, 8, 32), (16, 8, 32), (16, 8, 64)),
    8: ((16, 8, 16), (16, 8, 32)),
    16: ((16, 8, 8), (16, 8, 16)),
    32: ((16, 8, 4), (16, 8, 8)),
    64: ((8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)),
}

# Integer types also have m8n8k16, floating-point ones do not; e2m1 has m16n8k64 alone.
MMA_SHAPES: dict[str, tuple[tuple[int, int, int], ...]] = {
    **{name: _BY_BITS[bits] for name, bits in ELEMENT_BITS.items()},
    "s8": ((8, 8, 16), *_BY_BITS[8]),
    "u8": ((8, 8, 16), *_BY_BITS[8]),
    "e2m1": ((16, 8, 64),),
}

WGMMA_TYPES = ("f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8")
WGMMA_K_BYTES = 32
WGMMA_ROWS = 64


def mma_fragment(operand: Operand, shape: tuple[int, int, int], dtype: str) -> LinearLayout:
    """The fragment of mma.sync of this shape (m, n, k); `dtype` is the type of A and B."""
    if dtype not in MMA_SHAPES:
        raise LayoutError(f"mma.sync has no type {dtype}: expected one of {', '.join(MMA_SHAPES)}")
    if shape not in MMA_SHAPES[dtype]:
        known = ", ".join("m{}n{}k{}".format(*s) for s in MMA_SHAPES[dtype])
        raise LayoutError("mma.sync has no m{}n{}k{} for {}; it has {}".format(*shape, dtype, known))
    m, n, k = shape
    word = max(1, 32 // ELEMENT_BITS[dtype])
    rows = [(8, 0)] if m == 16 else []
    if operand == "C":
        return _layout([(0, 1), *rows], [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)], (m, n))
    in_word = [1 << bit for bit in range(log2_exact(word))]
    beyond = [word << bit for bit in range(2, log2_exact(k) - log2_exact(word))]
    along_lanes = [word, 2 * word]
    if operand == "A":
        registers = [*[(0, step) for step in in_word], *rows, *[(0, step) for step in beyond]]
        return _layout(registers, [*[(0, step) for step in along_lanes], (1, 0), (2, 0), (4, 0)], (m, k))
    registers = [(step, 0) for step in (*in_word, *beyond)]
    return _layout(registers, [*[(step, 0) for step in along_lanes], (0, 1), (0, 2), (0, 4)], (k, n))


def wgmma_k(dtype: str) -> int:
    """Elements along k of one wgmma: 32 bytes, whatever the type."""
    if dtype not in WGMMA_TYPES:
        raise LayoutError(f"wgmma has no type {dtype}: expected one of {', '.join(WGMMA_TYPES)}")
    return WGMMA_K_BYTES * 8 // ELEMENT_BITS[dtype]


def wgmma_a_fragment(dtype: str) -> LinearLayout:
    """Operand A of wgmma in registers, 64 x k: the mma.sync fragment, warp w holding rows 16w to 16w + 15."""
    warp = mma_fragment("A", (16, 8, wgmma_k(dtype)), dtype)
    bases = {name: list(vectors) for name, vectors in warp.in_items} | {"warp": [(16, 0), (32, 0)]}
    return LinearLayout.from_bases(bases, {"dim0": WGMMA_ROWS, "dim1": wgmma_k(dtype)})


def wgmma_accumulator(n: int) -> LinearLayout:
    """The accumulator of wgmma m64nN, 64 x N. N is a multiple of 8 from 8 to 256.

    If N is not a power of two, the layout is that of the next power of two. Registers from N / 2 on do not exist: they
    would hold columns from N on.
    """
    if n % 8 or not 8 <= n <= 256:
        raise LayoutError(f"wgmma has no N = {n}: expected a multiple of 8 from 8 to 256")
    columns = 1 << (n - 1).bit_length()
    wide = [(0, 8 << bit) for bit in range(log2_exact(columns) - 3)]
    return _layout(
        [(0, 1), (8, 0), *wide],
        [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)],
        (WGMMA_ROWS, columns),
        warps=[(16, 0), (32, 0)],
    )


def _layout(
    registers: list[tuple[int, int]],
    lanes: list[tuple[int, int]],
    shape: tuple[int, int],
    warps: list[tuple[int, int]] | None = None,
) -> LinearLayout:
    bases = {"register": registers, "lane": lanes} | ({} if warps is None else {"warp": warps})
    return LinearLayout.from_bases(bases, {"dim0": shape[0], "dim1": shape[1]})


# ldmatrix and stmatrix


@dataclass(frozen=True)
class MatrixMove:
    """An ldmatrix or stmatrix: `matrices` (x1, x2, x4), transposed or not, of 16-bit or 8-bit units.

    The 8-bit form (.m16n16 .trans .b8, sm_100a and later) has 16 rows of 16 bytes per matrix; the 16-bit form
    (.m8n8 .b16) has 8.
    """

    matrices: int
    trans: bool = False
    unit_bits: int = 16

    def __post_init__(self) -> None:
        allowed = {16: (1, 2, 4), 8: (1, 2)}
        if self.matrices not in allowed.get(self.unit_bits, ()):
            counts = " and ".join(f"x{count}" for count in allowed.get(self.unit_bits, ()))
            raise LayoutError(f"no x{self.matrices} of {self.unit_bits}-bit units; expected {counts}")
        if self.unit_bits == 8 and not self.trans:
            raise LayoutError("ldmatrix .b8 exists with .trans only")

    def to_linear_layout(self) -> LinearLayout:
        """The movement of bytes: (byte of a 16-byte row, lane that gave the row's address) -> (byte, register, lane).

        The row of matrix j comes from lanes 8j to 8j + 7 (16-bit form) or 16j to 16j + 15 (8-bit form). In the out
        dims `byte` is the byte in a 32-bit register. stmatrix is the same map read backwards: `.invert()`.
        """
        byte, row = _MATRIX_MAPS[(self.unit_bits, self.trans)]
        register_bits = log2_exact(self.matrices)
        first = 2 if self.unit_bits == 8 else 1
        more = [(0, first << bit, 0) for bit in range(register_bits)]
        registers = first * self.matrices
        return LinearLayout.from_bases(
            {"byte": byte, "lane": [*row, *more]}, {"byte": 4, "register": registers, "lane": 32}
        )


# (unit bits, trans) -> bases of the byte in a row, bases of the row, each (byte, register, lane).
_MATRIX_MAPS: dict[tuple[int, bool], tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]] = {
    (16, False): ([(1, 0, 0), (2, 0, 0), (0, 0, 1), (0, 0, 2)], [(0, 0, 4), (0, 0, 8), (0, 0, 16)]),
    (16, True): ([(1, 0, 0), (0, 0, 4), (0, 0, 8), (0, 0, 16)], [(2, 0, 0), (0, 0, 1), (0, 0, 2)]),
    (8, True): (
        [(0, 0, 4), (0, 0, 8), (0, 0, 16), (0, 1, 0)],
        [(1, 0, 0), (2, 0, 0), (0, 0, 1), (0, 0, 2)],
    ),
}
