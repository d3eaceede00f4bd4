"""Dialect `gpu` as Triton uses it: xDSL's, with the short forms of the barrier and the ids.

gpu.barrier
%thread_id_x = gpu.thread_id x
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Self
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All threads of the block meet; `memfence [...]` names the memories that become visible."""

    name = "gpu.barrier"
    address_spaces = opt_prop_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "(`memfence` $address_spaces^)? attr-dict"

    def __init__(self):
        super().__init__()


class IndexQuery(IRDLOperation):
    """The syntax of the ops that ask for an id or a size along a dim."""

    dimension = prop_def(gpu.DimensionAttr)
    upper_bound = opt_prop_def()
    result = result_def(IndexType)
    assembly_format = None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        dimension = gpu.DimensionAttr(gpu.DimensionEnum(parser.parse_identifier()))
        properties: dict[str, Attribute] = {"dimension": dimension}
        if parser.parse_optional_keyword("upper_bound"):
            properties["upper_bound"] = parser.parse_attribute()
        return cls.create(
            result_types=[IndexType()], properties=properties, attributes=parser.parse_optional_attr_dict()
        )

    def print(self, printer: Printer) -> None:
        dimension = self.properties["dimension"]
        assert isinstance(dimension, gpu.DimensionAttr)
        printer.print_string(f" {dimension.data.value}")
        if (bound := self.properties.get("upper_bound")) is not None:
            printer.print_string(" upper_bound ")
            printer.print_attribute(bound)
        printer.print_op_attributes(self.attributes)


def _index_query(base: type[IRDLOperation]) -> type[IRDLOperation]:
    namespace: dict[str, Any] = {
        "__doc__": base.__doc__,
        "__module__": __name__,
        "__annotations__": {},
        "name": base.name,
        "verify_": lambda self: None,
    }
    return irdl_op_definition(type(base.__name__, (IndexQuery, base), namespace))


ThreadIdOp = _index_query(gpu.ThreadIdOp)
BlockIdOp = _index_query(gpu.BlockIdOp)
BlockDimOp = _index_query(gpu.BlockDimOp)
GridDimOp = _index_query(gpu.GridDimOp)
GlobalIdOp = _index_query(gpu.GlobalIdOp)

OWN = (BarrierOp, ThreadIdOp, BlockIdOp, BlockDimOp, GridDimOp, GlobalIdOp)
_NAMES = {op.name for op in OWN}

GPU = Dialect(
    "gpu",
    [*OWN, *(op for op in gpu.GPU.operations if op.name not in _NAMES)],
    list(gpu.GPU.attributes),
)
