"""How tensors of integers and pointers run: strides, the runs over which they hold, alignment.

A tensor is described per dim by a stride and a run: within each aligned group of `run` elements along that dim, the
value grows by the stride from one element to the next. `align` divides every value at which all groups start. So

    offs = tt.make_range {0, 64}            stride 1, run 64, align "any": it starts at 0
    offs % %m, %m a multiple of 16          stride 1, run 16: within 16 elements there is no wrap-around
    splat %x < ...                          stride 0, run 16: a mask that changes every 16 elements at most

A stride is a number or a multiple of a scalar SSA value. Pointers count in bytes, and so do their strides. Loops are
solved by iteration from the optimistic side: what a loop carries is first taken to be as it enters.

Arithmetic is taken not to overflow, as Triton's own axis analysis does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.scf import ForOp, IfOp, YieldOp
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import as_integer, is_splat, number_of
from dotload.dialect_ext.types import element_bits, element_of, pointee_of

ANY = 1 << 62  # divisibility of zero


@dataclass(frozen=True)
class Scaled:
    """A stride known at run time only: `factor` times a scalar value."""

    value: SSAValue
    factor: int = 1


Stride = int | Scaled | None  # None: unknown


@dataclass(frozen=True)
class Info:
    """What is known of a value; `strides` and `runs` are empty for a scalar, `constant` is that of a scalar or splat.

    `scalar` is the SSA value that all elements are equal to, where there is one.
    """

    strides: tuple[Stride, ...] = ()
    runs: tuple[int, ...] = ()
    align: int = 1
    constant: int | None = None
    scalar: SSAValue | None = None

    @property
    def is_uniform(self) -> bool:
        """All elements are equal: stride 0 all along each dim, as far as it is known."""
        return self.constant is not None or self.scalar is not None


def unknown(type_: Attribute) -> Info:
    """Nothing is known of a value of this type."""
    rank = len(_shape(type_))
    return Info((None,) * rank, (1,) * rank)


def _shape(type_: Attribute) -> tuple[int, ...]:
    return tuple(type_.get_shape()) if isinstance(type_, TensorType) else ()


def divisor(value: int) -> int:
    """The largest power of two that divides a number."""
    return value & -value if value else ANY


def meet(a: Info, b: Info) -> Info:
    """What holds of both."""
    if a == b:
        return a
    same = tuple(x if x == y else None for x, y in zip(a.strides, b.strides, strict=True))
    runs = tuple(1 if stride is None else min(x, y) for stride, x, y in zip(same, a.runs, b.runs, strict=True))
    return Info(
        same,
        runs,
        math.gcd(_align_at(a, runs), _align_at(b, runs)),
        a.constant if a.constant == b.constant else None,
        a.scalar if a.scalar is b.scalar else None,
    )


def _align_at(info: Info, runs: Iterable[int]) -> int:
    """The alignment where the groups are cut into shorter ones."""
    align = info.align
    for stride, run, shorter in zip(info.strides, info.runs, runs, strict=True):
        if shorter < run:
            align = math.gcd(align, stride_align(stride) * shorter)
    return max(1, align)


def _align_along(info: Info, dim: int) -> int:
    """The alignment where the groups along one dim start, at whatever index of the others."""
    return _align_at(info, [run if d == dim else 1 for d, run in enumerate(info.runs)])


def stride_align(stride: Stride) -> int:
    """A number that divides the stride; 1 for what is not known here. `Strides.divisor_of` knows more."""
    match stride:
        case int():
            return divisor(stride)
        case Scaled(factor=factor):
            return divisor(factor)
        case None:
            return 1


def _add_strides(a: Stride, b: Stride, sign: int) -> Stride:
    match a, b:
        case (None, _) | (_, None):
            return None
        case int(), int():
            return a + sign * b
        case _, 0:
            return a
        case 0, Scaled(value=value, factor=factor):
            return Scaled(value, sign * factor)
        case Scaled(value=x), Scaled(value=y) if x is y and a.factor + sign * b.factor:
            return Scaled(x, a.factor + sign * b.factor)
        case _:
            return None


def _scale(stride: Stride, by: Info) -> Stride:
    match stride:
        case None:
            return None
        case 0:
            return 0
        case int() if by.constant is not None:
            return stride * by.constant
        case int() if by.scalar is not None:
            return Scaled(by.scalar, stride)
        case Scaled(value=value, factor=factor) if by.constant:
            return Scaled(value, factor * by.constant)
        case _:
            return None


class Strides:
    """The analysis of one function (or module); ask `of(value)`."""

    def __init__(self, root: Operation | None):
        self._infos: dict[SSAValue, Info] = {}
        while root is not None and self._sweep(root.walk()):
            pass

    @classmethod
    def behind(cls, value: SSAValue) -> Strides:
        """The analysis of what one value is computed by, which is fast; of what loops hand on, it knows nothing."""
        strides = cls(None)
        for op in _straight_line(value):
            for operand in op.operands:
                strides._infos.setdefault(operand, strides._default(operand))
            strides._sweep([op])
        return strides

    def of(self, value: SSAValue) -> Info:
        """What is known of a value; of one made after the analysis, nothing."""
        return self._infos.get(value) or unknown(value.type)

    def divisor_of(self, stride: Stride) -> int:
        """The largest known power of two that divides a stride."""
        match stride:
            case Scaled(value=value, factor=factor):
                return min(ANY, divisor(self.of(value).align) * divisor(factor))
            case _:
                return stride_align(stride)

    def aligned_by(self, value: SSAValue, runs: Sequence[int]) -> int:
        """A power of two that divides the value at the start of every group of `runs` elements, one number a dim."""
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
        """Visit every op once, in order; whether anything was learnt."""
        changed = False
        for op in ops:
            for value, info in self._transfer(op):
                if self._infos.get(value) != info:
                    self._infos[value] = info
                    changed = True
        return changed

    def _transfer(self, op: Operation) -> list[tuple[SSAValue, Info]]:
        if isinstance(op, FuncOp):
            return _arguments(op)
        if isinstance(op, ForOp):
            return self._loop(op)
        if isinstance(op, IfOp):
            return self._branches(op)
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

    @staticmethod
    def _default(result: SSAValue) -> Info:
        info = unknown(result.type)
        return info if info.strides else replace(info, scalar=result)

    def _loop(self, op: ForOp) -> list[tuple[SSAValue, Info]]:
        found: list[tuple[SSAValue, Info]] = []
        induction, *carried = op.body.block.args
        lower, step = self._infos.get(op.lb), self._infos.get(op.step)
        if lower and step:
            found.append((induction, Info(align=math.gcd(lower.align, step.align), scalar=induction)))
        last = op.body.block.last_op
        yielded = last.operands if isinstance(last, YieldOp) else ()
        for arg, init, back, result in zip(carried, op.iter_args, yielded, op.results, strict=True):
            joined = self._join((init, back))
            if joined is not None:
                found += [(arg, _own_scalar(joined, arg)), (result, _own_scalar(joined, result))]
        return found

    def _branches(self, op: IfOp) -> list[tuple[SSAValue, Info]]:
        ends = [region.blocks[0].last_op for region in op.regions if region.blocks]
        yields = [end.operands for end in ends if isinstance(end, YieldOp)]
        found: list[tuple[SSAValue, Info]] = []
        for at, result in enumerate(op.results):
            joined = self._join([operands[at] for operands in yields])
            if joined is not None:
                found.append((result, _own_scalar(joined, result)))
        return found

    def _join(self, values: Iterable[SSAValue]) -> Info | None:
        """What holds of all of these of which something is known by now."""
        known = [info for value in values if (info := self._infos.get(value)) is not None]
        return functools.reduce(meet, known) if known else None


def _straight_line(value: SSAValue) -> Iterable[Operation]:
    """The ops that a value is computed by, each behind those that it uses itself, without loops and branches."""
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
    """Where values come from: the function, for its arguments."""
    owners = [value.owner for value in values]
    ops = [owner if isinstance(owner, Operation) else owner.parent_op() for owner in owners]
    return [op for op in ops if op is not None and not isinstance(op, ForOp | IfOp)]


def _own_scalar(info: Info, value: SSAValue) -> Info:
    """A scalar that merges several is a scalar of its own. The merged elements of a tensor are not named by any."""
    if info.constant is not None:
        return info
    return replace(info, scalar=None if info.strides else value)


def _arguments(op: FuncOp) -> list[tuple[SSAValue, Info]]:
    """Arguments are as aligned as `tt.divisibility` says, pointers (in bytes) at least as their elements."""
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
    """By how much neighbours differ: pointers by the bytes of an element, which they are taken to be aligned to."""
    pointee = pointee_of(element_of(type_))
    return 1 if pointee is None or isinstance(pointee, TensorType) else max(1, element_bits(pointee) // 8)


def _hinted(op: Operation, info: Info) -> Info:
    """What tl.multiple_of, tl.max_contiguous and tl.max_constancy promise about the result of an op."""
    divisible, contiguous, constant = (_hint(op, name) for name in ("divisibility", "contiguity", "constancy"))
    if contiguous and len(contiguous) == len(info.strides):
        pairs, next_one = zip(info.strides, info.runs, contiguous, strict=True), _unit(op.results[0].type)
        info = _with(
            info, [(next_one, size) if size > run and stride != 0 else (stride, run) for stride, run, size in pairs]
        )
    if constant and len(constant) == len(info.strides):
        pairs = zip(info.strides, info.runs, constant, strict=True)
        info = _with(info, [(0, size) if size > run else (stride, run) for stride, run, size in pairs])
    return replace(info, align=max(info.align, min(divisible))) if divisible else info


def _with(info: Info, dims: list[tuple[Stride, int]]) -> Info:
    return replace(info, strides=tuple(stride for stride, _ in dims), runs=tuple(run for _, run in dims))


def _hint(op: Operation, name: str) -> tuple[int, ...]:
    attr = op.attributes.get(f"tt.{name}")
    return tuple(int(value) for value in attr.get_values()) if isinstance(attr, DenseIntOrFPElementsAttr) else ()


# The rules, one for each op that is understood: (op, what is known of its operands) -> what is known of its result.

Rule = Callable[[Operation, list[Info]], Info | None]


def _constant(op: Operation, _: list[Info]) -> Info | None:
    value = op.properties.get("value", op.attributes.get("value"))
    number = number_of(value)
    if is_splat(value) and as_integer(element_of(op.results[0].type)):
        number = int(value.get_values()[0])
    if number is None:
        return None
    shape = _shape(op.results[0].type)
    return Info((0,) * len(shape), shape, divisor(number), number)


def _make_range(op: Operation, _: list[Info]) -> Info | None:
    start = op.properties["start"]
    assert isinstance(start, IntegerAttr)
    return Info((1,), _shape(op.results[0].type), divisor(start.value.data))


def _splat(op: Operation, operands: list[Info]) -> Info | None:
    shape = _shape(op.results[0].type)
    (source,) = operands
    return replace(source, strides=(0,) * len(shape), runs=shape)


def _expand_dims(op: Operation, operands: list[Info]) -> Info | None:
    axis = op.properties["axis"]
    assert isinstance(axis, IntegerAttr)
    (source,), at = operands, axis.value.data
    strides = (*source.strides[:at], 0, *source.strides[at:])
    return replace(source, strides=strides, runs=(*source.runs[:at], 1, *source.runs[at:]))


def _broadcast(op: Operation, operands: list[Info]) -> Info | None:
    (source,) = operands
    before, after = _shape(op.operands[0].type), _shape(op.results[0].type)
    grown = [was != now for was, now in zip(before, after, strict=True)]
    strides = tuple(0 if grew else stride for grew, stride in zip(grown, source.strides, strict=True))
    runs = tuple(size if grew else run for grew, size, run in zip(grown, after, source.runs, strict=True))
    return replace(source, strides=strides, runs=runs)


def _same(_: Operation, operands: list[Info]) -> Info | None:
    return operands[0]


def _truncation(op: Operation, operands: list[Info]) -> Info | None:
    """The same numbers, as far as they fit: of one bit, no two in a row do."""
    return None if element_bits(op.results[0].type) == 1 else operands[0]


def _sum(sign: int) -> Rule:
    def rule(op: Operation, operands: list[Info]) -> Info | None:
        a, b = operands
        pointee = pointee_of(element_of(op.results[0].type))
        if pointee is not None:
            b = _times(b, Info(constant=max(1, element_bits(pointee) // 8)))
        strides = tuple(_add_strides(x, y, sign) for x, y in zip(a.strides, b.strides, strict=True))
        runs = tuple(map(_common_run, strides, a.runs, b.runs))
        align = math.gcd(_align_at(a, runs), _align_at(b, runs))
        constant = a.constant + sign * b.constant if a.constant is not None and b.constant is not None else None
        scalar = None if strides else op.results[0]
        if pointee is None:
            # A sum with zero names the same scalar, whatever its shape.
            scalar = a.scalar if b.constant == 0 else b.scalar if a.constant == 0 and sign == 1 else scalar
        return Info(strides, runs, divisor(constant) if constant is not None else align, constant, scalar)

    return rule


def _common_run(stride: Stride, a: int, b: int) -> int:
    return 1 if stride is None else min(a, b)


def _times(a: Info, b: Info) -> Info:
    """A product of which at least one factor is uniform."""
    if not b.is_uniform or (a.is_uniform and b.constant is None):
        a, b = (b, a) if a.is_uniform else (a, b)
    strides = tuple(_scale(stride, b) for stride in a.strides)
    runs = tuple(run if stride is not None else 1 for stride, run in zip(strides, a.runs, strict=True))
    align = min(ANY, max(1, _align_at(a, runs)) * max(1, b.align if b.constant is None else divisor(b.constant)))
    constant = a.constant * b.constant if a.constant is not None and b.constant is not None else None
    scalar = a.scalar if b.constant == 1 else None
    return Info(strides, runs, align, constant, scalar)


def _product(op: Operation, operands: list[Info]) -> Info | None:
    a, b = operands
    if not (a.is_uniform or b.is_uniform):
        return None
    info = _times(a, b)
    return replace(info, scalar=op.results[0]) if not info.strides and info.constant is None else info


def _remainder(op: Operation, operands: list[Info]) -> Info | None:
    """Groups that no multiple of the divisor falls into keep their stride."""
    a, b = operands
    if not b.is_uniform:
        return None
    divides = b.align if b.constant is None else divisor(b.constant)
    dims: list[tuple[Stride, int]] = []
    for dim, (stride, run) in enumerate(zip(a.strides, a.runs, strict=True)):
        whole = math.gcd(run, divides, _align_along(a, dim))
        dims.append((stride, whole) if stride == 1 else (stride, run) if stride == 0 else (None, 1))
    align = math.gcd(_align_at(a, [run for _, run in dims]), divides)
    info = _with(Info(align=align), dims)
    return info if dims else replace(info, scalar=op.results[0])


def _comparison(op: Operation, operands: list[Info]) -> Info | None:
    """x < y and x >= y do not change within a group of x that starts at a multiple of its size, if y is one too."""
    a, b = operands
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    name = PREDICATES[predicate.value.data]
    if name in ("sgt", "sle", "ugt", "ule"):
        a, b = b, a
    steady = name not in ("eq", "ne")
    dims: list[tuple[Stride, int]] = []
    for dim, (x, y, x_run, y_run) in enumerate(zip(a.strides, b.strides, a.runs, b.runs, strict=True)):
        if x == 0 and y == 0:
            dims.append((0, min(x_run, y_run)))
        elif steady and (x, y) == (1, 0):
            dims.append((0, math.gcd(x_run, y_run, _align_along(a, dim), _align_along(b, dim))))
        else:
            dims.append((None, 1))
    return _with(Info(scalar=None if dims else op.results[0]), dims)


PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _bitwise(op: Operation, operands: list[Info]) -> Info | None:
    """Of the bits of two values nothing is known, except where both are constant."""
    a, b = operands
    pairs = zip(a.strides, b.strides, a.runs, b.runs, strict=True)
    dims: list[tuple[Stride, int]] = [(0, min(x, y)) if (s, t) == (0, 0) else (None, 1) for s, t, x, y in pairs]
    return _with(Info(scalar=None if dims else op.results[0]), dims)


RULES: dict[str, Rule] = {
    "arith.constant": _constant,
    "tt.make_range": _make_range,
    "tt.splat": _splat,
    "tt.expand_dims": _expand_dims,
    "tt.broadcast": _broadcast,
    "ttg.convert_layout": _same,
    "arith.extsi": _same,
    "arith.extui": _same,
    "arith.trunci": _truncation,
    "arith.index_cast": _same,
    "arith.addi": _sum(1),
    "arith.subi": _sum(-1),
    "tt.addptr": _sum(1),
    "arith.muli": _product,
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
    "arith.cmpi": _comparison,
    "arith.andi": _bitwise,
    "arith.ori": _bitwise,
    "arith.xori": _bitwise,
}
