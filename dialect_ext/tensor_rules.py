"""What MLIR's traits and Triton's verifiers ask of tensors, and the definitions of xDSL and those here do not: sizes,
equal shapes, the operands of a dot, the rounding of a conversion, what the ends of a branch yield."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import NoneAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from dotload.dialect_ext.encodings import (
    BlockedEncoding,
    DotOperandEncoding,
    EncodingAttr,
    NvidiaMmaEncoding,
    SliceEncoding,
)
from dotload.dialect_ext.memory_rules import MEMORY_RULES
from dotload.dialect_ext.typed import as_tensor, dims_of, integer_property, tensor_type
from dotload.dialect_ext.types import element_bits, element_of

_OF_TRITON = ("tt.", "ttg.", "ttng.")
MOST_ELEMENTS = 1 << 20  # TRITON_MAX_TENSOR_NUMEL


def wrong_tensors(op: Operation) -> Iterator[str]:
    """What is wrong with the tensors of an op."""
    if op.name.startswith(_OF_TRITON):
        yield from _wrong_sizes(op)
    if (rule := _RULES.get(op.name)) is not None:
        yield from rule(op)


def _wrong_sizes(op: Operation) -> Iterator[str]:
    """Triton's TensorSizeTrait."""
    for what, values in (("operand", op.operands), ("result", op.results)):
        for number, value in enumerate(values):
            if (tensor := as_tensor(value.type)) is None:
                continue
            count = math.prod(tensor.get_shape())
            if count < 1 or count & (count - 1):
                yield f"{what} #{number}: number of elements must be power-of-two, but {value.type} has {count}"
            elif count > MOST_ELEMENTS:
                yield f"{what} #{number}: a tensor has at most {MOST_ELEMENTS} elements, but {value.type} has {count}"


def _convert_layout(op: Operation) -> Iterator[str]:
    source, result = (as_tensor(value.type) for value in (op.operands[0], op.results[0]))
    if source is None or result is None:
        yield f"converts tensors, got {op.operands[0].type} and {op.results[0].type}"
    elif source.get_shape() != result.get_shape():
        yield f"requires the same shape for all operands and results, got {source} and {result}"
    elif source.element_type != result.element_type:
        yield f"requires the same element type for all operands and results, got {source} and {result}"


def _fp_to_fp(op: Operation) -> Iterator[str]:
    source, result = (element_bits(value.type) for value in (op.operands[0], op.results[0]))
    if result < source and "rounding" not in op.properties:
        yield "rounding mode is required for FP downcast; write `rounding = rtne` or `rounding = rtz`"


def _assert(op: Operation) -> Iterator[str]:
    if element_of(op.operands[0].type) != i1:
        yield f"operand #0 must be of i1, but got {op.operands[0].type}"


def _inline_asm(op: Operation) -> Iterator[str]:
    if integer_property(op, "packed_element") < 1:
        yield "packed_element must be positive"


def _dot(op: Operation) -> Iterator[str]:
    """DialectInferLayoutInterface::inferDotOpEncoding; operands and result have layouts, or none has.

    Layouts of other dialects than Triton's own have their own rules.
    """
    a, b, result = (_layout(value) for value in (*op.operands[:2], op.results[0]))
    if (a is None) != (b is None) or (result is None and a is not None):
        yield "operands and result must all have a layout, or none"
        return
    if isinstance(result, NvidiaMmaEncoding) and result.version_major == 3:  # wgmma, which may read shared memory
        return
    for number, layout in enumerate((a, b)):
        if not isinstance(layout, EncodingAttr):
            continue
        if not isinstance(layout, DotOperandEncoding):
            yield f"operand #{number} must have a layout #ttg.dot_op<{{opIdx = {number}, ...}}>, but got {layout}"
        elif layout.op_index != number:
            yield f"operand #{number} must have a layout of opIdx = {number}, but got {layout}"
        elif layout.parent != result:
            yield f"operand #{number} must have a layout whose parent is the result's, {result}, but got {layout}"


def _expand_dims(op: Operation) -> Iterator[str]:
    """DialectInferLayoutInterface::inferExpandDimsOpEncoding"""
    source, result = _layout(op.operands[0]), _layout(op.results[0])
    axis = integer_property(op, "axis")
    if isinstance(source, SliceEncoding) and source.dim != axis:
        yield f"incompatible slice dimension {source.dim} for expand_dims of axis {axis}"
    elif isinstance(source, SliceEncoding) and isinstance(result, BlockedEncoding) and source.parent != result:
        yield f"the result has the layout that the operand is a slice of, {source.parent}, got {result}"


def _trans(op: Operation) -> Iterator[str]:
    """DialectInferLayoutInterface::inferTransOpEncoding, of blocked layouts of one block, or an equivalent layout"""
    source, result = _layout(op.operands[0]), _layout(op.results[0])
    if not isinstance(source, BlockedEncoding) or not isinstance(result, BlockedEncoding):
        return
    dims = dims_of(cast("Any", op.properties["order"]))
    fields = ("size_per_thread", "threads_per_warp", "warps_per_cta")
    wanted = [tuple(getattr(source, field)[dim] for dim in dims) for field in fields]
    wanted.append(tuple(dims.index(dim) for dim in source.order))
    if [getattr(result, field) for field in (*fields, "order")] != wanted and not _is_permuted(op, dims):
        names = ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order")
        listed = ", ".join(f"{name} = {list(values)}" for name, values in zip(names, wanted, strict=True))
        yield f"the result has the permuted layout of the operand, {listed}; got {result}"


def _is_permuted(op: Operation, dims: Sequence[int]) -> bool:
    """Whether each register of the result holds the element that it holds in the operand."""
    from dotload.layout.encodings import layout_of  # here: most modules have no such layouts
    from dotload.layout.views import Transpose

    source, result = (
        layout_of(cast("BlockedEncoding", tensor.encoding).to_encoding(), tuple(tensor.get_shape()))
        for tensor in map(tensor_type, (op.operands[0], op.results[0]))
    )
    return Transpose(tuple(dims)).layout(source) == result


def _layout(value: SSAValue) -> Attribute | None:
    tensor = as_tensor(value.type)
    return None if tensor is None or isinstance(tensor.encoding, NoneAttr) else tensor.encoding


def _if(op: Operation) -> Iterator[str]:
    wanted = [result.type for result in op.results]
    for branch, region in zip(("if", "else"), op.regions, strict=True):
        end = region.block.last_op if region.blocks else None
        if isinstance(end, scf.YieldOp):
            yield from _flow(f"{branch} branch yields", [value.type for value in end.operands], wanted)


def _while(op: Operation) -> Iterator[str]:
    before, after = (region.block for region in op.regions)
    condition, end = before.last_op, after.last_op
    results, inside = [result.type for result in op.results], [value.type for value in after.args]
    if not isinstance(condition, scf.ConditionOp) or not isinstance(end, scf.YieldOp):
        yield "ends its first region by scf.condition, and its second by scf.yield"
        return
    passed = [value.type for value in condition.args]
    start = [value.type for value in before.args]
    yield from _flow("start of the loop passes on", [value.type for value in op.operands], start)
    yield from _flow("condition of the loop passes on", passed, results)
    yield from _flow("condition of the loop passes on", passed, inside)
    yield from _flow("end of the loop passes on", [value.type for value in end.operands], start)


def _flow(what: str, given: list[Attribute], wanted: list[Attribute]) -> Iterator[str]:
    if given != wanted:
        listed = [", ".join(map(str, types)) or "nothing" for types in (given, wanted)]
        yield f"the {what} {listed[0]}, where {listed[1]} should be"


_RULES: Mapping[str, Callable[[Operation], Iterator[str]]] = {
    "ttg.convert_layout": _convert_layout,
    "tt.fp_to_fp": _fp_to_fp,
    "tt.assert": _assert,
    "tt.elementwise_inline_asm": _inline_asm,
    "tt.dot": _dot,
    "tt.expand_dims": _expand_dims,
    "tt.trans": _trans,
    **MEMORY_RULES,
    "scf.if": _if,
    "scf.while": _while,
}
