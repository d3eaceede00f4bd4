"""Emitting one load's messages: the surface, each message's coordinates, predicates and padding.

Coordinates are those of memory: x along its rows (tensor elements), y across them. A message starts at

    (offset of the tensor) + (offset of the warp) + (start of the message)

where the last two have no bits in common with what a message covers, as the plan's proof has checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue

from dotload.dialect_ext.ttig import BlockLoadFromPtrOp, BlockLoadOp
from dotload.dialect_ext.typed import as_integer
from dotload.dialect_ext.types import element_of
from dotload.layout.block_load import LOAD, BlockLoadPlan
from dotload.layout.encodings import LANE, REGISTER, WARP
from dotload.layout.linear import Basis
from dotload.layout.xe_targets import Emit, XeTarget
from dotload.passes.block_load.guards import GUARD, Guard, guarded_axes
from dotload.passes.block_load.registers import gather
from dotload.passes.block_load.spelling import (
    LANE_ID,
    SHUFFLE_64,
    Surface,
    emit_message,
    result_type,
    subgroup_id,
)
from dotload.passes.block_load.surfaces import Window, aligned, windows
from dotload.passes.llvm_builder import LLVMBuilder
from dotload.passes.llvm_types import GLOBAL_POINTER, NOT_EQUAL, UNSIGNED_LESS, struct_type

ROW, COLUMN = 0, 1
FLOATS = ("f16", "bf16", "f32", "f64")


def llvm_element(type_: Attribute) -> Attribute:
    """What Triton's type converter makes of an element: 8-bit floats become i8, pointers global LLVM pointers."""
    element = element_of(type_)
    if as_integer(element) is not None or str(element) in FLOATS:
        return element
    return IntegerType(8)


@dataclass(frozen=True)
class Site:
    """Where a load is emitted, how and as what."""

    builder: LLVMBuilder
    emit: Emit
    target: XeTarget
    plan: BlockLoadPlan
    result: TensorType[Attribute]

    @property
    def subgroup_size(self) -> int:
        return self.plan.request.subgroup_size

    @property
    def element_bytes(self) -> int:
        """Bytes of what the plan counts: an element of the tensor, or a word of one of 64 bits."""
        return self.plan.request.element_bits // 8

    @property
    def words(self) -> int:
        """How many of those an element of the tensor has."""
        return self.plan.request.words

    def send(self, surface: Surface, x: SSAValue, y: SSAValue) -> SSAValue:
        """One message."""
        return emit_message(self.builder, self.emit, self.plan.message, self.subgroup_size, surface, x, y)

    def in_elements(self, width: SSAValue) -> SSAValue:
        """A number of bytes as one of what the plan counts."""
        return self.builder.shift(width, -(self.element_bytes.bit_length() - 1))

    def in_message_elements(self, x: SSAValue) -> SSAValue:
        """A column in tensor elements as one in message elements."""
        return self.builder.shift_right_signed(x, self.plan.packed.bit_length() - 1)

    def start(self, load: int) -> tuple[int, int]:
        """(row, column) at which a message starts within the warp's part, in tensor elements."""
        return self._place(self.plan.starts, load)

    def _place(self, bases: Sequence[Basis], index: int) -> tuple[int, int]:
        row_axis, column_axis = self.plan.request.axes
        row = column = 0
        for bit, basis in enumerate(bases):
            if index >> bit & 1:
                row, column = row ^ basis[row_axis], column ^ basis[column_axis]
        return row, column

    def register_place(self, register: int) -> tuple[int, int]:
        """(row, column) of a register of lane 0, of the tensor as it is held."""
        return self._place(self.plan.request.encoding.bases[REGISTER], register * self.words)

    def spread(self, index: SSAValue, in_dim: str, axis: int) -> SSAValue | None:
        """The coordinate that the bits of `index` contribute along memory's rows or columns; None for none.

        Bits that move by the same distance are moved together.
        """
        dim = self.plan.request.axes[axis]
        masks: dict[int, int] = {}
        for bit, basis in enumerate(self.plan.request.encoding.bases.get(in_dim, ())):
            for to in range(basis[dim].bit_length()):
                if basis[dim] >> to & 1:
                    masks[to - bit] = masks.get(to - bit, 0) | 1 << bit
        total: SSAValue | None = None
        for distance, mask in masks.items():
            moved = self.builder.shift(self.builder.bit_and(index, mask), distance)
            total = moved if total is None else self.builder.bit_xor(total, moved)
        return total


def lower_block_load(site: Site, op: BlockLoadOp) -> list[SSAValue]:
    """The elements of a load from a region of memory given by base, width, height and pitch."""
    builder = site.builder
    base, step = builder.cast(op.base_ptr, GLOBAL_POINTER), site.plan.row_step
    region = (base, op.base_width, op.base_height, op.base_pitch)
    whole = aligned(builder, site.plan, site.target, base, region[1:]) if step == 1 else None
    warp = subgroup_id(builder, site.emit)
    corner = [op.offset_y, builder.shift(op.offset_x, site.words.bit_length() - 1)]
    for axis in (ROW, COLUMN):
        moved = site.spread(warp, WARP, axis)
        corner[axis] = corner[axis] if moved is None else builder.add(corner[axis], moved)
    guard = Guard(builder, (corner[ROW], corner[COLUMN]), _guarded_extents(site, op), site.plan.box)
    starts = [site.start(load) for load in range(site.plan.messages)]
    if whole is not None:
        views = {0: Window(*whole, corner[ROW])}
    else:
        views = windows(builder, site.plan, site.target, region, corner[ROW], [row for row, _ in starts])

    def send(here: Site, load: int) -> SSAValue:
        row, column = starts[load]
        view = views[row % step]
        x = here.in_message_elements(here.builder.add(corner[COLUMN], column))
        x = here.builder.add(x, view.skew) if view.skew is not None else x
        return here.send(view.surface, x, here.builder.add(view.row, row // step))

    vectors = _sent(site, guard.groups(starts), send)
    values = gather(builder, site.plan, vectors, llvm_element(site.result))
    if op.pad_nan is not None:
        return _nan_outside(site, values, op, corner)
    return values


def _guarded_extents(site: Site, op: BlockLoadOp) -> dict[int, SSAValue]:
    """Rows and columns of the region (tensor elements), for the axes along which messages are guarded."""

    def extent(axis: int) -> SSAValue:
        return op.base_height if axis == ROW else site.in_elements(op.base_width)

    return {axis: extent(axis) for axis in guarded_axes(op, site.plan.request.axes)}


def _sent(
    site: Site, groups: Iterable[tuple[list[int], SSAValue | None]], send: Callable[[Site, int], SSAValue]
) -> list[SSAValue]:
    """The vector of every message, by `send`; zeros for a group of messages that has a condition which is false."""
    vectors: dict[int, SSAValue] = {}
    type_ = result_type(site.plan.message, site.subgroup_size)
    for loads, condition in groups:

        def send_all(builder: LLVMBuilder, loads: list[int] = loads) -> list[SSAValue]:
            return [send(replace(site, builder=builder), load) for load in loads]

        if condition is None:
            got = send_all(site.builder)
        else:
            got = site.builder.zeros_unless(condition, [type_] * len(loads), send_all)
        vectors |= zip(loads, got, strict=True)
    return [vectors[load] for load in range(site.plan.messages)]


def lower_from_pointers(site: Site, op: BlockLoadFromPtrOp, *, zero_other: bool) -> list[SSAValue]:
    """The elements of a load from a tensor of pointers: each message takes its address from its first element."""
    builder, plan = site.builder, site.plan
    pointers = _registers_of(site, op.ptrs, GLOBAL_POINTER)
    mask = None if op.mask is None else _registers_of(site, op.mask, i1)
    guard, below = (mask, None) if GUARD in op.attributes else (None, mask)
    rows, columns = plan.message.rows, plan.message.columns * plan.message.blocks * plan.packed
    zero, height = builder.constant(0), builder.constant(rows)
    width = builder.constant(max(site.target.min_width_bytes, columns * site.element_bytes))
    pitch = builder.shift(op.base_pitch, plan.row_step.bit_length() - 1)
    firsts = [register // site.words for register in first_registers(plan)]
    addresses: list[SSAValue] = []

    def groups() -> Iterator[tuple[list[int], SSAValue | None]]:
        for load, first in enumerate(firsts):
            addresses.append(_address_of(site, pointers, guard, first))
            yield [load], None if guard is None else builder.compare(NOT_EQUAL, addresses[load], _null(builder))

    def send(here: Site, load: int) -> SSAValue:
        base = here.builder.int_to_pointer(addresses[load])
        surface, skew = aligned(here.builder, plan, site.target, base, (width, height, pitch))
        # Without a guard, a masked message starts below the surface, where there are only zeros.
        y = zero if below is None else here.builder.select(here.builder.field(below, firsts[load]), zero, height)
        return here.send(surface, zero if skew is None else skew, y)

    values = gather(builder, plan, _sent(site, groups(), send), llvm_element(site.result))
    if mask is None or op.other is None or zero_other:
        return values
    others = _registers_of(site, op.other, llvm_element(site.result))
    return [
        builder.select(builder.field(mask, register), value, builder.field(others, register))
        for register, value in enumerate(values)
    ]


def _address_of(site: Site, pointers: SSAValue, guard: SSAValue | None, first: int) -> SSAValue:
    """The pointer in register `first` of lane 0 for all lanes, so that they agree; null where the guard is false."""
    builder = site.builder
    own = builder.pointer_to_int(builder.field(pointers, first))
    if guard is not None:
        own = builder.select(builder.field(guard, first), own, _null(builder))
    address = builder.call(SHUFFLE_64, [own, builder.constant(0)], i64)
    assert address is not None
    return address


def _null(builder: LLVMBuilder) -> SSAValue:
    return builder.constant(0, i64)


def first_registers(plan: BlockLoadPlan) -> list[int]:
    """Of every message, the register of the encoding whose lane 0 holds its first element."""
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


def _nan_outside(site: Site, values: Sequence[SSAValue], op: BlockLoadOp, corner: Sequence[SSAValue]) -> list[SSAValue]:
    """NaN instead of the zeros that lie outside of the memory region.

    A register is inside when its row and its column are, compared as unsigned numbers: negative ones are outside too.
    """
    builder = site.builder
    lane = builder.entry.once(LANE_ID, builder.constant(0).type)
    limits = (op.base_height, site.in_elements(op.base_width))
    inside: list[dict[int, SSAValue]] = [{}, {}]
    origin: list[SSAValue] = []
    for axis in (ROW, COLUMN):
        moved = site.spread(lane, LANE, axis)
        origin.append(corner[axis] if moved is None else builder.add(corner[axis], moved))

    def is_inside(axis: int, place: int) -> SSAValue:
        if place not in inside[axis]:
            at = builder.add(origin[axis], place)
            inside[axis][place] = builder.compare(UNSIGNED_LESS, at, limits[axis])
        return inside[axis][place]

    nan = _nan(site)
    result: list[SSAValue] = []
    for register, value in enumerate(values):
        row, column = site.register_place(register)
        both = builder.bit_and(is_inside(ROW, row), is_inside(COLUMN, column))
        result.append(builder.select(both, value, nan))
    return result


def _nan(site: Site) -> SSAValue:
    element = llvm_element(site.result)
    if (integer := as_integer(element)) is not None:
        return site.builder.constant(0x7F, integer)  # NaN of f8E4M3FN and of f8E5M2
    assert isinstance(element, AnyFloat)
    return site.builder.entry.not_a_number(element)
