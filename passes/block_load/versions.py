"""Versioned loads: block loads under a run-time condition, and gathers otherwise.

A load that is kept because the alignment of its pitch, width or base is not known is judged again, assuming that
alignment. The kernel then checks the assumption. The plan is the same as without it, since the assumption only concerns
the description of memory that the hardware gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt import DescriptorLoadOp, LoadOp, MakeTensorDescOp
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import PointerType, element_bits
from dotload.layout.reject import Reject
from dotload.layout.xe_costs import OF_DPAS, may_be_multiple, pays
from dotload.passes.analysis.block_pointers import find_origin
from dotload.passes.analysis.stride_info import Scaled
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.candidates import BlockPointerLoad, Candidate, DescriptorLoad, PointerTensorLoad, judge
from dotload.passes.block_load.questions import Question, axes_of, is_for_dpas, transposes
from dotload.passes.block_load.rules import BlockReason
from dotload.passes.ir.flow import is_argument, reached, sources

AT_RUN_TIME = (
    BlockReason.BASE_ALIGNMENT,
    BlockReason.PITCH_ALIGNMENT,
    BlockReason.PITCH_UNKNOWN,
    BlockReason.WIDTH_ALIGNMENT,
)
"""The reasons that a kernel can check itself."""

_THROUGH = frozenset({"tt.addptr", "tt.broadcast", "tt.expand_dims", "ttg.convert_layout", "tt.bitcast", "tt.splat"})


@dataclass(frozen=True)
class Multiple:
    """The condition that a scalar is a multiple of a power of two; a pointer in bytes."""

    value: SSAValue
    of: int


@dataclass(frozen=True)
class Within:
    """The condition that a scalar lies in a range, both ends included."""

    value: SSAValue
    least: int
    most: int


Condition = Multiple | Within


@dataclass(frozen=True)
class Version:
    """What a load can become if all conditions hold."""

    candidate: Candidate
    conditions: tuple[Condition, ...]


def find_version(
    load: LoadOp | DescriptorLoadOp, verdict: Reject, question: Question, module: ModuleOp
) -> Version | None:
    """The version for a load that is kept, if a branch pays; None if there is none, or it does not pay."""
    if verdict.reason not in AT_RUN_TIME or not is_for_dpas(load) or transposes(load):  # the gather has no mark
        return None
    wanted: dict[SSAValue, int] = {}
    for each in _multiples(load, question):
        if question.extent(each.value).known_divisor % each.of:
            wanted[each.value] = max(each.of, wanted.get(each.value, 1))
    if not all(may_be_multiple(of, specialized=_is_argument(value)) for value, of in wanted.items()):
        return None
    if not pays(OF_DPAS, unknown=max(1, len(wanted))):
        return None
    assumed = Strides(module, wanted)
    candidate = judge(load, replace(question, assumed=assumed, least_pitch=question.target.min_pitch_bytes))
    if candidate is None or isinstance(candidate, Reject):
        return None
    multiples, ranges = [Multiple(value, of) for value, of in wanted.items()], list(_ranges(candidate, question))
    if any(each.least > each.most for each in ranges):
        return None
    return Version(candidate, (*multiples, *ranges))


def _multiples(load: LoadOp | DescriptorLoadOp, question: Question) -> Iterator[Multiple]:
    """The multiples that the pitch, the width and the base must be."""
    target = question.target
    unit = max(target.x_multiple_bytes, element_bits(load.result.type) // 8)
    size = element_bits(load.result.type) // 8
    if isinstance(load, DescriptorLoadOp):
        if isinstance(make := load.desc.owner, MakeTensorDescOp):  # its contract says the rest
            yield Multiple(make.shape[-1], _share(unit, size))
        return
    if isinstance(load.ptr.type, PointerType):
        if (origin := find_origin(load.ptr)) is None:
            return
        make = origin.make
        axes = axes_of([question.strides.of(stride).constant == 1 for stride in make.strides])
        if axes is not None:
            yield Multiple(make.strides[axes.row], _share(target.pitch_multiple_bytes, size))
            yield Multiple(make.shape[axes.column], _share(unit, size))
            yield Multiple(make.base, unit)
        return
    for stride in question.strides.of(load.ptr).strides[-2:]:
        if isinstance(stride, Scaled):
            yield Multiple(stride.value, _share(target.pitch_multiple_bytes, stride.factor))
    for pointer in _bases(load.ptr):
        yield Multiple(pointer, unit)


def _share(multiple: int, factor: int) -> int:
    """What a number must be a multiple of so that `factor` times it is a multiple of `multiple`."""
    return multiple // math.gcd(multiple, factor)


def _bases(pointers: SSAValue) -> list[SSAValue]:
    """The scalar base pointers of a tensor of pointers."""

    def behind(value: SSAValue) -> Sequence[SSAValue]:
        if as_tensor(value.type) is None:
            return ()
        if found := sources(value):
            return found
        return value.owner.operands[:1] if isinstance(value.owner, Operation) and value.owner.name in _THROUGH else ()

    return [value for value in reached([pointers], behind) if as_tensor(value.type) is None]


def _is_argument(value: SSAValue) -> bool:
    """Whether a number is an argument of the kernel, up to a change of its width."""
    while isinstance(op := value.owner, Operation) and op.name in ("arith.extsi", "arith.extui", "arith.trunci"):
        value = op.operands[0]
    return is_argument(value)


def _ranges(candidate: Candidate, question: Question) -> Iterator[Within]:
    """The ranges of pitch and width. The rules take run-time values on trust, so the kernel checks them."""
    target = question.target
    pitch, width = target.min_pitch_bytes, target.min_width_bytes
    size = element_bits(candidate.load.result.type) // 8
    match candidate:
        case BlockPointerLoad(origin=origin, axes=axes):
            make = origin.make
            sizes = [(make.strides[axes.row], size, pitch), (make.shape[axes.column], size, width)]
        case PointerTensorLoad(pitch=Scaled() as rows):
            sizes = [(rows.value, rows.factor, pitch)]
        case DescriptorLoad() if isinstance(make := candidate.load.desc.owner, MakeTensorDescOp):
            sizes = [(make.strides[-2], size, pitch), (make.shape[-1], size, width)]
        case _:
            sizes = []
    for value, factor, least in sizes:
        if question.strides.of(value).constant is None:
            yield Within(value, -(-least // factor), target.max_extent // factor)
