"""`hoist-fragment-layouts`: 8-bit operands of mma.sync come into the layout of fragments before they are converted.

    %f = tt.fp_to_fp %k : tensor<128x64xf8E4M3FN, #blocked> -> tensor<128x64xf32, #blocked>
    %s = arith.mulf %f, %scale                                              %scale: a splat
    %h = arith.truncf %s : ... to tensor<128x64xbf16, #blocked>
    %b = ttg.convert_layout %h : ... -> tensor<128x64xbf16, #dot_op>

Triton moves such a conversion of the layout up to the load: it moves half the bytes there, and the load becomes an
asynchronous copy to shared memory. But it does not move it past an op of two operands, as where an fp8 cache has a
scale. This pass does:

    %r = ttg.convert_layout %k : ... -> tensor<128x64xf8E4M3FN, #dot_op>
    %f = tt.fp_to_fp %r
    ...

Values that are transposed in shared memory on their way, as those of latent attention, come from the same tile by a
`tt.trans`. It pays where no two warps have the same fragments, and so no element is converted twice.

`stage-dot-operands`, which runs next, takes the tiles whose order in memory is not the fragments'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext import encodings as attrs
from dotload.dialect_ext.traits import is_elementwise
from dotload.dialect_ext.tt_compute import DotOp, SplatOp
from dotload.dialect_ext.tt_memory import DescriptorLoadOp, LoadOp
from dotload.dialect_ext.ttg import ConvertLayoutOp, LocalAllocOp, LocalLoadOp, MemDescTransOp
from dotload.dialect_ext.typed import as_tensor, is_splat, retyped, tensor_type
from dotload.dialect_ext.types import element_bits
from dotload.layout import encodings as enc
from dotload.layout.nvidia_targets import REGISTER_BITS
from dotload.layout.views import Transpose
from dotload.passes import remarks
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.layouts import layout_of_tensor
from dotload.passes.ir.loops import loop_around
from dotload.passes.ir.motion import copy_of
from dotload.passes.rewriting import RewritePass

BYTE, RANK = 8, 2


@dataclass(frozen=True)
class Sink:
    """Ops that bring a converted tile into the layout of fragments, in order: the last one's result is `fragments`."""

    ops: tuple[Operation, ...]

    @property
    def fragments(self) -> OpResult:
        """The operand of dots."""
        return self.ops[-1].results[0]

    @property
    def is_transposed(self) -> bool:
        """Whether the fragments are those of the transposed tile."""
        return sum(isinstance(op, MemDescTransOp) for op in self.ops) % 2 == 1


@dataclass(frozen=True)
class ConvertedTile:
    """A loaded tile, the ops that convert it one after the other, and where the last one's result goes."""

    load: LoadOp | DescriptorLoadOp
    conversions: tuple[Operation, ...]
    sinks: tuple[Sink, ...]


# Candidates


def find_tile(load: LoadOp | DescriptorLoadOp) -> ConvertedTile | None:
    """The tile, if all that is done with it is to convert it for dots of mma.sync."""
    tensor = as_tensor(load.results[0].type)
    is_tile = tensor is not None and isinstance(tensor.encoding, attrs.BlockedEncoding)
    if tensor is None or not is_tile or element_bits(tensor) != BYTE or len(tensor.get_shape()) != RANK:
        return None
    conversions, value = list[Operation](), SSAValue.get(load.results[0])
    while (conversion := conversion_of(value)) is not None:
        conversions.append(conversion)
        value = conversion.results[0]
    if loop_around(load) is None or not conversions or element_bits(tensor_type(value)) != 2 * BYTE:
        return None
    sinks = [sink_of(use.operation) for use in value.uses]
    found = tuple(sink for sink in sinks if sink is not None and are_apart(sink.fragments))
    return ConvertedTile(load, tuple(conversions), found) if found and len(found) == len(sinks) else None


def conversion_of(value: SSAValue) -> Operation | None:
    """The op that is all that uses the value, if it computes each element from that, and from what all have alike."""
    uses = list(value.uses)
    op = uses[0].operation if len(uses) == 1 else None
    if op is None or not is_elementwise(op) or len(op.results) != 1:
        return None
    others = (operand for operand in op.operands if operand is not value)
    return op if all(map(is_uniform, others)) else None


def is_uniform(value: SSAValue) -> bool:
    """Whether all elements are the same, as the op that makes them shows."""
    owner = value.owner
    return isinstance(owner, SplatOp) or (isinstance(owner, arith.ConstantOp) and is_splat(owner.value))


def sink_of(op: Operation) -> Sink | None:
    """The ops from this one to the fragments that dots take; None where it leads elsewhere."""
    ops = [op]
    while isinstance(ops[-1], LocalAllocOp | MemDescTransOp):
        users = [use.operation for use in ops[-1].results[0].uses]
        if len(users) != 1:
            return None
        ops += users
    if not isinstance(ops[-1], ConvertLayoutOp | LocalLoadOp):
        return None
    users = [use.operation for use in ops[-1].results[0].uses]
    return Sink(tuple(ops)) if users and all(isinstance(user, DotOp) for user in users) else None


def are_apart(fragments: SSAValue) -> bool:
    """Whether each element is in one register of one lane, and bytes of it lie in whole words."""
    tensor = tensor_type(fragments)
    encoding = tensor.encoding
    if not isinstance(encoding, attrs.DotOperandEncoding) or encoding.k_width * BYTE < REGISTER_BITS:
        return False
    if not isinstance(encoding.parent, attrs.NvidiaMmaEncoding):
        return False
    layout = layout_of_tensor(tensor)
    return not any(not any(basis) for name in (enc.REGISTER, enc.LANE, enc.WARP) for basis in layout.bases[name])


# Emit


def emit(tile: ConvertedTile) -> None:
    """Convert the tile in each of the layouts that dots take it in."""
    for sink in tile.sinks:
        emitter = Emitter.before(sink.ops[0], tile.load)
        views = [Transpose((1, 0))] if sink.is_transposed else []
        loaded = emitter.tensor_views(tile.load.results[0], views)
        fragments = tensor_type(sink.fragments)
        value = emitter.add(ConvertLayoutOp(loaded, of_element(tensor_type(loaded).element_type, fragments)))
        for op in tile.conversions:
            value = converted(op, value, fragments, emitter)
        sink.fragments.replace_all_uses_with(value)
        for op in reversed(sink.ops):
            Rewriter.erase_op(op)
    for op in reversed(tile.conversions):
        Rewriter.erase_op(op)


def converted(op: Operation, value: SSAValue, fragments: TensorType[Attribute], emitter: Emitter) -> SSAValue:
    """What the op makes of the value, in the layout of the fragments."""
    operands = {each: uniform(each, fragments, emitter) if is_uniform(each) else value for each in op.operands}
    made = emitter.add(copy_of(op, operands))
    return Rewriter.replace_value_with_new_type(made, of_element(tensor_type(made).element_type, fragments))


def uniform(value: SSAValue, fragments: TensorType[Attribute], emitter: Emitter) -> SSAValue:
    """The splat, in the layout of the fragments."""
    type_ = of_element(tensor_type(value).element_type, fragments)
    if isinstance(value.owner, SplatOp):
        return emitter.add(SplatOp(value.owner.src, type_))
    assert isinstance(value.owner, arith.ConstantOp)
    assert is_splat(value.owner.value)
    return emitter.add(arith.ConstantOp(retyped(value.owner.value, type_), type_))


def of_element(element: Attribute, fragments: TensorType[Attribute]) -> TensorType[Attribute]:
    """The type of fragments with other elements."""
    return TensorType(element, fragments.shape, fragments.encoding)


# The pass


@dataclass(frozen=True)
class HoistFragmentLayoutsPass(RewritePass):
    """Bring 8-bit tiles into the layout of fragments of mma.sync before they are converted."""

    name: ClassVar[str] = "hoist-fragment-layouts"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Look at every load."""
        loads = [each for each in op.walk() if isinstance(each, LoadOp | DescriptorLoadOp)]
        tiles = [tile for load in loads if (tile := find_tile(load)) is not None]
        for tile in tiles:
            shape = "x".join(map(str, tensor_type(tile.load.results[0]).get_shape()))
            remarks.emit("passed", self.name, tile.load, f"tile {shape} is converted in the layout of fragments")
            emit(tile)
        return bool(tiles)
