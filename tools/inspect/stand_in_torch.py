"""torch for scripts that need a GPU, without one: tensors for `cuda` are made on the device `meta`, without values."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

from dotload.layout.nvidia_targets import find_target

COMPARISONS = ("allclose", "equal", "isclose")
"""Functions with which scripts check results: without values, they report success."""

VALUES = ("item", "tolist", "__bool__", "__float__", "__index__", "__int__")
"""Methods that read the values of a tensor: without values, all are 1."""


@contextlib.contextmanager
def stand_in_torch(capability: int, multiprocessors: int) -> Generator[None, None, None]:
    """Make `cuda` mean `meta`; does nothing if torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        yield
        return
    torch: Any = importlib.import_module("torch")
    properties = SimpleNamespace(
        name="stand-in",
        major=capability // 10,
        minor=capability % 10,
        multi_processor_count=multiprocessors,
        total_memory=80 << 30,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block_optin=find_target(capability).max_block_bytes,
        L2_cache_size=50 << 20,
        gcnArchName="",
    )
    answers: dict[str, Any] = {
        "is_available": True,
        "is_current_stream_capturing": False,
        "current_device": 0,
        "device_count": 1,
        "get_device_capability": (capability // 10, capability % 10),
        "get_device_name": "stand-in",
        "get_device_properties": properties,
        "synchronize": None,
        "empty_cache": None,
        "set_device": None,
        "get_rng_state": torch.zeros(16, dtype=torch.uint8),
        "set_rng_state": None,
        "_lazy_init": None,
        "_get_device_properties": properties,
        "_exchange_device": 0,
        "_maybe_exchange_device": 0,
    }
    with contextlib.ExitStack() as undo:
        for name, answer in answers.items():
            replace(undo, torch.cuda, name, answering(answer))
        replace(undo, torch._C, "_accelerator_getAccelerator", answering(None))
        replace(undo, importlib.import_module("torch.testing"), "assert_close", answering(None))
        for name in VALUES:
            replace(undo, torch.Tensor, name, _of_ones(torch, getattr(torch.Tensor, name)))
        undo.enter_context(_mode(torch))
        yield


def answering(answer: Any) -> Callable[..., Any]:
    """A function that always returns this answer."""

    def function(*_: Any, **__: Any) -> Any:
        return answer

    return function


def _of_ones(torch: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, applied to ones in place of a tensor without values. A mode would not apply inside autograd."""

    def of_ones(tensor: Any, *rest: Any) -> Any:
        return method(torch.ones(tensor.shape, device="cpu").to(tensor.dtype) if tensor.is_meta else tensor, *rest)

    return of_ones


def replace(undo: contextlib.ExitStack, owner: Any, name: str, replacement: Any) -> None:
    """Set an attribute until `undo` is closed."""
    if hasattr(owner, name):
        undo.callback(setattr, owner, name, owner.__dict__.get(name, getattr(owner, name)))
    else:
        undo.callback(delattr, owner, name)
    setattr(owner, name, replacement)


def _mode(torch: Any) -> Any:
    """A mode in which every torch call that names a GPU names `meta` instead."""
    meta = torch.device("meta")

    def moved(value: Any) -> Any:
        names_device = isinstance(value, str | torch.device)
        return meta if names_device and str(value).split(":")[0] == "cuda" else value

    class OnMeta(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            name = getattr(func, "__name__", "")
            if func is torch.Tensor.cuda:
                return args[0].to(meta)
            if name in COMPARISONS:
                return True
            return func(*map(moved, args), **{key: moved(value) for key, value in (kwargs or {}).items()})

    return OnMeta()
