"""The reference pages of the site, from what the code says of itself: passes, remark codes, command lines, the API."""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum

from dotload.passes import registry

PASSES = """# Passes

Each is a flag of [dotload-opt](../dotload-opt.md) and a name for `dotload.enable(passes=...)`.
"""
REMARKS = """# Codes of remarks

Where a remark says why something was left alone, its code stands behind it in brackets. `{value}` and `{limit}` stand
for what was found and what would be needed.
"""

COMMANDS = ("dotload-inspect", "dotload-opt", "dotload-layout", "dotload-run-xe", "dotload-reduce")

CATALOGUES = {
    "Operands that are staged (NVIDIA)": "dotload.passes.operand_staging.reasons:StagingReason",
    "Scales of converted operands": "dotload.passes.sink_operand_scales:ScaleReason",
    "Pipelined loops (NVIDIA)": "dotload.passes.pipelined_loops.reasons:LoopReason",
    "Reads of staged operands (NVIDIA)": "dotload.passes.pipelined_loops.reasons:ReadReason",
    "Hazards of shared memory": "dotload.passes.hazards.findings:Hazard",
    "Functions that are not checked for hazards": "dotload.passes.check_shared_memory_hazards:HazardReason",
    "Block loads (Intel): the load and its memory": "dotload.passes.block_load.rules:BlockReason",
    "Block loads (Intel): the layout": "dotload.layout.block_load:LayoutReason",
}
"""Heading -> the catalogue of reasons."""

API = {
    "The plugin": (
        *("dotload.plugin.hook.enable", "dotload.plugin.hook.enabled", "dotload.plugin.hook.disable"),
        *("dotload.plugin.report.report", "dotload.passes.remarks.Remark", "dotload.tools.inspect.inspect"),
    ),
    "Passes of one's own": (
        *("dotload.passes.registry.register_pass", "dotload.passes.registry.Place", "dotload.passes.remarks.emit"),
        *("dotload.dialect_ext.parse_module", "dotload.dialect_ext.print_module"),
    ),
    "Layouts": (
        *("dotload.layout.linear.LinearLayout", "dotload.layout.encodings.layout_of"),
        *("dotload.layout.access.shared_access", "dotload.layout.block_load.plan_block_load"),
    ),
    "Intel kernels on the CPU": ("dotload.plugin.xpu.compile_xe", "dotload.emulator.run"),
}
"""Heading -> what is public of it."""


def pages() -> dict[str, str]:
    """The text of each page, by its place in the site."""
    return {
        "reference/passes.md": "\n".join(passes()),
        "reference/remarks.md": "\n".join(remarks()),
        "reference/commands.md": "\n".join(commands()),
        "reference/api.md": "\n".join(api()),
    }


def passes() -> Iterator[str]:
    """Every registered pass and its options."""
    yield PASSES
    for entry in registry.entries():
        yield f"## {entry.name}\n\n{entry.summary[:1].upper()}{entry.summary[1:]}.\n"
        if entry.aliases:
            yield f"Also: {', '.join(f'`{alias}`' for alias in entry.aliases)}.\n"
        if options := entry.options():
            yield "| option | type | default |\n|---|---|---|"
            yield from (
                f"| `{name}` | `{escaped(field.type)}` | {default_of(field)} |" for name, field in options.items()
            )
            yield ""


def default_of(field: dataclasses.Field[object]) -> str:
    """The default of an option, as it is written on the command line."""
    value = field.default
    if value is dataclasses.MISSING:
        return "must be given"
    return "" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def remarks() -> Iterator[str]:
    """Every code of a remark and its text."""
    yield REMARKS
    for heading, place in CATALOGUES.items():
        module, _, name = place.partition(":")
        catalogue: type[Enum] = getattr(importlib.import_module(module), name)
        yield f"## {heading}\n\n| code | text |\n|---|---|"
        yield from (f"| `{reason.name}` | {escaped(reason.value)} |" for reason in catalogue)
        yield ""


def escaped(text: object) -> str:
    """Text for a cell of a table."""
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def commands() -> Iterator[str]:
    """What each command says of itself."""
    yield "# Command lines\n"
    for name in COMMANDS:
        module = f"dotload.tools.{name.replace('-', '_')}"
        done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True)
        yield f"## {name}\n\n```text\n{done.stdout.strip()}\n```\n"


def api() -> Iterator[str]:
    """Directives of mkdocstrings, which reads the docstrings."""
    yield "# Python API\n"
    for heading, names in API.items():
        yield f"## {heading}\n"
        yield from (f"::: {name}\n" for name in names)
