"""Dots that Triton's pipeliner has split along k: it splits a dot whose A is in registers.

    %parts = tt.reshape, tt.trans, tt.split of %fragments      as often as it takes
    %a = ttg.convert_layout %part
    %d = ttng.warp_group_dot %a, %memory_of_the_part, %before

Behind each part stands a wait: by then, the dot before is done with the registers of the part that follows. Of P parts,
P - 1 are in flight meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, MemDescSubsliceOp
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.typed import dims_of, of_kind, tensor_type
from dotload.layout import encodings as enc
from dotload.layout.linear import Basis
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.views import Reshape, Transpose, halved
from dotload.passes.ir.def_use import erase_unused, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import bits_of_thread, layout_of, linear_tensor
from dotload.passes.ir.memory import memory_type
from dotload.passes.operand_staging.stock import OTHER_REGISTERS
from dotload.passes.pipelined_loops.reads import is_computing, staged_reads

SPLITTING = (ConvertLayoutOp, TransOp, ReshapeOp, SplitOp)
"""Ops by which fragments are split along k."""


@dataclass(frozen=True)
class Part:
    """A part of a loop's dot, along k, and the wait after it."""

    dot: WarpGroupDotOp
    wait: WarpGroupDotWaitOp


@dataclass(frozen=True)
class Fragment:
    """A of a dot, or of a part of one: its type, and the registers of the whole that it consists of, in order."""

    dot: WarpGroupDotOp
    tensor: TensorType[Attribute]
    registers: tuple[int, ...]


def taker_of(dot: WarpGroupDotOp) -> Operation:
    """The op that takes a part of the fragments for the dot: the dot, or the first of a chain right before it."""
    taker: Operation = dot
    while (maker := op_before(taker)) is not None and is_computing(maker) and only_user(maker.results[0]) is taker:
        taker = maker
    return taker


def op_before(op: Operation) -> Operation | None:
    """The previous op in the block that is no constant."""
    before = op.prev_op
    while isinstance(before, arith.ConstantOp):
        before = before.prev_op
    return before


def dot_behind(op: Operation) -> WarpGroupDotOp | None:
    """The dot whose A a chain right before it computes, if `op` is the first op of the chain; else None."""
    first = op
    while is_computing(op) and (user := only_user(op.results[0])) is not None:
        op = user
    return op if isinstance(op, WarpGroupDotOp) and taker_of(op) is first else None


def splits_of(dot: WarpGroupDotOp) -> list[OpResult]:
    """The ops between the whole fragments and the dot's A, their results, A first."""
    found: list[OpResult] = []
    value: SSAValue = taker_of(dot).operands[0]
    while isinstance(value, OpResult) and isinstance(value.op, SPLITTING):
        found.append(value)
        value = value.op.operands[0]
    return found


def whole_of(dot: WarpGroupDotOp) -> SSAValue:
    """The fragments that the dot's A is split from."""
    splits = splits_of(dot)
    return splits[-1].op.operands[0] if splits else taker_of(dot).operands[0]


def parts_of(whole: SSAValue) -> list[Fragment]:
    """The parts that fragments are split into, in the order of their dots; [] where there are other uses than these.

    A part is identified by its elements, followed back to those of the whole. Sizes are powers of two, so that the ops
    in between permute and set bits of coordinates: what holds for the bases holds for all elements.
    """
    block = whole.owner.parent_block() if isinstance(whole.owner, Operation) else None
    uses = list(dots_of(whole))
    dots = [dot for dot in uses if dot is not None and dot.parent_block() is block]
    if block is None or len(dots) < len(uses):
        return []
    dots.sort(key=block.get_operation_index)
    layout = layout_of(whole)
    origin_of_whole = (0,) * len(layout.out_dims)
    at = {place: register for register, place in enumerate(spanned(layout.bases[enc.REGISTER], origin_of_whole))}
    found: list[Fragment] = []
    for dot in dots:
        part, splits = layout_of(taker_of(dot).operands[0]), splits_of(dot)
        origin = followed_back((0,) * len(part.out_dims), splits)
        moved = {
            name: [added(followed_back(basis, splits), origin) for basis in part.bases[name]]
            for name in (enc.REGISTER, enc.LANE, enc.WARP)
        }
        places = spanned(moved[enc.REGISTER], origin)
        if any(moved[name] != [*layout.bases[name]] for name in (enc.LANE, enc.WARP)) or not at.keys() >= {*places}:
            return []
        tensor = tensor_type(taker_of(dot).operands[0])
        found.append(Fragment(dot, tensor, tuple(at[place] for place in places)))
    return found


def wait_for(dot: WarpGroupDotOp) -> WarpGroupDotWaitOp | None:
    """The wait after a part, where it is the only use of the part's result and of its memory."""
    if not isinstance(wait := only_user(dot.d), WarpGroupDotWaitOp):
        return None
    forwards_memory = any(result.first_use for result in wait.outputs[1:])
    return None if forwards_memory or wait.inputs[0] is not dot.d else wait


def dots_of(value: SSAValue) -> Iterator[WarpGroupDotOp | None]:
    """The dots whose A the value is split into; None for each other use."""
    for use in value.uses:
        if isinstance(use.operation, SPLITTING):
            for result in use.operation.results:
                yield from dots_of(result)
        elif isinstance(use.operation, WarpGroupDotOp) and use.operation.a is value and use.index == 0:
            yield use.operation
        else:
            yield dot_behind(use.operation) if use.index == 0 else None


def registers_in_flight(block: Block) -> int:
    """Registers of a thread for the accumulators of a block's dots, and for fragments that are read for them.

    These count twice: as they are read, and as dots in flight read them.
    """
    ops = list(block.ops)
    firsts = [dot for dot in of_kind(ops, WarpGroupDotOp) if not isinstance(dot.c.owner, WarpGroupDotWaitOp)]
    accumulators = sum(bits_of_thread(dot.d) for dot in firsts)
    fragments = sum(bits_of_thread(read.result) for read in staged_reads(ops, "fragments"))
    return (accumulators + 2 * fragments) // REGISTER_BITS + OTHER_REGISTERS


# Made by the passes that split dots


def erase_part(dot: WarpGroupDotOp, wait: WarpGroupDotWaitOp) -> None:
    """Erase a dot that others replace, its wait, and the ops that split its operands, if nothing else uses these."""
    operands = [dot.a, dot.b]
    Rewriter.erase_op(wait)
    Rewriter.erase_op(dot)
    erase_unused(operands)


def columns(value: SSAValue, pieces: int, emitter: Emitter) -> list[SSAValue]:
    """A tensor in `pieces` of neighbouring columns, in order: no data moves, each thread has its columns of each."""
    if pieces == 1:
        return [value]
    rows, size = tensor_type(value).get_shape()
    apart = emitter.tensor_views(value, [Reshape((rows, 2, size // 2)), Transpose((0, 2, 1))])
    return [piece for half in halves_of(apart, emitter) for piece in columns(half, pieces // 2, emitter)]


def halves_of(value: SSAValue, emitter: Emitter) -> Sequence[SSAValue]:
    """The two tensors that differ in the last index of one."""
    layout = halved(layout_of(value))
    assert layout is not None
    op = SplitOp(value, linear_tensor(tensor_type(value).element_type, layout))
    emitter.run(op)
    return op.results


def part_of_memory(memory: SSAValue, start: tuple[int, int], shape: tuple[int, int]) -> MemDescSubsliceOp:
    """The part of B at `start`; `memory` may itself be a part."""
    old, offsets = memory_type(memory), (0, 0)
    if isinstance(memory, OpResult) and isinstance(memory.op, MemDescSubsliceOp):
        offsets, memory = dims_of(memory.op.offsets), memory.op.src
    return MemDescSubsliceOp(memory, (offsets[0] + start[0], offsets[1] + start[1]), old.part(shape))


def added(one: Basis, other: Basis) -> Basis:
    """Over bits."""
    return tuple(a ^ b for a, b in zip(one, other, strict=True))


def spanned(bases: Sequence[Basis], origin: Basis) -> list[Basis]:
    """The coordinates that these bases reach from `origin`, in the order of the index."""
    coordinates = [origin]
    for basis in bases:
        coordinates += [added(known, basis) for known in coordinates]
    return coordinates


def followed_back(coordinate: Basis, splits: Sequence[OpResult]) -> Basis:
    """The coordinate in the whole of an element of a part; `splits` as `splits_of` has them."""
    for split in splits:
        match split.op:
            case SplitOp():
                coordinate = (*coordinate, split.index)
            case TransOp():
                order = dims_of(split.op.order)
                coordinate = tuple(coordinate[order.index(dim)] for dim in range(len(order)))
            case ReshapeOp():
                flat = np.ravel_multi_index(coordinate, tensor_type(split).get_shape())
                shape = tensor_type(split.op.src).get_shape()
                coordinate = tuple(int(index) for index in np.unravel_index(flat, shape))
            case _:
                pass
    return coordinate
