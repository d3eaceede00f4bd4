"""`eliminate-transposed-loads`: values that are a part of the keys are taken from these, and not loaded again.

    %k = tt.load ... : tensor<512x32x!tt.ptr<f8E4M3FN>>      %same = %k_ptr == %v_ptr and %k_stride == %v_stride
    ... tt.dot %q, %k                                        scf.if %same {
    %v = tt.load ... : tensor<32x512x!tt.ptr<f8E4M3FN>>        scf.for ... { %v = tt.trans %k ... }
    ... tt.dot %p, %v                                        } else {
                                                               the loop as it was
                                                             }

In latent attention, the first dims of a key are the value. A kernel that takes a pointer to either is given the same
twice, which it cannot know: so its loop gets a second version, as LLVM's loop versioning makes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import compress
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.arith import ExtFOp, TruncFOp
from dotload.dialect_ext.traits import writes_global
from dotload.dialect_ext.tt_compute import DotOp, FpToFpOp, PtrToIntOp, TransOp
from dotload.dialect_ext.tt_memory import LoadOp
from dotload.dialect_ext.typed import create, of_kind, shape_of, tensor_type
from dotload.dialect_ext.types import PointerType, element_bits
from dotload.passes import remarks
from dotload.passes.analysis.transposes import Arguments, is_transposed_where
from dotload.passes.ir.conversions import BYTE
from dotload.passes.ir.def_use import behind
from dotload.passes.ir.dot_sums import DotSum, find_sums
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.motion import copy_of
from dotload.passes.rewriting import RewritePass

CONVERSIONS = (FpToFpOp, ExtFOp, TruncFOp, arith.SIToFPOp, arith.UIToFPOp)
"""What tiles go through before dots."""
VERSIONED = "the loop has a version that takes values from the keys, for arguments of one address and stride"
AT_ONCE = "the loop takes values from the keys"
MAX_ROWS = 32
"""Of scores: mma.sync reads one tile in both orders. wgmma, for more rows, takes two tiles, and gains nothing."""


@dataclass(frozen=True)
class Repeated:
    """A tile of `values` that is the transpose of the `keys`, where each pair of arguments is one value.

    Both are loaded in the `loop`.
    """

    loop: scf.ForOp
    keys: LoadOp
    values: LoadOp
    arguments: tuple[Arguments, ...]


# Candidates


def find_repeated(loop: scf.ForOp) -> Repeated | None:
    """Values that latent attention loads again."""
    of_keys = [dot for each in find_sums(loop) if is_of_latent_keys(each) for dot in each.dots]
    others = [dot for dot in of_kind(loop.body.block.ops, DotOp) if dot not in of_keys]
    keys, values = (list(filter(None, map(tile_of, dots))) for dots in (of_keys, others))
    if not keys or not values or any(map(writes_global, loop.body.block.ops)):
        return None
    pairs = ((key, value) for key in keys for value in values if key.is_before_in_block(value))
    return next((found for key, value in pairs if (found := repeated(loop, key, value))), None)


def is_of_latent_keys(sum_: DotSum) -> bool:
    """Whether the dots add up to scores of a few rows, by keys of two parts: one is the values, one the position."""
    return sum_.carried is None and len(sum_.dots) > 1 and shape_of(sum_.result.type)[0] <= MAX_ROWS


def tile_of(dot: DotOp) -> LoadOp | None:
    """The tile of 8 bits that the dot takes for B, if its loop loads it."""
    load = behind(dot.b, CONVERSIONS).owner
    if not isinstance(load, LoadOp) or load.parent_op() is not dot.parent_op():
        return None
    return load if element_bits(load.result.type) == BYTE else None


def repeated(loop: scf.ForOp, keys: LoadOp, values: LoadOp) -> Repeated | None:
    """The values, if they are the transposed keys, but for arguments that are to be equal."""
    of_keys, of_values = ((load.ptr, load.mask, load.other) for load in (keys, values))
    found = [is_transposed_where(*each) for each in zip(of_keys, of_values, strict=True)]
    is_plain = not any(load.isVolatile == BoolAttr.from_bool(True) or load.boundary_check for load in (keys, values))
    known = [pairs for pairs in found if pairs is not None]
    if len(known) < len(found) or not is_plain:
        return None
    return Repeated(loop, keys, values, tuple(dict.fromkeys(pair for pairs in known for pair in pairs)))


# Emission


def emit(found: Repeated) -> None:
    """Have the loop load the keys alone, or give it a version that does."""
    if not found.arguments:
        transpose(found.keys, found.values)
        return
    loop, emitter = found.loop, Emitter.before(found.loop)
    version = copy_of(loop, {})
    copies = dict(zip(loop.walk(), version.walk(), strict=True))
    used = [bool(result.uses) for result in loop.results]
    results = list(compress(loop.results, used))
    branch = scf.IfOp(condition(found, emitter), [each.type for each in results], Region(Block()), Region(Block()))
    emitter.run(branch)
    for result, replacement in zip(results, branch.results, strict=True):
        result.replace_all_uses_with(replacement)
    loop.detach()
    branch.false_region.block.add_ops([loop, scf.YieldOp(*results)])
    branch.true_region.block.add_ops([version, scf.YieldOp(*compress(version.results, used))])
    transpose(copies[found.keys], copies[found.values])


def condition(found: Repeated, emitter: Emitter) -> SSAValue:
    """Whether the arguments of each pair are equal."""
    equal = [
        emitter.add(arith.CmpiOp(as_integer(first, emitter), as_integer(second, emitter), "eq"))
        for first, second in found.arguments
    ]
    return reduce(lambda one, other: emitter.add(arith.AndIOp(one, other)), equal)


def as_integer(argument: SSAValue, emitter: Emitter) -> SSAValue:
    """A pointer as an integer."""
    is_pointer = isinstance(argument.type, PointerType)
    return emitter.add(create(PtrToIntOp, operands=[argument], result_types=[i64])) if is_pointer else argument


def transpose(keys: Operation, values: Operation) -> None:
    """Have the transposed keys where the values are loaded."""
    (loaded,) = values.results
    loaded.replace_all_uses_with(Emitter.before(values).add(TransOp(keys.results[0], (1, 0), tensor_type(loaded))))
    Rewriter.erase_op(values)


@dataclass(frozen=True)
class EliminateTransposedLoadsPass(RewritePass):
    """Take values that are a part of the keys from these, where the kernel is given both at one address."""

    name: ClassVar[str] = "eliminate-transposed-loads"

    def rewrite(self, ctx: Context, op: ModuleOp) -> bool:
        """Rewrite every loop."""
        found = [each for loop in of_kind(list(op.walk()), scf.ForOp) if (each := find_repeated(loop))]
        for each in found:
            remarks.emit("passed", self.name, each.values, VERSIONED if each.arguments else AT_ONCE)
            emit(each)
        return bool(found)
