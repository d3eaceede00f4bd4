"""The ops of dialect `tt` that compute: casts, shapes, arithmetic, dot products, program ids."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE, Derived, int_attr
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.shape_rules import (
    SameShape,
    check,
    check_broadcast,
    check_count,
    check_elements,
    check_permutation,
    check_shape,
    tensor,
)
from dotload.dialect_ext.traits import AnyLayout, Elementwise, PureIfMarked, UsesScratch
from dotload.dialect_ext.typed import as_integer, as_tensor, dims_of
from dotload.dialect_ext.types import element_bits, element_of, same_shape

IN_DICT = (ParsePropInAttrDict(),)


TRUE = IntegerAttr(-1, i1)


class CastOp(IRDLOperation):
    """One operand, one result of the same shape and encoding: `tt.x %src : type -> type`."""

    src = operand_def(TYPE)
    result = result_def(OTHER)

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[src], result_types=[result_type])


@irdl_op_definition
class IntToPtrOp(CastOp):
    """i64 to pointer."""

    name = "tt.int_to_ptr"
    traits = traits_def(Pure(), SameShape())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check(element_of(self.src.type) == i64, f"operand #0 must be i64, but got {self.src.type}")


@irdl_op_definition
class PtrToIntOp(CastOp):
    """Pointer to i64."""

    name = "tt.ptr_to_int"
    traits = traits_def(Pure(), SameShape())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class BitcastOp(CastOp):
    """A reinterpretation of the bits as another type, pointers included."""

    name = "tt.bitcast"
    traits = traits_def(Pure(), Elementwise(), SameShape())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        source, result = element_bits(self.src.type), element_bits(self.result.type)
        if source != result:
            raise VerifyException(f"Cannot bitcast data-type of size {source} to {result}")


@irdl_op_definition
class SplatOp(CastOp):
    """A tensor with a scalar in every element."""

    name = "tt.splat"
    traits = traits_def(Pure(), AnyLayout())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check(as_tensor(self.src.type) is None, f"operand #0 must be a scalar, but got {self.src.type}")
        check_elements(self.src.type, tensor("result #0", self.result.type))


@irdl_op_definition
class BroadcastOp(CastOp):
    """Dims of size 1 repeated up to the result's size."""

    name = "tt.broadcast"
    traits = traits_def(Pure(), AnyLayout())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check_elements(self.src.type, self.result.type)
        check_broadcast(self.src.type, self.result.type)


@irdl_op_definition
class UnsplatOp(IRDLOperation):
    """The only element of a tensor."""

    name = "tt.unsplat"
    src = operand_def(TYPE)
    result = result_def(Derived("TYPE", element_of))
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src)"


@irdl_op_definition
class ExpandDimsOp(IRDLOperation):
    """A new dim of size 1 at `axis`; undoes what `#ttg.slice` leaves out."""

    name = "tt.expand_dims"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    axis = prop_def(int_attr(32))
    irdl_options = IN_DICT
    traits = traits_def(Pure(), AnyLayout())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, axis: int, result_type: Attribute):
        super().__init__(operands=[src], result_types=[result_type], properties={"axis": IntegerAttr(axis, i32)})

    def verify_(self) -> None:
        shape, axis = tensor("operand #0", self.src.type).get_shape(), self.axis.value.data
        check(0 <= axis <= len(shape), f"axis {axis} out of range [0, {len(shape)}]")
        check_elements(self.src.type, self.result.type)
        check_shape(self.result.type, (*shape[:axis], 1, *shape[axis:]))


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The same elements in another shape; with `allow_reorder`, in any order."""

    name = "tt.reshape"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict "
        "`:` type($src) `->` type($result)"
    )

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[src], result_types=[result_type])

    def verify_(self) -> None:
        check_elements(self.src.type, self.result.type)
        check_count(self.src.type, self.result.type)


@irdl_op_definition
class TransOp(IRDLOperation):
    """Dims permuted: result dim i is source dim order[i]."""

    name = "tt.trans"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    order = prop_def(DenseArrayBase)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, order: Sequence[int], result_type: Attribute):
        super().__init__(
            operands=[src],
            result_types=[result_type],
            properties={"order": DenseArrayBase.from_list(i32, list(order))},
        )

    def verify_(self) -> None:
        shape, order = tensor("operand #0", self.src.type).get_shape(), dims_of(self.order)
        check_permutation(order, len(shape))
        check_elements(self.src.type, self.result.type)
        check_shape(self.result.type, [shape[dim] for dim in order])


EXCHANGED = (1, 0)
"""The order of dims in the transpose of a matrix."""


def is_transpose(op: object) -> bool:
    """Whether an op transposes a matrix."""
    return isinstance(op, TransOp) and dims_of(op.order) == EXCHANGED


@irdl_op_definition
class CatOp(IRDLOperation):
    """Two tensors one after the other, in unspecified order."""

    name = "tt.cat"
    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def verify_(self) -> None:
        check_elements(self.lhs.type, self.result.type)
        check_count(self.lhs.type, self.result.type, factor=2)


@irdl_op_definition
class JoinOp(IRDLOperation):
    """Two tensors along a new minor dim of size 2."""

    name = "tt.join"
    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[lhs, rhs], result_types=[result_type])

    def verify_(self) -> None:
        check_elements(self.lhs.type, self.result.type)
        check_shape(self.result.type, (*tensor("operand #0", self.lhs.type).get_shape(), 2))


@irdl_op_definition
class SplitOp(IRDLOperation):
    """The halves of a tensor whose minor dim has size 2: undoes tt.join."""

    name = "tt.split"
    src = operand_def(TYPE)
    outLHS = result_def(OTHER)
    outRHS = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($outLHS)"

    def __init__(self, src: SSAValue | Operation, half: Attribute):
        super().__init__(operands=[src], result_types=[half, half])

    def verify_(self) -> None:
        *shape, last = tensor("operand #0", self.src.type).get_shape() or (0,)
        check(last == 2, f"the last dimension of the input tensor must be 2, got {last}")
        check_elements(self.src.type, self.outLHS.type)
        check_shape(self.outLHS.type, shape)


@irdl_op_definition
class FpToFpOp(IRDLOperation):
    """Conversion between float types that arith does not have (fp8), or with a rounding mode."""

    name = "tt.fp_to_fp"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    rounding = opt_prop_def(enums.ROUNDING)
    irdl_options = IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(Pure(), Elementwise(), SameShape())
    assembly_format = "$src attr-dict (`,` `rounding` `=` custom<Enum>($rounding)^)? `:` type($src) `->` type($result)"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """min(max(x, min), max)"""

    name = "tt.clampf"
    x = operand_def(TYPE)
    min = operand_def(TYPE)
    max = operand_def(TYPE)
    propagateNan = prop_def(enums.PROPAGATE_NAN)
    result = result_def(TYPE)
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = (
        "$x `,` $min `,` $max `,` `propagateNan` `=` custom<Enum>($propagateNan) attr-dict `:` type($result)"
    )


@irdl_op_definition
class PreciseSqrtOp(IRDLOperation):
    """Square root, correctly rounded."""

    name = "tt.precise_sqrt"
    x = operand_def(TYPE)
    result = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($x)"


class BinaryOp(IRDLOperation):
    """Two operands and a result of one type."""

    x = operand_def(TYPE)
    y = operand_def(TYPE)
    result = result_def(TYPE)


@irdl_op_definition
class PreciseDivFOp(BinaryOp):
    """Division, correctly rounded."""

    name = "tt.precise_divf"
    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` type($x)"


@irdl_op_definition
class ApproxDivFOp(BinaryOp):
    """Division of f32 to about 2 ulp."""

    name = "tt.approx_divf"
    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` type($x)"


@irdl_op_definition
class MulhiUIOp(BinaryOp):
    """The upper half of the product of two unsigned integers."""

    name = "tt.mulhiui"
    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` type($x)"


@irdl_op_definition
class DotOp(IRDLOperation):
    """d = a b + c on the matrix units; 8- and 16-bit operands, f32 as tf32 or in several passes."""

    name = "tt.dot"
    a = operand_def(AnyAttr())
    b = operand_def(AnyAttr())
    c = operand_def(TYPE)
    d = result_def(TYPE)
    inputPrecision = prop_def(enums.INPUT_PRECISION, default_value=IntegerAttr(2, i32))
    maxNumImpreciseAcc = prop_def(int_attr(32), default_value=IntegerAttr(0, i32))
    irdl_options = IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $c (`,` `inputPrecision` `=` custom<Enum>($inputPrecision)^)? attr-dict "
        "`:` type($a) `*` type($b) `->` type($d)"
    )

    def verify_(self) -> None:
        a, b, d = as_tensor(self.a.type), as_tensor(self.b.type), as_tensor(self.d.type)
        if a is None or b is None or d is None:
            raise VerifyException("operands of tt.dot must be ranked tensors")
        if not 2 <= len(a.get_shape()) == len(b.get_shape()) == len(d.get_shape()) <= 3:
            raise VerifyException(f"expected operands and result to be 2d or 3d, got {a}, {b} and {d}")
        if element_bits(a) != element_bits(b):
            raise VerifyException(f"element types of operands A and B must have same bit width, got {a} and {b}")
        if a.get_shape()[-1] != b.get_shape()[-2]:
            raise VerifyException(
                f"expected the last dimension of the first operand ({a.get_shape()[-1]}) to equal the "
                f"second-to-last dimension of the second operand ({b.get_shape()[-2]})"
            )
        if not a.get_shape()[:-2] == b.get_shape()[:-2] == d.get_shape()[:-2]:
            raise VerifyException(f"expected the first dimension of operands and result to agree, got {a}, {b} and {d}")
        if d.get_shape()[-2:] != (a.get_shape()[-2], b.get_shape()[-1]):
            raise VerifyException(f"{a} times {b} does not have the shape of {d}")


@irdl_op_definition
class MakeRangeOp(IRDLOperation):
    """start, start + 1, ..., end - 1"""

    name = "tt.make_range"
    start = prop_def(int_attr(32))
    end = prop_def(int_attr(32))
    result = result_def(TYPE)
    irdl_options = IN_DICT
    traits = traits_def(Pure(), AnyLayout())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, start: int, end: int, result_type: Attribute):
        properties = {"start": IntegerAttr(start, i32), "end": IntegerAttr(end, i32)}
        super().__init__(result_types=[result_type], properties=properties)

    def verify_(self) -> None:
        start, end = self.start.value.data, self.end.value.data
        check(start < end, f"start must be less than end, got {start} and {end}")
        check(
            as_integer(element_of(self.result.type)) is not None, f"result #0 must be integers, got {self.result.type}"
        )
        check_shape(self.result.type, [end - start])


class ProgramOp(IRDLOperation):
    """A number of the launch grid, along `axis`."""

    axis = prop_def(enums.PROGRAM_DIM)
    result = result_def(TYPE)


@irdl_op_definition
class GetProgramIdOp(ProgramOp):
    """Index of this program in the grid."""

    name = "tt.get_program_id"
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = "custom<Enum>($axis) attr-dict `:` type($result)"


@irdl_op_definition
class GetNumProgramsOp(ProgramOp):
    """Size of the grid."""

    name = "tt.get_num_programs"
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = "custom<Enum>($axis) attr-dict `:` type($result)"


@irdl_op_definition
class DotScaledOp(IRDLOperation):
    """d = (a * a_scale) (b * b_scale) + c, the scales shared by 32 (or 16) elements along k."""

    name = "tt.dot_scaled"
    a = operand_def(AnyAttr())
    b = operand_def(AnyAttr())
    c = operand_def(TYPE)
    a_scale = opt_operand_def()
    b_scale = opt_operand_def()
    a_elem_type = prop_def(enums.SCALE_ELEM_TYPE)
    b_elem_type = prop_def(enums.SCALE_ELEM_TYPE)
    fastMath = prop_def(IntegerAttr.constr(i1))
    lhs_k_pack = prop_def(IntegerAttr.constr(i1), default_value=TRUE)
    rhs_k_pack = prop_def(IntegerAttr.constr(i1), default_value=TRUE)
    d = result_def(TYPE)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = (
        "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c "
        "`lhs` `=` custom<Enum>($a_elem_type) `rhs` `=` custom<Enum>($b_elem_type) attr-dict "
        "`:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)"
    )


@irdl_op_definition
class ExternElementwiseOp(IRDLOperation):
    """A function of a device library applied to each element."""

    name = "tt.extern_elementwise"
    srcs = var_operand_def()
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    symbol = prop_def(StringAttr)
    pure = prop_def(IntegerAttr.constr(i1))
    result = result_def()
    irdl_options = IN_DICT
    traits = traits_def(PureIfMarked())
    assembly_format = "operands attr-dict `:` functional-type(operands, $result)"


@irdl_op_definition
class ElementwiseInlineAsmOp(IRDLOperation):
    """Assembly applied to `packed_element` elements at a time."""

    name = "tt.elementwise_inline_asm"
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    pure = prop_def(IntegerAttr.constr(i1))
    packed_element = prop_def(int_attr(32))
    args = var_operand_def()
    result = var_result_def()
    irdl_options = IN_DICT
    traits = traits_def(PureIfMarked())
    assembly_format = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)"

    def __init__(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        packed_elements: int = 1,
        *,
        is_pure: bool = True,
    ):
        """Apply `asm` to `packed_elements` of each argument at a time; `is_pure`: it has no side effects."""
        properties = {
            "asm_string": StringAttr(asm),
            "constraints": StringAttr(constraints),
            "pure": IntegerAttr(-1 if is_pure else 0, i1),
            "packed_element": IntegerAttr(packed_elements, i32),
        }
        super().__init__(operands=[args], result_types=[list(result_types)], properties=properties)


@irdl_op_definition
class HistogramOp(IRDLOperation):
    """The number of occurrences of each value 0, 1, ..."""

    name = "tt.histogram"
    src = operand_def(TYPE)
    mask = opt_operand_def(Derived("TYPE", lambda source: same_shape(source, i1)))
    result = result_def(OTHER)
    traits = traits_def(Pure(), UsesScratch())
    assembly_format = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Elements of `src` at `indices` along `axis`."""

    name = "tt.gather"
    src = operand_def()
    indices = operand_def()
    axis = prop_def(int_attr(32))
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def()
    irdl_options = IN_DICT
    traits = traits_def(Pure(), UsesScratch())
    assembly_format = "$src `[` $indices `]` attr-dict `:` functional-type(operands, $result)"


@irdl_op_definition
class PrintOp(IRDLOperation):
    """printf from the device."""

    name = "tt.print"
    prefix = prop_def(StringAttr)
    hex = prop_def(IntegerAttr.constr(i1))
    args = var_operand_def()
    isSigned = prop_def(DenseArrayBase)
    irdl_options = IN_DICT
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$prefix attr-dict (`:` $args^ `:` type($args))?"


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Stop with a message unless the condition holds everywhere."""

    name = "tt.assert"
    condition = operand_def(TYPE)
    message = prop_def(StringAttr)
    irdl_options = IN_DICT
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"


COMPUTE_OPS: tuple[type[Operation], ...] = (
    IntToPtrOp,
    PtrToIntOp,
    BitcastOp,
    SplatOp,
    BroadcastOp,
    UnsplatOp,
    ExpandDimsOp,
    ReshapeOp,
    TransOp,
    CatOp,
    JoinOp,
    SplitOp,
    FpToFpOp,
    ClampFOp,
    PreciseSqrtOp,
    PreciseDivFOp,
    ApproxDivFOp,
    MulhiUIOp,
    DotOp,
    DotScaledOp,
    MakeRangeOp,
    GetProgramIdOp,
    GetNumProgramsOp,
    ExternElementwiseOp,
    ElementwiseInlineAsmOp,
    HistogramOp,
    GatherOp,
    PrintOp,
    AssertOp,
)
