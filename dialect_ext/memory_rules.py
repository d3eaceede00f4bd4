"""What Triton's verifiers ask of ops on shared memory: shapes, and that immutable memory is not written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Attribute, Operation

from dotload.dialect_ext.typed import as_tensor
from dotload.dialect_ext.types import MemDescType


def _local_alloc(op: Operation) -> Iterator[str]:
    result = op.results[0].type
    if not isinstance(result, MemDescType):
        return
    if op.operands:
        yield from _same(op.operands[0].type, result)
    elif isinstance(result.mutable, NoneAttr):
        yield f"uninitialized alloc must have a mutable memdesc type, got {result}"


def _local_load(op: Operation) -> Iterator[str]:
    yield from _same(op.operands[0].type, op.results[0].type)


def _local_store(op: Operation) -> Iterator[str]:
    source, target = (value.type for value in op.operands[:2])
    yield from _same(source, target)
    if isinstance(target, MemDescType) and isinstance(target.mutable, NoneAttr):
        yield f"cannot store into immutable memory, {target}; a !ttg.memdesc with the word mutable is writable"


def _memdesc_index(op: Operation) -> Iterator[str]:
    source, result = op.operands[0].type, op.results[0].type
    if not isinstance(source, MemDescType) or not isinstance(result, MemDescType):
        yield f"takes one buffer of a !ttg.memdesc, got {source} and {result}"
    elif source.get_shape()[1:] != result.get_shape():
        yield f"result shape must equal that of {source} without its first dimension, got {result}"


def _same(source: Attribute, result: Attribute) -> Iterator[str]:
    shapes = [_shape(each) for each in (source, result)]
    if None not in shapes and shapes[0] != shapes[1]:
        yield f"source shape {list(shapes[0] or ())} must match destination shape {list(shapes[1] or ())}"


def _shape(type_: Attribute) -> tuple[int, ...] | None:
    if isinstance(type_, MemDescType):
        return type_.get_shape()
    tensor = as_tensor(type_)
    return None if tensor is None else tuple(tensor.get_shape())


MEMORY_RULES: Mapping[str, Callable[[Operation], Iterator[str]]] = {
    "ttg.local_alloc": _local_alloc,
    "ttg.local_load": _local_load,
    "ttg.local_store": _local_store,
    "ttg.memdesc_index": _memdesc_index,
}
