"""Pictures: grids of cells, each with numbers (lane, register, byte, bank, ...), a label and a colour.

A picture holds one integer array per field, so that every renderer, and the hover text of the HTML page, shows the same
about a cell. -1 stands for "none". `label` is a format string over the fields, `colour` the field that is shown as
colour, `palette` how: "cycle" gives neighbouring numbers different colours, "heat" goes from pale to red.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dotload.layout.access import (
    BANK_BYTES,
    BANK_ROW_BYTES,
    BANKS,
    Addresses,
    SharedAccess,
    bank_words,
)
from dotload.layout.linear import LinearLayout
from dotload.layout.swizzle import Atom, Major, Tile
from dotload.tools.viewer.source import Subject

Palette = Literal["cycle", "heat"]
Fields = Mapping[str, np.ndarray]

# Sixteen pale tones on which black text is readable; neighbours differ strongly.
CYCLE = (
    "#cfe2f3", "#f9cb9c", "#d9ead3", "#f4cccc", "#d9d2e9", "#fff2cc", "#b6d7a8", "#ead1dc",
    "#a2c4c9", "#ffe599", "#b4a7d6", "#e6b8af", "#9fc5e8", "#d5e8b0", "#ea9999", "#d0d0d0",
)  # fmt: skip
EMPTY = "#ffffff"


@dataclass(frozen=True)
class Picture:
    """A grid of cells; `fields` are int arrays [rows, columns]."""

    title: str
    fields: Fields
    label: str
    colour: str
    palette: Palette = "cycle"
    row_name: str = "row"
    column_name: str = "column"
    notes: tuple[str, ...] = field(default_factory=tuple)
    place: tuple[int, int] | None = None
    """Row and column in a composite picture; None for pictures that stand one below the other."""
    rows: tuple[int, ...] | None = None
    columns: tuple[int, ...] | None = None
    """The rows and columns that are drawn; None for all."""

    @property
    def size(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = next(iter(self.fields.values())).shape
        return rows, columns

    def labels(self) -> list[list[str]]:
        """The text of every cell; empty for an empty cell."""
        rows, columns = self.size
        names = list(self.fields)
        columns_of = [self.fields[name].ravel().tolist() for name in names]
        template = self.label.format_map({name: f"{{{at}}}" for at, name in enumerate(names)})
        shown = self.fields[self.colour].ravel().tolist()
        flat = [
            template.format(*cell) if value >= 0 else ""
            for value, cell in zip(shown, zip(*columns_of, strict=True), strict=True)
        ]
        return [flat[row * columns : (row + 1) * columns] for row in range(rows)]

    def hover(self, row: int, column: int) -> str:
        """Everything known about a cell, in one line."""
        numbers = [f"{name} {int(values[row, column])}" for name, values in self.fields.items()]
        return ", ".join(part for part in numbers if not part.endswith(" -1"))

    def colours(self) -> list[list[str]]:
        """`#rrggbb` of every cell."""
        values = self.fields[self.colour]
        top = max(1, int(values.max()))
        return [[colour_of(int(value), self.palette, top) for value in row] for row in values]


def colour_of(value: int, palette: Palette, top: int) -> str:
    """The colour of a number; `top` is the largest in the picture."""
    if value < 0:
        return EMPTY
    if palette == "cycle":
        return CYCLE[value % len(CYCLE)]
    if value == 0:
        return EMPTY
    share = (value - 1) / max(1, top - 1)
    return f"#{255 - round(18 * share):02x}{244 - round(180 * share):02x}{214 - round(150 * share):02x}"


def pictures_of(subject: Subject) -> list[Picture]:
    """The pictures of a layout: the tensor, and for shared memory also the memory."""
    if subject.is_shared:
        return [shared_tensor(subject), memory(subject)]
    return [held_tensor(subject)]


def _grid(shape: Sequence[int], flat: np.ndarray) -> np.ndarray:
    """A flat array over the tensor as rows and columns; leading dims of higher ranks become rows."""
    columns = shape[-1]
    return np.reshape(flat, (-1, columns))


def _dim_fields(shape: Sequence[int]) -> dict[str, np.ndarray]:
    indices = np.indices(tuple(shape))
    return {f"dim{d}": _grid(shape, index) for d, index in enumerate(indices)}


def _flat_place(layout: LinearLayout, shape: Sequence[int], names: Sequence[str]) -> np.ndarray:
    """Row-major element number of every in index, the first of `names` fastest."""
    ordered = layout.transpose_ins([name for name in names if name in layout.in_sizes])
    table = ordered.transpose_outs([f"dim{d}" for d in range(len(shape))]).table()
    coordinates: tuple[np.ndarray, ...] = tuple(np.transpose(table))
    return np.ravel_multi_index(coordinates, tuple(shape))


def held_tensor(subject: Subject, colour: str = "thread") -> Picture:
    """The holder of each element: the first one, and the number of holders."""
    layout, shape = subject.layout, subject.shape
    names = ("register", "lane", "warp", "block")
    place = _flat_place(layout, shape, names)
    sizes = [layout.in_sizes.get(name, 1) for name in names]
    index = np.arange(len(place))
    count = int(np.prod(shape))
    first = np.full(count, -1)
    first[place[::-1]] = index[::-1]
    fields = _dim_fields(shape)
    rest = np.copy(first)
    for name, size in zip(names, sizes, strict=True):
        fields[name] = _grid(shape, np.where(first < 0, -1, rest % size))
        rest //= size
    fields["thread"] = _grid(shape, np.where(first < 0, -1, first // sizes[0] % (sizes[1] * sizes[2])))
    fields["copies"] = _grid(shape, np.bincount(place, minlength=count))
    rows, columns = subject.axes
    return Picture(subject.title, fields, "T{thread}:{register}", colour, "cycle", rows, columns, (_sizes(layout),))


def _sizes(layout: LinearLayout) -> str:
    counts = [f"{size} {name}{'s' if size != 1 else ''}" for name, size in layout.in_sizes.items()]
    return f"{', '.join(counts)}; label: T<thread>:<register>"


def held_registers(subject: Subject, warp: int = 0) -> Picture:
    """The hardware view: registers down, lanes across, coordinates in the cells."""
    layout = subject.layout
    lanes, registers = layout.in_sizes.get("lane", 1), layout.in_sizes.get("register", 1)
    register, lane = np.indices((registers, lanes))
    given = {"register": register, "lane": lane, "warp": np.full_like(lane, warp)}
    index = {name: given.get(name, np.zeros_like(lane)) for name in layout.in_dims}
    place = layout.apply(index)
    dims = sorted(place)
    fields = {name: place[name] for name in dims} | {"register": register, "lane": lane, "warp": given["warp"]}
    label = ",".join(f"{{{name}}}" for name in dims)
    return Picture(f"{subject.title}, warp {warp}", fields, label, dims[0], row_name="register", column_name="lane")


def _memory_fields(offset: np.ndarray, element_bits: int) -> dict[str, np.ndarray]:
    byte = offset * element_bits // 8
    return {
        "offset": offset,
        "byte": byte,
        "bank": byte // BANK_BYTES % BANKS,
        "line": byte // BANK_ROW_BYTES,
        "chunk": byte // 16,
    }


def shared_tensor(subject: Subject, colour: str = "bank") -> Picture:
    """The place of each element in shared memory."""
    layout, shape = subject.layout, subject.shape
    place = _flat_place(layout, shape, ("offset", "block"))
    offset = np.full(int(np.prod(shape)), -1)
    offset[place] = np.arange(len(place)) % layout.in_sizes["offset"]
    fields = _dim_fields(shape) | _memory_fields(_grid(shape, offset), subject.element_bits)
    return Picture(subject.title, fields, "{byte}", colour, notes=("label: byte address",))


def memory(subject: Subject, colour: str = "dim0") -> Picture:
    """Shared memory, one row of banks (128 bytes) per line, with the element at each place."""
    layout = subject.layout
    size = layout.in_sizes["offset"]
    per_line = max(1, BANK_ROW_BYTES * 8 // subject.element_bits)
    columns = min(per_line, size)
    offset = np.reshape(np.arange(size), (-1, columns))
    place = layout.apply({name: offset if name == "offset" else offset * 0 for name in layout.in_dims})
    dims = sorted(place)
    fields = {name: place[name] for name in dims} | _memory_fields(offset, subject.element_bits)
    label = ",".join(f"{{{name}}}" for name in dims)
    title = f"shared memory of {subject.title}"
    return Picture(title, fields, label, colour, row_name="line of 128 bytes", column_name="element")


def atom_pictures(atom: Atom) -> list[Picture]:
    """A swizzle atom in 16-byte chunks: the matrix, as the PTX ISA draws it, and the memory, as it is stored."""
    lines, width = 8, atom.mode.chunks
    order = np.array(atom.chunk_order())
    place_of = np.argsort(order)
    line, column = np.indices((lines, width))
    chunk = line * width + column
    major = "K" if atom.major is Major.K else "M/N"
    name = f"{atom.major.value}-major, {atom.mode} swizzle, {atom.atomicity_bytes}-byte atomicity"
    fields = {"line": line, "column": column, "chunk": chunk, "place": place_of[chunk]}
    fields["group"] = fields["place"] % 8
    if atom.major is Major.MN:
        fields = {key: np.transpose(value) for key, value in fields.items()}
    rows_name, columns_name = ("m or n", "16 bytes of k") if atom.major is Major.K else ("16 bytes of m or n", "k")
    expression = str(Tile(atom, atom.shape).cute)
    matrix = Picture(
        f"matrix: {name}",
        fields,
        "{chunk}",
        "group",
        row_name=rows_name,
        column_name=columns_name,
        notes=(
            f"{expression}, {atom.element_bits}-bit elements; contiguous along {major}",
            "colour: the group of four banks that holds the chunk",
        ),
    )
    place = np.reshape(np.arange(len(order)), (-1, 8))
    stored = order[place]
    memory_fields = {"place": place, "chunk": stored, "line": stored // width, "column": stored % width}
    memory_fields["group"] = place % 8
    held = Picture(
        f"shared memory: {name}",
        memory_fields,
        "{chunk}",
        "column",
        row_name="line of 128 bytes",
        column_name="4 banks",
        notes=("one colour: the chunks that one 8x16-byte matrix reads",),
    )
    return [matrix, held]


def bank_picture(where: Addresses, access: SharedAccess, title: str) -> Picture:
    """The heat map of one access: distinct words in every bank, pass by pass; more than 1 is a conflict."""
    words = bank_words(first_addresses(where, access), _pass_bytes(access), _pass_direction(access))
    fields = {"words": words, "bank": np.indices(words.shape)[1], "pass": np.indices(words.shape)[0]}
    notes = (
        f"{access.mnemonic}: {access.wavefronts} wavefronts an instruction (least {access.least_wavefronts}), "
        f"{access.instructions} instructions a warp, {access.total_wavefronts} wavefronts in all",
    )
    return Picture(title, fields, "{words}", "words", "heat", row_name="pass", column_name="bank", notes=notes)


def first_addresses(where: Addresses, access: SharedAccess) -> list[int]:
    """Byte addresses of the first instruction: one per lane, or one per 16-byte row of its matrices."""
    bits = where.element_bits
    if access.kind == "vector":
        run = max(1, access.lane_bytes * 8 // bits)
        return [int(offset) // run * run * bits // 8 for offset in where.table()[0][:, 0]]
    return _matrix_rows(where, access)


def _matrix_rows(where: Addresses, access: SharedAccess) -> list[int]:
    """The eight 16-byte rows of the first matrix."""
    if access.kind == "matrix":
        columns = where.lane[2:]
    else:
        columns = (next(column for column in where.register if column), *where.lane[:2])
    rows = [0]
    for column in columns:
        rows += [row ^ column for row in rows]
    return [row * where.element_bits // 8 for row in rows]


def _pass_bytes(access: SharedAccess) -> int:
    return access.lane_bytes if access.kind == "vector" else 16


def _pass_direction(access: SharedAccess) -> Literal["load", "store"]:
    return access.direction if access.kind == "vector" else "store"
