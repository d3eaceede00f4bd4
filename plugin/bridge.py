"""libtriton's modules <-> xDSL's, through MLIR's generic form.

MLIR prints a module that does not verify in generic form, and an attribute without a dialect prefix on the module is
enough for that. xDSL parses this form whichever operations a version of Triton has; libtriton parses xDSL's back and
verifies it. Attributes and types that dotload.dialect_ext defines arrive structured.
"""

from __future__ import annotations

import os
import tempfile
import threading
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError

from dotload import dialect_ext
from dotload.plugin import generic

MARKER = "generic"
"""No MLIR dialect lets an attribute without a prefix stand on a module, so that one with it does not verify."""


class BridgeError(RuntimeError):
    """A module that cannot cross; the message says why."""


def _plain_context() -> Context:
    from xdsl.dialects.builtin import Builtin

    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    return context


class _Local(threading.local):
    """What a thread parses with, of its own: xDSL's contexts and the memo fill up as they are used."""

    def __init__(self) -> None:
        self.context: Context = dialect_ext.context() if hasattr(dialect_ext, "context") else _plain_context()
        self.memo = generic.Memo()


_local = _Local()


def xdsl_context() -> Context:
    """The context that this thread's modules are parsed in."""
    return _local.context


def to_xdsl(module: Any) -> ModuleOp:
    """The xDSL module of libtriton's `module`, which keeps the marker: go on with what `from_xdsl` returns."""
    from triton._C.libtriton import ir

    module.set_attr(MARKER, ir.builder(module.context).get_unit_attr())
    try:
        result = generic.parse(str(module), _local.context, _local.memo)
    except ParseError as error:
        raise BridgeError(f"xDSL cannot read the module: {error}") from error
    result.attributes.pop(MARKER, None)
    return result


def from_xdsl(module: ModuleOp, context: Any) -> Any:
    """The libtriton module of xDSL's `module` in libtriton's `context`, verified by MLIR."""
    from triton._C.libtriton import ir

    descriptor, path = tempfile.mkstemp(prefix="dotload-", suffix=".mlir")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(generic.write(module, _local.memo))
        result = ir.parse_mlir_module(path, context)
    except RuntimeError as error:
        raise BridgeError(f"MLIR does not accept the rewritten module: {error}") from error
    finally:
        os.unlink(path)
    result.context = context
    return result
