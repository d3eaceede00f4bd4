"""`llvm.func` and `llvm.call` with the parts that xDSL lacks: attributes of parameters and of effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import Self
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    opt_result_def,
    param_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface

from dotload.dialect_ext.declarations import (
    NO_ATTRIBUTES,
    all_attributes,
    declared_attributes,
    print_types,
    type_and_attributes,
)
from dotload.dialect_ext.llvm_bundles import NO_SIZES, check_bundles, parse_bundles, print_bundles
from dotload.dialect_ext.typed import create


@irdl_attr_definition
class MemoryEffectsAttr(ParametrizedAttribute):
    """`#llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none>`: the memory effects of a function.

    Versions of LLVM differ in their kinds of memory; each requires all of its kinds.
    """

    name = "llvm.memory_effects"

    effects: DictionaryAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        pairs = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: _effect(parser))
        return (DictionaryAttr(dict(pairs)),)

    def print_parameters(self, printer: Printer) -> None:
        pairs = (f"{name} = {cast('StringAttr', how).data}" for name, how in self.effects.data.items())
        printer.print_string(f"<{', '.join(pairs)}>")


def _effect(parser: AttrParser) -> tuple[str, Attribute]:
    memory = parser.parse_identifier()
    parser.parse_punctuation("=")
    return memory, StringAttr(parser.parse_identifier())


@irdl_op_definition
class FuncOp(llvm.FuncOp):
    """`llvm.func spir_funccc @f(!llvm.ptr<1> {llvm.nonnull}) attributes {convergent, no_unwind, will_return}`"""

    name = "llvm.func"
    body = region_def()
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(llvm.LLVMFunctionType)
    CConv = prop_def(llvm.CallingConventionAttr)
    linkage = prop_def(llvm.LinkageAttr)
    sym_visibility = opt_prop_def(StringAttr)
    visibility_ = prop_def(IntegerAttr[IntegerType], default_value=IntegerAttr(0, 64))
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    frame_pointer = opt_prop_def(llvm.FramePointerKindAttr)
    no_inline = opt_prop_def(UnitAttr)
    no_unwind = opt_prop_def(UnitAttr)
    optimize_none = opt_prop_def(UnitAttr)
    passthrough = opt_prop_def(ArrayAttr[Attribute])
    target_cpu = opt_prop_def(StringAttr)
    target_features = opt_prop_def(llvm.TargetFeaturesAttr)
    tune_cpu = opt_prop_def(StringAttr)
    unnamed_addr = opt_prop_def(IntegerAttr)
    # What xDSL's lacks.
    convergent = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    memory_effects = opt_prop_def(Attribute)
    intel_reqd_sub_group_size = opt_prop_def(IntegerAttr)
    reqd_work_group_size = opt_prop_def(DenseArrayBase)
    traits = traits_def(SymbolOpInterface())

    def verify_(self, verify_nested_ops: bool = True) -> None:
        """Nothing beyond the definition above; xDSL's would look for its own."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        plain = super().parse(parser)
        if not plain.body.blocks and plain.function_type.inputs.data:
            plain.arg_attrs = declared_attributes(parser, start)
        return create(
            cls,
            properties=plain.properties,
            attributes=plain.attributes,
            regions=[plain.detach_region(region) for region in plain.regions],
        )

    def print(self, printer: Printer) -> None:
        if self.body.blocks or self.arg_attrs is None:
            super().print(printer)
            return
        # A declaration: xDSL prints its parameters without their attributes.
        convention = self.CConv.cconv_name
        printer.print_string(" " if convention == "ccc" else f" {convention} ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            print_types(printer, self.function_type.inputs.data, self.arg_attrs)
            printer.print_string(", ..." if self.function_type.is_variadic else "")
        if not isinstance(self.function_type.output, llvm.LLVMVoidType):
            printer.print_string(" -> ")
            printer.print_attribute(self.function_type.output)
        printer.print_op_attributes(
            self.attributes | self.properties, reserved_attr_names=_FUNCTION_SYNTAX, print_keyword=True
        )


@irdl_op_definition
class CallOp(llvm.CallOp):
    """`%r = llvm.call spir_funccc @f(%p) {no_unwind} : (!llvm.ptr<1> {llvm.nonnull}) -> i32`"""

    name = "llvm.call"
    args = var_operand_def()
    op_bundle_operands = var_operand_def()
    callee = opt_prop_def(SymbolRefAttr)
    var_callee_type = opt_prop_def(llvm.LLVMFunctionType)
    fastmathFlags = prop_def(llvm.FastMathAttr, default_value=llvm.FastMathAttr("none"))
    CConv = prop_def(llvm.CallingConventionAttr, default_value=llvm.CallingConventionAttr("ccc"))
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    op_bundle_tags = opt_prop_def(ArrayAttr[StringAttr])
    TailCallKind = prop_def(llvm.TailCallKindAttr, default_value=llvm.TailCallKindAttr(llvm.TailCallKind.NONE))
    # What xDSL's lacks.
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    convergent = opt_prop_def(UnitAttr)
    no_unwind = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    memory_effects = opt_prop_def(Attribute)
    returned = opt_result_def()
    traits = traits_def(llvm.CallOpSymbolUserOpInterface())

    def verify_(self) -> None:
        check_bundles(self.op_bundle_sizes, self.op_bundle_tags, self.op_bundle_operands)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        conventions = llvm.LLVM_CALLING_CONVS - {"ccc"}
        convention = parser.parse_optional_keyword_in(conventions) or "ccc"
        kinds = {kind.value for kind in llvm.TailCallKind if kind != llvm.TailCallKind.NONE}
        tail = parser.parse_optional_keyword_in(kinds)
        callee = parser.parse_optional_symbol_name()
        pointer = None if callee else parser.parse_unresolved_operand()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        variadic: Attribute | None = None
        if parser.parse_optional_keyword("vararg"):
            with parser.in_parens():
                variadic = parser.parse_type()
        bundles = parse_bundles(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types: list[Attribute] = []
        if pointer is not None:
            types.append(parser.parse_type())
            parser.parse_punctuation(",")
        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: type_and_attributes(parser))
        parser.parse_punctuation("->")
        outputs = _results(parser)
        operands: list[UnresolvedOperand] = [*([pointer] if pointer else []), *arguments]
        types += [type_ for type_, _ in inputs]
        properties: dict[str, Attribute | None] = {
            "callee": None if callee is None else SymbolRefAttr(callee),
            "var_callee_type": variadic,
            "fastmathFlags": attributes.pop("fastmathFlags", llvm.FastMathAttr("none")),
            "CConv": llvm.CallingConventionAttr(convention),
            "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind(tail) if tail else llvm.TailCallKind.NONE),
            **bundles.properties(),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(operands), len(bundles.flat)]),
            "arg_attrs": all_attributes([attrs for _, attrs in inputs]),
            "res_attrs": all_attributes([attrs for _, attrs in outputs]),
        }
        return create(
            cls,
            operands=[*parser.resolve_operands(operands, types, parser.pos), *bundles.flat],
            result_types=[type_ for type_, _ in outputs],
            properties={name: value for name, value in properties.items() if value is not None},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        tail = self.TailCallKind.data
        convention = self.CConv.cconv_name
        printer.print_string("" if convention == "ccc" else f" {convention}")
        printer.print_string("" if tail == llvm.TailCallKind.NONE else f" {tail.value}")
        printer.print_string(" ")
        pointers = self.args[: self.callee is None]
        arguments = self.args[len(pointers) :]
        if self.callee is None:
            printer.print_ssa_value(pointers[0])
        else:
            printer.print_attribute(self.callee)
        with printer.in_parens():
            printer.print_list(arguments, printer.print_ssa_value)
        if self.var_callee_type is not None:
            printer.print_string(" vararg(")
            printer.print_attribute(self.var_callee_type)
            printer.print_string(")")
        print_bundles(printer, self.op_bundle_sizes, self.op_bundle_tags, self.op_bundle_operands)
        self._print_types(printer, [value.type for value in pointers], [value.type for value in arguments])

    def _print_types(self, printer: Printer, pointers: Sequence[Attribute], arguments: Sequence[Attribute]) -> None:
        plain = {name for name in _CALL_SYNTAX if name != "fastmathFlags" or self.fastmathFlags == _NO_FLAGS}
        printer.print_op_attributes(self.properties | self.attributes, reserved_attr_names=plain)
        printer.print_string(" : ")
        for pointer in pointers:
            printer.print_attribute(pointer)
            printer.print_string(", ")
        with printer.in_parens():
            print_types(printer, arguments, self.arg_attrs)
        printer.print_string(" -> ")
        if self.returned is not None and self.res_attrs is None:
            printer.print_attribute(self.returned.type)
            return
        with printer.in_parens():
            print_types(printer, self.result_types, self.res_attrs)


# Properties of a function that its syntax shows outside the dictionary.
_FUNCTION_SYNTAX = (
    *("sym_name", "function_type", "arg_attrs", "res_attrs", "linkage", "CConv", "visibility_", "unnamed_addr"),
)
_NO_FLAGS = llvm.FastMathAttr("none")
# Properties of a call that its syntax shows outside the dictionary.
_CALL_SYNTAX = (
    *("callee", "var_callee_type", "CConv", "TailCallKind", "operandSegmentSizes"),
    *("op_bundle_sizes", "op_bundle_tags"),
    *("arg_attrs", "res_attrs", "fastmathFlags"),
)


def _results(parser: Parser) -> list[tuple[Attribute, DictionaryAttr]]:
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, lambda: type_and_attributes(parser))
    return [(parser.parse_type(), NO_ATTRIBUTES)] if found is None else found
