"""Parts of products: Triton's pipeliner cuts a product whose A is in registers along k.

    %parts = tt.reshape, tt.trans, tt.split of %fragments      as often as it takes
    %a = ttg.convert_layout %part
    %d = ttng.warp_group_dot %a, %memory_of_the_part, %before

Behind each part stands a wait: by then, the product before is done with the registers of the part that follows. Of P
parts, P - 1 run on meanwhile; `cut_further` makes more of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import ReshapeOp, SplitOp, TransOp
from dotload.dialect_ext.ttg import (
    ConvertLayoutOp,
    LocalLoadOp,
    MemDescIndexOp,
    MemDescReshapeOp,
    MemDescSubsliceOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttng import WarpGroupDotOp, WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout.linear import Basis
from dotload.passes.emitter import Emitter, layout_of, layout_of_type, memory_type
from dotload.passes.typed import dims_of, of_kind, tensor_type

CUTTING = (ConvertLayoutOp, TransOp, ReshapeOp, SplitOp)
"""Ops through which Triton cuts a fragment along k."""

RENAMING = (*CUTTING, MemDescIndexOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp)
"""These, and ops that name memory anew, or a part of it."""

INSTRUCTION_BYTES = 32
"""Of k, in one wgmma: 256 bits (PTX ISA 9.7.15.2). Of bytes, as many elements."""


@dataclass(frozen=True)
class Part:
    """A part of a loop's product, along k, and the wait behind it; Triton cuts products whose A is in registers."""

    product: WarpGroupDotOp
    wait: WarpGroupDotWaitOp


def cuts_of(product: WarpGroupDotOp) -> list[OpResult]:
    """What Triton's cutting makes of the fragments on the way to a part, that part first."""
    found: list[OpResult] = []
    value: SSAValue = product.a
    while isinstance(value, OpResult) and isinstance(value.op, CUTTING):
        found.append(value)
        value = value.op.operands[0]
    return found


@dataclass(frozen=True)
class Fragment:
    """A of a product, or of a part of one: its type, and the registers of the read that it consists of, in order."""

    product: WarpGroupDotOp
    tensor: TensorType[Attribute]
    registers: tuple[int, ...]


def fragments_of(read: LocalLoadOp) -> list[Fragment]:
    """The parts that a read is cut into, in the order of their products; [] where others than these want it.

    No part is told by its place: its elements are followed up to the elements of the read that they are. Sizes are
    powers of two, so cuts set bits of coordinates and permute them: the bases say it of all elements.
    """
    block, uses = read.parent_block(), list(products_of(read.result))
    products = [product for product in uses if product is not None and product.parent_block() is block]
    if block is None or len(products) < len(uses):
        return []
    products.sort(key=block.get_operation_index)
    whole = layout_of(read.result)
    at = {
        place: register for register, place in enumerate(spanned(whole.bases[enc.REGISTER], (0,) * len(whole.out_dims)))
    }
    found: list[Fragment] = []
    for product in products:
        part, cuts = layout_of(product.a), cuts_of(product)
        origin = followed_up((0,) * len(part.out_dims), cuts)
        moved = {
            name: [added(followed_up(basis, cuts), origin) for basis in part.bases[name]]
            for name in (enc.REGISTER, enc.LANE, enc.WARP)
        }
        places = spanned(moved[enc.REGISTER], origin)
        if any(moved[name] != [*whole.bases[name]] for name in (enc.LANE, enc.WARP)) or not at.keys() >= {*places}:
            return []
        found.append(Fragment(product, tensor_type(product.a), tuple(at[place] for place in places)))
    return found


def cut_further(parts: Sequence[Fragment], *, local_waits: bool) -> Sequence[Fragment]:
    """Parts of one instruction's k each, where that lets more of a product run on while bytes are made ready for it.

    Triton from 3.7 on makes two parts of 64 bytes. `local_waits`: as for `rotation.arrange`.
    """
    pieces = parts[0].tensor.get_shape()[1] // INSTRUCTION_BYTES if run_on(parts) else 1
    if pieces == 1:
        return parts
    pendings = len(parts) * pieces - 1
    return [piece for part in parts for piece in cut(part, pendings, local_waits=local_waits)]


def run_on(parts: Sequence[Fragment]) -> bool:
    """Whether these are equal parts of bytes, and each wait is for the same part of the product before.

    Waits count the products of the whole loop, so that there must be no others.
    """
    block = parts[0].product.parent_block() if parts else None
    if block is None or element_bits(parts[0].tensor) != 8 or len({part.tensor for part in parts}) > 1:
        return False
    waits = [wait_for(part.product) for part in parts]
    products = len(of_kind(block.walk(), WarpGroupDotOp))
    all_but_one = len(parts) - 1
    return 0 < all_but_one == products - 1 and all(wait and wait.pendings.value.data == all_but_one for wait in waits)


def cut(part: Fragment, pendings: int, *, local_waits: bool) -> list[Fragment]:
    """The part in parts of one instruction's k each, with a wait that leaves `pendings` running behind each of them."""
    product, wait = part.product, wait_for(part.product)
    assert wait is not None
    rows, columns = part.tensor.get_shape()
    tensor = TensorType(part.tensor.element_type, [rows, INSTRUCTION_BYTES], part.tensor.encoding)
    whole = spanned(layout_of_type(part.tensor).bases[enc.REGISTER], (0, 0))
    at = dict(zip(whole, part.registers, strict=True))
    places = spanned(layout_of_type(tensor).bases[enc.REGISTER], (0, 0))
    emitter, value, use_c, found = Emitter.before(product), product.c, product.useC, list[Fragment]()
    for start in range(0, columns, INSTRUCTION_BYTES):
        memory = emitter.add(part_of_memory(product.b, start, INSTRUCTION_BYTES))
        piece = WarpGroupDotOp(product.a, memory, value, use_c, is_async=True)
        piece.properties.update(product.properties)
        waited = WarpGroupDotWaitOp([emitter.add(piece)], pendings, is_local=local_waits)
        value, use_c = emitter.add(waited), None
        found.append(Fragment(piece, tensor, tuple(at[row, start + column] for row, column in places)))
    wait.outputs[0].replace_all_uses_with(value)
    whole_memory = product.b
    Rewriter.erase_op(wait)
    Rewriter.erase_op(product)
    erase_unused([whole_memory])
    return found


def wait_for(product: WarpGroupDotOp) -> WarpGroupDotWaitOp | None:
    """The wait behind a part, where it is all that the part's result and its memory go to."""
    users = [use.operation for use in product.d.uses]
    if len(users) != 1 or not isinstance(wait := users[0], WarpGroupDotWaitOp):
        return None
    hands_on_memory = any(result.first_use for result in wait.outputs[1:])
    return None if hands_on_memory or wait.inputs[0] is not product.d else wait


def part_of_memory(memory: SSAValue, start: int, length: int) -> MemDescSubsliceOp:
    """Rows `start` to `start + length` of B, of which `memory` may itself be a part."""
    old, offsets = memory_type(memory), (0, 0)
    _, columns = old.get_shape()
    if isinstance(memory, OpResult) and isinstance(memory.op, MemDescSubsliceOp):
        offsets, memory = dims_of(memory.op.offsets), memory.op.src
    alloc_shape = [dim.data for dim in old.alloc_shape]
    new = MemDescType.of(
        (length, columns),
        old.element_type,
        old.encoding,
        old.memory_space,
        mutable=isinstance(old.mutable, UnitAttr),
        alloc_shape=alloc_shape,
    )
    return MemDescSubsliceOp(memory, (offsets[0] + start, offsets[1]), new)


def products_of(value: SSAValue) -> Iterator[WarpGroupDotOp | None]:
    """The products whose A the value is cut into; None for each other use."""
    for use in value.uses:
        if isinstance(use.operation, CUTTING):
            for result in use.operation.results:
                yield from products_of(result)
        elif isinstance(use.operation, WarpGroupDotOp) and use.operation.a is value and use.index == 0:
            yield use.operation
        else:
            yield None


def added(one: Basis, other: Basis) -> Basis:
    """Over bits."""
    return tuple(a ^ b for a, b in zip(one, other, strict=True))


def spanned(bases: Sequence[Basis], origin: Basis) -> list[Basis]:
    """The coordinates that these bases reach from `origin`, in the order of the index."""
    coordinates = [origin]
    for basis in bases:
        coordinates += [added(known, basis) for known in coordinates]
    return coordinates


def followed_up(coordinate: Basis, cuts: Sequence[OpResult]) -> Basis:
    """The coordinate in what was cut of an element of a part; `cuts` as `cuts_of` has them."""
    for cut in cuts:
        match cut.op:
            case SplitOp():
                coordinate = (*coordinate, cut.index)
            case TransOp():
                order = dims_of(cut.op.order)
                coordinate = tuple(coordinate[order.index(dim)] for dim in range(len(order)))
            case ReshapeOp():
                flat = np.ravel_multi_index(coordinate, tensor_type(cut).get_shape())
                shape = tensor_type(cut.op.src).get_shape()
                coordinate = tuple(int(index) for index in np.unravel_index(flat, shape))
            case _:
                pass
    return coordinate


def erase_unused(values: Iterable[SSAValue]) -> None:
    """Erase the ops behind values that nobody uses, as far as they only rename tensors or memory, or a part of it."""
    for value in values:
        if isinstance(value, OpResult) and isinstance(value.op, RENAMING):
            op = value.op
            if not any(result.first_use for result in op.results):
                above = list(op.operands)
                Rewriter.erase_op(op)
                erase_unused(above)
