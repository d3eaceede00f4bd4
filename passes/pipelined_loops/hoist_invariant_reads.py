"""`hoist-invariant-reads`: read loop-invariant fragments before the loop.

    scf.for ... {
      %q = ttg.local_load %tile : !ttg.memdesc<16x128xbf16> -> tensor<16x128xbf16, #ttg.dot_op<{opIdx = 0, kWidth = 4}>>
      %s = tt.dot %q, %k, %zero

Triton reads Q again in every iteration, to save its registers. If K is converted from 8 bits, a lane needs four
consecutive k of Q, 8 bytes: more than ldmatrix gives a lane in a row. So Q is read by `ld.shared.v2`, whose words are
not in adjacent registers as mma.sync requires, and each is moved. For few rows of Q, the registers do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.ttg import LocalLoadOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.passes.ir.layouts import bits_of_thread
from dotload.passes.ir.memory import memory_type
from dotload.passes.ir.motion import move
from dotload.passes.rewriting import LoopPass

MAX_REGISTERS = 32
"""Registers that a thread may hold through a loop: 16 rows of 128 elements of 16 bits."""


@dataclass(frozen=True)
class HoistInvariantReadsPass(LoopPass):
    """Read loop-invariant fragments before the loop if ldmatrix cannot read them."""

    name = "hoist-invariant-reads"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        """Move all such reads if they fit into MAX_REGISTERS; some of them alone are not worth their registers."""
        loads = of_kind(loop.body.block.ops, LocalLoadOp)
        reads = [each for each in loads if is_invariant(each, loop) and is_beyond_ldmatrix(each)]
        registers = {read: bits_of_thread(read.result) // REGISTER_BITS for read in reads}
        if sum(registers.values()) > MAX_REGISTERS:
            return False
        for read in reads:
            move(read, loop)
            self.passed(read, f"{registers[read]} registers of fragments are read before the loop")
        return bool(reads)


def is_invariant(read: LocalLoadOp, loop: scf.ForOp) -> bool:
    """Whether the memory is filled before the loop, and not written again."""
    is_outside = not loop.is_ancestor(read.src.owner)
    return is_outside and not isinstance(memory_type(read.src).mutable, UnitAttr) and len(read.operands) == 1


def is_beyond_ldmatrix(read: LocalLoadOp) -> bool:
    """Whether a lane needs more consecutive bytes of k than ldmatrix gives it (PTX ISA, ldmatrix: one word)."""
    tensor = tensor_type(read.result)
    if not isinstance(tensor.encoding, attrs.DotOperandEncoding):
        return False
    return tensor.encoding.k_width * element_bits(tensor) > REGISTER_BITS
