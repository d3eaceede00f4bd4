"""Prefetches of dialect `ttig`, which bring the data of a load into the cache."""

from __future__ import annotations

from typing_extensions import Self
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i1, i32
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import PTR, TYPE, Derived
from dotload.dialect_ext.directives import CachePolicies, EitherTensorDesc, case_of
from dotload.dialect_ext.errors import verified
from dotload.dialect_ext.tt_memory import check_boundary, check_coordinates
from dotload.dialect_ext.typed import create, number_of
from dotload.dialect_ext.types import TensorDescType, mask_type, pointee_type


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Bring the data of a tt.load with the same operands into the cache.

    ttig.prefetch %ptr, %mask cacheModifier = ca : tensor<64x32x!tt.ptr<f16>>
    ttig.prefetch %ptr, %mask {cache = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0>} : tensor<64x32x!tt.ptr<f16>>

    The second form has the attributes of the load that it serves, segment sizes included.
    """

    name = "ttig.prefetch"
    ptr = operand_def(PTR)
    mask = opt_operand_def(Derived("PTR", mask_type))
    cache = opt_prop_def(enums.CACHE_MODIFIER)
    evict = opt_prop_def(enums.EVICTION_POLICY)
    isVolatile = opt_prop_def(BoolAttr.constr(i1))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        policies = _parse_policies(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pointer = parser.parse_type()
        with verified(parser, position):
            types = (pointer, mask_type(pointer))[: len(operands)]
        names = cls.get_irdl_definition().properties
        return create(
            cls,
            operands=parser.resolve_operands(operands, types, position),
            properties={**policies, **{name: value for name, value in attributes.items() if name in names}},
            attributes={name: value for name, value in attributes.items() if name not in names},
        )

    def verify_(self) -> None:
        check_boundary(self.attributes.get("boundaryCheck"), pointee_type(self.ptr.type))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.isVolatile is None and "operandSegmentSizes" not in self.attributes:
            for word, (name, enum) in _POLICIES.items():
                if (value := number_of(self.properties.get(name))) not in (None, _DEFAULT_POLICY):
                    printer.print_string(f" {word} = {enum.name_of(IntegerAttr(value or 0, i32))}")
            printer.print_op_attributes(self.attributes)
        else:
            printer.print_op_attributes(self.attributes | self.properties)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


_POLICIES = {"cacheModifier": ("cache", enums.CACHE_MODIFIER), "evictionPolicy": ("evict", enums.EVICTION_POLICY)}
_DEFAULT_POLICY = 1


def _parse_policies(parser: Parser) -> dict[str, Attribute]:
    """`cacheModifier = ca evictionPolicy = evict_last`, in any order."""
    found: dict[str, Attribute] = {}
    while word := next((each for each in _POLICIES if parser.parse_optional_keyword(each)), None):
        name, enum = _POLICIES[word]
        parser.parse_punctuation("=")
        start = parser.pos
        found[name] = case_of(enum, parser.parse_identifier(context_msg=f" naming a {enum.enum}"), parser, start)
    return found


class LegacyPrefetchOp(PrefetchOp):
    """The same under the dialect's older name."""

    name = "triton_intel_gpu.prefetch"


@irdl_op_definition
class DescriptorPrefetchOp(IRDLOperation):
    """`ttig.descriptor_prefetch %desc[%i, %j] cacheModifier = ca : !tt.tensordesc<tensor<256x32xf16>>`"""

    name = "ttig.descriptor_prefetch"
    desc = operand_def(TYPE)
    indices = var_operand_def(i32)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (CachePolicies, EitherTensorDesc)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$desc `[` $indices `]` custom<CachePolicies>($cache, $evict) attr-dict "
        "`:` custom<EitherTensorDesc>(type($desc))"
    )

    def verify_(self) -> None:
        if isinstance(self.desc.type, TensorDescType):
            check_coordinates("indices", len(self.indices), self.desc.type.block_type)
