"""Plans for reading a warp's part of a tensor with 2D block loads, and the three layouts that show a plan.

A plan is one register permutation and as few messages as possible, all of one form:

    tile         the operand of one matrix instruction: offset -> memory, row by row
    iterations   the tiles of one message, in the order of the encoding's registers
    loads        where the messages of one warp start

The payload of a message is a linear layout over GF(2), and so is the encoding. A form fits an encoding if its lanes
hold the same coordinates and its register bases span a part of the encoding's. The remaining register bases give the
starts of the other messages. There is no case distinction by operand, element type or transposition: every form of the
target is tried, and the cheapest that fits is the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from dotload.layout.block_load_choice import best_plan
from dotload.layout.block_message import Message, Mode
from dotload.layout.encodings import BLOCK, LANE, REGISTER, WARP
from dotload.layout.lane_exchange import Exchange, find_exchange
from dotload.layout.linear import Basis, LayoutError, LinearLayout
from dotload.layout.reject import Reason, Reject
from dotload.layout.widths import WORD_BITS

# The printed layouts name memory's dims, row then column: for a column-major operand dim0 is the tensor's last dim.
MEMORY_DIMS = ("dim0", "dim1")
LOAD, OFFSET, ITERATION = "load", "offset", "iteration"

# A warp has at most 512 registers of 64 bytes. Eight times as much is never a useful load, and planning it is slow.
MAX_PAYLOAD_BYTES = 8 * 512 * 64
# A work group of 1024 work items in the smallest subgroups (8 lanes). The proof covers every warp.
MAX_WARPS = 128


class LayoutReason(Reason):
    """Why no plan exists for an encoding."""

    RANK = "a 2D block load needs a tensor of rank 2 or more, this one has rank {rank}"
    NO_ENCODING = "the tensor has no layout"
    ENCODING = "{detail}"
    ELEMENT_BITS = "no 2D block load moves {bits}-bit elements"
    SUBGROUP_SIZE = "there is no message for subgroups of {size} lanes"
    CLUSTER = "the tensor is split over the blocks of a cluster"
    LANE_COPIES = "several lanes hold the same element, but a message gives each lane its own"
    TOO_LARGE = "a warp would hold {held} bytes of this tensor, more than {limit}"
    TOO_MANY_WARPS = "the layout is for {warps} warps, a work group has at most {limit}"
    NO_FORM = "no message distributes elements over the lanes as this layout does"
    PROOF = "the proof failed: {detail}"


@dataclass(frozen=True)
class LoadRequest:
    """A read to plan: a distributed layout, and the tensor's layout in memory.

    `element_bits` per tensor element. `row_dim` and `column_dim` are the out dims along memory's rows and columns
    (elements of a row are adjacent). `tile_registers`: registers of one operand of the matrix instruction, 0 if there
    is none; `channel_bits`: the unit in which that instruction takes its registers. `max_rows` and `max_columns` bound
    one message, in tensor elements: within them, a mask does not change. `max_registers` bounds the payload of one
    message. An `exact` message reads only requested elements: beyond them there may be no memory. The distance between
    rows of a message is 1 or a power of two up to `max_row_step`; the pitch of its surface is the tensor's times this
    distance.

    An element of 64 bits is planned as two 32-bit `words` (`in_words`), neighbours in memory and in a lane's registers.
    Two kinds of messages fit: of 64-bit elements, which pack two words, and of 32-bit elements that give a lane both.
    """

    encoding: LinearLayout
    element_bits: int
    row_dim: str
    column_dim: str
    tile_registers: int = 0
    channel_bits: int = 0
    max_rows: int = 1 << 30
    max_columns: int = 1 << 30
    max_registers: int = 1 << 30
    exact: bool = False
    max_row_step: int = 1
    spare_bytes: int = 0
    words: int = 1

    def in_words(self) -> LoadRequest:
        """The same request for the 32-bit words of 64-bit elements; the request itself for smaller elements."""
        words = self.element_bits // WORD_BITS
        if words <= 1:
            return self
        column = self.axes[1]

        def widened(basis: Basis) -> Basis:
            return tuple(value * words if axis == column else value for axis, value in enumerate(basis))

        encoding = self.encoding
        bases = {name: [widened(basis) for basis in vectors] for name, vectors in encoding.in_items}
        inside = [
            tuple(1 << bit if axis == column else 0 for axis in range(len(encoding.out_dims))) for bit in _bits(words)
        ]
        bases[REGISTER] = [*inside, *bases[REGISTER]]
        sizes = {**encoding.out_sizes, self.column_dim: encoding.out_sizes[self.column_dim] * words}
        return replace(
            self,
            encoding=LinearLayout.from_bases(bases, sizes),
            element_bits=WORD_BITS,
            tile_registers=self.tile_registers * words,
            max_columns=self.max_columns * words,
            max_registers=self.max_registers * words,
            words=words,
        )

    @property
    def subgroup_size(self) -> int:
        """Lanes of a warp."""
        return self.encoding.in_sizes[LANE]

    @property
    def payload_bytes(self) -> int:
        """Bytes of the tensor that the lanes of a warp hold."""
        return self.encoding.in_sizes[REGISTER] * self.subgroup_size * self.element_bits // 8

    @property
    def axes(self) -> tuple[int, int]:
        """Positions of the row and the column dim among the encoding's out dims."""
        return self.encoding.out_dims.index(self.row_dim), self.encoding.out_dims.index(self.column_dim)


@dataclass(frozen=True)
class ShuffleCost:
    """The cost of permuting a lane's registers into the order of the matrix instruction; compared field by field.

    Each field counts bits of a register index inside one operand: `across_loads`, bits that select a message;
    `repacked`, bits that join or split the channels of the message; `strided`, bits that are not neighbours in the
    message.
    """

    across_loads: int
    repacked: int
    strided: int

    @property
    def key(self) -> tuple[int, int, int]:
        """For comparison."""
        return (self.across_loads, self.repacked, self.strided)


@dataclass(frozen=True)
class BlockLoadPlan:
    """2^k messages of one form and the permutation that brings their registers into the encoding's order.

    `starts`: per bit of the load number, the coordinate at which the message starts (tensor elements, in the order of
    the encoding's out dims). `shuffle`: register of the encoding -> (register of a message, load). `row_step`: the
    distance between rows of a message. `exchange`: lanes exchange registers of each message before the permutation.
    """

    request: LoadRequest
    message: Message
    starts: tuple[Basis, ...]
    shuffle: LinearLayout
    row_step: int = 1
    exchange: Exchange | None = None

    @property
    def messages(self) -> int:
        """Messages that a warp issues."""
        return 1 << len(self.starts)

    @property
    def rows(self) -> int:
        """Rows of all messages together."""
        return self.messages * self.message.rows

    @property
    def payload_bytes(self) -> int:
        """Payload of all messages."""
        return self.messages * self.message.payload_bits // 8

    @property
    def result_bits(self) -> int:
        """Bits of one element of the vector that a lane receives for a message."""
        return self.message.result_bits(self.request.subgroup_size)

    @property
    def packed(self) -> int:
        """Tensor elements in one message element, neighbours along a row."""
        return self.message.element_bits // self.request.element_bits

    @property
    def box(self) -> tuple[int, int]:
        """Rows and columns of one message from its first to its last, in tensor elements."""
        rows = (self.message.rows - 1) * self.row_step + 1
        return rows, self.message.columns * self.message.blocks * self.packed

    @cached_property
    def brought(self) -> tuple[Basis, ...]:
        """Register bases of one message; zero for registers that stay unread."""
        return used_registers(self._payload[REGISTER], self.request.encoding)

    @cached_property
    def _payload(self) -> dict[str, tuple[Basis, ...]]:
        payload = payload_in_tensor(self.message, self.request, self.row_step)
        return payload if self.exchange is None else self.exchange.apply(payload)

    @property
    def waste(self) -> int:
        """The payload of the messages divided by the bytes that are wanted."""
        return 1 << sum(1 for basis in self.brought if not any(basis))

    @cached_property
    def loaded(self) -> LinearLayout:
        """(register, load, lane, warp, block) -> tensor: the payload of the messages, before the permutation.

        Unread registers are included, with the coordinates that they really hold, which may lie outside the tensor:
        the proof then fails for a permutation that reads one.
        """
        encoding = self.request.encoding
        payload = self._payload
        others = {name: bases for name, bases in encoding.in_items if name not in (REGISTER, LANE)}
        bases = {REGISTER: payload[REGISTER], LOAD: self.starts, LANE: payload[LANE], **others}
        moved = _bits_moved((basis for vectors in bases.values() for basis in vectors), len(encoding.out_dims))
        reach = (
            max(size, 1 << bits.bit_length()) for size, bits in zip(encoding.out_sizes.values(), moved, strict=True)
        )
        return LinearLayout.from_bases(bases, dict(zip(encoding.out_dims, reach, strict=True)))

    @cached_property
    def shuffle_cost(self) -> ShuffleCost:
        """The cost of the permutation."""
        return _shuffle_cost(self.request, self.message, self.shuffle)

    # The three layouts

    @property
    def _slot(self) -> tuple[int, int]:
        """Tensor rows and columns in one slot: one channel or message element of a lane."""
        return self.message.rows_per_channel, self.packed

    def _in_slots(self, coordinate: Basis) -> Basis:
        """(row, column) of a tensor coordinate, in slots."""
        row, column = self.request.axes
        slot_rows, slot_columns = self._slot
        return coordinate[row] // slot_rows, coordinate[column] // slot_columns

    @cached_property
    def tile_layout(self) -> LinearLayout:
        """offset -> (row, column): the tile of one matrix instruction as it lies in memory, in slots."""
        rows, columns = self._tile_box
        flat = [(0, 1 << bit) for bit in _bits(columns)]
        flat += [(1 << bit, 0) for bit in _bits(rows) if 1 << bit >= self.row_step // self._slot[0]]
        return LinearLayout.from_bases({OFFSET: flat}, dict(zip(MEMORY_DIMS, (rows, columns), strict=True)))

    @cached_property
    def _tile_bits(self) -> frozenset[int]:
        """The register bits of the encoding that make one tile; all bits of a message that is smaller than a tile."""
        inside = self._message_bits
        tile = frozenset(range(self.request.tile_registers.bit_length() - 1)) & self._own_bits
        return tile if tile and tile <= inside else inside

    @cached_property
    def _own_bits(self) -> frozenset[int]:
        """Register bits that are not copies."""
        return frozenset(bit for bit, basis in enumerate(self.request.encoding.bases[REGISTER]) if any(basis))

    @cached_property
    def _message_bits(self) -> frozenset[int]:
        """Register bits of the encoding that stay within one message."""
        images = enumerate(self.shuffle.bases[REGISTER])
        return frozenset(bit for bit, (_, load) in images if not load) & self._own_bits

    @cached_property
    def _tile_box(self) -> tuple[int, int]:
        """Rows and columns of one tile, in slots."""
        bases = self.request.encoding.bases
        rows, columns = _extents(self.request, [bases[REGISTER][bit] for bit in self._tile_bits] + list(bases[LANE]))
        slot_rows, slot_columns = self._slot
        return rows // slot_rows, columns // slot_columns

    @cached_property
    def iteration_layout(self) -> LinearLayout:
        """offset, iteration -> (row, column): the tiles of one message, in slots, in the encoding's order."""
        more = sorted(self._message_bits - self._tile_bits)
        bases = [self._in_slots(self.request.encoding.bases[REGISTER][bit]) for bit in more]
        tile = self.tile_layout.bases[OFFSET]
        return LinearLayout.from_bases({OFFSET: tile, ITERATION: bases}, MEMORY_DIMS)

    @cached_property
    def load_layout(self) -> LinearLayout:
        """offset, iteration, load -> (row, column): all that one warp reads, in slots. Need not be surjective."""
        bases = dict(self.iteration_layout.bases)
        return LinearLayout.from_bases(bases | {LOAD: [self._in_slots(s) for s in self.starts]}, MEMORY_DIMS)

    def describe(self) -> str:
        """The three layouts, each under its heading; before them the row step and the exchange, if any."""
        apart = f"Rows of a message are {self.row_step} apart.\n\n" if self.row_step > 1 else ""
        apart += f"{self.exchange}.\n\n" if self.exchange is not None else ""
        return apart + "\n\n".join(
            f"{title}:\n{layout}"
            for title, layout in (
                ("Block load tile layout", self.tile_layout),
                ("Block load tile layout after adding iterations", self.iteration_layout),
                ("Block load tile layout after adding loads", self.load_layout),
            )
        )


def plan_block_load(request: LoadRequest, messages: Iterable[Message]) -> BlockLoadPlan | Reject:
    """The plan with the fewest messages and, among equals, the cheapest permutation; or why there is none."""
    encoding = request.encoding
    if len(encoding.out_dims) < 2:
        return Reject(LayoutReason.RANK, rank=len(encoding.out_dims))
    if request.element_bits not in (8, 16, 32, 64):
        return Reject(LayoutReason.ELEMENT_BITS, bits=request.element_bits)
    if any(any(basis) for basis in encoding.bases.get(BLOCK, ())):
        return Reject(LayoutReason.CLUSTER)
    if (held := request.payload_bytes) > MAX_PAYLOAD_BYTES:
        return Reject(LayoutReason.TOO_LARGE, held=held, limit=MAX_PAYLOAD_BYTES)
    if (warps := encoding.in_sizes.get(WARP, 1)) > MAX_WARPS:
        return Reject(LayoutReason.TOO_MANY_WARPS, warps=warps, limit=MAX_WARPS)
    if not all(any(basis) for basis in encoding.bases[LANE]):
        return Reject(LayoutReason.LANE_COPIES)
    request = request.in_words()
    candidates = tuple(messages)
    if not candidates:
        return Reject(LayoutReason.SUBGROUP_SIZE, size=request.subgroup_size)
    by_lanes = _by_lanes(candidates, request.subgroup_size, request.element_bits)
    plans = [
        plan
        for step in _row_steps(request)
        for message in by_lanes.get(_lane_places(request, step), ())
        if (plan := _try_form(request, message, step)) is not None
    ]
    plans = plans or _with_exchanges(request, by_lanes)
    if not plans:
        return Reject(LayoutReason.NO_FORM)
    return prove(best_plan(plans))


def prove(plan: BlockLoadPlan) -> BlockLoadPlan | Reject:
    """The plan itself, if its permuted payload equals the encoding in every register of every lane.

    The composition with the permutation is compared with the encoding as matrices, hence over every element at once.
    """
    request = plan.request
    if failure := next((text for holds, text in _geometry(plan) if not holds), None):
        return Reject(LayoutReason.PROOF, detail=failure)
    wanted = request.encoding
    try:
        got = permuted(plan)
    except LayoutError as error:
        return Reject(LayoutReason.PROOF, detail=str(error))
    if got.equivalent(wanted):
        return plan
    for name, bases in wanted.in_items:
        for bit, (want, have) in enumerate(zip(bases, got.bases[name], strict=True)):
            if want != have:
                detail = f"{name}={1 << bit} holds {have}, the layout wants {want}"
                return Reject(LayoutReason.PROOF, detail=detail)
    raise AssertionError("layouts that differ have bases that differ")


def permuted(plan: BlockLoadPlan) -> LinearLayout:
    """(register, lane, warp, block) -> tensor: the payload of the messages, after the permutation."""
    encoding = plan.request.encoding
    whole = plan.shuffle
    for name in encoding.in_dims:
        if name != REGISTER:
            whole *= LinearLayout.identity(encoding.in_sizes[name], name, name)
    return LinearLayout.from_bases(whole.compose(plan.loaded).bases, encoding.out_sizes)


def _geometry(plan: BlockLoadPlan) -> list[tuple[bool, str]]:
    """Preconditions of the matrix equation: no message reaches into another's start, so that addition never carries."""
    rank = len(plan.request.encoding.out_dims)
    covered = _bits_moved((*plan.brought, *plan.loaded.bases[LANE]), rank)
    by_warp = _bits_moved(plan.loaded.bases[WARP], rank)
    rules = [(not _overlap(by_warp, covered), f"warps start at {by_warp}, inside of a message")]
    for bit, basis in enumerate(plan.starts):
        rules.append((not _overlap(basis, covered), f"load={1 << bit} starts at {basis}, inside of a message"))
        rules.append((not _overlap(basis, by_warp), f"load={1 << bit} starts at {basis}, where warps start"))
    return rules


def payload_in_tensor(message: Message, request: LoadRequest, row_step: int = 1) -> dict[str, tuple[Basis, ...]]:
    """The message's payload with its (row, column) placed at the tensor's dims, rows `row_step` apart."""
    payload = message.payload(request.subgroup_size, request.element_bits)
    row_axis, column_axis = request.axes
    rank = len(request.encoding.out_dims)

    def place(basis: Basis) -> Basis:
        coordinate = [0] * rank
        coordinate[row_axis], coordinate[column_axis] = basis[0] * row_step, basis[1]
        return tuple(coordinate)

    return {name: tuple(place(basis) for basis in bases) for name, bases in payload.in_items}


def used_registers(payload: Sequence[Basis], encoding: LinearLayout) -> tuple[Basis, ...]:
    """The payload's register bases, zero where the encoding has no use for them.

    A message may load more than is wanted: registers whose index has such a bit set stay unread.
    """
    sizes = tuple(encoding.out_sizes.values())
    span = encoding.restrict([REGISTER], encoding.out_dims)
    zero = (0,) * len(sizes)

    def wanted(basis: Basis) -> bool:
        return all(value < size for value, size in zip(basis, sizes, strict=True)) and span.reaches(basis)

    return tuple(basis if wanted(basis) else zero for basis in payload)


@lru_cache(maxsize=64)
def _by_lanes(
    messages: tuple[Message, ...], subgroup_size: int, element_bits: int
) -> dict[tuple[Basis, ...], tuple[Message, ...]]:
    """The messages that can move elements of this size, by the (row, column) bases of their lanes."""
    found: dict[tuple[Basis, ...], list[Message]] = {}
    for message in messages:
        packs = message.element_bits > element_bits
        if message.element_bits < element_bits or (packs and message.mode is Mode.TRANSFORM):
            continue
        found.setdefault(message.payload(subgroup_size, element_bits).bases[LANE], []).append(message)
    return {lanes: tuple(forms) for lanes, forms in found.items()}


def _row_steps(request: LoadRequest) -> list[int]:
    """The row steps worth a try: one, and the distances between rows of one lane or of neighbouring lanes."""
    row, encoding = request.axes[0], request.encoding
    moved = {basis[row] for basis in (*encoding.bases[REGISTER], *encoding.bases[LANE])}
    return [1, *sorted(step for step in moved if 1 < step <= request.max_row_step and step & (step - 1) == 0)]


def _lane_places(request: LoadRequest, row_step: int) -> tuple[Basis, ...]:
    """The (row, column) bases of the encoding's lanes, rows counted in steps. Empty, which no message matches, if a
    lane moves by less than a step or along another dim.
    """
    row, column = request.axes
    places: list[Basis] = []
    for basis in request.encoding.bases[LANE]:
        if basis[row] % row_step or any(value for axis, value in enumerate(basis) if axis not in (row, column)):
            return ()
        places.append((basis[row] // row_step, basis[column]))
    return tuple(places)


def _with_exchanges(
    request: LoadRequest, by_lanes: Mapping[tuple[Basis, ...], tuple[Message, ...]]
) -> list[BlockLoadPlan]:
    """The plans in which lanes exchange registers, for operands of the matrix instruction only. Other layouts may be
    gathered by vectors as long as a row of the message, which is as good.
    """
    wanted = _lane_places(request, 1)
    if not wanted or not request.tile_registers:
        return []
    plans: list[BlockLoadPlan | None] = []
    for held, messages in by_lanes.items():
        for message in messages:
            registers = message.payload(request.subgroup_size, request.element_bits).bases[REGISTER]
            if (exchange := find_exchange(held, registers, wanted, request.element_bits)) is not None:
                plans.append(_try_form(request, message, 1, exchange))
    return [plan for plan in plans if plan is not None]


def _try_form(
    request: LoadRequest, message: Message, row_step: int, exchange: Exchange | None = None
) -> BlockLoadPlan | None:
    """The plan with messages of this form, if it serves the encoding."""
    if row_step > 1 and message.rows == 1:
        return None
    encoding = request.encoding
    payload = payload_in_tensor(message, request, row_step)
    payload = payload if exchange is None else exchange.apply(payload)
    if 1 << len(payload[REGISTER]) > request.max_registers:
        return None
    used = used_registers(payload[REGISTER], encoding)
    rows, columns = _extents(request, (*used, *payload[LANE]))
    if rows > request.max_rows or columns > request.max_columns:
        return None
    if request.exact and not all(any(basis) for basis in used):
        return None
    starts = _starts(encoding, used, payload[LANE])
    if starts is None or not _on_words(request, message, (*starts, *encoding.bases[WARP])):
        return None
    brought = LinearLayout.from_bases({REGISTER: used, LOAD: starts}, encoding.out_sizes)
    shuffle = encoding.restrict([REGISTER], encoding.out_dims).invert_and_compose(brought)
    if any(load for _, load in shuffle.bases[REGISTER][: request.words.bit_length() - 1]):
        return None  # one message loads both words of an element
    return BlockLoadPlan(request, message, starts, shuffle, row_step, exchange)


def _on_words(request: LoadRequest, message: Message, starts: Iterable[Basis]) -> bool:
    """Whether every start is a multiple of a message element and of a 32-bit word, as x must be."""
    column = request.axes[1]
    unit = max(32, message.element_bits)
    return all(start[column] * request.element_bits % unit == 0 for start in starts)


def _starts(encoding: LinearLayout, used: Sequence[Basis], lanes: Sequence[Basis]) -> tuple[Basis, ...] | None:
    """Where the messages start, one coordinate per bit of the load number; None if there are no such starts.

    A message covers the coordinate bits that its lanes and registers move. A start has none of these bits, so that
    adding an element's place in the message to the start never carries: the sum is the XOR of the layout.
    """
    by_register = _bits_moved(used, len(encoding.out_dims))
    covered = _bits_moved([*used, *lanes], len(encoding.out_dims))
    by_warp = _bits_moved(encoding.bases[WARP], len(covered))
    if _overlap(by_warp, covered):
        return None
    starts: list[Basis] = []
    for basis in encoding.bases[REGISTER]:
        inside = tuple(value & mask for value, mask in zip(basis, covered, strict=True))
        if any(value & ~mask for value, mask in zip(inside, by_register, strict=True)):
            return None
        outside = tuple(value ^ part for value, part in zip(basis, inside, strict=True))
        known = LinearLayout.from_bases({LOAD: starts}, encoding.out_sizes)
        if any(outside) and not known.reaches(outside):
            starts.append(outside)
    return None if _overlap(_bits_moved(starts, len(covered)), by_warp) else tuple(starts)


def _bits(size: int) -> range:
    """The bits of an index below `size`, a power of two."""
    return range(size.bit_length() - 1)


def _overlap(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two masks, one number per dim, share a bit."""
    return any(x & y for x, y in zip(a, b, strict=True))


def _bits_moved(bases: Iterable[Basis], rank: int) -> tuple[int, ...]:
    """Per dim, the union of the bits of these coordinates."""
    moved = [0] * rank
    for basis in bases:
        moved = [mask | value for mask, value in zip(moved, basis, strict=True)]
    return tuple(moved)


def _extents(request: LoadRequest, bases: Iterable[Basis]) -> tuple[int, int]:
    """Rows and columns that these bases reach over, in tensor elements."""
    row, column = request.axes
    moved = _bits_moved(bases, len(request.encoding.out_dims))
    return 1 << moved[row].bit_length(), 1 << moved[column].bit_length()


def _shuffle_cost(request: LoadRequest, message: Message, shuffle: LinearLayout) -> ShuffleCost:
    """Count the register bits inside one operand that are out of the operand's order."""
    tile_bits = max(1, request.tile_registers).bit_length() - 1
    channel = max(request.channel_bits, request.element_bits)
    channel_bits = (channel // request.element_bits).bit_length() - 1
    resized = abs(message.result_bits(request.subgroup_size).bit_length() - channel.bit_length())
    images = list(enumerate(shuffle.bases[REGISTER][:tile_bits]))
    return ShuffleCost(
        across_loads=sum(1 for _, (_, load) in images if load),
        repacked=resized + sum(1 for bit, (register, _) in images[:channel_bits] if register != 1 << bit),
        strided=sum(1 for bit, (register, _) in images if register != 1 << bit),
    )
