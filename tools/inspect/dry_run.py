"""`--dry-run script.py`: run a script with a stand-in for the GPU, compile every kernel it launches, launch none.

Triton gets a driver that only answers queries. If torch is installed, tensors for the GPU are made on torch's device
`meta`, which has shapes and types but no values: a script that reads a value gets 1, and its assertions are not
checked.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dotload.layout.nvidia_targets import find_target
from dotload.plugin.triton_types import Target
from dotload.tools.inspect.compiled import Version, message_of, pair
from dotload.tools.inspect.request import InspectError, blame, line_of, parse_target
from dotload.tools.inspect.stand_in_inductor import stand_in_inductor
from dotload.tools.inspect.stand_in_torch import replace, stand_in_torch

MULTIPROCESSORS = 132
"""The stand-in's number of multiprocessors, from which scripts choose their grids."""

MOST_THREADS = 1024
"""In a block."""


@dataclass(frozen=True)
class Surveyed:
    """A kernel that the script would have launched: its place, and both versions or Triton's error."""

    name: str
    place: str
    versions: tuple[Version, Version] | None
    error: str = ""


@dataclass
class Survey:
    """The kernels, each once; `error` is the exception that ended the script early.

    `missed`: failures of torch.compile without a GPU. `inductors`: the folder of the kernels that Inductor writes.
    """

    kernels: list[Surveyed] = field(default_factory=list[Surveyed])
    error: str = ""
    missed: list[str] = field(default_factory=list[str])
    inductors: str = ""
    _seen: set[str] = field(default_factory=set[str])

    def add(self, kernel: Any, compile_: Callable[[], Any]) -> Any:
        """Compile one launch both ways, and remember it unless an equal one is known."""
        import dotload

        file = Path(kernel.fn.__code__.co_filename)
        is_inductors = self.inductors and file.is_relative_to(self.inductors)
        place = "torch.compile" if is_inductors else f"{file.name}:{line_of(kernel)}"
        try:
            with dotload.disabled():
                stock = compile_()
            with dotload.enabled():
                ours = compile_()
        except Exception as error:  # whatever Triton raises: the next kernel may compile
            why = message_of(error)
            self._remember(f"{place} {why}", Surveyed(kernel.__name__, place, None, why))
            return None
        if stock is not None and ours is not None:
            self._remember(stock.hash, Surveyed(kernel.__name__, place, pair(stock, ours)))
        return stock

    def miss(self, error: Exception) -> None:
        """Remember why torch.compile has no kernels for a graph."""
        self.missed.append(f"{type(error).__name__}: {_first_line(error)}")

    def _remember(self, key: str, kernel: Surveyed) -> None:
        if key not in self._seen:
            self._seen.add(key)
            self.kernels.append(kernel)


class StandInDriver:
    """The driver that Triton queries while it compiles."""

    def __init__(self, target: Target) -> None:
        self._target = target
        most = find_target(int(target.arch)).max_block_bytes
        self._properties = {"max_shared_mem": most, "multiprocessor_count": MULTIPROCESSORS, "warpSize": 32}
        self.utils = SimpleNamespace(get_device_properties=self._get_properties, load_binary=_load)
        self.launcher_cls = _launcher

    def _get_properties(self, _: int) -> dict[str, int]:
        return self._properties

    def get_current_target(self) -> Target:
        """The requested target."""
        return self._target

    def get_current_device(self) -> int:
        """The only device."""
        return 0

    def set_current_device(self, _: int) -> None:
        """Do nothing: there is only one device."""

    def get_current_stream(self, _: Any = None) -> int:
        """The default stream's number."""
        return 0

    def get_active_torch_device(self) -> Any:
        """The device for a script's tensors."""
        return importlib.import_module("torch").device("meta")

    def get_device_interface(self) -> Any:
        """An interface whose waits for the GPU return at once."""
        return SimpleNamespace(synchronize=_once, current_device=lambda: 0)

    def get_benchmarker(self) -> Callable[..., Any]:
        """The autotuner's benchmark: each configuration is compiled, all take equally long."""
        return _once

    def get_empty_cache_for_benchmark(self) -> Any:
        """An empty cache."""
        return None


def _load(*_: Any) -> tuple[None, None, int, int, int]:
    """A kernel's machine code that is loaded: module, function, registers, spills, and most threads in a block."""
    return None, None, 0, 0, MOST_THREADS


def _launcher(*_: Any) -> Callable[..., None]:
    """What launches a compiled kernel that a script has at hand: nothing is launched."""
    return lambda *_, **__: None


def _once(call: Callable[[], Any] | None = None, *_: Any, quantiles: Sequence[float] | None = None, **__: Any) -> Any:
    """Stands for a benchmark: one call, one unit of time for each quantile."""
    if callable(call):
        call()
    return [1.0] * len(quantiles) if quantiles else 1.0


def survey(command: Sequence[str], target: str) -> Survey:
    """Run the script with its arguments and gather the kernels that it launches."""
    script = Path(command[0])
    if not script.is_file():
        raise InspectError(f"{script}: no such file")
    gpu = parse_target(target)
    if gpu.backend != "cuda":
        raise InspectError(f"--dry-run is for NVIDIA targets, not {target}")
    if importlib.import_module("triton").knobs.runtime.interpret:
        raise InspectError("TRITON_INTERPRET is set, so that kernels are interpreted and not compiled: unset it")
    found = Survey()
    argv, path = sys.argv, list(sys.path)
    sys.argv, sys.path = list(command), [str(script.resolve().parent), *path]
    try:
        with (
            _stand_in(gpu, found),
            stand_in_torch(int(gpu.arch), MULTIPROCESSORS),
            stand_in_inductor(found.miss) as found.inductors,
        ):
            _run(script)
    except SystemExit as error:
        if error.code:  # a non-zero status or a message: the script failed
            found.error = blame(error, script, str(script))
    except Exception as error:  # the script's own error; the kernels compiled before it are still shown
        found.error = blame(error, script, str(script))
    finally:
        sys.argv, sys.path = argv, path
    return found


def _run(script: Path) -> None:
    """Run a script without its assertions, like `python -O`: the tensors that they check have no values."""
    code = compile(script.read_bytes(), str(script), "exec", optimize=1, dont_inherit=True)
    module = types.ModuleType("__main__")
    module.__file__ = str(script)
    main, sys.modules["__main__"] = sys.modules["__main__"], module
    try:
        exec(code, vars(module))
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _stand_in(target: Target, found: Survey) -> Generator[None, None, None]:
    """Triton with the stand-in driver, whose launches compile and end there."""
    triton, runtime, testing = map(importlib.import_module, ("triton", "triton.runtime", "triton.testing"))
    jit = importlib.import_module("triton.runtime.jit").JITFunction
    run, compile_, driver = jit.run, triton.compile, runtime.driver._active

    def compile_only(self: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs["warmup"] = True
        return found.add(self, lambda: run(self, *args, **kwargs))

    def compile_both(source: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(source, "fn"):  # a file
            return compile_(source, *args, **kwargs)
        compiled = found.add(source.fn, lambda: compile_(source, *args, **kwargs))
        if compiled is None:
            raise RuntimeError(f"{source.fn.__name__} does not compile")
        return compiled

    with contextlib.ExitStack() as undo:
        undo.callback(setattr, runtime.driver, "_active", driver)
        runtime.driver.set_active(StandInDriver(target))
        replace(undo, jit, "run", compile_only)
        replace(undo, triton, "compile", compile_both)
        for name in ("do_bench", "do_bench_cudagraph"):
            replace(undo, testing, name, _once)
        undo.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), "")


HEADER = ("kernel", "at", "registers", "stack", "shared", "blocks", "wavefronts", "dotload")


def table(found: Survey) -> str:
    """One line per kernel; two numbers are stock's and dotload's, if they differ."""
    body = [_row(kernel) for kernel in found.kernels]
    widths = [max(len(row[column]) for row in (HEADER, *body)) for column in range(len(HEADER))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (HEADER, *body)]
    if not found.kernels:
        lines = ["The script launched no kernel."]
    lines += [
        f"\ntorch.compile needs a GPU for a graph, whose kernels are not here: {why}"
        for why in dict.fromkeys(found.missed)
    ]
    if found.error:
        lines += ["", f"The script ended early: {found.error}"]
    return "\n".join(lines) + "\n"


def _row(kernel: Surveyed) -> tuple[str, ...]:
    if kernel.versions is None:
        return kernel.name, kernel.place, *["-"] * (len(HEADER) - 3), f"does not compile: {kernel.error}"
    stock, ours = kernel.versions
    assert stock.resources is not None
    assert ours.resources is not None
    numbers = (
        (stock.resources.registers, ours.resources.registers),
        (stock.resources.stack_bytes, ours.resources.stack_bytes),
        (stock.resources.shared_bytes, ours.resources.shared_bytes),
        (stock.blocks, ours.blocks),
        (stock.wavefronts, ours.wavefronts),
    )
    return kernel.name, kernel.place, *(_change(*pair_) for pair_ in numbers), ", ".join(_verdict(ours)) or "as stock"


def _change(stock: int | None, ours: int | None) -> str:
    if stock is None or ours is None:
        return "-"
    return str(stock) if stock == ours else f"{stock} -> {ours}"


def _verdict(ours: Version) -> Iterator[str]:
    """A summary of the remarks: how many operands were staged, and why others were not."""
    passes = [remark.pass_name for remark in ours.remarks if remark.kind == "passed"]
    staged = sum(name.startswith("stage-") for name in passes)
    if passes:
        yield f"{staged} staged" if staged else "rewritten"
    reasons = Counter(remark.reason for remark in ours.remarks if remark.kind in ("missed", "failure"))
    yield from (f"{reason} x {count}" if count > 1 else reason for reason, count in reasons.items())
