"""Accesses to shared memory: what each op does, and which agent does it.

Triton's membar analysis sees Triton's ops, but not ops of the LLVM dialect. cp.async, TMA and wgmma are asynchronous:
they continue while the threads that started them run on (PTX ISA, "Asynchronous operations").
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.traits import reads_shared, writes_shared
from dotload.dialect_ext.ttg import (
    AsyncCopyGlobalToLocalOp,
    LocalAllocOp,
    LocalAtomicScatterRMWOp,
    LocalDeallocOp,
    LocalGatherOp,
    LocalLoadOp,
    LocalScatterOp,
    LocalStoreOp,
)
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.ttng import (
    ArriveBarrierOp,
    BarrierExpectOp,
    InitBarrierOp,
    InvalBarrierOp,
    WaitBarrierOp,
    WarpGroupDotOp,
)
from dotload.dialect_ext.ttng_tma import (
    AsyncTMACopyGlobalToLocalOp,
    AsyncTMACopyLocalToGlobalOp,
    AsyncTMAGatherOp,
    AsyncTMAReduceOp,
    AsyncTMAScatterOp,
)
from dotload.dialect_ext.types import MemDescType
from dotload.passes.hazards.values import is_shared_pointer


class Agent(enum.Enum):
    """The agent that accesses memory; the text is for diagnostics."""

    THREADS = "threads"
    WORDS = "threads, by words"
    """Accesses in the LLVM dialect: each op is a part of an access to a tile, and membar does not see it."""
    COPY = "cp.async"
    COPY_WORDS = "cp.async of words"
    """The same in the LLVM dialect."""
    TMA = "TMA"
    TMA_STORE = "a TMA store"
    WGMMA = "wgmma"

    @property
    def is_asynchronous(self) -> bool:
        """Whether the access continues after the op."""
        return self not in (Agent.THREADS, Agent.WORDS)

    @property
    def is_by_words(self) -> bool:
        """Whether each op accesses a part of a tile, in the LLVM dialect."""
        return self in (Agent.WORDS, Agent.COPY_WORDS)

    @property
    def queue(self) -> Agent:
        """The agent among whose accesses this one is counted, and waited for."""
        return Agent.COPY if self is Agent.COPY_WORDS else self

    @property
    def is_async_proxy(self) -> bool:
        """Whether a fence is needed between writes by threads and the access (PTX ISA, "Async proxy")."""
        return self in (Agent.TMA, Agent.TMA_STORE, Agent.WGMMA)


@dataclass(frozen=True)
class Access:
    """The effect of an op on the memory behind a value."""

    memory: SSAValue
    writes: bool
    agent: Agent


READS, WRITES = False, True

BY_OPERAND: Mapping[type[Operation], tuple[tuple[str, bool, Agent], ...]] = {
    LocalLoadOp: (("src", READS, Agent.THREADS),),
    LocalGatherOp: (("src", READS, Agent.THREADS),),
    LocalStoreOp: (("dst", WRITES, Agent.THREADS),),
    LocalScatterOp: (("dst", WRITES, Agent.THREADS),),
    LocalAtomicScatterRMWOp: (("dst", READS, Agent.THREADS), ("dst", WRITES, Agent.THREADS)),
    AsyncCopyGlobalToLocalOp: (("result", WRITES, Agent.COPY),),
    AsyncTMACopyGlobalToLocalOp: (("tile", WRITES, Agent.TMA),),
    AsyncTMAGatherOp: (("result", WRITES, Agent.TMA),),
    AsyncTMACopyLocalToGlobalOp: (("src", READS, Agent.TMA_STORE),),
    AsyncTMAReduceOp: (("src", READS, Agent.TMA_STORE),),
    AsyncTMAScatterOp: (("src", READS, Agent.TMA_STORE),),
    WarpGroupDotOp: (("a", READS, Agent.WGMMA), ("b", READS, Agent.WGMMA)),
}
"""The operands through which ops access tiles."""

MBARRIER_OPS = (InitBarrierOp, InvalBarrierOp, BarrierExpectOp, WaitBarrierOp, ArriveBarrierOp)
OF_MBARRIERS = (*MBARRIER_OPS, AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp)
"""Ops that access mbarriers, which membar treats as memory too."""

CP_ASYNC = "cp.async.c"
"""The start of inline assembly that copies to the address in its first operand."""
NOT_MODELLED = ("tc_gen5", "tmem", "clc_", "async_shared_store", "cluster_", "async_copy_mbarrier_arrive")


def accesses_of(op: Operation) -> Iterator[Access]:
    """The op's accesses to tiles in shared memory."""
    if isinstance(op, LocalAllocOp):
        if op.src is not None:
            yield Access(op.result, WRITES, Agent.THREADS)
        return
    for name, writes, agent in BY_OPERAND.get(type(op), ()):
        memory: SSAValue = getattr(op, name)
        if isinstance(memory.type, MemDescType):
            yield Access(memory, writes, agent)
    if isinstance(op, llvm.InlineAsmOp) and op.asm_string.data.startswith(CP_ASYNC):
        yield Access(op.operands[0], WRITES, Agent.COPY_WORDS)
    elif op.dialect_name() == "llvm" and not isinstance(op, llvm.GEPOp | llvm.CallOp):
        writes = isinstance(op, llvm.StoreOp) or (isinstance(op, llvm.CallIntrinsicOp) and "stmatrix" in op.intrin.data)
        is_access = isinstance(op, llvm.StoreOp | llvm.LoadOp | llvm.CallIntrinsicOp)
        if is_access:
            yield from (Access(value, writes, Agent.WORDS) for value in op.operands if is_shared_pointer(value))


def is_modelled(op: Operation) -> bool:
    """Whether the op's effect on shared memory is fully known."""
    _, _, name = op.name.partition(".")
    if isinstance(op, WarpSpecializeOp) or name.startswith(NOT_MODELLED) or op.name == "tt.call":
        return False
    if op.regions or type(op) in BY_OPERAND or isinstance(op, (LocalAllocOp, LocalDeallocOp, *MBARRIER_OPS)):
        return True
    takes_memory = any(isinstance(value.type, MemDescType) for value in op.operands)
    return not takes_memory or not (reads_shared(op) or writes_shared(op))
