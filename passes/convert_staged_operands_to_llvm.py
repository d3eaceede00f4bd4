"""`convert-staged-operands-to-llvm`: reads of raw tiles become ldmatrix or ld.shared, and byte permutations.

Candidates: a `ttg.local_load` of 8- or 32-bit elements out of a tile that `stage-dot-operands` has staged (its memory
is a `#ttg.shared_linear`), and the `ttg.local_store` or `ttg.local_alloc` that is all its value goes to.

Plan: `dotload.layout.byte_transposes` finds the instructions that read it, and the permutations behind them.

Emit, for `%v = ttg.local_load %raw : !ttg.memdesc<128x256xf8E4M3FN, #shared_linear> -> tensor<..., #dot_op>`:

    %m = builtin.unrealized_conversion_cast %raw : !ttg.memdesc<...> to !llvm.struct<(ptr<3>, i32, i32)>
    %base = llvm.extractvalue %m[0]
    ... the thread's address: XORs of bits of the thread's number
    %w = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%address)
    %b = llvm.shufflevector %w0, %w1 [0, 2, 4, 6] : vector<4xi8>              one PRMT
    ...
    %v = builtin.unrealized_conversion_cast %struct : !llvm.struct<(i8, ...)> to tensor<..., #dot_op>

so that Triton's own conversion of the rest carries on from there. Where Triton splits a
product along k, each part is read one product ahead of its own (`dotload.passes.analysis.parts`).

Prove: each read is played through as the hardware would do it, and every register of a warp compared, before
anything is emitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttg import (
    LocalAllocOp,
    LocalDeallocOp,
    LocalLoadOp,
    LocalStoreOp,
    MemDescIndexOp,
    MemDescReshapeOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.types import element_bits
from dotload.layout.access import Addresses, addresses, vector_access
from dotload.layout.byte_transposes import WORD_BYTES, WordRead, offset, prove_read, read_words, spread
from dotload.layout.encodings import REGISTER
from dotload.layout.linear import LinearLayout, log2_exact
from dotload.passes import barriers, remarks
from dotload.passes.analysis.parts import parts_of
from dotload.passes.block_load.llvm_builder import EntryBlock, struct_type
from dotload.passes.emitter import Emitter, Kept, as_mutable, layout_of, make_views_mutable, memory_type, tensor_type
from dotload.passes.warp_builder import BYTES, SHARED_POINTER, WarpBuilder, Words

PASS_NAME = "convert-staged-operands-to-llvm"
READ_BITS = (8, 32)
STORED_WORDS = {1: (), 4: (1, 2)}
"""Elements of a word -> the columns of the register bits that count them, where a word is stored as it is."""

Store = LocalStoreOp | LocalAllocOp


# Candidates


@dataclass(frozen=True)
class Piece:
    """What is read at one place: all of a tile, or the part of it that one product takes.

    `start`: the element offset where it begins; `at`: the op before which it is read.
    """

    value: SSAValue
    where: Addresses
    start: int
    at: Operation


@dataclass(frozen=True)
class StagedLoad:
    """A read of a raw tile, in pieces of one size.

    `root` is the tile's memory before it was renamed by views; `between` are the ops that cut the pieces.
    """

    op: LocalLoadOp
    root: SSAValue
    pieces: tuple[Piece, ...]
    between: tuple[Operation, ...] = ()

    @property
    def store(self) -> Store | None:
        """The store that is all the value goes to."""
        uses = list(self.op.result.uses)
        user = uses[0].operation if len(uses) == 1 else None
        return user if isinstance(user, Store) else None


def find_load(op: LocalLoadOp) -> StagedLoad | None:
    """The read, if it is one of a tile that stage-dot-operands has staged."""
    root: SSAValue = op.src
    while isinstance(root, OpResult) and isinstance(root.op, MemDescReshapeOp | MemDescTransOp):
        root = root.op.operands[0]
    if not isinstance(root, OpResult) or not isinstance(root.op, MemDescIndexOp | LocalAllocOp):
        return None
    memory = memory_type(root)
    if not isinstance(memory.encoding, attrs.SharedLinearEncoding) or len(memory.get_shape()) != 2:
        return None
    if element_bits(tensor_type(op.result)) not in READ_BITS:
        return None
    parts, between = parts_of(op.result)
    if not parts:
        return StagedLoad(op, root, (piece_of(op, op.result, (0, 0), op),))
    ahead = [op, *[part.product for part in parts[:-1]]]
    pieces = [piece_of(op, part.value, part.origin, at) for part, at in zip(parts, ahead, strict=True)]
    return StagedLoad(op, root, tuple(pieces), tuple(between))


def piece_of(load: LocalLoadOp, value: SSAValue, origin: tuple[int, int], at: Operation) -> Piece:
    """The rectangle `value` of the tile, from `origin` on."""
    memory, part = memory_layout(load.src), layout_of(value)
    registers = [*part.bases[REGISTER], origin]  # one more, to have its offset as well
    bases = {name: registers if name == REGISTER else vectors for name, vectors in part.in_items}
    found = addresses(LinearLayout.from_bases(bases, memory.out_sizes), memory, element_bits(tensor_type(value)))
    *register, start = found.register
    return Piece(value, Addresses(tuple(register), found.lane, found.warp, found.element_bits), start, at)


def memory_layout(memory: SSAValue) -> LinearLayout:
    """The linear layout of a memory descriptor."""
    type_ = memory_type(memory)
    assert isinstance(type_.encoding, attrs.EncodingAttr)
    return type_.encoding.to_encoding().to_linear_layout(type_.get_shape())


def memory_of(store: Store) -> SSAValue:
    """The memory that is stored to."""
    return store.dst if isinstance(store, LocalStoreOp) else store.result


# Plan


@dataclass(frozen=True)
class StagedStore:
    """A store of a tile that was read by words: `run` are the register bits that count the words of a vector."""

    op: Store
    where: Addresses
    run: tuple[int, ...]


def plan_load(load: StagedLoad) -> WordRead:
    """How to read each piece; raises Kept when registers are not filled by whole words, or the plan has no proof."""
    where = load.pieces[0].where
    read = read_words(where)
    if read is None or any(piece.where != where for piece in load.pieces):
        raise Kept("its registers are not filled by words of memory")
    if not prove_read(read, where):
        raise Kept("the plan did not pass its proof")
    return read


def plan_store(load: StagedLoad) -> StagedStore | None:
    """The vectors by which the tile is stored; None when it goes elsewhere, or in smaller pieces than words."""
    store = load.store
    if store is None:
        return None
    bits = load.pieces[0].where.element_bits
    where = addresses(layout_of(load.op.result), memory_layout(memory_of(store)), bits)
    per_word = WORD_BYTES * 8 // bits
    run = vector_access(where, "store").lane_bytes // WORD_BYTES
    if run == 0 or not all(where.register) or where.register[: log2_exact(per_word)] != STORED_WORDS[per_word]:
        return None
    return StagedStore(store, where, tuple(where.register.index(per_word << bit) for bit in range(log2_exact(run))))


# Emit


def base_pointer(builder: WarpBuilder, memory: SSAValue) -> SSAValue:
    """Where a tile of shared memory begins: the first field of what Triton's type converter makes of it."""
    rank = len(memory_type(memory).get_shape())
    return builder.field(builder.cast(memory, struct_type([SHARED_POINTER, *[i32] * rank])), 0)


def emit_tensors(load: StagedLoad, read: WordRead, entry: EntryBlock) -> None:
    """Read each piece and make it a tensor again."""
    builder = WarpBuilder(load.op, entry)
    place = builder.place(base_pointer(builder, load.root), load.pieces[0].where, read.lanes)
    for piece in load.pieces:
        builder.move(piece.at)
        words = builder.read_words(read, piece.where, place, piece.start)
        piece.value.replace_all_uses_with(emit_tensor(builder, piece, words))
    last = load.pieces[-1].at
    keep_alive(load.root, last)
    barriers.after_read(last, load.root)
    for op in (*load.between, load.op):
        Rewriter.erase_op(op)


def emit_tensor(builder: WarpBuilder, piece: Piece, words: Words) -> SSAValue:
    """The tensor that Triton's type converter takes for these words."""
    tensor = tensor_type(piece.value)
    if piece.where.element_bits == 8:
        values = [
            builder.element(builder.bitcast(words[number & ~0b11], BYTES), number & 0b11)
            for number in range(1 << len(piece.where.register))
        ]
    else:
        values = [builder.bitcast(words[number], tensor.element_type) for number in range(len(words))]
    return builder.cast(builder.struct(values), tensor)


def emit_copy(load: StagedLoad, read: WordRead, store: StagedStore, entry: EntryBlock) -> None:
    """Read the tile's words and store them where the op did, a vector's worth at a time: few registers are busy."""
    (piece,) = load.pieces
    keep_alive(load.root, store.op)  # until then, or the two tiles might share memory
    memory = store.op.dst if isinstance(store.op, LocalStoreOp) else empty_alloc(store.op)
    barriers.before_store(store.op, memory)
    builder = WarpBuilder(store.op, entry)
    source = builder.place(base_pointer(builder, load.root), piece.where, read.lanes)
    target = builder.place(base_pointer(builder, memory), store.where, store.where.lane)
    one, others = read.one_of_many(store.run)
    for number in range(1 << len(others)):
        key = spread(number, others)
        words = builder.read_words(one, piece.where, source, piece.start ^ offset(key, piece.where.register))
        builder.write_words({word | key: value for word, value in words.items()}, store.where, store.run, target)
    barriers.after_store(store.op, memory)
    barriers.after_read(store.op, load.root)
    Rewriter.erase_op(store.op)
    Rewriter.erase_op(load.op)


def empty_alloc(alloc: LocalAllocOp) -> SSAValue:
    """Memory to store to in place of the memory that `alloc` fills; mutable, and so are the views of it."""
    memory = Emitter.before(alloc).add(LocalAllocOp(None, as_mutable(memory_type(alloc.result))))
    alloc.result.replace_all_uses_with(memory)
    make_views_mutable(memory)
    return memory


def keep_alive(memory: SSAValue, until: Operation) -> None:
    """Triton takes memory to be free after its last use that it sees; the pointers made of it here it does not see."""
    if isinstance(memory, OpResult) and isinstance(memory.op, LocalAllocOp):
        if not any(isinstance(use.operation, LocalDeallocOp) for use in memory.uses):
            Emitter.after(until).run(LocalDeallocOp(memory))


# The pass


def rewrite(load: StagedLoad, entry: EntryBlock) -> WordRead:
    """Plan, prove and emit for one read, and for the store of what it reads; raises Kept, with nothing changed."""
    read, store = plan_load(load), plan_store(load)
    barriers.before_read(load.op)
    if store is not None:
        emit_copy(load, read, store, entry)
    else:
        emit_tensors(load, read, entry)
    return read


@dataclass(frozen=True)
class ConvertStagedOperandsToLLVMPass(ModulePass):
    """Lower reads of staged operands to ldmatrix and byte permutations in the LLVM dialect."""

    name: ClassVar[str] = PASS_NAME

    @classmethod
    def might_apply(cls, text: str) -> bool:
        """Whether a module may hold a staged tile: a glance at its text."""
        return "#ttg.shared_linear" in text and "ttg.local_load" in text

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every read of a staged tile in the module."""
        for function in [found for found in op.walk() if isinstance(found, FuncOp)]:
            entry: EntryBlock | None = None
            for load in staged_loads(function):
                entry = entry or EntryBlock(function, op)
                try:
                    read = rewrite(load, entry)
                except Kept as kept:
                    remarks.emit("kept", self.name, load.op, f"kept ttg.local_load: {kept}")
                    continue
                steps = len(read.exchanges)
                told = f"{read.access.mnemonic}, {read.access.conflict_ways}-way, {steps} byte permutations a word"
                remarks.emit("applied", self.name, load.op, f"tile is read by {told}")


def staged_loads(function: FuncOp) -> list[StagedLoad]:
    """The reads of staged tiles, those first whose value is stored again: their barriers may do for the others."""
    if any(isinstance(op, WarpSpecializeOp) for op in function.walk()):
        return []  # a warp of a partition cannot tell its place from the thread's number
    loads = [find_load(op) for op in function.walk() if isinstance(op, LocalLoadOp)]
    return sorted((load for load in loads if load is not None), key=lambda load: load.store is None)
