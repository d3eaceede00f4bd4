"""`materialize-block-pointer`: mark the loads that 2D block loads can serve, as Intel's pass of this name does.

    %a = tt.load %ptrs {ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot0>

`ttig.block_io` names the dim that is contiguous in memory: `row_major` the last one, `column_major` the one before it.
A mark promises the following, and lower-to-2d-block-load relies on it if it cannot derive it:

- the base is a multiple of 4 bytes, the unit of x;
- the row stride is a multiple of 16 bytes (cl_intel_subgroup_2d_block_io, "Restrictions").

A load of rank 1 whose pointers are rows of memory, (i % W) + (i / W) * S, becomes one of rank 2, of the same registers:

    %b = tt.reshape %ptrs : tensor<256x!tt.ptr<f16>, #e> -> tensor<8x32x!tt.ptr<f16>, #rows>
    %a = tt.load %b {ttig.block_io = "row_major", ttig.block_io_stride = 64 : i64} : tensor<8x32x!tt.ptr<f16>, #rows>
    %r = tt.reshape %a : tensor<8x32xf16, #rows> -> tensor<256xf16, #e>

A load by a tensor descriptor is marked `row_major`, with the descriptor's padding as `ttig.desc_padding`. Its base and
strides, if known only at run time, are taken to obey the contract of descriptors: multiples of 16 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.encodings import EncodingAttr
from dotload.dialect_ext.tt import DescriptorLoadOp, LoadOp, MakeTensorDescOp, ReshapeOp
from dotload.dialect_ext.ttig import COLUMN_MAJOR, ROW_MAJOR
from dotload.dialect_ext.typed import as_tensor, clone
from dotload.dialect_ext.types import PointerType, element_bits
from dotload.layout.encodings import LANE, WARP, dim_names
from dotload.layout.linear import LinearLayout
from dotload.layout.widths import BYTE_BITS
from dotload.layout.xe_targets import TARGETS, XeTarget
from dotload.passes import remarks
from dotload.passes.analysis.block_pointers import descriptor_makers, find_origin
from dotload.passes.analysis.stride_info import Stride, divisor
from dotload.passes.analysis.strided_rows import Rows, find_rows
from dotload.passes.analysis.strides import Strides
from dotload.passes.block_load.candidates import DESCRIPTOR_PADDING
from dotload.passes.block_load.questions import HINTS, STRIDE, check_memory, transposes
from dotload.passes.ir.layouts import layout_of_type, linear_attribute
from dotload.passes.lower_to_2d_block_load import SUPPORT_ATTRIBUTES

HINT = HINTS[0]
# Of every target today (layout/xe_targets.py): a mark's promise is the same for all of them.
_LIMITS: XeTarget = next(iter(TARGETS.values()))
_X_BITS, _PITCH_BITS = 8 * _LIMITS.x_multiple_bytes, 8 * _LIMITS.pitch_multiple_bytes


@dataclass(frozen=True)
class MaterializeBlockPointerPass(ModulePass):
    """Mark the loads that 2D block loads can serve with `ttig.block_io`.

    Does nothing in a module without `ttig.support_2d_block_io`.
    """

    name = "materialize-block-pointer"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(name in op.attributes for name in SUPPORT_ATTRIBUTES):
            return
        accesses = [each for each in op.walk() if isinstance(each, LoadOp | DescriptorLoadOp)]
        strides = Strides(op) if accesses else None
        for access in accesses:
            assert strides is not None
            if transposes(access):
                text = f"{access.name} stays marked {COLUMN_MAJOR}: it transposes the block"
                remarks.emit("passed", self.name, access, text)
            elif (bits := element_bits(access.result.type)) % BYTE_BITS:
                text = f"{access.name} is not marked: no message moves {bits}-bit elements"
                remarks.emit("missed", self.name, access, text)
            elif isinstance(access, DescriptorLoadOp):
                _mark_descriptor(access, strides, self.name)
            else:
                _mark(access, strides, self.name)


def _mark(access: LoadOp, strides: Strides, name: str) -> None:
    if (problem := check_memory(access.ptr)) is not None:
        remarks.emit("missed", name, access, f"{access.name} is not marked: {problem}")
        return
    if (type_ := as_tensor(access.ptr.type)) is not None and len(type_.get_shape()) == 1:
        rows = find_rows(access.ptr, strides)
        if rows is not None and _are_legal(rows, access):
            _reshape(access, rows)
            message = f"{access.name} is marked {ROW_MAJOR}, with rows of {rows.width} elements, {rows.stride} apart"
            remarks.emit("passed", name, access, message)
            return
    layout = _layout_of(access.ptr, strides)
    if layout is None:
        remarks.emit("missed", name, access, f"{access.name} is not marked: its pointers do not address a 2D block")
        return
    access.attributes[HINT] = StringAttr(layout)
    remarks.emit("passed", name, access, f"{access.name} is marked {layout}")


def _layout_of(pointer: SSAValue, strides: Strides) -> str | None:
    """The memory order of the target of a pointer, or of a tensor of pointers; None for anything but rows."""
    if isinstance(pointer.type, PointerType):
        return _layout_of_block(pointer, strides)
    type_ = as_tensor(pointer.type)
    if type_ is None or len(type_.get_shape()) < 2 or not isinstance(type_.element_type, PointerType):
        return None
    info, size = strides.of(pointer), element_bits(type_.element_type.pointee) // 8
    rank, found = len(type_.get_shape()), None
    # The dim before the last one is checked last, and wins: Intel's pass does the same if both are contiguous.
    for layout, fast in ((ROW_MAJOR, rank - 1), (COLUMN_MAJOR, rank - 2)):
        slow = 2 * rank - 3 - fast
        whole = info.strides[fast] == size and info.runs[fast] >= type_.get_shape()[fast]
        pitched = _is_pitch(info.strides[slow], strides)
        if whole and pitched and info.align % _LIMITS.x_multiple_bytes == 0:
            found = layout
    return found


def _are_legal(rows: Rows, load: LoadOp) -> bool:
    """Whether the hardware has messages for such rows, as many as a warp holds, and each lane has a place in them."""
    type_ = as_tensor(load.result.type)
    if type_ is None or load.mask is not None or not isinstance(type_.encoding, EncodingAttr):
        return False
    layout, bits = layout_of_type(type_), element_bits(type_)
    count, lanes = type_.get_shape()[0], layout.in_sizes[LANE]
    pitch = rows.stride * bits // 8
    held = count // rows.width // layout.in_sizes[WARP]
    return (
        rows.width & (rows.width - 1) == 0
        and lanes <= rows.width <= min(count, 8 * _LIMITS.max_row_bytes // bits)
        and max(1, held) <= _LIMITS.max_rows
        and _LIMITS.min_pitch_bytes <= pitch <= _LIMITS.max_extent
        and pitch % _LIMITS.pitch_multiple_bytes == 0
    )


def _reshape(load: LoadOp, rows: Rows) -> None:
    """Load rows and columns, and reshape the result to one dim; no element changes its register."""
    pointers, old = as_tensor(load.ptr.type), as_tensor(load.result.type)
    assert pointers is not None
    assert old is not None
    (count,) = old.get_shape()
    shape = [count // rows.width, rows.width]
    layout = layout_of_type(old)
    bases = {name: [divmod(at, rows.width) for (at,) in images] for name, images in layout.in_items}
    names = dim_names(2)
    encoding = linear_attribute(LinearLayout.from_bases(bases, dict(zip(names, shape, strict=True))))
    pointer = ReshapeOp(load.ptr, TensorType(pointers.element_type, shape, encoding))
    new = clone(load, {load.ptr: pointer.results[0]})
    Rewriter.replace_value_with_new_type(new.result, TensorType(old.element_type, shape, encoding))
    new.attributes |= {HINT: StringAttr(ROW_MAJOR), STRIDE: IntegerAttr(rows.stride, i64)}
    back = ReshapeOp(new.result, old)
    for op in (pointer, new, back):
        op.location = load.location
    Rewriter.replace_op(load, [pointer, new, back], [back.results[0]])


def _is_pitch(stride: Stride, strides: Strides) -> bool:
    """Whether the hardware accepts this row stride in bytes; 0 means one row, repeated."""
    if isinstance(stride, int):
        return stride >= 0 and stride % _LIMITS.pitch_multiple_bytes == 0
    return stride is not None and strides.divisor_of(stride) % _LIMITS.pitch_multiple_bytes == 0


def _layout_of_block(pointer: SSAValue, strides: Strides) -> str | None:
    """The same for a block pointer: one stride is 1, the other a pitch; base, shape and offsets in steps of 4 bytes."""
    origin = find_origin(pointer)
    if origin is None or len(origin.make.strides) < 2:
        return None
    make = origin.make
    rank = len(make.strides)
    assert isinstance(make.result.type, PointerType)
    size = element_bits(make.result.type.pointee) // 8
    constants = [strides.of(stride).constant for stride in make.strides]
    fast = next((dim for dim in (rank - 1, rank - 2) if constants[dim] == 1), None)
    if fast is None:
        return None
    slow = 2 * rank - 3 - fast
    steps = [make.shape[fast], *origin.offsets_along(fast)]
    in_steps = all(_bytes(strides, value, size) % _LIMITS.x_multiple_bytes == 0 for value in steps)
    pitched = _bytes(strides, make.strides[slow], size) % _LIMITS.pitch_multiple_bytes == 0
    if not in_steps or not pitched or strides.of(make.base).align % _LIMITS.x_multiple_bytes:
        return None
    return ROW_MAJOR if fast == rank - 1 else COLUMN_MAJOR


def _divisor(strides: Strides, value: SSAValue) -> int:
    """A power of two that divides a scalar."""
    info = strides.of(value)
    return info.align if info.constant is None else divisor(info.constant)


def _bytes(strides: Strides, value: SSAValue, size: int) -> int:
    """The same for a number of elements, in bytes."""
    return _divisor(strides, value) * divisor(size)


def _mark_descriptor(load: DescriptorLoadOp, strides: Strides, name: str) -> None:
    found = descriptor_makers(load.desc)
    made = [make for make in found or (None,) if make is not None]
    if found is None or len(made) < len(found):
        problem = "the ops that make its descriptor are not known"
    else:
        problem = _descriptor_problem(load, made, strides)
    if problem is not None:
        remarks.emit("missed", name, load, f"{load.name} is not marked: {problem}")
        return
    load.attributes[HINT] = StringAttr(ROW_MAJOR)
    load.attributes[DESCRIPTOR_PADDING] = made[0].padding
    remarks.emit("passed", name, load, f"{load.name} is marked {ROW_MAJOR}")


def _descriptor_problem(load: DescriptorLoadOp, made: Sequence[MakeTensorDescOp], strides: Strides) -> str | None:
    """Why a load is not marked, from what is known of the ops that may have made its descriptor."""
    if len(load.indices) < 2:
        return "its result is not a tensor of rank 2 or more"
    if any(make.padding != made[0].padding or tuple(make.shape) != tuple(made[0].shape) for make in made):
        return "its descriptor may be one of several, with different shapes or paddings"
    if any(strides.of(make.strides[-1]).constant not in (None, 1) for make in made):
        return "the last dimension is not contiguous in memory"
    bits = element_bits(load.result.type)
    # At least 4 bytes and at least two elements.
    inner = max(2, -(-_X_BITS // bits))
    rows = -(-_PITCH_BITS // bits)
    # Known divisor, required divisor, and the divisor of an unknown value, for which the contract holds.
    wanted = [("index along a row", _divisor(strides, load.indices[-1]), inner, 0)]
    for make in made:
        wanted += [
            ("number of elements in a row", _divisor(strides, make.shape[-1]), inner, 0),
            ("base", strides.of(make.base).align, _LIMITS.x_multiple_bytes, bits // 8),
            ("row stride", _divisor(strides, make.strides[-2]), rows, 1),
        ]
    for what, known, multiple, nothing in wanted:
        if known % multiple and known > nothing:
            return f"the {what} is known to be a multiple of {known} only, must be one of {multiple}"
    return None
