"""Loads that feed a loop's dots: in how many stages, and whether Triton's pipeliner can copy them asynchronously."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import BlockArgument, Operation

from dotload.dialect_ext.tt_memory import DescriptorLoadOp, Load, LoadOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import element_bits
from dotload.layout.linear import LayoutError
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.def_use import uses_behind
from dotload.passes.ir.layouts import contiguous_axis, has_runs, layout_of_type
from dotload.passes.ir.loops import DOTS, carried_by_loop, feeds_dot, function_around, is_pipelined_loop, loop_around
from dotload.passes.operand_staging.remark_texts import bytes_at_once

MIN_COPY_BITS = 32
"""The least bits of an asynchronous copy (PTX ISA, cp.async)."""

NUM_STAGES = "tt.num_stages"
"""The attribute by which a loop overrides the kernel's option num_stages."""


def stages_of(loop: scf.ForOp, num_stages: int) -> int:
    """The number of stages of the loop, or else of the kernel."""
    stages = loop.attributes.get(NUM_STAGES)
    return stages.value.data if isinstance(stages, IntegerAttr) else num_stages


def may_be_pipelined(loop: Operation | None, num_stages: int) -> TypeGuard[scf.ForOp]:
    """Whether Triton pipelines such a loop, as far as is known. `num_stages`: the kernel's, 0 if not known."""
    return isinstance(loop, scf.ForOp) and is_pipelined_loop(loop) and stages_of(loop, num_stages) != 1


def keep_outer_loop(loop: scf.ForOp) -> None:
    """Keep Triton from pipelining the loop around one that is about to move into a branch.

    Triton pipelines no loop around another, but looks for the other in the loop's own block only. There it also looks
    for dots. Without one, it pipelines a loop that has its own `num_stages`, whatever its loads are for.
    """
    outer = loop_around(loop)
    if not isinstance(outer, scf.ForOp):
        return
    if NUM_STAGES in outer.attributes or any(isinstance(op, DOTS) for op in outer.body.block.ops):
        outer.attributes[NUM_STAGES] = IntegerAttr(1, i32)


def loads_of(loop: scf.ForOp) -> list[Load]:
    """The loads in the loop's own block that Triton's pipeliner finds in the backward slices of dots."""
    loads = [op for op in loop.body.block.ops if isinstance(op, Load)]
    return [load for load in loads if feeds_dot(load)]


def loads_found_by(load: Load) -> list[Load]:
    """The loads of the same iteration whose addresses or masks are computed from this load, an index."""

    def is_followed(user: Operation) -> bool:
        return user.parent_block() is load.parent_block() and not isinstance(user, Load)

    users = (use.operation for use in uses_behind(load, is_followed))
    loads = (user for user in users if isinstance(user, Load))
    return [each for each in loads if each.parent_block() is load.parent_block()]


def is_2d(load: Load) -> bool:
    """Whether the tensor has two dims. Indices and scales of tokens have one, and Triton may copy them."""
    tensor = as_tensor(load.results[0].type)
    return tensor is not None and len(tensor.get_shape()) > 1


def has_indices_of_indices(loads: list[Load]) -> bool:
    """Whether the index of a tile is itself found through an index."""
    return any(loads_found_by(found) for load in loads for found in loads_found_by(load))


# Asynchronous copies


def is_copied(load: Load, strides: Strides) -> bool:
    """Whether Triton can copy a load asynchronously, including scalars and rows of at least 4 bytes per element.

    A layout does not tell: Triton gives that of one tile to others of its shape.
    """
    if isinstance(load, DescriptorLoadOp) or element_bits(load.results[0].type) >= MIN_COPY_BITS:
        return True
    return is_copied_by_vectors(load) and lies_in_vectors(load, strides)


def lies_in_vectors(load: LoadOp, strides: Strides, bits: int = MIN_COPY_BITS) -> bool:
    """Whether so many bits of a tile are known to be contiguous; for pointers from outside, the layout tells."""
    pointers = carried_by_loop(load.ptr)
    if isinstance(load.ptr if pointers is None else pointers.init, BlockArgument):
        return True
    vector = bytes_at_once(load, contiguous_axis(load), strides)
    return vector is not None and vector * BYTE_BITS >= bits


def is_copied_by_vectors(load: Load) -> bool:
    """Whether Triton can copy the tile asynchronously: in pieces of at least 4 bytes, each masked as a whole."""
    if isinstance(load, DescriptorLoadOp):
        return True
    tensor = as_tensor(load.results[0].type)
    if tensor is not None and element_bits(tensor) >= MIN_COPY_BITS:
        return True
    if tensor is None:
        return False
    axis = contiguous_axis(load)
    piece = MIN_COPY_BITS // element_bits(tensor)  # in elements
    try:
        return has_runs(layout_of_type(tensor), axis, piece) and is_masked_whole(load, axis, piece)
    except LayoutError:  # no encoding, or one that is not known here
        return False


def may_be_copied_ahead(load: Load, num_stages: int) -> bool:
    """Whether Triton may copy the tile while the iterations before run: a loop of one stage loads into registers."""
    loop = loop_around(load)
    is_one_stage = isinstance(loop, scf.ForOp) and stages_of(loop, num_stages) == 1
    return not is_one_stage and is_copied_by_vectors(load)


def is_masked_whole(load: LoadOp, axis: int, piece: int) -> bool:
    """Whether the mask is the same within aligned pieces of so many elements.

    Kernels often carry the offsets that they compare with a bound: `k += BLOCK_K`. That takes an analysis of the loop.
    """
    mask = load.mask
    if mask is None or Strides.behind(mask).of(mask).is_same_in_groups(axis, piece):
        return True
    return Strides(function_around(load)).of(mask).is_same_in_groups(axis, piece)
