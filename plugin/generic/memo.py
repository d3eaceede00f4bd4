"""The memo shared by all kernels: parsed texts and printed attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, Operation

Identity = tuple[tuple[str, ...], tuple[int, ...]]
"""The names in a dictionary, and the ids of their objects."""
Items = tuple[tuple[str, Attribute], ...]
"""The entries of a dictionary."""
Spelled = tuple[dict[str, Attribute], str]
"""A dictionary and its text."""


@dataclass(frozen=True)
class Form:
    """The line of an operation without its values and its location; the dictionaries must not be changed.

    `op_type` belongs to the context in which the line was parsed; its defaults are in the dictionaries.
    """

    op_type: type[Operation]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    inputs: Sequence[Attribute]
    outputs: Sequence[Attribute]


@dataclass
class Memo:
    """The memo of one context: the text of lines, dictionaries, signatures and types -> attributes, and back to text.

    Printing looks attributes up by identity, which the memo keeps alive: an operation that no pass touched is printed
    as MLIR printed it, digit for digit. Equal types are printed once, and so are dictionaries of attributes that passes
    share (`written`) or build again for each kernel (`equal`; xDSL tells 0.0 from -0.0).
    """

    forms: dict[tuple[str, str], Form] = field(default_factory=dict[tuple[str, str], Form])
    dictionaries: dict[str, dict[str, Attribute]] = field(default_factory=dict[str, dict[str, Attribute]])
    signatures: dict[str, FunctionType] = field(default_factory=dict[str, FunctionType])
    arguments: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    types: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])
    locations: dict[object, Attribute] = field(default_factory=dict[object, Attribute])
    texts: dict[Identity, str] = field(default_factory=dict[Identity, str])
    written: dict[Identity, Spelled] = field(default_factory=dict[Identity, Spelled])
    equal: dict[Items, str] = field(default_factory=dict[Items, str])
    printed: dict[int, tuple[Attribute, str]] = field(default_factory=dict[int, tuple[Attribute, str]])

    LIMIT = 20_000
    """Entries of each kind, about 20 MB; a process that compiles more kinds of kernels starts over."""

    def trim(self) -> None:
        for made in (self.written, self.equal):  # mostly entries by passes, for one kernel
            if len(made) > self.LIMIT:
                made.clear()
        known = (getattr(self, each.name) for each in fields(self))
        if any(len(entries) > self.LIMIT for entries in known):
            self.__init__()

    def unique(self, type_: FunctionType) -> FunctionType:
        """`type_` with its types uniqued: equal types are the same object."""
        inputs, outputs = (
            [self.types.setdefault(inner, inner) for inner in side.data] for side in (type_.inputs, type_.outputs)
        )
        return FunctionType.from_lists(inputs, outputs)


def identity_of(dictionary: Mapping[str, Attribute]) -> Identity:
    return tuple(dictionary), tuple(map(id, dictionary.values()))
