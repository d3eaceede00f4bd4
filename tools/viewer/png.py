"""A picture as PNG: the SVG, rasterised by resvg, so that both show the same."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from dotload.tools.viewer import svg
from dotload.tools.viewer.picture import Picture

ZOOM = 2.0
"""Pixels of the PNG per unit of the SVG: text stays sharp on dense displays."""


def render(pictures: Sequence[Picture], *, whole: bool = False) -> bytes:
    """All pictures as the bytes of a PNG file."""
    resvg = importlib.import_module("resvg_py")
    drawing = svg.render(pictures, whole=whole)
    return bytes(resvg.svg_to_bytes(svg_string=drawing, zoom=ZOOM))
