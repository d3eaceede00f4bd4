"""Type rules of Triton's ops: types that follow from other types.

MLIR states them as `TypesMatchWith` traits. Here they are constraints over named variables, so that one rule both
verifies a type and infers it if the assembly does not write it:

    PTR = VarConstraint("PTR", AnyAttr())
    ptr = operand_def(PTR)
    result = result_def(Derived("PTR", pointee_type))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute
from xdsl.irdl import AnyAttr, AttrConstraint, BaseAttr, IntConstraint, VarConstraint
from xdsl.irdl.constraints import InferenceContext, VerificationContext
from xdsl.utils.exceptions import VerifyException

TYPE = VarConstraint("TYPE", AnyAttr())
PTR = VarConstraint("PTR", AnyAttr())
OTHER = VarConstraint("OTHER", AnyAttr())


@dataclass(frozen=True)
class Derived(AttrConstraint[Attribute]):
    """A type that is a function of the variable `source`; `function` raises ValueError where it is undefined."""

    source: str
    function: Callable[[Attribute], Attribute]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        source = constraint_context.get_variable(self.source)
        if source is None:  # bound later: the op's own verifier checks it then
            return
        expected = self._apply(source)
        if attr != expected:
            raise VerifyException(f"expected type {expected}, as follows from {source}, got {attr}")

    def _apply(self, source: Attribute) -> Attribute:
        try:
            return self.function(source)
        except ValueError as error:
            raise VerifyException(str(error)) from None

    def can_infer(self, var_constraint_names: Set[str]) -> bool:
        return self.source in var_constraint_names

    def infer(self, context: InferenceContext) -> Attribute:
        source = context.get_variable(self.source)
        assert source is not None
        return self._apply(source)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[Attribute]:
        return self


@dataclass(frozen=True)
class EnumConstraint(AttrConstraint[IntegerAttr]):
    """An integer with named values; `cases` maps the written name to the stored number."""

    enum: str
    cases: Mapping[str, int]
    type: IntegerType = i32

    def attr(self, name: str) -> IntegerAttr:
        """The attribute that stands for the case `name`."""
        return IntegerAttr(self.cases[name], self.type)

    def name_of(self, attr: IntegerAttr) -> str:
        """The case that `attr` stands for."""
        return next(name for name, number in self.cases.items() if number == attr.value.data)

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        integer = cast("IntegerAttr", attr) if isinstance(attr, IntegerAttr) else None
        if integer is None or integer.type != self.type or integer.value.data not in self.cases.values():
            raise VerifyException(f"{attr} is no {self.enum}, which is one of {', '.join(self.cases)}")

    def get_bases(self) -> set[type[Attribute]] | None:
        return {IntegerAttr}

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[IntegerAttr]:
        return self

    def __hash__(self) -> int:
        return hash(self.enum)


def int_attr(width: int) -> AttrConstraint[IntegerAttr]:
    """An integer attribute of this width, which the assembly writes without its type."""
    return IntegerAttr.constr(IntegerType(width))


def base(type_: type[Attribute]) -> AttrConstraint[Attribute]:
    """Any attribute of this class."""
    return BaseAttr(type_)
