"""The states along all paths through a function.

Loops run until no new state comes up, and MAX_ITERATIONS times at most: each of their buffers comes round at least
twice, in every phase. States with other integers are followed apart; others are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.arith import CmpiOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp
from dotload.passes.hazards.accesses import Access, Agent, accesses_of, takes_scratch
from dotload.passes.hazards.findings import Finding, Hazard
from dotload.passes.hazards.lifetimes import roots_of
from dotload.passes.hazards.membar import Barriers, is_barrier, mbarrier_of
from dotload.passes.hazards.ordering import ORDERING
from dotload.passes.hazards.registers import Watched
from dotload.passes.hazards.state import NOT_COMMITTED, Pending, State
from dotload.passes.hazards.values import Place, Values
from dotload.passes.ir.flow import handed_on_by

MAX_ITERATIONS = 16
"""Of a loop: twice the buffers, in both phases, of the four stages that people use."""

States = dict[Hashable, State]

LESS, GREATER = (2, 6), (4, 8)
"""The numbers of arith.cmpi's slt and ult, sgt and ugt."""

STORES = (Agent.WGMMA, Agent.TMA_STORE)


@dataclass
class Execution:
    """Runs a function; `findings` is what it comes by, and `_steps` what runs its ops, once that was asked for."""

    relevant: frozenset[SSAValue]
    watched: Watched
    barriers: Barriers = field(default_factory=Barriers)
    findings: dict[tuple[Hazard, Operation, Operation], Finding] = field(
        default_factory=dict[tuple[Hazard, Operation, Operation], Finding]
    )
    _steps: dict[Operation, Step | None] = field(default_factory=dict[Operation, "Step | None"])
    _steps_in: dict[Block, list[tuple[Operation, Step]]] = field(
        default_factory=dict[Block, "list[tuple[Operation, Step]]"], init=False
    )

    def between(self, barriers: Barriers) -> Execution:
        """An execution of the same function with these barriers, which adds to the same findings."""
        return Execution(self.relevant, self.watched, barriers, self.findings, self._steps)

    def run(self, region: Region, states: States) -> States:
        """The states at the end of a region, of those at its start."""
        if len(region.blocks) == 1:
            return self._block(region.block, states)
        leaving: States = {}
        waiting = [(region.blocks[0], state) for state in states.values()]
        entered: dict[Block, States] = {}
        while waiting:
            block, state = waiting.pop()
            known = entered.setdefault(block, {})
            if (state.key in known and not known[state.key].merge(state)) or len(known) > MAX_ITERATIONS:
                continue
            known.setdefault(state.key, state)
            ended, last = self._block(block, {state.key: state.copy()}), block.last_op
            assert last is not None
            if not last.successors:
                add(leaving, ended.values())
            waiting += [(successor, each.copy()) for successor in last.successors for each in ended.values()]
        return leaving

    def _block(self, block: Block, states: States) -> States:
        for op, step in self._steps_of(block):
            after: States = {}
            for state in states.values():
                if op in self.barriers.before:
                    state.barrier()
                add(after, step(self, op, state) or (state,))
                if op in self.barriers.behind:
                    state.barrier()
            states = after
        return states

    def _steps_of(self, block: Block) -> list[tuple[Operation, Step]]:
        """The ops of the block that matter here, and what runs them."""
        if block not in self._steps_in:
            steps = [(op, step) for op in block.ops if (step := self._step_of(op)) is not None]
            self._steps_in[block] = steps
        return self._steps_in[block]

    def _step_of(self, op: Operation) -> Step | None:
        if op not in self._steps:
            self._steps[op] = step_of(op, self.watched)
        at_barrier = op in self.barriers.before or op in self.barriers.behind
        return self._steps[op] or (nothing if at_barrier else None)

    # Accesses

    def access(self, op: Operation, accesses: list[Access], state: State) -> None:
        """What an op does to memory and registers: `accesses`, what is `watched`, and what it takes for its own use."""
        in_flight = {each.op for each in state.pending.values() if not each.is_complete}
        watched = self.watched.get(op, ())
        self.report(Finding(hazard, op, dot) for hazard, dot in watched if dot in in_flight)
        if accesses and accesses[0].agent in STORES:
            state.start_group(accesses[0].agent)
        for access in accesses:
            for place in places(access, state):
                self.report(state.access(pending(op, access, place, state)))
        if takes_scratch(op):
            self.report(state.access(Pending(op, Place(op), True, Agent.THREADS, is_complete=True)))

    def report(self, findings: Iterable[Finding]) -> None:
        """Add to the findings; of the same two ops, the first one stays."""
        for each in findings:
            self.findings.setdefault((each.hazard, each.op, each.other), each)

    # Control flow

    def branch(self, op: Operation, state: State) -> list[State]:
        """Both branches, or the one that is known to run."""
        assert isinstance(op, scf.IfOp)
        condition = state.values.number(op.cond)
        regions = [op.true_region, op.false_region]
        taken = regions if condition is None else [regions[0 if condition else 1]]
        after: States = {}
        for region in taken:
            if not region.blocks:
                add(after, [state.copy()])
                continue
            ended = self._block(region.block, {0: state.copy()})
            add(after, (self._bound(each, op.results, handed_on_by(region.block)) for each in ended.values()))
        return list(after.values())

    def loop(self, op: Operation, state: State) -> list[State]:
        """As many iterations as bring anything new, each of which may be the last."""
        assert isinstance(op, scf.ForOp)
        body, values = op.body.block, state.values
        start, step, end = values.number(op.lb), values.number(op.step), values.number(op.ub)
        values.bind(op.lb, start := start or 0)  # whichever it is: iterations are counted from it on
        values.bind(op.step, step := step or 1)
        variable = body.args[0]
        first = self._bound(state, body.args[1:], op.iter_args)
        if variable in self.relevant:
            first.values.bind(variable, start)
        heads, waiting, after = States(), [(first, 0)], States()
        while waiting:
            head, count = waiting.pop(0)
            known = heads.get(head.key)
            if known is not None and not known.merge(head):
                continue
            heads.setdefault(head.key, head.copy())
            is_over = end is not None and start + count * step >= end
            if is_over or (end is None and (count or not runs(op, values))):
                add(after, [self._left(head.copy(), op)])
            if is_over or count == MAX_ITERATIONS:
                continue
            for ended in self._block(body, {0: head.copy()}).values():
                following = self._bound(ended, body.args[1:], handed_on_by(body))
                if variable in self.relevant:
                    following.values.bind(variable, start + (count + 1) * step)
                waiting.append((following, count + 1))
        return list(after.values())

    def _left(self, state: State, op: scf.ForOp) -> State:
        state = self._bound(state, op.results, op.body.block.args[1:])
        for argument in op.body.block.args:
            state.values.bind(argument, None)
        state.leave_loop()
        return state

    def while_loop(self, op: Operation, state: State) -> list[State]:
        """As `loop`, with a condition."""
        assert isinstance(op, scf.WhileOp)
        before, behind = op.before_region.block, op.after_region.block
        waiting, heads, after = [(self._bound(state, before.args, op.arguments), 0)], States(), States()
        while waiting:
            head, count = waiting.pop(0)
            known = heads.get(head.key)
            if known is not None and not known.merge(head):
                continue
            heads.setdefault(head.key, head.copy())
            for tested in self._block(before, {0: head.copy()}).values():
                handed_on = handed_on_by(before)[1:]
                add(after, [self._bound(tested.copy(), op.results, handed_on)])
                if count < MAX_ITERATIONS:
                    inside = self._bound(tested, behind.args, handed_on)
                    for ended in self._block(behind, {0: inside}).values():
                        waiting.append((self._bound(ended, before.args, handed_on_by(behind)), count + 1))
        return list(after.values())

    def _bound(self, state: State, targets: Iterable[SSAValue], sources: Iterable[SSAValue]) -> State:
        """The state with the values of `sources` handed on to `targets`, as far as these matter."""
        known = [(target, state.values.of(source)) for target, source in zip(targets, sources, strict=True)]
        state.values.forget_computed()
        for target, value in known:
            state.values.bind(target, value if target in self.relevant else None)
        return state


Step = Callable[[Execution, Operation, State], "list[State] | None"]
"""Runs an op: the states behind it, or None for the one that it was given, changed."""

CONTROL: dict[str, Callable[[Execution, Operation, State], list[State]]] = {
    "scf.if": Execution.branch,
    "scf.for": Execution.loop,
    "scf.while": Execution.while_loop,
}


def step_of(op: Operation, watched: Watched) -> Step | None:
    """What runs the op; None where it does nothing that matters here."""
    if op.name in CONTROL:
        return CONTROL[op.name]
    if (order := ORDERING.get(op.name)) is not None:
        return lambda _, op, state: order(state, op)
    if is_barrier(op):
        return lambda _, op, state: state.barrier()
    accesses = list(accesses_of(op))
    if accesses or takes_scratch(op) or op in watched:
        return lambda execution, op, state: execution.access(op, accesses, state)
    return None


def nothing(execution: Execution, op: Operation, state: State) -> None:
    """An op that matters only for the barrier that membar places at it."""


def add(states: States, new: Iterable[State]) -> None:
    """Add states, merged with those that they may be taken for one with."""
    for state in new:
        if (known := states.get(state.key)) is not None:
            known.merge(state)
        else:
            states[state.key] = state


def runs(loop: scf.ForOp, values: Values) -> bool:
    """Whether the loop is known to have an iteration: it stands where a branch has asked just that."""
    block = loop.parent_block()
    branch = loop.parent_op()
    if not isinstance(branch, scf.IfOp) or branch.true_region.blocks.first is not block:
        return False
    condition = branch.cond.owner
    if not isinstance(condition, CmpiOp):
        return False
    sides = (condition.lhs, condition.rhs)
    low, high = sides if condition.predicate.value.data in LESS else reversed(sides)
    is_low = low is loop.lb or values.number(low) == values.number(loop.lb) is not None
    return is_low and high is loop.ub and condition.predicate.value.data in (*LESS, *GREATER)


def places(access: Access, state: State) -> list[Place]:
    """The memory that is accessed; all that it may be where that is not known."""
    place = state.values.place(access.memory)
    return [place] if place is not None else [Place(root) for root in roots_of(access.memory)]


def pending(op: Operation, access: Access, place: Place, state: State) -> Pending:
    """The access as it starts."""
    mbarrier, is_predicated = None, False
    if isinstance(op, AsyncTMACopyGlobalToLocalOp | AsyncTMAGatherOp):
        mbarrier = state.values.place(mbarrier_of(op))
        is_predicated = state.values.number(op.operands[-1]) is None  # by its place: see `mbarrier` of the op
    is_complete = not access.agent.is_asynchronous or (isinstance(op, WarpGroupDotOp) and not op.isAsync.value.data)
    age = NOT_COMMITTED if access.agent is Agent.COPY else 0
    return Pending(op, place, access.writes, access.agent, age, is_complete, mbarrier, is_predicated)
