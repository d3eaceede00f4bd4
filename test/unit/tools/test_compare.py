"""`python -m dotload --compare`: which launches are compared, how memory is, and the table."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("triton")

from dotload.plugin import hook
from dotload.tools import compare
from dotload.tools.compare import Compared, Comparison, Memory


def scale(x, n, BLOCK=16):
    """Stands for a kernel's source."""


KERNEL = SimpleNamespace(
    __name__="scale",
    fn=scale,
    raw_src=inspect.getsource(scale).splitlines(),
    starting_line_number=scale.__code__.co_firstlineno,
)
PLACE = ("scale", f"test_compare.py:{scale.__code__.co_firstlineno}")


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What `Comparison.launch` asks torch."""
    stand_in = SimpleNamespace(cuda=SimpleNamespace(is_current_stream_capturing=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    return stand_in


class Compiled:
    """A compiled kernel that notes its launches."""

    def __init__(self, hash_: str, passes: tuple[str, ...], launches: list[tuple[Any, ...]]) -> None:
        self.hash = hash_
        self.metadata = SimpleNamespace(dotload_passes=passes)
        self.launches = launches

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return lambda *values: self.launches.append((self.hash, grid, values))


class Triton:
    """Stands for `JITFunction.run`: compiles `ours` while dotload is on; launches unless it is a warm-up."""

    def __init__(self, passes: tuple[str, ...] = ("stage-dot-operands",)) -> None:
        self.launches: list[tuple[Any, ...]] = []
        self.versions = {True: Compiled("ours", passes, self.launches), False: Compiled("stock", (), self.launches)}

    def run(self, kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        compiled = self.versions[hook.active() is not None]
        if not warmup:
            self.launches.append((compiled.hash, "by Triton"))
        return compiled


def launch_all(torch: Any, values: Any, stock: Any, ours: Any) -> Compared:
    ours()
    stock()
    return Compared(0.0, speed=2.0)


def compared_launches(triton: Triton, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> Comparison:
    import dotload

    monkeypatch.setattr(compare, "compare", launch_all)
    found = Comparison()
    with dotload.enabled():
        for _ in range(times):
            found.launch(triton.run, KERNEL, "x", 5, grid=lambda meta: (meta["BLOCK"],), warmup=False, num_warps=4)
    return found


def test_both_versions_are_launched_with_all_arguments_in_order(torch, monkeypatch):
    triton = Triton()
    found = compared_launches(triton, monkeypatch)
    assert triton.launches == [("ours", (16, 1, 1), ("x", 5, 16)), ("stock", (16, 1, 1), ("x", 5, 16))]
    assert found.compared == {PLACE: [Compared(0.0, speed=2.0)]}


def test_a_kernel_is_compared_once(torch, monkeypatch):
    triton = Triton()
    found = compared_launches(triton, monkeypatch, times=2)
    assert triton.launches[2:] == [("ours", "by Triton")]
    assert len(found.compared[PLACE]) == 1


def test_a_kernel_that_dotload_leaves_is_only_launched(torch, monkeypatch):
    triton = Triton(passes=())
    found = compared_launches(triton, monkeypatch)
    assert triton.launches == [("ours", "by Triton")]
    assert found.unchanged == {PLACE}
    assert found.table() == "dotload changes 0 of the 1 kernels that were launched."


def test_a_kernel_that_stock_does_not_compile_is_launched(torch, monkeypatch):
    class OnlyOurs(Triton):
        def run(self, *args: Any, **kwargs: Any) -> Any:
            if hook.active() is None:
                raise RuntimeError("PassManager::run failed")
            return super().run(*args, **kwargs)

    triton = OnlyOurs()
    found = compared_launches(triton, monkeypatch)
    assert triton.launches == [("ours", "by Triton")]
    assert found.compared == {PLACE: [Compared(note="stock's fails: PassManager::run failed")]}


def test_nothing_is_compared_while_a_graph_is_captured(torch, monkeypatch):
    torch.cuda.is_current_stream_capturing = lambda: True
    triton = Triton()
    assert not compared_launches(triton, monkeypatch).compared
    assert triton.launches == [("ours", "by Triton")]


def test_the_table_has_the_worst_result_and_the_range_of_times():
    variants = [Compared(0.0, speed=1.25), Compared(2e-3, of_stock=1e-3, speed=3.5)]
    refused = [compare.NO_ROOM]
    found = Comparison({("matmul", "gemm.py:7"): variants, ("add", "add.py:3"): refused}, {("copy", "copy.py:1")})
    assert found.table().splitlines() == [
        "kernel  at         results                                stock's time by dotload's",
        "add     add.py:3   not compared: no memory for copies",
        "matmul  gemm.py:7  differ by 2e-03, stock's own by 1e-03  1.25 to 3.50 (2 variants)",
        "dotload changes 2 of the 3 kernels that were launched.",
    ]


@pytest.mark.parametrize(("options", "message"), [(["--compare", "absent.py"], "absent.py: no such file")])
def test_errors_are_for_people(options: list[str], message: str, tmp_path: Path):
    command = [sys.executable, "-m", "dotload", *options]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (2, f"dotload: error: {message}\n")


def test_memory_behind_views_tuples_and_descriptors():
    torch: Any = pytest.importorskip("torch")
    whole, pair, base = torch.arange(8.0), torch.zeros(4, dtype=torch.int32), torch.ones(3)
    memory = Memory(torch, [whole[2:4], (1, pair), SimpleNamespace(base=base), 7, None])
    before = memory.contents()
    for tensor in (whole, pair, base):
        tensor.fill_(5)
    memory.restore(before)
    assert whole.tolist() == list(range(8))
    assert (pair.tolist(), base.tolist()) == ([0] * 4, [1] * 3)


def test_differences_are_relative_to_the_largest_element():
    torch: Any = pytest.importorskip("torch")
    x = torch.tensor([1.0, -4.0])
    memory = Memory(torch, [x])
    stock = memory.contents()
    assert memory.difference(stock, memory.contents()) == 0
    x[0] = 1.5
    assert memory.difference(stock, memory.contents()) == 0.125
    x[0] = float("nan")
    assert memory.difference(stock, memory.contents()) == float("inf")


def test_equal_numbers_of_other_bits_differ():
    torch: Any = pytest.importorskip("torch")
    x = torch.tensor([0.0, 2.0])
    memory = Memory(torch, [x])
    stock = memory.contents()
    x[0] = -0.0
    assert 0 < memory.difference(stock, memory.contents()) < 1e-300


@pytest.fixture
def untimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No GPU: no times."""
    monkeypatch.setattr(compare, "ratio_of_times", lambda *_: 2.0)


def test_each_version_starts_from_the_same_memory_and_ours_stays(untimed):
    torch: Any = pytest.importorskip("torch")
    x = torch.tensor([1.0, 8.0])
    found = compare.compare(torch, [x], lambda: x.mul_(2), lambda: x.mul_(2).add_(0.5))
    assert found == Compared(0.5 / 16, 0.0, 2.0)
    assert x.tolist() == [2.5, 16.5]


def test_stock_that_does_not_run_stops_nothing(untimed):
    torch: Any = pytest.importorskip("torch")
    x = torch.zeros(2)

    def stock() -> None:
        raise RuntimeError("out of resource: shared memory, Required: 331776,\nHardware limit: 232448. Reducing ...")

    assert compare.compare(torch, [x], stock, lambda: x.add_(1)).note == "stock's fails: out of resource: shared memory"
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("step", ["contents", "difference"])
def test_copies_without_room_are_not_stocks_fault(step: str, untimed, monkeypatch: pytest.MonkeyPatch):
    torch: Any = pytest.importorskip("torch")
    x = torch.zeros(2)

    def fail(*_: Any) -> None:
        raise torch.OutOfMemoryError("tried to allocate 2 GiB")

    monkeypatch.setattr(Memory, step, fail)
    assert compare.compare(torch, [x], lambda: x.add_(2), lambda: x.add_(1)).note == compare.NO_ROOM.note
    assert x.tolist() == [1, 1]


def test_an_error_of_ours_is_the_programs(untimed):
    torch: Any = pytest.importorskip("torch")

    def ours() -> None:
        raise RuntimeError("out of resource")

    with pytest.raises(RuntimeError, match="out of resource"):
        compare.compare(torch, [torch.zeros(2)], lambda: None, ours)
