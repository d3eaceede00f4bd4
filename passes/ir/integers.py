"""Evaluation of the integer ops of `arith`, on Python's integers, and elementwise on NumPy's 64-bit arrays.

Numbers are signed, with the width of their type; a truth value is 0 or 1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext.arith import INTEGER_PREDICATES
from dotload.dialect_ext.types import element_bits

Function = Callable[[Any, Any], Any]
MACHINE_BITS = 64


def _quotient(a: Any, b: Any) -> Any:
    return (abs(a) // abs(b)) * (1 - 2 * ((a < 0) != (b < 0)))


def _least(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) else np.minimum(a, b)


def _most(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) else np.maximum(a, b)


FUNCTIONS: dict[str, Function] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: a << b,
    "arith.shrsi": lambda a, b: a >> b,
    "arith.shrui": lambda a, b: a >> b,
    "arith.minsi": _least,
    "arith.minui": _least,
    "arith.maxsi": _most,
    "arith.maxui": _most,
    "arith.divsi": _quotient,
    "arith.divui": lambda a, b: a // b,
    "arith.remsi": lambda a, b: a - b * _quotient(a, b),
    "arith.remui": operator.mod,
}
OF_UNSIGNED = frozenset({"arith.shrui", "arith.minui", "arith.maxui", "arith.divui", "arith.remui"})
"""Ops whose operands are unsigned."""
COMPARISONS: dict[str, Function] = {
    **{"eq": operator.eq, "ne": operator.ne},
    **{"slt": operator.lt, "sle": operator.le, "sgt": operator.gt, "sge": operator.ge},
    **{"ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge},
}


def evaluated(name: str, a: Any, b: Any, width: int) -> Any:
    """The result of one of `FUNCTIONS` on numbers of this width; ZeroDivisionError for integers divided by 0.

    Elements of arrays that are divided by 0 are any number, without a warning: a kernel may never use them.
    """
    if name in OF_UNSIGNED:
        a, b = unsigned(a, width), unsigned(b, width)
    with np.errstate(divide="ignore", invalid="ignore"):
        return wrapped(FUNCTIONS[name](a, b), width)


def compared(predicate: int, a: Any, b: Any, width: int) -> Any:
    """Whether the predicate of arith.cmpi with this number holds."""
    name = INTEGER_PREDICATES[predicate]
    if name.startswith("u"):
        a, b = unsigned(a, width), unsigned(b, width)
    return COMPARISONS[name](a, b)


def result_of(op: Operation, a: int | None, b: int | None) -> int | None:
    """The result of arith.cmpi, or one of `FUNCTIONS`; None if a number is not known, and for a division by 0."""
    if a is None or b is None:
        return None
    width = width_of(op.operands[0].type)
    if isinstance(op, arith.CmpiOp):
        return int(compared(op.predicate.value.data, a, b, width))
    with suppress(ZeroDivisionError):
        return evaluated(op.name, a, b, width)
    return None


def unsigned(value: Any, width: int) -> Any:
    """A number's bits as an unsigned number."""
    return value % (1 << width) if isinstance(value, int) or width < MACHINE_BITS else value.astype(np.uint64)


def wrapped(value: Any, width: int) -> Any:
    """The low bits of a number, as a signed one of this width."""
    if width == 1:
        return value & 1
    if not isinstance(value, int) and width >= MACHINE_BITS:
        return value.astype(np.int64)
    half = 1 << (width - 1)
    return (value + half) % (2 * half) - half


def width_of(type_: Attribute) -> int:
    """The bits of an integer type, or of a tensor's elements; the largest width for an index or a pointer."""
    return MACHINE_BITS if isinstance(type_, IndexType) else element_bits(type_)
