"""Dialect `ttg`: Triton on a GPU, where tensors have layouts and shared memory is explicit.

    convert_layout, fp4_to_fp                                   registers to registers
    local_alloc, local_dealloc, local_load, local_store, local_gather, local_scatter, local_atomic_scatter_rmw
    memdesc_index, memdesc_subslice, memdesc_trans, memdesc_reshape, memdesc_reinterpret; memdesc_subview up to 3.4
    async_copy_global_to_local, async_commit_group, async_wait
    global_scratch_alloc, barrier, warp_id, mask, predicate_stage, inline_asm
    warp_specialize and its regions (`ttg_warp_specialize`)

Encodings are in `encodings`, types in `types`.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Self
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, MemoryReadEffect, MemoryWriteEffect, Pure

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, PTR, TYPE, Derived, int_attr
from dotload.dialect_ext.directives import CachePolicies, Enum, Offsets, ShortMemDesc
from dotload.dialect_ext.encodings import TTG_ATTRIBUTES
from dotload.dialect_ext.traits import (
    AllocatesShared,
    AnyLayout,
    FreesShared,
    LoadsGlobal,
    Queues,
    ReadsShared,
    UsesScratch,
    WritesGlobal,
    WritesShared,
)
from dotload.dialect_ext.ttg_warp_specialize import WARP_SPECIALIZE_OPS
from dotload.dialect_ext.typed import create
from dotload.dialect_ext.types import AsyncTokenType, MemDescType, mask_type, pointee_type, same_shape

IN_DICT = (ParsePropInAttrDict(),)
FALSE = IntegerAttr(0, i1)
TOKEN = AsyncTokenType()


@irdl_op_definition
class ConvertLayoutOp(IRDLOperation):
    """The same tensor in another layout."""

    name = "ttg.convert_layout"
    src = operand_def(TYPE)
    force_warp_shuffle = opt_prop_def(UnitAttr)
    result = result_def(OTHER)
    irdl_options = IN_DICT
    traits = traits_def(Pure(), AnyLayout(), UsesScratch())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[src], result_types=[result_type])


@irdl_op_definition
class Fp4ToFpOp(IRDLOperation):
    """The two fp4 of each i8, unpacked along `axis`."""

    name = "ttg.fp4_to_fp"
    src = operand_def(TYPE)
    axis = prop_def(int_attr(32))
    result = result_def(OTHER)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class InlineAsmOp(IRDLOperation):
    """Assembly over tensors and memory descriptors."""

    name = "ttg.inline_asm"
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    pure = prop_def(BoolAttr.constr(i1))
    args = var_operand_def()
    result = var_result_def()
    irdl_options = IN_DICT
    assembly_format = "$asm_string attr-dict ($args^)? `:` functional-type($args, $result)"


@irdl_op_definition
class LocalAllocOp(IRDLOperation):
    """Allocate shared memory, filled with `src` if given."""

    name = "ttg.local_alloc"
    src = opt_operand_def()
    alignment = opt_prop_def(int_attr(32))
    result = result_def(MemDescType)
    irdl_options = IN_DICT
    traits = traits_def(AllocatesShared())
    assembly_format = "($src^)? attr-dict `:` functional-type(operands, $result)"

    def __init__(self, src: SSAValue | Operation | None, result_type: MemDescType):
        super().__init__(operands=[src], result_types=[result_type])


@irdl_op_definition
class LocalDeallocOp(IRDLOperation):
    """End of life of shared memory."""

    name = "ttg.local_dealloc"
    src = operand_def(TYPE)
    traits = traits_def(FreesShared())
    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, src: SSAValue | Operation):
        super().__init__(operands=[src])


@irdl_op_definition
class LocalLoadOp(IRDLOperation):
    """Shared memory to registers."""

    name = "ttg.local_load"
    src = operand_def(TYPE)
    token = opt_operand_def(TOKEN)
    result = result_def(OTHER)
    traits = traits_def(ReadsShared())
    assembly_format = "$src (`token` $token^)? attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, token: SSAValue | None = None):
        super().__init__(operands=[src, token], result_types=[result_type])


@irdl_op_definition
class LocalStoreOp(IRDLOperation):
    """Registers to shared memory."""

    name = "ttg.local_store"
    src = operand_def(TYPE)
    dst = operand_def(OTHER)
    traits = traits_def(WritesShared())
    assembly_format = "$src `,` $dst attr-dict `:` type($src) `->` type($dst)"

    def __init__(self, src: SSAValue | Operation, dst: SSAValue | Operation):
        super().__init__(operands=[src, dst])


@irdl_op_definition
class LocalGatherOp(IRDLOperation):
    """Elements of shared memory at `indices` along `axis`."""

    name = "ttg.local_gather"
    src = operand_def(TYPE)
    indices = operand_def(PTR)
    axis = prop_def(int_attr(32))
    token = opt_operand_def(TOKEN)
    result = result_def(OTHER)
    irdl_options = IN_DICT
    traits = traits_def(ReadsShared())
    assembly_format = (
        "$src `[` $indices `]` (`token` $token^)? attr-dict `:` type($src) `,` type($indices) `->` type($result)"
    )


@irdl_op_definition
class LocalScatterOp(IRDLOperation):
    """Write elements of shared memory at `indices` along `axis`."""

    name = "ttg.local_scatter"
    dst = operand_def(TYPE)
    values = operand_def(OTHER)
    indices = operand_def(PTR)
    axis = prop_def(int_attr(32))
    token = opt_operand_def(TOKEN)
    irdl_options = IN_DICT
    traits = traits_def(WritesShared())
    assembly_format = (
        "$dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict "
        "`:` type($dst) `,` type($indices) `,` type($values)"
    )


@irdl_op_definition
class LocalAtomicScatterRMWOp(IRDLOperation):
    """Combine values into shared memory at `indices`; returns the old values."""

    name = "ttg.local_atomic_scatter_rmw"
    atomic_rmw_op = prop_def(enums.ATOMIC_RMW)
    dst = operand_def()
    values = operand_def(TYPE)
    indices = operand_def()
    mask = opt_operand_def(Derived("TYPE", lambda values: same_shape(values, i1)))
    axis = prop_def(int_attr(32))
    result = result_def(TYPE)
    irdl_options = IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(ReadsShared(), WritesShared())
    assembly_format = (
        "custom<Enum>($atomic_rmw_op) `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict "
        "`:` functional-type(operands, $result)"
    )


@irdl_op_definition
class MemDescIndexOp(IRDLOperation):
    """One buffer of several: the view at `index` along dim 0. Triton up to 3.4 writes `%src, %index : a -> b`."""

    name = "ttg.memdesc_index"
    src = operand_def(TYPE)
    index = operand_def(i32)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, index: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[src, index], result_types=[result_type])


@irdl_op_definition
class MemDescSubsliceOp(IRDLOperation):
    """A part of a buffer, at constant offsets."""

    name = "ttg.memdesc_subslice"
    src = operand_def(TYPE)
    offsets = prop_def(DenseArrayBase)
    result = result_def(OTHER)
    custom_directives = (Offsets,)
    traits = traits_def(Pure())
    assembly_format = "$src `[` custom<Offsets>($offsets) `]` attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, offsets: Sequence[int], result_type: Attribute):
        properties = {"offsets": DenseArrayBase.from_list(i32, list(offsets))}
        super().__init__(operands=[src], result_types=[result_type], properties=properties)


@irdl_op_definition
class MemDescSubviewOp(IRDLOperation):
    """A part of a buffer, at run-time offsets (Triton up to 3.4)."""

    name = "ttg.memdesc_subview"
    src = operand_def(TYPE)
    offsets = var_operand_def(i32)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src `[` $offsets `]` attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class MemDescTransOp(IRDLOperation):
    """Dims of a buffer permuted: a view, nothing moves."""

    name = "ttg.memdesc_trans"
    src = operand_def(TYPE)
    order = prop_def(DenseArrayBase)
    result = result_def(OTHER)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, order: Sequence[int], result_type: Attribute):
        properties = {"order": DenseArrayBase.from_list(i32, list(order))}
        super().__init__(operands=[src], result_types=[result_type], properties=properties)


@irdl_op_definition
class MemDescReshapeOp(IRDLOperation):
    """Another shape for a buffer: a view, nothing moves."""

    name = "ttg.memdesc_reshape"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"


@irdl_op_definition
class MemDescReinterpretOp(IRDLOperation):
    """The bytes of a buffer as another type and layout."""

    name = "ttg.memdesc_reinterpret"
    src = operand_def(TYPE)
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[src], result_types=[result_type])


@irdl_op_definition
class AsyncCopyGlobalToLocalOp(IRDLOperation):
    """cp.async: global memory to shared memory, bypassing registers."""

    name = "ttg.async_copy_global_to_local"
    src = operand_def(PTR)
    result = operand_def(OTHER)
    mask = opt_operand_def(Derived("PTR", mask_type))
    other = opt_operand_def(Derived("PTR", pointee_type))
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    cachePolicy = opt_prop_def(AnyAttr())
    isVolatile = opt_prop_def(BoolAttr.constr(i1), default_value=FALSE)
    contiguity = opt_prop_def(int_attr(32), default_value=IntegerAttr(1, i32))
    token = result_def(TOKEN)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    custom_directives = (CachePolicies, ShortMemDesc)
    traits = traits_def(LoadsGlobal(), WritesShared())
    assembly_format = (
        "$src `,` $result (`mask` $mask^)? (`other` $other^)? custom<CachePolicies>($cache, $evict) attr-dict "
        "`:` type($src) `->` custom<ShortMemDesc>(type($result))"
    )


@irdl_op_definition
class AsyncCommitGroupOp(IRDLOperation):
    """Close the group of copies issued so far."""

    name = "ttg.async_commit_group"
    inputTokens = var_operand_def(TOKEN)
    asyncToken = result_def(TOKEN)
    custom_directives = ()
    traits = traits_def(Queues())
    assembly_format = "(`tokens` $inputTokens^)? attr-dict"


@irdl_op_definition
class AsyncWaitOp(IRDLOperation):
    """Wait until at most `num` groups of copies are in flight."""

    name = "ttg.async_wait"
    asyncToken = var_operand_def(TOKEN)
    num = prop_def(int_attr(32))
    retToken = result_def(TOKEN)
    irdl_options = IN_DICT
    traits = traits_def(Queues())
    assembly_format = "($asyncToken^)? attr-dict"


@irdl_op_definition
class GlobalScratchAllocOp(IRDLOperation):
    """`nbytes` of global memory for this program."""

    name = "ttg.global_scratch_alloc"
    nbytes = prop_def(int_attr(32))
    alignment = prop_def(int_attr(32))
    third_party_allocation = opt_prop_def(UnitAttr)
    shared_cluster_state = opt_prop_def(UnitAttr)
    backend = opt_prop_def(StringAttr)
    result = result_def()
    irdl_options = IN_DICT
    traits = traits_def(WritesGlobal())
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class PredicateStageOp(IRDLOperation):
    """Whether stage `stage` of a pipelined loop runs in this iteration."""

    name = "ttg.predicate_stage"
    iv = operand_def(TYPE)
    ub = operand_def(TYPE)
    step = operand_def(TYPE)
    maxStage = prop_def(int_attr(32))
    stage = prop_def(int_attr(32))
    result = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = (
        "$iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` type($result)"
    )


@irdl_op_definition
class MaskOp(IRDLOperation):
    """The region, with its memory ops predicated by `pred`. Printed generic."""

    name = "ttg.mask"
    pred = operand_def(i1)
    results_ = var_result_def()
    body = region_def("single_block")


@irdl_op_definition
class MaskReturnOp(IRDLOperation):
    """The values of a ttg.mask."""

    name = "ttg.mask.return"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (Pure(), IsTerminator(), HasParent(MaskOp)))
    assembly_format = "$values attr-dict `:` type($values)"


@irdl_op_definition
class WarpIdOp(IRDLOperation):
    """Index of this warp in its block."""

    name = "ttg.warp_id"
    omitUniformHint = opt_prop_def(UnitAttr)
    result = result_def(i32)
    irdl_options = IN_DICT
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


ADDRESS_SPACES = {"local": 1, "global_read": 2, "global_write": 4, "tensor_read": 8, "tensor_write": 16}
ALL_ADDRESS_SPACES = sum(ADDRESS_SPACES.values())


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """`ttg.barrier local|global_read`: all threads synchronize, and see each other's accesses to these memories."""

    name = "ttg.barrier"
    addrSpace = prop_def(IntegerAttr.constr(i32))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def is_for_all_warps(self) -> bool:
        """Whether all warps of a block synchronize, and see each other's writes to shared memory."""
        return bool(self.addrSpace.value.data & ADDRESS_SPACES["local"])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        spaces = 0
        while True:
            start = parser.pos
            word = parser.parse_identifier()
            named = {"none": 0, "all": ALL_ADDRESS_SPACES, **ADDRESS_SPACES}
            if word not in named:
                parser.raise_error(f"expected an address space, one of: {', '.join(named)}", start, parser.pos)
            spaces |= named[word]
            if not parser.parse_optional_punctuation("|"):
                break
        attributes = parser.parse_optional_attr_dict()
        return create(cls, properties={"addrSpace": IntegerAttr(spaces, i32)}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        spaces = self.addrSpace.value.data
        words = [word for word, bit in ADDRESS_SPACES.items() if spaces & bit]
        text = "all" if spaces == ALL_ADDRESS_SPACES else "|".join(words) or "none"
        printer.print_string(f" {text}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LocalBarrierOp(IRDLOperation):
    """`ttg.local_barrier`: `ttg.barrier local` of Triton 3.6."""

    name = "ttg.local_barrier"
    assembly_format = "attr-dict"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def is_for_all_warps(self) -> bool:
        """Whether all warps of a block synchronize, and see each other's writes to shared memory: they do."""
        return True


TTG = Dialect(
    "ttg",
    [
        ConvertLayoutOp,
        Fp4ToFpOp,
        InlineAsmOp,
        LocalAllocOp,
        LocalDeallocOp,
        LocalLoadOp,
        LocalStoreOp,
        LocalGatherOp,
        LocalScatterOp,
        LocalAtomicScatterRMWOp,
        MemDescIndexOp,
        MemDescSubsliceOp,
        MemDescSubviewOp,
        MemDescTransOp,
        MemDescReshapeOp,
        MemDescReinterpretOp,
        AsyncCopyGlobalToLocalOp,
        AsyncCommitGroupOp,
        AsyncWaitOp,
        GlobalScratchAllocOp,
        PredicateStageOp,
        MaskOp,
        MaskReturnOp,
        WarpIdOp,
        BarrierOp,
        LocalBarrierOp,
        *WARP_SPECIALIZE_OPS,
    ],
    [*TTG_ATTRIBUTES, MemDescType, AsyncTokenType],
)
