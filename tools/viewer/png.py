"""A picture as PNG: the SVG, rasterised by resvg, so that both show the same."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from functools import lru_cache

from dotload.tools.viewer import svg
from dotload.tools.viewer.picture import Picture

ZOOM = 2.0
"""Pixels of the PNG per unit of the SVG: keeps text sharp on dense displays."""

FAMILIES = (
    *("DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "Ubuntu Mono"),
    *("Menlo", "Consolas", "Courier New", "FreeMono"),
)
"""Common monospaced fonts: resvg takes `monospace` as Courier New, and draws no text if that is not installed."""

SAMPLE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="monospace">{}</svg>'


def render(pictures: Sequence[Picture], *, whole: bool = False) -> bytes:
    """All pictures as the bytes of a PNG file."""
    resvg = importlib.import_module("resvg_py")
    drawing = svg.render(pictures, whole=whole)
    if (family := monospaced_family()) is None:
        print("warning: no monospaced font was found, so the PNG has no text: write SVG instead", file=sys.stderr)
    return bytes(resvg.svg_to_bytes(svg_string=drawing, zoom=ZOOM, monospace_family=family))


@lru_cache(maxsize=1)
def monospaced_family() -> str | None:
    """The first of the fonts that this system has."""
    resvg = importlib.import_module("resvg_py")

    def sample(content: str, family: str) -> bytes:
        return bytes(resvg.svg_to_bytes(svg_string=SAMPLE.format(content), monospace_family=family))

    text = '<text x="2" y="16">8</text>'
    return next((family for family in FAMILIES if sample(text, family) != sample("", family)), None)
