"""Descriptions of Python objects, as text that is the same in every process: for passes typed into an interpreter,
which have no file."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import os
import re
import sys
import types
from collections.abc import Iterable
from typing import Any, cast

from dotload.plugin import own_files

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_NOT_STATE = frozenset(
    {"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__", "__annotations__",
     "__annotate_func__", "__annotations_cache__", "__dataclass_fields__", "__abstractmethods__", "_abc_impl"}
)  # fmt: skip


def source_file(value: Any) -> tuple[str, str] | None:
    """(module, file) of a class, a function or a module that comes from a file; None for one that was typed in."""
    module = value if isinstance(value, types.ModuleType) else sys.modules.get(getattr(value, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return None
    codes = [code for code in _codes(value) if code.co_filename != "<string>"]  # methods that dataclasses generate
    here = not codes or any(os.path.abspath(code.co_filename) == os.path.abspath(file) for code in codes)
    return (module.__name__, file) if here else None


def describe(value: object) -> str:
    """Everything visible that the behaviour of `value` depends on."""
    return repr(_Description().of(value))


def _codes(value: Any) -> list[types.CodeType]:
    members = vars(value).values() if isinstance(value, type) else [value]
    return [member.__code__ for member in members if isinstance(member, types.FunctionType)]


class _Description:
    def __init__(self) -> None:
        self._seen: dict[int, object] = {}  # kept alive, so that no other object gets its id

    def of(self, value: Any) -> Any:
        """Nested tuples of text."""
        if isinstance(value, _PLAIN) and not isinstance(value, enum.Enum):
            return repr(value)
        if id(value) in self._seen:
            return ("again", type(value).__name__)
        self._seen[id(value)] = value
        return (type(value).__qualname__, *self._parts(value))

    def _parts(self, value: Any) -> Iterable[Any]:
        if isinstance(value, enum.Enum):
            return (str(value),)
        if isinstance(value, (tuple, list)):
            return map(self.of, cast("tuple[Any, ...]", value))
        if isinstance(value, (set, frozenset)):
            return sorted(map(describe, cast("set[Any]", value)))
        if isinstance(value, dict):
            pairs = cast("dict[Any, Any]", value).items()
            return sorted((describe(key), repr(self.of(item))) for key, item in pairs)
        if isinstance(value, types.CodeType):
            return (value.co_code.hex(), value.co_names, self.of(value.co_consts))
        if isinstance(value, (types.FunctionType, type, types.ModuleType)):
            return self._named(value)
        if isinstance(value, (staticmethod, classmethod, types.MethodType)):
            return (self.of(cast("types.MethodType", value).__func__),)
        if isinstance(value, property):
            return (self.of(value.fget),)
        if isinstance(value, functools.partial):
            whole = cast("functools.partial[Any]", value)
            return (self.of(whole.func), self.of(whole.args), self.of(whole.keywords))
        if dataclasses.is_dataclass(value):
            return (self.of({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}),)
        return self._other(value)

    def _named(self, value: Any) -> Iterable[Any]:
        name = getattr(value, "__qualname__", value.__name__)
        if found := source_file(value):
            return (name, own_files.digest(*found) if own_files.is_own(*found) else found[0])
        if isinstance(value, types.FunctionType):
            return (name, *self._function(value))
        if isinstance(value, type) and _was_typed_in(value.__module__):
            state = {key: item for key, item in vars(value).items() if key not in _NOT_STATE}
            return (name, self.of(value.__bases__), self.of(state))
        return (name, getattr(value, "__module__", ""))

    def _function(self, function: types.FunctionType) -> Iterable[Any]:
        """The function's code, and the outer values that the code reads."""
        names = set(_names(function.__code__))
        read = {name: item for name, item in function.__globals__.items() if name in names}
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        return map(self.of, (function.__code__, function.__defaults__, function.__kwdefaults__, cells, read))

    def _other(self, value: Any) -> Iterable[Any]:
        """An object without a special case: its printed form, or its attributes."""
        if hasattr(value, "tobytes"):  # an array, whose printed form is abridged
            return (str(getattr(value, "dtype", "")), str(getattr(value, "shape", "")),
                    hashlib.sha256(value.tobytes()).hexdigest())  # fmt: skip
        text = repr(value)
        if not _ADDRESS.search(text):
            return (text,)
        return (_ADDRESS.sub("", text), self.of(dict(getattr(value, "__dict__", {}))))


def _was_typed_in(module: str) -> bool:
    """Whether the module was not loaded from anywhere: `__main__`, or one that was made by hand."""
    return getattr(sys.modules.get(module), "__spec__", None) is None


def _names(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
