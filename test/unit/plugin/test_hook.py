"""Enabling and disabling leave no trace: neither the disk cache nor the process returns a kernel of the other state."""

from __future__ import annotations

import ast
import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import triton
from triton import knobs
from triton.compiler import compiler
from triton.runtime import _async_compile, driver, jit
from xdsl.passes import ModulePass

import dotload
from dotload.passes import registry
from dotload.passes.registry import RegistryError
from dotload.plugin import fingerprint as fingerprint_module
from dotload.plugin import hook, selection
from dotload.plugin.fingerprint import fingerprint
from dotload.plugin.report import DotloadWarning


def changed(kernel) -> bool:
    return "volatile" in kernel.asm["ptx"]


def trace() -> list:
    return [
        knobs.runtime.add_stages_inspection_hook,
        compiler.get_cache_key,
        jit.compute_cache_key,
        jit.JITFunction.run,
        _async_compile.AsyncCompileMode.submit,
        dict(os.environ),
        dict(vars(multiprocessing.current_process())["_config"]),
    ]


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, kernels):
    """A driver that reports an H100 and launches nothing: `kernel.warmup` uses the cache as a launch does."""
    fake = SimpleNamespace(
        get_current_target=lambda: kernels.HOPPER,
        get_current_device=lambda: 0,
        get_current_stream=lambda device: 0,
        get_active_torch_device=lambda: "cuda",
    )
    monkeypatch.setattr(driver, "_active", fake, raising=False)
    monkeypatch.setattr(driver, "_default", fake, raising=False)
    assert driver.active is fake


@pytest.fixture
def warm(kernels, gpu):
    """Compile `copy` as a launch would, through the JIT's cache."""
    kernel = triton.JITFunction(kernels.copy.fn)

    class Pointer:
        dtype = "fp32"

        @staticmethod
        def data_ptr() -> int:
            return 0

    return lambda: kernel.warmup(Pointer, Pointer, SIZE=256, grid=(1,))


def test_importing_dotload_imports_neither_triton_nor_xdsl() -> None:
    code = "import sys, dotload; dotload.report, dotload.Place; print(*{'triton', 'xdsl', 'numpy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


def test_a_process_without_candidates_never_loads_xdsl(kernels) -> None:
    code = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("kernels", {kernels.__file__!r})
source = open({kernels.__file__!r}).read().split("def op_name")[0]
source = "\\n".join(line for line in source.splitlines() if "xdsl" not in line)
import linecache, types
module = types.ModuleType("kernels")
sys.modules["kernels"] = module
linecache.cache["kernels.py"] = (len(source), None, source.splitlines(True), "kernels.py")
exec(compile(source, "kernels.py", "exec"), vars(module))
import dotload
from triton.compiler import ASTSource
import triton
dotload.enable()
names = {{"x_ptr": "*fp32", "y_ptr": "*fp32", "SIZE": "constexpr"}}
triton.compile(ASTSource(module.copy, names, {{(2,): 256}}), target=module.HOPPER)
assert not [name for name in sys.modules if name.startswith("xdsl")]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_enable_and_disable_leave_no_trace(kernels, register) -> None:
    register(kernels.Volatile)
    before = trace()
    dotload.enable()
    assert trace() != before
    dotload.enable("toy-volatile")
    with dotload.enabled(), dotload.enabled():
        kernels.compile_copy()
    dotload.disable()
    assert trace() == before
    dotload.disable()
    assert trace() == before
    with pytest.raises(ZeroDivisionError), dotload.enabled():
        raise ZeroDivisionError
    assert trace() == before


def test_on_and_off_on_disk(kernels, register) -> None:
    register(kernels.Volatile)
    seen = []
    for _ in range(2):
        seen.append(kernels.compile_copy())
        with dotload.enabled():
            seen.append(kernels.compile_copy())
        dotload.enable()
        seen.append(kernels.compile_copy())
        dotload.disable()
    assert [changed(kernel) for kernel in seen] == [False, True, True] * 2
    assert len({kernel.hash for kernel in seen}) == 2


def test_on_and_off_in_the_process(kernels, register, warm) -> None:
    register(kernels.Volatile)
    seen = []
    for _ in range(2):
        seen.append(warm())
        with dotload.enabled():
            seen.append(warm())
        dotload.enable()
        seen.append(warm())
        dotload.disable()
    assert [changed(kernel) for kernel in seen] == [False, True, True] * 2
    assert seen[1] is seen[2] is seen[4] is seen[5], "a launch finds the kernel that was compiled before"
    assert seen[0] is seen[3]


def test_options_and_passes_are_part_of_the_key(kernels, register, warm) -> None:
    register(kernels.Volatile)
    register(kernels.Idle)
    hashes = {warm().hash}
    for passes in (None, "toy-volatile", "toy-volatile{all=false}", "toy-idle", "toy-idle,toy-volatile"):
        with dotload.enabled(passes):
            hashes.add(warm().hash)
    assert len(hashes) == 6


def test_a_pass_registered_later_changes_the_key(kernels, register, warm) -> None:
    register(kernels.Idle)
    with dotload.enabled():
        before = warm()
        register(kernels.Volatile)
        after = warm()
    assert (changed(before), changed(after)) == (False, True)


@pytest.mark.parametrize("passes", [None, "toy-volatile"])
def test_a_launch_computes_no_key_anew(kernels, register, monkeypatch, passes) -> None:
    register(kernels.Volatile)
    with dotload.enabled(passes):
        first = knobs.runtime.add_stages_inspection_hook()
        for module, function in ((selection, "default_passes"), (selection, "fingerprint"), (selection, "is_fixed")):
            monkeypatch.setattr(module, function, None)
        assert knobs.runtime.add_stages_inspection_hook() == first


def test_a_pass_that_is_typed_in_anew_changes_the_key(register) -> None:
    keys = set()
    for volatile in (True, False, True):
        typed = {"__name__": "typed in", "ModulePass": ModulePass, "VOLATILE": volatile}
        text = "class Typed(ModulePass):\n    name = 'typed'\n    def apply(self, ctx, op): print(VOLATILE)"
        exec(compile(text, "<stdin>", "exec"), typed)
        register(typed["Typed"])
        with dotload.enabled("typed"):
            keys.add(knobs.runtime.add_stages_inspection_hook())
            typed["VOLATILE"] = "changed"
            keys.add(knobs.runtime.add_stages_inspection_hook())
        registry.remove("typed")
    assert len(keys) == 3


def test_the_key_changes_with_version_and_sources(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)
    passes = hook.Selection(None).passes()
    keys = {fingerprint(passes)}
    monkeypatch.setattr(dotload, "__version__", "9.9")
    fingerprint_module._key.cache_clear()
    keys.add(fingerprint(passes))
    monkeypatch.setattr(fingerprint_module, "_own_sources", lambda: "edited")
    fingerprint_module._key.cache_clear()
    keys.add(fingerprint(passes))
    monkeypatch.setattr(fingerprint_module, "_user_source", lambda spliced: "edited")
    fingerprint_module._key.cache_clear()
    keys.add(fingerprint(passes))
    fingerprint_module._key.cache_clear()
    assert len(keys) == 4


def test_the_sources_of_all_rooms_count() -> None:
    digest = fingerprint_module._own_sources()
    assert len(digest) == 64
    fingerprint_module._own_sources.cache_clear()
    assert fingerprint_module._own_sources() == digest


def test_a_hook_of_someone_else_goes_on_working(kernels, register, warm, monkeypatch) -> None:
    register(kernels.Volatile)
    calls = []

    def theirs(*args):
        if not args:
            return "their key", "their hash"
        calls.append(args)
        stages = args[1]
        stages["ptx"] = lambda source, metadata, run=stages["ptx"]: run(source, metadata) + "// theirs\n"
        return None

    knobs.runtime.add_stages_inspection_hook = theirs
    try:
        alone = warm()
        with dotload.enabled():
            both = warm()
        again = warm()
        assert knobs.runtime.add_stages_inspection_hook is theirs
    finally:
        knobs.runtime.add_stages_inspection_hook = None
    assert [changed(kernel) for kernel in (alone, both, again)] == [False, True, False]
    assert all(kernel.asm["ptx"].endswith("// theirs\n") for kernel in (alone, both, again))
    assert again is alone
    assert len(calls) == 2
    assert [len(args) for args in calls] == [5, 5]


def test_a_hook_put_on_top_outlives_dotload(kernels, register) -> None:
    register(kernels.Volatile)
    dotload.enable()
    ours = knobs.runtime.add_stages_inspection_hook
    on_top = lambda *args: ours(*args)  # noqa: E731
    knobs.runtime.add_stages_inspection_hook = on_top
    try:
        assert changed(kernels.compile_copy())
        dotload.disable()
        assert knobs.runtime.add_stages_inspection_hook is on_top
        assert not changed(kernels.compile_copy(size=512))
        with dotload.enabled():
            assert changed(kernels.compile_copy(size=1024))
        assert knobs.runtime.add_stages_inspection_hook is on_top
    finally:
        knobs.runtime.add_stages_inspection_hook = None


def test_a_hook_that_replaced_the_stage_keeps_it(kernels, register) -> None:
    register(kernels.Volatile)
    dotload.enable()
    ours = knobs.runtime.add_stages_inspection_hook

    def on_top(*args):
        if not args:
            return ours()
        args[1]["ttgir"] = lambda source, metadata, run=args[1]["ttgir"]: run(source, metadata)
        return ours(*args)

    knobs.runtime.add_stages_inspection_hook = on_top
    try:
        kernel = kernels.compile_copy()
    finally:
        knobs.runtime.add_stages_inspection_hook = ours
    assert not changed(kernel)
    assert "another hook has replaced the stage" in dotload.report()[0].message


@pytest.fixture
def one_parse_at_a_time(monkeypatch):
    """CPython 3.11 miscounts when threads build syntax trees at the same time (python/cpython#106905)."""
    lock, parse = threading.Lock(), ast.parse

    def locked(*args, **kwargs):
        with lock:
            return parse(*args, **kwargs)

    monkeypatch.setattr(ast, "parse", locked)


def test_threads_do_not_disturb_each_other(kernels, register, one_parse_at_a_time) -> None:
    register(kernels.Volatile)
    gate = threading.Barrier(4)

    def compile_(number: int) -> list[bool]:
        gate.wait()
        seen = []
        for size in (64, 128, 256, 512):
            if number % 2:
                with dotload.enabled():
                    seen.append(changed(kernels.compile_copy(size=size)))
            else:
                seen.append(changed(kernels.compile_copy(size=size)))
        return seen

    before = trace()
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(compile_, range(4)))
    assert seen == [[bool(number % 2)] * 4 for number in range(4)]
    assert trace() == before


def test_threads_with_dotload_on_for_the_process(kernels, register, one_parse_at_a_time) -> None:
    register(kernels.Volatile)
    dotload.enable()
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(lambda bm: kernels.compile_gemm(BM=bm).asm["ttgir"], (16, 32, 64, 128)))
    with knobs.compilation.scope():  # this restores the environment, which `del` of the knob does not do
        knobs.compilation.always_compile = True
        alone = [kernels.compile_gemm(BM=bm).asm["ttgir"] for bm in (16, 32, 64, 128)]
    assert threaded == alone
    assert all("isVolatile = true" in text for text in alone)


def test_no_passes_are_off(kernels, register) -> None:
    register(kernels.Volatile)
    dotload.enable([])
    assert hook.active() is None
    with dotload.enabled(), dotload.enabled([]):
        assert hook.active() is None


def test_disabled_compiles_as_stock_in_a_process_that_enables(kernels, register, warm) -> None:
    register(kernels.Volatile)
    dotload.enable()
    try:
        with ThreadPoolExecutor(2) as pool, _async_compile.AsyncCompileMode(pool), dotload.disabled():
            late = warm()
        assert not changed(late.result())
        with dotload.disabled():
            assert not changed(warm())
            with dotload.enabled():
                assert changed(warm())
        assert changed(warm())
    finally:
        dotload.disable()


def test_asynchronous_compilation_sees_the_block_it_was_asked_in(kernels, register, warm, one_parse_at_a_time) -> None:
    register(kernels.Volatile)
    with ThreadPoolExecutor(2) as pool, _async_compile.AsyncCompileMode(pool):
        with dotload.enabled():
            ours = warm()
        stock = warm()
    assert (changed(ours.result()), changed(stock.result())) == (True, False)
    with dotload.enabled():
        assert changed(warm())
    assert not changed(warm())


@pytest.mark.parametrize("version", ["4.0.0", "of our own"])
def test_an_unknown_version_compiles_as_stock(kernels, register, monkeypatch, version: str) -> None:
    register(kernels.Volatile)
    monkeypatch.setattr(triton, "__version__", version)
    with pytest.warns(DotloadWarning, match=rf"Triton {version} is not tested: stock Triton compiles.*3\.6 to 3\.9"):
        dotload.enable()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        dotload.enable()
        with dotload.enabled():
            kernel = kernels.compile_copy()
    assert not changed(kernel)
    dotload.disable()


def test_a_newer_version_compiles_with_dotload_if_the_user_says_so(kernels, register, monkeypatch) -> None:
    register(kernels.Volatile)
    monkeypatch.setattr(triton, "__version__", "4.0.0")
    monkeypatch.setenv("DOTLOAD_UNTESTED_TRITON", "1")
    with pytest.warns(DotloadWarning, match=r"Triton 4.0.0 is not tested: dotload applies the rules of 3\.9"):
        dotload.enable()
    with dotload.enabled():
        assert changed(kernels.compile_copy())
    dotload.disable()


@pytest.mark.parametrize(
    ("passes", "complaint"),
    [
        ("toy-volatlie", "unknown pass 'toy-volatlie'; did you mean toy-volatile?"),
        ("toy-volatile{al=1}", "'toy-volatile' has no option 'al'; did you mean all?"),
        ("toy-volatile{all=7}", "'toy-volatile': option all=7: expected true or false"),
        ("toy-volatile{", "pass 'toy-volatile{': malformed options: expected argument name"),
        ("toy-volatile{all=true", "malformed options"),
        ("toy-driver", "no place in Triton's pipeline"),
    ],
)
def test_bad_selections_are_told_at_once(kernels, register, passes: str, complaint: str) -> None:
    register(kernels.Volatile)
    register(type("Driver", (kernels.Idle,), {"name": "toy-driver"}), place=None)
    with pytest.raises(RegistryError, match=complaint.replace("?", r"\?")):
        dotload.enable(passes)
    assert knobs.runtime.add_stages_inspection_hook is None


def test_a_cache_folder_that_cannot_be_written(kernels, register, tmp_path, monkeypatch) -> None:
    register(kernels.Volatile)
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(blocked))
    with pytest.raises(OSError, match="file") as stock:
        kernels.compile_copy()
    with dotload.enabled(), pytest.raises(type(stock.value), match="file"):
        kernels.compile_copy()


def test_the_process_runs_a_script_unedited(tmp_path, kernels) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, triton; print(sys.argv[1:], triton.knobs.runtime.add_stages_inspection_hook)")

    roots = [os.path.abspath(root) for root in os.environ.get("PYTHONPATH", "").split(os.pathsep) if root]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(roots)}  # the process runs in another folder

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dotload", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)

    done = run("script.py", "--steps", "3")
    assert done.returncode == 0
    assert done.stdout.startswith("['--steps', '3'] Hook(previous=None)")
    assert run("-m", "script", "x").stdout.startswith("['x'] Hook(previous=None)")
    assert run("--", "script.py", "--").stdout.startswith("['--'] Hook(previous=None)")
    assert run("absent.py").stderr == "dotload: error: absent.py: no such file\n"
    assert run(".").stderr == "dotload: error: .: a folder; for a package, -m\n"
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("import absent.theirs")
    for module, missing in (("absent", "absent"), ("absent.a", "absent.a"), ("xml", "xml.__main__"), ("..", "..")):
        assert run("-m", module).stderr == f"dotload: error: no module named {missing}\n"
    assert "No module named 'absent'" in run("-m", "package.part").stderr.splitlines()[-1]  # with its traceback
    assert "dotload: error: unknown pass 'nope'" in run("--passes", "nope", "script.py").stderr
    assert run().returncode == 2
