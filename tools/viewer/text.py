"""Layouts as text, in the lines of Triton's own layout tool.

Tensor view of a distributed layout: the holders of each element, `T5:2` for register 2 of thread 5, several holders
with `|` between. Tensor view of a shared layout: the element at each place of memory, `(row:column)`. Hardware view:
per warp one line per register with the coordinates of all lanes; per block one line per offset.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from dotload.layout.linear import LinearLayout
from dotload.tools.viewer.source import Subject


def bases_view(subject: Subject) -> str:
    """The bases, one per line, in the notation of the block-load layout document."""
    return f"{subject.layout}\n"


def tensor_view(subject: Subject) -> str:
    """Element by element, in the shape of the tensor."""
    cells = _places(subject) if subject.is_shared else _holders(subject)
    separator = "," if subject.is_shared else ", "
    return _nested(cells, subject.shape, separator)


def hardware_view(subject: Subject) -> str:
    """Register by register (or offset by offset), with the coordinates."""
    return _offsets(subject) if subject.is_shared else _registers(subject)


def _digits(size: int) -> int:
    return len(str(size - 1))


def _coordinates(layout: LinearLayout) -> np.ndarray:
    """Coordinates [index, dim] in the order dim0, dim1, ..."""
    return layout.transpose_outs(sorted(layout.out_dims, key=lambda name: int(name[3:]))).table()


def _in_size(subject: Subject, name: str) -> int:
    return subject.layout.in_sizes.get(name, 1)


def _holders(subject: Subject) -> list[str]:
    """`T5:2|T21:2` for every element, row-major, padded to one width per holder.

    In a linear layout, every element has either no holder or the same number of holders.
    """
    lanes, warps = _in_size(subject, "lane"), _in_size(subject, "warp")
    registers = _in_size(subject, "register")
    layout = _ordered(subject.layout, ("register", "lane", "warp", "block"))
    coordinates: tuple[np.ndarray, ...] = tuple(np.transpose(_coordinates(layout)))
    places = np.ravel_multi_index(coordinates, subject.shape)
    order = np.argsort(places, kind="stable")
    each = int(np.count_nonzero(places == places[0]))
    width = len(f"T{lanes * warps - 1}:{registers - 1}")
    threads = [f"T{thread}:" for thread in range(lanes * warps)]
    names = [str(register) for register in range(registers)]
    thread_of: list[int] = (order // registers % len(threads)).tolist()
    register_of: list[int] = (order % registers).tolist()
    holders = [
        (threads[thread] + names[register]).rjust(width)
        for thread, register in zip(thread_of, register_of, strict=True)
    ]
    if each > 1:
        holders = ["|".join(holders[at : at + each]) for at in range(0, len(holders), each)]
    cells = [""] * math.prod(subject.shape)
    for place, cell in zip(places[order[::each]].tolist(), holders, strict=True):
        cells[place] = cell
    return cells


def _ordered(layout: LinearLayout, names: Sequence[str]) -> LinearLayout:
    return layout.transpose_ins([name for name in names if name in layout.in_sizes])


def _places(subject: Subject) -> list[str]:
    """`(row:column)` of the element at every offset."""
    widths = [_digits(size) for size in subject.shape]
    return [
        "(" + ":".join(f"{value:>{width}}" for value, width in zip(row, widths, strict=True)) + ")"
        for row in _coordinates(_ordered(subject.layout, ("offset", "block"))).tolist()
    ]


def _nested(cells: Sequence[str], shape: Sequence[int], separator: str) -> str:
    """Rows in brackets, one line each, as deep as the tensor has dims."""
    columns, rank = shape[-1], len(shape)
    lines: list[str] = []
    outer = list(itertools.product(*(range(size) for size in shape[:-1])))
    for at, index in enumerate(outer):
        row = separator.join(cells[at * columns : (at + 1) * columns])
        opened = _run_of(index, [0] * (rank - 1)) + 1
        closed = _run_of(index, [size - 1 for size in shape[:-1]]) + 1
        lines.append("[" * opened + " " * (rank - opened if at else 0) + row + "]" * closed)
    return "\n".join(lines) + "\n"


def _run_of(index: Sequence[int], ends: Sequence[int]) -> int:
    """How many of the last dims are at these ends: the number of brackets to open or close."""
    run = 0
    for value, end in zip(reversed(index), reversed(ends), strict=True):
        if value != end:
            break
        run += 1
    return run


def _registers(subject: Subject) -> str:
    """Per warp, a line per register: the coordinates of lanes 0, 1, 2, ..."""
    layout = _ordered(subject.layout, ("lane", "register", "warp", "block"))
    lanes, registers, warps = (_in_size(subject, name) for name in ("lane", "register", "warp"))
    rows = iter(_formatted(_coordinates(layout), subject.shape, lanes))
    lines: list[str] = []
    for block in range(_in_size(subject, "block")):
        if _in_size(subject, "block") > 1:
            lines.append(f"Block{block}:")
        for warp in range(warps):
            lines.append(f"Warp{warp}:")
            lines += itertools.islice(rows, registers)
    return "\n".join(lines) + "\n"


def _offsets(subject: Subject) -> str:
    layout = _ordered(subject.layout, ("offset", "block"))
    cells = _formatted(_coordinates(layout), subject.shape, 1)
    size = layout.in_sizes["offset"]
    lines: list[str] = []
    for block in range(_in_size(subject, "block")):
        lines.append(f"Block: {block}:")
        lines += [f"Offset: {offset} -> {cells[block * size + offset]}" for offset in range(size)]
    return "\n".join(lines) + "\n"


def _formatted(table: np.ndarray, shape: Sequence[int], per_line: int) -> list[str]:
    """Lines of `per_line` cells such as `( 0,15)`, each coordinate padded to its dim's width.

    All cells are equally wide, so they are laid out as one array of characters.
    """
    columns: list[np.ndarray] = []
    for dim, size in enumerate(shape):
        width = _digits(size)
        numbers = np.array([f"{value:>{width}}" for value in range(size)], dtype=f"S{width}")
        columns.append(_characters("(" if dim == 0 else ",", len(table)))
        columns.append(np.reshape(np.frombuffer(numbers[table[:, dim]], np.uint8), (len(table), width)))
    cells = np.hstack([*columns, _characters("), ", len(table))])
    lines = np.reshape(cells, (-1, per_line * cells.shape[1]))[:, :-2]
    return [line.tobytes().decode() for line in lines]


def _characters(text: str, count: int) -> np.ndarray:
    """The same text `count` times, one row each."""
    return np.broadcast_to(np.frombuffer(text.encode(), dtype=np.uint8), (count, len(text)))


def iteration_view(layout: LinearLayout, dims: Sequence[str], ends_of: str) -> Iterator[str]:
    """`1, 127 : 15, 15`: for every index of `dims`, the places of its first and its last `ends_of`."""
    sizes = [layout.in_sizes[name] for name in dims]
    for index in itertools.product(*(range(size) for size in sizes)):
        for end in (0, layout.in_sizes[ends_of] - 1):
            named = dict.fromkeys(layout.in_dims, 0) | dict(zip(dims, index, strict=True))
            place = layout.apply(named | {ends_of: end})
            yield f"{', '.join(map(str, (*index, end)))} : {', '.join(map(str, place.values()))}"
