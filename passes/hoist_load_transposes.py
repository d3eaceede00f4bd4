"""`hoist-load-transposes`: load a tile of tf32 transposed for mma.sync, instead of transposing what was loaded.

    %v = tt.load %p : tensor<64x32x!tt.ptr<f32>, #columns>
    %l = ttg.convert_layout %v : tensor<64x32xf32, #columns> -> tensor<64x32xf32, #linear>       as Triton has it
    %t = tt.trans %l : ... -> tensor<32x64xf32, #dot_op>

    %q = tt.trans %p : ... -> tensor<32x64x!tt.ptr<f32>, #rows>                                  as this pass makes it
    %w = tt.load %q : tensor<32x64x!tt.ptr<f32>, #rows>
    %t = ttg.convert_layout %w : tensor<32x64xf32, #rows> -> tensor<32x64xf32, #dot_op>

Triton takes the order in shared memory from the fragments. Those of the transpose are K-major, but the tile is not:
neighbours in global memory are apart in shared memory, and each is copied alone, 4 bytes at a time. Of a row-major B
that is not transposed, Triton keeps the order, copies 16 bytes at a time, and reads single words. Transposes of
pointers and masks are free: each stays in its register.

Candidates: 32-bit tiles, not K-major, of which dots of mma.sync take nothing but the transpose, in a loop whose loads
Triton copies asynchronously: without copies, there is nothing to gain. Nor is there if single words are copied in
either order, since the mask or the pointers are not known to be the same and contiguous in pairs: K-major tiles are
read by ldmatrix, others are not. Tiles of 8 bits are staged (`operand_staging/transposes.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import DotOp, TransOp, is_transpose
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.typed import of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.widths import WORD_BITS
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.conversions import transposed
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import contiguous_axis, encoding_as, encoding_attribute
from dotload.passes.ir.loads import load_like
from dotload.passes.ir.loops import function_around
from dotload.passes.operand_staging.loop_loads import is_masked_whole, lies_in_vectors, may_be_pipelined
from dotload.passes.rewriting import RewritePass

PAIR = 2
"""Elements of the smallest copy that is wider than a word."""


@dataclass(frozen=True)
class TransposedWords:
    """A tile that is loaded, converted to another layout, and transposed into fragments."""

    load: LoadOp
    conversion: ConvertLayoutOp
    transpose: TransOp
    layout: enc.Blocked


# Candidates


def find_transposed(transpose: TransOp) -> TransposedWords | None:
    """The load behind a transpose that only dots of mma.sync take, if its tile is not K-major; else None."""
    fragments = encoding_as(enc.DotOperand, tensor_type(transpose.result).encoding)
    conversion = transpose.src.owner
    if fragments is None or not is_transpose(transpose) or not isinstance(conversion, ConvertLayoutOp):
        return None
    load = conversion.operands[0].owner
    if not isinstance(load, LoadOp) or load.is_volatile or element_bits(load.result.type) != WORD_BITS:
        return None
    layout = encoding_as(enc.Blocked, tensor_type(load.result).encoding)
    is_alone = all(value.has_one_use() for value in (load.result, conversion.result))
    is_multiplied = isinstance(fragments.parent, enc.NvidiaMma) and all(
        isinstance(use.operation, DotOp) for use in transpose.result.uses
    )
    is_k_major = contiguous_axis(load) == fragments.op_index  # A's last dim is K, and the first one of its transpose
    if layout is None or layout.cga.bases or is_k_major or not is_alone or not is_multiplied:
        return None
    return TransposedWords(load, conversion, transpose, layout)


def is_copied_in_pairs(load: LoadOp, strides: Strides) -> bool:
    """Whether Triton may copy more than a word at a time, if the tile keeps its order."""
    return is_masked_whole(load, contiguous_axis(load), PAIR) and lies_in_vectors(load, strides, PAIR * WORD_BITS)


# Emit


def transposed_layout(layout: enc.Blocked) -> enc.Blocked:
    """The layout in which each element of the transpose stays in its register."""
    return replace(
        layout,
        size_per_thread=layout.size_per_thread[::-1],
        threads_per_warp=layout.threads_per_warp[::-1],
        warps_per_cta=layout.warps_per_cta[::-1],
        order=tuple(1 - dim for dim in layout.order),
    )


def emit(found: TransposedWords) -> None:
    """Transpose the operands of the load, and bring what it loads into fragments."""
    load, emitter = found.load, Emitter.before(found.load)
    encoding = encoding_attribute(transposed_layout(found.layout))

    def exchanged(value: SSAValue) -> SSAValue:
        type_ = TensorType(tensor_type(value).element_type, shape_of(value.type)[::-1], encoding)
        return transposed(value, type_, emitter)

    ptr = exchanged(load.ptr)
    mask, other = (value if value is None else exchanged(value) for value in (load.mask, load.other))
    tile = emitter.insert(load_like(load, ptr, mask, other))
    fragments = tensor_type(found.transpose.result).encoding
    Rewriter.replace_op(found.transpose, (), [Emitter.before(found.transpose).in_layout(tile, fragments)])
    for op in (found.conversion, load):
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class HoistLoadTransposesPass(RewritePass):
    """Load tiles of tf32 transposed for mma.sync. `num_stages`: the kernel's option of that name, 0 if not known."""

    name = "hoist-load-transposes"

    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        transposes = [each for op in of_kind(module.walk(), TransOp) if (each := find_transposed(op))]
        looped = [each for each in transposes if may_be_pipelined(each.load.parent_op(), self.num_stages)]
        found = [each for each in looped if is_copied_in_pairs(each.load, Strides(function_around(each.load)))]
        for each in found:
            self.passed(each.load, "the tile is loaded transposed, so that it is copied 16 bytes at a time")
            emit(each)
        return bool(found)
