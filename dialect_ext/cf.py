"""Dialect `cf`: xDSL's, with the weights of branches."""

from __future__ import annotations

from xdsl.dialects import cf
from xdsl.dialects.builtin import DenseArrayBase, i1, i32
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    successor_def,
    var_operand_def,
)

from dotload.dialect_ext.operations import OwnSyntax, extended

_TARGET = "$%s_block (`(` $%s_arguments^ `:` type($%s_arguments) `)`)?"


@irdl_op_definition
class ConditionalBranchOp(OwnSyntax, cf.ConditionalBranchOp):
    """`cf.cond_br %c weights([5, 10]), ^then(%x : i32), ^else`"""

    name = "cf.cond_br"
    cond = operand_def(i1)
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    then_block = successor_def()
    else_block = successor_def()
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    assembly_format = (
        "$cond (`weights` `(` $branch_weights^ `)`)? `,` "
        f"{_TARGET.replace('%s', 'then')} `,` {_TARGET.replace('%s', 'else')} attr-dict"
    )


CF = extended(cf.Cf, (ConditionalBranchOp,))
