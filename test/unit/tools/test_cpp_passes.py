"""The table of C++ passes agrees with the installed wheel: no bound pass is missing, and names and order are MLIR's.

`make check-compat` runs this with each supported version of Triton.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("triton")

# Everything that uses libtriton runs in a separate process: another test may have imported triton, and MLIR's objects
# do not survive the order in which Python destroys them.
INTROSPECT = """
import json, os, sys
from types import ModuleType
from dotload.tools.opt import cpp_passes, libtriton

def bound_passes(module, prefix=""):
    '''The path of every function that adds a pass to a pass manager.'''
    for name, value in sorted(vars(module).items()):
        if isinstance(value, ModuleType) and not name.startswith("_"):
            yield from bound_passes(value, f"{prefix}{name}.")
        elif name.startswith("add_") and "pass_manager" in (value.__doc__ or ""):
            yield f"{prefix}{name}"

PROBE = {"int": 1001, "bool": True}
# Two bindings share a flag: one fixes the option that the other takes.
library = libtriton.load()
context = library.new_context()

def pipeline(path, values):
    manager = library.module.ir.pass_manager(context)
    library.function(path)(manager, *values)
    return manager.get_pipeline_str()

def values_of(binding, position=None):
    '''Defaults, but a telling value at `position`.'''
    values = []
    for index, ((name, default), kind) in enumerate(zip(binding.options, library.parameters(binding.path))):
        value = library._convert(default, kind)
        if index == position:
            value = (not value) if isinstance(value, bool) else 1001 if isinstance(value, int) else "telling"
        values.append(value)
    return values

bound, rows = {}, {}
for row in cpp_passes.table().values():
    for binding in row.bindings:
        rows.setdefault(binding.path, []).append((row, binding))
for path in bound_passes(library.module):
    fitting = [(r, b) for r, b in rows.get(path, []) if library._fits(b)]
    if not fitting:
        bound[path] = None
        continue
    row, binding = fitting[0]
    text = pipeline(path, values_of(binding))
    checks = []
    for position, (name, default) in enumerate(binding.options):
        kind = library.parameters(path)[position]
        if kind == "bool" or kind == "str" or kind == "int" or kind.startswith("typing.SupportsInt"):
            told = pipeline(path, values_of(binding, position))
            want = "telling" if kind == "str" else None if kind == "bool" else "1001"
            if kind == "bool":
                want = "false" if default == "true" else "true"
            checks.append([name, f"{name}={want}" in told])
    bound[path] = {"flag": row.flag, "anchors": row.anchors, "text": text, "options": checks}
sys.stdout.write(json.dumps(bound))
sys.stdout.flush()
os._exit(0)
"""

# Runs each pass of the wheel over an almost empty module, each in a child process.
RUN_EACH = """
import json, os, sys
from dotload.tools.opt import cpp_passes, libtriton
from dotload.tools.opt.cpp_engine import CppEngine
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.pipeline import PassElement

FUNCTION = "tt.func public @f() { tt.return }"
engine = CppEngine.load(use_exported=sys.argv[1] == "exported")
options = json.loads(sys.argv[2])
targets = json.loads(sys.argv[3])
path = sys.argv[4]
without_function = json.loads(sys.argv[5])
failed = []
for flag, row in cpp_passes.table().items():
    if engine.library.fitting(row) is None:
        continue
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        status = 0
        try:
            with open(path + str(os.getpid()), "w") as file:
                file.write('module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "%s", '
                           '"ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {%s}'
                           % (targets.get(flag, "cuda:90"), "" if flag in without_function else FUNCTION))
            module = engine.parse(file.name)
            engine.run(module, [PassElement(flag, options.get(flag, ""), row.anchors)])
            status = 0 if engine.text(module) else 3
        except DriverError:
            status = 1
        os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        failed.append([flag, os.waitstatus_to_exitcode(status)])
sys.stdout.write(json.dumps(failed))
sys.stdout.flush()
os._exit(0)
"""
# Passes that do not run without these options.
GFX = "gfx942"
NEEDED_OPTIONS = {
    "convert-triton-to-tritongpu": "target=cuda:90",
    "convert-triton-amdgpu-to-llvm": f"gfx-arch={GFX}",
    "convert-builtin-func-to-llvm": f"gfx-arch={GFX}",
    "convert-proton-amd-gpu-to-llvm": f"gfx-arch={GFX}",
    "convert-warp-pipeline": f"gfx-arch={GFX}",
    "triton-amdgpu-membar": f"gfx-arch={GFX}",
    "tritoninstrument-prepare-consan-captures": "target=nvidia",
    "optimize-amd-lds-usage": f"target-arch={GFX}",
}
# Conversions that need other passes to run on the function first.
NEED_NO_FUNCTION = ["convert-triton-gpu-to-llvm", "convert-triton-amdgpu-to-llvm"]
NEEDED_TARGETS = {"tritonamdgpu-optimize-descriptor-encoding": f"hip:{GFX}"}


def _run(script: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def bound() -> dict[str, dict[str, object] | None]:
    return json.loads(_run(INTROSPECT))


def test_every_bound_pass_is_in_the_table(bound: dict[str, dict[str, object] | None]) -> None:
    missing = [path for path, found in bound.items() if found is None]
    assert not missing, f"this version of Triton binds passes that cpp_passes.txt does not know: {missing}"
    assert len(bound) > 60


def test_flags_are_the_names_that_mlir_gives(bound: dict[str, dict[str, object] | None]) -> None:
    for path, found in bound.items():
        assert found
        nested = "".join(f"{anchor}(" for anchor in found["anchors"])
        text = str(found["text"])
        assert text.startswith(f"any({nested}{found['flag']}"), f"{path}: {text}"
        assert text[len(f"any({nested}{found['flag']}")] in "{)", f"{path}: {text}"


def test_options_stand_in_the_order_of_the_binding(bound: dict[str, dict[str, object] | None]) -> None:
    wrong = [(path, name) for path, found in bound.items() for name, fine in found["options"] if not fine]
    assert not wrong


@pytest.mark.parametrize("way", ["exported", "bound"])
def test_every_bound_pass_runs_under_its_flag(way: str, tmp_path: object) -> None:
    import triton

    options = dict(NEEDED_OPTIONS)
    if tuple(map(int, triton.__version__.split(".")[:2])) < (3, 8):  # the option was renamed
        options = {flag: text.replace("gfx-arch", "arch") for flag, text in options.items()}
        if triton.__version__.startswith(("3.3", "3.6")):
            options["convert-builtin-func-to-llvm"] = ""
    failed = json.loads(
        _run(
            RUN_EACH,
            way,
            json.dumps(options),
            json.dumps(NEEDED_TARGETS),
            str(tmp_path) + "/m",
            json.dumps(NEED_NO_FUNCTION),
        )
    )
    assert not failed
