"""Builder of a warp's shared memory code in the LLVM dialect: addresses, reads, writes, byte permutations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntAttr, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dotload.dialect_ext.ttg import LocalAllocOp, MemDescIndexOp
from dotload.dialect_ext.typed import vector_parts
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import Addresses
from dotload.layout.byte_transposes import WORD_BYTES, WordRead, deposit_bits, offset
from dotload.layout.pair_reads import OTHER_OF_PAIR, OTHER_WORD, selector
from dotload.layout.word_stores import WordStore
from dotload.passes.ir.layouts import layout_of
from dotload.passes.ir.memory import memory_type
from dotload.passes.llvm.builder import LLVMBuilder
from dotload.passes.llvm.entry_block import EntryBlock
from dotload.passes.llvm.types import anything, step_properties, struct_type, vector_type

SHARED_POINTER = llvm.LLVMPointerType(IntAttr(3))
BYTES = vector_type(WORD_BYTES, i8)
HALVES = (0, 1, WORD_BYTES, WORD_BYTES + 1)
"""The low halves of two words."""
THREAD = "llvm.nvvm.read.ptx.sreg.tid.x"
LDMATRIX = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{count}.trans.b16.p3"
STMATRIX = "llvm.nvvm.stmatrix.sync.aligned.m8n8.x{count}.b16.p3"


@dataclass(frozen=True)
class Lane:
    """A word that is still in the vector in which it was loaded."""

    vector: SSAValue
    position: int


Word = SSAValue | Lane
"""Four bytes, of any type."""
Words = Mapping[int, Word]
"""Register number, without the bits of the bytes -> the word."""


@functools.lru_cache(maxsize=64)
def load_properties(alignment: int | None) -> dict[str, Attribute]:
    """Properties of an llvm.load; always the same objects, which an IR writer prints only once."""
    return llvm.LoadOp(anything(SHARED_POINTER), i32, alignment).properties


@functools.lru_cache(maxsize=64)
def store_properties(alignment: int) -> dict[str, Attribute]:
    """Properties of an llvm.store; the same objects, as above."""
    return llvm.StoreOp(anything(i32), anything(SHARED_POINTER), alignment).properties


@functools.lru_cache(maxsize=64)
def call_properties(name: str, arguments: int) -> dict[str, Attribute]:
    """Properties of an llvm.call_intrinsic with this many arguments; the same objects, as above."""
    return llvm.CallIntrinsicOp(name, [anything(i32)] * arguments, []).properties


def lanes_of(vector: SSAValue) -> list[Lane]:
    """All words of a vector of words."""
    return [Lane(vector, position) for position in range(vector_parts(vector)[0])]


@dataclass(frozen=True)
class ThreadStart:
    """The start of a thread's part of a tile: `pointer` + (`moving` ^ constant), in bytes.

    `moving_bits`: the bits that `moving` may have set; a constant without them may be added instead.
    """

    pointer: SSAValue
    moving: SSAValue
    moving_bits: int


class WarpBuilder(LLVMBuilder):
    """Inserts ops before `at`."""

    def __init__(self, at: Operation, entry: EntryBlock):
        super().__init__(at, entry)
        self._near: dict[tuple[ThreadStart, int], SSAValue] = {}
        self._cast: dict[tuple[SSAValue, int], SSAValue] = {}
        self._taken_out: dict[Lane, SSAValue] = {}

    def move(self, at: Operation) -> None:
        """Continue before `at`, further down in the block or in a nested one."""
        self.origin, self.where = at, InsertPoint.before(at)

    def bitcast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """The same bits as another type, cached: the cached value keeps the type alive, and so its id."""
        if (known := self._cast.get((value, id(type_)))) is not None:
            return known
        made = super().bitcast(value, type_)
        if made.type is type_:
            self._cast[value, id(type_)] = made
        return made

    def intrinsic(self, name: str, arguments: Sequence[SSAValue], result: Attribute) -> SSAValue:
        """Call an LLVM intrinsic."""
        return self.make(llvm.CallIntrinsicOp, arguments, result, **call_properties(name, len(arguments)))

    def _base_of(self, memory: SSAValue) -> SSAValue:
        """The start of a tile in shared memory; for one of several buffers, counted from the first.

        This leaves no op that picks the buffer. Triton 3.9 visits all addresses of each such op, twice.
        """
        index = memory.owner
        if not isinstance(index, MemDescIndexOp) or not isinstance(index.src.owner, LocalAllocOp):
            return self._pointer_of(memory)
        elements = 1 << len(layout_of(memory).bases[enc.OFFSET])  # of this CTA's part, in a cluster
        distance = elements * element_bits(memory_type(memory)) // 8
        return self.advance(self._pointer_of(index.src), self.mul(index.index, distance))

    def _pointer_of(self, memory: SSAValue) -> SSAValue:
        """The first field of the struct to which Triton's type converter lowers a memory descriptor."""
        rank = len(memory_type(memory).get_shape())
        return self.field(self.cast(memory, struct_type([SHARED_POINTER, *[i32] * rank])), 0)

    def start_of(self, memory: SSAValue, where: Addresses, lanes: Sequence[int]) -> ThreadStart:
        """A thread's part of a tile in shared memory; `lanes` are the columns of the lane bits, in elements."""
        pointer = self._base_of(memory)
        columns = [column * where.element_bits // 8 for column in (*lanes, *where.warp)]
        moving_bits = 0
        for column in columns:
            moving_bits |= column
        return ThreadStart(pointer, self._linear(self.intrinsic(THREAD, [], i32), columns), moving_bits)

    def _linear(self, number: SSAValue, columns: Sequence[int]) -> SSAValue:
        """The XOR of the columns of the bits set in `number`; bits with the same shift are shifted together."""
        masks: dict[int, int] = {}
        for source, column in enumerate(columns):
            for target in range(column.bit_length()):
                if column >> target & 1:
                    masks[target - source] = masks.get(target - source, 0) | 1 << target
        total = self.constant(0)
        for distance, mask in sorted(masks.items()):
            moved = self.bit_and(self.shift(number, distance), mask)
            total = moved if total is self.constant(0) else self.bit_xor(total, moved)
        return total

    def pointer(self, start: ThreadStart, constant: int) -> SSAValue:
        """The address at `constant` bytes (XOR) from the start of the thread's part."""
        crossing = constant & start.moving_bits
        if (start, crossing) not in self._near:
            self._near[start, crossing] = self.advance(start.pointer, self.bit_xor(start.moving, crossing))
        beyond = constant & ~start.moving_bits
        near = self._near[start, crossing]
        return near if beyond == 0 else self.make(llvm.GEPOp, [near], SHARED_POINTER, **step_properties(beyond))

    def advance(self, pointer: SSAValue, by: SSAValue) -> SSAValue:
        """The address `by` bytes further on."""
        return self.make(llvm.GEPOp, [pointer, by], SHARED_POINTER, **step_properties(llvm.GEP_USE_SSA_VAL))

    def read_words(self, read: WordRead, where: Addresses, start: ThreadStart) -> Words:
        """The words of a tile, as the instructions load them."""
        words: dict[int, Word] = {}
        for step in range(1 << len(read.iteration_bits)):
            first = deposit_bits(step, read.iteration_bits)
            at = self.pointer(start, offset(first, where.register) * where.element_bits // 8)
            if read.half_bit is not None:
                other = offset(first | 1 << read.half_bit, where.register) * where.element_bits // 8
                words[first] = self._join_halves(at, self.pointer(start, other))
                continue
            for number, word in enumerate(self._load_words(read, at)):
                words[first | deposit_bits(number, read.vector_bits)] = word
        return words

    def exchange(self, read: WordRead, words: Words) -> Words:
        """The words of `read`, or a group of them, permuted as fragments need them."""
        is_even = read.word_swap_lane is None and read.byte_swap_lane is None
        assert is_even or len(read.exchanges) == 1
        after = dict(words)
        for exchange in read.exchanges:
            after = exchange.apply(after, self.shuffle_bytes if is_even else self.uneven_shuffle(read))
        return after

    def _join_halves(self, low: SSAValue, high: SSAValue) -> SSAValue:
        """The word whose two halves lie at two addresses: one PRMT after two loads."""
        halves = [self.make(llvm.LoadOp, [at], i16, **load_properties(None)) for at in (low, high)]
        first, second = (self.make(arith.ExtUIOp, [half], i32) for half in halves)
        return self.shuffle_bytes(first, second, HALVES)

    def _load_words(self, read: WordRead, pointer: SSAValue) -> Sequence[Word]:
        """The words of one instruction."""
        count = 1 << len(read.vector_bits)
        if not read.is_matrix:
            if count == 1:
                return [self.make(llvm.LoadOp, [pointer], i32, **load_properties(None))]
            alignment = load_properties(count * WORD_BYTES)
            vector = self.make(llvm.LoadOp, [pointer], vector_type(count, i32), **alignment)
            return lanes_of(vector)
        result = struct_type([i32] * count) if count > 1 else i32
        loaded = self.intrinsic(LDMATRIX.format(count=count), [pointer], result)
        return [self.field(loaded, position) for position in range(count)] if count > 1 else [loaded]

    def store_words(self, store: WordStore, where: Addresses, words: Words, start: ThreadStart) -> None:
        """Store the words of a tile."""
        for step in range(1 << len(store.iteration_bits)):
            first = deposit_bits(step, store.iteration_bits)
            together = [
                words[first | deposit_bits(number, store.vector_bits)] for number in range(1 << len(store.vector_bits))
            ]
            at = self.pointer(start, offset(first, where.register) * where.element_bits // 8)
            if store.is_matrix:
                stmatrix = call_properties(STMATRIX.format(count=len(together)), 1 + len(together))
                self.do(llvm.CallIntrinsicOp, [at, *map(self.word, together)], **stmatrix)
            else:
                self._store_vector(together, at)

    def _store_vector(self, words: Sequence[Word], pointer: SSAValue) -> None:
        first, *others = self.joined(words).values()
        value = self.vector([self.word(word) for word in words]) if others else first
        self.do(llvm.StoreOp, [value, pointer], **store_properties(len(words) * WORD_BYTES))

    def word(self, word: Word, type_: Attribute = i32) -> SSAValue:
        """The word as a single value of this type."""
        if isinstance(word, Lane):
            if (value := self._taken_out.get(word)) is None:
                value = self._taken_out[word] = self.element(word.vector, word.position)
            word = value
        return self.bitcast(word, type_)

    def joined(self, words: Sequence[Word]) -> dict[int, SSAValue]:
        """The words at their indices, as i32; a vector whose words are all consecutive, at the index of the first."""
        joined: dict[int, SSAValue] = {}
        place = 0
        while place < len(words):
            word = words[place]
            all_of_it = lanes_of(word.vector) if isinstance(word, Lane) else [word]
            is_whole = list(words[place : place + len(all_of_it)]) == all_of_it
            joined[place] = word.vector if isinstance(word, Lane) and is_whole else self.word(word)
            place += len(all_of_it) if is_whole else 1
        return joined

    def spread_out(self, words: Mapping[int, SSAValue], struct: llvm.LLVMStructType, count: int) -> SSAValue:
        """The struct whose fields are the elements of `count` words, or of vectors of them, at their indices.

        The words go through the thread's local memory, which SROA, LLVM's first pass, turns into registers. In MLIR
        this takes two ops per word, or per vector. Extracting and inserting single elements takes two ops per element,
        and each op costs time in every later pass.
        """
        room = self.entry.room(count)
        for place, value in words.items():
            self.do(llvm.StoreOp, [value, room[place]], **store_properties(WORD_BYTES))
        return self.make(llvm.LoadOp, [room[0]], struct, **load_properties(WORD_BYTES))

    def shuffle_bytes(self, a: Word, b: Word, picks: Sequence[int]) -> SSAValue:
        """The word of these bytes of two words: one PRMT."""
        return self.shuffle_two(self.word(a, BYTES), self.word(b, BYTES), picks, BYTES)

    def uneven_shuffle(self, read: WordRead) -> Callable[[Word, Word, Sequence[int]], Word]:
        """`shuffle_bytes` if lanes differ in the order of words that they take or produce: one PRMT as well."""
        thread = self.intrinsic(THREAD, [], i32)
        changes = [
            self.mul(self.bit_and(self.shift(thread, -bit), 1), digits)
            for bit, digits in ((read.word_swap_lane, OTHER_WORD), (read.byte_swap_lane, OTHER_OF_PAIR))
            if bit is not None
        ]
        change = functools.reduce(self.bit_xor, changes)
        selectors: dict[tuple[int, ...], SSAValue] = {}

        def shuffle(a: Word, b: Word, picks: Sequence[int]) -> Word:
            if (digits := selectors.get(tuple(picks))) is None:
                digits = selectors[tuple(picks)] = self.bit_xor(change, selector(picks))
            return self.intrinsic("llvm.nvvm.prmt", [self.word(a), self.word(b), digits], i32)

        return shuffle
