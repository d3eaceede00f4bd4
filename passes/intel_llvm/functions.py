"""Functions of `tt` as LLVM functions, with the parameters and attributes that Intel's backend adds.

A kernel, which is any function that is not private, gets two more pointers: to the global scratch memory of a launch,
and to that of a profiler (Triton's FuncOpToLLVM.cpp). A private function gets a pointer to shared memory before these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntAttr, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute

from dotload.dialect_ext.llvm import SPIR_FUNCTION, FuncOp
from dotload.dialect_ext.triton_gen_verify import subgroup_size
from dotload.dialect_ext.tt import FuncOp as TritonFuncOp
from dotload.dialect_ext.typed import number_of
from dotload.layout.linear import LayoutError
from dotload.layout.xe_targets import find_target
from dotload.passes.errors import LocatedFailure
from dotload.passes.intel_llvm.values import llvm_type
from dotload.passes.llvm.types import GLOBAL_POINTER

KERNEL = llvm.CallingConventionAttr("spir_kernelcc")
SHARED_POINTER = llvm.LLVMPointerType(IntAttr(3))
_SCRATCH = (GLOBAL_POINTER, GLOBAL_POINTER)


def signature(function: TritonFuncOp) -> tuple[list[Attribute], Attribute]:
    """The types of the parameters in the source, and of the result."""
    types = function.function_type
    if len(types.outputs.data) > 1:
        what = f"'{function.name}' has {len(types.outputs.data)} results, at most one is lowered"
        raise LocatedFailure(function, what)
    try:
        inputs, results = ([llvm_type(type_) for type_ in each.data] for each in (types.inputs, types.outputs))
    except LayoutError as error:
        raise LocatedFailure(function, str(error)) from None
    return inputs, results[0] if results else llvm.LLVMVoidType()


def further_parameters(function: TritonFuncOp) -> Sequence[Attribute]:
    """The types of the parameters that are not in the source."""
    return _SCRATCH if _is_kernel(function) else (SHARED_POINTER, *_SCRATCH)


def declare(function: TritonFuncOp, module: ModuleOp, inputs: Sequence[Attribute], result: Attribute) -> FuncOp:
    """The LLVM function, with the body of the old one, which is still to be converted."""
    kernel = _is_kernel(function)
    made = FuncOp(
        function.sym_name.data,
        llvm.LLVMFunctionType(inputs, result),
        llvm.LinkageAttr("external" if kernel else "internal"),
        KERNEL if kernel else SPIR_FUNCTION,
        body=function.detach_region(function.body),
        other_props={
            "intel_reqd_sub_group_size": IntegerAttr(subgroup_size(function), i32),
            **({} if kernel else _PRIVATE),
        },
        extra_attrs={**function.attributes, **_launch(function, module)},
    )
    made.location = function.location
    return made


_PRIVATE: Mapping[str, Attribute] = {
    "passthrough": ArrayAttr([StringAttr("noinline")]),
    "sym_visibility": StringAttr("private"),
}


def check_group(function: TritonFuncOp, module: ModuleOp, target: str) -> None:
    """LocatedFailure if no work-group of the module's size runs on the target."""
    problem = find_target(target).group_problem(_warps(module), subgroup_size(function))
    if problem is not None:
        what = "the module's ttg.num-warps and ttg.threads-per-warp do not fit"
        raise LocatedFailure(function, f"{what}: {problem}")


def _is_kernel(function: TritonFuncOp) -> bool:
    return function.sym_visibility is None or function.sym_visibility.data == "public"


def _launch(function: TritonFuncOp, module: ModuleOp) -> dict[str, Attribute]:
    """The attribute for the size of a work group."""
    size = _warps(module) * subgroup_size(function)
    return {"triton_gen.max_work_group_size": DenseArrayBase.from_list(i32, [size, 1, 1])}


def _warps(module: ModuleOp) -> int:
    return number_of(module.attributes.get("ttg.num-warps")) or 1
