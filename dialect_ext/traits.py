"""Traits of Triton's ops: memory effects by resource, and what layout propagation may do with an op.

xDSL's own effects name no resource, and so concern all memory. Here they name shared memory, global memory, or the
queues of asynchronous operations, as Triton's op definitions do. An op that declares no effects may do anything.

    reads_shared(op), writes_shared(op)     effects on shared memory, the op's scratch space included
    writes_global(op)                       whether it may write global memory, or order accesses to it
    is_pure(op), is_removable(op)           whether it has no effects; is_removable ignores scratch space
    is_elementwise(op)                      whether each result element depends only on operand elements of its index
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, OpTrait, Resource, get_effects


@dataclass(frozen=True)
class SharedMemory(Resource):
    """Shared memory (ttg::SharedMemory)."""

    def name(self) -> str:
        return "<SharedMemory>"


@dataclass(frozen=True)
class GlobalMemory(Resource):
    """Global memory (tt::GlobalMemory)."""

    def name(self) -> str:
        return "<GlobalMemory>"


@dataclass(frozen=True)
class AsyncQueue(Resource):
    """Counts operations in flight: groups of cp.async, wgmma or bulk copies. Not memory that a kernel reads."""

    def name(self) -> str:
        return "<AsyncQueue>"


SHARED, GLOBAL, QUEUE = SharedMemory(), GlobalMemory(), AsyncQueue()

_READ_SHARED = EffectInstance(MemoryEffectKind.READ, resource=SHARED)
_WRITE_SHARED = EffectInstance(MemoryEffectKind.WRITE, resource=SHARED)
_READ_GLOBAL = EffectInstance(MemoryEffectKind.READ, resource=GLOBAL)
_WRITE_GLOBAL = EffectInstance(MemoryEffectKind.WRITE, resource=GLOBAL)


class FixedEffects(MemoryEffect):
    """Effects that every op of a kind has."""

    effects: frozenset[EffectInstance] = frozenset()

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return cls.effects


class ReadsShared(FixedEffects):
    """ttg.local_load and the like."""

    effects = frozenset({_READ_SHARED})


class WritesShared(FixedEffects):
    """ttg.local_store, mbarriers and the like."""

    effects = frozenset({_WRITE_SHARED})


class ReadsGlobal(FixedEffects):
    """tt.descriptor_load and the like."""

    effects = frozenset({_READ_GLOBAL})


class LoadsGlobal(MemoryEffect):
    """tt.load, cp.async: a volatile one counts as a write, so that no access moves across it."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        is_volatile = op.properties.get("isVolatile")
        writes = isinstance(is_volatile, IntegerAttr) and is_volatile.value.data
        return {_READ_GLOBAL, _WRITE_GLOBAL} if writes else {_READ_GLOBAL}


class WritesGlobal(FixedEffects):
    """tt.store."""

    effects = frozenset({_WRITE_GLOBAL})


class FreesShared(FixedEffects):
    """ttg.local_dealloc."""

    effects = frozenset({EffectInstance(MemoryEffectKind.FREE, resource=SHARED)})


class AllocatesShared(MemoryEffect):
    """ttg.local_alloc: it writes its operand, if any."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        allocated = EffectInstance(MemoryEffectKind.ALLOC, resource=SHARED)
        return {allocated, _WRITE_SHARED} if op.operands else {allocated}


class PureIfMarked(MemoryEffect):
    """tt.extern_elementwise, tt.elementwise_inline_asm: no effects if the property `pure` is set."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        pure = op.properties.get("pure")
        return frozenset() if isinstance(pure, IntegerAttr) and pure.value.data else None


class Queues(FixedEffects):
    """Ops that commit or wait for asynchronous operations: they order these, and write no memory."""

    effects = frozenset(
        EffectInstance(kind, resource=QUEUE) for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
    )


class UsesScratch(OpTrait):
    """The op's lowering may use shared memory as scratch space, to exchange values between warps."""


class Elementwise(OpTrait):
    """Each element of the result is computed from the operands' elements at the same index (mlir::Elementwise)."""


class AnyLayout(OpTrait):
    """Triton's remove-layout-conversions may rematerialize the op in any layout."""


PURE_DIALECTS = ("arith", "math")
"""Dialects of pure ops; xDSL lacks the trait on some of them (arith.remui)."""


def writes_shared(op: Operation) -> bool:
    """Whether the op may write shared memory: by its effects, through scratch space, or if they are unknown."""
    return op.has_trait(UsesScratch) or _has(op, MemoryEffectKind.WRITE)


def reads_shared(op: Operation) -> bool:
    """Whether the op may read shared memory."""
    return op.has_trait(UsesScratch) or _has(op, MemoryEffectKind.READ)


def writes_global(op: Operation) -> bool:
    """Whether the op may write global memory, or orders accesses to memory, as a barrier does."""
    effects = _effects(op)
    if effects is None:
        return True
    return any(effect.kind is MemoryEffectKind.WRITE and effect.resource not in (SHARED, QUEUE) for effect in effects)


def is_pure(op: Operation) -> bool:
    """Whether the op has no effect of any kind, and no scratch space."""
    return is_removable(op) and not op.has_trait(UsesScratch)


def is_removable(op: Operation) -> bool:
    """Whether the op may be erased if its results are unused: it has no effect except on its scratch space."""
    effects = _effects(op)
    return effects is not None and not effects


def is_elementwise(op: Operation) -> bool:
    """Whether the op computes each element of its result from the elements at the same index."""
    return op.dialect_name() in PURE_DIALECTS or op.has_trait(Elementwise) or is_pure_function(op)


def is_pure_function(op: Operation) -> bool:
    """Whether the op applies assembly or a library's function, without side effects and with one result."""
    return op.has_trait(PureIfMarked) and len(op.results) == 1 and is_removable(op)


def computes_elements(op: Operation) -> bool:
    """Whether the op computes its one result element by element from operands."""
    return bool(op.operands) and len(op.results) == 1 and is_elementwise(op)


def _has(op: Operation, kind: MemoryEffectKind) -> bool:
    effects = _effects(op)
    if effects is None:
        return True
    return any(effect.kind is kind and effect.resource not in (GLOBAL, QUEUE) for effect in effects)


def _effects(op: Operation) -> Set[EffectInstance] | None:
    return frozenset() if op.dialect_name() in PURE_DIALECTS else get_effects(op)
