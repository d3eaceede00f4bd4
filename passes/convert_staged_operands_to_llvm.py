"""`convert-staged-operands-to-llvm`: reads of raw tiles become ldmatrix or ld.shared, and byte permutations.

Candidates: a `ttg.local_load` of 8- or 32-bit elements out of a tile that `stage-dot-operands` has staged (its memory
is a `#ttg.shared_linear`, or a `#ttg.nvmma_shared` that TMA has filled), and the `ttg.local_store` or `ttg.local_alloc`
that is all its value goes to.

Plan: `dotload.layout.byte_transposes` finds the instructions that read it, and the permutations behind them.

Emit, for `%v = ttg.local_load %raw : !ttg.memdesc<128x256xf8E4M3FN, #shared_linear> -> tensor<..., #dot_op>`:

    %m = builtin.unrealized_conversion_cast %raw : !ttg.memdesc<...> to !llvm.struct<(ptr<3>, i32, i32)>
    %base = llvm.extractvalue %m[0]
    ... the thread's address: XORs of bits of the thread's number
    %w = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%address)
    %b = llvm.shufflevector %w0, %w1 [0, 2, 4, 6] : vector<4xi8>              one PRMT
    llvm.store %b, %room                                                      from words to elements, for LLVM's SROA
    ...
    %struct = llvm.load %room
    %v = builtin.unrealized_conversion_cast %struct : !llvm.struct<(i8, ...)> to tensor<..., #dot_op>

so that Triton's own conversion of the rest carries on from there. Where Triton has cut a product along k, each part's
bytes are permuted right before it (`staged_operands.parts`). Barriers around the accesses are placed by
`staged_operands.barriers`.

Prove: each read is played through as the hardware would do it, and every register of a warp compared, before
anything is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrealizedConversionCastOp, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttg import (
    LocalAllocOp,
    LocalLoadOp,
    LocalStoreOp,
    MemDescIndexOp,
)
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import Addresses, addresses
from dotload.layout.byte_transposes import WORD_BITS, WordRead, prove_read, read_words
from dotload.layout.word_stores import WordStore, copy_words, prove_copy
from dotload.passes import remarks
from dotload.passes.analysis.glance import Kernel, may_read_staged_tile
from dotload.passes.emitter import (
    Emitter,
    Kept,
    as_mutable,
    layout_of,
    make_views_mutable,
    may_be_mutable,
    memory_layout,
    memory_type,
)
from dotload.passes.llvm_builder import EntryBlock, struct_type
from dotload.passes.staged_operands import barriers, residency, rotation, turned, waits
from dotload.passes.staged_operands.lifetimes import keep_alive
from dotload.passes.staged_operands.paired_stores import store_pairs
from dotload.passes.staged_operands.parts import Fragment, cut_further, erase_unused, fragments_of
from dotload.passes.staged_operands.warp_builder import BYTES, SHARED_POINTER, WarpBuilder, Words
from dotload.passes.typed import as_tensor, number_of, of_kind, tensor_type

PASS_NAME = "convert-staged-operands-to-llvm"
READ_BITS = (8, 32)

Store = LocalStoreOp | LocalAllocOp


# Candidates


@dataclass(frozen=True)
class StagedLoad:
    """A read of a raw tile. `is_given`: it lies as TMA has written it, not as a plan has chosen."""

    op: LocalLoadOp
    where: Addresses
    is_given: bool


def find_load(op: LocalLoadOp) -> StagedLoad | None:
    """The read, if it is one of a tile that stage-dot-operands has staged."""
    memory = memory_type(op.src)
    if not isinstance(op.src.owner, MemDescIndexOp | LocalAllocOp):
        return None
    is_given = isinstance(memory.encoding, attrs.NvmmaSharedEncoding)
    is_renamed = renaming_of(op) is not None
    if not isinstance(memory.encoding, attrs.SharedLinearEncoding) and not (is_given and (is_renamed or turns_k(op))):
        return None
    if len(memory.get_shape()) != 2:
        return None
    bits = element_bits(tensor_type(op.result))
    if bits not in READ_BITS:
        return None
    return StagedLoad(op, addresses(layout_of(op.result), memory_layout(op.src), bits), is_given)


def renaming_of(op: LocalLoadOp) -> UnrealizedConversionCastOp | None:
    """What calls the registers that a plan reads a tile into those of a fragment."""
    user = only_user(op.result)
    if not isinstance(user, UnrealizedConversionCastOp) or (renamed := as_tensor(user.results[0].type)) is None:
        return None
    return user if isinstance(renamed.encoding, attrs.DotOperandEncoding) else None


def only_user(value: SSAValue) -> Operation | None:
    """The op that is all the value goes to."""
    uses = list(value.uses)
    return uses[0].operation if len(uses) == 1 else None


def turns_k(op: LocalLoadOp) -> bool:
    """Whether the read is what a plan makes of a tile of TMA's: K becomes contiguous where something else is.

    Triton reads such tiles as well, for epilogues, or as operands that are K-major already.
    """
    encoding = tensor_type(op.result).encoding
    if isinstance(encoding, attrs.DotOperandEncoding):
        return contiguous_dim(op.src) == encoding.op_index
    store = store_of(op)
    return store is not None and contiguous_dim(op.src) != contiguous_dim(memory_of(store))


def contiguous_dim(memory: SSAValue) -> int:
    """The dim of which neighbours in memory differ in their index."""
    first = memory_layout(memory).bases[enc.OFFSET][0]
    return next(dim for dim, step in enumerate(first) if step)


def store_of(op: LocalLoadOp) -> Store | None:
    """The store that is all the value goes to."""
    user = only_user(op.result)
    return user if isinstance(user, Store) else None


def memory_of(store: Store) -> SSAValue:
    """The memory that is stored to."""
    return store.dst if isinstance(store, LocalStoreOp) else store.result


# Plan


@dataclass(frozen=True)
class StagedStore:
    """A store of a tile that was read by words."""

    op: Store
    where: Addresses
    words: WordStore


def plan_load(load: StagedLoad) -> WordRead:
    """How to read it; raises Kept when its registers are not filled by whole words, or the plan has no proof."""
    read = read_words(load.where, may_turn=load.is_given)
    if read is None:
        raise Kept("its registers are not filled by words of memory")
    if not prove_read(read, load.where):
        raise Kept("the plan did not pass its proof")
    return read


def plan_copy(load: StagedLoad) -> tuple[WordRead, StagedStore] | None:
    """How to read and store the tile; None when it goes elsewhere, or in smaller pieces than words."""
    store = store_of(load.op)
    if store is None or (isinstance(store, LocalAllocOp) and not may_be_mutable(store.result)):
        return None
    where = addresses(layout_of(load.op.result), memory_layout(memory_of(store)), load.where.element_bits)
    words = copy_words(load.where, where, may_turn=load.is_given)
    if words is None:
        return None
    if not prove_copy(*words, load.where, where):
        raise Kept("the plan did not pass its proof")
    return words[0], StagedStore(store, where, words[1])


# Emit


def base_pointer(builder: WarpBuilder, memory: SSAValue) -> SSAValue:
    """Where a tile of shared memory begins; of several in a row, counted from the first.

    That leaves no op that picks the tile. Triton 3.9 looks at each of these address by address, twice.
    """
    slot = memory.owner
    if not isinstance(slot, MemDescIndexOp) or not isinstance(slot.src.owner, LocalAllocOp):
        return pointer_of(builder, memory)
    elements = 1 << len(memory_layout(memory).bases[enc.OFFSET])  # of this block's part, where it is one of a cluster
    distance = elements * element_bits(memory_type(memory)) // 8
    return builder.advance(pointer_of(builder, slot.src), builder.mul(slot.index, distance))


def pointer_of(builder: WarpBuilder, memory: SSAValue) -> SSAValue:
    """The first field of what Triton's type converter makes of a memory descriptor."""
    rank = len(memory_type(memory).get_shape())
    return builder.field(builder.cast(memory, struct_type([SHARED_POINTER, *[i32] * rank])), 0)


def emit_tensor(load: StagedLoad, read: WordRead, entry: EntryBlock, *, is_met: bool, local_waits: bool) -> None:
    """Read the words and make them the tensor that Triton's type converter takes them for.

    `is_met`: the loop is rotated. The warps will meet where they have to, no barriers are to be placed, and the product
    is in one piece. `local_waits`: as for the pass.
    """
    builder = WarpBuilder(load.op, entry)
    start = builder.start_of(base_pointer(builder, load.op.src), load.where, read.lanes)
    words = builder.read_words(read, load.where, start)
    keep_alive(load.op.src, load.op)
    if not is_met:
        barriers.after_read(load.op, load.op.src)
    parts: Sequence[Fragment] = fragments_of(load.op)
    cuts = [part.product.a for part in parts]
    if not is_met:
        parts = cut_further(parts, local_waits=local_waits)
    for part in parts:
        builder.move(part.product)  # not earlier: its registers are those of a product that has just been waited for
        part.product.operands[0] = emit_fragment(builder, read, words, part.registers, part.tensor)
    erase_unused(cuts)
    if not parts:
        registers = range(1 << len(load.where.register))
        load.op.result.replace_all_uses_with(
            emit_fragment(builder, read, words, registers, tensor_type(load.op.result))
        )
    erase_read(load.op)


def emit_fragment(
    builder: WarpBuilder, read: WordRead, words: Words, registers: Sequence[int], tensor: TensorType[Attribute]
) -> SSAValue:
    """The tensor of these registers, made of the words that were read."""
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


def emit_copy(load: StagedLoad, read: WordRead, store: StagedStore, entry: EntryBlock, *, is_met: bool) -> None:
    """Read the tile's words and store them where the op did; `is_met` as for `emit_tensor`."""
    builder = WarpBuilder(load.op, entry)
    source = builder.start_of(base_pointer(builder, load.op.src), load.where, read.lanes)
    words = builder.exchange(read, builder.read_words(read, load.where, source))
    keep_alive(load.op.src, store.op)  # until then, or the two tiles might share memory
    memory = store.op.dst if isinstance(store.op, LocalStoreOp) else empty_alloc(store.op)
    if not is_met:
        barriers.before_store(store.op, memory)
    builder.move(store.op)
    target = builder.start_of(base_pointer(builder, memory), store.where, store.words.lanes)
    builder.store_words(store.words, store.where, words, target)
    if not is_met:
        barriers.after_store(store.op, memory)
    Rewriter.erase_op(store.op)
    if not is_met:
        barriers.after_read(load.op, load.op.src)
    erase_read(load.op)


def read_fragments(op: LocalLoadOp) -> None:
    """Let a read that is about to be replaced give the fragments itself that its registers are renamed to.

    By its type it is none that Triton would take then; where it reads from has been found out before.
    """
    if (renaming := renaming_of(op)) is not None:
        (fragments,) = renaming.results
        fragments.replace_all_uses_with(Rewriter.replace_value_with_new_type(op.result, fragments.type))
        Rewriter.erase_op(renaming)


def erase_read(op: LocalLoadOp) -> None:
    """Erase a read, and what picks its tile."""
    tile = op.src
    Rewriter.erase_op(op)
    erase_unused([tile])


def empty_alloc(alloc: LocalAllocOp) -> SSAValue:
    """Memory to store to in place of the memory that `alloc` fills; mutable, and so are the views of it."""
    memory = Emitter.before(alloc).add(LocalAllocOp(None, as_mutable(memory_type(alloc.result))))
    alloc.result.replace_all_uses_with(memory)
    make_views_mutable(memory)
    return memory


# The pass


@dataclass(frozen=True)
class Planned:
    """A read, how it is done, and the store that is done with it."""

    load: StagedLoad
    read: WordRead
    store: StagedStore | None


def plan_function(ops: Sequence[Operation]) -> list[Planned]:
    """The reads of staged tiles that have a plan, of all ops of a function; a remark for those that have none."""
    planned: list[Planned] = []
    for load in staged_loads(ops):
        try:
            read, store = plan_copy(load) or (plan_load(load), None)
            planned.append(Planned(load, read, store))
        except Kept as kept:
            remarks.emit("kept", PASS_NAME, load.op, f"kept ttg.local_load: {kept}")
    return planned


def rewrite_function(
    function: FuncOp, module: ModuleOp, *, local_waits: bool, early_fences: bool, few_views: bool
) -> None:
    """Rewrite every read of a staged tile, and rotate the loops that are all made of such reads; flags: the pass's."""
    ops = list(function.walk())
    planned = plan_function(ops)
    if not planned:
        return
    entry = EntryBlock(function, module)
    reads = [one.load.op for one in planned]
    for read in reads:
        read_fragments(read)
    loops = of_kind(ops, scf.ForOp)
    for loop in loops:
        waits.drop_repeated(loop)
    copies = [one.store.op for one in planned if one.store is not None]
    rotations = [found for found in (rotation.plan(loop, reads, copies) for loop in loops) if found]
    for found in rotations:
        remarks.emit(
            "applied", PASS_NAME, found.fragments or found.product, "its loop gets operands ready an iteration ahead"
        )
        rotation.arrange(found, local_waits=local_waits)
    rotated = {found.loop for found in rotations}
    copying = {one.load.op.parent_op() for one in planned if one.store is not None}
    for loop in loops:
        if loop not in rotated:
            rotation.await_products(loop, reads)
            give_up_tiles(loop, planned)
    for one in planned:
        rewrite(one, entry, is_met=one.load.op.parent_op() in rotated, local_waits=local_waits)
    for found in rotations:
        rotation.copy_ahead(found)
    for loop in loops:
        # Copies are fenced where they end; ptxas spilled words of one, in attention, when a fence stood above it.
        if early_fences and loop not in rotated and loop not in copying:
            barriers.fence_arrivals(loop)
        if not is_cluster(module):
            waits.leave_to_products(loop)
    store_pairs(ops)
    if few_views and not is_cluster(module):
        turned.turn_tiles(function)
        for loop in loops:
            waits.leave_memory(loop)


def is_cluster(module: ModuleOp) -> bool:
    """Whether several blocks share the work of one."""
    return number_of(module.attributes.get("ttg.num-ctas")) not in (None, 1)


def give_up_tiles(loop: scf.ForOp, planned: Sequence[Planned]) -> None:
    """Make copies of the loop do with one tile each, where another block will run for it."""
    for one in planned:
        found = residency.plan(loop, one.load.op, one.store.op) if one.store is not None else None
        if found is not None:
            remarks.emit("applied", PASS_NAME, one.load.op, found.told)
            residency.share(found)


def rewrite(planned: Planned, entry: EntryBlock, *, is_met: bool, local_waits: bool) -> None:
    """Emit one read, and the store of what it reads; `is_met` and `local_waits` as for `emit_tensor`."""
    load, read, store = planned.load, planned.read, planned.store
    remarks.emit("applied", PASS_NAME, load.op, describe(read))
    if not is_met:
        barriers.before_read(load.op, load.op.src)
    if store is not None:
        emit_copy(load, read, store, entry, is_met=is_met)
    else:
        emit_tensor(load, read, entry, is_met=is_met, local_waits=local_waits)


@dataclass(frozen=True)
class ConvertStagedOperandsToLLVMPass(ModulePass):
    """Lower reads of staged operands to ldmatrix and byte permutations in the LLVM dialect.

    `local_waits`: waits for wgmma may say that they are for the warp's group alone (Triton 3.9). `early_fences`: what
    asynchronous copies bring is fenced behind the wait for it, as Triton would do it later (from 3.7 on). `few_views`:
    views of memory cost more time to compile than other ops (Triton 3.9 writes down each address of each, twice).
    """

    name: ClassVar[str] = PASS_NAME

    local_waits: bool = False
    early_fences: bool = False
    few_views: bool = False

    @classmethod
    def might_apply(cls, kernel: Kernel) -> bool:
        """Whether a kernel may read a staged tile: a glance at its reads."""
        return may_read_staged_tile(kernel)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every read of a staged tile in the module."""
        for function in of_kind(op.ops, FuncOp):
            rewrite_function(
                function,
                op,
                local_waits=self.local_waits,
                early_fences=self.early_fences,
                few_views=self.few_views,
            )


def staged_loads(ops: Sequence[Operation]) -> list[StagedLoad]:
    """The reads of staged tiles, those first whose value is stored again: their barriers may do for the others."""
    if of_kind(ops, WarpSpecializeOp):
        return []  # a warp of a partition cannot tell its place from the thread's number
    loads = [find_load(op) for op in of_kind(ops, LocalLoadOp)]
    return sorted((load for load in loads if load is not None), key=lambda load: store_of(load.op) is None)


def describe(read: WordRead) -> str:
    """One line for the remark."""
    count = len(read.exchanges)
    steps = "one byte permutation" if count == 1 else f"{count} byte permutations"
    return f"tile is read by {read.access.mnemonic}, {read.access.conflict_ways}-way, {steps} a word"
