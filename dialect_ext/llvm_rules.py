"""What MLIR's verifier asks of LLVM's symbols: calls and returns fit their functions, and addresses are of globals."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

_OF_A_SYMBOL = ("llvm.mlir.global", "llvm.func", "llvm.mlir.alias", "llvm.mlir.ifunc")


def wrong_llvm(op: Operation) -> Iterator[str]:
    """The rules that an op breaks."""
    match op:
        case llvm.CallOp():
            yield from _wrong_call(op)
        case llvm.ReturnOp():
            yield from _wrong_return(op)
        case llvm.AddressOfOp():
            found = SymbolTable.lookup_symbol(op, op.global_name)
            if found is None or _name(found) not in _OF_A_SYMBOL:
                yield f"must reference a global or a function, but '{op.global_name.root_reference.data}' is none"
        case _:
            return


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _wrong_call(call: llvm.CallOp) -> Iterator[str]:
    function = None if call.callee is None else SymbolTable.lookup_symbol(call, call.callee)
    if not isinstance(function, llvm.FuncOp):
        return
    type_ = function.function_type
    wanted, given = tuple(type_.inputs.data), tuple(value.type for value in call.args)
    if len(given) < len(wanted) or (len(given) > len(wanted) and not type_.is_variadic):
        yield f"incorrect number of operands ({len(given)}) for callee (expecting: {len(wanted)})"
    for number, (one, other) in enumerate(zip(given, wanted, strict=False)):
        if one != other:
            yield f"operand type mismatch for operand {number}: {one} != {other}"
    returned = () if isinstance(type_.output, llvm.LLVMVoidType) else (type_.output,)
    if call.result_types != returned:
        listed = [", ".join(map(str, each)) or "nothing" for each in (returned, call.result_types)]
        yield f"the callee returns {listed[0]}, but the call has results of {listed[1]}"


def _wrong_return(op: llvm.ReturnOp) -> Iterator[str]:
    function = op.parent_op()
    if not isinstance(function, llvm.FuncOp):
        return
    output = function.function_type.output
    wanted = () if isinstance(output, llvm.LLVMVoidType) else (output,)
    given = tuple(value.type for value in op.operands)
    if given != wanted:
        listed = [", ".join(map(str, each)) or "nothing" for each in (wanted, given)]
        yield f"the function (@{function.sym_name.data}) returns {listed[0]}, but this returns {listed[1]}"
