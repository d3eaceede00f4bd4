"""The pictures that dotload-layout draws: the requested warp and colour of each layout."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from dotload.tools.viewer.picture import Picture, held_registers, pictures_of
from dotload.tools.viewer.source import Subject, UserError


def pictures(subjects: Sequence[Subject], options: argparse.Namespace) -> list[Picture]:
    """The pictures of every subject, for --warp and --colour."""
    found: list[Picture] = []
    for one in subjects:
        drawn = pictures_of(one)
        if options.warp is not None:
            drawn = [held_registers(one, options.warp)]
        if options.colour:
            for picture in drawn:
                if options.colour not in picture.fields:
                    raise UserError(f"error: no field {options.colour}; there are {', '.join(picture.fields)}")
            drawn = [replace(picture, colour=options.colour) for picture in drawn]
        found += drawn
    return found


def check(one: Subject, options: argparse.Namespace) -> None:
    """Raise UserError for a warp or a field that the layout does not have, in any output form."""
    if options.warp is not None and (one.is_shared or not 0 <= options.warp < one.layout.in_sizes.get("warp", 1)):
        raise UserError(f"error: {one.name} has no warp {options.warp}")
    if options.colour and not options.against:
        pictures([one], options)
