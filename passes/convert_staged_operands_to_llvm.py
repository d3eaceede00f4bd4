"""`convert-staged-operands-to-llvm`: lower reads of staged tiles to ldmatrix or ld.shared, and byte permutations.

Candidates: a `ttg.local_load` that `stage-dot-operands` has marked `dotload.staged`, and the `ttg.local_store` or
`ttg.local_alloc` that is the only use of a K-major copy's registers.

Plan: `dotload.layout.byte_transposes` finds the instructions that read the tile, and the permutations after them.

Emit, for `%v = ttg.local_load %raw : !ttg.memdesc<128x256xf8E4M3FN, #shared_linear> -> tensor<..., #linear>`:

    %m = builtin.unrealized_conversion_cast %raw : !ttg.memdesc<...> to !llvm.struct<(ptr<3>, i32, i32)>
    %base = llvm.extractvalue %m[0]
    ... the thread's address: XORs of bits of the thread's number
    %w = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%address)
    %b = llvm.shufflevector %w0, %w1 [0, 2, 4, 6] : vector<4xi8>              one PRMT
    llvm.store %b, %room                                                      from words to elements, for LLVM's SROA
    ...
    %struct = llvm.load %room
    %v = builtin.unrealized_conversion_cast %struct : !llvm.struct<(i8, ...)> to tensor<..., #dot_op>

Triton's own conversion of the rest carries on from there. If Triton has split a dot along k, each part's bytes are
permuted right before the part (`pipelined_loops.splits`). The pass places the CTA barriers around the accesses, since
Triton's membar does not see them (`pipelined_loops.cta_barriers`), unless they are already placed
(`dotload.barriers_placed`).

Prove: before emission, each read is simulated as the hardware executes it, and every register of a warp is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalLoadOp, LocalStoreOp
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.access import Addresses, addresses
from dotload.layout.byte_transposes import WordRead, prove_read, read_words
from dotload.layout.reject import Reject
from dotload.layout.widths import WORD_BITS
from dotload.layout.word_stores import WordStore, copy_words, prove_copy
from dotload.passes.ir.def_use import erase_unused, only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of, layout_of_type, without_copies
from dotload.passes.ir.memory import as_mutable, make_views_mutable, may_be_mutable, memory_type, stored_memory
from dotload.passes.llvm.entry_block import EntryBlock
from dotload.passes.llvm.types import struct_type
from dotload.passes.llvm.warp_builder import BYTES, WarpBuilder, Words
from dotload.passes.operand_staging.facts import has_barriers
from dotload.passes.pipelined_loops import cta_barriers
from dotload.passes.pipelined_loops.buffer_liveness import keep_alive
from dotload.passes.pipelined_loops.reads import describe, erase_read, fragments_of, is_written_by_tma, staged_reads
from dotload.passes.pipelined_loops.reasons import ReadReason
from dotload.passes.pipelined_loops.splits import parts_of, taker_of
from dotload.passes.rewriting import RewritePass

READ_BITS = (8, 32)

Store = LocalStoreOp | LocalAllocOp


# Plan


@dataclass(frozen=True)
class StagedStore:
    """A store of a tile that was read in words."""

    op: Store
    where: Addresses
    words: WordStore


@dataclass(frozen=True)
class StagedRead:
    """A read of a staged tile: the layout of its registers, the instructions, and the store of a K-major copy."""

    op: LocalLoadOp
    where: Addresses
    words: WordRead
    store: StagedStore | None


def plan(op: LocalLoadOp) -> StagedRead:
    """The plan of a read, and of the store of its result; raises Reject if it is left to Triton."""
    bits, may_swap_words = element_bits(op.result.type), is_written_by_tma(op)
    if bits not in READ_BITS:
        raise Reject(ReadReason.ELEMENTS, value=bits)
    where = addresses(layout_of(op.result), layout_of(op.src), bits)
    if (copy := plan_copy(op, where, may_swap_words=may_swap_words)) is not None:
        return copy
    if not parts_of(fragments_of(op)):
        where = addresses(layout_of_type(without_copies(tensor_type(op.result))), layout_of(op.src), bits)
    words = read_words(where, may_swap_words=may_swap_words)
    if words is None:
        raise Reject(ReadReason.NO_WORDS)
    if not prove_read(words, where):
        raise Reject(ReadReason.UNPROVED)
    return StagedRead(op, where, words, None)


def plan_copy(op: LocalLoadOp, where: Addresses, *, may_swap_words: bool) -> StagedRead | None:
    """The plan to read and store a K-major copy; None if it has other uses, or is stored in pieces below a word."""
    tile = fragments_of(op)
    store = only_user(tile)
    if not isinstance(store, Store) or (isinstance(store, LocalAllocOp) and not may_be_mutable(store.result)):
        return None
    target = addresses(layout_of(tile), layout_of(stored_memory(store)), where.element_bits)
    words = copy_words(where, target, may_swap_words=may_swap_words)
    if words is None:
        return None
    if not prove_copy(*words, where, target):
        raise Reject(ReadReason.UNPROVED)
    return StagedRead(op, where, words[0], StagedStore(store, target, words[1]))


# Emit


def emit(read: StagedRead, entry: EntryBlock) -> None:
    """Emit one read, and the store of its result."""
    if not has_barriers(read.op):
        cta_barriers.before_read(read.op, read.op.src)
    if read.store is None:
        emit_fragments(read, entry)
    else:
        emit_copy(read, read.store, entry)


def emit_fragments(read: StagedRead, entry: EntryBlock) -> None:
    """Read the words and convert them to the tensors that Triton's type converter expects."""
    builder, memory = WarpBuilder(read.op, entry), read.op.src
    start = builder.start_of(memory, read.where, read.words.lanes)
    words = builder.read_words(read.words, read.where, start)
    keep_alive(memory, read.op)
    if not has_barriers(read.op):
        cta_barriers.after_read(read.op, memory)
    fragments = fragments_of(read.op)
    parts = parts_of(fragments)
    operands = [taker_of(part.dot).operands[0] for part in parts]
    made: dict[tuple[int, ...], SSAValue] = {}
    for part in parts:
        taker = taker_of(part.dot)
        if part.registers not in made:  # several dots may take one part
            builder.move(taker)  # not earlier: its registers are those of a dot that the loop has just waited for
            made[part.registers] = emit_tensor(builder, read.words, words, part.registers, part.tensor)
        taker.operands[0] = made[part.registers]
    erase_unused(operands)
    if not parts:
        tensor = tensor_type(fragments)
        once = without_copies(tensor)
        value = emit_tensor(builder, read.words, words, range(1 << len(read.where.register)), once)
        fragments.replace_all_uses_with(value if once is tensor else builder.insert(ConvertLayoutOp(value, tensor)))
    erase_read(read.op)


def emit_tensor(
    builder: WarpBuilder, read: WordRead, words: Words, registers: Sequence[int], tensor: TensorType[Attribute]
) -> SSAValue:
    """The tensor of these registers, assembled from the words that were read."""
    made = builder.exchange(read, {key: words[key] for key in read.words_of(registers)})
    in_word = WORD_BITS // element_bits(tensor)
    assert all(number == registers[at - at % in_word] + at % in_word for at, number in enumerate(registers))
    wanted = [made[number] for number in registers[::in_word]]
    if in_word == 1:
        element, values = tensor.element_type, builder.joined(wanted)
    else:
        element, values = i8, dict(enumerate(builder.word(word, BYTES) for word in wanted))
    struct = struct_type([element] * len(registers))
    return builder.cast(builder.spread_out(values, struct, len(wanted)), tensor)


def emit_copy(read: StagedRead, store: StagedStore, entry: EntryBlock) -> None:
    """Read the tile's words, and store them to the memory of the original store."""
    builder = WarpBuilder(read.op, entry)
    source = builder.start_of(read.op.src, read.where, read.words.lanes)
    words = builder.read_words(read.words, read.where, source)
    if not has_barriers(read.op):
        words = builder.exchange(read.words, words)
    keep_alive(read.op.src, store.op)  # until then, or the two tiles might share memory
    memory = store.op.dst if isinstance(store.op, LocalStoreOp) else empty_alloc(store.op)
    if not has_barriers(read.op):
        cta_barriers.before_store(store.op, memory)
    builder.move(store.op)
    if has_barriers(read.op):  # the dot starts in between: permutations go after its start
        words = builder.exchange(read.words, words)
    target = builder.start_of(memory, store.where, store.words.lanes)
    builder.store_words(store.words, store.where, words, target)
    if not has_barriers(read.op):
        cta_barriers.after_store(store.op, memory)
    Rewriter.erase_op(store.op)
    if not has_barriers(read.op):
        cta_barriers.after_read(read.op, read.op.src)
    erase_read(read.op)


def empty_alloc(alloc: LocalAllocOp) -> SSAValue:
    """Memory to store to, in place of the memory that `alloc` fills; it and its views are mutable."""
    memory = Emitter.before(alloc).insert(LocalAllocOp(None, as_mutable(memory_type(alloc.result))))
    alloc.result.replace_all_uses_with(memory)
    make_views_mutable(memory)
    return memory


@dataclass(frozen=True)
class ConvertStagedOperandsToLLVMPass(RewritePass):
    """Lower reads of staged operands to ldmatrix and byte permutations in the LLVM dialect."""

    name = "convert-staged-operands-to-llvm"

    def rewrite(self, module: ModuleOp) -> bool:
        changes = [self.rewrite_function(function, module) for function in of_kind(module.ops, FuncOp)]
        return any(changes)

    def rewrite_function(self, function: FuncOp, module: ModuleOp) -> bool:
        """Rewrite the reads of one function, those of K-major copies first: their barriers may serve the others too."""
        ops = list(function.walk())
        planned: list[StagedRead] = []
        for read in staged_reads(ops):
            try:
                if of_kind(ops, WarpSpecializeOp):
                    raise Reject(ReadReason.PARTITION)
                planned.append(plan(read))
            except Reject as reject:
                self.missed(read, reject)
        entry = EntryBlock(function, module)
        for read in sorted(planned, key=lambda read: read.store is None):
            self.passed(read.op, describe(read.words))
            emit(read, entry)
        return bool(planned)
