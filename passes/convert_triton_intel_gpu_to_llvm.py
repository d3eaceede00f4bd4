"""`convert-triton-intel-gpu-to-llvm`: convert functions of loads and plain ops to the LLVM dialect.

2D block loads and prefetches become messages, as in convert-2d-block-load-to-llvm and lower-to-2d-block-prefetch; so do
loads that are still marked for them (`ttig.block_io`). Other loads and stores are lowered lane by lane, arithmetic
register by register. Loops stay loops, over LLVM values. Reductions within a warp are shuffles. Any other
op, such as a move of elements between lanes, is an error that names the op.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, llvm, scf
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from dotload.dialect_ext.scf import ForOp, IfOp, WhileOp
from dotload.dialect_ext.tt import AdvanceOp, DescriptorLoadOp, MakeTensorPtrOp, ReturnOp
from dotload.dialect_ext.tt import FuncOp as TritonFuncOp
from dotload.dialect_ext.ttig import DescriptorPrefetchOp, PrefetchOp
from dotload.dialect_ext.typed import create
from dotload.layout.xe_targets import Emit
from dotload.passes.block_load.questions import is_marked
from dotload.passes.convert_2d_block_load_to_llvm import Convert2DBlockLoadToLLVMPass
from dotload.passes.errors import IN_BACKEND, LocatedFailure
from dotload.passes.intel_llvm.descriptors import mark_padding
from dotload.passes.intel_llvm.elementwise import RULES, lower_constant, lower_elementwise
from dotload.passes.intel_llvm.functions import check_group, declare, further_parameters, signature
from dotload.passes.intel_llvm.tensors import LOWERINGS
from dotload.passes.intel_llvm.values import Conversion, check_sizes, llvm_type
from dotload.passes.lower_to_2d_block_load import LowerTo2DBlockLoadPass
from dotload.passes.lower_to_2d_block_prefetch import LowerTo2DBlockPrefetchPass

_OWN_DIALECTS = ("llvm", "triton_gen")


@dataclass(frozen=True)
class ConvertTritonIntelGpuToLLVMPass(ModulePass):
    """Convert functions of loads and plain ops to the LLVM dialect.

    `target`, `emit` and `cut_surfaces` are those of convert-2d-block-load-to-llvm. `scratch`: whether functions get the
    extra pointers that a launch of Intel's backend passes. `one_matrix_per_load` and `all_layouts` are those of
    lower-to-2d-block-load, for loads that are still marked. An op that is not lowered here is an error.
    """

    name = "convert-triton-intel-gpu-to-llvm"

    emit: str = "triton-gen"
    target: str = "xe2"
    cut_surfaces: bool = False
    scratch: bool = True
    one_matrix_per_load: bool | None = None
    all_layouts: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.walk() if isinstance(each, TritonFuncOp)]
        for function in functions:
            check_group(function, op, self.target)
        if any(is_marked(each) for each in op.walk()):
            LowerTo2DBlockLoadPass(
                self.target,
                self.emit,
                hints="required",
                planes=False,
                versions=False,
                all_layouts=self.all_layouts,
                one_matrix_per_load=self.one_matrix_per_load,
            ).apply(ctx, op)
        LowerTo2DBlockPrefetchPass(self.target, self.cut_surfaces).apply(ctx, op)
        for prefetch in [each for each in op.walk() if isinstance(each, PrefetchOp | DescriptorPrefetchOp)]:
            Rewriter.erase_op(prefetch)  # a remark has said why it is not a message; the kernel works without it
        aligned = self.cut_surfaces or self.emit != Emit.TRITON_GEN.value
        Convert2DBlockLoadToLLVMPass(self.emit, self.target, self.cut_surfaces, aligned).apply(ctx, op)
        for function in functions:
            _convert(function, op, self.scratch)


def _convert(function: TritonFuncOp, module: ModuleOp, scratch: bool) -> None:
    """Convert one function, and replace it."""
    _erase_dead(function)
    check_sizes(function)
    for load in [each for each in function.walk() if isinstance(each, DescriptorLoadOp)]:
        mark_padding(load)
    inputs, result = signature(function)
    further = further_parameters(function) if scratch else ()
    made = declare(function, module, [*inputs, *further], result)
    Rewriter.replace_op(function, [made], [])
    if made.body.blocks:
        _convert_body(made.body, inputs, module)
        entry = made.body.blocks[0]
        for type_ in further:
            entry.insert_arg(type_, len(entry.args))


def _convert_body(body: Region, inputs: list[Attribute], module: ModuleOp) -> None:
    first = body.blocks[0].first_op
    assert first is not None
    conversion = Conversion(module, first)
    for block in body.blocks:
        types = inputs if block is body.blocks[0] else [llvm_type(argument.type) for argument in block.args]
        _retype(block, types, conversion)
    old: list[Operation] = []
    for block in body.blocks:
        with conversion.in_block(block):
            old += _convert_ops(block, conversion)
    _erase(old)
    for block in body.blocks:
        _erase_converted(block, conversion)


def _convert_block(block: Block, conversion: Conversion) -> None:
    """Convert every op in order; erase replaced ops when they have no uses left."""
    _erase(_convert_ops(block, conversion))


def _convert_ops(block: Block, conversion: Conversion) -> list[Operation]:
    """Convert every op in order; returns the ops to be erased."""
    old: list[Operation] = []
    for op in list(block.ops):
        conversion.at = op
        if _convert_op(op, conversion):
            old.append(op)
    return old


def _erase(old: Sequence[Operation]) -> None:
    for op in reversed(old):
        Rewriter.erase_op(op)


def _convert_op(op: Operation, conversion: Conversion) -> bool:
    """Convert one op; returns whether it is to be erased."""
    if op.name == "arith.constant":
        lower_constant(conversion, op)
    elif op.name in RULES:
        lower_elementwise(conversion, op)
    elif (lower := LOWERINGS.get(op.name)) is not None:
        lower(conversion, op)
    elif isinstance(op, ReturnOp):
        conversion.builder.run(llvm.ReturnOp(*_structs(op.operands, conversion)))
    elif isinstance(op, cf.BranchOp):
        conversion.builder.run(llvm.BrOp(op.successor, *_structs(op.arguments, conversion)))
    elif isinstance(op, cf.ConditionalBranchOp):
        targets = ((op.then_block, op.then_arguments), (op.else_block, op.else_arguments))
        (then, values), (otherwise, others) = ((block, _structs(each, conversion)) for block, each in targets)
        conversion.builder.run(llvm.CondBrOp(conversion.scalar(op.cond), then, values, otherwise, others))
    elif isinstance(op, ForOp):
        _convert_loop(op, conversion)
    elif isinstance(op, IfOp):
        _convert_branch(op, conversion)
    elif isinstance(op, WhileOp):
        _convert_while(op, conversion)
    elif isinstance(op, scf.YieldOp | scf.ConditionOp) or op.dialect_name() in _OWN_DIALECTS:
        _keep(op, conversion)
        return False
    else:
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        raise LocatedFailure(op, f"'{name}' is not lowered here; {IN_BACKEND}")
    return True


def _structs(values: Iterable[SSAValue], conversion: Conversion) -> list[SSAValue]:
    return [conversion.struct(value) for value in values]


def _convert_loop(loop: ForOp, conversion: Conversion) -> None:
    """Convert a loop to one over LLVM values: a loop-carried tensor becomes a struct."""
    bounds = [conversion.scalar(bound) for bound in (loop.lb, loop.ub, loop.step)]
    carried = _structs(loop.iter_args, conversion)
    region = loop.detach_region(loop.body)
    types = [bounds[0].type, *(value.type for value in carried)]
    _retype(region.block, types, conversion)
    made = create(
        ForOp,
        operands=[*bounds, *carried],
        result_types=types[1:],
        regions=[region],
        properties=loop.properties,
        attributes=loop.attributes,
    )
    conversion.builder.run(made)
    with conversion.inside():
        _convert_block(region.block, conversion)
    for old, new in zip(loop.results, made.results, strict=True):
        conversion.give(old, new)
    _erase_converted(region.block, conversion)
    conversion.at = loop


def _convert_while(loop: WhileOp, conversion: Conversion) -> None:
    """Convert an scf.while likewise."""
    initial, results = _structs(loop.arguments, conversion), [llvm_type(type_) for type_ in loop.result_types]
    regions = [loop.detach_region(region) for region in tuple(loop.regions)]
    for region, types in zip(regions, ([value.type for value in initial], results), strict=True):
        _retype(region.block, types, conversion)
    made = create(WhileOp, operands=initial, result_types=results, regions=regions, attributes=loop.attributes)
    conversion.builder.run(made)
    for region in regions:
        with conversion.inside():
            _convert_block(region.block, conversion)
    for old, new in zip(loop.results, made.results, strict=True):
        conversion.give(old, new)
    for region in regions:
        _erase_converted(region.block, conversion)
    conversion.at = loop


def _convert_branch(branch: IfOp, conversion: Conversion) -> None:
    """Convert a branch to one over LLVM values: a yielded tensor becomes a struct."""
    regions = [branch.detach_region(region) for region in tuple(branch.regions)]
    made = create(
        IfOp,
        operands=[conversion.scalar(branch.cond)],
        result_types=[llvm_type(type_) for type_ in branch.result_types],
        regions=regions,
        attributes=branch.attributes,
    )
    conversion.builder.run(made)
    for region in regions:
        for block in region.blocks:
            with conversion.inside():
                _convert_block(block, conversion)
    for old, new in zip(branch.results, made.results, strict=True):
        conversion.give(old, new)
    conversion.at = branch


def _retype(block: Block, types: Sequence[Attribute], conversion: Conversion) -> None:
    """Give a block arguments of these types; the old ones stay until they have no uses."""
    for argument, type_ in zip(list(block.args), types, strict=True):
        if argument.type != type_:
            new = block.insert_arg(type_, argument.index)
            new.name_hint = argument.name_hint
            conversion.give(argument, new)


def _erase_converted(block: Block, conversion: Conversion) -> None:
    for argument in [each for each in block.args if conversion.has(each)]:
        block.erase_arg(argument)


def _keep(op: Operation, conversion: Conversion) -> None:
    """Update the operands of an op on LLVM values."""
    for at, operand in enumerate(op.operands):
        op.operands[at] = conversion.struct(operand)


def _erase_dead(function: TritonFuncOp) -> None:
    """Erase unused pure ops that are not lowered here, and unused block pointers, which block loads leave behind."""
    for op in reversed([each for each in function.walk() if each is not function]):
        used = any(result.uses for result in op.results)
        stays = _is_lowered(op) and not isinstance(op, MakeTensorPtrOp | AdvanceOp)
        if op.results and not used and not stays and is_side_effect_free(op):
            Rewriter.erase_op(op)


def _is_lowered(op: Operation) -> bool:
    return op.name in RULES or op.name in LOWERINGS or op.dialect_name() in _OWN_DIALECTS
