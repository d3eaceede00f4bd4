"""The ops of dialect `tt` that touch memory or make addresses: pointers, descriptors, loads, stores, atomics."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext import enums
from dotload.dialect_ext.constraints import OTHER, PTR, TYPE, Derived
from dotload.dialect_ext.directives import CachePolicies, Enum, ShortPtr, ShortTensorDesc
from dotload.dialect_ext.shape_rules import SameShape, check, check_descriptor, check_elements
from dotload.dialect_ext.traits import AnyLayout, LoadsGlobal, ReadsGlobal, UsesScratch, WritesGlobal
from dotload.dialect_ext.typed import as_integer, dims_of
from dotload.dialect_ext.types import PointerType, TensorDescType, element_of, mask_type, pointee_type

IN_DICT = (ParsePropInAttrDict(),)
SEGMENTS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
FALSE = IntegerAttr(0, i1)


def check_coordinates(name: str, count: int, block: Attribute) -> None:
    """There is one coordinate (an offset or an index) for each dim of a block."""
    if isinstance(block, TensorType) and count != (rank := block.get_num_dims()):
        raise VerifyException(f"a block of rank {rank} has {rank} {name}, got {count}")


def check_block(descriptor: Attribute, indices: int, type_: Attribute, *, may_transpose: bool = False) -> None:
    """The tensor is a block of the descriptor's, at as many indices as it has dims."""
    check_descriptor(descriptor, type_, may_transpose=may_transpose)
    assert isinstance(descriptor, TensorDescType)
    check_coordinates("indices", indices, descriptor.block_type)


def check_boundary(checked: Attribute | None, block: Attribute) -> None:
    """Each dim that is checked is one of the block's."""
    dims = dims_of(checked)
    if checked is not None and checked != DenseArrayBase.from_list(i32, dims):
        raise VerifyException(f"boundaryCheck must be an array of i32, got {checked}")
    rank = block.get_num_dims() if isinstance(block, TensorType) else 0
    for dim in dims:
        if not 0 <= dim < rank:
            raise VerifyException(f"a block of rank {rank} has no dim {dim} to check (boundaryCheck)")


@irdl_op_definition
class AddPtrOp(IRDLOperation):
    """`ptr + offset`, the offset in elements."""

    name = "tt.addptr"
    ptr = operand_def(PTR)
    offset = operand_def(OTHER)
    result = result_def(PTR)
    traits = traits_def(Pure(), AnyLayout(), SameShape())
    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation):
        ptr = SSAValue.get(ptr)
        super().__init__(operands=[ptr, offset], result_types=[ptr.type])

    def verify_(self) -> None:
        pointee_type(self.ptr.type)
        check(
            as_integer(element_of(self.offset.type)) is not None,
            f"operand #1 must be integers, but got {self.offset.type}",
        )


@irdl_op_definition
class AdvanceOp(IRDLOperation):
    """A block pointer moved by `offsets` elements along each dim."""

    name = "tt.advance"
    ptr = operand_def(PTR)
    offsets = var_operand_def(i32)
    result = result_def(PTR)
    custom_directives = (ShortPtr,)
    traits = traits_def(Pure())
    assembly_format = "$ptr `,` `[` $offsets `]` attr-dict `:` custom<ShortPtr>(type($result))"

    def verify_(self) -> None:
        check_coordinates("offsets", len(self.offsets), pointee_type(self.ptr.type))


def _base_of(block_pointer: Attribute) -> Attribute:
    """The base has the element type and the address space of the block pointer."""
    element = element_of(pointee_type(block_pointer))
    return PointerType(element, block_pointer.address_space) if isinstance(block_pointer, PointerType) else element


@irdl_op_definition
class MakeTensorPtrOp(IRDLOperation):
    """A block pointer: the tile at `offsets` of a tensor of `shape` and `strides` (elements)."""

    name = "tt.make_tensor_ptr"
    base = operand_def(Derived("PTR", _base_of))
    shape = var_operand_def(i64)
    strides = var_operand_def(i64)
    offsets = var_operand_def(i32)
    order = prop_def(DenseArrayBase.constr(i32))
    result = result_def(PTR)
    irdl_options = (SameVariadicOperandSize(), ParsePropInAttrDict())
    custom_directives = (ShortPtr,)
    traits = traits_def(Pure())
    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict "
        "`:` custom<ShortPtr>(type($result))"
    )

    def verify_(self) -> None:
        check_coordinates("offsets", len(self.offsets), pointee_type(self.result.type))


@irdl_op_definition
class MakeTensorDescOp(IRDLOperation):
    """A descriptor of the tensor at `base`; `shape` and `strides` in elements, the innermost stride is 1."""

    name = "tt.make_tensor_descriptor"
    base = operand_def(PTR)
    shape = var_operand_def(i32)
    strides = var_operand_def(i64)
    padding = prop_def(enums.PADDING, default_value=IntegerAttr(1, i32))
    result = result_def(OTHER)
    irdl_options = (SameVariadicOperandSize(), ParsePropInAttrDict())
    custom_directives = (ShortPtr, ShortTensorDesc)
    traits = traits_def(Pure())
    assembly_format = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict "
        "`:` custom<ShortPtr>(type($base)) `,` custom<ShortTensorDesc>(type($result))"
    )

    def verify_(self) -> None:
        if isinstance(self.result.type, TensorDescType):
            check_coordinates("sizes", len(self.shape), self.result.type.block_type)
            check_elements(pointee_type(self.base.type), self.result.type.block_type)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Elements behind a pointer, a tensor of pointers or a block pointer; `other` where the mask is false.

    %x = tt.load %p, %m, %o {ttig.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #dot0>
    """

    name = "tt.load"
    ptr = operand_def(PTR)
    mask = opt_operand_def(Derived("PTR", mask_type))
    other = opt_operand_def(Derived("PTR", pointee_type))
    result = result_def(Derived("PTR", pointee_type))
    boundaryCheck = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(enums.PADDING)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    isVolatile = opt_prop_def(BoolAttr.constr(i1), default_value=FALSE)
    cachePolicy = opt_prop_def(AnyAttr())
    irdl_options = SEGMENTS
    custom_directives = (CachePolicies,)
    traits = traits_def(LoadsGlobal())
    assembly_format = "$ptr (`,` $mask^)? (`,` $other^)? custom<CachePolicies>($cache, $evict) attr-dict `:` type($ptr)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        other: SSAValue | Operation | None = None,
        *,
        boundary_check: Sequence[int] = (),
    ):
        ptr = SSAValue.get(ptr)
        properties = {"boundaryCheck": DenseArrayBase.from_list(i32, list(boundary_check))}
        super().__init__(
            operands=[ptr, mask, other],
            result_types=[pointee_type(ptr.type)],
            properties=properties if boundary_check else {},
        )

    @property
    def is_volatile(self) -> bool:
        """Whether the load stays as it is: not moved, repeated or left out."""
        return bool(self.isVolatile.value.data)

    @property
    def boundary_check(self) -> tuple[int, ...]:
        """The dims of a block pointer in which the tile may leave the tensor."""
        return dims_of(self.boundaryCheck)

    def verify_(self) -> None:
        if self.other is not None and self.mask is None:
            raise VerifyException("other without a mask: nothing says where to use it")
        tensor = pointee_type(self.ptr.type)
        is_block_pointer = isinstance(self.ptr.type, PointerType) and isinstance(tensor, TensorType)
        if is_block_pointer and (self.mask is not None or self.other is not None):
            raise VerifyException("a load through a block pointer has boundaryCheck in place of mask and other")
        if self.boundary_check and not is_block_pointer:
            raise VerifyException("boundaryCheck is only for block pointers")
        check_boundary(self.boundaryCheck, pointee_type(self.ptr.type))


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Write `value` behind the pointers, where the mask is true."""

    name = "tt.store"
    ptr = operand_def(PTR)
    value = operand_def(Derived("PTR", pointee_type))
    mask = opt_operand_def(Derived("PTR", mask_type))
    boundaryCheck = opt_prop_def(DenseArrayBase)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    cachePolicy = opt_prop_def(AnyAttr())
    ignore_cta = opt_prop_def(UnitAttr)
    irdl_options = IN_DICT
    custom_directives = (CachePolicies,)
    traits = traits_def(WritesGlobal())
    assembly_format = "$ptr `,` $value (`,` $mask^)? custom<CachePolicies>($cache, $evict) attr-dict `:` type($ptr)"

    def verify_(self) -> None:
        check_boundary(self.boundaryCheck, pointee_type(self.ptr.type))


@irdl_op_definition
class DescriptorLoadOp(IRDLOperation):
    """The block at `indices` (elements) of the tensor that a descriptor describes."""

    name = "tt.descriptor_load"
    desc = operand_def(OTHER)
    indices = var_operand_def(i32)
    cache = opt_prop_def(enums.CACHE_MODIFIER, default_value=IntegerAttr(1, i32))
    evict = opt_prop_def(enums.EVICTION_POLICY, default_value=IntegerAttr(1, i32))
    cachePolicy = opt_prop_def(AnyAttr())
    result = result_def(TYPE)
    irdl_options = IN_DICT
    custom_directives = (CachePolicies,)
    traits = traits_def(ReadsGlobal(), UsesScratch())
    assembly_format = (
        "$desc `[` $indices `]` custom<CachePolicies>($cache, $evict) attr-dict `:` type($desc) `->` type($result)"
    )

    def verify_(self) -> None:
        check_block(self.desc.type, len(self.indices), self.result.type, may_transpose=True)


@irdl_op_definition
class DescriptorStoreOp(IRDLOperation):
    """Write a block at `indices` of the tensor that a descriptor describes."""

    name = "tt.descriptor_store"
    desc = operand_def(OTHER)
    src = operand_def(TYPE)
    indices = var_operand_def(i32)
    irdl_options = IN_DICT
    traits = traits_def(WritesGlobal(), UsesScratch())
    assembly_format = "$desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"

    def verify_(self) -> None:
        check_block(self.desc.type, len(self.indices), self.src.type)


@irdl_op_definition
class DescriptorReduceOp(IRDLOperation):
    """Combine a block into memory: `tt.descriptor_reduce add, %desc[%i], %src`."""

    name = "tt.descriptor_reduce"
    kind = prop_def(enums.DESCRIPTOR_REDUCE)
    desc = operand_def(OTHER)
    src = operand_def(TYPE)
    indices = var_operand_def(i32)
    irdl_options = IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(ReadsGlobal(), WritesGlobal(), UsesScratch())
    assembly_format = "custom<Enum>($kind) `,` $desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"

    def verify_(self) -> None:
        check_block(self.desc.type, len(self.indices), self.src.type)


@irdl_op_definition
class DescriptorGatherOp(IRDLOperation):
    """Rows `x_offsets` of the tensor, from column `y_offset` on."""

    name = "tt.descriptor_gather"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    result = result_def()
    irdl_options = IN_DICT
    traits = traits_def(ReadsGlobal(), UsesScratch())
    assembly_format = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, $result)"


@irdl_op_definition
class DescriptorScatterOp(IRDLOperation):
    """Write rows `x_offsets` of the tensor, from column `y_offset` on."""

    name = "tt.descriptor_scatter"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    src = operand_def()
    irdl_options = IN_DICT
    traits = traits_def(WritesGlobal(), UsesScratch())
    assembly_format = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)"


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """`tt.atomic_rmw fadd, acq_rel, gpu, %ptr, %val, %mask : (...) -> type`"""

    name = "tt.atomic_rmw"
    atomic_rmw_op = prop_def(enums.ATOMIC_RMW)
    ptr = operand_def()
    val = operand_def(TYPE)
    mask = opt_operand_def()
    sem = prop_def(enums.MEM_SEMANTIC)
    scope = prop_def(enums.MEM_SYNC_SCOPE)
    result = result_def(TYPE)
    irdl_options = IN_DICT
    custom_directives = (Enum,)
    traits = traits_def(ReadsGlobal(), WritesGlobal(), UsesScratch())
    assembly_format = (
        "custom<Enum>($atomic_rmw_op) `,` custom<Enum>($sem) `,` custom<Enum>($scope) `,` "
        "$ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)"
    )


@irdl_op_definition
class AtomicCASOp(IRDLOperation):
    """Store `val` where memory equals `cmp`; returns the old value."""

    name = "tt.atomic_cas"
    ptr = operand_def()
    cmp = operand_def(TYPE)
    val = operand_def(TYPE)
    sem = prop_def(enums.MEM_SEMANTIC)
    scope = prop_def(enums.MEM_SYNC_SCOPE)
    result = result_def(TYPE)
    custom_directives = (Enum,)
    traits = traits_def(ReadsGlobal(), WritesGlobal(), UsesScratch())
    assembly_format = (
        "custom<Enum>($sem) `,` custom<Enum>($scope) `,` $ptr `,` $cmp `,` $val attr-dict "
        "`:` functional-type(operands, $result)"
    )


@irdl_op_definition
class AtomicLoadOp(IRDLOperation):
    """A load that synchronises."""

    name = "tt.atomic_load"
    ptr = operand_def()
    mask = opt_operand_def()
    sem = prop_def(enums.MEM_SEMANTIC)
    scope = prop_def(enums.MEM_SYNC_SCOPE)
    result = result_def()
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<Enum>($sem) `,` custom<Enum>($scope) `,` $ptr (`,` $mask^)? attr-dict "
        "`:` functional-type(operands, $result)"
    )


@irdl_op_definition
class AtomicStoreOp(IRDLOperation):
    """A store that synchronises."""

    name = "tt.atomic_store"
    ptr = operand_def(PTR)
    value = operand_def(Derived("PTR", pointee_type))
    mask = opt_operand_def(Derived("PTR", mask_type))
    sem = prop_def(enums.MEM_SEMANTIC)
    scope = prop_def(enums.MEM_SYNC_SCOPE)
    custom_directives = (Enum,)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "custom<Enum>($sem) `,` custom<Enum>($scope) `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)"
    )


@irdl_op_definition
class AtomicPollOp(IRDLOperation):
    """Load until the value is `expected` or a timeout."""

    name = "tt.atomic_poll"
    ptr = operand_def(PTR)
    expected = operand_def(TYPE)
    timeout = opt_operand_def(i64)
    sem = prop_def(enums.MEM_SEMANTIC)
    scope = prop_def(enums.MEM_SYNC_SCOPE)
    result = result_def(OTHER)
    custom_directives = (Enum,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<Enum>($sem) `,` custom<Enum>($scope) `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict "
        "`:` type($ptr) `,` type($expected) `->` type($result)"
    )


@irdl_op_definition
class GridDependencyWaitOp(IRDLOperation):
    """Wait for the grids that this one depends on."""

    name = "tt.grid_dependency_wait"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class GridDependencyLaunchDependentsOp(IRDLOperation):
    """Let the grids that depend on this one start."""

    name = "tt.grid_dependency_launch_dependents"
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict"


def _as_of_3_3(op_type: type[Operation]) -> type[Operation]:
    """The op under its name up to Triton 3.3, `tt.experimental_descriptor_load`."""
    # The members are copied, because xDSL looks for operands and results in the class itself.
    members = {name: member for name, member in vars(op_type).items() if name not in ("__dict__", "__weakref__")}
    name = op_type.name.replace("tt.", "tt.experimental_")
    return type(op_type.__name__, (op_type,), {**members, "name": name})


Load = LoadOp | DescriptorLoadOp
"""A load of a tensor, by pointers or through a descriptor."""

MEMORY_OPS: tuple[type[Operation], ...] = (
    AddPtrOp,
    AdvanceOp,
    MakeTensorPtrOp,
    MakeTensorDescOp,
    LoadOp,
    StoreOp,
    DescriptorLoadOp,
    DescriptorStoreOp,
    DescriptorReduceOp,
    DescriptorGatherOp,
    DescriptorScatterOp,
    *map(_as_of_3_3, (DescriptorLoadOp, DescriptorStoreOp, DescriptorGatherOp, DescriptorScatterOp)),
    AtomicRMWOp,
    AtomicCASOp,
    AtomicLoadOp,
    AtomicStoreOp,
    AtomicPollOp,
    GridDependencyWaitOp,
    GridDependencyLaunchDependentsOp,
)
