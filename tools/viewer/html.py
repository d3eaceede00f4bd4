"""Pictures as one self-contained HTML page: drawn on canvases, with hover text and a choice of the coloured field.

The page carries each picture's integer arrays and draws from them, so that a tensor of 65536 elements stays a small
file. `#p,row,column` in the address selects a cell, so a link can point at one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

import numpy as np

from dotload.tools.viewer.picture import CYCLE, EMPTY, Picture

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: monospace; margin: 16px 16px 64px; color: #222; background: #fff; }}
h2 {{ font-size: 14px; margin: 18px 0 2px; overflow-wrap: anywhere; }}
p {{ margin: 2px 0; color: #555; font-size: 12px; }}
.sheet {{ display: flex; flex-wrap: wrap; gap: 28px; align-items: flex-start; }}
.sheet.grid {{ display: grid; justify-content: start; }}
.scroll {{ overflow: auto; max-width: calc(100vw - 52px); max-height: 82vh; border: 1px solid #ccc; }}
canvas {{ display: block; }}
select {{ font: inherit; }}
#hover {{ position: fixed; left: 0; right: 0; bottom: 0; padding: 10px 16px; background: #222; color: #fff;
  font-size: 14px; }}
table {{ border-collapse: collapse; margin: 8px 0; }}
td, th {{ border: 1px solid #bbb; padding: 3px 8px; font-size: 12px; text-align: left; vertical-align: top; }}
</style>
</head>
<body>
{body}
<div class="sheet" id="sheet"></div>
<div id="hover">Point at a cell.</div>
<script id="data" type="application/json">{data}</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const HEIGHT = 22, LEFT = 44, TOP = 20;
const hover = document.getElementById("hover");
const views = [];

function colourOf(value, palette, top) {{
  if (value < 0) return data.empty;
  if (palette === "cycle") return data.cycle[value % data.cycle.length];
  if (value === 0) return data.empty;
  const share = (value - 1) / Math.max(1, top - 1);
  return `rgb(${{255 - 18 * share}}, ${{244 - 180 * share}}, ${{214 - 150 * share}})`;
}}
function text(picture, at) {{
  return picture.label.replace(/{{(\\w+)}}/g, (_, name) => picture.fields[name][at]);
}}
function describe(picture, row, column) {{
  const at = row * picture.columns + column;
  return Object.entries(picture.fields).filter(([, v]) => v[at] >= 0).map(([n, v]) => `${{n}} ${{v[at]}}`).join(", ");
}}
function draw(view, selected) {{
  const {{ picture, canvas, width }} = view, scale = window.devicePixelRatio || 1;
  canvas.width = (LEFT + picture.columns * width + 4) * scale;
  canvas.height = (TOP + picture.rows * HEIGHT + 4) * scale;
  canvas.style.width = canvas.width / scale + "px";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "11px monospace"; pen.textBaseline = "middle"; pen.lineWidth = 0.5; pen.strokeStyle = "#888";
  const values = picture.fields[view.colour];
  const top = values.reduce((a, b) => Math.max(a, b), 1);
  pen.fillStyle = "#555"; pen.textAlign = "center";
  for (let c = 0; c < picture.columns; c++) pen.fillText(picture.numbers[1][c], LEFT + (c + 0.5) * width, TOP / 2);
  for (let r = 0; r < picture.rows; r++) {{
    pen.fillStyle = "#555"; pen.textAlign = "right";
    pen.fillText(picture.numbers[0][r], LEFT - 6, TOP + (r + 0.5) * HEIGHT);
    pen.textAlign = "center";
    for (let c = 0; c < picture.columns; c++) {{
      const at = r * picture.columns + c, x = LEFT + c * width, y = TOP + r * HEIGHT;
      pen.fillStyle = colourOf(values[at], picture.palette, top);
      pen.fillRect(x, y, width, HEIGHT);
      pen.strokeRect(x, y, width, HEIGHT);
      if (values[at] >= 0) {{ pen.fillStyle = "#000"; pen.fillText(text(picture, at), x + width / 2, y + HEIGHT / 2); }}
    }}
  }}
  if (selected) {{
    pen.lineWidth = 2; pen.strokeStyle = "#c00";
    pen.strokeRect(LEFT + selected[1] * width, TOP + selected[0] * HEIGHT, width, HEIGHT);
  }}
}}
function select(index, row, column) {{
  const view = views[index];
  if (!view || !(row >= 0 && row < view.picture.rows && column >= 0 && column < view.picture.columns)) return;
  hover.textContent = describe(view.picture, row, column);
  draw(view, [row, column]);
}}
data.pictures.forEach((picture, index) => {{
  const [box, head, scroll] = ["div", "h2", "div"].map(name => document.createElement(name));
  head.textContent = picture.title;
  box.append(head);
  for (const note of picture.notes) {{ const p = document.createElement("p"); p.textContent = note; box.append(p); }}
  const bar = document.createElement("p"), choice = document.createElement("select");
  for (const name of Object.keys(picture.fields)) choice.append(new Option(name, name, false, name === picture.colour));
  bar.append(`${{picture.row}} down, ${{picture.column}} across; colour: `, choice);
  const canvas = document.createElement("canvas");
  scroll.className = "scroll"; scroll.append(canvas); box.append(bar, scroll);
  const sheet = document.getElementById("sheet");
  sheet.append(box);
  if (picture.place) {{
    sheet.classList.add("grid");
    box.style.gridArea = `${{picture.place[0] + 1}} / ${{picture.place[1] + 1}}`;
  }}
  let longest = 1;
  for (let at = 0; at < picture.rows * picture.columns; at++) longest = Math.max(longest, text(picture, at).length);
  const view = {{ picture, canvas, colour: picture.colour, width: Math.max(HEIGHT, longest * 6.7 + 6) }};
  views.push(view);
  choice.onchange = () => {{ view.colour = choice.value; draw(view); }};
  canvas.onmousemove = (event) => {{
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - LEFT) / view.width);
    const row = Math.floor((event.clientY - box.top - TOP) / HEIGHT);
    const inside = row >= 0 && row < picture.rows && column >= 0 && column < picture.columns;
    hover.textContent = inside ? describe(picture, row, column) : "Point at a cell.";
  }};
  canvas.onclick = (event) => {{
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - LEFT) / view.width);
    const row = Math.floor((event.clientY - box.top - TOP) / HEIGHT);
    location.hash = `${{index}},${{row}},${{column}}`;
  }};
  draw(view);
}});
function follow() {{ const at = location.hash.slice(1).split(",").map(Number); if (at.length === 3) select(...at); }}
window.addEventListener("hashchange", follow);
follow();
</script>
</body>
</html>
"""


def render(pictures: Sequence[Picture], title: str, body: str = "") -> str:
    """The page; `body` is HTML that goes before the pictures."""
    payload = {"cycle": CYCLE, "empty": EMPTY, "pictures": [_payload(picture) for picture in pictures]}
    # `</script` in the data would end the script, and `<!--<script` would hide its end: so each `<` is escaped.
    data = json.dumps(payload, separators=(",", ":")).replace("<", "\\u003c")
    heading = body or f"<h1 style='font-size:16px'>{escape(title)}</h1>"
    return _PAGE.format(title=escape(title), body=heading, data=data)


def _payload(picture: Picture) -> dict[str, object]:
    numbers = [
        list(shown or range(size)) for shown, size in zip((picture.rows, picture.columns), picture.size, strict=True)
    ]
    return {
        "title": picture.title,
        "notes": picture.notes,
        "rows": len(numbers[0]),
        "columns": len(numbers[1]),
        "numbers": numbers,
        "place": picture.place,
        "label": picture.label,
        "colour": picture.colour,
        "palette": picture.palette,
        "row": picture.row_name,
        "column": picture.column_name,
        "fields": {name: values[np.ix_(*numbers)].ravel().tolist() for name, values in picture.fields.items()},
    }
