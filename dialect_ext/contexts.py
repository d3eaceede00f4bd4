"""The xDSL context with its dialects. A dialect's module is imported at its first op or attribute."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect

# Dialect name -> the place of its `Dialect` object.
DIALECTS = {
    "tt": "dotload.dialect_ext.tt:TT",
    "ttg": "dotload.dialect_ext.ttg:TTG",
    "ttng": "dotload.dialect_ext.ttng:TTNG",
    "ttig": "dotload.dialect_ext.ttig:TTIG",
    "triton_intel_gpu": "dotload.dialect_ext.ttig:TRITON_INTEL_GPU",
    "triton_gen": "dotload.dialect_ext.triton_gen:TRITON_GEN",
    "gluon": "dotload.dialect_ext.gluon:GLUON",
    "arith": "dotload.dialect_ext.arith:ARITH",
    "cf": "dotload.dialect_ext.cf:CF",
    "func": "xdsl.dialects.func:Func",
    "gpu": "dotload.dialect_ext.gpu:GPU",
    "llvm": "dotload.dialect_ext.llvm:LLVM",
    "math": "dotload.dialect_ext.math:MATH",
    "scf": "dotload.dialect_ext.scf:SCF",
    "ub": "xdsl.dialects.ub:UB",
    "vector": "xdsl.dialects.vector:Vector",
}


def _loader(place: str) -> Callable[[], Dialect]:
    module, _, name = place.partition(":")
    return lambda: getattr(import_module(module), name)


def make_context() -> Context:
    """A fresh context; ops, types and attributes of unknown dialects are allowed."""
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    for name, place in DIALECTS.items():
        context.register_dialect(name, _loader(place))
    return context
