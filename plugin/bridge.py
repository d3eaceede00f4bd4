"""libtriton's modules <-> xDSL's, through MLIR's generic form.

MLIR prints a module in generic form if it does not verify, so the bridge makes the module a symbol of an invalid
visibility while it is printed. xDSL parses this form for the operations of any version of Triton; libtriton parses
xDSL's output and verifies it. Attributes and types that dotload.dialect_ext defines arrive structured.
"""

from __future__ import annotations

import os
import threading

from xdsl.context import Context as XdslContext
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import ParseError

from dotload import dialect_ext
from dotload.plugin import generic
from dotload.plugin.triton_types import Context, Module, libtriton

SYMBOL = ("sym_name", "sym_visibility")
"""Properties of a module: strings. Setting another kind of attribute removes them. Triton does not use them."""
MARKER = "generic"
"""An attribute without a dialect prefix is not allowed on a module, so a module with it does not verify either."""


class BridgeError(RuntimeError):
    """A module that cannot cross; the message says why."""


class _Local(threading.local):
    """The parsing state of a thread: xDSL's contexts and the memo change with use."""

    def __init__(self) -> None:
        self.context: XdslContext = dialect_ext.context()
        self.memo = generic.Memo()


_local = _Local()


def xdsl_context() -> XdslContext:
    """The context that this thread's modules are parsed in."""
    return _local.context


def to_xdsl(module: Module) -> ModuleOp:
    """The xDSL module of libtriton's `module`, which is not changed."""
    try:
        carried = generic.parse(generic_text(module), _local.context, _local.memo)
    except ParseError as error:
        raise BridgeError(f"xDSL cannot read the module: {error}") from error
    for name, text in _symbol(module).items():
        carried.properties.pop(name, None)
        if text is not None:  # xDSL's ModuleOp has a property for the name, but none for the visibility
            (carried.properties if name == "sym_name" else carried.attributes)[name] = StringAttr(text)
    carried.attributes.pop(MARKER, None)
    return carried


def generic_text(module: Module) -> str:
    """libtriton's `module` in generic form, with its locations and the attributes that make MLIR print it so."""
    builder = libtriton().ir.builder(module.context)
    if not hasattr(builder, "get_string_attr"):  # Triton 3.3 cannot remove an attribute
        copy = from_text(str(module), module.context)
        copy.set_attr(MARKER, builder.get_unit_attr())
        return str(copy)
    symbol = _symbol(module)
    try:
        for name in SYMBOL:
            module.set_attr(name, builder.get_string_attr("not a visibility"))
        return str(module)
    finally:
        for name, text in symbol.items():
            module.set_attr(name, builder.get_unit_attr() if text is None else builder.get_string_attr(text))


def _symbol(module: Module) -> dict[str, str | None]:
    """The name and the visibility of a module, `module @name`; None for each that is absent, as in Triton's modules.

    Empty in Triton 3.3, which has no binding to read them.
    """
    if not hasattr(module, "get_operation"):
        return {}
    operation = module.get_operation()
    return {name: operation.get_str_attr(name) for name in SYMBOL}


def text_of(module: ModuleOp) -> str:
    """xDSL's `module` in generic form with its locations."""
    return generic.write(module, _local.memo)


def from_text(text: str, context: Context) -> Module:
    """The libtriton module of `text` in either form, verified by MLIR, in libtriton's `context`."""
    descriptor = os.memfd_create("dotload")  # libtriton reads files only; this one never touches a disk
    try:
        with open(descriptor, "w", closefd=False) as file:
            file.write(text)
        module = libtriton().ir.parse_mlir_module(f"/proc/self/fd/{descriptor}", context)
    except RuntimeError as error:
        raise BridgeError(f"MLIR does not accept the module: {error}") from error
    finally:
        os.close(descriptor)
    module.context = context
    return module


def from_xdsl(module: ModuleOp, context: Context) -> Module:
    """The libtriton module of xDSL's `module`, verified by MLIR, in libtriton's `context`."""
    return from_text(text_of(module), context)
