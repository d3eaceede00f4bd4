"""An inspection as one self-contained HTML page: source, TTGIR, PTX and SASS side by side, linked by line.

A click on a line, or on the place of a remark, marks the lines from the same source line in every column and scrolls to
them. `#53` in the address marks line 53.
"""

from __future__ import annotations

import json
import linecache
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from dotload.tools.inspect.compiled import Inspection, Version
from dotload.tools.inspect.lines import LINES, Line
from dotload.tools.inspect.report import remark_lines, rows

_STYLE = """
body { margin: 0; font: 12px/1.45 ui-monospace, monospace; color: #222; height: 100vh; display: flex;
  flex-direction: column; }
header { padding: 8px 12px; border-bottom: 1px solid #bbb; max-height: 34vh; overflow: auto; }
h1 { font-size: 15px; margin: 0 0 6px; }
header div { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 24px; align-items: start; }
table { border-collapse: collapse; }
td, th { padding: 0 10px; text-align: right; } td:first-child { text-align: left; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
main { flex: 1; display: grid; grid-auto-flow: column; grid-auto-columns: minmax(320px, 1fr); min-height: 0;
  overflow-x: auto; }
section { overflow: auto; border-right: 1px solid #bbb; }
h2 { position: sticky; top: 0; margin: 0; padding: 2px 8px; font-size: 12px; background: #eee; }
section p { margin: 0; padding: 0 8px; white-space: pre; tab-size: 4; cursor: pointer; }
section p:hover { outline: 1px solid #888; }
p.marked { background: #ffe08a; }
i { color: #888; font-style: normal; }
"""
_SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main"), chooser = document.querySelector("select");
function column(title, lines, numbered) {
  const section = document.createElement("section"), head = document.createElement("h2");
  head.textContent = title;
  section.append(head);
  for (const [text, source] of lines) {
    const row = document.createElement("p");
    if (numbered) { const number = document.createElement("i");
      number.textContent = String(source).padStart(4) + "  "; row.append(number); }
    row.append(text);
    if (source) { row.dataset.source = source; row.onclick = () => mark(source, section); }
    section.append(row);
  }
  main.append(section);
}
function mark(source, from) {
  history.replaceState(null, "", "#" + source);
  for (const row of main.querySelectorAll("p"))
    row.classList.toggle("marked", row.dataset.source === String(source));
  for (const section of main.children) {
    const first = section.querySelector("p.marked");
    if (first && section !== from)
      section.scrollTop = first.offsetTop - section.offsetTop - section.clientHeight / 3;
  }
}
function draw() {
  main.textContent = "";
  column(data.file, data.source, true);
  for (const [title, lines] of data.versions[chooser.value]) column(title, lines, false);
  if (location.hash) mark(location.hash.slice(1), null);
}
chooser.onchange = draw;
window.onhashchange = () => mark(location.hash.slice(1), null);
draw();
"""


def as_html(inspection: Inspection) -> str:
    """The page."""
    columns = {version.name: list(_columns(version, inspection.file)) for version in _versions(inspection)}
    used = {line.source for stages in columns.values() for _, lines in stages for line in lines if line.source}
    data = {
        "file": Path(inspection.file).name,
        "source": [[line.text, line.source] for line in _source(inspection.file, used)],
        "versions": {
            name: [[title, [[line.text, line.source] for line in lines]] for title, lines in stages]
            for name, stages in columns.items()
        },
    }
    title = f"{inspection.kernel} for {inspection.target}"
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in rows(inspection.stock, inspection.dotload)
    )
    remarks = "\n".join(map(_linked, remark_lines(inspection.dotload.remarks)))
    text = json.dumps(data).replace("</", "<\\/")
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body>
<header><h1>{escape(title)}, <select><option>dotload</option><option>stock</option></select></h1>
<div><table><tr><th></th><th>stock</th><th>dotload</th></tr>{body}</table><pre>{remarks}</pre></div></header>
<main></main>
<script id="data" type="application/json">{text}</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _linked(line: str) -> str:
    """A line of the remarks; the place at its beginning marks the line of the source."""
    found = re.match(r"(.+?):(\d+):\d+(?=: \w+: )", line)
    return f'<a href="#{found[2]}">{escape(found[0])}</a>{escape(line[found.end() :])}' if found else escape(line)


def _versions(inspection: Inspection) -> tuple[Version, Version]:
    return inspection.dotload, inspection.stock


def _columns(version: Version, file: str) -> Iterator[tuple[str, list[Line]]]:
    """The stages of the target, each with its lines; LLVM IR if there is no PTX."""
    for stage, lines_of in LINES.items():
        if stage in version.texts or (stage == "sass" and version.capability is not None):
            yield stage.upper(), list(lines_of(version.text(stage), file))
    for stage in ("llir", "amdgcn"):
        if stage in version.texts and "ptx" not in version.texts:
            yield stage, [Line(line, 0) for line in version.texts[stage].splitlines()]


def _source(file: str, used: set[int]) -> Iterator[Line]:
    """The part of the file with lines in `used`."""
    if used:
        for number, text in enumerate(linecache.getlines(file), 1):
            if min(used) - 2 <= number <= max(used) + 1:
                yield Line(text.rstrip("\n"), number)
