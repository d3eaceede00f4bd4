"""`widen-wgmma`: let one wgmma instruction compute all columns of a warpgroup, where Triton gives it a part of them.

    #mma = #ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [8, 1], instrShape = [16, 32, 16]}>
    #wide = #ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>

    %s = ttng.warp_group_dot %q, %k, %zero      %w = ttng.warp_group_dot %q, %k, %zero : ... -> tensor<64x64xf32, #wide>
      : ... -> tensor<64x64xf32, #mma>          %s = ttg.convert_layout %w : ... -> tensor<64x64xf32, #mma>

wgmma reads A from shared memory once for each instruction. Triton chooses an instruction's columns as if warps without
rows of their own had columns of their own. In attention, all warps lie along the rows. If there are 64 rows, both of
two warpgroups compute all scores, and read A for each half of the columns.

Both layouts have each element in the same register, so the conversion moves no data. Candidates: dots with A in shared
memory, in kernels in which `stage-dot-operands` has rewritten something.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttg import ConvertLayoutOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import is_splat, of_kind, retyped, tensor_type
from dotload.dialect_ext.types import MemDescType, element_bits, with_encoding
from dotload.layout import encodings as enc
from dotload.passes.ir.def_use import replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_as, encoding_attribute, layout_of_type
from dotload.passes.operand_staging.facts import is_rewritten
from dotload.passes.rewriting import RewritePass

MAX_COLUMNS = 256
"""The most columns of one instruction (PTX ISA, wgmma.mma_async)."""

MIN_BITS = 16
"""Element bits of A. With 8, latent attention took 0.94 to 1.07 times as long without the pass (bench/ablation.py)."""


# Plan


def wider_type(dot: WarpGroupDotOp) -> TensorType[Attribute] | None:
    """The type of the dot's result, in the same registers, of instructions with as many columns as possible.

    None if the dot has such instructions already, or A in registers, which are read once anyway, or 8-bit elements.
    """
    tensor = tensor_type(dot.d)
    narrow = encoding_as(enc.NvidiaMma, tensor.encoding)
    if not isinstance(dot.a.type, MemDescType) or narrow is None:
        return None
    if element_bits(dot.a.type) < MIN_BITS:
        return None
    rows, columns, k = narrow.instr_shape
    candidates: list[TensorType[Attribute]] = []
    while (columns := 2 * columns) <= min(tensor.get_shape()[1], MAX_COLUMNS):
        wide = encoding_attribute(replace(narrow, instr_shape=(rows, columns, k)))
        candidates.append(with_encoding(tensor, wide))
    same = [each for each in candidates if layout_of_type(each) == layout_of_type(tensor)]
    return same[-1] if same else None


# Emission


def emit(dot: WarpGroupDotOp, wide: TensorType[Attribute]) -> None:
    """Give the dot the wider type, and convert its result to the old type."""
    narrow = tensor_type(dot.d)
    dot.operands = [dot.a, dot.b, accumulator(dot, wide), *dot.operands[3:]]
    result = Rewriter.replace_value_with_new_type(dot.d, wide)
    back = ConvertLayoutOp(result, narrow)
    replace_uses_except(result, Emitter.after(dot).insert(back), back)


def accumulator(dot: WarpGroupDotOp, wide: TensorType[Attribute]) -> SSAValue:
    """The dot's accumulator, in the wider type."""
    emitter = Emitter.before(dot)
    match dot.c.owner:
        case arith.ConstantOp(value=constant) if is_splat(constant):
            return emitter.insert(arith.ConstantOp(retyped(constant, wide), wide))
        case ConvertLayoutOp(src=before) if before.type == wide:
            return before
        case _:
            return emitter.insert(ConvertLayoutOp(dot.c, wide))


@dataclass(frozen=True)
class WidenWgmmaPass(RewritePass):
    """Let one wgmma instruction compute all columns of a warpgroup."""

    name = "widen-wgmma"

    def rewrite(self, module: ModuleOp) -> bool:
        changed = False
        for dot in of_kind(module.walk(), WarpGroupDotOp) if is_rewritten(module) else ():
            if (wide := wider_type(dot)) is not None:
                now, then = columns_of(wide), columns_of(tensor_type(dot.d))
                self.passed(dot, f"an instruction computes {now} columns instead of {then}: A is read less often")
                emit(dot, wide)
                changed = True
        return changed


def columns_of(tensor: TensorType[Attribute]) -> int:
    """The columns of one instruction."""
    assert isinstance(tensor.encoding, attrs.NvidiaMmaEncoding)
    return tensor.encoding.instr_shape[1]
