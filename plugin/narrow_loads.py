"""Accesses to single elements that remain in PTX, at lines without a remark.

Triton's analysis of alignment decides whether a thread loads one byte or sixteen, when it lowers a load. It may know
less than `passes/analysis/strides.py`, with which stage-dot-operands reports such loads. PTX shows the result.

PTX does not show what is loaded. Bytes are always reported. In a kernel of tf32, single words may be indices or scales
of rows, where there is nothing to gain: TTIR shows which lines load tiles of which operand. Bytes of shared memory
are accessed at the line of a load, of a conversion or of a dot. They are reported if no remark names a tile that stays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.widths import RANK
from dotload.passes.operand_staging.reasons import ACCESSED_BY_BYTES, NARROW_LOADS, StagingReason
from dotload.passes.remarks import INLINED, KERNEL, Remark
from dotload.plugin.escapes import from_ptx
from dotload.plugin.kernel_line import (
    DOTS,
    MOVES,
    SCALES,
    YIELDED,
    LinesOfBytes,
    lines_of_bytes,
    lines_of_tiles,
    sizes_of,
)
from dotload.plugin.op_index import OpIndex
from dotload.plugin.triton_types import Module

REPORTED_BEFORE = frozenset((StagingReason.LOADED_BY_ELEMENTS.code, StagingReason.APART.code, NARROW_LOADS))
"""Codes of the remarks that report such a load before it is lowered."""

TILES_THAT_STAY = frozenset((ACCESSED_BY_BYTES, "UNDONE", *(reason.code for reason in StagingReason)))
"""Codes of remarks that name a tile that stays; such a tile may be the reason for accesses of single bytes."""

NO_WORDS = "NO_WORDS"
"""Code of the remark on a staged tile that is read byte by byte, at the line of its load."""

ROW_OF_TILE = "deduplicate-row-loads"
"""The pass that loads a row in place of a tile, at the same line; TTIR shows the tile."""

BYTE_READ = "ld.shared.b8"
"""How the remark on a staged tile calls a read of single bytes."""

ADVICE = (
    "pass strides of 1 as constants, and pointers, strides and the bounds of masks divisible by 16; compare an index "
    "with the bound, as `i < n // 2`, and not a multiple of it, as `2 * i < n`; use `tl.multiple_of` and "
    "`tl.max_contiguous` where Triton cannot infer it"
)
WORD_ADVICE = f"{ADVICE}; load a tile whose K is not contiguous as the dot takes it, without `tl.trans`"

SHARED_ADVICE = (
    "let K be contiguous in memory where a dot takes bytes; for a dot of wider numbers, convert bytes to 16 bits, not "
    "to 32; compute a tile transposed instead of transposing it"
)

ROW_ADVICE = (
    "the elements of the row that are combined with a thread's part of a tile are few and lie apart: nothing to gain"
)

BYTE, ROW_BYTE, WORD, SHARED_BYTE = "byte", "byte of a row or column", "word", "byte of shared memory"
"""What an instruction accesses."""

TEXTS = {
    BYTE: ("loads one byte{} at a time", ADVICE, "LOADED_BY_BYTES"),
    ROW_BYTE: ("loads one byte{} at a time", ROW_ADVICE, "LOADED_BY_BYTES"),
    WORD: ("loads one word{} at a time", WORD_ADVICE, "LOADED_BY_WORDS"),
    SHARED_BYTE: ("accesses one byte{} in shared memory at a time", SHARED_ADVICE, ACCESSED_BY_BYTES),
}
"""What a thread does, advice and code of the remark on these; {}: of which operand."""

NO_BYTES = LinesOfBytes(set(), {})

_TILE = re.compile(r"\btile (\d+(?:x\d+)+)")
_OPERAND = re.compile(r"\b([AB]) \(")
_SHAPE = re.compile(r"tensor<((?:\d+x)+)")
_OF_WORDS = re.compile(r"\dxf32[,>]")
_OF_BYTES = re.compile(r"\dx(?:i[18]|f8\w+)[,>]")
_MULTIPLIES = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b")
_MULTIPLIES_WORDS = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\.\S*tf32\b")
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+) "((?:[^"\\]|\\.)*)"', re.MULTILINE)
_LINE_OR_LOAD = re.compile(
    r"""^[ \t]*(?:
    \.loc[ \t]+(?P<file>\d+)[ ](?P<line>\d+)[ ](?P<column>\d+)
        (?:,[ ]function_name[ ]\S+,[ ]inlined_at[ ](?P<caller>\d+)[ ](?P<at>\d+[ ]\d+))?
    | (?:@!?%p\d+[ \t]+)?(?:ld|st)\.shared(?:::\w+)?(?:\.(?!v\d)[\w:]+)*\.(?P<shared>[bsu]8)\s
    | (?P<assembly>//[ ](?:begin|end)[ ]inline[ ]asm)
    | (?:@!?%p\d+[ \t]+)?(?:
        ld\.global(?:\.(?!v\d)[\w:]+)*\.(?:(?P<byte>[bsu]8)|(?P<loaded>[bfsu]32))\s
        | (?P<copied>cp\.async)\.ca\.shared\.global\b.*,[ ]0x4,))""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass
class NarrowLoads:
    """What a kernel's stages show of its loads.

    `tiles`: the lines that load tiles, if they may load by elements, and the operands that are computed from them.
    `factors`: "A" and "B" with the shapes that dots take. `shared`: the lines at which bytes are in shared memory.
    """

    tiles: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    factors: Collection[tuple[str, str]] = ()
    shared: LinesOfBytes = NO_BYTES

    def look_at(self, stage: str, source: Any) -> None:
        """Note the loads of the module from which a stage starts: later, loads and dots are apart."""
        if stage == "ttgir" and hasattr(source, "walk"):
            index = OpIndex(source)
            self.tiles, self.factors = tiles_of_elements(source, index), factors_of_dots(index)
        if stage == "llir" and hasattr(source, "walk"):
            self.shared = bytes_in_shared_memory(source)

    def remarks_after(self, stage: str, made: Any, remarks: Iterable[Remark]) -> list[Remark]:
        """The remarks to add to `remarks` once a stage has made its text."""
        if stage != "ptx" or not isinstance(made, str):
            return []
        return list(unreported_narrow_loads(made, remarks, self.tiles, self.shared, self.factors))


def tiles_of_elements(module: Module, index: OpIndex) -> Mapping[str, Collection[str]]:
    """The lines at which a kernel loads tiles, if it has dots, and multiplies words or loads bytes; else none."""
    factors = [type_ for dot in index.ops(*DOTS) for type_ in dot.operands[:2]]
    loaded = (type_ for load in index.ops("tt.load") for type_ in load.results) if factors else ()
    is_slow = any(map(_OF_WORDS.search, factors)) or any(map(_OF_BYTES.search, loaded))
    return lines_of_tiles(module) if is_slow else {}


def factors_of_dots(index: OpIndex) -> Collection[tuple[str, str]]:
    """The operands of dots, "A" or "B" and the shape, such as "128x64x"."""
    types = (zip("AB", dot.operands[:2], strict=True) for dot in index.ops(*DOTS))
    found = {(letter, shape[1]) for pair in types for letter, type_ in pair if (shape := _SHAPE.search(type_))}
    return sorted(found)


def bytes_in_shared_memory(module: Module) -> LinesOfBytes:
    """The lines at which a kernel moves bytes through shared memory, if it has dots; else none."""
    index = OpIndex(module)
    moved = (type_ for move in index.ops(*MOVES) for type_ in (*move.operands, *move.results))
    return lines_of_bytes(module) if index.holds(DOTS) and any(map(_OF_BYTES.search, moved)) else NO_BYTES


def name_of_tile(
    sizes: Collection[tuple[int, ...]], factors: Collection[tuple[str, str]], operands: Collection[str] = ()
) -> str:
    """The name of the one tile of these sizes, of which operands of dots, "A" or "B", have the same; else empty.

    Other tiles are packed, or are no operand of the kernel's dots. `operands`: for which the line loads; none if it
    does not load.
    """
    if len(sizes) != 1:
        return ""
    (tile,) = sizes
    same = [(letter, shape) for letter, shape in factors if sizes_of(shape) == tile]
    same = [(letter, shape) for letter, shape in same if letter in operands] or same
    shapes = {shape.rstrip("x") for _, shape in same} or {"x".join(map(str, tile))}
    letters = {letter for letter, _ in same}
    name = f"tile {min(shapes)}"
    return f"{letters.pop()} ({name})" if len(letters) == 1 else f"a {name}"


def unreported_narrow_loads(
    ptx: str,
    remarks: Iterable[Remark],
    tiles: Mapping[str, Collection[str]],
    shared: LinesOfBytes = NO_BYTES,
    factors: Collection[tuple[str, str]] = (),
) -> Iterator[Remark]:
    """A remark for each line of a kernel with matrix products that loads four bytes or more one by one.

    In kernels that multiply in tf32, also for lines that load or copy single words of an operand in `tiles`. Other
    lines load rows or columns, or a tile that no dot takes. For lines that access single bytes of shared memory, if no
    remark names their tile, and if they are not among the rows of `shared`. A tile that is loaded by single bytes is
    stored as it is loaded: one remark tells of both. `factors`: the operands of dots.
    """
    if not _MULTIPLIES.search(ptx):
        return
    remarks, accesses = list(remarks), narrow_loads(ptx)
    reported = [remark for remark in remarks if remark.reason in REPORTED_BEFORE]
    read_by_bytes = [remark for remark in remarks if remark.reason == NO_WORDS]
    now_rows = [remark for remark in remarks if remark.pass_name == ROW_OF_TILE]
    naming = _naming_tiles(remarks, read_by_bytes, accesses)
    are_scales_apart = "tcgen05.mma" not in ptx  # else they are loaded in rows, for tensor memory
    loaded = {
        _line_of(place) + call
        for (place, call, unit), count in accesses.items()
        if unit == BYTE and count >= WORD_BYTES
    }
    has_words = _MULTIPLIES_WORDS.search(ptx) is not None
    for (location, call, unit), count in accesses.items():
        line = _line_of(location) + call
        operands = None if _is_among(now_rows, location, call) else _operands(tiles, line)
        is_row = operands is None or (are_scales_apart and operands == {SCALES})
        if unit == SHARED_BYTE:
            others = [remark for remark in naming if not _is_on_another(remark, location, call, operands)]
            is_known = are_named(shared.tiles.get(line, ()), others) or bool(shared.rows & {line, location + call})
            is_known = is_known or operands == {SCALES} or _is_among(read_by_bytes, location, call)
            is_known = is_known or (bool(operands) and line in loaded)
        else:
            is_slow = unit == BYTE or (has_words and bool(operands))
            is_known = not is_slow or _is_among(reported, location, call)
        if count >= WORD_BYTES and not is_known:
            does, advice, code = TEXTS[ROW_BYTE if unit == BYTE and is_row and location != KERNEL else unit]
            known = " and ".join(sorted((operands or set[str]()) - {YIELDED}))
            named = known or ("a row or column" if advice is ROW_ADVICE else "")
            tile = name_of_tile(shared.tiles.get(line, ()), factors, operands or ())
            named = tile if unit == SHARED_BYTE else named
            message = (
                f"each thread {does.format(f' of {named}' if named else '')}, in {count} instructions: {advice}{call}"
            )
            yield Remark("analysis", "stage-dot-operands", location, message, code)


def are_named(sizes: Collection[tuple[int, ...]], remarks: Iterable[Remark]) -> bool:
    """Whether remarks name all tiles of these sizes; if these, or the tile of a remark, are not known, any will do.

    A remark may name a tile of three dims that is reshaped before its bytes are accessed.
    """
    shapes = [_TILE.search(remark.message) for remark in remarks]
    named = {tuple(sorted(map(int, shape[1].split("x")))) for shape in shapes if shape}
    reshaped = {math.prod(size) for size in named if len(size) > RANK}
    return bool(shapes) and (None in shapes or all(size in named or math.prod(size) in reshaped for size in sizes))


def _naming_tiles(
    remarks: Sequence[Remark], read_by_bytes: Sequence[Remark], accesses: Iterable[tuple[str, str, str]]
) -> list[Remark]:
    """The remarks on tiles whose bytes are accessed in shared memory: those that stay, and staged ones.

    Bytes of a staged tile may be read at the line of its conversion, not of its load.
    """
    stay = [remark for remark in remarks if remark.reason in TILES_THAT_STAY]
    staged = [remark for remark in remarks if BYTE_READ in remark.message]
    tiles = [remark for remark in staged if _is_among(read_by_bytes, remark.location, "")]
    places = [(location, call) for location, call, unit in accesses if unit == SHARED_BYTE]
    return stay + [tile for tile in tiles if not any(_is_among([tile], *place) for place in places)]


def narrow_loads(ptx: str) -> Counter[tuple[str, str, str]]:
    """The number of instructions that load or copy a `BYTE` or `WORD` of global memory, or access a `SHARED_BYTE`.

    Counted by file:line:column, or `KERNEL` if PTX has none, and by the innermost call that was inlined there. Some
    versions of LLVM number the lines inside inline assembly from its first line, so the line in front of the assembly
    is used.
    """
    files = {number: from_ptx(text) for number, text in _FILE.findall(ptx)}
    found, location, call, is_assembly = Counter[tuple[str, str, str]](), KERNEL, "", False
    for match in _LINE_OR_LOAD.finditer(ptx):
        if match["assembly"]:
            is_assembly = "begin" in match["assembly"]
        elif match["file"] and not is_assembly:
            location = f"{files.get(match['file'], '')}:{match['line']}:{match['column']}"
            caller = match["caller"] and f"{files.get(match['caller'], '')}:{match['at'].replace(' ', ':')}"
            call = INLINED.format(caller) if caller else ""
        elif not match["file"]:
            found[location, call, BYTE if match["byte"] else SHARED_BYTE if match["shared"] else WORD] += 1
    return found


def _is_on_another(remark: Remark, location: str, call: str, operands: Collection[str] | None) -> bool:
    """Whether a remark is on another operand than a line loads, at another line: tiles may be of the same shape."""
    loaded, named = {"A", "B"}.intersection(operands or ()), _OPERAND.search(remark.message)
    is_other = bool(loaded) and named is not None and named[1] not in loaded
    return is_other and not _is_among([remark], location, call)


def _line_of(location: str) -> str:
    return location.rsplit(":", 1)[0]


def _is_among(remarks: Iterable[Remark], location: str, call: str) -> bool:
    """Whether one of the remarks is on this line, inlined by this call."""
    line = _line_of(location)
    return any(_line_of(remark.location) == line and call in remark.message for remark in remarks)


def _operands(tiles: Mapping[str, Collection[str]], line: str) -> set[str] | None:
    """The operands of the tiles that a line loads; None if it loads none. PTX of Triton 3.6 names no calls."""
    found = [tiles[known] for known in tiles if known == line or known.startswith(line + INLINED.format(""))]
    return set[str]().union(*found) if found else None
