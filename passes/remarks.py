"""Remarks: what a pass did to each load, or why it left it, at the user's line. The model is LLVM's remarks.

A pass calls `emit`; whoever runs the pass collects with `collect`. Without a collector, a remark is dropped, so a pass
need not know who listens.

    with collect() as remarks:
        pass_.apply(ctx, module)
    for remark in remarks:
        print(remark)    # gemm.py:17:20: remark: stage-dot-operands: kept tt.load: ... [OTHER_USES]
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dotload.layout.reject import Reject

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

UNKNOWN = "<unknown>"
KERNEL = "<kernel>"
"""The location of a remark about the whole kernel, until the plugin puts the kernel's own line there."""
INLINED = ", inlined at {}"
"""The end of a message, for each call through which the location was inlined."""


@dataclass(frozen=True)
class Remark:
    """What became of one candidate."""

    kind: str
    """As LLVM's: "passed", "missed" (a candidate left as it was), "analysis" (what a pass found out, or why it did not
    run) or "failure"."""
    pass_name: str
    """The pass that says it, such as stage-dot-operands."""
    location: str
    """The line of the kernel: file:line:column, columns counted from 1; `<unknown>` where there is none."""
    message: str
    """What was done, or why it was not, for people."""
    reason: str = ""
    """The same for programs: a stable code such as K_MAJOR. Empty where the message is all there is to say."""

    def __str__(self) -> str:
        code = f" [{self.reason}]" if self.reason else ""
        return f"{self.location}: remark: {self.pass_name}: {self.message}{code}"


_collector: ContextVar[list[Remark] | None] = ContextVar("dotload_remarks", default=None)


@contextmanager
def collect() -> Generator[list[Remark]]:
    """The list that collects the remarks emitted in this context; an inner `collect` takes them from an outer one."""
    remarks: list[Remark] = []
    token = _collector.set(remarks)
    try:
        yield remarks
    finally:
        _collector.reset(token)


def emit(kind: str, pass_name: str, at: Operation | str, message: str, reason: str = "") -> None:
    """Pass a remark to the collector, if there is one; `at` is the operation, or its location as text."""
    remarks = _collector.get()
    if remarks is not None:
        location, calls = (at, "") if isinstance(at, str) else (where(at), inlined_at(at))
        remarks.append(Remark(kind, pass_name, location, message + calls, reason))


def missed(pass_name: str, at: Operation, reject: Reject, operand: str = "") -> None:
    """Emit the remark why a candidate stays as it is; `operand`: what a load is for."""
    emit("missed", pass_name, at, ": ".join(filter(None, (f"kept {at.name}", reject.message, operand))), reject.code)


def where(at: Operation | Attribute) -> str:
    """file:line:column of an operation or location: the line in the innermost function where calls were inlined."""
    # Here and not above: the plugin lists remarks without loading xDSL.
    from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
    from xdsl.ir import Operation

    match at.location if isinstance(at, Operation) else at:
        case FileLineColLoc(filename=name, line=line, column=column):
            return f"{name.data}:{line.data}:{column.data}"
        case NameLoc(location=inner) | CallSiteLoc(callee=inner):
            return where(inner)
        case FusedLoc(locations=ArrayAttr(data=(first, *_))):
            return where(first)
        case _:
            return UNKNOWN


def inlined_at(at: Operation | Attribute) -> str:
    """The calls through which the operation or location was inlined, the innermost first, for the end of a message."""
    from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FusedLoc, NameLoc
    from xdsl.ir import Operation

    match at.location if isinstance(at, Operation) else at:
        case CallSiteLoc(callee=callee, caller=caller):
            return inlined_at(callee) + INLINED.format(where(caller)) + inlined_at(caller)
        case NameLoc(location=inner) | FusedLoc(locations=ArrayAttr(data=(inner, *_))):
            return inlined_at(inner)
        case _:
            return ""
