"""Comparison of a kernel before and after passes: both run on names, and their stores are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dotload.dialect_ext.tt import FuncOp
from dotload.dialect_ext.typed import number_of, of_kind
from dotload.passes.validation.machine import WARP, Machine, Run, Unsupported
from dotload.passes.validation.memory_ops import MEMORY_OPS
from dotload.passes.validation.names import Integers, Words
from dotload.passes.validation.tensor_ops import TENSOR_OPS
from dotload.passes.validation.word_ops import WORD_OPS

OPS = TENSOR_OPS | MEMORY_OPS | WORD_OPS


@dataclass(frozen=True)
class Stored:
    """The final contents of global memory: addresses in order, and the name of each byte."""

    addresses: Integers
    names: Words


def stored_by(module: ModuleOp, ops: Mapping[str, Run] = OPS) -> Stored:
    """Run the module's kernel. Raises Unsupported if that is impossible, Invalid if the kernel does something illegal.

    `ops`: the function that runs each op, by the op's name or its dialect.
    """
    kernel, *others = [function for function in of_kind(module.ops, FuncOp) if function.body.blocks]
    if others:
        raise Unsupported("calls")
    machine = Machine((number_of(module.attributes.get("ttg.num-warps")) or 1) * WARP, ops)
    machine.run(kernel)
    addresses = np.concatenate([np.zeros(0, np.int64), *(each for each, _ in machine.stores)])
    names = np.concatenate([np.zeros(0, np.uint64), *(each for _, each in machine.stores)])
    # The last of several stores to one address wins: np.unique returns the first, so the arrays are reversed.
    found, first = np.unique(addresses[::-1], return_index=True)
    return Stored(found, names[::-1][first])


def differences(wanted: Stored, found: Stored) -> str:
    """How the stores differ; empty if they do not."""
    if not np.array_equal(wanted.addresses, found.addresses):
        return f"{len(np.setxor1d(wanted.addresses, found.addresses))} bytes are stored by one kernel only"
    count = int((wanted.names != found.names).sum())
    return f"{count} of {len(wanted.names)} bytes that are stored differ" if count else ""
