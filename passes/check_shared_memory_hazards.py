"""`check-shared-memory-hazards`: report reads before data arrive, and writes to what is still being read.

The pass changes nothing. Candidates: every function, as it leaves Triton's last TTGIR pass. Triton's membar analysis
has not placed its CTA barriers yet; the pass assumes them. A function with ops that are not modelled, above all warp
specialization, is skipped with a remark.

Report, for a copy that may overwrite a tile under a wgmma of another warp:

    gemm.py:42:24: error: 'ttg.async_copy_global_to_local' writes shared memory that wgmma may still be reading
    gemm.py:47:20: note: read here, by 'ttng.warp_group_dot'
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind
from dotload.layout.reject import Reason, Reject
from dotload.passes import remarks
from dotload.passes.errors import LocatedFailures
from dotload.passes.hazards.accesses import Agent, accesses_of, is_modelled
from dotload.passes.hazards.execution import Execution, steps_of
from dotload.passes.hazards.findings import Finding
from dotload.passes.hazards.lifetimes import roots_of, spans_of
from dotload.passes.hazards.membar import Shares, barriers_of, effects_of
from dotload.passes.hazards.registers import unwaited_uses, watched_in
from dotload.passes.hazards.relevance import relevant_values
from dotload.passes.hazards.state import State
from dotload.passes.hazards.values import Root, Values
from dotload.passes.ir.targets import cluster_size
from dotload.passes.rewriting import RewritePass

PASS_NAME = "check-shared-memory-hazards"


class HazardReason(Reason):
    """Why a function is not checked."""

    NOT_MODELLED = "the effect of {value} on shared memory is not modelled"


def findings_in(module: ModuleOp, *, fence_copies: bool) -> list[Finding]:
    """The hazards of all modelled functions; one for each pair of lines, which may stand for several ops."""
    found: dict[tuple[str, str], Finding] = {}
    for function in of_kind(module.ops, FuncOp):
        try:
            for finding in hazards_of(function, fence_copies=fence_copies):
                found.setdefault(finding.lines, finding)
        except Reject as reject:
            remarks.emit("missed", PASS_NAME, function, f"unchecked {function.name}: {reject.message}", reject.code)
    return list(found.values())


def hazards_of(function: FuncOp, *, fence_copies: bool = True) -> list[Finding]:
    """The hazards of a function; raises Reject if it is not modelled."""
    ops = list(function.walk())
    if not function.body.blocks:
        return []
    if (unknown := next((op for op in ops if not is_modelled(op)), None)) is not None:
        raise Reject(HazardReason.NOT_MODELLED, value=unknown.name)
    values = Values(cluster_size(function))
    findings = dict.fromkeys(each for dot in of_kind(ops, WarpGroupDotOp) for each in unwaited_uses(dot))
    steps, relevant = steps_of(ops, watched_in(function)), relevant_values(function)
    for barriers, pairs in ways_to_share(function, ops).items():
        state = State(values.copy(), sharing(pairs), fence_copies)
        Execution(steps, relevant, barriers, findings).run(function.body, {state.key: state})
    return list(findings)


def ways_to_share(function: FuncOp, ops: list[Operation]) -> dict[frozenset[Operation], list[tuple[Root, Root]]]:
    """The barriers that membar places, and for each set of barriers, the pairs of allocations that may share memory.

    All pairs of one set have the same execution, so that it runs once for all of them.
    """
    effects = cache(effects_of)  # membar asks for each op again with every pair
    ways = {barriers_of(function, sharing([]), effects): list[tuple[Root, Root]]()}
    for pair in pairs_in_one_memory(function, ops):
        ways.setdefault(barriers_of(function, sharing([pair]), effects), []).append(pair)
    return ways


def pairs_in_one_memory(function: FuncOp, ops: list[Operation]) -> Iterator[tuple[Root, Root]]:
    """Pairs of allocations that may share memory, if membar does not see all accesses to one of them.

    If it sees all accesses to both, it has placed the barriers that they need.
    """
    unseen = {
        root
        for op in ops
        for access in accesses_of(op)
        if access.agent is not Agent.THREADS
        for root in roots_of(access.memory)
    }
    for (one, (first, last)), (other, (start, end)) in combinations(spans_of(function).items(), 2):
        if not unseen.isdisjoint((one, other)) and (last < start or end < first):
            yield one, other


def sharing(pairs: Iterable[tuple[Root, Root]]) -> Shares:
    """A predicate: two allocations share memory if they are one of the pairs."""
    partners: defaultdict[Root, set[Root]] = defaultdict(set)
    for one, other in pairs:
        partners[one].add(other)
        partners[other].add(one)
    return lambda a, b: a is b or b in partners.get(a, ())


@dataclass(frozen=True)
class CheckSharedMemoryHazardsPass(RewritePass):
    """Report races in shared memory: reads before the data arrive, writes before reads are done.

    `fence_copies`: wgmma needs a fence after cp.async writes, too (Triton 3.6 places none).
    """

    name = PASS_NAME

    fence_copies: bool = True

    def rewrite(self, module: ModuleOp) -> bool:
        """Check every function; raises LocatedFailures for the findings."""
        if findings := findings_in(module, fence_copies=self.fence_copies):
            raise LocatedFailures([line for finding in findings for line in finding.lines])
        return False
