"""Worker processes start with the pass selection of the thread that starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dotload.plugin import hook, workers
from dotload.plugin.report import DotloadWarning

PROGRAM = """
import multiprocessing, sys
import dotload
from dotload.plugin import hook

def show(*descendants):
    selection = hook.active()
    print(selection and list(map(str, selection.chosen or ["all"])), flush=True)
    if descendants:
        run(*descendants)

def run(method, *descendants):
    worker = multiprocessing.get_context(method).Process(target=show, args=descendants)
    worker.start()
    worker.join()

if __name__ == "__main__":
    method = sys.argv[1]
    run(method, method)
    with dotload.disabled():
        run(method)
    dotload.disable()
    run(method)
    dotload.enable("stage-dot-operands{k-within-columns=true},convert-staged-operands-to-llvm")
    run(method)
"""
SHOWN = """\
['all']
['all']
None
None
['stage-dot-operands{k-within-columns=true}', 'convert-staged-operands-to-llvm']
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_worker_begins_with_the_selection_of_its_parent(method: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    roots = [os.path.abspath(root) for root in os.environ.get("PYTHONPATH", "").split(os.pathsep) if root]
    done = subprocess.run(
        [sys.executable, "-m", "dotload", "program.py", method],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(roots)},
        check=False,
    )
    assert (done.stdout, done.stderr) == (SHOWN, "")


def test_a_worker_without_a_pass_of_its_parent_compiles_as_stock() -> None:
    with pytest.warns(
        DotloadWarning, match="stock Triton compiles the kernels of process MainProcess: unknown pass 'absent'"
    ):
        workers.switch_on(("absent",))
    assert hook.active() is None
