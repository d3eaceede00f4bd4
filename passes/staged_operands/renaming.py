"""Products that a loop goes on with: where their rows may be renamed all the same.

    %part = ttng.warp_group_dot %a, %b, %zero         its rows renamed, as A comes through registers
    %named = tt.reshape, tt.trans of %part            names them back; nothing is moved
    %old = ttg.convert_layout %named                  to the layout that it had
    %sum = arith.addf %acc, (arith.mulf %old, %scale)

Triton's `tritongpu-remove-layout-conversions` takes the layout of %named for all that follows, so that nothing is moved
there either, if it can have %scale and the start of %acc in that layout as well. Where it cannot, it moves a whole tile
in each iteration; so what it can is asked here before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import BitcastOp, FpToFpOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.passes.staged_operands.loops import ACCUMULATOR, WARP_LANES
from dotload.passes.typed import as_tensor, tensor_type

COMPUTED_ANEW = frozenset("tt.addptr tt.broadcast tt.expand_dims tt.make_range tt.splat ttg.convert_layout".split())
"""Ops, besides those that are computed element by element, that Triton can compute in another layout again."""


def is_partial(product: Operation) -> bool:
    """Whether the product starts from a constant in each iteration of its loop, and may be renamed where it is made.

    All that becomes of it is to be computed element by element, with values that can be had in any layout.
    """
    loop = product.parent_op()
    if not isinstance(loop, scf.ForOp) or not isinstance(product.operands[ACCUMULATOR].owner, arith.ConstantOp):
        return False
    made = made_by_elements(product.results, loop)
    if made is None:
        return False
    met = {other for value in made for other in sources_of(value)} - {*made, *product.operands}
    return all(comes_in_any_layout(value, threads_of(product)) for value in met)


def made_by_elements(values: Iterable[SSAValue], loop: scf.ForOp) -> list[SSAValue] | None:
    """The values, and what the loop computes of them; None where that is not all element by element."""
    found, block = list(values), loop.body.block
    for value in found:  # grows as it goes
        for use in value.uses:
            user = use.operation
            if user is not block.last_op and not (user.parent_block() is block and is_elementwise(user)):
                return None
            following = user.results or (block.args[1 + use.index],)
            found += [each for each in following if each not in found]
    return found


def comes_in_any_layout(value: SSAValue, threads: int) -> bool:
    """Whether Triton computes the value anew, from numbers, in any layout that is asked for, or converts it anyway.

    It does not load anew what has as many elements as there are `threads`, or more. Of what is converted and has two
    dims already, it might as well convert the product to the layout that it comes in.
    """
    found = [value]
    for each in found:  # grows as it goes
        if as_tensor(each.type) is None or is_converted_line(each.owner):
            continue
        sources = sources_of(each)
        if isinstance(each, BlockArgument) and not sources:
            return False
        if isinstance(each, OpResult) and not is_computed_anew(each.op, threads):
            return False
        found += [source for source in sources if source not in found]
    return True


def sources_of(value: SSAValue) -> Sequence[SSAValue]:
    """What the value is computed from; what a loop carries, from how it starts and what an iteration makes of it."""
    if isinstance(value, OpResult):
        return list(value.op.operands)
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    if not isinstance(loop, scf.ForOp) or not value.index:
        return []
    last = loop.body.block.last_op
    assert last is not None
    return [loop.iter_args[value.index - 1], last.operands[value.index - 1]]


def is_converted_line(op: Operation | Block) -> bool:
    """Whether the op converts a tensor of one dim that is no row or column of another: that is small in any case."""
    if not isinstance(op, ConvertLayoutOp):
        return False
    source = tensor_type(op.src)
    return len(source.get_shape()) == 1 and isinstance(source.encoding, attrs.BlockedEncoding)


def is_computed_anew(op: Operation, threads: int) -> bool:
    """Whether Triton can compute in another layout again what the op computes; `threads` as above."""
    if isinstance(op, LoadOp):
        pointers = as_tensor(op.ptr.type)  # None for a block pointer
        return pointers is not None and math.prod(pointers.get_shape()) < threads
    return op.name in COMPUTED_ANEW or is_elementwise(op)


def is_elementwise(op: Operation) -> bool:
    """Whether the op computes each element of its result from the elements at the same place."""
    return op.dialect_name() in ("arith", "math") or isinstance(op, FpToFpOp | BitcastOp)


def threads_of(product: Operation) -> int:
    """The threads that compute the product; 0 where that is not known."""
    encoding = tensor_type(product.results[0]).encoding
    return math.prod(encoding.warps_per_cta) * WARP_LANES if isinstance(encoding, attrs.NvidiaMmaEncoding) else 0
