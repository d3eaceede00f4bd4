"""`intel-allocate-shared-memory`: set `ttg.shared = 0` on modules that need no shared memory.

Intel's pass allocates every buffer. Functions of block loads have no buffers, and dotload moves nothing through shared
memory on Intel: an op that needs a buffer is an error that names the op. A reduction within a warp needs none.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dotload.dialect_ext.tt_regions import ReduceOp
from dotload.dialect_ext.typed import as_tensor
from dotload.layout.encodings import LANE, WARP
from dotload.layout.linear import LayoutError
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.reductions import rows_cross_warps
from dotload.passes.ir.layouts import layout_of

SHARED = "ttg.shared"
# Ops that exchange values between lanes through a buffer, whatever their layouts (Triton's Allocation.cpp).
_BUFFERED = (
    *("ttg.local_alloc", "tt.scan", "tt.gather", "tt.histogram"),
    *("tt.atomic_rmw", "tt.atomic_cas", "ttg.warp_specialize"),
)


@dataclass(frozen=True)
class IntelAllocateSharedMemoryPass(ModulePass):
    """Set `ttg.shared` to 0 on a module whose ops need no shared memory; anything else is an error."""

    name = "intel-allocate-shared-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.walk():
            if each.name in _BUFFERED or _crosses(each):
                raise LocatedFailure(each, f"'{each.name}' needs shared memory, which is not allocated here")
        op.attributes[SHARED] = IntegerAttr(0, i32)


def _crosses(op: Operation) -> bool:
    """Whether a layout conversion moves elements between lanes, or a reduction between warps."""
    if isinstance(op, ReduceOp):
        try:
            return rows_cross_warps(op)
        except LayoutError:
            return True
    return op.name == "ttg.convert_layout" and _crosses_lanes(op)


def _crosses_lanes(convert: Operation) -> bool:
    """Whether elements change lane or warp."""
    source, result = convert.operands[0], convert.results[0]
    if as_tensor(source.type) is None:
        return False
    try:
        old, new = layout_of(source), layout_of(result)
    except LayoutError:
        return True
    return any(old.bases.get(dim, ()) != new.bases.get(dim, ()) for dim in (LANE, WARP))
