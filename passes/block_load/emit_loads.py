"""Emitting one load's messages: the surface, each message's coordinates, predicates and padding.

Coordinates are those of memory: x along its rows (tensor elements), y across them. A message starts at

    (offset of the tensor) + (offset of the warp) + (start of the message)

where the last two have no bits in common with what a message covers, as the plan's proof has checked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import AnyFloat, i1, i64
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.ttig import BlockLoadFromPtrOp, BlockLoadOp
from dotload.dialect_ext.typed import as_integer
from dotload.layout.block_load import LOAD, BlockLoadPlan
from dotload.layout.encodings import LANE, REGISTER, WARP
from dotload.passes.block_load.guards import GUARD, Guard, guarded_axes
from dotload.passes.block_load.planes import Plane, Planes
from dotload.passes.block_load.registers import gather
from dotload.passes.block_load.row_ends import Rows, with_row_ends
from dotload.passes.block_load.rules import room_bytes, unit_bytes
from dotload.passes.block_load.site import COLUMN, ROW, Site, llvm_element
from dotload.passes.block_load.spelling import LANE_ID, SHUFFLE_64, result_type, subgroup_id
from dotload.passes.block_load.surfaces import Left, Window, aligned, cut, windows
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.types import GLOBAL_POINTER, NOT_EQUAL, UNSIGNED_LESS, struct_type


def lower_block_load(site: Site, op: BlockLoadOp, left: Left, *, dense: bool) -> list[SSAValue]:
    """The elements of a load from one plane of memory, given by base, width, height and pitch, or from several. `left`:
    what may lie left of column 0. `dense`: whether rows may follow each other with a gap that is smaller than the
    alignment skew, by which the surface begins early.
    """
    builder = site.builder
    warp = subgroup_id(builder, site.emit)
    corner = [op.offset_y, builder.shift(op.offset_x, site.words.bit_length() - 1)]
    for axis, dim in enumerate(site.plan.request.axes):
        moved = site.spread(warp, WARP, dim)
        corner[axis] = corner[axis] if moved is None else builder.add(corner[axis], moved)
    planes = Planes(site, op, warp, corner[ROW])
    found: dict[tuple[int, ...], Plane] = {}
    vectors: dict[int, SSAValue] = {}
    for number, starts in _by_plane(site).items():
        found[number] = planes.at(number)
        vectors |= _from_plane(site, op, found[number], corner[COLUMN], starts, left, dense=dense)
    values = gather(builder, site.plan, [vectors[load] for load in sorted(vectors)], llvm_element(site.result))
    corners = {number: (plane.row, corner[COLUMN]) for number, plane in found.items()}
    if op.pad_nan is not None:
        return _padded(site, values, op, corners, (ROW, COLUMN), _nan(site))
    if left is Left.PARTS:
        return _padded(site, values, op, corners, (COLUMN,), builder.entry.zero(llvm_element(site.result)))
    return values


def _by_plane(site: Site) -> dict[tuple[int, ...], dict[int, tuple[int, int]]]:
    """Per plane of the warp's part: the messages that read it, and the row and column at which each starts."""
    found: dict[tuple[int, ...], dict[int, tuple[int, int]]] = {}
    for load in range(site.plan.messages):
        start = site.start(load)
        found.setdefault(start.plane, {})[load] = start.in_plane
    return found


def _from_plane(
    site: Site,
    op: BlockLoadOp,
    plane: Plane,
    column: SSAValue,
    starts: Mapping[int, tuple[int, int]],
    left: Left,
    *,
    dense: bool,
) -> dict[int, SSAValue]:
    """The vectors of the messages that read a plane."""
    builder, step = site.builder, site.plan.row_step
    region = (plane.base, op.base_width, op.base_height, op.base_pitch)
    guard = Guard(builder, (plane.row, column), _guarded_extents(site, op), site.plan.box)
    was_cut: SSAValue | None = None
    if step == 1:
        surface, skew = aligned(builder, site.message_bytes, site.target, plane.base, region[1:])
        if dense:
            surface, was_cut = cut(builder, surface)
        views = {0: Window(surface, skew, plane.row)}
    else:
        views = windows(builder, site.plan, site.target, region, plane.row, [row for row, _ in starts.values()])

    def send(here: Site, load: int) -> SSAValue:
        row, across = starts[load]
        view = views[row % step]
        first = here.builder.add(column, across)
        x = here.in_message_elements(first)
        if (skew := view.skew) is not None:
            x = here.builder.add(x, left.skew(here.builder, skew, first))
        return here.send(view.surface, x, here.builder.add(view.row, row // step))

    sent = _sent(site, guard.groups(starts), send)
    return (
        sent
        if was_cut is None
        else with_row_ends(Rows(site, op, plane, column, left), starts, (views[0], was_cut), sent)
    )


def _guarded_extents(site: Site, op: BlockLoadOp) -> dict[int, SSAValue]:
    """Rows and columns of the region (tensor elements), for the axes along which messages are guarded."""

    def extent(axis: int) -> SSAValue:
        return op.base_height if axis == ROW else site.in_elements(op.base_width)

    return {axis: extent(axis) for axis in guarded_axes(op, site.plan.request.axes)}


def _sent(
    site: Site, groups: Iterable[tuple[list[int], SSAValue | None]], send: Callable[[Site, int], SSAValue]
) -> dict[int, SSAValue]:
    """The vector of every message, by `send`; zeros for a group of messages whose condition is false."""
    vectors: dict[int, SSAValue] = {}
    type_ = result_type(site.plan.message, site.subgroup_size)
    for loads, condition in groups:

        def send_all(builder: LLVMBuilder, loads: list[int] = loads) -> list[SSAValue]:
            return [send(replace(site, builder=builder), load) for load in loads]

        if condition is None:
            got = send_all(site.builder)
        else:
            zeros = [site.builder.entry.zeros(type_)] * len(loads)
            got = site.builder.conditional(condition, zeros, send_all)
        vectors |= zip(loads, got, strict=True)
    return vectors


def lower_from_pointers(site: Site, op: BlockLoadFromPtrOp, least_pitch: int, *, zero_other: bool) -> list[SSAValue]:
    """The elements of a load from a tensor of pointers: a message's address is the pointer of its first element."""
    builder, plan = site.builder, site.plan
    pointers = _registers_of(site, op.ptrs, GLOBAL_POINTER)
    mask = None if op.mask is None else _registers_of(site, op.mask, i1)
    guard, below = (mask, None) if GUARD in op.attributes else (None, mask)
    rows, columns = plan.message.rows, plan.message.columns * plan.message.blocks * plan.packed
    row_bytes = columns * site.element_bytes
    room = room_bytes(unit_bytes(plan, site.target), row_bytes, site.target)
    may_be_short = least_pitch << (plan.row_step.bit_length() - 1) < room
    zero, height = builder.constant(0), builder.constant(rows)
    width = builder.constant(max(site.target.min_width_bytes, row_bytes))
    pitch = builder.shift(op.base_pitch, plan.row_step.bit_length() - 1)
    firsts = [register // site.words for register in first_registers(plan)]
    addresses: dict[int, SSAValue] = {}

    def groups(here: LLVMBuilder = builder) -> Iterator[tuple[list[int], SSAValue | None]]:
        for load, first in enumerate(firsts):
            if load not in addresses:
                addresses[load] = _address_of(site, pointers, guard, first)
            yield [load], None if guard is None else here.compare(NOT_EQUAL, addresses[load], _null(here))

    def send(here: Site, load: int, *, rest: bool = False) -> SSAValue:
        """`rest`: send the message for what is missing of rows that are cut at the pitch."""
        base = here.builder.int_to_pointer(addresses[load])
        tall = builder.constant(rows + 1) if rest else height
        surface, skew = aligned(here.builder, site.message_bytes, site.target, base, (width, tall, pitch))
        # Without a guard, a masked-off message starts below the surface, where there are only zeros.
        y = zero if below is None else here.builder.select(here.builder.field(below, firsts[load]), zero, height)
        x = zero if skew is None else skew
        if may_be_short:
            surface, _ = cut(here.builder, surface)
        if rest:
            across = here.builder.shift(pitch, -(site.message_bytes.bit_length() - 1))
            x, y = here.builder.sub(x, across), here.builder.add(y, 1)
        return here.send(surface, x, y)

    sent = _sent(site, groups(), send)
    vectors = [sent[load] for load in sorted(sent)]
    if may_be_short:

        def send_rest(here: LLVMBuilder) -> list[SSAValue]:
            rest = _sent(replace(site, builder=here), groups(here), functools.partial(send, rest=True))
            return [here.or_vectors(vector, rest[load]) for load, vector in enumerate(vectors)]

        vectors = builder.conditional(builder.compare(UNSIGNED_LESS, pitch, builder.constant(room)), vectors, send_rest)
    values = gather(builder, plan, vectors, llvm_element(site.result))
    if mask is None or op.other is None or zero_other:
        return values
    others = _registers_of(site, op.other, llvm_element(site.result))
    return [
        builder.select(builder.field(mask, register), value, builder.field(others, register))
        for register, value in enumerate(values)
    ]


def _address_of(site: Site, pointers: SSAValue, guard: SSAValue | None, first: int) -> SSAValue:
    """The pointer in register `first` of lane 0, broadcast to all lanes; null if the guard is false."""
    builder = site.builder
    own = builder.pointer_to_int(builder.field(pointers, first))
    if guard is not None:
        own = builder.select(builder.field(guard, first), own, _null(builder))
    return builder.call(SHUFFLE_64, [own, builder.constant(0)], i64)


def _null(builder: LLVMBuilder) -> SSAValue:
    return builder.constant(0, i64)


def first_registers(plan: BlockLoadPlan) -> list[int]:
    """For every message, the register of the encoding whose lane 0 holds its first element."""
    names = plan.shuffle.out_dims
    register_at, load_at = names.index(REGISTER), names.index(LOAD)
    found: dict[int, int] = {}
    for register, image in enumerate(plan.shuffle.table().tolist()):
        if image[register_at] == 0:
            found.setdefault(image[load_at], register)
    return [found[load] for load in range(plan.messages)]


def _registers_of(site: Site, tensor: SSAValue, element: Attribute) -> SSAValue:
    """A tensor of the result's encoding as the struct of a lane's elements."""
    count = site.plan.shuffle.in_sizes[REGISTER] // site.words
    return site.builder.cast(tensor, struct_type([element] * count))


def _padded(
    site: Site,
    values: Sequence[SSAValue],
    op: BlockLoadOp,
    corners: Mapping[tuple[int, ...], Sequence[SSAValue]],
    axes: Sequence[int],
    padding: SSAValue,
) -> list[SSAValue]:
    """The values with padding in place of what lies outside the memory region along these axes.

    `corners`: row and column of each plane's corner. Rows and columns are compared as unsigned numbers, so negative
    ones are outside too.
    """
    builder = site.builder
    lane = builder.entry.once(LANE_ID, builder.constant(0).type)
    limits = {ROW: op.base_height, COLUMN: site.in_elements(op.base_width)}
    moved = [site.spread(lane, LANE, dim) for dim in site.plan.request.axes]
    known: dict[tuple[SSAValue, int, int], SSAValue] = {}

    def is_inside(corner: SSAValue, axis: int, place: int) -> SSAValue:
        key = (corner, axis, place)
        if key not in known:
            by = moved[axis]
            at = builder.add(corner if by is None else builder.add(corner, by), place)
            known[key] = builder.compare(UNSIGNED_LESS, at, limits[axis])
        return known[key]

    result: list[SSAValue] = []
    for register, value in enumerate(values):
        at = site.register_position(register)
        tests = [is_inside(corners[at.plane][axis], axis, at.in_plane[axis]) for axis in axes]
        result.append(builder.select(functools.reduce(builder.bit_and, tests), value, padding))
    return result


def _nan(site: Site) -> SSAValue:
    element = llvm_element(site.result)
    if (integer := as_integer(element)) is not None:
        return site.builder.constant(0x7F, integer)  # NaN of f8E4M3FN and of f8E5M2
    assert isinstance(element, AnyFloat)
    return site.builder.entry.not_a_number(element)
