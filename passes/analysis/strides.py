"""Stride analysis of integer and pointer tensors: strides, the runs over which they hold, alignment.

Each dim of a tensor has a stride and a run: within each aligned group of `run` elements along the dim, the value grows
by the stride from one element to the next. `align` divides the first value of every group. Examples:

    offs = tt.make_range {0, 64}            stride 1, run 64, align "any": it starts at 0
    offs % %m, %m a multiple of 16          stride 1, run 16: within 16 elements there is no wrap-around
    splat %x < ...                          stride 0, run 16: a mask that changes every 16 elements at most

A stride is a number or a multiple of a scalar SSA value. Pointers count in bytes, and so do their strides. Loops are
solved by optimistic fixed-point iteration: a loop-carried value starts with the facts of its initial value.

Arithmetic is assumed not to overflow, as in Triton's own axis analysis.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.scf import ForOp, IfOp, WhileOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.types import element_bits, element_of, pointee_of
from dotload.passes.analysis.stride_info import (
    ANY,
    Info,
    Scaled,
    Stride,
    divisor,
    meet,
    stride_align,
    unknown,
    with_dims,
)
from dotload.passes.analysis.stride_rules import RULES
from dotload.passes.ir.flow import sources


class Strides:
    """The analysis of one function or module; ask `of(value)`. `assumed`: assumed divisors of scalars."""

    def __init__(self, root: Operation | None, assumed: Mapping[SSAValue, int] | None = None):
        self._infos: dict[SSAValue, Info] = {}
        self._assumed = assumed or {}
        if root is None:
            return
        ops = list(_in_order(root))
        while self._sweep(ops) and any(map(_may_go_back, ops)):
            pass

    @classmethod
    def behind(cls, value: SSAValue) -> Strides:
        """The analysis of one value's backward slice. It is fast, but knows nothing of loop-carried values.

        Of a loop's induction variable it knows the alignment.
        """
        strides = cls(None)
        for op in _straight_line(value):
            for operand in op.operands:
                strides._infos.setdefault(operand, strides._outside(operand))
            strides._sweep([op])
        return strides

    def of(self, value: SSAValue) -> Info:
        """The facts about a value; none for a value that was created after the analysis."""
        return self._infos.get(value) or unknown(value.type)

    def divisor_of(self, stride: Stride) -> int:
        """The largest known power of two that divides a stride."""
        match stride:
            case Scaled(value=value, factor=factor, align=align):
                return min(ANY, max(divisor(self.of(value).align), divisor(align)) * divisor(factor))
            case _:
                return stride_align(stride)

    def aligned_by(self, value: SSAValue, runs: Sequence[int]) -> int:
        """A power of two that divides the value at the start of every group of `runs` elements (one number per dim)."""
        info = self.of(value)
        if any(run % shorter for run, shorter in zip(info.runs, runs, strict=True)):
            return 1
        steps = [
            self.divisor_of(stride) * shorter
            for stride, run, shorter in zip(info.strides, info.runs, runs, strict=True)
            if shorter < run
        ]
        return divisor(math.gcd(info.align, *steps))

    # The iteration

    def _sweep(self, ops: Iterable[Operation]) -> bool:
        """Visit every op once, in order; returns whether any fact changed."""
        changed = False
        for op in ops:
            for value, found in self._transfer(op):
                more = self._assumed.get(value)
                info = found if more is None else replace(found, align=math.lcm(found.align, more))
                if self._infos.get(value) != info:
                    self._infos[value] = info
                    changed = True
        return changed

    def _transfer(self, op: Operation) -> list[tuple[SSAValue, Info]]:
        if op.regions and (found := self._structured(op)) is not None:
            return found
        if not op.results:
            return []
        known = [self._infos.get(operand) for operand in op.operands]
        inner_arguments: list[tuple[SSAValue, Info]] = [
            (arg, unknown(arg.type)) for region in op.regions for b in region.blocks for arg in b.args
        ]
        if any(info is None for info in known):
            return inner_arguments
        rule = RULES.get(op.name)
        operands = [info for info in known if info is not None]
        info = rule(op, operands) if rule and len(op.results) == 1 else None
        results = [(result, info or self._default(result)) for result in op.results]
        return inner_arguments + [(result, _hinted(op, found)) for result, found in results]

    def _structured(self, op: Operation) -> list[tuple[SSAValue, Info]] | None:
        """The facts of a function, a loop or a branch; None for other ops with regions."""
        if isinstance(op, FuncOp):
            return _arguments(op)
        if isinstance(op, ForOp):
            return self._loop(op)
        if isinstance(op, WhileOp):
            return self._handed_on((*op.before_region.block.args, *op.after_region.block.args, *op.results))
        return self._handed_on(op.results) if isinstance(op, IfOp) else None

    @staticmethod
    def _default(result: SSAValue) -> Info:
        info = unknown(result.type)
        return info if info.strides else replace(info, scalar=result)

    def _outside(self, value: SSAValue) -> Info:
        """The facts of a value that no op of a slice makes."""
        loop = _counted_by(value)
        return self._induction(loop) if loop is not None else self._default(value)

    def _loop(self, op: ForOp) -> list[tuple[SSAValue, Info]]:
        induction, *carried = op.body.block.args
        is_known = op.lb in self._infos and op.step in self._infos
        found = [(induction, self._induction(op))] if is_known else []
        return [*found, *self._handed_on((*carried, *op.results))]

    def _induction(self, loop: ForOp) -> Info:
        return Info(align=math.gcd(self.of(loop.lb).align, self.of(loop.step).align), scalar=loop.body.block.args[0])

    def _handed_on(self, values: Iterable[SSAValue]) -> list[tuple[SSAValue, Info]]:
        """For each value, the facts that hold for all of its sources whose facts are known so far."""
        found: list[tuple[SSAValue, Info]] = []
        for value in values:
            known = [info for source in sources(value) if (info := self._infos.get(source)) is not None]
            if known:
                found.append((value, _own_scalar(functools.reduce(meet, known), value)))
        return found


def _in_order(op: Operation) -> Iterator[Operation]:
    """Every op after its operands' definitions, except along back edges; a branch after the values that it yields."""
    last = isinstance(op, IfOp)
    if not last:
        yield op
    for region in op.regions:
        for block in region.blocks:
            for each in block.ops:
                if each.regions:
                    yield from _in_order(each)
                else:
                    yield each
    if last:
        yield op


def _may_go_back(op: Operation) -> bool:
    """Whether an op may depend on later ops, so that a second sweep may find more."""
    is_loop = isinstance(op, ForOp | WhileOp)
    return bool(op.regions) and (is_loop or any(len(region.blocks) > 1 for region in op.regions))


def _straight_line(value: SSAValue) -> Iterable[Operation]:
    """The ops of a value's backward slice, definitions before uses, without loops and branches."""
    in_order: dict[Operation, None] = {}
    waiting = _sources([value])
    while waiting:
        before = [op for op in _sources(waiting[-1].operands) if op not in in_order]
        if before:
            waiting += before
        else:
            in_order[waiting.pop()] = None
    return in_order


def _sources(values: Iterable[SSAValue]) -> list[Operation]:
    """The defining ops of values; for arguments, the function, and for induction variables, those of bound and step."""
    loops = {value: _counted_by(value) for value in values}
    starts = [start for value, loop in loops.items() for start in ((value,) if loop is None else (loop.lb, loop.step))]
    owners = [value.owner for value in starts]
    ops = [owner if isinstance(owner, Operation) else owner.parent_op() for owner in owners]
    return [op for op in ops if op is not None and not isinstance(op, ForOp | IfOp | WhileOp)]


def _counted_by(value: SSAValue) -> ForOp | None:
    """The loop of which the value is the induction variable."""
    loop = value.owner.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    return loop if isinstance(loop, ForOp) else None


def _own_scalar(info: Info, value: SSAValue) -> Info:
    """A scalar that merges several is a new scalar. Merged elements of a tensor have no scalar."""
    if info.constant is not None:
        return info
    return replace(info, scalar=None if info.strides else value)


def _arguments(op: FuncOp) -> list[tuple[SSAValue, Info]]:
    """Facts of arguments: alignment by `tt.divisibility`, and for pointers (in bytes) at least that of an element."""
    attrs = op.arg_attrs.data if op.arg_attrs is not None else ()
    blocks = op.body.blocks
    found: list[tuple[SSAValue, Info]] = []
    for at, arg in enumerate(blocks[0].args if blocks else ()):
        own = attrs[at] if at < len(attrs) else DictionaryAttr({})
        hint = own.data.get("tt.divisibility")
        align = hint.value.data if isinstance(hint, IntegerAttr) else _unit(arg.type)
        info = unknown(arg.type)
        found.append((arg, replace(info, align=align, scalar=None if info.strides else arg)))
    return found


def _unit(type_: Attribute) -> int:
    """The step between neighbours: for pointers, the bytes of an element, to which they are assumed aligned."""
    pointee = pointee_of(element_of(type_))
    return 1 if pointee is None or isinstance(pointee, TensorType) else max(1, element_bits(pointee) // 8)


def _hinted(op: Operation, info: Info) -> Info:
    """Apply what tl.multiple_of, tl.max_contiguous and tl.max_constancy promise about the result of an op."""
    divisible, contiguous, constant = (_hint(op, name) for name in ("divisibility", "contiguity", "constancy"))
    if contiguous and len(contiguous) == len(info.strides):
        pairs, next_one = zip(info.strides, info.runs, contiguous, strict=True), _unit(op.results[0].type)
        info = with_dims(
            info, [(next_one, size) if size > run and stride != 0 else (stride, run) for stride, run, size in pairs]
        )
    if constant and len(constant) == len(info.strides):
        pairs = zip(info.strides, info.runs, constant, strict=True)
        info = with_dims(info, [(0, size) if size > run else (stride, run) for stride, run, size in pairs])
    return _divisible(info, divisible, _unit(op.results[0].type)) if divisible else info


def _divisible(info: Info, divisible: tuple[int, ...], next_one: int) -> Info:
    """What tl.multiple_of adds: along a dim in which elements lie together, its number is of where each line begins.

    Lines that a stride known at run time sets apart all begin so only if it is a multiple of the number, too.
    """
    lines = [number for stride, number in zip(info.strides, divisible, strict=False) if stride == next_one]
    number = min(lines or divisible)
    strides = tuple(_multiple_of(stride, number) if lines else stride for stride in info.strides)
    return replace(info, strides=strides, align=max(info.align, number))


def _multiple_of(stride: Stride, number: int) -> Stride:
    """The stride, if it is known at run time only, as a multiple of the number."""
    return replace(stride, align=math.lcm(stride.align, number)) if isinstance(stride, Scaled) else stride


def _hint(op: Operation, name: str) -> tuple[int, ...]:
    attr = op.attributes.get(f"tt.{name}")
    return tuple(int(value) for value in attr.get_values()) if isinstance(attr, DenseIntOrFPElementsAttr) else ()
