"""Ops that order accesses to shared memory: commits, waits, fences, phases of mbarriers."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from dotload.dialect_ext.ttg import AsyncCommitGroupOp, AsyncWaitOp
from dotload.dialect_ext.ttng import (
    FenceAsyncSharedOp,
    InitBarrierOp,
    InvalBarrierOp,
    WaitBarrierOp,
    WarpGroupDotWaitOp,
)
from dotload.dialect_ext.ttng_tma import TMAStoreWaitOp
from dotload.passes.hazards.accesses import Agent
from dotload.passes.hazards.membar import mbarrier_of
from dotload.passes.hazards.state import State


def wait_for_mbarrier(state: State, op: Operation) -> None:
    """ttng.wait_barrier"""
    assert isinstance(op, WaitBarrierOp)
    mbarrier = state.values.buffer(op.alloc)
    if mbarrier is not None and (op.pred is None or state.values.number(op.pred) != 0):
        state.wait_mbarrier(mbarrier, state.values.number(op.phase))


def reset_mbarrier(state: State, op: Operation) -> None:
    """ttng.init_barrier, ttng.inval_barrier"""
    if (mbarrier := state.values.buffer(mbarrier_of(op))) is not None:
        state.reset_mbarrier(mbarrier)


def wait_for(agent: Agent, attribute: str) -> Callable[[State, Operation], None]:
    """A wait that leaves as many accesses in flight as its attribute says."""
    return lambda state, op: state.wait(agent, getattr(op, attribute).value.data)


def wait_and_meet(agent: Agent, attribute: str) -> Callable[[State, Operation], None]:
    """The same, for a wait after which membar places a barrier (`membar.BARRIER_BEHIND`)."""

    def run(state: State, op: Operation) -> None:
        wait_for(agent, attribute)(state, op)
        state.barrier()

    return run


ORDERING: dict[str, Callable[[State, Operation], None]] = {
    AsyncCommitGroupOp.name: lambda state, _: state.start_group(Agent.COPY),
    AsyncWaitOp.name: wait_and_meet(Agent.COPY, "num"),
    WarpGroupDotWaitOp.name: wait_for(Agent.WGMMA, "pendings"),
    TMAStoreWaitOp.name: wait_and_meet(Agent.TMA_STORE, "pendings"),
    FenceAsyncSharedOp.name: lambda state, _: state.fence(),
    WaitBarrierOp.name: wait_for_mbarrier,
    InitBarrierOp.name: reset_mbarrier,
    InvalBarrierOp.name: reset_mbarrier,
}
