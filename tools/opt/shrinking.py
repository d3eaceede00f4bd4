"""Makes a module smaller, step by step: the candidates that dotload-reduce tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from dotload.dialect_ext.typed import clone, create

Item = TypeVar("Item")
Keeps = Callable[[ModuleOp], bool]
"""Whether a candidate is still interesting."""


def shrink_sequence(items: Sequence[Item], keeps: Callable[[list[Item]], bool]) -> list[Item]:
    """A subsequence of `items` that `keeps` accepts, and from which no single item can be removed.

    Delta debugging: whole halves are tried before single items.
    """
    kept = list(items)
    size = max(len(kept) // 2, 1)
    while kept:
        start, removed_any = 0, False
        while start < len(kept):
            shorter = kept[:start] + kept[start + size :]
            if keeps(shorter):
                kept, removed_any = shorter, True
            else:
                start += size
        if size == 1 and not removed_any:
            break
        size = max(size // 2, 1) if not removed_any else min(size, max(len(kept) // 2, 1))
    return kept


def shrink_module(module: ModuleOp, keeps: Keeps) -> ModuleOp:
    """The smallest module found by removing operations, arguments and attributes until no removal is accepted."""
    size = _size(module)
    while True:
        for step in (_without_operations, _without_nesting, _without_arguments, _without_attributes):
            module = step(module, keeps)
        if _size(module) == size:
            return module
        size = _size(module)


def _size(module: ModuleOp) -> int:
    return sum(1 + len(op.attributes) + sum(len(b.args) for r in op.regions for b in r.blocks) for op in module.walk())


# Operations.


def _without_operations(module: ModuleOp, keeps: Keeps) -> ModuleOp:
    best = module
    positions = [index for index, op in enumerate(module.walk()) if _is_removable(op)]

    def try_with(kept: list[int]) -> bool:
        nonlocal best
        candidate = _without(module, set(positions) - set(kept))
        if not keeps(candidate):
            return False
        best = candidate
        return True

    shrink_sequence(positions, try_with)
    return best


def _is_removable(op: Operation) -> bool:
    if isinstance(op, ModuleOp) and op.parent is None:
        return False
    if isinstance(op, PoisonOp):
        return not all(result.uses for result in op.results)
    return not _is_terminator(op)


def _is_terminator(op: Operation) -> bool:
    """The last operation of a block; an operation without a definition may be one."""
    block = op.parent
    if op.successors or op.has_trait(IsTerminator, value_if_unregistered=False):
        return True
    return block is not None and block.last_op is op and not isinstance(block.parent_op(), ModuleOp)


def _without(module: ModuleOp, positions: set[int]) -> ModuleOp:
    """A copy of `module` without the operations at these positions of its walk; poison replaces their results."""
    copy = clone(module)
    doomed = [op for index, op in enumerate(copy.walk()) if index in positions]
    for op in reversed(doomed):  # users before definitions, and the inside of an operation before the operation
        for result in op.results:
            if result.uses:
                result.replace_all_uses_with(_stand_in(op, result))
        op.detach()
        op.erase()
    return copy


def _stand_in(op: Operation, result: SSAValue) -> SSAValue:
    """A value of the result's type: an operand of `op`, else poison."""
    for operand in op.operands:
        if operand.type == result.type:
            return operand
    return _poison(op, result)


def _poison(op: Operation, result: SSAValue) -> SSAValue:
    """An undefined value of the result's type, made before `op`."""
    value = PoisonOp.get_irdl_definition().properties["value"].default_value
    assert value is not None
    poison = create(PoisonOp, result_types=[result.type], properties={"value": value})
    Rewriter.insert_op(poison, InsertPoint.before(op))
    return poison.results[0]


# Regions.


def _without_nesting(module: ModuleOp, keeps: Keeps) -> ModuleOp:
    position = 1
    while position < sum(1 for _ in module.walk()):
        candidate = clone(module)
        op = list(candidate.walk())[position]
        if _is_wrapper(op):
            _unwrap(op)
            if keeps(candidate):
                module = candidate
                continue
        position += 1
    return module


def _is_wrapper(op: Operation) -> bool:
    """Whether `op` wraps one block that can run once in its place: a loop, a branch, not a function."""
    if len(op.regions) == 0 or _property(op, "sym_name") is not None:
        return False
    filled = [region for region in op.regions if region.blocks]
    return len(filled) > 0 and all(len(region.blocks) == 1 for region in filled)


def _unwrap(op: Operation) -> None:
    """Replace `op` with the contents of its first region."""
    block = next(region.blocks.first for region in op.regions if region.blocks)
    assert block is not None
    for argument in block.args:
        argument.replace_all_uses_with(_stand_in(op, argument))
    *body, last = block.ops
    for inner in body:
        inner.detach()
        Rewriter.insert_op(inner, InsertPoint.before(op))
    yielded = list(last.operands)
    for index, result in enumerate(op.results):
        value = yielded[index] if index < len(yielded) and yielded[index].type == result.type else None
        result.replace_all_uses_with(value if value is not None else _poison(op, result))
    op.detach()
    op.erase()


# Arguments of functions.


def _without_arguments(module: ModuleOp, keeps: Keeps) -> ModuleOp:
    for position, index in list(_unused_arguments(module))[::-1]:
        candidate = clone(module)
        _erase_argument(list(candidate.walk())[position], index)
        if keeps(candidate):
            module = candidate
    return module


def _unused_arguments(module: ModuleOp) -> Iterator[tuple[int, int]]:
    """(position of the function in the walk, index of the argument)"""
    for position, op in enumerate(module.walk()):
        block = _entry_block(op)
        if block is None or not isinstance(_property(op, "function_type"), FunctionType):
            continue
        for index, argument in enumerate(block.args):
            if not argument.uses:
                yield position, index


def _entry_block(op: Operation) -> Block | None:
    return op.regions[0].blocks.first if op.regions else None


def _property(op: Operation, name: str) -> Attribute | None:
    return op.properties.get(name) or op.attributes.get(name)


def _erase_argument(op: Operation, index: int) -> None:
    block = _entry_block(op)
    assert block is not None
    block.erase_arg(block.args[index])
    for dictionary in (op.properties, op.attributes):
        type_ = dictionary.get("function_type")
        if isinstance(type_, FunctionType):
            inputs = [*type_.inputs.data[:index], *type_.inputs.data[index + 1 :]]
            dictionary["function_type"] = FunctionType.from_lists(inputs, list(type_.outputs.data))
        attributes = dictionary.get("arg_attrs")
        if isinstance(attributes, ArrayAttr):
            kept = list(cast("ArrayAttr[Attribute]", attributes))
            dictionary["arg_attrs"] = ArrayAttr(kept[:index] + kept[index + 1 :])


# Attributes.


def _without_attributes(module: ModuleOp, keeps: Keeps) -> ModuleOp:
    best = module
    places = [(index, name) for index, op in enumerate(module.walk()) for name in op.attributes if name != "op_name__"]

    def try_with(kept: list[tuple[int, str]]) -> bool:
        nonlocal best
        candidate = clone(module)
        gone = set(places) - set(kept)
        for index, op in enumerate(candidate.walk()):
            for name in [name for name in op.attributes if (index, name) in gone]:
                del op.attributes[name]
        if not keeps(candidate):
            return False
        best = candidate
        return True

    shrink_sequence(places, try_with)
    return best
