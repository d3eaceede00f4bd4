"""torch.compile without a GPU: Inductor writes and compiles the kernels of each graph for an absent GPU.

A graph reaches Inductor on torch's device `meta`, where the script's tensors are. Before Inductor chooses its kernels,
fake tensors on `cuda`, which have no values either, replace those on `meta`. Afterwards, the script runs the graph
itself, on `meta`.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from typing import Any

from dotload.tools.inspect.stand_in_torch import answering, replace

CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")

_CONFIGURATION = {
    "torch._inductor.config": {
        "compile_threads": 1,  # in this process, where the stand-ins are
        "fx_graph_cache": False,  # so that the kernels of each graph are seen
        "use_static_cuda_launcher": False,  # nothing is launched
        "dynamic_scale_rblock": False,  # asks a loaded kernel for its registers
        "joint_graph_constant_folding": False,  # makes tensors on the GPU
        "shape_padding": False,  # these decide by benchmarks
        "benchmark_epilogue_fusion": False,
        "benchmark_template_fusion": False,  # its name from torch 2.15 on
        "triton.cudagraphs": False,
    },
    "torch._functorch.config": {"enable_autograd_cache": False},
}


@contextlib.contextmanager
def stand_in_inductor(on_failure: Callable[[Exception], None]) -> Generator[str, None, None]:
    """Make torch.compile compile for the stand-in; yields the folder of the kernels that Inductor writes.

    `on_failure` gets Inductor's failures without a GPU. Inductor is loaded once a script uses it.
    """
    with contextlib.ExitStack() as undo:
        folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="dotload-"))
        if importlib.util.find_spec("torch") is not None:
            torch: Any = importlib.import_module("torch")
            compile_, is_ready = torch.compile, False

            def prepared(*args: Any, **options: Any) -> Any:
                nonlocal is_ready
                if not is_ready:
                    is_ready = True
                    try:
                        _prepare(undo, torch, folder, on_failure)
                    except (ImportError, AttributeError) as error:  # another version of Inductor
                        on_failure(error)
                return compile_(*args, **options)

            replace(undo, torch, "compile", prepared)
        yield folder


def _prepare(undo: contextlib.ExitStack, torch: Any, folder: str, on_failure: Callable[[Exception], None]) -> None:
    module: Any = importlib.import_module("torch._inductor.compile_fx")
    boxed = importlib.import_module("torch._functorch.aot_autograd").make_boxed_func
    compile_fx, compile_inner, joint_passes = (
        getattr(module, name) for name in ("compile_fx", "compile_fx_inner", "_recursive_joint_graph_passes")
    )

    def inner(graph: Any, inputs: Sequence[Any], **options: Any) -> Any:
        if not any(isinstance(each, torch.Tensor) and each.device.type in ("meta", "cuda") for each in inputs):
            return compile_inner(graph, inputs, **options)
        runs = copy.deepcopy(graph)
        _move(torch, runs, "meta")
        try:
            _move(torch, graph, "cuda")
            compile_inner(graph, [_moved(torch, each, "cuda") for each in inputs], **options)
        except Exception as error:  # whatever Inductor lacks without a GPU: the graph runs without its kernels
            on_failure(error)
        return boxed(runs.forward)

    def with_inner(*args: Any, inner_compile: Any = inner, **options: Any) -> Any:
        return compile_fx(*args, inner_compile=inner_compile, **options)

    def joint_passes_on_cuda(graph: Any, *rest: Any, **options: Any) -> Any:
        _move(torch, graph, "cuda")  # these passes drop computations on `meta`
        return joint_passes(graph, *rest, **options)

    replace(undo, module, "compile_fx", with_inner)
    replace(undo, module, "_recursive_joint_graph_passes", joint_passes_on_cuda)
    for name, changes in _CONFIGURATION.items():
        config: Any = importlib.import_module(name)
        known = config.get_config_copy()
        undo.enter_context(config.patch({key: value for key, value in changes.items() if key in known}))
    for name in CACHES:
        undo.callback(_set_variable, name, os.environ.get(name))
        _set_variable(name, folder)
    _answer(undo, torch)


def _set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _answer(undo: contextlib.ExitStack, torch: Any) -> None:
    """Answer Inductor's queries of the GPU, beyond those of scripts."""
    helpers, heuristics, select, joint = (
        importlib.import_module(f"torch._inductor.{name}")
        for name in ("runtime.triton_helpers", "runtime.triton_heuristics", "select_algorithm", "fx_passes.joint_graph")
    )
    lazy_init, available = joint.lazy_init, torch.cuda.is_available

    def on_cpu(*_: Any) -> Any:
        """The device for tracing graph patterns, whose tensors have values."""
        torch.cuda.is_available = lambda: False
        try:
            return lazy_init(torch.device("cpu"))
        finally:
            torch.cuda.is_available = available

    replace(undo, joint, "lazy_init", on_cpu)
    replace(undo, helpers, "set_driver_to_gpu", answering(None))
    replace(undo, heuristics.CachingAutotuner, "_make_launchers", answering(None))
    replace(undo, torch._C, "_cuda_getCurrentRawStream", answering(0))
    replace(undo, importlib.import_module("torch.nn.attention.flex_attention"), "_validate_device", answering(None))
    replace(undo, select.AlgorithmSelectorCache, "benchmark_in_current_process", classmethod(_compile_choices))


def _compile_choices(_: Any, choices: Sequence[Any], *__: Any, **___: Any) -> dict[Any, float]:
    """Stands for a benchmark: each choice for an operation is compiled, all take equally long."""
    for choice in choices:
        if hasattr(choice, "precompile"):
            with contextlib.suppress(IndexError):  # it reads the registers of the first launcher
                choice.precompile()
    return dict.fromkeys(choices, 1.0)


def _move(torch: Any, graph: Any, to: str) -> None:
    """Move a graph to a device: the arguments of its nodes, and their fake tensors."""

    def moved(value: Any) -> Any:
        return _moved(torch, value, to)

    for part in graph.modules():
        if isinstance(part, torch.fx.GraphModule):
            for node in part.graph.nodes:
                node.args = torch.fx.node.map_aggregate(node.args, moved)
                node.kwargs = torch.fx.node.map_aggregate(node.kwargs, moved)
                if "val" in node.meta:
                    node.meta["val"] = torch.utils._pytree.tree_map(moved, node.meta["val"])
            part.recompile()


def _moved(torch: Any, value: Any, to: str) -> Any:
    """A device or fake tensor of `cuda` or `meta`, moved to the other of the two; anything else unchanged."""
    other = {"cuda": "meta", "meta": "cuda"}[to]
    if isinstance(value, torch.device) and value.type == other:
        return torch.device(to, 0) if to == "cuda" else torch.device(to)
    if not isinstance(value, torch.Tensor) or value.device.type != other:
        return value
    with value.fake_mode:
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=to)
