"""The GPU that a module is for, and how many CTAs share its work."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dotload.dialect_ext.typed import number_of
from dotload.layout.nvidia_targets import HOPPER, NvidiaTarget, find_target


def capability_of(module: ModuleOp) -> int:
    """The compute capability of the module's target, as Triton writes it; 0 if not given."""
    match module.attributes.get("ttg.target"):
        case StringAttr(data=text) if text.startswith("cuda:"):
            return int(text.removeprefix("cuda:"))
        case _:
            return 0


def cluster_size(op: Operation) -> int:
    """The number of CTAs that share the work of one, in the module around an op."""
    module = module_around(op)
    return (None if module is None else number_of(module.attributes.get("ttg.num-ctas"))) or 1


def is_in_cluster(op: Operation) -> bool:
    """Whether an op, or a whole module, is run by a cluster of several CTAs."""
    return cluster_size(op) > 1


def target_around(op: Operation) -> NvidiaTarget:
    """The target of the module around an op; if not given, Hopper, for which loops are pipelined."""
    module = module_around(op)
    capability = 0 if module is None else capability_of(module)
    return find_target(capability) if capability else HOPPER


def module_around(op: Operation) -> ModuleOp | None:
    """The module around an op; the op itself if it is one."""
    root = op.get_toplevel_object()
    return root if isinstance(root, ModuleOp) else None
