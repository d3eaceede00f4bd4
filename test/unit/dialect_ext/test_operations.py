"""Operations made without xDSL's constructors are equal to those that the constructors make."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import UNKNOWN_LOC, IntAttr, ModuleOp, StringAttr, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from dotload.dialect_ext.operations import assemble, with_defaults

POINTER = llvm.LLVMPointerType(IntAttr(3))


def assembled(like: Operation, properties: Mapping[str, Attribute]) -> Operation:
    types = [result.type for result in like.results]
    return assemble(type(like), like.operands, types, properties, like.attributes, UNKNOWN_LOC)


def models() -> list[Operation]:
    x = arith.ConstantOp.from_int_and_width(1, i32)
    pointer = llvm.UndefOp(POINTER)
    marked = arith.MuliOp(x.result, x.result)
    marked.attributes["note"] = StringAttr("kept")
    return [
        x,
        marked,
        arith.AddiOp(x.result, x.result),
        arith.ExtUIOp(x.result, i64),
        llvm.LoadOp(pointer.res, i32, 16),
        llvm.StoreOp(x.result, pointer.res, 4),
    ]


@pytest.mark.parametrize("model", models(), ids=lambda op: op.name)
def test_an_assembled_operation_is_the_one_that_its_constructor_makes(model: Operation) -> None:
    made = assembled(model, model.properties)
    assert made.is_structurally_equivalent(model)
    assert [use.operation for operand in made.operands for use in operand.uses].count(made) >= len(made.operands)
    assert (made.parent, made.next_op, made.prev_op, tuple(made.successors), made.regions) == (None, None, None, (), ())


def test_what_an_operation_has_by_default_is_filled_in_and_what_is_said_stays() -> None:
    by_itself = arith.AddiOp.create().properties
    assert by_itself
    assert with_defaults(arith.AddiOp, {}) == by_itself
    said = {name: StringAttr("said") for name in by_itself}
    assert with_defaults(arith.AddiOp, said) == said


def test_dictionaries_are_an_operation_s_own() -> None:
    x = arith.ConstantOp.from_int_and_width(1, i32)
    shared = dict(x.properties)
    one, other = assembled(x, shared), assembled(x, shared)
    one.properties["value"] = StringAttr("another")
    one.attributes["mark"] = StringAttr("mine")
    assert other.is_structurally_equivalent(x)


def test_an_assembled_operation_can_be_inserted_replaced_and_erased() -> None:
    x = arith.ConstantOp.from_int_and_width(1, i32)
    made = assemble(arith.AddiOp, [x.result, x.result], [i32], with_defaults(arith.AddiOp, {}), {}, UNKNOWN_LOC)
    module = ModuleOp([x])
    Rewriter.insert_op(made, InsertPoint.after(x))
    made.operands[1] = made.operands[0]
    module.verify()
    Rewriter.erase_op(made)
    assert [op.name for op in module.walk()] == ["builtin.module", "arith.constant"]
    assert x.result.first_use is None
