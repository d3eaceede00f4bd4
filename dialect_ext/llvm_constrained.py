"""Floating point with an explicit rounding mode: LLVM's constrained intrinsics, in MLIR's syntax.

    %r = llvm.intr.experimental.constrained.fptrunc %a towardzero ignore : f32 to f16
    %r = llvm.intr.experimental.constrained.fadd %a, %b upward strict : f32

The first word is the rounding mode (not for `fpext`, which is exact), the second the exception behaviour. MLIR does not
check the types; here, types that LLVM rejects are an error.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, TYPE
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.typed import as_vector

_PREFIX = "llvm.intr.experimental.constrained."
_BEHAVIOR = "custom<Enum>($fpExceptionBehavior) attr-dict `:` "
_ROUNDED = "custom<Enum>($roundingmode) " + _BEHAVIOR
_CAST = "type($arg) `to` type($res)"
_INTEGERS = ("sitofp", "uitofp")


class Constrained(IRDLOperation):
    """Base of the constrained intrinsics: a conversion, a sum, a product and so on, of scalars or vectors."""

    fpExceptionBehavior = prop_def(enums.FP_EXCEPTIONS)

    def verify_(self) -> None:
        takes_integers = self.name.removeprefix(_PREFIX) in _INTEGERS
        _check("operand #0", self.operands[0].type, of_integers=takes_integers)
        _check("result #0", self.results[0].type, of_integers=False)


def _check(what: str, type_: Attribute, *, of_integers: bool) -> None:
    vector = as_vector(type_)
    element = type_ if vector is None else vector.element_type
    if not isinstance(element, IntegerType if of_integers else AnyFloat):
        kind = "an integer" if of_integers else "a float"
        raise VerifyException(f"{what} must be {kind} or a vector of them, but got '{type_}'")


@irdl_op_definition
class ConstrainedFPExtOp(Constrained):
    """Conversion to a wider float."""

    name = f"{_PREFIX}fpext"
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = f"$arg {_BEHAVIOR}{_CAST}"


class Rounded(Constrained):
    """Base of the intrinsics with a rounding mode."""

    roundingmode = prop_def(enums.LLVM_ROUNDING)
    custom_directives = (Enum,)
    traits = traits_def(Pure())


@irdl_op_definition
class ConstrainedFPTruncOp(Rounded):
    """Conversion to a narrower float."""

    name = f"{_PREFIX}fptrunc"
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    assembly_format = f"$arg {_ROUNDED}{_CAST}"

    def __init__(self, arg: SSAValue | Operation, result: Attribute, rounding: str):
        properties = {
            "roundingmode": enums.LLVM_ROUNDING.attr(rounding),
            "fpExceptionBehavior": enums.FP_EXCEPTIONS.attr("ignore"),
        }
        super().__init__(operands=[arg], result_types=[result], properties=properties)


@irdl_op_definition
class ConstrainedSIToFPOp(Rounded):
    """Conversion of a signed integer."""

    name = f"{_PREFIX}sitofp"
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    assembly_format = f"$arg {_ROUNDED}{_CAST}"


@irdl_op_definition
class ConstrainedUIToFPOp(Rounded):
    """Conversion of an unsigned integer."""

    name = f"{_PREFIX}uitofp"
    arg = operand_def(TYPE)
    res = result_def(OTHER)
    assembly_format = f"$arg {_ROUNDED}{_CAST}"


class OfTwo(Rounded):
    """Base of the intrinsics of two floats."""

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    res = result_def(TYPE)
    assembly_format = f"$lhs `,` $rhs {_ROUNDED}type($res)"


class OfThree(Rounded):
    """a * b + c"""

    a = operand_def(TYPE)
    b = operand_def(TYPE)
    c = operand_def(TYPE)
    res = result_def(TYPE)
    assembly_format = f"$a `,` $b `,` $c {_ROUNDED}type($res)"


def _named(kind: type[Rounded], intrinsic: str) -> type[Rounded]:
    made = {"name": _PREFIX + intrinsic, "__module__": __name__, "__doc__": kind.__doc__}
    return irdl_op_definition(type(f"Constrained{intrinsic}Op", (kind,), made))


CONSTRAINED = (
    *(ConstrainedFPExtOp, ConstrainedFPTruncOp, ConstrainedSIToFPOp, ConstrainedUIToFPOp),
    *(_named(OfTwo, name) for name in ("fadd", "fsub", "fmul", "fdiv", "frem")),
    *(_named(OfThree, name) for name in ("fma", "fmuladd")),
)
