"""Emission of `stage-dot-operands`: raw tiles, their reads, the dot on the new operands, the result permuted back."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import FpToFpOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalLoadOp
from dotload.dialect_ext.typed import of_kind, tensor_type
from dotload.dialect_ext.types import with_element, with_encoding
from dotload.layout.staging import RegisterRoute, SharedRoute
from dotload.passes.ir.conversions import converted, is_uniform, uniform_like
from dotload.passes.ir.def_use import only_user
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import encoding_attribute, linear_attribute
from dotload.passes.ir.loops import threads_of
from dotload.passes.operand_staging.accumulators import Accumulator, find_accumulator
from dotload.passes.operand_staging.candidates import Operand
from dotload.passes.operand_staging.facts import mark_staged
from dotload.passes.operand_staging.fragments import permute_others
from dotload.passes.operand_staging.plan import Plan
from dotload.passes.operand_staging.result_stores import store_from_registers

NARROWING = (arith.TruncFOp, arith.TruncIOp, FpToFpOp)
"""Elementwise ops after the loop that make the result smaller; it is permuted back after them."""


def emit_copy(operand: Operand, route: SharedRoute) -> LocalAllocOp:
    """Insert the raw tile and its registers between the load and the K-major tile; returns the K-major tile."""
    alloc = operand.chain[0]
    assert isinstance(alloc, LocalAllocOp)
    emitter = Emitter.before(alloc, operand.load)
    if operand.as_loaded is None:
        raw = emitter.stage(operand.load.results[0], route.raw)
    else:
        raw = operand.as_loaded.result
        operand.as_loaded.detach()
        Rewriter.insert_op(operand.as_loaded, InsertPoint.after(operand.load))
    held = with_encoding(tensor_type(operand.load.results[0]), encoding_attribute(route.registers))
    read = LocalLoadOp(raw, held)
    mark_staged(read, "copy")
    alloc.operands[0] = emitter.insert(read)
    return alloc


def emit_fragments(operand: Operand, route: RegisterRoute, dot: Operation) -> SSAValue:
    """The operand in registers, in its fragment layout."""
    flow = operand.flow
    is_shared = flow is not None and (bool(flow.ops) or len(flow.dots) > 1)
    emitter = Emitter.before(above_branches(operand.chain[-1] if is_shared else dot, operand.load), operand.load)
    tensor = tensor_type(operand.load.results[0])
    others = of_kind(operand.others, ConvertLayoutOp)
    raw = Emitter.after(operand.load).stage(operand.load.results[0], route.raw)
    for other in others:
        read_from(raw, other)
    fragments = TensorType(tensor.element_type, route.operand_shape, encoding_attribute(route.operand))
    held = with_encoding(tensor, linear_attribute(route.held))
    is_permuted = not route.index_permutation.is_identity
    read = LocalLoadOp(raw, held if is_permuted else fragments)
    mark_staged(read, "fragments")
    registers = emitter.insert(read)
    registers = emitter.cast(registers, fragments) if is_permuted else registers
    for op in filter(is_elementwise, operand.conversion):
        registers = converted(op, registers, emitter)
    if flow is None or not is_shared:
        return registers
    before = operand.chain[-1].results[0]
    permute_others(before, flow, operand.index, route.permutation)
    before.replace_all_uses_with(registers)
    return dot.operands[operand.index]


def read_from(raw: SSAValue, conversion: ConvertLayoutOp) -> None:
    """Read the staged tile in the layout to which it is converted for another dot."""
    read = Emitter.before(conversion).insert(LocalLoadOp(raw, conversion.result.type))
    Rewriter.replace_op(conversion, (), [read])


def above_branches(op: Operation, load: Operation) -> Operation:
    """The op, or the branch around it that is in the block of the load.

    Triton's pipeliner puts branches behind the load of the next tile, which may overwrite what they would read.
    """
    while op.parent_block() is not load.parent_block() and isinstance(branch := op.parent_op(), scf.IfOp):
        op = branch
    return op


def emit_dot(
    dot: Operation, plan: Plan, accumulator: Accumulator | None, given: Mapping[int, SSAValue] | None = None
) -> None:
    """Emit the dot on the new operands, with its accumulator permuted and transposed as the plan says.

    `accumulator`: None if another dot has permuted it. `given`: operands that are already in registers, by index.
    """
    a, b = dot.operands[:2]
    fragments = {operand.index: emit_fragments(operand, route, dot) for operand, route in plan.registers}
    fragments |= given or {}
    if plan.transposed:
        partner = fragments.get(0, a)
        a, b = fragments[1], Emitter.before(dot).transposed(partner)
    else:
        a, b = fragments.get(0, a), fragments.get(1, b)
    dot.operands[0], dot.operands[1] = a, b
    if accumulator is not None:
        permute_accumulator(accumulator, dot, plan)
    for other in plan.alike:
        other.operands[0] = a
        permute_accumulator(find_accumulator(other), other, plan)
    for operand, _ in plan.registers:
        for op in reversed(operand.between):
            Rewriter.erase_op(op)


def permute_accumulator(accumulator: Accumulator, dot: Operation, plan: Plan) -> None:
    """Permute what enters the accumulator, give its values their new type, and permute back what leaves it."""
    for use in accumulator.entering:
        operands, emitter = use.operation.operands, Emitter.before(use.operation, dot)
        operands[use.index] = emit_start(operands[use.index], plan, emitter)
    for value in accumulator.values:
        old = tensor_type(value)
        new = plan.type_of_accumulator(old)
        permuted = value if new == old else Rewriter.replace_value_with_new_type(value, new)
        if value in accumulator.leaving:
            emit_result(permuted, plan, old, dot)
    for use in accumulator.in_branches:
        emitter, value = Emitter.before(use.operation, dot), use.operation.operands[use.index]
        views = emitter.tensor_views(value, plan.result_permutation(tensor_type(value).get_shape()).views())
        use.operation.operands[use.index] = emitter.insert(ConvertLayoutOp(views, tensor_type(value)))


def emit_start(value: SSAValue, plan: Plan, emitter: Emitter) -> SSAValue:
    """The initial accumulator in its new form: a splat stays a splat, anything else is permuted."""
    new = plan.type_of_accumulator(tensor_type(value))
    if isinstance(value.owner, arith.ConstantOp) and is_uniform(value):
        return uniform_like(value, new, emitter)
    views = emitter.tensor_views(value, plan.result_permutation(new.get_shape()).inverse.views())
    return emitter.insert(ConvertLayoutOp(views, new))


def is_selected(use: Use, value: SSAValue) -> bool:
    """Whether a branch yields `value` from outside: canonicalization may make a select of it.

    Triton's layout propagation takes the layout of views through that select, and the module fails its verifier.
    """
    end, branch = use.operation, use.operation.parent_op()
    return isinstance(end, scf.YieldOp) and isinstance(branch, scf.IfOp) and not branch.is_ancestor(value.owner)


def may_be_merged(op: Operation) -> bool:
    """Whether the block of `op` is a branch, which MLIR may merge with one that differs in operands alone.

    The merged block takes these operands as arguments. That of a cast between tensors is a tensor until all casts are
    folded, and branches of the LLVM dialect cannot pass it.
    """
    region = op.parent_region()
    assert region is not None
    return len(region.blocks) > 1 or isinstance(region.parent_op(), scf.IfOp)


def emit_result(result: SSAValue, plan: Plan, old: TensorType[Attribute], dot: Operation) -> None:
    """Permute the finished accumulator back for its users, after the ops that make it smaller."""
    value, after = result, result.owner
    assert isinstance(after, Operation)
    while isinstance(narrowing := only_user(value), NARROWING):
        old = tensor_type(narrowing.results[0])
        narrow = with_element(tensor_type(value), old.element_type)
        value, after = Rewriter.replace_value_with_new_type(narrowing.results[0], narrow), narrowing
    if not (users := list(value.uses)):
        return
    emitter, back = Emitter.after(after, dot), plan.result_permutation(tensor_type(value).get_shape())
    only_converted = all(isinstance(use.operation, ConvertLayoutOp) for use in users)
    if any(is_selected(use, value) for use in users) or (only_converted and not may_be_merged(after)):
        permuted = emitter.permuted(value, back)
    else:  # Triton may keep computing in the layout of the permuted result, and sees it only through views
        permuted = emitter.tensor_views(value, back.views())
    conversion = ConvertLayoutOp(permuted, old)
    emitter.run(conversion)
    for use in users:
        use.operation.operands[use.index] = conversion.result
        if isinstance(use.operation, ConvertLayoutOp):  # one conversion replaces two
            use.operation.operands[0] = permuted
            store_from_registers(use.operation, permuted, threads_of(dot))
    if conversion.result.first_use is None:
        Rewriter.erase_op(conversion)
