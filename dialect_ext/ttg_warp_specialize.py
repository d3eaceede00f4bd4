"""`ttg.warp_specialize`: a default region and partitions, each run by its own warps.

    %out = ttg.warp_specialize(%a)
    default {
      ttg.warp_yield %x : i32
    }
    partition0(%b: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> i32

The partitions are in an inner op, `ttg.warp_specialize.partitions`, which holds the captures since Triton 3.7; before,
the outer op held them.
"""

from __future__ import annotations

from typing_extensions import Self
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure, RecursiveMemoryEffect

from dotload.dialect_ext.typed import create, dims_of
from dotload.dialect_ext.xdsl_private import print_new_line


def _parse_argument(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument


@irdl_op_definition
class WarpYieldOp(IRDLOperation):
    """End of the default region."""

    name = "ttg.warp_yield"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(WarpSpecializeOp)))
    assembly_format = "($values^)? attr-dict (`:` type($values)^)?"


@irdl_op_definition
class WarpReturnOp(IRDLOperation):
    """End of a partition."""

    name = "ttg.warp_return"
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(WarpSpecializePartitionsOp)))
    assembly_format = "attr-dict"


@irdl_op_definition
class WarpSpecializePartitionsOp(IRDLOperation):
    """The partitions; each region's arguments are the captures. Printed by the op around it."""

    name = "ttg.warp_specialize.partitions"
    explicitCaptures = var_operand_def()
    partitionRegions = var_region_def()
    traits = lazy_traits_def(
        lambda: (IsolatedFromAbove(), IsTerminator(), RecursiveMemoryEffect(), HasParent(WarpSpecializeOp))
    )


@irdl_op_definition
class WarpSpecializeOp(IRDLOperation):
    """Runs the default region and the partitions at the same time."""

    name = "ttg.warp_specialize"
    explicitCaptures = var_operand_def()
    partitionNumWarps = prop_def(DenseArrayBase)
    warpGroupStartIds = opt_prop_def(DenseArrayBase)
    requestedRegisters = opt_prop_def(DenseArrayBase)
    actualRegisters = opt_prop_def(DenseArrayBase)
    defaultPassthrough = var_result_def()
    defaultRegion = region_def()
    partitionOpHolder = region_def("single_block")
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def partitions(self) -> WarpSpecializePartitionsOp:
        inner = self.partitionOpHolder.block.first_op
        assert isinstance(inner, WarpSpecializePartitionsOp)
        return inner

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        captures = parser.parse_op_args_list()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_keyword("default")
        default = parser.parse_region()
        num_warps: list[int] = []
        regions: list[Region] = []
        while parser.parse_optional_keyword(f"partition{len(regions)}"):
            arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_argument(parser))
            parser.parse_keyword("num_warps")
            with parser.in_parens():
                num_warps.append(parser.parse_integer())
            regions.append(parser.parse_region(arguments))
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_function_type()
        operands = parser.resolve_operands(captures, signature.inputs.data, position)
        inner = create(WarpSpecializePartitionsOp, operands=operands, regions=regions)
        entries = dict(attributes.data) if attributes is not None else {}
        names = cls.get_irdl_definition().properties
        properties = {name: entries.pop(name) for name in list(entries) if name in names}
        properties["partitionNumWarps"] = DenseArrayBase.from_list(i32, num_warps)
        return create(
            cls,
            result_types=signature.outputs.data,
            properties=properties,
            attributes=entries,
            regions=[default, Region(Block([inner]))],
        )

    def print(self, printer: Printer) -> None:
        inner = self.partitions
        captures: tuple[SSAValue, ...] = (*self.explicitCaptures, *inner.explicitCaptures)
        printer.print_operands(captures)
        shown = {name: value for name, value in self.properties.items() if name != "partitionNumWarps"}
        printer.print_op_attributes(shown | self.attributes, print_keyword=True)
        print_new_line(printer)
        printer.print_string("default ")
        printer.print_region(self.defaultRegion, print_entry_block_args=False)
        for index, (region, warps) in enumerate(
            zip(inner.partitionRegions, dims_of(self.partitionNumWarps), strict=True)
        ):
            print_new_line(printer)
            printer.print_string(f"partition{index}")
            with printer.in_parens():
                printer.print_list(region.blocks[0].args, printer.print_block_argument)
            printer.print_string(f" num_warps({warps}) ")
            printer.print_region(region, print_entry_block_args=False)
        printer.print_string(" : ")
        printer.print_function_type([value.type for value in captures], self.result_types)


WARP_SPECIALIZE_OPS: tuple[type[Operation], ...] = (
    WarpSpecializeOp,
    WarpSpecializePartitionsOp,
    WarpYieldOp,
    WarpReturnOp,
)
