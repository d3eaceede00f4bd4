"""Calls that access memory of one lane: the predicated loads and stores of GenISA, the IR of Intel's compiler."""

from __future__ import annotations

import re

from dotload.emulator.builtins import Builtin, Family, Signature
from dotload.emulator.errors import EmulatorError
from dotload.emulator.sites import Kind, Site
from dotload.emulator.types import byte_size

_LOAD = """\
{start}
on:
  %there = load {type}, ptr %flat, align 1
  br label %off
off:
  %value = phi {type} [ %p3, %entry ], [ %there, %on ]
  ret {type} %value"""
_STORE = """\
{start}
on:
  store {type} %p1, ptr %flat, align 1
  br label %off
off:
  ret void"""
_START = """\
entry:
  %flat = addrspacecast {pointer} %p0 to ptr
  %mask = zext i1 %{predicate} to i32
  call void @xe_touch_masked(ptr %flat, i32 %mask, i32 %site)
  br i1 %{predicate}, label %on, label %off"""


def _predicated(match: re.Match[str], signature: Signature, _lanes: int) -> Builtin:
    """(pointer, alignment, predicate, default value) and (pointer, value, alignment, predicate). If the predicate is
    false, the pointer may be anything.
    """
    signature.need(4)
    loads = match["op"] == "Load"
    type_, predicate = (signature.result, "p2") if loads else (signature.parameters[1], "p3")
    wanted = ("i64", "i1", type_) if loads else (type_, "i64", "i1")
    pointer, *others = signature.parameters
    if not pointer.startswith("ptr addrspace(1)") or tuple(others) != wanted:
        raise EmulatorError(f"{signature.name} of {', '.join(signature.parameters)} is not emulated")
    start = _START.format(pointer=pointer, predicate=predicate)
    size = byte_size(type_)
    site = Site(Kind.LOAD if loads else Kind.STORE, f"predicated_{match['op'].lower()}_{size * 8}b", type=size)
    return Builtin((_LOAD if loads else _STORE).format(start=start, type=type_), lambda _arguments: site)


FAMILIES: tuple[tuple[str, Family], ...] = ((r"llvm\.genx\.GenISA\.Predicated(?P<op>Load|Store)(\..*)?", _predicated),)
