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


def is_cluster(module: ModuleOp) -> bool:
    """Whether several CTAs share the work of one."""
    return number_of(module.attributes.get("ttg.num-ctas")) not in (None, 1)


def is_in_cluster(op: Operation) -> bool:
    """Whether the op is in a module of which several CTAs share the work of one."""
    module = module_around(op)
    return module is not None and is_cluster(module)


def target_around(op: Operation) -> NvidiaTarget:
    """The target of the module around an op; if not given, Hopper, for which loops are pipelined."""
    module = module_around(op)
    capability = 0 if module is None else capability_of(module)
    return find_target(capability) if capability else HOPPER


def module_around(op: Operation) -> ModuleOp | None:
    """The module around an op."""
    root = op.get_toplevel_object()
    return root if isinstance(root, ModuleOp) else None
