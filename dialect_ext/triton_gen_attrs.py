"""`#triton_gen.decoration_cache_control<...>`: the caching of an access (SPV_INTEL_cache_controls).

    #triton_gen.decoration_cache_control<#triton_gen.load_cache_control<0, Cached, 4>>

The fields are the cache level, the kind and the index of the pointer operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.errors import verified

CACHE_CONTROLS = "triton_gen.DecorationCacheControlINTEL"
"""The name of a call's attribute that holds its decorations."""


class CacheControlAttr(ParametrizedAttribute):
    """`<level, kind, operand>`"""

    ACCESS: ClassVar[str]
    KINDS: ClassVar[tuple[str, ...]]

    level: IntAttr = param_def()
    kind: StringAttr = param_def()
    operand: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            level = parser.parse_integer()
            parser.parse_punctuation(",")
            start = parser.pos
            kind = parser.parse_identifier(context_msg=f" for TritonGEN {cls.ACCESS} cache controls")
            if kind not in cls.KINDS:
                what = f"invalid TritonGEN {cls.ACCESS} cache controls specification: {kind}"
                parser.raise_error(f"{what}, expected one of {', '.join(cls.KINDS)}", start, parser.pos)
            parser.parse_punctuation(",")
            return IntAttr(level), StringAttr(kind), IntAttr(parser.parse_integer())

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.level.data}, {self.kind.data}, {self.operand.data}>")


@irdl_attr_definition
class LoadCacheControlAttr(CacheControlAttr):
    """How a level is read."""

    name = "triton_gen.load_cache_control"
    ACCESS: ClassVar[str] = "load"
    KINDS: ClassVar[tuple[str, ...]] = ("Uncached", "Cached", "Streaming", "InvalidateAfterRead", "ConstCached")

    level: IntAttr = param_def()
    kind: StringAttr = param_def()
    operand: IntAttr = param_def()


@irdl_attr_definition
class StoreCacheControlAttr(CacheControlAttr):
    """How a level is written."""

    name = "triton_gen.store_cache_control"
    ACCESS: ClassVar[str] = "store"
    KINDS: ClassVar[tuple[str, ...]] = ("Uncached", "WriteThrough", "WriteBack", "Streaming")

    level: IntAttr = param_def()
    kind: StringAttr = param_def()
    operand: IntAttr = param_def()


@irdl_attr_definition
class DecorationCacheControlAttr(ParametrizedAttribute):
    """The decorations of one call, at most one per level for loads and one for stores."""

    name = "triton_gen.decoration_cache_control"

    decorations: ArrayAttr[Attribute] = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        found = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_attribute)
        decorations = ArrayAttr(found)
        with verified(parser, start):
            cls(decorations)
        return (decorations,)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.decorations, printer.print_attribute)

    def verify(self) -> None:
        seen: set[tuple[str, int]] = set()
        for each in self.decorations:
            if not isinstance(each, CacheControlAttr):
                raise VerifyException(
                    "'triton_gen.decoration_cache_controls' only accepts LoadCacheControlDecorationAttr and "
                    f"StoreCacheControlDecorationAttr attributes, got {each}"
                )
            if (key := (each.ACCESS, each.level.data)) in seen:
                raise VerifyException(
                    "'triton_gen.decoration_cache_controls' cannot specify more than one cache control decoration of "
                    f"the same nature for the same cache level: {each.ACCESS}, level {each.level.data}"
                )
            seen.add(key)


ATTRIBUTES = (LoadCacheControlAttr, StoreCacheControlAttr, DecorationCacheControlAttr)

_LOAD_KINDS = {"UC": "Uncached", "C": "Cached", "S": "Streaming", "IAR": "InvalidateAfterRead"}
_STORE_KINDS = {"UC": "Uncached", "WT": "WriteThrough", "WB": "WriteBack", "S": "Streaming"}


def decorations_of(control: str, operand: int, *, store: bool = False) -> DecorationCacheControlAttr | None:
    """`L1C_L3UC` as decorations of a call's pointer operand; None for `Default`. Level 0 is L1, level 1 is L3."""
    if control == "Default":
        return None
    kinds, attr = (_STORE_KINDS, StoreCacheControlAttr) if store else (_LOAD_KINDS, LoadCacheControlAttr)
    names = [kinds[part[len("L1") :]] for part in control.split("_")]
    each = [attr(IntAttr(level), StringAttr(name), IntAttr(operand)) for level, name in enumerate(names)]
    return DecorationCacheControlAttr(ArrayAttr(each))
