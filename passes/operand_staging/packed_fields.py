"""Conversions of bit fields to 16 bits on packed words: two values at a time, of one integer or of two.

    %n = arith.andi (arith.shrsi %integer, %places), 15        neighbouring places are 4 apart
    %f = arith.sitofp %n

The bits that hold both fields are copied to both halves of a word, so that one mask extracts both. The second field is
then 2^distance times too large, which one packed product corrects. f16 has room for that. bf16 has a mantissa of 7
bits, so the second field is shifted down first. Fields that are 16 bits apart, as in AWQ's words, are in both halves
already.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dotload.layout.widths import HALF_BITS
from dotload.passes.operand_staging.packed_conversions import BYTE_MASK, PackedConversion
from dotload.passes.operand_staging.packed_integers import (
    BINADES,
    BITS_OF_NUMBERS,
    NUMBERS,
    Binade,
    less,
)


@dataclass(frozen=True)
class Fields:
    """Two fields with one mask, minus `offset`: of one integer, the second one `distance` bits above the first.

    `distance` 0: the same field of two integers, which lies in one byte. `highest`: the largest value of the integer,
    if it is known to be nonnegative; else None. `in_bytes`: the first field begins at a byte boundary.
    """

    mask: int
    distance: int
    offset: int = 0
    highest: int | None = None
    in_bytes: bool = False

    @property
    def are_of_one_byte(self) -> bool:
        """Whether both fields are in one byte of the integer, which has more than one."""
        is_large = self.highest is None or self.highest > BYTE_MASK
        return is_large and self.in_bytes and self.mask << self.distance <= BYTE_MASK

    @property
    def are_apart(self) -> bool:
        """Whether a copy with the second field in the upper half can be added without carries or overlap."""
        highest = BYTE_MASK if self.are_of_one_byte else self.highest
        room = 1 << HALF_BITS - self.distance
        return highest is not None and max(highest, self.mask) < room


def fields_by_binade(binade: Binade, fields: Fields) -> PackedConversion:
    """`$1` and `$2` are the integers, often the same, `$3` and `$4` the places. (a & b) | c is lop3 0xea."""
    magic = f"{(binade.high << 8) * 0x00010001:#010x}"
    if fields.distance in (0, HALF_BITS):
        lines = (
            *(("shr.b32 t, $1, $3;",) if fields.distance else brought_together()),
            f"lop3.b32 w, t, {fields.mask * 0x00010001:#x}, {magic}, 0xea;",
            *less(binade, binade.first + fields.offset),
        )
    elif binade.name == "f16" and fields.mask << fields.distance < 1 << binade.bits:
        lines = scaled_fields(binade, fields, magic)
    elif fields.are_apart:
        lines = (
            *brought_down(fields),
            f"mul.lo.u32 u, t, {1 + (1 << HALF_BITS - fields.distance):#x};",
            f"lop3.b32 w, u, {fields.mask * 0x00010001:#x}, {magic}, 0xea;",
            *less(binade, binade.first + fields.offset),
        )
    else:
        lines = (
            *brought_down(fields),
            f"shl.b32 u, t, {HALF_BITS - fields.distance};",
            f"lop3.b32 w, t, {fields.mask:#x}, {magic}, 0xea;",
            f"lop3.b32 w, u, {fields.mask << HALF_BITS:#x}, w, 0xea;",
            *less(binade, binade.first + fields.offset),
        )
    return PackedConversion((".reg .b32 t, u, w;", *lines), elements=NUMBERS, constraints="=r,r,r,r,r")


def brought_down(fields: Fields) -> tuple[str, ...]:
    """Put the integer, or one of its bytes, into `t`, the first field lowest. Selectors are loop-invariant."""
    if fields.are_of_one_byte:
        return (".reg .b32 s;", "shr.b32 s, $3, 3;", "or.b32 s, s, 0x4440;", "prmt.b32 t, $1, 0, s;")
    return ("shr.b32 t, $1, $3;",)


def brought_together() -> tuple[str, ...]:
    """Put the bytes that hold the field of two integers into the halves of `t`, the field lowest in each.

    The selector and the place within a byte are loop-invariant, if that of the field is.
    """
    selector = (".reg .b32 s, at;", "shr.b32 s, $3, 3;", "mul.lo.u32 s, s, 0x101;", "or.b32 s, s, 0x400;")
    return (*selector, "prmt.b32 t, $1, $2, s;", "and.b32 at, $3, 7;", "shr.b32 t, t, at;")


def scaled_fields(binade: Binade, fields: Fields, magic: str) -> tuple[str, ...]:
    """Keep the second field in place, 2^distance times as large, in a copy of the bits that hold the first one.

    If ptxas knows both constants of the packed product, it moves `scale` into a register before each one. So a byte
    permutation makes it, of two equal words, by a loop-invariant selector: 0x3210 or 0x3214.
    """
    scale = 2.0**-fields.distance
    added = (-binade.first - fields.offset, -binade.first * scale - fields.offset)
    twice = ("shr.b32 t, $1, $3;", "prmt.b32 u, t, t, 0x1010;")
    if fields.are_of_one_byte:
        twice = (".reg .b32 s;", "shr.b32 s, $3, 3;", "mul.lo.u32 s, s, 0x101;", "prmt.b32 u, $1, 0, s;")
    return (
        *twice,
        ".reg .b32 scale, c, either;",
        "lop3.b32 either, $3, 4, 0x3210, 0xea;",
        f"prmt.b32 scale, {binade.word(1, scale)}, {binade.word(1, scale)}, either;",
        f"mov.b32 c, {binade.word(*added)};",
        f"lop3.b32 w, u, {fields.mask | fields.mask << HALF_BITS + fields.distance:#x}, {magic}, 0xea;",
        "fma.rn.f16x2 $0, w, scale, c;",
    )


@lru_cache(maxsize=256)
def convert_fields(fields: Fields, target: str) -> PackedConversion | None:
    """The conversion of two fields, if they are small."""
    binade = BINADES.get(target)
    if binade is None or not binade.takes(fields.offset) or not binade.has(binade.first + fields.offset):
        return None
    is_small = 0 < fields.mask < 1 << min(binade.bits, BITS_OF_NUMBERS) and 0 <= fields.distance <= HALF_BITS
    return fields_by_binade(binade, fields) if is_small else None
