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


def target(block: str, arguments: str) -> str:
    """The assembly format of a block to branch to, and of what is passed to it."""
    return f"${block} (`(` ${arguments}^ `:` type(${arguments}) `)`)?"


CONDITIONAL_BRANCH = (
    "$cond (`weights` `(` $branch_weights^ `)`)? `,` "
    f"{target('then_block', 'then_arguments')} `,` {target('else_block', 'else_arguments')} attr-dict"
)
"""The assembly format of `cf.cond_br`, and of `llvm.cond_br`."""


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
    assembly_format = CONDITIONAL_BRANCH


CF = extended(cf.Cf, (ConditionalBranchOp,))
