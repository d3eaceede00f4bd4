"""`python -m dotload --compare`: kernels that dotload changes are run by stock Triton as well, on the same memory.

The first launch of each such kernel is made three times from the same contents of memory: with dotload, by stock
Triton, and, if results differ, by stock Triton again, since some kernels add up in any order. All memory that arguments
point to is compared. Then both are timed in turn, each time from the same contents and with an empty L2 cache. The
program goes on with dotload's results.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import statistics
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

from dotload.tools.inspect.request import line_of
from dotload.tools.inspect.stand_in_torch import replace

ROUNDS = 10
"""Timed launches of each version."""
HEADER = ("kernel", "at", "results", "stock's time by dotload's")

Launch = Callable[[], object]
"""Launches one version of a kernel with the arguments of the program."""


@dataclass(frozen=True)
class Compared:
    """A kernel as compiled for one launch.

    `difference`: the largest of an element from stock's result, relative to the largest element; None if unknown, for
    the reason in `note`. `of_stock`: the same between two launches by stock. `speed`: stock's time by dotload's.
    """

    difference: float | None = None
    of_stock: float = 0.0
    speed: float | None = None
    note: str = ""


NO_ROOM = Compared(note="not compared: no memory for copies")
"""Of a launch whose memory cannot be copied: the program goes on."""


class Memory:
    """All memory that the arguments of a launch point to, through PyTorch's tensors."""

    def __init__(self, torch: Any, arguments: Sequence[Any]) -> None:
        tensors = {tensor.untyped_storage().data_ptr(): tensor for tensor in tensors_of(arguments)}
        self._torch = torch
        self._types = [tensor.dtype for tensor in tensors.values()]
        self._bytes = [
            torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())
            for tensor in tensors.values()
        ]

    def contents(self) -> list[Any]:
        """A copy."""
        return [each.clone() for each in self._bytes]

    def restore(self, contents: Sequence[Any]) -> None:
        """Write a copy back."""
        for each, old in zip(self._bytes, contents, strict=True):
            each.copy_(old)

    def difference(self, stock: Sequence[Any], ours: Sequence[Any]) -> float:
        """The largest relative difference of a tensor; 0 only if all bits are equal."""
        return max(map(self._of_tensor, self._types, stock, ours), default=0.0)

    def _of_tensor(self, dtype: Any, stock: Any, ours: Any) -> float:
        if self._torch.equal(stock, ours):
            return 0.0
        whole = stock.numel() // dtype.itemsize * dtype.itemsize
        left, right = (each[:whole].view(dtype).double() for each in (stock, ours))
        if not self._torch.equal(left.isfinite(), right.isfinite()):
            return float("inf")
        left, right = (each.nan_to_num(0.0, 0.0, 0.0) for each in (left, right))
        largest = left.abs().max().clamp(min=sys.float_info.min)
        return max(float((left - right).abs().max() / largest), sys.float_info.min)  # -0 is not 0


def tensors_of(values: Sequence[Any]) -> Iterator[Any]:
    """The tensors among arguments, in tuples and behind descriptors too."""
    for value in values:
        if isinstance(value, tuple | list):
            yield from tensors_of(cast("Sequence[Any]", value))
        elif hasattr(value, "untyped_storage"):
            yield value
        elif hasattr(value, "base"):
            yield from tensors_of([value.base])


@dataclass
class Comparison:
    """What was compared, by the kernel's name and place; `unchanged` are kernels that dotload leaves as they are."""

    compared: dict[tuple[str, str], list[Compared]] = field(default_factory=dict[tuple[str, str], list[Compared]])
    unchanged: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _known: set[str] = field(default_factory=set[str])

    def launch(self, run: Callable[..., Any], kernel: Any, *args: Any, warmup: bool, **kwargs: Any) -> Any:
        """In place of `JITFunction.run`."""
        plain = partial(run, kernel, *args, warmup=warmup, **kwargs)
        torch = importlib.import_module("torch")
        if warmup or torch.cuda.is_current_stream_capturing():
            return plain()
        ours = run(kernel, *args, warmup=True, **kwargs)
        if ours is None or ours.hash in self._known:
            return plain()
        self._known.add(ours.hash)
        key = (kernel.__name__, f"{Path(kernel.fn.__code__.co_filename).name}:{line_of(kernel)}")
        if not getattr(ours.metadata, "dotload_passes", ()):
            self.unchanged.add(key)
            return plain()
        import dotload

        found = self.compared.setdefault(key, [])
        try:
            with dotload.disabled():
                stock = run(kernel, *args, warmup=True, **kwargs)
        except Exception as error:  # stock Triton does not compile it
            found.append(without_stock(error))
            return plain()
        values, sizes = launched(kernel, args, kwargs)
        found.append(compare(torch, values, *(partial(launch, version, sizes, values) for version in (stock, ours))))
        return ours

    def table(self) -> str:
        """A line for each kernel that dotload changes."""
        rows = [HEADER, *(row_of(*key, found) for key, found in sorted(self.compared.items()))]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows] if self.compared else []
        changed, others = len(self.compared), len(self.unchanged - set(self.compared))
        return "\n".join([*lines, f"dotload changes {changed} of the {changed + others} kernels that were launched."])


def launched(kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], tuple[int, ...]]:
    """All arguments of a launch, in order, and its grid."""
    signature = inspect.signature(kernel.fn)
    bound = signature.bind(*args, **{name: kwargs[name] for name in signature.parameters if name in kwargs})
    bound.apply_defaults()
    grid: Any = kwargs["grid"]
    sizes = cast("Sequence[int]", grid(bound.arguments) if callable(grid) else grid)
    return list(bound.arguments.values()), (*sizes, 1, 1)[:3]


def launch(compiled: Any, sizes: tuple[int, ...], values: Sequence[Any]) -> None:
    """Launch a compiled kernel."""
    compiled[sizes](*values)


def compare(torch: Any, arguments: Sequence[Any], stock: Launch, ours: Launch) -> Compared:
    """Launch both versions, compare what they write, and time them; memory is left as `ours` leaves it."""
    memory = Memory(torch, arguments)
    try:
        before = memory.contents()
    except torch.OutOfMemoryError:
        ours()
        return NO_ROOM
    ours()
    try:
        result = memory.contents()
    except torch.OutOfMemoryError:
        return NO_ROOM
    try:
        return compared_with(torch, memory, before, result, stock, ours)
    except torch.OutOfMemoryError:
        return NO_ROOM
    except Exception as error:  # stock's kernel may need more than the GPU has
        return without_stock(error)
    finally:
        memory.restore(result)


def without_stock(error: Exception) -> Compared:
    """For a kernel of which only dotload's version compiles and runs; the note has the error up to a comma or point."""
    reason = re.split("[.,] ", " ".join(str(error).split()))[0]
    return Compared(note=f"stock's fails: {reason[:80]}")


def compared_with(
    torch: Any, memory: Memory, before: Sequence[Any], result: Sequence[Any], stock: Launch, ours: Launch
) -> Compared:
    """The comparison of `result`, which `ours` has made from the contents `before`, with stock's."""

    def of_stock() -> list[Any]:
        memory.restore(before)
        stock()
        return memory.contents()

    expected = of_stock()
    difference = memory.difference(expected, result)
    own = memory.difference(expected, of_stock()) if difference else 0.0
    return Compared(difference, own, ratio_of_times(torch, partial(memory.restore, before), stock, ours))


def ratio_of_times(torch: Any, restore: Callable[[], None], stock: Launch, ours: Launch) -> float:
    """Median time of stock's launches, by that of ours; they take turns."""
    active = importlib.import_module("triton.runtime").driver.active
    cache = active.get_empty_cache_for_benchmark()
    times: dict[Launch, list[float]] = {stock: [], ours: []}
    for _ in range(ROUNDS):
        for run, taken in times.items():
            restore()
            active.clear_cache(cache)
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            end.synchronize()
            taken.append(start.elapsed_time(end))
    return statistics.median(times[stock]) / statistics.median(times[ours])


def row_of(name: str, place: str, found: Sequence[Compared]) -> tuple[str, ...]:
    """A row of the table, for all variants of a kernel."""
    speeds = sorted(each.speed for each in found if each.speed is not None)
    speed = " to ".join(dict.fromkeys(f"{each:.2f}" for each in (speeds[:1] + speeds[-1:])))
    variants = f" ({len(found)} variants)" if len(found) > 1 else ""
    return name, place, "; ".join(results_of(found)), speed + variants


def results_of(found: Sequence[Compared]) -> Iterator[str]:
    """How the results of a kernel's variants compare with stock's."""
    worst = max(found, key=lambda each: each.difference or 0.0)
    if worst.difference:
        own = f", stock's own by {worst.of_stock:.0e}" if worst.of_stock else ""
        yield f"differ by {worst.difference:.0e}{own}"
    elif any(each.difference is not None for each in found):
        yield "equal"
    yield from dict.fromkeys(each.note for each in found if each.note)


@contextlib.contextmanager
def comparing() -> Generator[Comparison, None, None]:
    """Compare the kernels that are launched meanwhile, while dotload is on."""
    found = Comparison()
    jit = importlib.import_module("triton.runtime.jit").JITFunction
    run = jit.run

    def run_and_compare(self: Any, *args: Any, **kwargs: Any) -> Any:
        return found.launch(run, self, *args, **kwargs)

    with contextlib.ExitStack() as undo:
        replace(undo, jit, "run", run_and_compare)
        yield found
