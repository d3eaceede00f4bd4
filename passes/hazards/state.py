"""The state at one point of an execution: the accesses in flight, as one warp sees them.

An access is over for all warps after a CTA barrier that follows its completion:

    threads              complete at the op
    cp.async             complete after a ttg.async_wait for the group that the next ttg.async_commit_group closes
    wgmma, TMA stores    complete after a wait that leaves fewer in flight than have started since
    TMA                  complete, for all warps, after the wait for the phase of its mbarrier: each warp waits itself

A conflicting access before that is a hazard: both may access the same memory, and one of them writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation

from dotload.passes.hazards.accesses import Agent
from dotload.passes.hazards.findings import Finding, Hazard
from dotload.passes.hazards.membar import Shares
from dotload.passes.hazards.values import Buffer, Root, Values

NOT_COMMITTED = -1
"""The age of cp.async copies whose group is not yet committed."""

HAZARDS = {
    (False, True, False): Hazard.NOT_ARRIVED,
    (False, False, True): Hazard.STILL_READ,
    (False, True, True): Hazard.STILL_WRITTEN,
    (True, True, False): Hazard.NOT_SYNCED,
    (True, False, True): Hazard.READ_BY_OTHERS,
    (True, True, True): Hazard.WRITTEN_BY_OTHERS,
}
"""The hazard, by three flags: the first access is complete for its own warp; it writes; the second one writes."""


@dataclass(frozen=True)
class Pending:
    """An access that is not over, for other warps or for this one.

    `age`: the number of groups, or ops of its kind, started since. `mbarrier`: where a TMA copy arrives.
    `is_predicated`: a TMA copy that may not be issued, if no iteration follows that waits for it.
    """

    op: Operation
    buffer: Buffer
    writes: bool
    agent: Agent
    age: int = 0
    is_complete: bool = False
    mbarrier: Buffer | None = None
    is_predicated: bool = False

    @property
    def key(self) -> Hashable:
        """The key under which accesses are merged: accesses of one op, or all word accesses, to one buffer."""
        return (None if self.agent.is_by_words else self.op, self.buffer, self.writes, self.agent)


Accesses = dict[Hashable, Pending]


@dataclass
class State:
    """One point of an execution.

    `pending`: accesses that are not over for all warps; `unfenced`: writes by threads that the async proxy may not see;
    `phases`: the parity of each mbarrier's current phase.
    """

    values: Values
    shares: Shares
    fence_copies: bool
    pending: Accesses = field(default_factory=Accesses)
    unfenced: Accesses = field(default_factory=Accesses)
    phases: dict[Buffer, int] = field(default_factory=dict[Buffer, int])

    def copy(self) -> State:
        """An independent copy of the state."""
        return replace(
            self,
            values=self.values.copy(),
            pending=dict(self.pending),
            unfenced=dict(self.unfenced),
            phases=dict(self.phases),
        )

    @property
    def key(self) -> Hashable:
        """The key under which states are merged: equal values, and mbarriers in the same phases."""
        return (frozenset(self.values.bound.items()), frozenset(self.phases.items()))

    def merge(self, other: State) -> bool:
        """Become the union of both states; returns whether that adds anything."""
        changes = [merge(self.pending, other.pending), merge(self.unfenced, other.unfenced)]
        return any(changes)

    # Accesses

    def access(self, new: Pending) -> Iterable[Finding]:
        """Start an access; returns the races with earlier ones."""
        found = [finding for old in self.pending.values() if (finding := self._race(old, new)) is not None]
        if new.agent.is_async_proxy:
            stale = [old for old in self.unfenced.values() if old.buffer.overlaps(new.buffer)]
            found += [Finding(Hazard.NOT_FENCED, new.op, old.op, new.agent.value) for old in stale]
        self.pending[new.key] = new
        if new.agent is Agent.TMA:
            self.unfenced = {key: old for key, old in self.unfenced.items() if not old.buffer.overlaps(new.buffer)}
        elif new.writes and (new.agent.queue is not Agent.COPY or self.fence_copies):
            self.unfenced[new.key] = new
        return found

    def _race(self, old: Pending, new: Pending) -> Finding | None:
        if not (old.writes or new.writes) or not (old.buffer.overlaps(new.buffer) or self._share(old, new)):
            return None
        if new.writes and old.writes and old.agent is new.agent and (new.agent.is_by_words or new.agent is Agent.TMA):
            return None  # parts of one tile
        if old.op is new.op and not old.agent.is_asynchronous:
            return None
        return Finding(HAZARDS[old.is_complete, old.writes, new.writes], new.op, old.op, old.agent.value)

    def _share(self, old: Pending, new: Pending) -> bool:
        return old.buffer.root is not new.buffer.root and self.shares(old.buffer.root, new.buffer.root)

    # Ordering

    def barrier(self) -> None:
        """All warps synchronize: accesses that are complete are over for all."""
        self.pending = {key: each for key, each in self.pending.items() if not each.is_complete}

    def fence(self) -> None:
        """Make the writes of threads so far visible to the async proxy."""
        self.unfenced = {key: each for key, each in self.unfenced.items() if not each.is_complete}

    def start_group(self, agent: Agent) -> None:
        """Commit the group of cp.async, or start another wgmma or TMA store."""
        for accesses in (self.pending, self.unfenced):
            for key, each in list(accesses.items()):
                if each.agent.queue is agent and not each.is_complete:
                    accesses[key] = replace(each, age=each.age + 1)

    def wait(self, agent: Agent, in_flight: int) -> None:
        """Wait until at most `in_flight` groups, or ops, of this kind are in flight."""
        self._complete(lambda each: each.agent.queue is agent and each.age >= max(in_flight, 0))

    def wait_mbarrier(self, mbarrier: Buffer, parity: int | None) -> None:
        """Wait for a phase; a phase that is already over lets the warp pass."""
        current = self.phases.get(mbarrier, 0)
        if parity is not None and parity % 2 != current:
            return
        self.phases[mbarrier] = 1 - current
        self._complete(lambda each: each.mbarrier is not None and each.mbarrier.overlaps(mbarrier))
        self.pending = {key: each for key, each in self.pending.items() if not (each.mbarrier and each.is_complete)}

    def reset_mbarrier(self, mbarrier: Buffer) -> None:
        """Initialise or invalidate an mbarrier."""
        self.phases = {buffer: parity for buffer, parity in self.phases.items() if not buffer.overlaps(mbarrier)}

    def leave_loop(self, mbarriers: Collection[Root]) -> None:
        """Drop the predicated TMA copies that no iteration has waited for, of a loop that waits at these mbarriers.

        They were not issued. Other copies may be in flight, such as those for the next iteration of a loop around it.
        """

        def stays(each: Pending) -> bool:
            return not each.is_predicated or each.mbarrier is None or each.mbarrier.root not in mbarriers

        self.pending = {key: each for key, each in self.pending.items() if stays(each)}

    def _complete(self, holds: Callable[[Pending], bool]) -> None:
        for accesses in (self.pending, self.unfenced):
            for key, each in list(accesses.items()):
                if not each.is_complete and holds(each):
                    accesses[key] = replace(each, is_complete=True)


def merge(one: Accesses, other: Accesses) -> bool:
    """Add the accesses of another state; of equal ones, the one further from completion stays."""
    changed = False
    for key, new in other.items():
        old = one.get(key)
        if old is None or (new.is_complete, new.age) < (old.is_complete, old.age):
            one[key], changed = new, True
    return changed
