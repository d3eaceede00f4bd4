"""What Triton's verifiers ask of the shapes and elements of an op's tensors, in their words where these are clear."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from dotload.dialect_ext.typed import as_integer, as_tensor, shape_of
from dotload.dialect_ext.types import TensorDescType, element_of


def check(holds: bool, message: str) -> None:
    """Raise VerifyException unless a rule holds."""
    if not holds:
        raise VerifyException(message)


class SameShape(OpTrait):
    """All operands and results have one shape and one layout."""

    def verify(self, op: Operation) -> None:
        types = [value.type for value in (*op.operands, *op.results)]
        kinds = {(shape_of(each), tensor.encoding if (tensor := as_tensor(each)) else None) for each in types}
        check(len(kinds) <= 1, f"operands and results must have one shape and layout, got {_listed(types)}")


def check_elements(one: Attribute, other: Attribute) -> None:
    """The element types of two tensors or scalars agree; the sign of an integer, which only frontends use, aside."""
    agree = signless(element_of(one)) == signless(element_of(other))
    check(agree, f"requires the same element type for all operands and results, got {_listed([one, other])}")


def signless(element: Attribute) -> Attribute:
    """An element type as it is in memory; frontends give the integers of a descriptor a sign."""
    integer = as_integer(element)
    return element if integer is None else IntegerType(integer.width.data)


def _listed(types: Sequence[Attribute]) -> str:
    return " and ".join(map(str, dict.fromkeys(types)))


def tensor(what: str, type_: Attribute) -> TensorType[Attribute]:
    """The type as that of a tensor; VerifyException for another one."""
    found = as_tensor(type_)
    if found is None:
        raise VerifyException(f"{what} must be a ranked tensor, but got {type_}")
    return found


def check_shape(type_: Attribute, wanted: Sequence[int]) -> None:
    """The result has this shape."""
    shape = tensor("result #0", type_).get_shape()
    check(tuple(shape) == tuple(wanted), f"the result has the shape {list(wanted)}, got {list(shape)}")


def check_broadcast(source: Attribute, result: Attribute) -> None:
    """Dims of size 1 grow; the others stay."""
    old, new = tensor("operand #0", source).get_shape(), tensor("result #0", result).get_shape()
    check(len(old) == len(new), f"rank of source must be same as rank of result, got {len(old)} and {len(new)}")
    for dim, (size, grown) in enumerate(zip(old, new, strict=True)):
        check(size in (1, grown), f"dim {dim} grows from {size} to {grown}; only dims of size 1 may grow")


def check_permutation(order: Sequence[int], rank: int) -> None:
    """Each dim occurs once."""
    check(
        sorted(order) == list(range(rank)),
        f"order must be a permutation of [0, ..., rank - 1] for rank {rank}, got {list(order)}",
    )


def check_axis(axis: int, rank: int) -> None:
    """An op works along a dim that the tensor has."""
    check(0 <= axis < rank, f"axis {axis} out of range [0, {rank - 1}]")


def check_count(source: Attribute, result: Attribute, factor: int = 1) -> None:
    """The result has as many elements as the source, times a factor."""
    old, new = (math.prod(tensor(what, t).get_shape()) for what, t in (("operand #0", source), ("result #0", result)))
    check(old * factor == new, f"the result has {old * factor} elements, got {new}")


def check_descriptor(descriptor: Attribute, type_: Attribute, *, may_transpose: bool = False) -> None:
    """A tensor that a descriptor loads or stores is a block of it, but for dims of size 1. A load may transpose it."""
    if not isinstance(descriptor, TensorDescType):
        raise VerifyException(f"operand #0 must be a tensor descriptor, but got {descriptor}")
    block = descriptor.block_type
    check_elements(block, type_)
    sizes = [[size for size in each.get_shape() if size > 1] for each in (block, tensor("the tensor", type_))]
    one, other = map(sorted, sizes) if may_transpose else sizes
    check(one == other, f"a block of {descriptor} does not have the shape of {type_}")
