"""`stage-dot-operands`: non-K-major 8- and 32-bit operands of dots go through swizzled shared memory.

Candidates: a `ttng.warp_group_dot` (wgmma) one of whose 8- or 32-bit operands is loaded with M or N contiguous, and a
`tt.dot` in mma.sync's layout with such an 8-bit operand. Stock Triton transposes these one element at a time.

Plan: `dotload.layout.staging` finds the route of each operand, REGISTERS or SHARED, with its layouts. What depends on
the program is in `operand_staging.plan`: the REGISTERS route permutes or transposes the accumulator, which is possible
if nothing in the loop but the dot uses it.

Emit, for the REGISTERS route of B (`%b : tensor<128x256xf8E4M3FN>`, N contiguous, acc : tensor<128x256xf32>):

    %raw = ttg.local_alloc %b : ... -> !ttg.memdesc<128x256, #raw>           in the order of global memory
    %r = ttg.local_load %raw : ... -> tensor<128x256, #linear>               read and permuted into fragments
    %bt = builtin.unrealized_conversion_cast %r to tensor<256x128, #dot_op<0>>    the same registers, n permuted
    %at = ttg.memdesc_trans %a
    %d = ttng.warp_group_dot %bt, %at, %acc : ... -> tensor<256x128xf32>     the transposed dot
    ... and after the loop, a cast of its result back to the indices that n had.

and for the SHARED route

    %raw = ttg.local_alloc %b : ... -> !ttg.memdesc<128x256, #raw>
    %r = ttg.local_load %raw : ... -> tensor<128x256, #linear>               16 bytes of consecutive k
    %a = ttg.local_alloc %r : ... -> !ttg.memdesc<128x256, #nvmma_shared>    16-byte stores, K-major

or, in a loop, a store to one of two buffers (`operand_staging.double_buffering`). Triton's pipeliner, which runs next,
feeds %raw by asynchronous copies. The reads carry the attribute `dotload.staged`, by which the passes after the
pipeliner find them (`operand_staging.facts`).

Prove: every route is checked element by element before anything is emitted; a plan that fails leaves the load alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dotload.dialect_ext.ttg import LocalAllocOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.layout.linear import LayoutError
from dotload.layout.reject import Reject
from dotload.passes.analysis.strides import Strides
from dotload.passes.ir.loops import DOTS, is_only_dot, loops_of
from dotload.passes.ir.wgmma import is_split_along_k
from dotload.passes.operand_staging import latencies
from dotload.passes.operand_staging.candidates import Operand, find_operand, find_operands
from dotload.passes.operand_staging.converted import (
    Converted,
    find_converted,
    is_awaited_for_a,
    is_one_of_several,
    takes_converted,
)
from dotload.passes.operand_staging.dot_groups import accumulator_of, dots_together, operands_of, why_not
from dotload.passes.operand_staging.dots_in_flight import await_for_branches, guard_loops
from dotload.passes.operand_staging.double_buffering import double_buffer, leaves_one_block
from dotload.passes.operand_staging.emit import emit_copy, emit_dot
from dotload.passes.operand_staging.facts import mark_converted, mark_module
from dotload.passes.operand_staging.ordering import refusal
from dotload.passes.operand_staging.plan import Plan, plan_dot
from dotload.passes.operand_staging.reasons import NARROW_LOADS, StagingReason
from dotload.passes.operand_staging.remark_texts import advice, describe, name_of, shape_text
from dotload.passes.operand_staging.stock import (
    StockEstimate,
    stock_bytes,
    stock_registers,
    stock_wavefronts,
    waits_of,
)
from dotload.passes.operand_staging.transposes import TransposeAtLoad, transposes_at_load
from dotload.passes.operand_staging.unstaged import Unstaged, unstaged_loads
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class Staged:
    """A dot, and the plan by which operands of it were staged, None if none was to be.

    `copies`: its K-major tiles. `stock_wavefronts`, `stock_registers`: what the dot takes in stock Triton.
    """

    dot: Operation
    plan: Plan | None = None
    copies: tuple[LocalAllocOp, ...] = ()
    stock_wavefronts: int = 0
    stock_registers: int = 0


def staged_loads(plans: Sequence[Plan]) -> dict[Operation, Operand]:
    """The loads of staged operands."""
    return {operand.load: operand for plan in plans for operand, _ in plan.routes}


@dataclass(frozen=True)
class StageDotOperandsPass(RewritePass):
    """Stage non-K-major operands of dots through swizzled shared memory.

    `k_within_columns`: no operand through registers into wgmma when its tile has more k than the dot has columns
    (Triton 3.6 cannot lower that). `await_for_branches`: wait at once for dots whose results only branches use
    (`operand_staging.dots_in_flight`). `num_stages`: the kernel's option of that name, 0 where it is not known; then a
    loop that copies an operand K-major waits for its dot.
    """

    name = "stage-dot-operands"

    k_within_columns: bool = False
    await_for_branches: bool = False
    num_stages: int = 0

    def rewrite(self, module: ModuleOp) -> bool:
        ops, strides = list(module.walk()), Strides(module)
        stock_shared = stock_bytes(of_kind(ops, scf.ForOp), self.num_stages)
        unstaged = unstaged_loads(ops, strides)
        refused = dict[Operation, Reject]()
        staged = [found for dot in ops if isinstance(dot, DOTS) for found in self.stage(dot, refused)]
        plans = [each.plan for each in staged if each.plan is not None]
        rewritten = [each.dot for each in staged if each.plan is not None]
        self.report_unstaged([replace(each, reason=refused.get(each.load, each.reason)) for each in unstaged], plans)
        in_flight = [each.dot for each in staged if self.overlap(each)]
        for dot in (each.dot for each in staged if each.plan is not None or takes_converted(each.dot)):
            latencies.load_through_index(dot, self.num_stages)
        for loop in loops_of(rewritten):
            latencies.load_within(loop, self.num_stages)
        if self.await_for_branches:
            await_for_branches([*in_flight, *rewritten])
        guard_loops(in_flight)
        if plans:
            wavefronts = sum(each.stock_wavefronts for each in staged)
            waits = max(waits_of(each.dot, self.num_stages) for each in staged)
            stock = StockEstimate(wavefronts, stock_shared, max(each.stock_registers for each in staged), waits)
            mark_module(module, sum(plan.cost[0] for plan in plans), stock, waits)
            self.advise(plans, strides)
        elif in_flight:
            mark_converted(module)
        return bool(in_flight or plans)

    def stage(self, dot: Operation, refused: dict[Operation, Reject]) -> Sequence[Staged]:
        """Rewrite a dot if it is a candidate, and those that go with it; none if it is one and stays as it is."""
        found = find_operands(dot)
        rejects = {operand: reject for operand in found if (reject := why_not(dot, operand))}
        for operand, reject in rejects.items():
            self.miss([operand], reject)
        eligible = [operand for operand in found if operand not in rejects]
        if staged := self.stage_transposed(dot, eligible, {0, 1} - {operand.index for operand in found}, refused):
            return staged
        if not found:
            return [self.stage_converted(dot)]
        try:
            return self.stage_operands(dot, eligible) if eligible else ()
        except Reject as reject:
            self.miss(eligible, reject)
            return ()

    def stage_operands(self, dot: Operation, operands: list[Operand]) -> Sequence[Staged]:
        """Rewrite a dot for these operands, with remarks; raises Reject, with nothing changed, if it stays."""
        staged = self.rewrite_together(dot, operands)
        self.report(staged)
        return staged

    def stage_transposed(
        self, dot: Operation, others: Sequence[Operand], indices: Collection[int], refused: dict[Operation, Reject]
    ) -> Sequence[Staged]:
        """Have mma.sync read transposes of tiles, operands with these indices, from the tiles themselves, beside its
        other operands; none if that is impossible: `refused` then has the reasons by the loads."""
        for transposes in transposes_at_load(dot, indices):
            found = [operand for each in transposes if (operand := find_operand(dot, each.index))]
            try:
                for reject in filter(None, (why_not(dot, operand) for operand in found)):
                    raise reject
                staged = self.stage_operands(dot, [*others, *found]) if len(found) == len(transposes) else ()
            except Reject as reject:
                refused |= {operand.load: reject for operand in found}
                staged = ()
            end = TransposeAtLoad.finish if staged else TransposeAtLoad.undo
            for transpose in transposes:
                end(transpose)
            if staged:
                return staged
        return ()

    def stage_converted(self, dot: Operation) -> Staged:
        """Have wgmma take a converted operand from registers, if it can."""
        found = (converted for index in (1, 0) if (converted := find_converted(dot, index)))
        for operand in (each for converted in found if (each := converted.as_operand) and not refusal(dot, each)):
            try:
                (staged,) = self.rewrite_dots([dot], {dot: [operand]})
            except Reject:
                continue  # the operand is stored for the dot instead, into two buffers: `overlap`
            self.report([staged])
            return staged
        return Staged(dot)

    def rewrite_together(self, dot: Operation, operands: list[Operand]) -> Sequence[Staged]:
        """Rewrite a dot and those that go with it; raises Reject, with nothing changed, when they stay.

        wgmma can take the operands of one dot alone, too, K-major from shared memory.
        """
        together = dots_together(dot)
        if isinstance(dot, WarpGroupDotOp) and len(together) > 1:
            with suppress(Reject):
                return self.rewrite_dots(together, {dot: operands})
            together = (dot,)
        return self.rewrite_dots(together, {dot: operands})

    def rewrite_dots(self, dots: Sequence[Operation], known: Mapping[Operation, list[Operand]]) -> Sequence[Staged]:
        """Plan, prove and emit for dots that go together; raises Reject, with nothing changed, when they stay.

        `known`: the operands of some that may be staged.
        """
        taken = operands_of(dots, known)
        accumulator = accumulator_of(dots, taken)
        plan = partial(plan_dot, k_within_columns=self.k_within_columns, num_stages=self.num_stages)
        try:
            plans = {dot: plan(dot, operands, accumulator) for dot, operands in taken.items()}
        except LayoutError as error:
            raise Reject(StagingReason.NO_LAYOUT, value=error) from None
        if len({(plan.transposed, *plan.permutations()) for plan in plans.values()}) > 1:
            raise Reject(StagingReason.ACCUMULATOR_SHARED)
        if not all(plan.is_proved for plan in plans.values()):
            raise Reject(StagingReason.UNPROVED)
        staged: list[Staged] = []
        for dot, plan in plans.items():
            planned = [operand for operand, _ in plan.routes]
            in_stock = sum(map(stock_wavefronts, planned)), stock_registers(dot, planned)
            copies = tuple(emit_copy(operand, route) for operand, route in plan.shared)
            if plan.registers:
                assert not isinstance(accumulator, Reject)
                emit_dot(dot, plan, None if staged else accumulator)  # the first permutes it for all
            staged.append(Staged(dot, plan, copies, *in_stock))
        return staged

    def report(self, staged: Sequence[Staged]) -> None:
        """Emit a remark for each operand that was staged."""
        for operand, route in (route for each in staged if each.plan is not None for route in each.plan.routes):
            self.passed(operand.load, describe(operand, route))

    def overlap(self, staged: Staged) -> bool:
        """Let the dot run while the operands of the next one are made ready; returns whether it may.

        To be called when all dots are rewritten: by then it shows how much memory those of one loop share.
        """
        dot, plan = staged.dot, staged.plan
        if plan is None:
            found = [converted for index in (0, 1) if (converted := find_converted(dot, index))]
            overlapped = [self.overlap_conversion(converted) for converted in found]
            return any(overlapped)
        spare = latencies.spare_bytes_of(dot) if plan.registers or is_only_dot(dot) else 0
        buffered = [double_buffer(copy, self.num_stages, spare) for copy in staged.copies]
        if plan.registers and not any(buffered) and not is_split_along_k(dot):
            latencies.load_further(dot, self.num_stages, spare)
        return bool(plan.registers) or any(buffered)

    def overlap_conversion(self, converted: Converted) -> bool:
        """`overlap` for an operand that comes in another type than it is multiplied in."""
        shape = shape_text(tensor_type(converted.alloc.operands[0]).get_shape())
        if is_one_of_several(converted):
            reject = Reject(StagingReason.SEVERAL_CONVERTED)
        elif is_awaited_for_a(converted.dot):
            reject = Reject(StagingReason.BOTH_COMPUTED)
        elif leaves_one_block(converted.alloc, converted.dot, self.num_stages):
            reject = Reject(StagingReason.ONE_BLOCK)
        elif not double_buffer(converted.alloc, self.num_stages):
            reject = Reject(StagingReason.CONVERTED)
        else:
            message = f"tile {shape} is converted into two buffers while the previous dot runs: {converted.name}"
            self.passed(converted.load, message)
            return True
        self.missed(converted.load, reject, converted.name)
        return False

    def miss(self, operands: Sequence[Operand], reject: Reject) -> None:
        """Emit a remark that says why these operands stay as they are."""
        for load, operand in {operand.load: operand for operand in operands}.items():
            self.missed(load, reject, name_of(operand))

    def advise(self, plans: Sequence[Plan], strides: Strides) -> None:
        """Emit remarks on what would make loads of staged operands faster."""
        for load, operand in staged_loads(plans).items():
            if (text := advice(operand, strides)) is not None:
                self.analysis(load, text, NARROW_LOADS)

    def report_unstaged(self, unstaged: Sequence[Unstaged], plans: Sequence[Plan]) -> None:
        """Emit remarks on loads that were no candidates, except those whose tiles a plan has staged for another dot."""
        staged = staged_loads(plans)
        for each in (one for one in unstaged if one.load not in staged):
            if isinstance(each.reason, Reject):
                self.missed(each.load, each.reason, each.operand)
            else:
                self.analysis(each.load, f"kept {each.load.name}: {each.reason}: {each.operand}")
