"""Single elements of tensors as scalars.

The element of a tensor at an index is computed like the tensor, by the same ops on elements of their operands:

    tt.splat %base                          at any index       %base
    tt.make_range {start = s}               at [i]             s + i
    tt.expand_dims %t {axis = 1}            at [i, 0]          %t at [i]
    tt.addptr %pointers, %offsets           at [i, j]          tt.addptr of both at [i, j]

A loop or branch that forwards the tensor then forwards the element, too. The whole backward slice of a tensor must be
of this kind (`is_computed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext.tt_memory import AddPtrOp
from dotload.dialect_ext.typed import as_tensor, create, integer_property, is_splat, tensor_type
from dotload.dialect_ext.types import element_of
from dotload.passes.ir.flow import sources
from dotload.passes.ir.scalar_emitter import ScalarEmitter
from dotload.passes.rematerialization.rematerialized import Recomputed

Index = tuple[SSAValue | None, ...]
"""One i32 per dim, defined at the beginning of the function; None for 0."""

_ARITH = (
    *("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "minsi", "maxsi", "minui", "maxui"),
    *("andi", "ori", "xori", "shli", "shrsi", "shrui", "cmpi", "select", "extsi", "extui", "trunci", "index_cast"),
)
ELEMENTWISE = frozenset({*(f"arith.{name}" for name in _ARITH), "tt.addptr", "tt.bitcast"})
MOVING = frozenset({"tt.expand_dims", "tt.broadcast", "ttg.convert_layout"})


def is_computed(value: SSAValue) -> bool:
    """Whether single elements of a tensor can be computed as scalars: the first one can be."""
    tensor = as_tensor(value.type)
    return tensor is None or Elements.may_be_computed([value], (None,) * len(tensor.get_shape()))


def _is_source(op: Operation) -> bool:
    """Whether a tensor starts at this op: the splat of a scalar, a range, a constant splat."""
    return op.name in ("tt.splat", "tt.make_range") or (
        isinstance(op, arith.ConstantOp) and is_splat(op.value) and isinstance(op.value.get_attrs()[0], IntegerAttr)
    )


class Elements(Recomputed[Index]):
    """Elements of tensors for which `is_computed` holds, by index, each next to the tensor's definition."""

    def before(self, value: SSAValue) -> SSAValue | None:
        """The pointers that an offset is added to."""
        return value.owner.operands[0] if isinstance(value.owner, AddPtrOp) else None

    @staticmethod
    def forwarded(value: SSAValue) -> Sequence[SSAValue]:
        """What a loop or a branch forwards."""
        return sources(value)

    @classmethod
    def operands(cls, op: Operation, form: Index) -> Sequence[tuple[SSAValue, Index]] | None:
        """The operands of which an element is needed, and its index."""
        if op.name in ELEMENTWISE:
            return [(operand, form) for operand in op.operands]
        if op.name in MOVING:
            return [(op.operands[0], _moved(op, form))]
        return () if _is_source(op) else None

    def computed(self, op: Operation, form: Index, operands: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """The element of the op's result at an index."""
        here = ScalarEmitter(op)
        match op.name:
            case "tt.splat":
                return op.operands[0]
            case "tt.make_range":
                return _counted(here, integer_property(op, "start"), *form)
            case "arith.constant":
                assert isinstance(op, arith.ConstantOp)
                assert is_splat(op.value)
                return here.insert(arith.ConstantOp(op.value.get_attrs()[0]))
            case _ if op.name in MOVING:
                return operands[op.operands[0]]
            case _:
                elements, types = [operands[each] for each in op.operands], [element_of(op.results[0].type)]
                new = create(type(op), operands=elements, result_types=types, properties=op.properties)
                return here.insert(new, op.results[0].name_hint)


def _counted(here: ScalarEmitter, start: int, at: SSAValue | None) -> SSAValue:
    """The number at a distance from the start."""
    if at is None:
        return here.constant(start)
    return here.insert(arith.AddiOp(at, here.constant(start))) if start else at


def _moved(op: Operation, index: Index) -> Index:
    """The index in an op's operand of the element that is at `index` in its result."""
    match op.name:
        case "tt.expand_dims":
            axis = integer_property(op, "axis")
            return (*index[:axis], *index[axis + 1 :])
        case "tt.broadcast":
            shape = tensor_type(op.operands[0]).get_shape()
            return tuple(None if size == 1 else at for size, at in zip(shape, index, strict=True))
        case _:
            return index
