"""Operands that are unpacked from a tile: whether they can be recomputed in another layout, and from which tiles.

`rematerialization.unpacked` recomputes them, back through views to the loads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, OpResult, SSAValue

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import computes_elements, is_pure_function
from dotload.dialect_ext.tt_compute import BroadcastOp, JoinOp, ReshapeOp, TransOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, Load, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import as_tensor, dims_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.linear import LinearLayout, log2_exact
from dotload.layout.views import Reshape, Transpose, collapsed, parted
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.flow import reached
from dotload.passes.ir.layouts import contiguous_axis, has_runs, is_tile, layout_in, linear_attribute
from dotload.passes.ir.memory import are_scales, element_count, size_bytes
from dotload.passes.rematerialization.layouts import InLayout, Layouts, has_layout

VIEWS = (JoinOp, ReshapeOp, TransOp)
"""Ops that move no elements between threads if their layouts correspond."""

LANES_IN_A_ROW = 4
"""The lanes that share a row of fragments (PTX ISA, wgmma: fragments of A)."""

PAIR = 2
"""The least number of elements of an operand that a thread reads at a time: neighbours along K, in one register."""


@dataclass(frozen=True)
class Unpacking:
    """The recomputation of a value in a layout.

    `computed`: all that is recomputed, including the value. `tiles`: the loaded tiles, in each layout that is needed.
    """

    value: SSAValue
    computed: frozenset[SSAValue]
    tiles: tuple[InLayout, ...]

    @property
    def packed(self) -> InLayout:
        """The tile that holds the numbers, or the most of them; other tiles may be scales."""
        return max(self.tiles, key=lambda each: size_bytes(each[0]))

    @property
    def is_from_less(self) -> bool:
        """Whether the tiles have fewer bytes than the value."""
        return sum(map(size_bytes, dict(self.tiles))) < size_bytes(self.value)

    @property
    def is_only_use(self) -> bool:
        """Whether the tiles are used for the value alone, and one op uses the value."""
        made = list(dict(self.tiles))
        for each in made:  # grows during the iteration: values computed from tiles
            for user in () if each is self.value else (use.operation for use in each.uses):
                if not user.results or not self.computed.issuperset(user.results):
                    return False
                made += [result for result in user.results if result not in made]
        return len({use.operation for use in self.value.uses}) == 1

    def is_in(self, loop: Operation) -> bool:
        """Whether the loop loads all tiles."""
        return all(loop.is_ancestor(tile.owner) for tile, _ in self.tiles)

    @property
    def is_read_in_pairs(self) -> bool:
        """Whether threads read at least two elements of the value, or what these are packed in, at a time."""
        packed_bits = sum(map(size_bytes, dict(self.tiles))) * BYTE_BITS // element_count(self.value)
        return all(is_read_in_runs(tile, before, PAIR * packed_bits) for tile, before in self.tiles)

    def read_by_bytes(self) -> Iterator[InLayout]:
        """The loaded tiles from which a thread reads four bytes or more one by one.

        Not those with less than one bit for each element of the value, which are scales of groups. Bytes that pack two
        neighbours along K are not adjacent in a thread's fragments: beside a byte in memory is one of another column if
        bytes are contiguous along N, and one of another thread if they are contiguous along K.
        """
        for tile, layout in self.tiles:
            are_bytes = element_bits(tile.type) == BYTE_BITS and elements_in_thread(tile, layout) >= WORD_BYTES
            in_runs = is_read_in_runs(tile, layout, PAIR * BYTE_BITS)
            if are_bytes and not in_runs and not are_scales(tile, self.value):
                yield tile, layout


def packed_tiles(value: SSAValue, layout: attrs.EncodingAttr, loop: Operation) -> list[SSAValue] | None:
    """The tiles that the loop loads and unpacks to a value, if they have fewer bytes and no other uses.

    None if the value cannot be computed from them in the layout, or is not read in pairs.
    """
    found = unpacking_of(value, layout)
    if found is None or not (found.is_from_less and found.is_only_use):
        return None
    return list(dict(found.tiles)) if found.is_in(loop) and found.is_read_in_pairs else None


def pack_several(tiles: Sequence[SSAValue], value: SSAValue) -> bool:
    """Whether each element of the tiles, but for scales, holds several numbers of a value that is made of them."""
    return all(element_count(tile) < element_count(value) for tile in tiles if not are_scales(tile, value))


def load_of(tile: SSAValue) -> Load:
    """The load of a tile."""
    assert isinstance(tile.owner, Load)
    return tile.owner


def is_k_major(tile: SSAValue, layout: attrs.EncodingAttr) -> bool:
    """Whether the rows of fragments, which lie along N, are apart in memory. A word may pack a row."""
    row = layout_in(tile, layout).bases[enc.LANE][log2_exact(LANES_IN_A_ROW)]
    return row[contiguous_axis(load_of(tile))] == 0


def is_read_in_runs(tile: SSAValue, layout: attrs.EncodingAttr, run_bits: int) -> bool:
    """Whether each thread has at least this many contiguous bits of a tile in a layout."""
    length = 1 << max(1, run_bits // element_bits(tile.type)).bit_length() - 1  # a power of two
    return has_runs(layout_in(tile, layout), contiguous_axis(load_of(tile)), length)


def unpacking_of(value: SSAValue, layout: attrs.EncodingAttr) -> Unpacking | None:
    """The recomputation of a value in a layout; None if impossible."""
    pending, tiles = [(value, layout)], list[InLayout]()
    for each in pending:  # grows during the iteration
        found = needed(*each)
        if found is None:
            return None
        pending += [one for one in found if one not in pending]
        if is_loaded_tile(each[0]) and not has_layout(*each):
            tiles.append(each)
    return Unpacking(value, frozenset(dict(pending)), tuple(tiles))


def needed(value: SSAValue, layout: attrs.EncodingAttr) -> Sequence[InLayout] | None:
    """The operands, with layouts, for recomputing a value in a layout; empty for a load; None if impossible."""
    if has_layout(value, layout):
        return ()
    if not isinstance(value, OpResult):
        return Layouts.needed(value, layout)
    if isinstance(op := value.op, LoadOp):
        may_load_again = not op.is_volatile and Layouts.may_be_computed(op.operands, layout)
        return () if is_loaded_tile(value) or may_load_again else None
    if isinstance(op, DescriptorLoadOp):
        return () if is_loaded_tile(value) else None
    if isinstance(op, VIEWS):
        before = layout_of_view(op, layout)
        return None if before is None else [(operand, before) for operand in op.operands]
    is_computed = computes_elements(op) and not is_pure_function(op)  # of words of four bytes, see `find_converted`
    if is_computed or isinstance(op, BroadcastOp | ConvertLayoutOp):
        return [(operand, layout) for operand in op.operands]
    return Layouts.needed(value, layout)


def is_loaded_tile(value: SSAValue) -> bool:
    """Whether a value is loaded, and more than a scalar, a row or a column."""
    tensor = as_tensor(value.type)
    return tensor is not None and isinstance(value.owner, Load) and is_tile(tensor)


def loaded_tiles(value: SSAValue, loop: Operation) -> list[LoadOp]:
    """The loads of tiles in a loop from which a value is computed."""

    def operands(each: SSAValue) -> list[SSAValue]:
        op = each.owner
        if not isinstance(op, Operation) or isinstance(op, LoadOp) or not loop.is_ancestor(op):
            return []
        return [operand for operand in op.operands if as_tensor(operand.type) is not None]

    owners = [each.owner for each in reached([value], operands) if is_loaded_tile(each)]
    return [owner for owner in owners if isinstance(owner, LoadOp) and loop.is_ancestor(owner)]


def elements_in_thread(value: SSAValue, layout: attrs.EncodingAttr) -> int:
    """The elements of a tensor that a thread holds in a layout."""
    return layout_in(value, layout).in_sizes[enc.REGISTER]


def layout_of_view(op: Operation, layout: attrs.EncodingAttr) -> attrs.EncodingAttr | None:
    """The layout of the op's operands for a result in a layout; None if there is none."""
    before = _before_view(op, layout_in(op.results[0], layout))
    return None if before is None else linear_attribute(before)


def is_broadcast(op: Operation, layout: attrs.EncodingAttr) -> bool:
    """Whether an op joins a tensor with itself, as interleave(x, x) does, and no thread has both of a pair."""
    if not isinstance(op, JoinOp) or op.lhs is not op.rhs:
        return False
    return parted(layout_in(op.result, layout)) is None


def _before_view(op: Operation, layout: LinearLayout) -> LinearLayout | None:
    match op:
        case ReshapeOp(allow_reorder=UnitAttr()):
            return None
        case ReshapeOp():
            return Reshape(tuple(tensor_type(op.src).get_shape())).layout(layout)
        case TransOp():
            order = dims_of(op.order)
            return Transpose(tuple(order.index(dim) for dim in range(len(order)))).layout(layout)
        case JoinOp() if op.lhs is op.rhs and parted(layout) is None:
            return collapsed(layout)
        case _:
            return parted(layout)
