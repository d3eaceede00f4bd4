"""A function of Triton or of torch, replaced while dotload is on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Patch:
    """A function replaced by one of dotload's until `revert`."""

    owner: Any
    name: str
    original: Callable[..., Any]
    replacement: Callable[..., Any]

    @classmethod
    def apply(cls, owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Patch:
        original = getattr(owner, name)
        patch = cls(owner, name, original, wrap(original))
        setattr(owner, name, patch.replacement)
        return patch

    def revert(self) -> None:
        """Restore the original, unless ours has been wrapped since: without a selection, ours has no effect."""
        if getattr(self.owner, self.name) is self.replacement:
            setattr(self.owner, self.name, self.original)
