"""The passes that compile a kernel: those that a user names, or all that have a place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dotload.passes import registry
from dotload.passes.pass_options import wrong_option
from dotload.plugin import nvidia
from dotload.plugin.fingerprint import fingerprint, is_fixed
from dotload.plugin.report import switched_on
from dotload.plugin.rewrite import Spliced
from dotload.plugin.triton_types import minor_version


@dataclass(frozen=True, eq=False)
class Selection:
    """The passes that run, in order; None for all registered passes that have a place."""

    chosen: tuple[Spliced, ...] | None

    def passes(self) -> tuple[Spliced, ...]:
        """The passes that run."""
        return default_passes() if self.chosen is None else self.chosen

    def spelled(self) -> tuple[str, ...] | None:
        """The argument of `enable` that asks for this selection."""
        return None if self.chosen is None else tuple(map(str, self.chosen))

    def key(self) -> str:
        """The text to add to the keys of Triton's caches, for which Triton asks at each launch."""
        fixed = _fixed_key(self, registry.revision(), switched_on("DOTLOAD_STRICT"))
        return fingerprint(self.passes()) if fixed is None else fixed


ALL = Selection(None)
"""All registered passes that have a place: what `enabled` selects unless it is told which."""
OFF = Selection(())
"""No passes: what `disabled` selects."""


@lru_cache(maxsize=64)
def _fixed_key(selection: Selection, *_what_it_depends_on: object) -> str | None:
    """The selection's key; None if the user may change one of its passes in the interpreter."""
    passes = selection.passes()
    return fingerprint(passes) if all(map(is_fixed, passes)) else None


def default_passes() -> tuple[Spliced, ...]:
    """The passes for NVIDIA that this version of Triton needs, and the passes of users."""
    registered = {entry.name: entry for entry in registry.entries()}
    placed = [name for pipeline in nvidia.PIPELINES for name in pipeline.passes]
    names = [name for name in placed if name in registered]
    own = [registered[name] for name in names if nvidia.runs_with(name, minor_version())]
    return tuple(Spliced(entry) for entry in (*own, *(entry for entry in registered.values() if entry.places)))


def select(passes: str | Iterable[str] | None) -> Selection:
    """The selection that the argument of `enable` asks for; RegistryError for an unknown name or option."""
    if passes is None:
        return ALL
    if isinstance(passes, str):
        passes = re.split(r",(?![^{]*\})", passes)  # commas inside the braces separate the values of one option
    chosen = tuple(_spliced(text.strip()) for text in passes)
    return Selection(chosen) if chosen else OFF


def _spliced(text: str) -> Spliced:
    name, brace, options = text.partition("{")
    spliced = Spliced(registry.find(name), brace + options)
    if not spliced.places:
        raise registry.RegistryError(f"pass '{name}' has no place in Triton's pipeline")
    check_options(spliced)
    return spliced


def check_options(spliced: Spliced) -> None:
    """RegistryError for wrong options of a pass, now and not while a kernel compiles."""
    if not spliced.options:
        return
    from xdsl.utils.exceptions import ArgSpecParseError

    try:
        spliced.instance({})
    except ArgSpecParseError as error:  # a BaseException, but not an Exception
        raise registry.RegistryError(f"pass '{spliced}': malformed options: {_last_line(error)}") from error
    except Exception as error:
        message = _complaint(spliced) or f"pass '{spliced}': {' '.join(str(error).split())}"
        raise registry.RegistryError(message) from error


def _complaint(spliced: Spliced) -> str | None:
    """The error in the options of a pass; None for a text that cannot be read."""
    from xdsl.utils.arg_spec import parse_pipeline

    try:
        (spec,) = parse_pipeline(str(spliced))
    except Exception:  # xDSL's parser raises several kinds
        return None
    return wrong_option(spliced.entry, {name.replace("_", "-"): values for name, values in spec.parameters.items()})


def _last_line(error: BaseException) -> str:
    """The last line of an xDSL error, which has the message; the lines above are the text and a caret."""
    return str(error).splitlines()[-1].strip().lower()
