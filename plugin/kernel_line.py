"""Lines for remarks, found in the text of a module: where a kernel is defined, and where it loads tiles."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from dotload.layout.widths import BYTE_BITS
from dotload.passes.remarks import INLINED, KERNEL, UNKNOWN, Remark
from dotload.plugin.escapes import from_mlir
from dotload.plugin.triton_types import Module

DOTS = ("tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5_mma", "tt.dot_scaled", "ttng.tc_gen5_mma_scaled")
MOVES = ("ttg.convert_layout", "ttg.local_alloc", "ttg.local_store", "ttg.local_load")
"""Ops that bring tensors through shared memory."""
SCALES = "scales"
"""What the scales of tt.dot_scaled are called."""
YIELDED = ""
"""Stands for the operand of a tile that a loop yields: the dots that take it then are not looked for."""


@dataclass
class Moved:
    """Bytes that go through shared memory: no tile if `is_row`; lines, and places, of ops that move or compute them."""

    is_row: bool
    sizes: tuple[int, ...] = ()
    lines: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class LinesOfBytes:
    """The lines at which bytes go through shared memory: `rows`, where no tile does, and the sizes of tiles at others.

    Of a line with both, `rows` has the places, file:line:column, where no tile does. Sizes are in ascending order: a
    transposed tile is the same one.
    """

    rows: set[str]
    tiles: dict[str, set[tuple[int, ...]]]


_FUNCTION = re.compile(r"^  (?:tt\.func public|llvm\.func) .*?^  \} loc\(([^\n]*)\)$", re.MULTILINE | re.DOTALL)
_OP = re.compile(r"^ +(?:%([\w$.-]+)(?::\d+)? = )?([\w.]+) (.*) loc\((.*)\)$", re.MULTILINE)
_LINE = re.compile(r"^( +)(?:%([\w$.-]+)(?::\d+)? = )?([\w.]+) (.*?)(?: loc\((.*)\)| \{)$", re.MULTILINE)
"""An op, or the first line of one with regions, which has no location; with its indentation."""
_VALUE = re.compile(r"(?<!scale )%([\w$.-]+)")  # without the scales of tt.dot_scaled
_ONE_VALUE = re.compile(rf"{_VALUE.pattern}(#\d+)?")
_SCALE = re.compile(r"scale %([\w$.-]+)")
_BYTES = re.compile(r"(?:tensor|memdesc)<((?:\d+x)+)(i1|i8|f8\w+)[,>]")
_POINTERS = re.compile(r": tensor<((?:\d+x)+)!tt\.ptr<")
_SIZES = re.compile(r"tensor<((?:\d+x)+)")
_TENSOR_OF_BYTES = re.compile(r"tensor<((?:\d+x)+)(?:i8|f8\w+)[,>]")
_WHOLE_TILE = re.compile(r"memdesc<(?:\d+x)+(?:i8|f8\w+), .*?, ((?:\d+x)+\d+)>")
_FRAGMENTS = re.compile(r"memdesc<(?:\d+x){2}\w+, (#\w+), .*-> tensor<.*#ttg\.dot_op<\{opIdx = (\d)")
_RESULT = re.compile(r"tensor<(?:\d+x){2}\w+, #mma\d*>\)? -> !ttg\.memdesc<(?:\d+x){2}\w+, (#\w+)()")
_BY_ELEMENTS = ("arith.", "math.", "tt.bitcast", "tt.broadcast", "tt.elementwise", "tt.expand_dims", "tt.fp_to_fp",
                "tt.join", "tt.reshape", "tt.split", "tt.trans", "ttg.memdesc_")  # fmt: skip
"""Ops that compute or move each element of their operands."""
_LOADS = ("tt.load", "ttg.async_copy_global_to_local")
_PLACE_OR_ALIAS = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)|#loc\w*')


def line_of(module: Module) -> str:
    """file:line:column of the kernel in a libtriton module; `<unknown>` if it has none."""
    text = str(module)
    function = _FUNCTION.search(text)
    place = next(_places(function[1], text), None) if function else None
    return _position(place) if place else UNKNOWN


def lines_of_tiles(module: Module) -> dict[str, set[str]]:
    """file:line of each load by pointers of a tile, which is more than a row or a column, and the operands of dots that
    are computed from it without another dot: "A", "B", `SCALES` or `YIELDED`. None if no dot takes it, as a tile to
    which the result is added.

    The innermost call through which a load was inlined follows its line, as in a remark: a function that loads may do
    so for several operands. What a branch yields is followed, what a loop yields is not.
    """
    text = str(module)
    found: dict[str, set[str]] = {}
    made_from: dict[str, set[str]] = {}
    branches: dict[str, str] = {}  # by the indentation of its ops, the results of an scf.if; else ""
    for indent, result, name, rest, location in _LINE.findall(text):
        values = [
            made_from.get(value + part, made_from.get(value, set[str]())) for value, part in _ONE_VALUE.findall(rest)
        ]
        if not location:
            branches[f"{indent}  "] = result if name == "scf.if" else ""
        elif name in DOTS:
            scales = [(SCALES, made_from.get(value, set[str]())) for value in _SCALE.findall(rest)]
            for operand, lines in (*zip("AB", values, strict=False), *scales):
                for line in lines:
                    found[line].add(operand)
        elif name == "scf.yield" and (taken := branches.get(indent)):
            for number, lines in enumerate(values):
                made_from.setdefault(taken if len(values) == 1 else f"{taken}#{number}", set()).update(lines)
        elif name == "scf.yield":
            for line in set[str]().union(*values):
                found[line].add(YIELDED)
        elif name not in _LOADS:
            # The condition of a select picks elements.
            made_from[result] = set[str]().union(*(values[1:] if name == "arith.select" else values))
        elif (pointers := _POINTERS.search(rest)) and not _is_row(pointers[1]):
            if line := _lines(location, text)[0]:
                found.setdefault(line, set())
                made_from[result] = {line}
    return found


def lines_of_bytes(module: Module) -> LinesOfBytes:
    """The lines, in the same form, at which bytes are in shared memory: of rows, columns, masks or scales, or of tiles.

    Tiles that threads access in words or pairs are not among them. Scales of groups are repeated for the elements of a
    group: more than eight times, as no packed byte is. LLVM may move an access to the lines at which elements are
    computed from the bytes.
    """
    text = str(module)
    moves: list[Moved] = []
    made_from: dict[str, set[int]] = {}
    for result, name, rest, location in _OP.findall(text):
        made = set[int]()
        if name in MOVES or name.startswith(_BY_ELEMENTS):
            made.update(*(made_from.get(value, ()) for value in _VALUE.findall(rest)))
        if name in MOVES and "tensor<" in rest and (moved := _BYTES.search(rest)) and not _moves_words(rest, text):
            made.add(len(moves))
            moves.append(Moved(moved[2] == "i1" or _is_row(moved[1]), _sizes_of_tile(rest)))
        repeats, lines = name == "tt.broadcast" and _repeats(rest) > BYTE_BITS, _lines(location, text) if made else ()
        for number in made:
            moves[number].is_row |= repeats
            moves[number].lines.update(lines)
        made_from[result] = made
    rows = set[str]().union(*(move.lines for move in moves if move.is_row))
    tiles: dict[str, set[tuple[int, ...]]] = {}
    for move in moves:
        for line in () if move.is_row else move.lines:
            tiles.setdefault(line, set()).update([move.sizes] if move.sizes else [])
    return LinesOfBytes(rows - tiles.keys(), tiles)


def sizes_of(shape: str) -> tuple[int, ...]:
    """The sizes of a shape as MLIR prints it, in ascending order."""
    return tuple(sorted(map(int, re.findall(r"\d+(?=x)", shape))))


def _moves_words(types: str, text: str) -> bool:
    """Whether an op reads fragments whose K is contiguous in shared memory, or stores a result by rows: in pairs."""
    moved = _FRAGMENTS.search(types) or _RESULT.search(types)
    order = re.search(rf"^{moved[1]} = .*\border = \[(\d), ", text, re.MULTILINE) if moved else None
    return moved is not None and order is not None and order[1] != (moved[2] or "0")


def _sizes_of_tile(types: str) -> tuple[int, ...]:
    """The sizes of the tile of bytes that an op moves, or moves a part of, as Triton's prefetcher does; () if none."""
    moved, whole = _TENSOR_OF_BYTES.search(types), _WHOLE_TILE.search(types)
    if moved is None or whole is None:
        return sizes_of(moved[1]) if moved else ()
    return tuple(sorted(map(int, whole[1].split("x")[-moved[1].count("x") :])))


def at_line(remarks: Iterable[Remark], line: str) -> list[Remark]:
    """The remarks, with those about the whole kernel moved to its line."""
    return [replace(remark, location=line) if remark.location == KERNEL else remark for remark in remarks]


def _places(location: str, text: str) -> Iterator[re.Match[str]]:
    """File, line and column of a location: those in the innermost function, then those of the calls."""
    for place in _PLACE_OR_ALIAS.finditer(location):
        if place[2]:
            yield place
        elif definition := re.search(rf"^{place[0]} = loc\((.*)\)$", text, re.MULTILINE):
            yield from _places(definition[1], text)
        if not location.startswith("callsite("):
            break


def _lines(location: str, text: str) -> tuple[str, str]:
    """file:line and file:line:column of a location, both with its innermost call; empty if unknown."""
    place, *calls = (*(_position(place) for place in itertools.islice(_places(location, text), 2)), "")
    called = "".join(INLINED.format(call) for call in calls if call)
    return place.rpartition(":")[0] + called, place + called


def _is_row(sizes: str) -> bool:
    return sum(size != "1" for size in sizes.split("x")[:-1]) < 2


def _repeats(types: str) -> int:
    """How often the one tensor of an op has each element of the other."""
    shapes = [math.prod(int(size) for size in sizes.split("x")[:-1]) for sizes in _SIZES.findall(types)]
    return max(shapes, default=1) // min(shapes, default=1)


def _position(place: re.Match[str]) -> str:
    # Triton 3.3 gives a function the column 0.
    return f"{from_mlir(place[1])}:{place[2]}:{max(1, int(place[3]))}"
