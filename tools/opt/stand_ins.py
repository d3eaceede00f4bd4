"""xDSL's passes instead of MLIR's, for modules that libtriton cannot hold: tests clean up after passes with them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

# MLIR's flag -> xDSL's pass.
STAND_INS = {
    "canonicalize": "xdsl.transforms.canonicalize:CanonicalizePass",
    "cse": "xdsl.transforms.common_subexpression_elimination:CommonSubexpressionElimination",
    "convert-scf-to-cf": "xdsl.transforms.convert_scf_to_cf:ConvertScfToCf",
    "reconcile-unrealized-casts": "xdsl.transforms.reconcile_unrealized_casts:ReconcileUnrealizedCastsPass",
    "loop-invariant-code-motion": "xdsl.transforms.loop_invariant_code_motion:LoopInvariantCodeMotionPass",
}


def xdsl_pass(flag: str) -> ModulePass:
    """The xDSL pass that stands in for an MLIR flag."""
    module, _, name = STAND_INS[flag].partition(":")
    return getattr(importlib.import_module(module), name)()
