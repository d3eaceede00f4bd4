"""Dialect `gpu` as Triton uses it: xDSL's, with the short forms of the barrier and the ids.

gpu.barrier
%thread_id_x = gpu.thread_id x
%id = gpu.subgroup_id : index
%value, %valid = gpu.shuffle xor %x, %offset, %width : f32
"""

from __future__ import annotations

from typing_extensions import Self
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32
from xdsl.ir import Attribute, Block, Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.str_enum import StrEnum

from dotload.dialect_ext.constraints import TYPE
from dotload.dialect_ext.operations import extended, redefined
from dotload.dialect_ext.typed import create


class BarrierScope(StrEnum):
    """The threads that a barrier synchronises."""

    SUBGROUP = "subgroup"
    WORKGROUP = "workgroup"
    CLUSTER = "cluster"


@irdl_attr_definition
class BarrierScopeAttr(Data[BarrierScope]):
    """#gpu.barrier_scope<cluster>"""

    name = "gpu.barrier_scope"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BarrierScope:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(BarrierScope)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Barrier of all threads of the block, or of those that `scope` names (the LLVM of Triton 3.9).

    `memfence [...]` names the memories whose writes become visible.
    """

    name = "gpu.barrier"
    address_spaces = opt_prop_def()
    scope = opt_prop_def(BarrierScopeAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self):
        super().__init__()

    @property
    def is_for_all_warps(self) -> bool:
        """Whether all warps of a block synchronize, and see each other's writes to shared memory."""
        is_fence = self.address_spaces is None or "workgroup" in str(self.address_spaces)
        return is_fence and (self.scope is None or self.scope.data is not BarrierScope.SUBGROUP)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("memfence"):
            properties["address_spaces"] = parser.parse_attribute()
        if parser.parse_optional_keyword("scope"):
            properties["scope"] = BarrierScopeAttr(BarrierScopeAttr.parse_parameter(parser))
        return create(cls, properties=properties, attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        if self.address_spaces is not None:
            printer.print_string(" memfence ")
            printer.print_attribute(self.address_spaces)
        if self.scope is not None and self.scope.data is not BarrierScope.WORKGROUP:  # the default
            printer.print_string(" scope ")
            self.scope.print_parameter(printer)
        printer.print_op_attributes(self.attributes)


BOUND = IntegerAttr[IndexType].constr(EqAttrConstraint(IndexType()))


class IndexQuery(IRDLOperation):
    """Base of the ops that read an id or a size along a dim."""

    dimension = prop_def(gpu.DimensionAttr)
    upper_bound = opt_prop_def(BOUND)
    result = result_def(IndexType)
    assembly_format = None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        dimension = gpu.DimensionAttr(gpu.DimensionEnum(parser.parse_identifier()))
        properties: dict[str, Attribute] = {"dimension": dimension}
        if parser.parse_optional_keyword("upper_bound"):
            properties["upper_bound"] = IntegerAttr(parser.parse_integer(allow_negative=False), IndexType())
        return create(
            cls, result_types=[IndexType()], properties=properties, attributes=parser.parse_optional_attr_dict()
        )

    def print(self, printer: Printer) -> None:
        dimension = self.properties["dimension"]
        assert isinstance(dimension, gpu.DimensionAttr)
        printer.print_string(f" {dimension.data.value}")
        if isinstance(bound := self.properties.get("upper_bound"), IntegerAttr):
            printer.print_string(f" upper_bound {bound.value.data}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Replace xDSL's verifiers, some of which restrict the parent op."""


@irdl_op_definition
class LaneIdOp(IRDLOperation):
    """The lane's number in its subgroup."""

    name = "gpu.lane_id"
    upper_bound = opt_prop_def(BOUND)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict"


class SubgroupQuery(IRDLOperation):
    """Base of the ops that read a subgroup's number, the number of subgroups, or their size."""

    upper_bound = opt_prop_def(BOUND)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)"


def _subgroup_query(name: str) -> type[IRDLOperation]:
    return irdl_op_definition(
        type("SubgroupQueryOp", (SubgroupQuery,), {"name": f"gpu.{name}", "__module__": __name__})
    )


class ShuffleMode(StrEnum):
    """How a lane chooses the lane that it takes the value of."""

    XOR = "xor"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


@irdl_attr_definition
class ShuffleModeAttr(Data[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """#gpu<shuffle_mode xor>"""

    name = "gpu.shuffle_mode"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ShuffleMode:
        return parser.parse_str_enum(ShuffleMode)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data.value)


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """The value of another lane of the subgroup, and whether that lane exists."""

    name = "gpu.shuffle"
    value = operand_def(TYPE)
    offset = operand_def(EqAttrConstraint(i32))
    width = operand_def(EqAttrConstraint(i32))
    mode = prop_def(ShuffleModeAttr)
    shuffle_result = result_def(TYPE)
    valid = result_def(EqAttrConstraint(i1))
    assembly_format = "$mode $value `,` $offset `,` $width attr-dict `:` type($value)"


class ModuleOp(gpu.ModuleOp):
    """`gpu.module @kernels attributes {...} { ... }`"""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        return create(
            cls,
            properties={"sym_name": name},
            attributes={} if attributes is None else attributes.data,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)


SUBGROUP_QUERIES = tuple(map(_subgroup_query, ("subgroup_id", "num_subgroups", "subgroup_size")))

ThreadIdOp = redefined(gpu.ThreadIdOp, IndexQuery)
BlockIdOp = redefined(gpu.BlockIdOp, IndexQuery)
BlockDimOp = redefined(gpu.BlockDimOp, IndexQuery)
GridDimOp = redefined(gpu.GridDimOp, IndexQuery)
GlobalIdOp = redefined(gpu.GlobalIdOp, IndexQuery)

GPU = extended(
    gpu.GPU,
    (
        *(BarrierOp, ShuffleOp, ThreadIdOp, BlockIdOp, BlockDimOp, GridDimOp, GlobalIdOp, LaneIdOp, ModuleOp),
        *SUBGROUP_QUERIES,
    ),
    (BarrierScopeAttr, ShuffleModeAttr),
)
