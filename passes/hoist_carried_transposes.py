"""`hoist-carried-transposes`: a loop that carries the transpose of a tensor carries the tensor itself.

Triton computes `tl.dot_scaled` as the transposed product if only B has scales. It transposes the accumulator before the
dot and after it, in every iteration:

    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<16x128xf32, #linear>) {
      %t = tt.trans %acc : ... -> tensor<128x16xf32, #mma>
      %d = ttng.warp_group_dot %b, %a, %t
      %n = tt.trans %d : ... -> tensor<16x128xf32, #linear>
      scf.yield %n
    }

becomes

    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<128x16xf32, #mma>) {
      %d = ttng.warp_group_dot %b, %a, %acc
      scf.yield %d
    }
    %n = tt.trans %r

The transposes move no data, but they hide from other passes that the loop does nothing with its accumulator but
accumulate.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dotload.dialect_ext.tt_compute import TransOp
from dotload.dialect_ext.typed import as_tensor, dims_of, of_kind, tensor_type
from dotload.passes.ir.conversions import transposed
from dotload.passes.ir.def_use import only_user, replace_uses_except
from dotload.passes.ir.emitter import Emitter
from dotload.passes.ir.loops import Carried, loop_around, wgmma_dots
from dotload.passes.ir.motion import copy_of
from dotload.passes.operand_staging.facts import mark_converted
from dotload.passes.rewriting import RewritePass


@dataclass(frozen=True)
class CarriedTranspose:
    """A carried value: `before` is the body's only use of it, `behind` gives the value that the body yields for it."""

    carried: Carried
    before: TransOp
    behind: TransOp


# Candidates


def find(carried: Carried) -> CarriedTranspose | None:
    """The transposes around a carried value; None if it has none.

    The second one undoes the first: it brings each element back to the register that it had.
    """
    before, behind = only_user(carried.argument), carried.back.owner
    if not isinstance(before, TransOp) or not isinstance(behind, TransOp) or not carried.back.has_one_use():
        return None
    is_same = before.result.type == behind.src.type and loop_around(before) is carried.loop
    return CarriedTranspose(carried, before, behind) if is_same else None


# Emit


def emit(found: CarriedTranspose) -> None:
    """Transpose before the loop and after it."""
    carried, before, behind = found.carried, found.before, found.behind
    type_, argument, result = tensor_type(before.result), carried.argument, carried.result
    carried.enter_with(transposed(carried.init, type_, Emitter.before(carried.loop, before), dims_of(before.order)))
    carried.yield_next(behind.src)
    before.result.replace_all_uses_with(argument)
    for op in (before, behind):
        Rewriter.erase_op(op)
    Rewriter.replace_value_with_new_type(argument, type_)
    new = Rewriter.replace_value_with_new_type(result, type_)
    if new.first_use is not None:
        old = copy_of(behind, {behind.src: new})
        replace_uses_except(new, Emitter.after(carried.loop, behind).insert(old), old)


@dataclass(frozen=True)
class HoistCarriedTransposesPass(RewritePass):
    """Have loops carry tensors, not their transposes."""

    name = "hoist-carried-transposes"

    def rewrite(self, module: ModuleOp) -> bool:
        loops = of_kind(module.walk(), scf.ForOp)
        carried = [Carried(loop, index) for loop in loops for index in range(len(loop.results))]
        found = [each for value in carried if (each := find(value)) is not None]
        for each in found:
            self.passed(each.before, "transposed before and after the loop instead of in it")
            emit(each)
        # The pipeliner now lets such a dot run into the next iteration, which makes its A again.
        if any(as_tensor(dot.a.type) for each in found for dot in wgmma_dots(each.carried.loop)):
            mark_converted(module)
        return bool(found)
