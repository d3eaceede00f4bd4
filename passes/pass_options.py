"""Error messages for a user's pass options: which one is wrong, and what it takes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from dotload.passes.registry import PassEntry

_EXPECTED = {"bool": "true or false", "int": "an integer", "float": "a number"}


def unknown_option(entry: PassEntry, name: str) -> str:
    """The message that a pass does not have the option, with the options that it has."""
    return f"'{entry.name}' has no option '{name}'; {_nearest(name, list(entry.options()))}"


def wrong_option(entry: PassEntry, options: Mapping[str, Sequence[Any]]) -> str | None:
    """What is wrong with the options, by their names with dashes; None if xDSL's own message is good enough."""
    known = entry.options()
    for name, values in options.items():
        if name not in known:
            return unknown_option(entry, name)
        if not _fits(entry, name, values):
            kind = str(getattr(known[name].type, "__name__", known[name].type)).partition(" |")[0]
            given = ",".join(str(value).lower() if isinstance(value, bool) else str(value) for value in values)
            return f"'{entry.name}': option {name}={given}: expected {_EXPECTED.get(kind, kind)}"
    return None


def _fits(entry: PassEntry, name: str, values: Sequence[Any]) -> bool:
    """Whether an option of the pass takes these values."""
    from xdsl.utils.arg_spec import ArgSpec
    from xdsl.utils.exceptions import PassFailedException

    try:
        cast("Any", entry.load()).from_spec(ArgSpec(entry.name, {name.replace("-", "_"): tuple(values)}))
    except PassFailedException:  # a value that the pass does not know, whose message says so
        return True
    except ValueError as error:
        return "Incompatible types" not in str(error)  # other errors are about options that are not given here
    return True


def _nearest(name: str, known: list[str]) -> str:
    if not known:
        return "it has none"
    near = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(known)}"
