"""The text of an inspection: remarks at their lines, then a table, stock beside dotload."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from pathlib import Path

from dotload.passes.remarks import Remark
from dotload.tools.inspect.compiled import Inspection, Version

Row = tuple[str, str, str]
ABSENT = "-"


def as_text(inspection: Inspection) -> str:
    """The whole report."""
    parts = [f"{inspection.kernel} for {inspection.target}", "", *remark_lines(inspection.dotload.remarks)]
    if inspection.unpromised:
        names, first = ", ".join(inspection.unpromised), inspection.unpromised[0]
        parts.append(f"note: not known to be divisible by 16, which makes loads narrow: {names}.")
        parts += [f"      If they are, say so by :16 behind the type (--arg {first}=TYPE:16).", ""]
    return "\n".join([*parts, *table_lines(rows(inspection.stock, inspection.dotload))]) + "\n"


def remark_lines(remarks: Sequence[Remark]) -> Iterator[str]:
    """Each remark once, with its line of the source, in source order; remarks on one op in the order of the passes."""
    if not remarks:
        yield "No remarks: nothing in the kernel is a candidate of dotload's passes for this target."
        yield ""
    for remark in sorted(dict.fromkeys(remarks), key=position):
        file, line, column = position(remark)
        place = f"{shown(file)}:{line}:{column}" if line else remark.location
        yield f"{place}: {remark.kind}: {remark.message} [{remark.reason or remark.pass_name}]"
        source = linecache.getline(file, line).rstrip()
        if source:
            yield f"{line:6} | {source}"
            yield f"{'':6} | {' ' * (column - 1)}^"
        yield ""


def shown(file: str) -> str:
    """A file as its user would name it: by its relative path if it lies below the current folder."""
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here := Path.cwd()) else file


def position(remark: Remark) -> tuple[str, int, int]:
    """File, line and column of a remark; remarks on the whole kernel come last."""
    file, _, rest = remark.location.rpartition(":")
    file, _, line = file.rpartition(":")
    if line.isdecimal() and rest.isdecimal():
        return file, int(line), int(rest)
    return "\uffff", 0, 1


def rows(stock: Version, ours: Version) -> list[Row]:
    """Resources, prediction and instruction counts."""
    found: list[Row] = []
    if stock.resources and ours.resources:
        both = (stock.resources, ours.resources)
        found += [
            _row("registers per thread", *(each.registers for each in both)),
            _row("stack per thread (spills), bytes", *(each.stack_bytes for each in both)),
            _row("shared memory per block, bytes", *(each.shared_bytes for each in both)),
            _row("blocks per multiprocessor", stock.blocks, ours.blocks),
        ]
    else:
        found.append(_row("shared memory per block, bytes", stock.metadata["shared"], ours.metadata["shared"]))
    if stock.wavefronts is not None or ours.wavefronts is not None:
        found.append(_row("wavefronts per iteration, predicted", stock.wavefronts, ours.wavefronts))
    names = dict.fromkeys([*stock.counts, *ours.counts])
    return found + [_row(name, stock.counts.get(name, 0), ours.counts.get(name, 0)) for name in names]


def _row(name: str, stock: int | None, ours: int | None) -> Row:
    cells = [ABSENT if number is None else f"{number:,}" for number in (stock, ours)]
    return name, cells[0], cells[1]


def table_lines(body: Sequence[Row]) -> Iterator[str]:
    """The table, numbers flush right."""
    header = ("", "stock", "dotload")
    widths = [max(len(row[column]) for row in (header, *body)) for column in range(3)]
    for row in (header, *body):
        yield f"{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip()
