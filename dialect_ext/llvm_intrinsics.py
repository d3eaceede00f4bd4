"""LLVM's arithmetic intrinsics that xDSL lacks, in MLIR's syntax.

    %r = llvm.intr.trunc(%a) : (f32) -> f32
    %r = llvm.intr.smin(%a, %b) : (i32, i32) -> i32
    %r = "llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i32) -> i32

Intrinsics with a flag have no custom syntax in MLIR either.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from dotload.dialect_ext.constraints import TYPE

_PREFIX = "llvm.intr."
_UNARY = ("trunc", "round", "roundeven", "sinh", "cosh", "ctpop")
_BINARY = ("maximum", "minimum", "smax", "smin", "umax", "umin")
# Name -> its flag: whether the case that the flag names gives poison.
_FLAGGED = {"abs": "is_int_min_poison", "ctlz": "is_zero_poison", "cttz": "is_zero_poison"}


class Intrinsic(IRDLOperation):
    """Base of the intrinsics: operands and a result of one type."""

    arg = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())


class BinaryIntrinsic(IRDLOperation):
    """An intrinsic of two operands."""

    lhs = operand_def(TYPE)
    rhs = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())


def _defined(base: type[IRDLOperation], name: str, **more: Any) -> type[IRDLOperation]:
    namespace: dict[str, Any] = {"__doc__": base.__doc__, "__module__": __name__, "name": _PREFIX + name, **more}
    return irdl_op_definition(type(f"{name.capitalize()}Op", (base,), namespace))


_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, $res)"

INTRINSICS: tuple[type[IRDLOperation], ...] = (
    *(_defined(Intrinsic, name, assembly_format=_FORMAT) for name in _UNARY),
    *(_defined(BinaryIntrinsic, name, assembly_format=_FORMAT) for name in _BINARY),
    *(_defined(Intrinsic, name, **{flag: prop_def(BoolAttr.constr(i1))}) for name, flag in _FLAGGED.items()),
)
