"""What to do once a module is imported: torch is large, and a program may never use its Inductor."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


@dataclass(eq=False)
class AfterImport(MetaPathFinder):
    """Calls the function of each module with the module: at once, or when it is imported. Then `undo` calls what these
    functions returned."""

    actions: Mapping[str, Callable[[Any], Callable[[], None]]]
    _undo: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def __post_init__(self) -> None:
        sys.meta_path.insert(0, self)
        for name in self.actions:
            if (module := sys.modules.get(name)) is not None:
                self.act(module)

    def act(self, module: ModuleType) -> None:
        """The module is there."""
        self._undo.append(self.actions[module.__name__](module))

    def undo(self) -> None:
        """Undo what was done, the last first, and wait for no module any longer."""
        sys.meta_path.remove(self)
        while self._undo:
            self._undo.pop()()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that another finder gives, with a loader that acts."""
        if fullname not in self.actions:
            return None
        others = (finder for finder in sys.meta_path if not isinstance(finder, AfterImport))
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _ActingLoader(spec.loader, self)
        return spec


@dataclass(frozen=True)
class _ActingLoader(Loader):
    loader: Any
    waiting: AfterImport

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        if self.waiting in sys.meta_path:
            self.waiting.act(module)
