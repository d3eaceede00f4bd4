"""Requests to `compile_xe`: targets, and the types of a kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dotload.layout.xe_targets import find_target
from dotload.plugin.triton_types import JitFunction


class XeCompileError(RuntimeError):
    """A kernel that does not compile, or an invalid request; the message is for the user."""


TARGETS = ("pvc", "bmg", "lnl")
"""Data Center GPU Max (Xe-HPC), Arc B-series and Lunar Lake (Xe2)."""


ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64"),
    *("fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16"),
)
"""What Triton 3.3 calls the types of numbers, and of what pointers point to."""


def properties_of(target: str) -> dict[str, Any]:
    """The device properties that the backend queries: the same for these targets."""
    return {
        "name": target,
        "sub_group_sizes": list(find_target(target).subgroup_sizes),
        "has_fp64": True,
        "has_subgroup_matrix_multiply_accumulate": True,
        "has_subgroup_matrix_multiply_accumulate_tensor_float32": True,
        "has_subgroup_2d_block_io": True,
        "has_bfloat16_conversions": True,
    }


def check_counts(target: str, num_warps: int, threads_per_warp: int, num_stages: int) -> None:
    """Raise XeCompileError for numbers that Intel's backend does not take, or would compile to what runs nowhere."""
    counts = (("num_warps", num_warps, 1), ("threads_per_warp", threads_per_warp, 1), ("num_stages", num_stages, 0))
    for name, count, least in counts:
        if type(count) is not int or count < least:
            raise XeCompileError(f"{name} is a whole number of at least {least}, got {count!r}")
    if num_warps & (num_warps - 1):
        raise XeCompileError(f"num_warps is a power of two, got {num_warps}")
    # A kernel with a dot has subgroups of 16 lanes, whatever is asked for: what has to fit is known later.
    if (problem := find_target(target).group_problem(1, threads_per_warp)) is not None:
        raise XeCompileError(f"threads_per_warp={threads_per_warp}: {problem}")


def check_group(target: str, num_warps: int, threads_per_warp: int) -> None:
    """Raise XeCompileError for a work-group that does not fit."""
    if (problem := find_target(target).group_problem(num_warps, threads_per_warp)) is not None:
        given = f"num_warps={num_warps}, threads_per_warp={threads_per_warp}"
        raise XeCompileError(f"{given}: {problem}")


def signature_of(
    kernel: JitFunction, given: Mapping[str, str] | Sequence[str], constants: Mapping[str, Any]
) -> dict[str, str]:
    """Type of every parameter, in order; constexpr parameters have the type "constexpr"."""
    names = list(kernel.arg_names)
    runtime = [name for name in names if name not in constants]
    if not isinstance(given, Mapping):
        if len(given) != len(runtime):
            raise XeCompileError(
                f"{kernel.__name__} has {len(runtime)} run-time parameters ({', '.join(runtime)}), "
                f"the signature gives {len(given)} types"
            )
        given = dict(zip(runtime, given, strict=True))
    unknown = [name for name in (*given, *constants) if name not in names]
    if unknown:
        raise XeCompileError(f"{kernel.__name__} has no parameter {', '.join(unknown)}")
    missing = [name for name in runtime if name not in given]
    if missing:
        raise XeCompileError(f"the signature of {kernel.__name__} lacks {', '.join(missing)}")
    return {name: given.get(name, "constexpr") if name not in constants else "constexpr" for name in names}


def check_types(types: Mapping[str, str]) -> None:
    """Raise XeCompileError for a type that Triton does not know; it parses descriptors itself."""
    for name, type_ in types.items():
        element = type_.partition(":")[0].removeprefix("*").removeprefix("k")
        if element not in (*ELEMENTS, "constexpr") and not type_.startswith("tensordesc"):
            known = f"known are {', '.join(ELEMENTS)}, with * in front for pointers and :16 behind for multiples of 16"
            raise XeCompileError(f"{name}: unknown type '{type_}'; {known}")


def attributes_of(kernel: JitFunction, types: Mapping[str, str]) -> dict[tuple[int], list[list[Any]]]:
    """The divisibility after a type's colon, as Triton's front end takes it."""
    promised: dict[tuple[int], list[list[Any]]] = {}
    for name, type_ in types.items():
        _, colon, number = type_.partition(":")
        if not colon:
            continue
        if number != "16":
            raise XeCompileError(f"{name}: only divisibility by 16 can be promised, got ':{number}'")
        promised[(kernel.arg_names.index(name),)] = [["tt.divisibility", 16]]
    return promised
