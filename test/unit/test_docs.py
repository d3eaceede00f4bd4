"""The documentation has no broken links, and every command and Python block in it runs."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import pkgutil
import re
import runpy
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "test"))

import forkserver  # noqa: E402

from dotload.layout.reject import Reason  # noqa: E402
from dotload.passes.operand_staging.reasons import NARROW_LOADS  # noqa: E402
from dotload.plugin.xpu_environment import RECIPE, find_python  # noqa: E402

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"^(?:\$ )?((?:[A-Z_]+=\S+ )*dotload-\w+ .*)", re.MULTILINE)

NEED_XPU = ("dotload-run-xe", "--target bmg")
"""What compiles for Intel, or runs what was compiled: where there is an environment with triton-xpu."""

STAND_INS = {
    **{file.name: file for file in (ROOT / "test/unit/documented").iterdir() if file.is_file()},
    "kernel.ttgir": ROOT / "test/lit/convert_triton_intel_gpu_to_llvm/block_load.mlir",
    "prefetch.mlir": ROOT / "test/lit/lower_to_2d_block_prefetch/block_pointer.mlir",
    "exact_reciprocal.py": ROOT / "docs/tutorials/exact_reciprocal.py",
}
"""Files of the reader's that commands name."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def test_the_readme_of_the_wheel_links_nothing_beside_it() -> None:
    """Its links point to the repository (`pyproject.toml`, tool.hatch), to the files that README.md links."""
    links = LINK.findall(str(importlib.metadata.metadata("dotload").get_payload()))
    assert links
    assert all(link.startswith("https://") for link in links)
    files = [target for target in LINK.findall((ROOT / "README.md").read_text()) if "://" not in target]
    assert [link.partition("/main/")[2] for link in links if "/main/" in link] == files


def commands(page: Path) -> list[str]:
    """The shell commands of a page that run as they stand, in order."""
    blocks = [block.replace("\\\n", " ") for _, block in FENCE.findall(page.read_text())]
    found = [command for block in blocks for command in COMMAND.findall(block)]
    return [command for command in found if find_python() or not any(words in command for words in NEED_XPU)]


def write_inputs(page: Path, folder: Path) -> None:
    """Write the files that the page's commands read, and those that its Python blocks write."""
    for name, source in STAND_INS.items():
        (folder / name).write_text(source.read_text())
    for language, block in FENCE.findall(page.read_text()):
        if language == "python" and "write_text" in block and not needs_xpu(block):
            (folder / "block.py").write_text(block)
            paths = os.pathsep.join([str(ROOT / "examples"), os.environ.get("PYTHONPATH", "")])
            environment = os.environ | {"PYTHONPATH": paths}
            subprocess.run([sys.executable, "block.py"], cwd=folder, env=environment, check=True)


def needs_xpu(block: str) -> bool:
    """Whether a Python block compiles for Intel and cannot here."""
    return "compile_xe" in block and find_python() is None


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a shell that finds the tools, as forks of one process if possible."""
    forks = tmp_path_factory.mktemp("bin")
    path = os.pathsep.join([str(forks), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, **forkserver.start(forks), "PATH": path}


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name_of)
def test_every_command_runs(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    write_inputs(page, tmp_path)
    printed: list[str] = []
    for command in commands(page):
        done = subprocess.run(
            f"set -o pipefail; {command}",
            shell=True,
            executable="/bin/bash",
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        printed.append(done.stdout.replace(f"{tmp_path}/", ""))
    for sample in samples(page):
        assert sample in printed, "\n".join(printed)


def samples(page: Path) -> list[str]:
    """The output that the page shows for its commands with this version of Triton."""
    text = page.read_text()
    if f"with Triton {importlib.metadata.version('triton')}" not in text:
        return []
    return [block for language, block in FENCE.findall(text) if language == "text"]


def python_blocks() -> list[tuple[str, str]]:
    return [
        (name_of(page), block)
        for page in PAGES
        for language, block in FENCE.findall(page.read_text())
        if language == "python" and "import lit.formats" not in block
    ]


@pytest.mark.parametrize(("page", "block"), python_blocks())
def test_every_python_block_runs(page: str, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run with a kernel and a grid defined, as in the text around them."""
    import dotload
    from dotload.passes import registry

    if needs_xpu(block):
        pytest.skip("no environment with triton-xpu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "tutorials"))
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    monkeypatch.delitem(sys.modules, "exact_reciprocal", raising=False)
    (file := tmp_path / "block.py").write_text(block)
    from dotload.tools.demo_fp8 import matmul

    given = {"kernel": defaultdict(lambda: lambda *_: None), "grid": (1,), "matmul": matmul}
    try:
        runpy.run_path(str(file), init_globals=given, run_name="__main__")
    finally:
        dotload.disable()


def test_the_reference_has_every_pass_code_and_command() -> None:
    """`make docs` generates the reference from the code."""
    from dotload.passes import registry

    sys.path.append(str(ROOT / "docs" / "site"))
    import reference

    pages = reference.pages()
    assert all(f"## {entry.name}\n" in pages["reference/passes.md"] for entry in registry.entries())
    assert all(f"## {name}\n" in pages["reference/commands.md"] for name in reference.COMMANDS)
    reasons = [each for catalogue in subclasses(Reason) for each in catalogue]
    assert all(f"| `{each.name}` |" in pages["reference/remarks.md"] for each in reasons)


def test_every_code_of_a_remark_is_explained() -> None:
    """Every code of a remark is explained on the page of a pass; classes without remarks are left out."""
    text = "".join(page.read_text() for page in PAGES)
    codes = {each.code for catalogue in subclasses(Reason) for each in catalogue} - {"WORDS"}
    sources = "".join(file.read_text() for file in (ROOT / "plugin").glob("*.py"))
    told = re.findall(r'"([A-Z]{2,}(?:_[A-Z]+)+|[A-Z]{6,})"', sources)
    codes |= {code for code in told if not code.startswith(("DOTLOAD_", "TORCHINDUCTOR_"))} | {NARROW_LOADS}
    assert {"UNDONE", "FAILED", "OUTWEIGHED", "NO_PLACE"} <= codes
    assert sorted(code for code in codes if f"`{code}`" not in text) == []


def subclasses(catalogue: type[Reason]) -> set[type[Reason]]:
    """The subclasses in dotload, all of whose modules are imported."""
    import dotload.passes

    for module in pkgutil.walk_packages(dotload.passes.__path__, "dotload.passes."):
        importlib.import_module(module.name)
    return {each for each in catalogue.__subclasses__() if each.__module__.startswith("dotload.")}


def test_the_chart_shows_the_readmes_table() -> None:
    assert subprocess.run([sys.executable, ROOT / "bench" / "chart.py", "--check"], check=False).returncode == 0
    table = (ROOT / "README.md").read_text().partition("## How fast")[2].partition("\n## ")[0]
    assert sum(line.startswith("| ") for line in table.splitlines()) - 1 <= 10


def test_there_is_one_recipe_for_an_environment_with_triton_xpu() -> None:
    assert RECIPE in (ROOT / "docs" / "emulator.md").read_text()
    (pinned,) = (word for word in RECIPE.split() if "==" in word)
    assert f" {pinned} " in (ROOT / "Makefile").read_text()


def test_the_tutorials_test_runs_outside_this_repository(tmp_path: Path) -> None:
    blocks = FENCE.findall((ROOT / "docs" / "tutorials" / "your-first-pass.md").read_text())
    python = [text for language, text in blocks if language == "python"]
    (tmp_path / "exact_reciprocal.py").write_text(python[0])
    (tmp_path / "lit.cfg.py").write_text(next(text for text in python if "lit.formats" in text))
    (tmp_path / "exact_reciprocal.mlir").write_text(next(text for language, text in blocks if language == "mlir"))
    command = [Path(sys.executable).parent / "lit", "-v", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Passed: 1 (100.00%)" in done.stdout, done.stdout
