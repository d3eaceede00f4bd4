"""Abstract execution: the states along all paths through a function.

A loop runs until no new state appears, and MAX_ITERATIONS times at most, so that each of its buffers is reused at least
twice, in every phase. States with different integers are kept apart; others are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from dotload.dialect_ext.arith import INTEGER_PREDICATES, CmpiOp
from dotload.dialect_ext.ttng import WaitBarrierOp, WarpGroupDotOp
from dotload.dialect_ext.ttng_tma import AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp
from dotload.dialect_ext.typed import of_kind
from dotload.passes.hazards.accesses import Access, Agent, accesses_of
from dotload.passes.hazards.findings import Finding
from dotload.passes.hazards.lifetimes import roots_of
from dotload.passes.hazards.membar import is_barrier, mbarrier_of
from dotload.passes.hazards.ordering import ORDERING
from dotload.passes.hazards.registers import Watch, Watched
from dotload.passes.hazards.state import NOT_COMMITTED, Pending, State
from dotload.passes.hazards.values import Buffer, Root, Values
from dotload.passes.ir.loops import terminator
from dotload.passes.ir.scratch import takes_scratch

MAX_ITERATIONS = 16
"""Iterations of a loop: twice the buffers, in both phases, of the four stages that people use."""

States = dict[Hashable, State]

TMA_LOADS = (AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp)
STORES = (Agent.WGMMA, Agent.TMA_STORE)


@dataclass
class Execution:
    """Runs a function that has CTA barriers before the ops `barriers`, and adds what it finds to `findings`.

    `steps`: functions that run the relevant ops. `relevant`: the values that distinguish states.
    """

    steps: Mapping[Operation, Step]
    relevant: frozenset[SSAValue]
    barriers: frozenset[Operation]
    findings: dict[Finding, None]
    _steps_in: dict[Block, list[tuple[Operation, Step]]] = field(
        default_factory=dict[Block, "list[tuple[Operation, Step]]"], init=False
    )
    _mbarriers_of: dict[Operation, frozenset[Root]] = field(
        default_factory=dict[Operation, "frozenset[Root]"], init=False
    )

    def run(self, region: Region, states: States) -> States:
        """The states at the end of a region, from those at its start."""
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
            ended, last = self._block(block, {state.key: state.copy()}), terminator(block)
            if not last.successors:
                add(leaving, ended.values())
            waiting += [(successor, each.copy()) for successor in last.successors for each in ended.values()]
        return leaving

    def _block(self, block: Block, states: States) -> States:
        for op, step in self._in(block):
            after: States = {}
            for state in states.values():
                if op in self.barriers:
                    state.barrier()
                add(after, step(self, op, state) or (state,))
            states = after
        return states

    def _in(self, block: Block) -> list[tuple[Operation, Step]]:
        """The relevant ops of the block, and the functions that run them."""
        if block not in self._steps_in:
            ops = (op for op in block.ops if op in self.steps or op in self.barriers)
            self._steps_in[block] = [(op, self.steps.get(op, nothing)) for op in ops]
        return self._steps_in[block]

    def access(self, op: Operation, accesses: list[Access], may_not_run: Collection[Watch], state: State) -> None:
        """An op's accesses, and the dots during whose flight it `may_not_run`."""
        if predicate_of(op, state) == 0:
            return
        in_flight = {each.op for each in state.pending.values() if not each.is_complete}
        self.report(Finding(hazard, op, dot) for hazard, dot in may_not_run if dot in in_flight)
        if accesses and accesses[0].agent in STORES:
            state.start_group(accesses[0].agent)
        for access in accesses:
            for buffer in buffers(access, state):
                self.report(state.access(pending(op, access, buffer, state)))

    def use_scratch(self, op: Operation, state: State) -> None:
        """An op's use of its scratch memory: all warps write, synchronize, and read."""
        self.report(state.access(Pending(op, Buffer(op), True, Agent.THREADS, is_complete=True)))
        state.barrier()
        self.report(state.access(Pending(op, Buffer(op), False, Agent.THREADS, is_complete=True)))

    def report(self, findings: Iterable[Finding]) -> None:
        """Add to the findings; of equal findings, the first one stays."""
        for each in findings:
            self.findings.setdefault(each)

    # Control flow

    def branch(self, op: Operation, state: State) -> list[State]:
        """Run both branches, or only the one that is known to be taken."""
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
            add(after, (self._bound(each, op.results, terminator(region.block).operands) for each in ended.values()))
        return list(after.values())

    def loop(self, op: Operation, state: State) -> list[State]:
        """Run iterations until they bring nothing new; the loop may end after each."""
        assert isinstance(op, scf.ForOp)
        body, values, after = op.body.block, state.values, States()
        start, step, end = values.number(op.lb), values.number(op.step), values.number(op.ub)
        values.bind(op.lb, start := start or 0)  # an unknown bound or step: count from 0 by 1
        values.bind(op.step, step := step or 1)

        def iterate(head: State, count: int) -> Iterator[State]:
            is_over = end is not None and start + count * step >= end
            if is_over or (end is None and (count or not runs(op, values))):
                add(after, [self._left(head.copy(), op)])
            if not is_over and count < MAX_ITERATIONS:
                for ended in self._block(body, {0: head.copy()}).values():
                    yield begin(ended, terminator(body).operands, count + 1)

        def begin(state: State, carried: Iterable[SSAValue], count: int) -> State:
            begun = self._bound(state, body.args[1:], carried)
            if body.args[0] in self.relevant:
                begun.values.bind(body.args[0], start + count * step)
            return begun

        until_known(begin(state, op.iter_args, 0), iterate)
        return list(after.values())

    def _left(self, state: State, op: scf.ForOp) -> State:
        state = self._bound(state, op.results, op.body.block.args[1:])
        for argument in op.body.block.args:
            state.values.bind(argument, None)
        if op not in self._mbarriers_of:
            waits = of_kind(op.walk(), WaitBarrierOp)
            self._mbarriers_of[op] = frozenset(root for wait in waits for root in roots_of(wait.alloc))
        state.leave_loop(self._mbarriers_of[op])
        return state

    def while_loop(self, op: Operation, state: State) -> list[State]:
        """As `loop`, with a condition."""
        assert isinstance(op, scf.WhileOp)
        before, behind, after = op.before_region.block, op.after_region.block, States()
        handed_on = terminator(before).operands[1:]

        def iterate(head: State, count: int) -> Iterator[State]:
            for tested in self._block(before, {0: head.copy()}).values():
                add(after, [self._bound(tested.copy(), op.results, handed_on)])
                if count < MAX_ITERATIONS:
                    inside = self._bound(tested, behind.args, handed_on)
                    for ended in self._block(behind, {0: inside}).values():
                        yield self._bound(ended, before.args, terminator(behind).operands)

        until_known(self._bound(state, before.args, op.arguments), iterate)
        return list(after.values())

    def _bound(self, state: State, targets: Iterable[SSAValue], sources: Iterable[SSAValue]) -> State:
        """The state in which the relevant ones of `targets` have the values of `sources`."""
        known = [(target, state.values.of(source)) for target, source in zip(targets, sources, strict=True)]
        state.values.forget_computed()
        for target, value in known:
            state.values.bind(target, value if target in self.relevant else None)
        return state


Step = Callable[[Execution, Operation, State], "list[State] | None"]
"""Runs an op; returns the states after it, or None if it has updated the given state in place."""

CONTROL: dict[str, Step] = {
    "scf.if": Execution.branch,
    "scf.for": Execution.loop,
    "scf.while": Execution.while_loop,
}


def steps_of(ops: Iterable[Operation], watched: Watched) -> dict[Operation, Step]:
    """The functions that run the relevant ops."""
    return {op: step for op in ops if (step := step_of(op, watched.get(op, ()))) is not None}


def step_of(op: Operation, may_not_run: Collection[Watch]) -> Step | None:
    """The function that runs the op; None if the op is not relevant."""
    if op.name in CONTROL:
        return CONTROL[op.name]
    if (order := ORDERING.get(op.name)) is not None:
        return lambda _, op, state: order(state, op)
    if is_barrier(op):
        return lambda _, op, state: state.barrier()
    accesses, scratch = list(accesses_of(op)), takes_scratch(op)

    def run(execution: Execution, op: Operation, state: State) -> None:
        execution.access(op, accesses, may_not_run, state)
        if scratch:
            execution.use_scratch(op, state)

    return run if accesses or scratch or may_not_run else None


def nothing(execution: Execution, op: Operation, state: State) -> None:
    """Run an op that matters only for the barrier that membar places at it."""


def until_known(first: State, iterate: Callable[[State, int], Iterable[State]]) -> None:
    """Run the iterations of a loop: `iterate` yields the states in which the next iteration may begin."""
    heads, waiting = States(), [(first, 0)]
    while waiting:
        head, count = waiting.pop(0)
        known = heads.get(head.key)
        if known is not None and not known.merge(head):
            continue
        heads.setdefault(head.key, head.copy())
        waiting += [(following, count + 1) for following in iterate(head, count)]


def add(states: States, new: Iterable[State]) -> None:
    """Add states, merging each with an equivalent one."""
    for state in new:
        if (known := states.get(state.key)) is not None:
            known.merge(state)
        else:
            states[state.key] = state


def runs(loop: scf.ForOp, values: Values) -> bool:
    """Whether the loop is known to run at least once, because a branch around it checks just that."""
    block = loop.parent_block()
    branch = loop.parent_op()
    if not isinstance(branch, scf.IfOp) or branch.true_region.blocks.first is not block:
        return False
    condition = branch.cond.owner
    if not isinstance(condition, CmpiOp):
        return False
    match INTEGER_PREDICATES[condition.predicate.value.data]:
        case "slt" | "ult":
            low, high = condition.lhs, condition.rhs
        case "sgt" | "ugt":
            high, low = condition.lhs, condition.rhs
        case _:
            return False
    return high is loop.ub and (low is loop.lb or values.number(low) == values.number(loop.lb) is not None)


def buffers(access: Access, state: State) -> list[Buffer]:
    """The memory that is accessed; if not known, all that it may be."""
    buffer = state.values.buffer(access.memory)
    return [buffer] if buffer is not None else [Buffer(root) for root in roots_of(access.memory)]


def predicate_of(op: Operation, state: State) -> int | None:
    """Whether the op is run: the predicate of a TMA load, or None if it is not known; 1 for other ops."""
    if not isinstance(op, TMA_LOADS):
        return 1
    return state.values.number(op.operands[-1])  # by position: see `mbarrier_of`


def pending(op: Operation, access: Access, buffer: Buffer, state: State) -> Pending:
    """The access at its start."""
    mbarrier = state.values.buffer(mbarrier_of(op)) if isinstance(op, TMA_LOADS) else None
    is_predicated = predicate_of(op, state) is None
    is_complete = not access.agent.is_asynchronous or (isinstance(op, WarpGroupDotOp) and not op.isAsync.value.data)
    age = NOT_COMMITTED if access.agent.queue is Agent.COPY else 0
    return Pending(op, buffer, access.writes, access.agent, age, is_complete, mbarrier, is_predicated)
