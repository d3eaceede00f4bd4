"""Dialect `gluon`: ops and encodings that Gluon's layout passes resolve."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, operand_def, result_def

from dotload.dialect_ext.constraints import OTHER, TYPE
from dotload.dialect_ext.struct_attr import BareStructAttr


@irdl_attr_definition
class AutoEncoding(BareStructAttr):
    """`#gluon.auto_encoding`: a layout yet to be inferred."""

    name = "gluon.auto_encoding"


@irdl_attr_definition
class CoalescedEncoding(BareStructAttr):
    """`#gluon.coalesced_encoding`: a layout, yet to be chosen, with coalesced accesses."""

    name = "gluon.coalesced_encoding"


@irdl_op_definition
class SetAutoLayoutOp(IRDLOperation):
    """Set an automatic layout to a chosen one."""

    name = "gluon.set_auto_layout"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"


GLUON = Dialect("gluon", [SetAutoLayoutOp], [AutoEncoding, CoalescedEncoding])
