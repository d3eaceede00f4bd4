"""`hoist-load-bitcasts`: load a tile in the type in which a dot takes it, instead of casting what was loaded.

    %v = tt.load %p : tensor<64x128x!tt.ptr<i8>>         %q = tt.bitcast %p : ... -> tensor<64x128x!tt.ptr<f8E5M2>>
    %w = tt.bitcast %v : ... -> tensor<64x128xf8E5M2>    %w = tt.load %q : tensor<64x128x!tt.ptr<f8E5M2>>

Kernels take fp8 numbers as bytes if their callers have no such type. Triton copies the bytes to shared memory, reads
them to cast them, and writes them there again for wgmma, also those of a K-major tile. A cast of pointers is free.

Candidates: 8-bit tiles in a loop, loaded without a value for masked elements or with zeros, that only the cast uses,
and from which an operand of a dot is computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import BitcastOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import PointerType, element_bits
from dotload.layout.widths import BYTE_BITS
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loads import load_like, may_fill_with_zeros
from dotload.passes.ir.loops import feeds_dot
from dotload.passes.rewriting import LoopPass


def find_cast(load: LoadOp) -> BitcastOp | None:
    """The cast that is all that a tile is loaded for, if a dot takes what it makes; else None."""
    cast = only_user(load.result)
    if not isinstance(cast, BitcastOp) or load.is_volatile or element_bits(load.result.type) != BYTE_BITS:
        return None
    return cast if feeds_dot(cast) and may_fill_with_zeros(load) else None


def emit(load: LoadOp, cast: BitcastOp) -> None:
    """Load through pointers to the type of the cast."""
    emitter, old, new = Emitter.before(load), tensor_type(load.ptr), tensor_type(cast.result)
    assert isinstance(old.element_type, PointerType)
    pointer = PointerType(new.element_type, old.element_type.address_space)
    pointers = emitter.insert(BitcastOp(load.ptr, TensorType(pointer, old.shape, old.encoding)))
    other = None if load.other is None else emitter.splat(0, new)
    Rewriter.replace_op(cast, (), [emitter.insert(load_like(load, pointers, load.mask, other))])
    Rewriter.erase_op(load)


@dataclass(frozen=True)
class HoistLoadBitcastsPass(LoopPass):
    """Load tiles in the type in which dots take them."""

    name = "hoist-load-bitcasts"

    def rewrite_loop(self, loop: scf.ForOp) -> bool:
        found = [(load, cast) for load in of_kind(loop.body.block.ops, LoadOp) if (cast := find_cast(load)) is not None]
        for load, cast in found:
            self.passed(load, "the tile is loaded in the type of its cast, so that it need not go through registers")
            emit(load, cast)
        return bool(found)
