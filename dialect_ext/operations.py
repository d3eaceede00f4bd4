"""Fast creation of operations, without xDSL's work for each; and xDSL dialects with replaced ops."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.ir import Attribute, Dialect, Operation, OpResult, SSAValue
from xdsl.ir.core import SSAValues
from xdsl.irdl import IRDLOperation, irdl_op_definition

from dotload.dialect_ext.typed import create

OperationT = TypeVar("OperationT", bound=Operation)


def assemble(
    op_type: type[OperationT],
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
    location: Attribute,
) -> OperationT:
    """An operation of exactly these parts, without regions and successors: `with_defaults` adds default properties.

    `Operation.create` spends most of its time on default values, successors and regions.
    """
    op = op_type.__new__(op_type)  # the fields not set below have a dataclass's defaults
    if operands:
        op.operands = operands
    op.results = SSAValues([OpResult(type_, op, index) for index, type_ in enumerate(result_types)])
    op.properties = dict(properties)
    op.attributes = dict(attributes)
    op.location = location  # pyright: ignore[reportAttributeAccessIssue]  # xDSL lists only its own kinds
    return op


def with_defaults(op_type: type[Operation], properties: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
    """The properties, completed with the defaults of this type of operation."""
    defaults = _defaults(op_type)
    return {**defaults, **properties} if defaults else properties


@functools.cache
def _defaults(op_type: type[Operation]) -> Mapping[str, Attribute]:
    model = create(op_type)
    assert not model.attributes, f"{op_type.name} has attributes by default, which nobody fills in"
    return model.properties


class OwnSyntax(IRDLOperation):
    """Base in front of an xDSL op: an assembly format may then replace the op's hand-written syntax."""

    parse = Operation.__dict__["parse"]  # the class method itself, not one bound to Operation
    print = Operation.print

    def verify_(self, verify_nested_ops: bool = True) -> None:
        """Nothing beyond the op's definition; the verifier of xDSL's op would look for its own fields."""


def extended(dialect: Dialect, ops: Sequence[type[Operation]], attributes: Sequence[type[Attribute]] = ()) -> Dialect:
    """An xDSL dialect with these ops, which replace its own of the same names, and with further attributes."""
    names = {op.name for op in ops}
    kept = (op for op in dialect.operations if op.name not in names)
    return Dialect(dialect.name, [*ops, *kept], [*dialect.attributes, *attributes])


def redefined(op_type: type[IRDLOperation], like: type[IRDLOperation], **members: object) -> type[IRDLOperation]:
    """An xDSL op with the syntax and the rules of `like`, and with further members."""
    own: dict[str, object] = {
        "__doc__": op_type.__doc__,
        "__module__": like.__module__,
        "__annotations__": {},
        "name": op_type.name,
    }
    return irdl_op_definition(type(op_type.__name__, (like, op_type), {**own, **members}))
