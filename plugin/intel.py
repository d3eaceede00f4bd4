"""The Intel passes in triton-xpu's pipeline: at the end of make_ttgir."""

from __future__ import annotations

from dotload.passes.registry import Place

PLACE = Place("ttgir")
LOADS = "lower-to-2d-block-load,convert-2d-block-load-to-llvm"
PASSES = tuple(LOADS.split(","))
