"""`reassociate-scales`: multiply the scales of a dot's result by each other first.

    %x = arith.mulf %dot, %rows          64 multiplications a thread        %s = arith.mulf %rows, %number     2
    %y = arith.mulf %x, %number          64 more                            %y = arith.mulf %dot, %s           64

fp8 with block scales has a scale for each row of A, and one for all columns of a tile of B. Their product is one number
per row. After the wait for the dot, each instruction counts, since tensor cores idle there.

Both orders round twice. Results differ in their last bits, but not in their error. In f16 they might: the product of
two small scales is not a normal number there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.passes.analysis.constancy import is_constant_along, loads_one_number
from dotload.passes.analysis.softmax import SPREADING
from dotload.passes.ir.def_use import behind, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.pipelined_loops.reads import staged_reads
from dotload.passes.pipelined_loops.scaled_results import in_order, scales_bytes_late
from dotload.passes.rewriting import LoopPass


@dataclass(frozen=True)
class Scaled:
    """A dot's result, which `products` multiply by `factors` in sequence."""

    result: SSAValue
    factors: tuple[SSAValue, ...]
    products: tuple[arith.MulfOp, ...]


# Candidates


def find_scaled(loop: scf.ForOp) -> Iterator[Scaled]:
    """The results of the loop's dots that are multiplied several times, by factors with fewer elements."""
    for wait in of_kind(loop.body.block.ops, WarpGroupDotWaitOp):
        for result in wait.outputs:
            scaled = scaled_by(in_order(result), loop.body.block)
            if len(scaled.factors) > 1 and tensor_type(scaled.result).element_type == f32:
                yield scaled


def scaled_by(result: SSAValue, block: Block) -> Scaled:
    """The first factors whose product is constant along a dim; from products in the loop's own block."""
    factors, products, dims = list[SSAValue](), list[arith.MulfOp](), set[int]()
    value = result
    while isinstance(product := only_user(value), arith.MulfOp) and product.parent_block() is block:
        factor = product.rhs if product.lhs is value else product.lhs
        dims |= dims_of_change(factor)
        if len(dims) == rank_of(result):
            break
        factors.append(factor)
        products.append(product)
        value = product.result
    return Scaled(result, tuple(factors), tuple(products))


def dims_of_change(value: SSAValue) -> set[int]:
    """The dims along which elements of the value differ, as far as is known."""
    source = behind(value, SPREADING).owner
    if isinstance(source, LoadOp) and loads_one_number(source):
        return set()
    return {dim for dim in range(rank_of(value)) if not is_constant_along(value, (dim,))}


def rank_of(value: SSAValue) -> int:
    """The rank of a tensor."""
    return len(tensor_type(value).get_shape())


# Emit


def emit(scaled: Scaled) -> None:
    """Multiply the factors, then the result by their product."""
    *others, last = scaled.products
    scale, emitter = scaled.factors[0], Emitter.before(last)
    for factor in scaled.factors[1:]:
        scale = emitter.insert(arith.MulfOp(scale, factor, last.fastmath))
    last.operands = [scaled.result, scale]
    for product in reversed(others):
        Rewriter.erase_op(product)


@dataclass(frozen=True)
class ReassociateScalesPass(LoopPass):
    """Multiply the scales of a dot's result by each other first."""

    name = "reassociate-scales"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        if not staged_reads(loop.body.block.ops) and not scales_bytes_late(loop):
            return False
        found = list(find_scaled(loop))
        for scaled in found:
            self.passed(scaled.products[-1], "the scales are multiplied by each other first")
            emit(scaled)
        return bool(found)
