"""`convert-async-copies-to-llvm`: lower loads into free buffers to cp.async in the LLVM dialect.

Candidates: a `ttg.async_copy_global_to_local` that `mark-free-buffers` has marked `dotload.free_buffer`.

Plan: `dotload.layout.async_copies` finds a thread's vectors of 16 bytes.

Emit, for `ttg.async_copy_global_to_local %p, %tile mask %m : tensor<128x128x!tt.ptr<i8>, #blocked> -> <128x128xi8>`:

    %ps = builtin.unrealized_conversion_cast %p : tensor<...> to !llvm.struct<(ptr<1>, ...)>
    %from = llvm.extractvalue %ps[0]
    %to = ... the address in the tile: XORs of bits of the thread's number
    %skip = arith.xori (the mask's element), true
    llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;" %to, %from, %skip

membar does not see these ops and places no CTA barrier for them, nor does Triton fence what they copy: the mark says
that the loop needs neither. `ttg.async_commit_group` and `ttg.async_wait` stay.

The vectors are tested against the addresses of all elements (test/unit/layout/test_async_copies.py). In strict mode,
translation validation compares the whole kernel with stock's.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr, i1
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.async_copies import VECTOR_BYTES
from dotload.passes.errors import LocatedFailure
from dotload.passes.ir.def_use import erase_unused
from dotload.passes.llvm.entry_block import EntryBlock
from dotload.passes.llvm.types import GLOBAL_POINTER, struct_type
from dotload.passes.llvm.warp_builder import WarpBuilder
from dotload.passes.operand_staging.facts import FREE_BUFFER, writes_free_buffer
from dotload.passes.pipelined_loops.async_vectors import vectors_of
from dotload.passes.rewriting import RewritePass

WHOLE = "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l"
MASKED = "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,b"
"""cp.async of one vector, and its operands. Where the predicate `ignore-src` holds, it writes zeros.

Triton passes the number of bytes to read, for which ptxas takes four instructions more a vector: the number is selected
by the mask, then by whether the iteration exists, and compared with 0 to get SASS's predicate.
"""


def emit(copy: AsyncCopyGlobalToLocalOp, entry: EntryBlock) -> None:
    """Copy the vectors of a tile."""
    found = vectors_of(copy)
    if found is None:
        raise LocatedFailure(copy, f"{FREE_BUFFER}: expected a load by whole vectors of {VECTOR_BYTES} bytes")
    vectors, where = found
    builder, memory = WarpBuilder(copy, entry), copy.result
    start = builder.start_of(memory, where, where.lane)
    count = 1 << len(where.register)
    sources = builder.cast(copy.src, struct_type([GLOBAL_POINTER] * count))
    masks = None if copy.mask is None else builder.cast(copy.mask, struct_type([i1] * count))
    for element, place in zip(vectors.elements, vectors.places, strict=True):
        operands = [builder.pointer(start, place), builder.field(sources, element)]
        text, constraints = WHOLE
        if masks is not None:
            text, constraints = MASKED
            operands.append(builder.bit_xor(builder.field(masks, element), 1))
        properties = {"asm_string": StringAttr(text), "constraints": StringAttr(constraints)}
        builder.do(llvm.InlineAsmOp, operands, has_side_effects=UnitAttr(), **properties)
    for commit in of_kind((use.operation for use in copy.token.uses), AsyncCommitGroupOp):
        commit.operands = [token for token in commit.inputTokens if token is not copy.token]
    Rewriter.erase_op(copy)
    erase_unused([memory])


@dataclass(frozen=True)
class ConvertAsyncCopiesToLLVMPass(RewritePass):
    """Lower loads into free buffers to cp.async in the LLVM dialect."""

    name = "convert-async-copies-to-llvm"

    def rewrite(self, module: ModuleOp) -> bool:
        changes = [self.rewrite_function(function, module) for function in of_kind(module.ops, FuncOp)]
        return any(changes)

    def rewrite_function(self, function: FuncOp, module: ModuleOp) -> bool:
        """Lower the marked loads of one function."""
        copies = [op for op in of_kind(function.walk(), AsyncCopyGlobalToLocalOp) if writes_free_buffer(op)]
        if copies:
            entry = EntryBlock(function, module)
            for copy in copies:
                emit(copy, entry)
        return bool(copies)
