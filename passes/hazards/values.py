"""Values in one execution of a function: integers, buffers of shared memory, addresses.

Triton counts buffers and phases from constants, so both are known in each iteration of a loop. Values that depend on
the thread's number are tracked as such: they decide where in a buffer an access goes, not which buffer.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntAttr, IntegerAttr, UnrealizedConversionCastOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from dotload.dialect_ext.arith import SelectOp
from dotload.dialect_ext.ttg import (
    LocalAllocOp,
    MemDescIndexOp,
    MemDescReinterpretOp,
    MemDescReshapeOp,
    MemDescSubsliceOp,
    MemDescTransOp,
)
from dotload.dialect_ext.ttng import WarpGroupDotWaitOp
from dotload.dialect_ext.types import MemDescType
from dotload.passes.ir.integers import FUNCTIONS, result_of
from dotload.passes.ir.memory import memory_type, size_bytes

SHARED_SPACE = 3
"""LLVM's address space of shared memory (NVPTX user guide)."""

VIEWS = (MemDescReinterpretOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp)

Root = SSAValue | Operation
"""The owner of shared memory: the result of a ttg.local_alloc, or an op with scratch memory."""


@dataclass(frozen=True)
class Buffer:
    """A buffer of an allocation. `index`: None if it is not known, or if the buffer is the only one."""

    root: Root
    index: int | None = None

    def overlaps(self, other: Buffer) -> bool:
        """Whether both may be the same memory of one allocation."""
        return self.root is other.root and (None in (self.index, other.index) or self.index == other.index)


@dataclass(frozen=True)
class Pointer:
    """An address: this many bytes after the start of a buffer, plus what a thread adds."""

    buffer: Buffer
    offset: int | None = 0


class Varying(enum.Enum):
    """A number that differs between threads."""

    BY_THREAD = enum.auto()


Known = int | Varying | Buffer | Pointer

EXTENSIONS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp)


@dataclass
class Values:
    """Known values. Control flow `bound` block arguments and loop results; other values are computed on demand.

    Among the latter, `_fixed` ones depend on constants and allocations alone, and are the same in every iteration.
    """

    blocks_of_cluster: int = 1
    bound: dict[SSAValue, Known] = field(default_factory=dict[SSAValue, Known])
    _fixed: dict[SSAValue, Known] = field(default_factory=dict[SSAValue, Known])
    _computed: dict[SSAValue, Known | None] = field(default_factory=dict[SSAValue, "Known | None"], init=False)

    def copy(self) -> Values:
        """An independent copy of the values."""
        return Values(self.blocks_of_cluster, dict(self.bound), self._fixed)

    def bind(self, value: SSAValue, known: Known | None) -> None:
        """Set the value that control flow has passed."""
        self.bound.pop(value, None)
        if known is not None:
            self.bound[value] = known

    def forget_computed(self) -> None:
        """Forget computed values, before ops run again with others."""
        self._computed.clear()

    def of(self, value: SSAValue) -> Known | None:
        """The value, or None if not known."""
        if (known := self.bound.get(value)) is not None:
            return known
        if (known := self._fixed.get(value)) is not None:
            return known
        if value not in self._computed:
            known = self._compute(value)
            if known is not None and self._is_fixed(value):
                self._fixed[value] = known
                return known
            self._computed[value] = known
        return self._computed[value]

    def _is_fixed(self, value: SSAValue) -> bool:
        if not isinstance(value, OpResult):
            return is_root(value)
        return not value.op.regions and all(operand in self._fixed for operand in value.op.operands)

    def number(self, value: SSAValue) -> int | None:
        """The value as an integer, if known."""
        known = self.of(value)
        return known if isinstance(known, int) else None

    def buffer(self, value: SSAValue) -> Buffer | None:
        """The memory behind a descriptor or a pointer."""
        known = self.of(value)
        if not isinstance(known, Pointer):
            return known if isinstance(known, Buffer) else None
        whole, offset = known.buffer, known.offset
        root = whole.root
        if offset is None or whole.index is not None or not isinstance(root, SSAValue) or not has_buffers(root):
            return whole
        buffer_bytes = size_bytes(root) // memory_type(root).get_shape()[0] // self.blocks_of_cluster
        return Buffer(root, offset // buffer_bytes)

    def _compute(self, value: SSAValue) -> Known | None:
        if is_root(value):
            return Buffer(value)
        match value.owner:
            case WarpGroupDotWaitOp() as op if isinstance(value, OpResult):
                return self.of(op.inputs[value.index])
            case Operation() as op:
                return self._result_of(op)
            case _:
                return None

    def _result_of(self, op: Operation) -> Known | None:
        match op:
            case MemDescIndexOp():
                return self._indexed(op)
            case arith.ConstantOp(value=IntegerAttr() as constant):
                return constant.value.data
            case arith.CmpiOp():
                return result_of(op, self.number(op.lhs), self.number(op.rhs))
            case SelectOp():
                condition = self.of(op.operands[0])
                return self.of(op.operands[1 if condition else 2]) if isinstance(condition, int) else None
            case llvm.GEPOp():
                return self._advanced(op)
            case llvm.CallIntrinsicOp():
                return Varying.BY_THREAD if "sreg" in op.intrin.data else None
            case UnrealizedConversionCastOp() if isinstance(op.operands[0].type, MemDescType):
                buffer = self.of(op.operands[0])
                return Pointer(buffer) if isinstance(buffer, Buffer) else None
            case _:
                return self._passed_on(op)

    def _passed_on(self, op: Operation) -> Known | None:
        if isinstance(op, (*VIEWS, *EXTENSIONS)) or op.name in ("llvm.extractvalue", "llvm.bitcast"):
            return self.of(op.operands[0])
        if op.name not in FUNCTIONS:
            return None
        a, b = self.of(op.operands[0]), self.of(op.operands[1])
        if isinstance(a, int) and isinstance(b, int):
            return result_of(op, a, b)
        is_known = isinstance(a, int | Varying) and isinstance(b, int | Varying)
        return Varying.BY_THREAD if is_known else None

    def _indexed(self, op: MemDescIndexOp) -> Buffer | None:
        source = self.of(op.src)
        if not isinstance(source, Buffer):
            return None
        index = 0 if memory_type(op.src).get_shape()[0] == 1 else self.number(op.index)
        return Buffer(source.root, index) if source.index is None else source

    def _advanced(self, op: llvm.GEPOp) -> Pointer | None:
        start = self.of(op.ptr)
        if not isinstance(start, Pointer):
            return None
        constants = [index for index in op.rawConstantIndices.iter_values() if index != llvm.GEP_USE_SSA_VAL]
        steps = [*constants, *map(self.of, op.ssa_indices)]
        if start.offset is None or not all(isinstance(step, int | Varying) for step in steps):
            return Pointer(start.buffer, None)
        return Pointer(start.buffer, start.offset + sum(step for step in steps if isinstance(step, int)))


def is_root(memory: SSAValue) -> bool:
    """Whether descriptors start here: an allocation, or a function's argument."""
    if not isinstance(memory.type, MemDescType):
        return False
    return isinstance(memory.owner, LocalAllocOp | Block) and not is_in_loop(memory.owner)


def is_in_loop(owner: Operation | Block) -> bool:
    """Whether the owner is a block to which control flow passes values."""
    parent = owner.parent_op() if isinstance(owner, Block) else None
    return parent is not None and parent.dialect_name() == "scf"


def has_buffers(root: SSAValue) -> bool:
    """Whether the allocation has several buffers, which ttg.memdesc_index selects."""
    return any(isinstance(use.operation, MemDescIndexOp) for use in root.uses)


def is_shared_pointer(value: SSAValue) -> bool:
    """Whether the value is an address in shared memory."""
    space = value.type.addr_space if isinstance(value.type, llvm.LLVMPointerType) else None
    return isinstance(space, IntAttr) and space.data == SHARED_SPACE
