"""Kernels compiled without a GPU: sources for triton.compile, specialised as in a JIT call."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from triton.compiler.compiler import ASTSource


def source(
    kernel: Any, types: Mapping[str, str], constants: Mapping[str, Any], *, any_number: Collection[str] = ()
) -> ASTSource:
    """`kernel` with arguments of these types, i32 if none is given, and these constants.

    Pointers and integers are divisible by 16, except the arguments `any_number`.
    """
    names = kernel.arg_names
    signature = {name: "constexpr" if name in constants else types.get(name, "i32") for name in names}
    divisible = [name for name in names if name not in constants and name not in any_number]
    return ASTSource(
        kernel,
        signature,
        {(names.index(name),): value for name, value in constants.items()},
        {(names.index(name),): [["tt.divisibility", 16]] for name in divisible},
    )
