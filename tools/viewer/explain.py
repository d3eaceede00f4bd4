"""The costs of a TTGIR module's loads and shared-memory accesses, and what dotload would do about them.

For each operation: the access after Triton's lowering (width, kind), its sectors or wavefronts for one tile of all
warps, and a comparison with the minimum. Strides come from the pass library's own analysis of the pointers, layouts
from the types. Loops are not multiplied out: a line is one execution of the operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from dotload.tools.opt.errors import displayed
from dotload.tools.viewer.source import UserError, text_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from dotload.passes.analysis.strides import Strides

from dotload.tools.viewer.access_costs import LOOKERS
from dotload.tools.viewer.findings import Finding, target_of


@dataclass
class Report:
    """A module's findings, and the remarks without a finding."""

    name: str
    findings: list[Finding] = field(default_factory=list[Finding])
    remarks: list[str] = field(default_factory=list[str])


def read(path: str) -> Report:
    """Parse a file and look at every access in it."""
    return report_of(text_of(path), displayed(path))


def report_of(text: str, path: str) -> Report:
    """Every access of a module, given its text; `path` is its name in messages."""
    from dotload.dialect_ext import parse_module
    from dotload.dialect_ext.errors import SourceError
    from dotload.passes.analysis.strides import Strides

    try:
        module = parse_module(text, path)
    except SourceError as error:
        raise UserError(str(error)) from None
    advice = _advice(module)
    strides = Strides(module)
    report = Report(path)
    for op in module.walk():
        report.findings += _look(op, strides, advice)
    if not report.findings:
        _check_layouts(module)
        raise UserError(f"{path}: error: no layouts: no load, store or shared-memory access of a tensor")
    told = {line for finding in report.findings for line in finding.advice}
    report.remarks = [line for lines in advice.values() for line in lines if line not in told]
    return report


def _check_layouts(module: ModuleOp) -> None:
    """UserError for the first access of a tensor whose layout does not fit its shape."""
    from dotload.layout.linear import LayoutError
    from dotload.passes.remarks import where
    from dotload.tools.viewer.access_costs import shape_of

    for op in module.walk():
        for value in (*op.operands, *op.results) if op.name in LOOKERS else ():
            encoding: Any = getattr(value.type, "encoding", None)
            if hasattr(encoding, "to_encoding"):
                try:
                    encoding.to_encoding().to_linear_layout(shape_of(value.type))
                except LayoutError as error:
                    raise UserError(f"{where(op)}: error: the layout of {value.type} does not fit: {error}") from None


def _advice(module: ModuleOp) -> dict[str, list[str]]:
    """Location -> the remarks of dotload's passes there, run on a copy."""
    from dotload.dialect_ext import context
    from dotload.dialect_ext.typed import clone
    from dotload.passes import registry, remarks
    from dotload.plugin.rewrite import Spliced

    backend = "cuda" if target_of(module).startswith("cuda") else "xpu"
    found: dict[str, list[str]] = {}
    with remarks.collect() as collected:
        for entry in registry.entries():
            if backend not in entry.backends or not Spliced(entry).places:  # a check runs after all passes
                continue
            try:
                entry.load()().apply(context(), clone(module))
            except Exception as error:  # the module is not verified
                what = str(error) or type(error).__name__
                remarks.emit("failure", entry.name, remarks.UNKNOWN, f"does not take this module: {what}")
    for remark in collected:
        found.setdefault(remark.location, []).append(f"{remark.pass_name}: {remark.message}")
    return found


def _look(op: Operation, strides: Strides, advice: dict[str, list[str]]) -> Iterator[Finding]:
    from dotload.passes.remarks import where

    looker = LOOKERS.get(op.name)
    if looker is None:
        return
    at = where(op)
    for finding in looker(op, strides):
        yield replace(finding, location=at, advice=tuple(advice.get(at, ())))


# The report


def as_text(report: Report) -> str:
    """A paragraph per operation."""
    lines = [f"{report.name}: {len(report.findings)} accesses, each counted for one execution by all warps"]
    for finding in report.findings:
        lines += ["", f"{finding.location}: {finding.operation}", f"  {finding.type}"]
        lines.append(f"  {finding.access}: {finding.cost}" + (f", {finding.verdict}" if finding.verdict else ""))
        if finding.bytes_moved:
            lines.append(f"  {finding.bytes_used} B used, {finding.bytes_moved} B moved")
        lines += [f"  dotload: {line}" for line in finding.advice]
    if report.remarks:
        lines += ["", "dotload on other operations:", *[f"  {line}" for line in report.remarks]]
    elif not any(finding.advice for finding in report.findings):
        lines += ["", "dotload: nothing to do here, no operand of a matrix product is loaded in a wrong order"]
    return "\n".join(lines) + "\n"


def as_html(report: Report) -> str:
    """A table, with the banks of every shared access below it."""
    from dotload.tools.viewer import html

    heads = ("location", "operation", "access", "cost", "used / moved", "verdict", "dotload")
    rows = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for finding in report.findings:
        moved = f"{finding.bytes_used} / {finding.bytes_moved} B" if finding.bytes_moved else ""
        cells = (
            finding.location,
            f"{finding.operation} {finding.type}",
            finding.access,
            finding.cost,
            moved,
            finding.verdict,
            "; ".join(finding.advice),
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    others = "".join(f"<p>{escape(line)}</p>" for line in report.remarks)
    body = f"<h1 style='font-size:16px'>{escape(report.name)}</h1><table>{''.join(rows)}</table>{others}"
    pictures = [finding.picture for finding in report.findings if finding.picture is not None]
    return html.render(pictures, report.name, body)
