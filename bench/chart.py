"""The README's table of performance as a chart: docs/performance.svg.

python bench/chart.py            # draw it
python bench/chart.py --check    # exit status 1 if the chart does not match the table
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHART = ROOT / "docs" / "performance.svg"
LABELS, BARS, BAR, GAP, TOP = 90, 520, 12, 12, 30
FLAVOURS = {"stock": "#b8b8b8", "dotload": "#2a78c2", "K-major": "#e3b04b"}

Row = tuple[str, tuple[float, ...]]


def rows(readme: str) -> list[Row]:
    """Label and three numbers of each line of the table under "How fast"."""
    section = readme.partition("## How fast")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| ")]
    return [(label, tuple(float(re.findall(r"\d+", number)[0]) for number in numbers)) for label, *numbers in cells[1:]]


def draw(table: list[Row]) -> str:
    """The chart as SVG."""
    longest = max(number for _, numbers in table for number in numbers)
    height = TOP + len(table) * (len(FLAVOURS) * BAR + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABELS + BARS + 60}" height="{height}" '
        f'font-family="sans-serif" font-size="11">',
        f'<rect width="{LABELS + BARS + 60}" height="{height}" fill="white"/>',
    ]
    for position, (name, colour) in enumerate(FLAVOURS.items()):
        x = LABELS + 110 * position
        parts.append(f'<rect x="{x}" y="8" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14}" y="17">{name}</text>')
    parts.append(f'<text x="{LABELS + BARS}" y="17" text-anchor="end">TFLOP/s</text>')
    y = TOP
    for label, numbers in table:
        middle = y + len(FLAVOURS) * BAR / 2 + 4
        parts.append(f'<text x="{LABELS - 8}" y="{middle:g}" text-anchor="end">{label}</text>')
        for number, colour in zip(numbers, FLAVOURS.values(), strict=True):
            width = round(BARS * number / longest)
            parts.append(f'<rect x="{LABELS}" y="{y}" width="{width}" height="{BAR - 1}" fill="{colour}"/>')
            parts.append(f'<text x="{LABELS + width + 4}" y="{y + 9}" font-size="9">{number:.0f}</text>')
            y += BAR
        y += GAP
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    chart = draw(rows((ROOT / "README.md").read_text()))
    if "--check" in sys.argv:
        return 0 if CHART.exists() and CHART.read_text() == chart else 1
    CHART.write_text(chart)
    return 0


if __name__ == "__main__":
    sys.exit(main())
