"""torch.compile with a stand-in for torch: its workers compile with dotload, and its caches keep the kernels apart.

test/gpu/test_torch_compile.py does it with torch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dotload.plugin.after_import import AfterImport

TORCH = {
    "torch/__init__.py": "",
    "torch/utils/__init__.py": "",
    "torch/utils/_triton.py": "def triton_hash_with_backend(): return 'hash'",
    "torch/_inductor/__init__.py": "",
    "torch/_inductor/config.py": """
import contextlib, sys
compile_threads, worker_start_method = 8, "subprocess"
class aot_inductor: metadata = {"theirs": "x"}

@contextlib.contextmanager
def patch(changes):
    global compile_threads
    before = compile_threads, aot_inductor.metadata
    compile_threads = changes.get("compile_threads", compile_threads)
    aot_inductor.metadata = changes.get("aot_inductor.metadata", aot_inductor.metadata)
    yield
    compile_threads, aot_inductor.metadata = before
""",
    "torch/_inductor/compile_tasks.py": "def _worker_compile_triton(load, environment): return load(), 7",
    "torch/_inductor/async_compile.py": """
import torch._inductor.config
from torch._inductor.compile_tasks import _worker_compile_triton

class AsyncCompile:
    uses_threads = False

    @classmethod
    def should_use_thread_workers(cls): return cls.uses_threads
""",
}

KERNEL = """
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def product(a_ptr, b_ptr, c_ptr, n):
    at = tl.arange(0, 128)
    a, b = a_ptr + at[:, None] * n + at[None, :], b_ptr + at[:, None] * n + at[None, :]
    total = tl.zeros((128, 128), tl.float32)
    for _ in range(n):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a, b = a + 128, b + 128 * n
    tl.store(c_ptr + at[:, None] * n + at[None, :], total)

def load():
    types = {"a_ptr": "*fp8e4nv", "b_ptr": "*fp8e4nv", "c_ptr": "*fp32", "n": "i32"}
    aligned = {(at,): [["tt.divisibility", 16]] for at in range(4)}
    kernel = triton.compile(ASTSource(product, types, attrs=aligned), target=GPUTarget("cuda", 90, 32))
    return "staged" if "ldmatrix" in kernel.asm["ptx"] else "stock"
"""

LIBRARY = """
import pickle, subprocess, sys, warnings
from functools import partial
import dotload, kernel

def look():
    from torch._inductor import config
    from torch.utils import _triton
    key = config.aot_inductor.metadata.pop("dotload", "") if "dotload" in config.aot_inductor.metadata else ""
    config.aot_inductor.metadata |= {"dotload": key} if key else {}
    assert _triton.triton_hash_with_backend() == "hash" + key
    return config.compile_threads, "a key" if key else "no key"

def submit():
    from torch._inductor import async_compile
    job = pickle.dumps(partial(async_compile._worker_compile_triton, kernel.load, {}))
    program = "import pickle, sys; job = pickle.load(sys.stdin.buffer); pickle.dump(job(), sys.stdout.buffer)"
    worker = subprocess.run([sys.executable, "-c", program], input=job, capture_output=True, check=True)
    assert not worker.stderr, worker.stderr.decode()
    return pickle.loads(worker.stdout)
"""


@pytest.fixture
def run(tmp_path: Path):
    """Run a program with the stand-in; returns the lines that it prints."""
    for name, text in (TORCH | {"kernel.py": KERNEL, "library.py": LIBRARY}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def run(program: str, **environment: str) -> list[str]:
        (tmp_path / "program.py").write_text("from library import *\n" + program)
        roots = [str(tmp_path), *map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
        paths = {"PYTHONPATH": os.pathsep.join(roots), "TRITON_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "program.py"]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | paths | environment, check=False
        )
        assert done.returncode == 0, done.stderr
        return (done.stdout + done.stderr).splitlines()

    return run


@pytest.mark.parametrize(
    "imported", ["", "import torch\n", "import torch._inductor.async_compile, torch.utils._triton\n"]
)
def test_inductors_caches_keep_the_kernels_apart(run, imported: str) -> None:
    program = """
dotload.enable()
print(*look())
with dotload.disabled():
    print(*look())
print(*look())
dotload.disable()
print(*look())
"""
    assert run(imported + program) == ["8 a key", "8 no key", "8 a key", "8 no key"]


def test_other_passes_have_other_keys(run) -> None:
    program = """
from torch._inductor import config
for passes in (None, "stage-dot-operands", "stage-dot-operands{k-within-columns=true}"):
    with dotload.enabled(passes):
        print(config.aot_inductor.metadata["dotload"])
"""
    assert len(set(run(program))) == 3


def test_workers_compile_with_the_passes_of_their_job(run) -> None:
    program = """
from torch._inductor import async_compile
print(*submit())
with dotload.enabled():
    print(*submit())
with dotload.enabled("widen-wgmma"):
    print(*submit())
print(*submit())
"""
    assert run(program) == ["stock 7", "staged 7", "stock 7", "stock 7"]


def test_remarks_come_back_from_workers_once(run) -> None:
    program = """
dotload.enable()
for _ in range(2):
    submit()
remarks = dotload.report()
print(len(remarks), *(remark.pass_name for remark in remarks if remark.kind == "passed"))
kernel.load()
assert dotload.report() == remarks
"""
    *printed, found = sorted(run(program, DOTLOAD_REMARKS="1"), key=lambda line: ": remark: " not in line)
    count, *passes = found.split()
    assert passes[0] == "stage-dot-operands"
    assert passes[-1] == "convert-staged-operands-to-llvm"
    assert len(passes) == len({*passes})
    assert len(printed) == int(count)


def test_a_failure_in_a_worker_is_warned_of(run) -> None:
    program = """
import pickle
from dotload.plugin.inductor import Result
remark = dict(kind="failure", pass_name="a-pass", location="here", message="it failed", reason="FAILED")
print(pickle.loads(pickle.dumps(Result("value", {"hash": [remark]}))))
"""
    lines = run(program)
    assert lines[0] == "value"
    assert "DotloadWarning: dotload: a-pass: it failed" in lines[1]


def test_with_passes_of_the_users_inductor_compiles_here(run) -> None:
    program = """
from xdsl.passes import ModulePass
@dotload.register_pass(place=dotload.Place("ttgir"))
class Mine(ModulePass):
    name = "mine"
from torch._inductor import async_compile
theirs = async_compile._worker_compile_triton
with dotload.enabled():
    print(*look(), async_compile._worker_compile_triton is theirs)
with dotload.enabled("stage-dot-operands"):
    print(*look(), async_compile._worker_compile_triton is theirs)
"""
    assert run(program) == ["1 a key True", "8 a key False"]


@pytest.mark.parametrize(
    "other",
    [
        "torch._inductor.config.worker_start_method = 'fork'",
        "torch._inductor.async_compile.AsyncCompile.uses_threads = True",
        "del torch._inductor.async_compile._worker_compile_triton",
    ],
)
def test_with_other_workers_inductor_compiles_here(run, other: str) -> None:
    program = f"""
import torch._inductor.async_compile
{other}
with dotload.enabled():
    print(*look())
print(*look())
"""
    assert run(program) == ["1 a key", "8 no key"]


def test_a_module_is_awaited_until_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("awaited", "late"):
        (tmp_path / f"{name}.py").write_text("here = True")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[str] = []

    def act(module) -> object:
        seen.append(f"{module.__name__} {module.here}")
        return lambda: seen.append(f"{module.__name__} undone")

    waiting = AfterImport(dict.fromkeys(("awaited", "late", "absent"), act))
    import awaited

    assert seen == ["awaited True"]
    assert type(awaited.__loader__).__name__ == type(awaited.__spec__.loader).__name__ == "SourceFileLoader"
    with pytest.raises(ModuleNotFoundError):
        import absent  # noqa: F401
    waiting.undo()
    import late  # noqa: F401

    assert seen == ["awaited True", "awaited undone"]
    assert waiting not in sys.meta_path
