"""Dialect `ttng`: NVIDIA's Hopper and Blackwell, their asynchronous matrix units and copies.

warp_group_dot, warp_group_dot_wait      wgmma
fence_*, cluster_barrier, *_barrier      ordering; mbarriers in shared memory
async_tma_*, tensormap_*                 the copy engine (`ttng_tma`)
tc_gen5_*, tmem_*                        Blackwell's matrix unit and tensor memory (`ttng_tmem`)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, UnitAttr, i1, i32
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    RangeVarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.constraints import AnyRange
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.cache_policy import NvidiaCachePolicy
from dotload.dialect_ext.constraints import OTHER, TYPE, int_attr
from dotload.dialect_ext.directives import Enum
from dotload.dialect_ext.encodings import TensorMemoryEncoding, TensorMemoryScalesEncoding, TensorMemorySpace
from dotload.dialect_ext.traits import Queues, ReadsShared, WritesShared
from dotload.dialect_ext.ttng_tma import TMA_OPS
from dotload.dialect_ext.ttng_tmem import TMEM_OPS
from dotload.dialect_ext.types import MemDescType, TensorDescIm2ColType

IN_DICT = (ParsePropInAttrDict(),)
FALSE = IntegerAttr(0, i1)
TYPES = RangeVarConstraint("TYPES", AnyRange())


@irdl_op_definition
class WarpGroupDotOp(IRDLOperation):
    """d = a b + c by a warpgroup (four warps); b, and mostly a, in shared memory.

    %d = ttng.warp_group_dot %a, %b, %c {isAsync = true} : !ttg.memdesc<...> * !ttg.memdesc<...> -> tensor<...>
    """

    name = "ttng.warp_group_dot"
    a = operand_def()
    b = operand_def()
    c = operand_def(TYPE)
    useC = opt_operand_def(i1)
    inputPrecision = prop_def(enums.INPUT_PRECISION, default_value=IntegerAttr(2, i32))
    maxNumImpreciseAcc = prop_def(int_attr(32), default_value=IntegerAttr(0, i32))
    isAsync = prop_def(BoolAttr.constr(i1), default_value=FALSE)
    d = result_def(TYPE)
    irdl_options = IN_DICT
    traits = traits_def(ReadsShared(), Queues())
    assembly_format = "$a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` type($b) `->` type($d)"

    def __init__(
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        use_c: SSAValue | None = None,
        *,
        is_async: bool = False,
    ):
        c = SSAValue.get(c)
        super().__init__(
            operands=[a, b, c, use_c],
            result_types=[c.type],
            properties={"isAsync": IntegerAttr(-1 if is_async else 0, i1)},
        )

    def verify_(self) -> None:
        if not isinstance(self.b.type, MemDescType):
            raise VerifyException("operand b of wgmma must be in shared memory")


@irdl_op_definition
class WarpGroupDotWaitOp(IRDLOperation):
    """Wait until at most `pendings` dots are in flight; forwards its operands.

    `warpGroupLocal` (Triton 3.9): the wait is for one warpgroup; without it, all warps of the block synchronize.
    """

    name = "ttng.warp_group_dot_wait"
    inputs = var_operand_def(TYPES)
    pendings = prop_def(int_attr(32))
    warpGroupLocal = opt_prop_def(UnitAttr)
    outputs = var_result_def(TYPES)
    irdl_options = IN_DICT
    traits = traits_def(Queues())
    assembly_format = "$inputs attr-dict `:` type($inputs)"

    def __init__(self, inputs: Sequence[SSAValue | Operation], pendings: int, *, is_local: bool = False):
        values = [SSAValue.get(value) for value in inputs]
        super().__init__(
            operands=[values],
            result_types=[[value.type for value in values]],
            properties={
                "pendings": IntegerAttr(pendings, i32),
                "warpGroupLocal": UnitAttr() if is_local else None,
            },
        )


@irdl_op_definition
class FenceAsyncSharedOp(IRDLOperation):
    """Make writes to shared memory visible to the asynchronous units."""

    name = "ttng.fence_async_shared"
    bCluster = prop_def(BoolAttr.constr(i1))
    irdl_options = IN_DICT
    traits = traits_def(Queues())
    assembly_format = "attr-dict"

    def __init__(self, *, cluster: bool = False):
        super().__init__(properties={"bCluster": IntegerAttr(-1 if cluster else 0, i1)})


@irdl_op_definition
class FenceMBarrierInitReleaseClusterOp(IRDLOperation):
    """Make initialised mbarriers visible to the cluster."""

    name = "ttng.fence_mbarrier_init_release_cluster"
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class ClusterBarrierOp(IRDLOperation):
    """All blocks of the cluster synchronize."""

    name = "ttng.cluster_barrier"
    relaxed = opt_prop_def(BoolAttr.constr(i1), default_value=FALSE)
    irdl_options = IN_DICT
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class ClusterArriveOp(IRDLOperation):
    """Arrive at the cluster's barrier (Triton up to 3.6)."""

    name = "ttng.cluster_arrive"
    relaxed = prop_def(BoolAttr.constr(i1))
    irdl_options = IN_DICT
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class ClusterWaitOp(IRDLOperation):
    """Wait at the cluster's barrier (Triton up to 3.6)."""

    name = "ttng.cluster_wait"
    traits = traits_def(MemoryReadEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class InitBarrierOp(IRDLOperation):
    """Initialise an mbarrier for `count` arrivals."""

    name = "ttng.init_barrier"
    alloc = operand_def(TYPE)
    count = prop_def(int_attr(32))
    traits = traits_def(WritesShared())
    assembly_format = "$alloc `,` $count attr-dict `:` type($alloc)"


@irdl_op_definition
class InvalBarrierOp(IRDLOperation):
    """Invalidate an mbarrier."""

    name = "ttng.inval_barrier"
    alloc = operand_def(TYPE)
    traits = traits_def(WritesShared())
    assembly_format = "$alloc attr-dict `:` type($alloc)"


@irdl_op_definition
class BarrierExpectOp(IRDLOperation):
    """Expect `size` bytes at an mbarrier."""

    name = "ttng.barrier_expect"
    alloc = operand_def(TYPE)
    size = prop_def(int_attr(32))
    pred = operand_def(i1)
    fromCTA = opt_prop_def(int_attr(32))
    irdl_options = IN_DICT
    traits = traits_def(WritesShared())
    assembly_format = "$alloc `,` $size attr-dict `,` $pred `:` type($alloc)"


@irdl_op_definition
class WaitBarrierOp(IRDLOperation):
    """Wait for a phase of an mbarrier, which guards `deps`."""

    name = "ttng.wait_barrier"
    alloc = operand_def(TYPE)
    phase = operand_def(i32)
    pred = opt_operand_def(i1)
    deps = var_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(ReadsShared(), WritesShared())
    assembly_format = "$alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` type($alloc) (`,` type($deps)^)?"


@irdl_op_definition
class ArriveBarrierOp(IRDLOperation):
    """Arrive `count` times at an mbarrier."""

    name = "ttng.arrive_barrier"
    alloc = operand_def(TYPE)
    count = prop_def(int_attr(32))
    pred = opt_operand_def(i1)
    fromCTA = opt_prop_def(int_attr(32))
    multicastCTA = opt_prop_def(int_attr(32), default_value=IntegerAttr(0, i32))
    perThread = opt_prop_def(UnitAttr)
    irdl_options = IN_DICT
    traits = traits_def(ReadsShared(), WritesShared())
    assembly_format = "$alloc `,` $count (`,` $pred^)? attr-dict `:` type($alloc)"


@irdl_op_definition
class AsyncCopyMbarrierArriveOp(IRDLOperation):
    """Arrive at an mbarrier when this thread's copies so far are done."""

    name = "ttng.async_copy_mbarrier_arrive"
    barrier = operand_def(TYPE)
    noIncrement = opt_prop_def(UnitAttr)
    irdl_options = IN_DICT
    traits = traits_def(WritesShared())
    assembly_format = "$barrier attr-dict `:` type($barrier)"


@irdl_op_definition
class AsyncSharedStoreOp(IRDLOperation):
    """Store registers to another block's shared memory and arrive at an mbarrier."""

    name = "ttng.async_shared_store"
    src = operand_def(TYPE)
    dst = operand_def(OTHER)
    mbarrier = operand_def()
    traits = traits_def(WritesShared())
    assembly_format = "$src `,` $dst `,` $mbarrier attr-dict `:` type($src) `->` type($dst) `,` type($mbarrier)"


@irdl_op_definition
class PackedArithOp(IRDLOperation):
    """Arithmetic on two elements of a register at once."""

    name = "ttng.packed_arith"
    op_kind = prop_def(enums.PACKED_ARITH_KIND)
    args = var_operand_def()
    result = result_def()
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = "custom<Enum>($op_kind) $args attr-dict `:` functional-type($args, $result)"


@irdl_op_definition
class CLCTryCancelOp(IRDLOperation):
    """Request the next work item (cluster launch control)."""

    name = "ttng.clc_try_cancel"
    result = operand_def(TYPE)
    mbarrier = operand_def(OTHER)
    traits = traits_def(WritesShared())
    assembly_format = "$result `,` $mbarrier attr-dict `:` type($result) `,` type($mbarrier)"


@irdl_op_definition
class CLCTryCancelSyncOp(IRDLOperation):
    """Request the next work item and wait for the answer."""

    name = "ttng.clc_try_cancel_sync"
    response = result_def(TYPE)
    traits = traits_def(WritesShared())
    assembly_format = "attr-dict `:` type($response)"


@irdl_op_definition
class CLCLoadResultOp(IRDLOperation):
    """The answer of cluster launch control."""

    name = "ttng.clc_load_result"
    src = operand_def(TYPE)
    clcResult = result_def(OTHER)
    traits = traits_def(ReadsShared())
    assembly_format = "$src attr-dict `:` type($src) `->` type($clcResult)"


@irdl_op_definition
class CLCIsCanceledOp(IRDLOperation):
    """Whether a work item was left."""

    name = "ttng.clc_is_canceled"
    clcResult = operand_def(TYPE)
    is_canceled = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)"


@irdl_op_definition
class CLCGetProgramIdOp(IRDLOperation):
    """The program id of the received work item."""

    name = "ttng.clc_get_program_id"
    clcResult = operand_def(TYPE)
    dim = prop_def(enums.PROGRAM_DIM)
    result = result_def(OTHER)
    custom_directives = (Enum,)
    traits = traits_def(Pure())
    assembly_format = "$clcResult `,` custom<Enum>($dim) attr-dict `:` type($clcResult) `->` type($result)"


TTNG = Dialect(
    "ttng",
    [
        WarpGroupDotOp,
        WarpGroupDotWaitOp,
        FenceAsyncSharedOp,
        FenceMBarrierInitReleaseClusterOp,
        ClusterBarrierOp,
        ClusterArriveOp,
        ClusterWaitOp,
        InitBarrierOp,
        InvalBarrierOp,
        BarrierExpectOp,
        WaitBarrierOp,
        ArriveBarrierOp,
        AsyncCopyMbarrierArriveOp,
        AsyncSharedStoreOp,
        PackedArithOp,
        CLCTryCancelOp,
        CLCTryCancelSyncOp,
        CLCLoadResultOp,
        CLCIsCanceledOp,
        CLCGetProgramIdOp,
        *TMA_OPS,
        *TMEM_OPS,
    ],
    [
        TensorMemoryEncoding,
        TensorMemoryScalesEncoding,
        TensorMemorySpace,
        NvidiaCachePolicy,
        TensorDescIm2ColType,
    ],
)
