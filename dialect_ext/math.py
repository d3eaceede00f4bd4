"""Dialect `math`: xDSL's, with the ops that it lacks.

%c = math.isnan %x : f32
%y = math.clampf %x to [%low, %high] : f32
%sin, %cos = math.sincos %x : tensor<8xf32>
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from dotload.dialect_ext.arith import condition_type
from dotload.dialect_ext.constraints import TYPE, Derived
from dotload.dialect_ext.operations import extended

NO_FLAGS = arith.FastMathFlagsAttr("none")
_FLAGS = "(`fastmath` `` $fastmath^)?"


class FloatOp(IRDLOperation):
    """Base of ops on floats, with flags that relax their results."""

    fastmath = prop_def(arith.FastMathFlagsAttr, default_value=NO_FLAGS)
    traits = traits_def(Pure())


class Classification(FloatOp):
    """Base of the tests of a float's class. MLIR, too, writes their flags in the dictionary."""

    operand = operand_def(TYPE)
    result = result_def(Derived("TYPE", condition_type))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$operand attr-dict `:` type($operand)"


def _classification(name: str) -> type[IRDLOperation]:
    return irdl_op_definition(type("ClassificationOp", (Classification,), {"name": name, "__module__": __name__}))


CLASSIFICATIONS = tuple(_classification(f"math.{name}") for name in ("isnan", "isinf", "isfinite", "isnormal"))


@irdl_op_definition
class ErfcOp(FloatOp):
    """The complementary error function."""

    name = "math.erfc"
    operand = operand_def(TYPE)
    result = result_def(TYPE)
    assembly_format = f"$operand {_FLAGS} attr-dict `:` type($result)"


@irdl_op_definition
class ClampFOp(FloatOp):
    """A float, moved into a range."""

    name = "math.clampf"
    value = operand_def(TYPE)
    low = operand_def(TYPE)
    high = operand_def(TYPE)
    result = result_def(TYPE)
    assembly_format = f"$value `to` ` ` `[` $low `,` $high `]` {_FLAGS} attr-dict `:` type($result)"


@irdl_op_definition
class SincosOp(FloatOp):
    """Sine and cosine of a float."""

    name = "math.sincos"
    operand = operand_def(TYPE)
    sin = result_def(TYPE)
    cos = result_def(TYPE)
    assembly_format = f"$operand {_FLAGS} attr-dict `:` type($operand)"


MATH = extended(math.Math, (*CLASSIFICATIONS, ErfcOp, ClampFOp, SincosOp))
