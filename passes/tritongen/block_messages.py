"""2D block loads, stores and prefetches as calls.

The hardware requires a base at a multiple of 64 bytes. The op's base need not be one, so it is aligned down, and width
and x grow by the difference:

    skew = base & 63;  base' = base & -64;  width' = width + skew;  x' = x + skew / element size

Data that a load then brings from left of the base are set to zero (`left_of_base`). A store with a negative x writes
there, as Intel's does; `asserts` checks that there is none.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, SSAValue

from dotload.dialect_ext import enums
from dotload.dialect_ext.triton_gen import BlockLoad2DOp, BlockMessageOp, BlockStore2DOp
from dotload.dialect_ext.triton_gen_attrs import CACHE_CONTROLS, DecorationCacheControlAttr, decorations_of
from dotload.dialect_ext.triton_gen_verify import constant_value
from dotload.dialect_ext.typed import number_of, vector_parts
from dotload.layout.block_message import Message, Mode
from dotload.passes.block_load.spelling import SPIRV_NAMES, SURFACE_ARGUMENTS, Surface
from dotload.passes.tritongen.builder import NONNULL, READONLY, WRITEONLY, Callee, GenBuilder
from dotload.passes.tritongen.left_of_base import may_be_left, without_left
from dotload.passes.tritongen.mangling import genisa

BASE_MULTIPLE_BYTES = 64  # cl_intel_subgroup_2d_block_io, "Restrictions"


def is_aligned(pointer: SSAValue) -> bool:
    """Whether a pointer is already aligned down."""
    cast = pointer.owner
    if not isinstance(cast, Operation) or cast.name != "llvm.inttoptr":
        return False
    mask = cast.operands[0].owner
    if not isinstance(mask, Operation) or mask.name not in ("llvm.and", "arith.andi"):
        return False
    numbers = (constant_value(operand) for operand in mask.operands)
    return any(number is not None and number % BASE_MULTIPLE_BYTES == 0 for number in numbers)


def surface_of(builder: GenBuilder, op: BlockMessageOp, *, aligned: bool) -> tuple[Surface, SSAValue]:
    """The surface with its base aligned down, and x on it; as they are if the target takes any base (`aligned`)."""
    if aligned:
        return Surface(op.ptr, op.base_width, op.base_height, op.base_pitch), op.x
    address = builder.pointer_to_int(op.ptr)
    low = builder.binary(llvm.AndOp, address, builder.constant(BASE_MULTIPLE_BYTES - 1, i64))
    skew = builder.trunc(low)
    high = builder.binary(llvm.AndOp, address, builder.constant(-BASE_MULTIPLE_BYTES, i64))
    base = builder.int_to_pointer(high)
    width = builder.binary(llvm.AddOp, op.base_width, skew)
    element_bytes = builder.constant(op.elem_size_in_bits.value.data // 8)
    x = builder.binary(llvm.AddOp, op.x, builder.binary(llvm.UDivOp, skew, element_bytes))
    return Surface(base, width, op.base_height, op.base_pitch), x


def lower_by_spirv(builder: GenBuilder, op: BlockMessageOp, *, aligned: bool) -> None:
    """SPV_INTEL_2d_block_io: a load writes its result to a lane's local memory, a store reads it from there."""
    if isinstance(op, BlockStore2DOp):
        _store_by_spirv(builder, op, aligned=aligned)
    elif isinstance(op, BlockLoad2DOp):
        _load_by_spirv(builder, op, aligned=aligned)
    else:
        callee = _spirv_callee("__spirv_Subgroup2DBlockPrefetchINTEL", "iiii" + SURFACE_ARGUMENTS, {4: (NONNULL,)})
        prefetch = Callee(callee.name, will_return=False, memory="read", parameters=callee.parameters)
        builder.call_void(prefetch, _spirv_arguments(builder, op, aligned=aligned), **_decorations(op, 4))
        builder.replace()


def _load_by_spirv(builder: GenBuilder, op: BlockLoad2DOp, *, aligned: bool) -> None:
    room = builder.alloca(*vector_parts(op.res))
    parameters = {4: (NONNULL, READONLY), 9: (NONNULL, WRITEONLY)}
    callee = _spirv_callee(SPIRV_NAMES[_mode(op)], f"iiii{SURFACE_ARGUMENTS}Pv", parameters)
    arguments = [*_spirv_arguments(builder, op, aligned=aligned), room]
    builder.call_void(callee, arguments, **_decorations(op, 4))
    loaded = builder.make(llvm.LoadOp, [room], op.res.type)
    builder.replace(_in_memory(builder, op, loaded, aligned=aligned))


def _in_memory(builder: GenBuilder, op: BlockLoad2DOp, loaded: SSAValue, *, aligned: bool) -> SSAValue:
    """The result of a load, without data from left of its base."""
    if aligned or not may_be_left(op):
        return loaded
    columns, rows, blocks = _tile(op)
    message = Message(_mode(op), op.elem_size_in_bits.value.data, rows, columns, blocks)
    return without_left(builder, op, message, loaded)


def _store_by_spirv(builder: GenBuilder, op: BlockStore2DOp, *, aligned: bool) -> None:
    room = builder.alloca(*vector_parts(op.stored_val))
    builder.run(llvm.StoreOp(op.stored_val, room))
    parameters = {4: (NONNULL, READONLY), 5: (NONNULL, WRITEONLY)}
    callee = _spirv_callee("__spirv_Subgroup2DBlockStoreINTEL", f"iiiiPv{SURFACE_ARGUMENTS}", parameters)
    *sizes, base, width, height, pitch, corner = _spirv_arguments(builder, op, aligned=aligned)
    builder.call_void(callee, [*sizes, room, base, width, height, pitch, corner], **_decorations(op, 5))
    builder.replace()


def _spirv_callee(name: str, types: str, parameters: dict[int, tuple[str, ...]]) -> Callee:
    return Callee(f"_Z{len(name)}{name}{types}", parameters=parameters)


def _spirv_arguments(builder: GenBuilder, op: BlockMessageOp, *, aligned: bool) -> list[SSAValue]:
    """Element bytes, width, height and number of the blocks; the region; the corner."""
    surface, x = surface_of(builder, op, aligned=aligned)
    corner = builder.vector([x, op.y])
    sizes = (op.elem_size_in_bits.value.data // 8, *_tile(op))
    return [*map(builder.constant, sizes), surface.base, surface.width, surface.height, surface.pitch, corner]


def _tile(op: BlockMessageOp) -> tuple[int, int, int]:
    """Columns, rows, blocks."""
    return op.tile_width.value.data, op.tile_height.value.data, op.v_blocks.value.data


def _mode(op: BlockLoad2DOp) -> Mode:
    if op.transpose.value.data:
        return Mode.TRANSPOSE
    return Mode.TRANSFORM if op.vnni_transform.value.data else Mode.PLAIN


def _cache_control(op: BlockMessageOp) -> int:
    number = number_of(op.properties["cache_control"])
    assert number is not None  # the enum's constraint
    return number


def _decorations(op: BlockMessageOp, operand: int) -> dict[str, DecorationCacheControlAttr]:
    store = isinstance(op, BlockStore2DOp)
    enum = enums.STORE_CACHE_CONTROL if store else enums.LOAD_CACHE_CONTROL
    names = {number: name for name, number in enum.cases.items()}
    found = decorations_of(names[_cache_control(op)], operand, store=store)
    return {} if found is None else {CACHE_CONTROLS: found}


def lower_by_genisa(builder: GenBuilder, op: BlockMessageOp, *, aligned: bool) -> None:
    """LSC2DBlockRead, -Write and -Prefetch of GenISA, which take the extents minus one."""
    surface, x = surface_of(builder, op, aligned=aligned)
    address = builder.pointer_to_int(surface.base)
    one = builder.constant(1)
    extents = [builder.binary(llvm.SubOp, extent, one) for extent in (surface.width, surface.height, surface.pitch)]
    sizes = [builder.constant(size) for size in (op.elem_size_in_bits.value.data, *_tile(op))]
    mode = _mode(op) if isinstance(op, BlockLoad2DOp) else Mode.PLAIN
    flags = [builder.constant(int(mode is each), i1) for each in (Mode.TRANSPOSE, Mode.TRANSFORM)]
    control = builder.constant(_cache_control(op))
    arguments = [address, *extents, x, op.y, *sizes, *flags, control]
    match op:
        case BlockLoad2DOp():
            name = f"llvm.genx.GenISA.LSC2DBlockRead.{genisa(op.res.type)}"
            value = builder.call(Callee(name), arguments, op.res.type)
            builder.replace(_in_memory(builder, op, value, aligned=aligned))
        case BlockStore2DOp():
            name = f"llvm.genx.GenISA.LSC2DBlockWrite.{genisa(op.stored_val.type)}"
            builder.call_void(Callee(name), [*arguments, op.stored_val])
            builder.replace()
        case _:
            builder.call_void(Callee("llvm.genx.GenISA.LSC2DBlockPrefetch.isVoid"), arguments)
            builder.replace()
