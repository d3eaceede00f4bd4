"""The criteria by which loads of every kind are judged, and the checks that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IntegerType, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.encodings import DotOperandEncoding, DpasEncoding, EncodingAttr
from dotload.dialect_ext.tt import DescriptorGatherOp, DescriptorLoadOp, LoadOp
from dotload.dialect_ext.ttig import COLUMN_MAJOR, ROW_MAJOR
from dotload.dialect_ext.typed import as_tensor, number_of, tensor_type
from dotload.dialect_ext.types import PointerType, element_bits, element_of
from dotload.layout.block_load import BlockLoadPlan
from dotload.layout.encodings import LANE, DotOperand, Dpas
from dotload.layout.linear import LayoutError
from dotload.layout.reject import Reject
from dotload.layout.widths import BYTE_BITS
from dotload.layout.xe_targets import Emit, XeTarget
from dotload.passes.analysis.block_pointers import Origin
from dotload.passes.analysis.stride_info import ANY, divisor
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.guards import Policy
from dotload.passes.block_load.request import Bounds, find_plan, one_tile
from dotload.passes.block_load.rules import BlockReason, Extent
from dotload.passes.errors import LocatedFailure

Load = LoadOp | DescriptorLoadOp | DescriptorGatherOp

HINTS = ("ttig.block_io", "triton_intel_gpu.block_io")
STRIDE = "ttig.block_io_stride"
LAYOUTS = (ROW_MAJOR, COLUMN_MAJOR)


@dataclass(frozen=True)
class Question:
    """The criteria for a load: hardware, spelling of messages, known facts, and which messages get guards.

    With `assumed`, the facts that the hardware relies on come from there, and pitches are taken to be at least
    `least_pitch` bytes: the kernel checks both itself. With `as_intel`, marks count as in Intel's lowering: in Triton
    3.3's spelling too, and for the size of a block pointer's pitch.
    """

    target: XeTarget
    emit: Emit
    strides: Strides
    policy: Policy = Policy.GATHERS
    assumed: Strides | None = None
    least_pitch: int = 0
    as_intel: bool = False

    @property
    def facts(self) -> Strides:
        """The facts that the hardware relies on."""
        return self.strides if self.assumed is None else self.assumed

    def extent(self, value: SSAValue, factor: int = 1) -> Extent:
        """The extent of a scalar times a number."""
        info = self.facts.of(value)
        constant = None if info.constant is None else info.constant * factor
        return Extent(constant, info.align * divisor(factor), self.least_pitch)

    def steps(self, stride: SSAValue, indices: Iterable[SSAValue], size: int, planes: int = 1) -> int:
        """A divisor of the byte distance by which any of these indices moves a base. `planes`: how many planes are read
        from there on."""
        by = 1 if planes > 1 else min(self.extent(index).known_divisor for index in indices)
        return min(ANY, by * self.extent(stride, size).known_divisor)

    def pitch(self, op: Operation, stride: SSAValue, size: int) -> Extent:
        """The bytes between two rows of a block pointer's memory."""
        extent = self.extent(stride, size)
        vouched = self.as_intel and is_marked(op)
        return replace(extent, least=self.target.min_pitch_bytes) if vouched else extent

    def trusts(self, op: Operation) -> bool:
        """Whether Intel's own analysis has vouched for the alignment of this load or prefetch.

        Up to 3.3, the mark was set without a check of the base; Intel's lowering sends messages all the same.
        """
        return HINTS[0] in op.attributes or (self.as_intel and is_marked(op))

    def column_of(self, origin: Origin, axes: Axes) -> int | None:
        """The column at which a block pointer points, if it is known and the pointer does not move along its rows."""
        return None if axes.column in origin.moved else self.strides.of(origin.make.offsets[axes.column]).constant


@dataclass(frozen=True)
class Axes:
    """The two tensor dims in memory: `row` counts memory's rows, `column` runs along a row."""

    row: int
    column: int

    @property
    def column_major(self) -> bool:
        return self.column < self.row


def axes_of(contiguous: Sequence[bool]) -> Axes | None:
    """The axes: `column` is the last dim if it is contiguous in memory, else the one before it."""
    orders = (axes_in(layout, len(contiguous)) for layout in LAYOUTS)
    return next((axes for axes in orders if contiguous[axes.column]), None)


def axes_in(layout: str, rank: int) -> Axes:
    """The axes of a tensor of this rank in a memory order."""
    return Axes(rank - 1, rank - 2) if layout == COLUMN_MAJOR else Axes(rank - 2, rank - 1)


def is_marked(op: Operation) -> bool:
    """Whether Intel's own analysis has marked a load or prefetch. It does so only on devices with 2D block loads."""
    return any(name in op.attributes for name in HINTS)


def hint_of(op: Operation) -> str | None:
    """The memory order that the mark names: row_major or column_major."""
    names = (op.attributes.get(name) for name in HINTS)
    return next((attr.data for attr in names if isinstance(attr, StringAttr)), None)


def transposes(op: Operation) -> bool:
    """Whether the mark says what is loaded: by columns, a descriptor's block is transposed."""
    return isinstance(op, DescriptorLoadOp) and hint_of(op) == COLUMN_MAJOR


def check_marks(ops: Iterable[Operation]) -> None:
    """Raise LocatedFailure at the first op whose mark names no memory order."""
    for op, name in ((op, name) for op in ops for name in HINTS if name in op.attributes):
        mark = op.attributes[name]
        if not isinstance(mark, StringAttr) or mark.data not in LAYOUTS:
            raise LocatedFailure(op, f"{name} must be {' or '.join(map(repr, LAYOUTS))}, got {mark}")


def promised_axes(op: Operation, rank: int) -> Axes | None:
    """The axes that the mark promises."""
    layout = hint_of(op)
    return None if layout is None else axes_in(layout, rank)


def check_layout(op: Operation, contiguous: Sequence[bool]) -> Reject | None:
    """The dim that the mark calls contiguous must not be known to be another one."""
    known, promised = axes_of(contiguous), promised_axes(op, len(contiguous))
    if known is None or promised is None or contiguous[promised.column]:
        return None
    return Reject(BlockReason.LAYOUT_MARK, value=hint_of(op), limit=COLUMN_MAJOR if known.column_major else ROW_MAJOR)


def promised_stride(op: Operation) -> int | None:
    """The row stride, in elements, with which a load or prefetch is marked."""
    return number_of(op.attributes.get(STRIDE)) if is_marked(op) else None


def check_memory(pointers: SSAValue) -> Reject | None:
    """The pointer, or pointers, must be to global memory."""
    match element_of(pointers.type):
        case PointerType(is_global=False, address_space=space):
            return Reject(BlockReason.NOT_GLOBAL, value=space.data)
        case _:
            return None


def first_problem(*problems: Reject | None) -> Reject | None:
    """The first problem with a load; None if there is none."""
    return next((problem for problem in problems if problem is not None), None)


def plan_for(load: Load, axes: Axes, question: Question, bounds: Bounds) -> BlockLoadPlan | Reject:
    """The plan for a load within these bounds, or why there is none."""
    bounds = replace(bounds, one_tile=one_tile(load))
    return find_plan(tensor_type(load.result), axes.column_major, question.target, question.emit, bounds)


def guarded(load: Load, axes: Axes, leaves: Iterable[int], question: Question) -> tuple[int, ...]:
    """The dims, of those along which a load may leave its memory, along which its messages get guards."""
    wanted = {Policy.GATHERS: is_gathered(load, axes), Policy.CHECKED: True, Policy.NEVER: False}
    return tuple(leaves) if wanted[question.policy] else ()


def is_gathered(load: Load, axes: Axes) -> bool:
    """Whether Intel's lowering (triton-xpu 3.3) would read this load lane by lane.

    Intel reads a marked load by messages for operands and results of DPAS; if the contiguous dim is not the last one,
    only for B, and not for 8-bit floats.
    """
    type_ = tensor_type(load.result)
    match type_.encoding.to_encoding() if isinstance(type_.encoding, EncodingAttr) else None:
        case DotOperand(parent=Dpas(), op_index=index):
            is_float = not isinstance(type_.element_type, IntegerType)
            reads_columns = index == 1 and not (is_float and element_bits(type_) == BYTE_BITS)
        case Dpas():
            reads_columns = False
        case _:
            return True
    return not is_marked(load) or (axes.column_major and not reads_columns)


def check_waste(load: Load, axes: Axes, plan: BlockLoadPlan, question: Question, bounds: Bounds) -> Reject | None:
    """A load that would otherwise be a gather must not read more bytes than the gather. Bytes that a message skips to
    save cache lines do not count: their lines are read anyway.
    """
    if plan.waste == 1 or not is_gathered(load, axes):
        return None
    exact = plan_for(load, axes, question, replace(bounds, exact=True))
    return Reject(BlockReason.WASTE, value=plan.waste) if isinstance(exact, Reject) else None


def holds_planes(shape: Sequence[int]) -> bool:
    """Whether a tensor of this shape has elements of several planes. With one plane, the base is the plane's."""
    return any(size > 1 for size in shape[:-2])


def check_batch(type_: TensorType[Attribute]) -> Reject | None:
    """A message reads one plane of memory, so all lanes of a warp must lie in one plane."""
    shape = tuple(type_.get_shape())
    if not holds_planes(shape) or not isinstance(type_.encoding, EncodingAttr):
        return None
    try:
        lanes = type_.encoding.to_encoding().to_linear_layout(shape).bases[LANE]
    except LayoutError:
        return None  # the planner says why
    dims = (dim for dim in range(len(shape) - 2) if any(basis[dim] for basis in lanes))
    return next((Reject(BlockReason.BATCH, value=dim) for dim in dims), None)


def check_one_plane(shape: Sequence[int]) -> Reject | None:
    """BATCH for a tensor that has elements of several planes."""
    several = (dim for dim, size in enumerate(shape[:-2]) if size > 1)
    return next((Reject(BlockReason.BATCH, value=dim) for dim in several), None)


def is_for_dpas(load: Load) -> bool:
    """Whether the result has the layout of an operand or a result of DPAS."""
    type_ = as_tensor(load.result.type)
    encoding = None if type_ is None else type_.encoding
    return isinstance(encoding.parent if isinstance(encoding, DotOperandEncoding) else encoding, DpasEncoding)
