"""The passes that compile a kernel for triton-xpu, with the options that this backend needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dotload.passes import registry
from dotload.passes.registry import RegistryError
from dotload.plugin import intel
from dotload.plugin.report import switched_on
from dotload.plugin.rewrite import Spliced
from dotload.plugin.selection import check_options

OPTIONS = {"emit": "opencl"}
"""The spelling of builtins that this release of the backend links and translates to SPIR-V."""


def passes_for(
    target: str | None, chosen: Sequence[Spliced] | None = None, given: Mapping[str, str] | None = None
) -> list[Spliced]:
    """The passes for the end of this stage of Intel's backend, from those chosen or from all registered.

    A pass without options gets the options that this backend needs, and those `given` that it has. RegistryError for
    an option that no pass has, or a value that it does not take.
    """
    wanted = (
        OPTIONS
        | {"validate": str(switched_on("DOTLOAD_STRICT")).lower()}
        | ({"target": target} if target else {})
        | dict(given or {})
    )
    found: list[Spliced] = []
    for spliced in chosen if chosen is not None else [Spliced(entry) for entry in registry.entries()]:
        entry = spliced.entry
        if "xpu" in entry.backends and spliced.places == (intel.PLACE,):
            options = " ".join(f"{name}={value}" for name, value in wanted.items() if name in entry.options())
            found.append(spliced if spliced.options or not options else Spliced(entry, f"{{{options}}}"))
    known = {name for spliced in found for name in spliced.entry.options()}
    if unknown := [name for name in given or {} if name not in known]:
        raise RegistryError(f"no pass has an option {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    for spliced in found if given else ():
        check_options(spliced)
    return found
