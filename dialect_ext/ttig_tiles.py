"""Ops of dialect `ttig` that split and join tensors, from Intel's code generator for warps.

glue                   a tensor (or block pointer) joined from smaller ones
extract                a piece of a tensor (or block pointer), by number
broadcast              a tensor repeated to a larger shape
sub_group_transpose    a square of a subgroup's registers, transposed through local memory
alloc                  local memory for that

Verifiers use Intel's words. No pass lowers these ops.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.constraints import OTHER, TYPE, Derived, int_attr
from dotload.dialect_ext.directives import ShortPtr
from dotload.dialect_ext.triton_gen_verify import subgroup_size
from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import PointerType, element_of, pointee_of

LOCAL_MEMORY = 3


def _tensor_of(type_: Attribute) -> TensorType[Attribute] | None:
    """The type of a tensor, or of a block pointer's pointee."""
    pointee = pointee_of(type_)
    return as_tensor(type_ if pointee is None else pointee)


def _tensor(what: str, type_: Attribute) -> TensorType[Attribute]:
    tensor = _tensor_of(type_)
    if tensor is None:
        wanted = "ranked tensor of floating-point or integer or ptr values or ptr"
        raise VerifyException(f"{what} must be {wanted}, but got '{type_}'")
    return tensor


class Glue(IRDLOperation):
    """`%t = ttig.glue %a, %b : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<16x16xf16>`"""

    pieces = var_operand_def()
    res = result_def()
    traits = traits_def(Pure())
    assembly_format = "$pieces attr-dict `:` functional-type($pieces, $res)"

    def verify_(self) -> None:
        whole = _tensor("result #0", self.res.type).get_shape()
        if not self.pieces:
            raise VerifyException("expected at least one operand")
        if len({piece.type for piece in self.pieces}) > 1:
            raise VerifyException("operands must have the same type")
        tensor = _tensor_of(self.pieces[0].type)
        piece = () if tensor is None else tensor.get_shape()
        if any(part > size for part, size in zip(piece, whole, strict=False)):
            raise VerifyException("operands cannot exceed result size along any dimension")
        if tensor is not None and math.prod(piece) * len(self.pieces) != math.prod(whole):
            raise VerifyException("glued operands do not exactly cover the result shape")


class Extract(IRDLOperation):
    """`%p = ttig.extract %t[1] : tensor<16x16xf16> -> tensor<8x16xf16>`"""

    base = operand_def(TYPE)
    index = prop_def(int_attr(32))
    res = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$base `[` $index `]` attr-dict `:` type($base) `->` type($res)"

    def verify_(self) -> None:
        whole, piece = _tensor("operand #0", self.base.type), _tensor_of(self.res.type)
        if piece is None:
            return
        if whole.element_type != piece.element_type:
            raise VerifyException("operand and result element type must match")
        if len(piece.get_shape()) > len(whole.get_shape()):
            raise VerifyException("result rank cannot be greater than operand rank")
        first = len(whole.get_shape()) - len(piece.get_shape())
        for dim, (size, part) in enumerate(zip(whole.get_shape()[first:], piece.get_shape(), strict=True)):
            if size < part:
                raise VerifyException(f"operand shape cannot be smaller than result shape along dimension {dim}")
            if size % part:
                raise VerifyException(f"operands shape is not divisible by result shape along dimension {dim}")
        count = math.prod(whole.get_shape()) // math.prod(piece.get_shape())
        if not 0 <= self.index.value.data < count:
            raise VerifyException(f"index must be less than {count}")


class Broadcast(IRDLOperation):
    """`%t = ttig.broadcast %a : tensor<16x1xf16> -> tensor<16x16xf16>`"""

    src = operand_def(TYPE)
    res = result_def(OTHER)
    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($res)"

    def verify_(self) -> None:
        _tensor("operand #0", self.src.type)
        _tensor("result #0", self.res.type)
        if element_of(self.src.type) != element_of(self.res.type):
            raise VerifyException("requires the same element type for all operands and results")


def _local_buffer(type_: Attribute) -> Attribute:
    return PointerType(element_of(type_), LOCAL_MEMORY)


class SubGroupTranspose(IRDLOperation):
    """`%t = ttig.sub_group_transpose %buffer, %a : tensor<16x16xf16>`, the buffer in local memory"""

    local_buffer = operand_def(Derived("TYPE", _local_buffer))
    src = operand_def(TYPE)
    res = result_def(TYPE)
    traits = traits_def(Pure())
    assembly_format = "$local_buffer `,` $src attr-dict `:` type($res)"

    def verify_(self) -> None:
        if not isinstance(self.local_buffer.type, PointerType):
            raise VerifyException(f"operand #0 must be ptr, but got '{self.local_buffer.type}'")
        tensor, size = as_tensor(self.src.type), subgroup_size(self)
        if tensor is None or tensor.get_shape() != (size, size) or str(tensor.encoding) != "none":
            raise VerifyException(
                "can only be used on tensors of shape <sub_group_size x sub_group_size> with no encoding"
            )


class Alloc(IRDLOperation):
    """`%buffer = ttig.alloc : <f16, 3>`"""

    res = result_def(PointerType)
    custom_directives = (ShortPtr,)
    assembly_format = "attr-dict `:` custom<ShortPtr>(type($res))"


KINDS: dict[str, type[IRDLOperation]] = {
    "glue": Glue,
    "extract": Extract,
    "broadcast": Broadcast,
    "sub_group_transpose": SubGroupTranspose,
    "alloc": Alloc,
}


def _named(name: str, kind: type[IRDLOperation]) -> type[IRDLOperation]:
    body = {"name": name, "__module__": __name__, "__doc__": kind.__doc__}
    return irdl_op_definition(type(kind.__name__, (kind,), body))


TILES, LEGACY_TILES = (
    tuple(_named(f"{dialect}.{name}", kind) for name, kind in KINDS.items()) for dialect in ("ttig", "triton_intel_gpu")
)
