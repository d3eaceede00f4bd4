"""`lower-staged-reads`: turn reads of staged bytes into reads of 16-bit pairs and byte permutations, in TTGIR.

Candidates: a `ttg.local_load` of 8-bit elements that `stage-dot-operands` has marked `dotload.staged`.

Plan: `dotload.layout.byte_transposes` finds the instructions, `dotload.layout.pair_reads` the layouts. Reads of 32-bit
elements, and of bytes that ldmatrix cannot read, are left to Triton's own conversion.

Emit, for `%r = ttg.local_load %raw : !ttg.memdesc<128x256xf8E4M3FN, #raw> -> tensor<128x256xf8E4M3FN, #linear>`:

    %m = ttg.memdesc_reinterpret %raw : ... -> !ttg.memdesc<128x128xi16, #pairs_of_raw>
    %p = ttg.local_load %m : ... -> tensor<128x128xi16, #pairs>              ldmatrix.x4.trans, by Triton's conversion
    %e, %o = tt.elementwise_inline_asm "prmt ..., prmt ..." %p               one PRMT a word, four pairs at a time
    %j = tt.join %e, %o : ... -> tensor<128x128x2xf8E4M3FN, #joined>         from here on, names of registers
    %b = builtin.unrealized_conversion_cast %j : ... to tensor<128x256xf8E4M3FN, #ordered>
    %r = ttg.convert_layout %b : ... -> tensor<128x256xf8E4M3FN, #linear>

Triton's allocation knows the lifetime of the tile, and its membar analysis places the CTA barriers. No op needs the
thread's number in the CTA, so the pass also serves partitions of warp-specialized kernels. The permuted registers exist
before the dot's first part starts, so `await-register-operands` has to run after this pass.

Prove: before emission, each read is simulated as the hardware executes it, and every register of a warp is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType, i16
from xdsl.ir import SSAValue

from dotload.dialect_ext.tt_compute import ElementwiseInlineAsmOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalLoadOp, MemDescReinterpretOp
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.access import addresses
from dotload.layout.byte_transposes import WordRead, prove_read, read_words
from dotload.layout.linear import LayoutError
from dotload.layout.pair_reads import PAIRS_IN_PACK, PairRead, read_pairs
from dotload.layout.reject import Reject
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, layout_of, linear_attribute
from dotload.passes.ir.memory import memory_type
from dotload.passes.pipelined_loops.reads import describe, erase_read, fragments_of, is_written_by_tma, staged_reads
from dotload.passes.pipelined_loops.reasons import ReadReason
from dotload.passes.rewriting import RewritePass

PERMUTE = "prmt.b32 {result}, $2, $3, {selector};"


# Plan


def plan(op: LocalLoadOp) -> tuple[WordRead, PairRead]:
    """The plan of a read; raises Reject if it is left to Triton."""
    layouts = layout_of(op.result), layout_of(op.src)
    where = addresses(*layouts, BYTE_BITS)
    words = read_words(where, may_swap_words=is_written_by_tma(op))
    if words is None or not words.is_matrix or words.exchanges[0].entering is None:
        raise Reject(ReadReason.NO_PAIRS, value="ldmatrix cannot bring them")
    if not prove_read(words, where):
        raise Reject(ReadReason.UNPROVED)
    try:
        return words, read_pairs(words, *layouts)
    except LayoutError as error:
        raise Reject(ReadReason.NO_PAIRS, value=error) from None


# Emit


def emit(op: LocalLoadOp, read: PairRead) -> None:
    """Read pairs, permute bytes, and rename registers."""
    emitter, fragments = Emitter.before(op), fragments_of(op)
    target, encoding = tensor_type(fragments), linear_attribute(read.pairs)
    element = target.element_type
    view = view_of_pairs(emitter, op.src, read)
    pairs = emitter.insert(LocalLoadOp(view, TensorType(i16, read.shape, encoding), op.token))
    halves = TensorType(element, read.shape, encoding)
    permutation = ElementwiseInlineAsmOp(
        assembly(read), "=r,=r,r,r", [pairs], [halves, halves], packed_elements=PAIRS_IN_PACK
    )
    emitter.run(permutation)
    first, second = permutation.results
    ordered = TensorType(element, target.shape, linear_attribute(read.ordered(layout_of(fragments))))
    named = emitter.cast(emitter.joined(first, second), ordered)
    fragments.replace_all_uses_with(emitter.insert(ConvertLayoutOp(named, target)))
    erase_read(op)


def view_of_pairs(emitter: Emitter, memory: SSAValue, read: PairRead) -> SSAValue:
    """The tile's memory with elements of 16 bits."""
    encoding = encoding_attribute(enc.SharedLinear(read.offset))
    return emitter.insert(MemDescReinterpretOp(memory, memory_type(memory).view(read.shape, i16, encoding)))


def assembly(read: PairRead) -> str:
    """PTX from two words of pairs ($2, $3) to four first elements ($0) and four second ones ($1)."""
    if not read.changes:
        return " ".join(PERMUTE.format(result=f"${at}", selector=f"{s:#06x}") for at, s in enumerate(read.selectors))
    lines = [".reg .b32 lane, bit, change, selector;", "mov.u32 lane, %laneid;", "mov.b32 change, 0;"]
    for change in read.changes:
        lines.append(f"bfe.u32 bit, lane, {change.lane_bit}, 1;")
        lines.append(f"mad.lo.u32 change, bit, {change.digits:#06x}, change;")
    for at, digits in enumerate(read.selectors):
        lines.append(f"xor.b32 selector, change, {digits:#06x};")
        lines.append(PERMUTE.format(result=f"${at}", selector="selector"))
    return "{ " + " ".join(lines) + " }"


@dataclass(frozen=True)
class LowerStagedReadsPass(RewritePass):
    """Read staged bytes as pairs, and permute them in registers.

    `partitions_only`: only in warp-specialized kernels, whose tiles `convert-staged-operands-to-llvm` cannot read.
    """

    name = "lower-staged-reads"

    partitions_only: bool = False

    def rewrite(self, module: ModuleOp) -> bool:
        ops = list(module.walk())
        if self.partitions_only and not of_kind(ops, WarpSpecializeOp):
            return False
        reads = [read for read in staged_reads(ops) if element_bits(read.result.type) == BYTE_BITS]
        return self.rewrite_each(reads, self.lower)

    def lower(self, read: LocalLoadOp) -> bool:
        """Rewrite a read; raises Reject if it is left to Triton."""
        words, pairs = plan(read)
        self.passed(read, describe(words))
        emit(read, pairs)
        return True
