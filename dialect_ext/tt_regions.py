"""The ops of dialect `tt` that carry regions, or end or call them."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Self
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    i1,
    i32,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.constraints import int_attr
from dotload.dialect_ext.declarations import declared_attributes, print_types
from dotload.dialect_ext.shape_rules import check, check_axis, check_elements, tensor
from dotload.dialect_ext.traits import UsesScratch
from dotload.dialect_ext.typed import shape_of

_FUNCTION_SYNTAX = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel (public) or a function that kernels call (private).

    tt.func public @gemm(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) attributes {noinline = false} { ... }
    """

    name = "tt.func"
    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        body: Region,
        *,
        visibility: str | None = None,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
        res_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "sym_visibility": None if visibility is None else StringAttr(visibility),
                "arg_attrs": arg_attrs,
                "res_attrs": res_attrs,
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        visibility = parser.parse_optional_visibility_keyword()
        start = parser.pos
        name, inputs, outputs, body, extra, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "sym_visibility")
        )
        if inputs and not body.blocks:
            arg_attrs = declared_attributes(parser, start)
        function = cls(
            name,
            FunctionType.from_lists(inputs, outputs),
            body,
            visibility=None if visibility is None else visibility.data,
            arg_attrs=arg_attrs,
            res_attrs=res_attrs,
        )
        if extra is not None:
            function.attributes |= extra.data
        return function

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        if not self.body.blocks:
            self._print_declaration(printer)
            return
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=_FUNCTION_SYNTAX,
            print_empty_outputs=False,
        )

    def _print_declaration(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            print_types(printer, self.function_type.inputs.data, self.arg_attrs)
        if outputs := self.function_type.outputs.data:
            printer.print_string(" -> ")
            alone = len(outputs) == 1 and self.res_attrs is None
            printer.print_string("" if alone else "(")
            print_types(printer, outputs, self.res_attrs)
            printer.print_string("" if alone else ")")
        printer.print_op_attributes(self.attributes, reserved_attr_names=_FUNCTION_SYNTAX, print_keyword=True)

    def verify_(self) -> None:
        entry = self.body.blocks.first
        if entry is not None and entry.arg_types != self.function_type.inputs.data:
            raise VerifyException("type of entry block arguments must match the function's inputs")
        if entry is None and (self.sym_visibility is None or self.sym_visibility.data == "public"):
            raise VerifyException("symbol declaration cannot have public visibility; write tt.func private")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """End of a tt.func."""

    name = "tt.return"
    srcs = var_operand_def()
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(FuncOp)))
    assembly_format = "attr-dict ($srcs^ `:` type($srcs))?"

    def verify_(self) -> None:
        function = self.parent_op()
        if isinstance(function, FuncOp) and function.function_type.outputs.data != tuple(self.srcs.types):
            raise VerifyException(
                f"returns {len(self.srcs)} values, but the enclosing function (@{function.sym_name.data}) "
                f"returns {len(function.function_type.outputs.data)} of other types or number"
            )


@irdl_op_definition
class CallOp(IRDLOperation):
    """`%r = tt.call @f(%x) : (f32) -> f32`"""

    name = "tt.call"
    callee = prop_def(FlatSymbolRefAttr)
    args = var_operand_def()
    res = var_result_def()
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$callee `(` $args `)` attr-dict `:` functional-type($args, $res)"


class RegionReturnOp(IRDLOperation):
    """Base of the terminators that list values without parentheses: `tt.reduce.return %0 : f32`."""

    values = var_operand_def()

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


@irdl_op_definition
class ReduceReturnOp(RegionReturnOp):
    """The combined values of a tt.reduce."""

    name = "tt.reduce.return"
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(ReduceOp)))
    assembly_format = "$values attr-dict `:` type($values)"


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Fold each source along `axis` with the region, which combines two elements of every source. Printed generic."""

    name = "tt.reduce"
    srcs = var_operand_def()
    axis = prop_def(int_attr(32))
    reduction_ordering = opt_prop_def(AnyAttr())
    results_ = var_result_def()
    combineOp = region_def("single_block")
    traits = traits_def(Pure(), UsesScratch())

    def __init__(self, source: SSAValue, axis: int, combine: Block, result: Attribute):
        """The reduction of one tensor."""
        super().__init__(
            operands=[[source]],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[[result]],
            regions=[Region(combine)],
        )

    def verify_(self) -> None:
        check(len(self.srcs) == len(self.results_), "has as many results as operands")
        for source, result in zip(self.srcs, self.results_, strict=True):
            shape, axis = tensor("operand", source.type).get_shape(), self.axis.value.data
            check_axis(axis, len(shape))
            check_elements(source.type, result.type)
            kept = (*shape[:axis], *shape[axis + 1 :])
            check(shape_of(result.type) == kept, f"the result has the shape {list(kept)}, got {result.type}")
        _check_combination(self.combineOp.block, self.srcs)


@irdl_op_definition
class ScanReturnOp(RegionReturnOp):
    """The combined values of a tt.scan."""

    name = "tt.scan.return"
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(ScanOp)))
    assembly_format = "$values attr-dict `:` type($values)"


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The partial folds along `axis`, from the front or, with `reverse`, from the back. Printed generic."""

    name = "tt.scan"
    srcs = var_operand_def()
    axis = prop_def(int_attr(32))
    reverse = prop_def(IntegerAttr.constr(i1))
    results_ = var_result_def()
    combineOp = region_def("single_block")
    traits = traits_def(Pure(), UsesScratch())

    def verify_(self) -> None:
        check([each.type for each in self.srcs] == list(self.result_types), "results have the types of the operands")
        for source in self.srcs:
            check_axis(self.axis.value.data, len(tensor("operand", source.type).get_shape()))
        _check_combination(self.combineOp.block, self.srcs)


def _check_combination(block: Block, sources: Sequence[SSAValue]) -> None:
    """Check that the region combines two elements of every source into one."""
    elements = [tensor("operand", source.type).element_type for source in sources]
    wanted, arguments = elements * 2, list(block.arg_types)
    check(len(arguments) == len(wanted), f"nested block must take {len(wanted)} arguments, but given {len(arguments)}")
    for number, (one, other) in enumerate(zip(arguments, wanted, strict=True)):
        check(one == other, f"argument {number} of the combine operation must have type {other}, got {one}")
    if isinstance(end := block.last_op, RegionReturnOp):
        returned = list(end.values.types)
        what = f"expected combine operation to return {len(elements)} values but got {len(returned)}"
        check(len(returned) == len(elements), what)
        for number, (one, other) in enumerate(zip(returned, elements, strict=True)):
            check(one == other, f"value {number} of the combine operation must have type {other}, got {one}")


@irdl_op_definition
class MapElementwiseReturnOp(RegionReturnOp):
    """The values of a tt.map_elementwise."""

    name = "tt.map_elementwise.return"
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(MapElementwiseOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"


@irdl_op_definition
class MapElementwiseOp(IRDLOperation):
    """Run the region, written for scalars, on `pack` elements at a time. Printed generic."""

    name = "tt.map_elementwise"
    srcs = var_operand_def()
    pack = prop_def(int_attr(32))
    results_ = var_result_def()
    scalarOp = region_def()
    traits = traits_def(RecursiveMemoryEffect())


REGION_OPS: tuple[type[Operation], ...] = (
    FuncOp,
    ReturnOp,
    CallOp,
    ReduceOp,
    ReduceReturnOp,
    ScanOp,
    ScanReturnOp,
    MapElementwiseOp,
    MapElementwiseReturnOp,
)
