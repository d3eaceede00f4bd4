"""Run-time checks of the hardware's rules for 2D block messages (cl_intel_subgroup_2d_block_io, "Restrictions").

The op's verifier has checked constant operands. A check that fails calls __assert_fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, SymbolRefAttr, i1, i64
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from dotload.dialect_ext.llvm import AddrSpaceCastOp, FuncOp
from dotload.dialect_ext.scf import IfOp
from dotload.dialect_ext.syntax import source_position
from dotload.dialect_ext.triton_gen import BlockMessageOp, BlockStore2DOp
from dotload.dialect_ext.triton_gen_verify import (
    MAX_EXTENT,
    MIN_PITCH_BYTES,
    MIN_WIDTH_BYTES,
    PITCH_MULTIPLE_BYTES,
    constant_value,
)
from dotload.passes.llvm.types import GLOBAL_POINTER
from dotload.passes.tritongen.builder import Callee, GenBuilder

GENERIC_POINTER = llvm.LLVMPointerType(IntegerAttr(4, 64).value)
ASSERT_FAIL = Callee("__assert_fail", will_return=False)
_LEAST, _MOST, _EQUAL, _SIGNED_LEAST = "uge", "ule", "eq", "sge"


@dataclass(frozen=True)
class Limit:
    """A condition on an operand; `holds` builds its i1."""

    operand: SSAValue
    message: str
    holds: Callable[[GenBuilder], SSAValue]


def assert_legal(builder: GenBuilder, op: BlockMessageOp, *, aligned: bool) -> None:
    """Assert what the verifier could not check; `aligned`: the target takes the base as it is."""
    limits = list(_limits(op))
    if isinstance(op, BlockStore2DOp) and not aligned:
        limits.append(_not_left(op))
    for limit in limits:
        if constant_value(limit.operand) is None:
            _assert(builder, limit.holds(builder), f"{op.name.removeprefix('triton_gen.')}: {limit.message}")


def _limits(op: BlockMessageOp) -> Iterator[Limit]:
    element_bytes = op.elem_size_in_bits.value.data // 8
    width, height, pitch = op.base_width, op.base_height, op.base_pitch
    yield _at_least(width, "base width", MIN_WIDTH_BYTES)
    yield _at_most(width, "base width")
    yield _multiple(width, "base width", max(4, element_bytes))
    yield _at_most(height, "base height")
    yield _at_least(pitch, "base pitch", MIN_PITCH_BYTES)
    yield _at_most(pitch, "base pitch")
    yield _multiple(pitch, "base pitch", PITCH_MULTIPLE_BYTES)
    yield Limit(pitch, "base pitch should be >= base width", lambda b: compare(b, _LEAST, pitch, width))
    if element_bytes < 4:
        yield _multiple(op.x, "x", 4 // element_bytes)


def _at_least(value: SSAValue, name: str, least: int) -> Limit:
    return Limit(value, f"{name} should be >= {least}", lambda b: compare(b, _LEAST, value, b.constant(least)))


def _at_most(value: SSAValue, name: str) -> Limit:
    return Limit(value, f"{name} should be <= 2^24", lambda b: compare(b, _MOST, value, b.constant(MAX_EXTENT)))


def _multiple(value: SSAValue, name: str, of: int) -> Limit:
    def holds(builder: GenBuilder) -> SSAValue:
        rest = builder.binary(llvm.AndOp, value, builder.constant(of - 1))
        return compare(builder, _EQUAL, rest, builder.constant(0))

    return Limit(value, f"{name} should be a multiple of {of}", holds)


def _not_left(op: BlockStore2DOp) -> Limit:
    """A store that begins left of a base that is aligned down would write there."""
    return Limit(op.x, "x should be >= 0", lambda b: compare(b, _SIGNED_LEAST, op.x, b.constant(0)))


def compare(builder: GenBuilder, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
    """`llvm.icmp`"""
    number = llvm.ICmpPredicateFlag(predicate).to_int()
    return builder.make(llvm.ICmpOp, [a, b], i1, predicate=IntegerAttr(number, i64))


def _assert(builder: GenBuilder, holds: SSAValue, message: str) -> None:
    """Call __assert_fail if the condition is false: by blocks in an llvm.func, by scf.if in a structured function."""
    at = builder.origin
    block = at.parent_block()
    assert block is not None
    if not isinstance(block.parent_op(), FuncOp):
        ok = builder.make(llvm.XOrOp, [holds, builder.constant(1, i1)], i1)
        end = scf.YieldOp()
        builder.run(IfOp(ok, [], [end]))
        _fail(GenBuilder(end, builder.module), builder, message)
        return
    rest = block.split_before(at)
    builder.where = InsertPoint.before(at)
    failing = Block()
    region = block.parent_region()
    assert region is not None
    region.insert_block_after(failing, block)
    jump = llvm.BrOp(rest)
    jump.location = at.location
    failing.add_op(jump)
    _fail(GenBuilder(jump, builder.module), builder, message)
    branch = llvm.CondBrOp(holds, rest, [], failing, [])
    branch.location = at.location
    block.add_op(branch)


def _fail(inside: GenBuilder, builder: GenBuilder, message: str) -> None:
    file, line, _ = source_position(builder.origin.location) or ("unknown", 0, 0)
    strings = [_string(inside, name, text) for name, text in (("Message_", message), ("File_", file), ("Func_", ""))]
    inside.call_void(ASSERT_FAIL, [strings[0], strings[1], inside.constant(line), strings[2]])


def _string(builder: GenBuilder, stem: str, text: str) -> SSAValue:
    """The address of a constant string, shared by all asserts with the same text."""
    data = text + "\0"
    module, number = builder.module, 0
    while (known := SymbolTable.lookup_symbol(module, StringAttr(name := f"assert{stem}{number}"))) is not None:
        if known.properties.get("value") == StringAttr(data):
            break
        number += 1
    else:
        made = llvm.GlobalOp(
            llvm.LLVMArrayType(len(data.encode()), IntegerType(8)),
            name,
            "internal",
            addr_space=1,
            constant=True,
            value=StringAttr(data),
        )
        Rewriter.insert_op(made, InsertPoint.at_start(module.body.block))
    address = builder.make(llvm.AddressOfOp, [], GLOBAL_POINTER, global_name=SymbolRefAttr(name))
    return builder.make(AddrSpaceCastOp, [address], GENERIC_POINTER)
