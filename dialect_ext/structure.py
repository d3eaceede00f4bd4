"""What MLIR's verifier asks of a whole module, beyond its ops: values are defined before they are used, branches pass
what their blocks take, and calls what their functions take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import FunctionType, StringAttr, SymbolRefAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, SymbolTable

from dotload.dialect_ext.element_kinds import wrong_elements
from dotload.dialect_ext.layout_counts import wrong_counts
from dotload.dialect_ext.llvm_rules import wrong_llvm
from dotload.dialect_ext.tensor_rules import wrong_tensors
from dotload.dialect_ext.typed import number_of

# Branches -> the operands that they pass to each successor.
_PASSED: Mapping[str, tuple[str, ...]] = {
    f"{dialect}.{name}": passed
    for dialect in ("cf", "llvm")
    for name, passed in (("br", ("arguments",)), ("cond_br", ("then_arguments", "else_arguments")))
}


# Counts that layouts are laid over.
_COUNTS = ("ttg.num-warps", "ttg.threads-per-warp", "ttg.num-ctas")


def problems(module: Operation) -> Iterator[tuple[Operation, str]]:
    """The ops that break a rule, each with the rule."""
    yield from wrong_counts(module)
    places = _Places(module)
    for op in module.walk():
        for name in _COUNTS:
            if name in op.attributes and not _is_power_of_two(number_of(op.attributes[name])):
                yield op, f"{name} must be a power of two, got {op.attributes[name]}"
        yield from ((op, what) for what in (*wrong_elements(op), *wrong_tensors(op), *wrong_llvm(op)))
        for number, operand in enumerate(op.operands):
            if not places.sees(op, operand):
                yield op, f"operand #{number} does not dominate this use"
        if op.name in _PASSED:
            yield from ((op, what) for what in _wrong_arguments(op, _PASSED[op.name]))
        if op.name == "tt.call" and (what := _wrong_call(op)):
            yield op, what


def malformed_regions(module: Operation) -> Iterator[tuple[Operation, str]]:
    """The ops that make a region malformed: a second symbol of a name, a block without an end, or a value from around
    a region that sees none."""
    for op in module.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        if not op.has_trait(NoTerminator):
            yield from (problem for block in blocks if (problem := _without_end(op, block)))
        if op.has_trait(SymbolTable):
            yield from _redefined(each for block in blocks for each in block.ops)
        if op.has_trait(IsolatedFromAbove):
            yield from _unseen(op)


def _without_end(op: Operation, block: Block) -> tuple[Operation, str] | None:
    if block.last_op is None:
        return op, "empty block: expect at least a terminator"
    if not block.last_op.has_trait(IsTerminator):
        return block.last_op, "is the last of its block, but is no terminator"
    return None


def _unseen(isolated: Operation) -> Iterator[tuple[Operation, str]]:
    for op in isolated.walk():
        if op is not isolated and not all(isolated.is_ancestor(operand.owner) for operand in op.operands):
            yield op, "using value defined outside the region"


def _redefined(ops: Iterable[Operation]) -> Iterator[tuple[Operation, str]]:
    seen: set[str] = set()
    for op in ops:
        name = op.get_attr_or_prop("sym_name")
        if not isinstance(name, StringAttr):
            continue
        if name.data in seen:
            yield op, f"redefinition of symbol named '{name.data}'"
        seen.add(name.data)


class _Places:
    """Where the ops of a module stand."""

    def __init__(self, module: Operation):
        self._order = {op: number for number, op in enumerate(module.walk())}
        self._dominance: dict[Region, DominanceInfo] = {}

    def sees(self, op: Operation, value: SSAValue) -> bool:
        """Whether a value is defined wherever an op runs."""
        owner = value.owner
        home = owner if isinstance(owner, Block) else owner.parent
        at: Operation | None = op
        while at is not None and (block := at.parent) is not home:
            if block is not None and home is not None and block.parent is home.parent:
                return self._dominates(home, block)
            at = at.parent_op()
        if at is None or isinstance(value, BlockArgument):
            return at is not None
        return not isinstance(owner, Block) and self._order[owner] < self._order[at]

    def _dominates(self, one: Block, other: Block) -> bool:
        region = one.parent
        assert region is not None
        if region not in self._dominance:
            self._dominance[region] = DominanceInfo(region)
        entry = region.blocks[0]
        dominance = self._dominance[region]
        # A block that is never reached may use anything.
        return dominance.dominates(one, other) or not dominance.dominates(entry, other)


def _is_power_of_two(number: int | None) -> bool:
    return number is not None and number > 0 and number & (number - 1) == 0


def _wrong_arguments(op: Operation, passed: Sequence[str]) -> Iterator[str]:
    for number, (name, block) in enumerate(zip(passed, op.successors, strict=True)):
        values: Sequence[SSAValue] = getattr(op, name)
        if len(values) != len(block.args):
            yield f"branch has {len(values)} operands for successor #{number}, but target block has {len(block.args)}"
            continue
        for index, (value, argument) in enumerate(zip(values, block.args, strict=True)):
            if value.type != argument.type:
                yield f"type mismatch for bb argument #{index} of successor #{number}"


def _wrong_call(call: Operation) -> str | None:
    callee = call.properties["callee"]
    assert isinstance(callee, SymbolRefAttr)
    function = SymbolTable.lookup_symbol(call, callee)
    type_ = None if function is None else function.properties.get("function_type")
    if not isinstance(type_, FunctionType):
        return f"'{callee.root_reference.data}' does not reference a valid function"
    for what, values, wanted in (("operand", call.operands, type_.inputs), ("result", call.results, type_.outputs)):
        types, taken = [value.type for value in values], list(wanted)
        if types != taken:
            listed = [", ".join(map(str, each)) or "none" for each in (taken, types)]
            return f"the callee has {what}s of type {listed[0]}, got {listed[1]}"
    return None
