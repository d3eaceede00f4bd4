"""`eliminate-transposed-loads`: take values that are a part of the keys from the loaded keys.

    %k = tt.load ... : tensor<512x32x!tt.ptr<f8E4M3FN>>      %same = %k_ptr == %v_ptr and %k_stride == %v_stride
    ... tt.dot %q, %k                                        scf.if %same {
    %v = tt.load ... : tensor<32x512x!tt.ptr<f8E4M3FN>>        scf.for ... { %v = tt.trans %k ... }
    ... tt.dot %p, %v                                        } else {
                                                               the loop as it was
                                                             }

In latent attention, the first dims of a key are the value. A kernel with a pointer to each gets the same pointer twice,
which the compiler cannot know. So its loop gets a second version, as in LLVM's loop versioning.

wgmma reads both operands from shared memory in one type. So for more than 32 rows, the values come from keys that are
converted to 16 bits, and the probabilities are converted too, exactly:

    %k16 = tt.fp_to_fp %k : tensor<512x64xf8E4M3FN> -> tensor<512x64xbf16>
    ... tt.dot %q, %k16
    %p16 = tt.fp_to_fp %p : tensor<64x64xf8E4M3FN> -> tensor<64x64xbf16>
    ... tt.dot %p16, (tt.trans %k16)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_compute import DotOp, FpToFpOp, PtrToIntOp, TransOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import as_tensor, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import PointerType, element_bits, element_of
from dotload.layout.nvidia_targets import HOPPER
from dotload.layout.widths import BYTE_BITS
from dotload.passes.analysis.transposes import Arguments, is_transposed_where
from dotload.passes.ir.constants import is_zero
from dotload.passes.ir.conversions import CONVERSIONS
from dotload.passes.ir.def_use import behind, erase_unused, only_user, ops_behind
from dotload.passes.ir.dot_sums import DotSum, find_sums
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import ACCUMULATOR
from dotload.passes.ir.memory import size_bytes
from dotload.passes.ir.motion import backward_slice, move
from dotload.passes.ir.versions import keep_version
from dotload.passes.operand_staging.loop_loads import keep_outer_loop
from dotload.passes.rewriting import RewritePass

VERSIONED = (
    "if values and keys have one address and stride, a version of the loop takes the values from the tile of keys"
)
AT_ONCE = "the loop takes the values from the tile of keys"
FLOATS = ("f8E4M3FN", "f8E5M2")
"""8-bit floats that 16-bit floats represent exactly."""
MAX_ROWS = 32
"""The most rows of scores for mma.sync, which reads one tile of bytes in both orders. More rows use wgmma."""


@dataclass(frozen=True)
class TiledDot:
    """A dot, and the 8-bit tile that its loop loads for B."""

    dot: DotOp
    load: LoadOp


@dataclass(frozen=True)
class TransposedKeys:
    """Dots of a loop that take `keys` and `values`; the loaded tile of values is the transpose of that of keys.

    This holds if the two arguments of each pair in `arguments` are equal.
    """

    loop: scf.ForOp
    keys: TiledDot
    values: TiledDot
    arguments: tuple[Arguments, ...]


# Candidates


def find_keys(loop: scf.ForOp, capability: int) -> TransposedKeys | None:
    """Values that latent attention loads a second time."""
    of_keys = [dot for each in find_sums(loop) if is_of_latent_keys(each) for dot in each.dots]
    others = [dot for dot in of_kind(loop.body.block.ops, DotOp) if dot not in of_keys]
    keys, values = ([each for each in map(tiled, dots) if each is not None] for dots in (of_keys, others))
    if not keys or not values or any(map(writes_global, loop.body.block.ops)):
        return None
    has_room = fits(of_keys)
    pairs = ((key, value) for key in keys for value in values if may_share(key, value, capability, has_room=has_room))
    return next((found for pair in pairs if (found := transposed_keys(loop, *pair))), None)


def is_of_latent_keys(sum_: DotSum) -> bool:
    """Whether the dots add up to scores, from keys of two parts: one is the values, one the position."""
    return sum_.carried is None and len(sum_.dots) > 1


def tiled(dot: DotOp) -> TiledDot | None:
    """The dot, if its loop loads an 8-bit tile for B."""
    load = behind(dot.b, CONVERSIONS).owner
    if not isinstance(load, LoadOp) or load.parent_op() is not dot.parent_op():
        return None
    return TiledDot(dot, load) if element_bits(load.result.type) == BYTE_BITS else None


def transposed_keys(loop: scf.ForOp, keys: TiledDot, values: TiledDot) -> TransposedKeys | None:
    """The values, if they are the transposed keys, provided that certain arguments are equal."""
    loads = (keys.load, values.load)
    operands = zip(*((load.ptr, load.mask, load.other) for load in loads), strict=True)
    found = [is_transposed_where(*each) for each in operands]
    is_plain = not any(load.is_volatile or load.boundary_check for load in loads)
    known = [pairs for pairs in found if pairs is not None]
    if len(known) < len(found) or not is_plain:
        return None
    return TransposedKeys(loop, keys, values, tuple(dict.fromkeys(pair for pairs in known for pair in pairs)))


def fits(of_keys: Sequence[DotOp]) -> bool:
    """Whether shared memory has room for the queries, the keys as loaded, and the keys as multiplied."""
    tiles = (tile for dot in of_keys for tile in (dot.a, dot.b, behind(dot.b, CONVERSIONS)))
    return sum(map(size_bytes, tiles)) <= HOPPER.max_block_bytes


def may_share(keys: TiledDot, values: TiledDot, capability: int, *, has_room: bool) -> bool:
    """Whether both dots may take one tile, which the keys load first: bytes for mma.sync, converted for wgmma.

    Tokens that are addressed through an index leave wgmma's loops too few registers: both versions spilled.
    """
    if not keys.load.is_before_in_block(values.load):
        return False
    if has_few_rows(keys.dot):
        return True
    if capability != HOPPER.capability or not has_room:
        return False
    is_wide = element_bits(keys.dot.b.type) == 2 * BYTE_BITS
    is_free = keys.dot.is_before_in_block(values.dot) and not is_indexed(keys.load)
    return is_wide and is_free and may_take_keys(keys, values)


def may_take_keys(keys: TiledDot, values: TiledDot) -> bool:
    """Whether the dot of values may take the converted keys, and is all that the values are loaded for.

    It may if it takes values converted by the same ops, or 8-bit floats that no op has rounded.
    """
    of_keys, of_values = (list(ops_behind(each.dot.b, CONVERSIONS)) for each in (keys, values))
    if not all(value.has_one_use() for value in (values.load.result, *(op.results[0] for op in of_values))):
        return False
    if list(map(settings, of_keys)) == list(map(settings, of_values)):
        return True
    taken = element_of(values.dot.b.type)
    is_rounded = any(element_bits(op.results[0].type) == BYTE_BITS for op in (*of_keys, *of_values))
    is_exact = str(element_of(keys.load.result.type)) in FLOATS and not is_rounded
    return is_exact and (not of_values or taken == element_of(keys.dot.b.type))


def settings(op: Operation) -> tuple[str, Mapping[str, Attribute], Attribute]:
    """What an op does to each element."""
    return op.name, op.properties, element_of(op.results[0].type)


def is_indexed(load: LoadOp) -> bool:
    """Whether a tile's addresses come from a tensor that its loop loads."""
    loop = load.parent_op()
    assert isinstance(loop, scf.ForOp)
    loads = of_kind(backward_slice([load.ptr.owner], loop), LoadOp)
    return any(as_tensor(each.result.type) is not None for each in loads)


def has_few_rows(dot: DotOp) -> bool:
    """Whether the dot has too few rows for wgmma."""
    return shape_of(dot.d.type)[0] <= MAX_ROWS


# Emission


def emit(found: TransposedKeys) -> None:
    """Let the loop load the keys alone, beside a version of it as it was unless the arguments are always equal."""
    if found.arguments:
        keep_outer_loop(found.loop)
        keep_version(found.loop, are_equal(found.arguments, Emitter.before(found.loop)))
    transpose(found.keys, found.values)


def are_equal(arguments: Sequence[Arguments], emitter: Emitter) -> SSAValue:
    """Whether the arguments of each pair are equal."""
    equal = [
        emitter.insert(arith.CmpiOp(as_integer(first, emitter), as_integer(second, emitter), "eq"))
        for first, second in arguments
    ]
    return emitter.folded(arith.AndIOp, equal)


def as_integer(argument: SSAValue, emitter: Emitter) -> SSAValue:
    """A pointer as an integer."""
    is_pointer = isinstance(argument.type, PointerType)
    return emitter.make(PtrToIntOp, [argument], i64) if is_pointer else argument


def transpose(keys: TiledDot, values: TiledDot) -> None:
    """Let the values' dot take the transposed keys, and erase the load of values."""
    if has_few_rows(keys.dot):
        values.load.result.replace_all_uses_with(transposed(keys.load.result, Emitter.before(values.load)))
    else:
        take_converted(keys.dot.b, values.dot)
    Rewriter.erase_op(values.load)


def transposed(keys: SSAValue, emitter: Emitter) -> SSAValue:
    """The transposed keys, of the same element type."""
    tensor = tensor_type(keys)
    return emitter.insert(TransOp(keys, (1, 0), TensorType(tensor.element_type, tensor.get_shape()[::-1])))


def take_converted(keys: SSAValue, dot: DotOp) -> None:
    """Let a dot take the converted keys, transposed, as its values.

    Products of 8-bit floats are exact in 16 bits, and the sum is f32, so there is no reason for a separate partial sum.
    """
    emitter, converted = Emitter.before(dot), dot.b
    element, probabilities = tensor_type(keys).element_type, tensor_type(dot.a)
    if probabilities.element_type != element:
        wide = TensorType(element, probabilities.get_shape())
        dot.operands[0] = emitter.make(FpToFpOp, [dot.a], wide)
    dot.operands[1] = transposed(keys, emitter)
    dot.maxNumImpreciseAcc = IntegerAttr(0, i32)
    erase_unused([converted])
    add_up_within(dot)


def add_up_within(dot: DotOp) -> None:
    """Let a dot accumulate into the addend of its result, if its accumulator is zero."""
    addition = only_user(dot.d)
    if not isinstance(addition, arith.AddfOp) or addition.parent is not dot.parent or not is_zero(dot.c):
        return
    (other,) = (value for value in addition.operands if value is not dot.d)
    dot.operands[ACCUMULATOR] = other
    move(dot, addition)
    Rewriter.replace_op(addition, (), [dot.d])


@dataclass(frozen=True)
class EliminateTransposedLoadsPass(RewritePass):
    """Take values that are a part of the keys from the keys, if the kernel is given both at one address.

    `capability`: the compute capability of the GPU, as Triton writes it.
    """

    name = "eliminate-transposed-loads"

    capability: int = HOPPER.capability

    def rewrite(self, module: ModuleOp) -> bool:
        found = [each for loop in of_kind(module.walk(), scf.ForOp) if (each := find_keys(loop, self.capability))]
        for each in found:
            self.passed(each.values.load, VERSIONED if each.arguments else AT_ONCE)
            emit(each)
        return bool(found)
