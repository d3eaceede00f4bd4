"""Reads of staged tiles after Triton's pipeliner: a `ttg.local_load`, and the cast to the operand's fragments.

%r = ttg.local_load %tile {dotload.staged = "fragments"} : ... -> tensor<128x256xf8E4M3FN, #linear>
%f = builtin.unrealized_conversion_cast %r : ... to tensor<256x128xf8E4M3FN, #ttg.dot_op<...>>
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.encodings import NvmmaSharedEncoding
from dotload.dialect_ext.traits import computes_elements
from dotload.dialect_ext.ttg import Fp4ToFpOp, LocalLoadOp
from dotload.dialect_ext.typed import as_tensor, of_kind
from dotload.dialect_ext.types import element_bits
from dotload.layout.byte_transposes import WordRead
from dotload.passes.ir.def_use import erase_unused, only_user
from dotload.passes.ir.layouts import keeps_registers
from dotload.passes.ir.loops import wgmma_dots
from dotload.passes.ir.memory import memory_type
from dotload.passes.ir.targets import module_around
from dotload.passes.operand_staging.facts import Role, is_rewritten, role_of
from dotload.passes.operand_staging.remark_texts import conflicts


def staged_reads(ops: Iterable[Operation], role: Role | None = None) -> list[LocalLoadOp]:
    """The reads of staged tiles among the ops, in order; those of one role, or all."""
    return [op for op in of_kind(ops, LocalLoadOp) if (found := role_of(op)) and role in (None, found)]


def cast_of(read: LocalLoadOp) -> UnrealizedConversionCastOp | None:
    """The cast of the registers to fragments, or to a tile with permuted rows."""
    user = only_user(read.result)
    if not isinstance(user, UnrealizedConversionCastOp):
        return None
    return user if as_tensor(user.results[0].type) is not None else None


def fragments_of(read: LocalLoadOp) -> SSAValue:
    """The fragments that are read: after the cast, if there is one."""
    cast = cast_of(read)
    return read.result if cast is None else cast.results[0]


def is_written_by_tma(read: LocalLoadOp) -> bool:
    """Whether the tile is as TMA writes it: the lanes' words of a read may have to be swapped."""
    return isinstance(memory_type(read.src).encoding, NvmmaSharedEncoding)


def erase_read(read: LocalLoadOp) -> None:
    """Erase a read, the cast of its result, and the ops that pick its buffer if nothing else uses them."""
    buffer = read.src
    if (cast := cast_of(read)) is not None:
        Rewriter.erase_op(cast)
    Rewriter.erase_op(read)
    erase_unused([buffer])


def is_converted(read: LocalLoadOp) -> bool:
    """Whether the fragments are converted to another type before a dot takes them."""
    user = only_user(renamed(fragments_of(read)))
    return user is not None and is_computing(user)


def converts_fragments(loop: scf.ForOp) -> bool:
    """Whether the A of any wgmma of the loop has another type than the fragments that the loop reads."""
    read = {element_bits(each.result.type) for each in staged_reads(loop.body.block.ops)}
    return bool(read) and any(element_bits(dot.a.type) not in read for dot in wgmma_dots(loop))


def converts_in_registers(loop: scf.ForOp) -> bool:
    """Whether each wgmma of the loop takes its A from registers, in a kernel whose operands dotload prepares."""
    module, dots = module_around(loop), wgmma_dots(loop)
    return module is not None and is_rewritten(module) and bool(dots) and all(as_tensor(dot.a.type) for dot in dots)


def renamed(value: SSAValue) -> SSAValue:
    """The value under the last name of its layout: after conversions to equal layouts, if these are its only uses."""
    while (user := only_user(value)) is not None and keeps_registers(user):
        value = user.results[0]
    return value


def is_computing(op: Operation) -> bool:
    """Whether the op computes its one result element by element, or two elements from each byte."""
    return isinstance(op, Fp4ToFpOp) or computes_elements(op)


def read_behind(fragments: SSAValue) -> LocalLoadOp | None:
    """The read from which the fragments come, with or without a cast."""
    if isinstance(fragments, OpResult) and isinstance(fragments.op, UnrealizedConversionCastOp):
        (fragments,) = fragments.op.operands
    owner = fragments.owner
    return owner if isinstance(owner, LocalLoadOp) else None


def describe(read: WordRead) -> str:
    """How a tile is read, for a remark."""
    count = read.word_permutes
    steps = "one byte permutation" if count == 1 else f"{count} byte permutations"
    return f"the tile is read by {read.access.mnemonic}, {conflicts(read.access.conflict_ways)}, {steps} per word"
