"""xDSL dialects for Triton's IR: its ops and attributes, read and printed in Triton's own assembly.

    module = parse_module(text, "kernel.ttgir")
    print(print_module(module))

Importing this package is cheap; xDSL and the dialects are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


def context() -> Context:
    """A context with Triton's dialects and the builtin ones that Triton uses; ops of other dialects stay generic."""
    from dotload.dialect_ext.contexts import make_context

    return make_context()


def parse_module(text: str, file_name: str = "-", *, verify: bool = True) -> ModuleOp:
    """Read a module in generic or custom form. An error in it raises a located `errors.SourceError`."""
    from dotload.dialect_ext.syntax import parse_module as parse

    return parse(text, file_name, verify=verify)


def print_module(
    module: Operation, generic: bool = False, *, print_locations: bool = False, local_scope: bool = False
) -> str:
    """The module in Triton's assembly, or in generic form, with MLIR's alias names, or without any if `local_scope`;
    ends with a newline."""
    from dotload.dialect_ext.printing import print_module as to_text

    return to_text(module, generic=generic, print_locations=print_locations, local_scope=local_scope)
