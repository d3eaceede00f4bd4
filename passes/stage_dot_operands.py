"""Operands of a matrix product that lie in memory in the wrong order take the fastest road to the tensor cores.

Candidates: a `ttng.warp_group_dot` (wgmma) one of whose 8- or 32-bit operands is loaded with M or N contiguous, and a
`tt.dot` in mma.sync's layout with such an 8-bit operand. Stock Triton transposes these an element at a time.
`staged_operands.candidates` finds them, and where their accumulators go.

Plan: `dotload.layout.staging` finds the route of each operand, REGISTERS or SHARED, with its layouts. This file adds
what depends on the program: the REGISTERS route renames or transposes the accumulator, which is possible when nothing
in the loop but the product itself looks at it.

Emit, for the REGISTERS route of B (`%b : tensor<128x256xf8E4M3FN>`, N contiguous, acc : tensor<128x256xf32>):

    %raw = ttg.local_alloc %b : ... -> !ttg.memdesc<128x256, #raw>           as it lies in memory
    %r = ttg.local_load %raw : ... -> tensor<128x256, #linear>               bytes transposed in registers
    %bt = builtin.unrealized_conversion_cast %r to tensor<256x128, #dot_op<0>>    the same registers, n renamed
    %at = ttg.memdesc_trans %a
    %d = ttng.warp_group_dot %bt, %at, %acc : ... -> tensor<256x128xf32>     the transposed product
    ... and after the loop, a cast of its result to the names that n had.

and for the SHARED route

    %raw = ttg.local_alloc %b : ... -> !ttg.memdesc<128x256, #raw>
    %r = ttg.local_load %raw : ... -> tensor<128x256, #linear>               16 bytes of k in a row
    %a = ttg.local_alloc %r : ... -> !ttg.memdesc<128x256, #nvmma_shared>    16-byte stores, K-major

or, in a loop, a store to one of two tiles in turn (`staged_operands.overlap`). Triton's pipeliner, which runs next,
feeds %raw by asynchronous copies either way; behind it, `convert-staged-operands-to-llvm` spells the local_loads out.

Prove: every route is checked element by element before anything is emitted; a plan that fails leaves the load alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.tt_compute import DotOp, FpToFpOp
from dotload.dialect_ext.ttg import (
    ConvertLayoutOp,
    LocalAllocOp,
    LocalLoadOp,
)
from dotload.dialect_ext.ttg_warp_specialize import WarpSpecializeOp
from dotload.dialect_ext.ttng import WarpGroupDotOp
from dotload.dialect_ext.types import MemDescType, element_bits
from dotload.layout import encodings as enc
from dotload.layout import staging
from dotload.layout.byte_transposes import WORD_BYTES
from dotload.layout.linear import LayoutError
from dotload.layout.occupancy import spare_bytes
from dotload.layout.renaming import BitPermutation
from dotload.layout.staging import Lowering, RegisterRoute, SharedRoute, Tile
from dotload.layout.views import Transpose
from dotload.passes import remarks
from dotload.passes.analysis.glance import Kernel, may_hold_wrong_order
from dotload.passes.emitter import (
    Emitter,
    Kept,
    distributed_attribute,
    linear_attribute,
    stage_tile,
)
from dotload.passes.staged_operands import overlap
from dotload.passes.staged_operands.candidates import Accumulator, Operand, find_accumulator, find_operand
from dotload.passes.staged_operands.loops import is_only_product
from dotload.passes.staged_operands.renaming import threads_of
from dotload.passes.staged_operands.stores import store_as_it_is
from dotload.passes.staged_operands.waits import wait_behind
from dotload.passes.typed import is_splat, tensor_type

LOWERINGS: tuple[Lowering, ...] = ("llvm", "ttgir")
DEFAULT_LOWERING: Lowering = "llvm"
"""The faster of the two (bench/gemm_orders.py)."""

OTHER_USES = "the loaded tile has other uses than the product"
"""Why an operand is kept; what stands against it does not stand against the other one."""

RENAMED_EARLY = (arith.TruncFOp, arith.TruncIOp, FpToFpOp)
"""Element-wise ops after the loop that make the result smaller: renaming moves behind them."""


@dataclass(frozen=True)
class Options:
    """The pass's options; see there."""

    lowering: Lowering
    k_within_columns: bool
    num_stages: int


@dataclass(frozen=True)
class Plan:
    """What to do about one product.

    `registers`: the operand that goes through registers and its route, per operand index of the present product;
    `shared`: the operands that go through a K-major copy; `swapped`: compute the transposed product; `mma`: the
    encoding of the accumulator that this needs.
    """

    registers: tuple[tuple[Operand, RegisterRoute], ...] = ()
    shared: tuple[tuple[Operand, SharedRoute], ...] = ()
    swapped: bool = False
    mma: enc.NvidiaMma | None = None

    @property
    def cost(self) -> tuple[int, int]:
        """Wavefronts and instructions of all tiles of one iteration."""
        costs = [route.cost for _, route in (*self.registers, *self.shared)]
        return sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)

    @property
    def is_proved(self) -> bool:
        """Every element of every tile ends where it belongs."""
        return all(staging.prove(route) for _, route in (*self.registers, *self.shared))

    def permutations(self) -> list[BitPermutation | None]:
        """How the rows and the columns of the accumulator are renamed."""
        renamed: list[BitPermutation | None] = [None, None]
        for _, route in self.registers:
            renamed[route.operand.op_index] = route.permutation
        return renamed


@dataclass(frozen=True)
class Staged:
    """A product: the plan by which operands of it were staged, None if none was to be; `copies`: its K-major tiles."""

    product: Operation
    plan: Plan | None = None
    copies: tuple[LocalAllocOp, ...] = ()


# Plan


def warps_of(product: Operation) -> int:
    """The number of warps that compute the product."""
    encoding = mma_of(product).to_encoding()
    assert isinstance(encoding, enc.NvidiaMma)
    return encoding.warps_per_cta[0] * encoding.warps_per_cta[1]


def mma_of(product: Operation) -> attrs.NvidiaMmaEncoding:
    """The encoding of the accumulator; raises Kept when it is not one of NVIDIA's or spans a cluster."""
    result = product.results[0].type
    if not isinstance(result, TensorType) or not isinstance(result.encoding, attrs.NvidiaMmaEncoding):
        raise Kept("the accumulator is not in a layout of NVIDIA's matrix units")
    if result.encoding.cga().bases:
        raise Kept("the product is spread over a cluster")
    return result.encoding


def plan_product(
    product: Operation, wrong: Sequence[Operand], options: Options, accumulator: Accumulator | None
) -> Plan:
    """The cheapest plan; raises Kept when there is none. `accumulator`: None where it cannot be renamed."""
    if isinstance(product, WarpGroupDotOp):
        return plan_wgmma(product, wrong, options, accumulator)
    return plan_mma(product, wrong, options, accumulator)


def plan_wgmma(
    product: WarpGroupDotOp, wrong: Sequence[Operand], options: Options, accumulator: Accumulator | None
) -> Plan:
    """The cheapest plan for wgmma; raises Kept when there is none."""
    mma_of(product)
    warps = warps_of(product)
    plans: list[Plan] = []
    for operand in for_registers(wrong, accumulator):
        if options.k_within_columns and operand.tile.k > columns_of(product, operand):
            continue
        others = [other for other in wrong if other is not operand]
        register = plan_registers(product, operand, warps, options.lowering)
        if register is not None:
            shared = plan_copies(others, warps, options.lowering)
            parent = register.operand.parent
            assert isinstance(parent, enc.NvidiaMma)
            plans.append(Plan(((operand, register),), shared, swapped=operand.index == 1, mma=parent))
    if not plans:
        plans.append(Plan(shared=plan_copies(wrong, warps, options.lowering)))
    return min(plans, key=lambda plan: plan.cost)


def for_registers(wrong: Sequence[Operand], accumulator: Accumulator | None) -> list[Operand]:
    """The operands of which one may go through registers into wgmma.

    A partial product is not transposed for that: each thread would have as many of its rows as it has columns now, and
    may need something of each in every iteration, a scale for example.
    """
    if accumulator is None or (accumulator.is_partial and len(wrong) > 1):
        return []
    return [operand for operand in wrong if operand.is_alone and not (accumulator.is_partial and operand.index == 1)]


def columns_of(product: Operation, operand: Operand) -> int:
    """The columns of the product with `operand` as its A."""
    return tensor_type(product.results[0]).get_shape()[1 - operand.index]


def is_cut(product: Operation) -> bool:
    """Whether Triton's pipeliner cuts a product with A in registers into parts, and the last one may run on."""
    accumulator, a = tensor_type(product.results[0]), tensor_type(product.operands[0])
    return not isinstance(accumulator.element_type, IntegerType) and element_bits(a) < 32


def is_joined(product: Operation, plan: Plan, num_stages: int) -> bool:
    """Whether `convert-staged-operands-to-llvm` makes one product of all that Triton's pipeliner would cut it into.

    It does so in a loop that it rotates, of a product of 32-bit words: no part has bytes to be permuted for it.
    """
    loop = product.parent_op()
    if not isinstance(product, WarpGroupDotOp) or not isinstance(loop, scf.ForOp) or not plan.registers:
        return False
    ((operand, route),) = plan.registers
    if operand.tile.element_bits != WORD_BYTES * 8 or route.words is None or not is_only_product(product):
        return False
    users = [use.operation for use in product.d.uses]
    return users == [loop.body.block.last_op] and overlap.will_rotate(loop, num_stages)


def plan_registers(product: WarpGroupDotOp, operand: Operand, warps: int, lowering: Lowering) -> RegisterRoute | None:
    """The REGISTERS route of one operand of wgmma; None when the product or the tile does not allow it."""
    if not isinstance(product.operands[1 - operand.index].type, MemDescType):
        return None  # wgmma takes one operand from registers, and that is the partner already
    if is_summed_up_in_steps(product, operand.tile):
        return None  # Triton's pipeliner cuts products with A in registers, and the parts forget it
    kind = "integer" if isinstance(tensor_type(operand.load.results[0]).element_type, IntegerType) else "float"
    return staging.plan_wgmma_registers(operand.tile, columns_of(product, operand), warps, kind, lowering)


def is_summed_up_in_steps(product: WarpGroupDotOp, tile: Tile) -> bool:
    """Whether an fp8 product is to add up its sums in fp32 before the end of the tile (max_num_imprecise_acc)."""
    is_integer = isinstance(tensor_type(product.d).element_type, IntegerType)
    return tile.element_bits == 8 and not is_integer and product.maxNumImpreciseAcc.value.data <= tile.k


def plan_copies(operands: Sequence[Operand], warps: int, lowering: Lowering) -> tuple[tuple[Operand, SharedRoute], ...]:
    """The SHARED routes of operands of wgmma, one for both where they are the same tile."""
    tiles = {operand.chain[0]: operand for operand in operands}
    return tuple((operand, plan_shared(operand, warps, lowering)) for operand in tiles.values())


def plan_shared(operand: Operand, warps: int, lowering: Lowering) -> SharedRoute:
    """The SHARED route of one operand of wgmma; raises Kept when there is none."""
    alloc = operand.chain[0]
    memory = alloc.results[0].type
    if not isinstance(memory, MemDescType) or not isinstance(memory.encoding, attrs.NvmmaSharedEncoding):
        raise Kept("the operand is not staged for wgmma")
    target = memory.encoding.to_encoding()
    assert isinstance(target, enc.NvmmaShared)
    if target.swizzle_bytes == 0:
        raise Kept("the tile has fewer than 32 bytes of k")
    route = staging.plan_shared_route(operand.tile, target, warps, lowering)
    if route is None:
        raise Kept("the tile is too small to deal it to the lanes of a warp")
    return route


def plan_mma(product: Operation, wrong: Sequence[Operand], options: Options, accumulator: Accumulator | None) -> Plan:
    """The plan for mma.sync: every operand through registers; raises Kept when there is none."""
    encoding = mma_of(product).to_encoding()
    assert isinstance(encoding, enc.NvidiaMma)
    if accumulator is None:
        raise Kept("the loop uses the accumulator besides accumulating")
    wrong = [operand for operand in wrong if operand.tile.element_bits == 8]
    routes = [(operand, plan_fragments(operand, encoding, options.lowering)) for operand in wrong]
    if not routes:
        raise Kept("mma.sync reads 32-bit operands one by one in either order")
    return Plan(tuple(routes), mma=encoding)


def plan_fragments(operand: Operand, mma: enc.NvidiaMma, lowering: Lowering) -> RegisterRoute:
    """The REGISTERS route of one operand of mma.sync."""
    converted = operand.chain[-1].results[0].type
    if not isinstance(converted, TensorType) or not isinstance(converted.encoding, attrs.DotOperandEncoding):
        raise Kept("the operand is not converted to a dot operand")
    fragments = enc.DotOperand(operand.index, mma, converted.encoding.k_width)
    return staging.plan_register_route(operand.tile, fragments, lowering)


# Emit


def emit_shared(operand: Operand, route: SharedRoute) -> LocalAllocOp:
    """Put the raw tile and its registers between the load and the K-major tile; returns the latter."""
    alloc = operand.chain[0]
    assert isinstance(alloc, LocalAllocOp)
    emitter = Emitter.before(alloc, operand.load)
    tensor = tensor_type(operand.load.results[0])
    if operand.as_loaded is None:
        raw = stage_tile(operand.load.results[0], route.raw, emitter)
    else:
        raw = operand.as_loaded.result
        operand.as_loaded.detach()
        Rewriter.insert_op(operand.as_loaded, InsertPoint.after(operand.load))
    held = TensorType(tensor.element_type, tensor.shape, distributed_attribute(route.registers))
    registers = emitter.add(LocalLoadOp(raw, held))
    alloc.operands[0] = registers
    return alloc


def emit_registers(operand: Operand, route: RegisterRoute, product: Operation) -> SSAValue:
    """The operand in registers, in its fragment layout."""
    emitter = Emitter.before(product, operand.load)
    tensor = tensor_type(operand.load.results[0])
    raw = stage_tile(operand.load.results[0], route.raw, Emitter.after(operand.load))
    fragments = TensorType(tensor.element_type, route.operand_shape, distributed_attribute(route.operand))
    if route.renaming.is_identity:
        return emitter.add(LocalLoadOp(raw, fragments))
    held = TensorType(tensor.element_type, tensor.shape, linear_attribute(route.held))
    return emitter.cast(emitter.add(LocalLoadOp(raw, held)), fragments)


def emit_product(product: Operation, plan: Plan, accumulator: Accumulator) -> None:
    """The product on the new operands, with its accumulator renamed and transposed as the plan says."""
    assert plan.mma is not None
    a, b = product.operands[:2]
    fragments = {operand.index: emit_registers(operand, route, product) for operand, route in plan.registers}
    if plan.swapped:
        partner = fragments.get(0, a)
        a, b = fragments[1], Emitter.before(product).memory_views(partner, (Transpose((1, 0)),))
    else:
        a, b = fragments.get(0, a), fragments.get(1, b)
    old = tensor_type(product.results[0])
    rows, columns = old.get_shape()
    shape = (columns, rows) if plan.swapped else (rows, columns)
    new = TensorType(old.element_type, list(shape), distributed_attribute(plan.mma))
    product.operands[0], product.operands[1] = a, b
    retype_accumulator(product, accumulator, plan, old, new)
    for operand, _ in plan.registers:
        for op in reversed(operand.chain):
            Rewriter.erase_op(op)


def retype_accumulator(
    product: Operation,
    accumulator: Accumulator,
    plan: Plan,
    old: TensorType[Attribute],
    new: TensorType[Attribute],
) -> None:
    """Give the accumulator its new type from its start to the end of the loop, and rename what comes out."""
    outer = accumulator.loop or product
    start = emit_start(accumulator.init, plan, old, new, Emitter.before(outer, product))
    if accumulator.loop is None:
        product.operands[2] = start
    else:
        accumulator.loop.operands[3 + accumulator.position] = start
        Rewriter.replace_value_with_new_type(accumulator.loop.body.block.args[1 + accumulator.position], new)
        Rewriter.replace_value_with_new_type(product.results[0], new)
    result = Rewriter.replace_value_with_new_type(accumulator.result, new)
    emit_result(result, plan, old, outer, product)


def emit_start(
    value: SSAValue, plan: Plan, old: TensorType[Attribute], new: TensorType[Attribute], emitter: Emitter
) -> SSAValue:
    """The initial accumulator in its new form: a splat stays one, anything else is renamed."""
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        constant = value.op.value
        if is_splat(constant):
            return emitter.add(arith.ConstantOp(DenseIntOrFPElementsAttr(cast(Any, new), constant.data), new))
    renaming = staging.result_renaming(new.get_shape(), plan.permutations(), transposed=plan.swapped).inverse
    return emitter.add(ConvertLayoutOp(emitter.tensor_views(value, renaming.views()), new))


def emit_result(result: SSAValue, plan: Plan, old: TensorType[Attribute], outer: Operation, product: Operation) -> None:
    """Rename the finished accumulator for those who use it, behind the ops that make it smaller."""
    value, after = result, outer
    users = list(value.uses)
    while len(users) == 1 and isinstance(users[0].operation, RENAMED_EARLY):
        narrowed = users[0].operation
        wide, old = tensor_type(value), tensor_type(narrowed.results[0])
        narrow = TensorType(old.element_type, wide.shape, wide.encoding)
        value = Rewriter.replace_value_with_new_type(narrowed.results[0], narrow)
        after, users = narrowed, list(value.uses)
    if not users:
        return
    shape = tensor_type(value).get_shape()
    emitter = Emitter.after(after, product)
    renaming = staging.result_renaming(shape, plan.permutations(), transposed=plan.swapped)
    if all(isinstance(use.operation, ConvertLayoutOp) for use in users):
        renamed = emitter.renamed(value, renaming)
    else:  # Triton may go on computing in the layout of the renamed result, and sees it through views only
        renamed = emitter.tensor_views(value, renaming.views())
    converted = emitter.add(ConvertLayoutOp(renamed, old))
    for use in users:
        use.operation.operands[use.index] = converted
        if isinstance(use.operation, ConvertLayoutOp):  # one conversion does for two
            use.operation.operands[0] = renamed
            store_as_it_is(use.operation, renamed, threads_of(product))
    if not list(converted.uses):
        assert isinstance(converted, OpResult)
        Rewriter.erase_op(converted.op)


# The pass


def rewrite(product: Operation, wrong: Sequence[Operand], options: Options) -> Staged:
    """Plan, prove and emit for one product; raises Kept, with nothing changed, when it stays as it is."""
    try:
        accumulator, reason = find_accumulator(product), ""
    except Kept as kept:
        accumulator, reason = None, str(kept)
    try:
        plan = plan_product(product, wrong, options, accumulator)
    except LayoutError as error:
        raise Kept(f"no layout: {error}") from None
    if not plan.is_proved:
        raise Kept("the plan did not pass its proof")
    copies = tuple(emit_shared(operand, route) for operand, route in plan.shared)
    if plan.registers:
        assert accumulator is not None, reason
        emit_product(product, plan, accumulator)
    return Staged(product, plan, copies)


def overlap_next(staged: Staged, options: Options) -> bool:
    """Let the product run while the operands of the next one are made ready: whether it may.

    To be called when all products are rewritten: by then it shows how much memory those of one loop share.
    """
    product, plan = staged.product, staged.plan
    if plan is None:
        return overlap_converted(product, options)
    spare = spare_bytes(warps_of(product)) if plan.registers or is_only_product(product) else 0
    stored = [overlap.store_in_turn(copy, options.num_stages, spare) for copy in staged.copies]
    if plan.registers and not any(stored) and not is_cut(product):
        overlap.load_further(product, options.num_stages, spare)
    return bool(plan.registers) or any(stored)


def overlap_converted(product: Operation, options: Options) -> bool:
    """`overlap_next` for a product of operands that come in another type than it multiplies, if it is one."""
    overlapped = False
    found = [overlap.find_converted(product, index) for index in (0, 1)]
    for converted in [operand for operand in found if operand is not None]:
        shape = "x".join(map(str, tensor_type(converted.alloc.operands[0]).get_shape()))
        if overlap.store_in_turn(converted.alloc, options.num_stages):
            overlapped = True
            told = f"tile {shape} is converted into two tiles in turn, while the product before runs"
            remarks.emit("applied", StageDotOperandsPass.name, converted.load, told)
        else:
            why = "its loop is not known to load in vectors, or has no room for a second tile"
            told = f"kept {converted.load.name}: the tile is converted before the product, and {why}"
            remarks.emit("kept", StageDotOperandsPass.name, converted.load, told)
    return overlapped


def keep_whole(staged: Sequence[Staged], num_stages: int) -> None:
    """Have Triton's pipeliner not cut the products that are whole in the end; its later passes are spared the parts.

    It leaves a product whole that something waits for in its iteration.
    """
    for each in staged:
        if each.plan is not None and is_joined(each.product, each.plan, num_stages):
            wait_behind(each.product, each.product.results[0], each.product)


@dataclass(frozen=True)
class StageDotOperandsPass(ModulePass):
    """Stage operands in the wrong memory order through swizzled shared memory.

    `lowering`: "llvm" chooses layouts for ldmatrix and byte permutations, which `convert-staged-operands-to-llvm`
    spells out behind Triton's pipeliner; "ttgir" leaves the reads to Triton's own conversion.
    `k_within_columns`: no operand through registers into wgmma when its tile has more k than the product has columns
    (Triton 3.6 cannot lower that). `num_stages`: the kernel's option of that name, 0 where it is not known; then a
    loop that copies an operand K-major waits for its product.
    """

    name: ClassVar[str] = "stage-dot-operands"

    lowering: str = DEFAULT_LOWERING
    k_within_columns: bool = False
    num_stages: int = 0

    def options(self) -> Options:
        """The options, checked."""
        if self.lowering not in LOWERINGS:
            raise PassFailedException(f"lowering is {' or '.join(LOWERINGS)}, not '{self.lowering}'")
        return Options(self.lowering, self.k_within_columns, self.num_stages)

    @classmethod
    def might_apply(cls, kernel: Kernel) -> bool:
        """Whether a kernel may hold a candidate: a glance at its products and what they are fed by."""
        return may_hold_wrong_order(kernel)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every candidate product of the module."""
        ops = list(op.walk())
        products = [product for product in ops if isinstance(product, WarpGroupDotOp | DotOp)]
        staged = [found for product in products if (found := self.stage(product))]
        running = [each.product for each in staged if overlap_next(each, self.options())]
        for loop in dict.fromkeys(each.product.parent_op() for each in staged if each.plan is not None):
            if isinstance(loop, scf.ForOp):
                overlap.load_within(loop, self.num_stages)
        overlap.guard_loops(running)
        if not any(isinstance(each, WarpSpecializeOp) for each in ops):  # those kernels' reads are Triton's to convert
            keep_whole(staged, self.num_stages)

    def stage(self, product: Operation) -> Staged | None:
        """Rewrite a product if it is a candidate, and tell; None if it is one and stays as it is."""
        wrong = [operand for operand in (find_operand(product, index) for index in (0, 1)) if operand]
        if not wrong:
            return Staged(product)
        fed = [operand for operand in wrong if operand.is_alone or operand.may_be_copied]
        self.keep([operand for operand in wrong if operand not in fed], OTHER_USES)
        if not fed:
            return None
        try:
            staged = rewrite(product, fed, self.options())
        except Kept as kept:
            self.keep(fed, str(kept))
            return None
        assert staged.plan is not None
        for operand, route in (*staged.plan.registers, *staged.plan.shared):
            remarks.emit("applied", self.name, operand.load, describe(route))
        return staged

    def keep(self, operands: Sequence[Operand], reason: str) -> None:
        """Tell why these operands stay as they are."""
        for load in dict.fromkeys(operand.load for operand in operands):
            remarks.emit("kept", self.name, load, f"kept {load.name}: {reason}")


def describe(route: RegisterRoute | SharedRoute) -> str:
    """One line for the remark: the route, and what its accesses cost."""
    tile = route.tile
    size = f"{tile.shape[0]}x{tile.shape[1]}, {tile.element_bits} bits"
    read = f"{route.read.mnemonic}, {route.read.conflict_ways}-way"
    if isinstance(route, RegisterRoute):
        return f"tile {size} goes through registers ({read})"
    return f"tile {size} is copied K-major ({read}; {route.write.mnemonic}, {route.write.conflict_ways}-way)"
