"""The cache key of a user's pass changes with everything that the pass consists of, and with nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dotload.plugin.fingerprint import fingerprint

PASS = """
from dataclasses import dataclass
import dotload
from xdsl.passes import ModulePass
{head}
@dotload.register_pass(place=dotload.Place("ttgir", before="tritongpu-pipeline"), {condition})
@dataclass(frozen=True)
class MyPass(ModulePass):
    name = "my-pass"
    {attribute}
    def apply(self, ctx, op):
        {body}
"""
KEY = """
from dotload.passes import registry
from dotload.plugin.fingerprint import fingerprint
from dotload.plugin.rewrite import Spliced
print(fingerprint([Spliced(registry.find("my-pass"))]))
"""


def source(head: str = "", attribute: str = "limit = 4", body: str = "pass", condition: str = "triggers=()") -> str:
    return PASS.format(head=head, attribute=attribute, body=body, condition=condition)


# Runs each piece of code like `python -c`, in a separate process that has imported dotload already.
RUNNER = """
import json, os, sys
import dotload, xdsl.passes, dotload.plugin.fingerprint
for folder, code in json.load(sys.stdin):
    sys.stdout.flush()
    if os.fork() == 0:
        sys.path.insert(0, folder)
        exec(compile(code, "<string>", "exec"), globals())
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        sys.exit(1)
"""


def keys(requests: list[tuple[Path, str]], seed: str = "0") -> list[str]:
    """The output of each request's code, with its folder on the path."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
        input=json.dumps([(str(folder), code) for folder, code in requests]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.split()


TYPED = {
    "a class attribute": (source(attribute="limit = 4"), source(attribute="limit = 5")),
    "a list": (source(attribute="limits = [1, {2}]"), source(attribute="limits = [1, {3}]")),
    "a module's constant": (source("LIMIT = 4", body="LIMIT"), source("LIMIT = 5", body="LIMIT")),
    "a helper function": (
        source("def helper():\n    return 4", body="helper()"),
        source("def helper():\n    return 5", body="helper()"),
    ),
    "a constant of a helper's": (
        source("N = 4\ndef helper():\n    return lambda: N", body="helper()"),
        source("N = 5\ndef helper():\n    return lambda: N", body="helper()"),
    ),
    "a helper class": (
        source("class Helper:\n    n = 4", body="Helper.n"),
        source("class Helper:\n    n = 5", body="Helper.n"),
    ),
    "an object": (
        source("class Helper: pass\nhelper = Helper(); helper.n = 4", body="helper"),
        source("class Helper: pass\nhelper = Helper(); helper.n = 5", body="helper"),
    ),
    "a closure": (
        source("def make(n):\n    return lambda: n\nhelper = make(4)", body="helper()"),
        source("def make(n):\n    return lambda: n\nhelper = make(5)", body="helper()"),
    ),
    "a lambda": (source(body="(lambda: 4)()"), source(body="(lambda: 5)()")),
    "a set": (source(body='op in {"a", "b", "c"}'), source(body='op in {"a", "b", "d"}')),
    "a default": (source(body="(lambda n=[4]: n)()"), source(body="(lambda n=[5]: n)()")),
    "a precondition": (
        source(condition="precondition=lambda kernel: len([4]) > 3"),
        source(condition="precondition=lambda kernel: len([5]) > 3"),
    ),
}


def test_strict_mode_has_keys_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a kernel cached without strict mode would not be checked."""
    found = set[str]()
    for value in ("", "0", "1"):
        monkeypatch.setenv("DOTLOAD_STRICT", value)
        found.add(fingerprint(()))
    assert len(found) == 2


def test_a_pass_that_was_typed_in(tmp_path: Path) -> None:
    requests = [(tmp_path, code + KEY) for pair in TYPED.values() for code in pair]
    found = keys(requests)
    assert len(found) == 2 * len(TYPED)
    assert keys(requests, seed="7") == found, "the same in every process"
    unchanged = [what for what, one, other in zip(TYPED, found[::2], found[1::2], strict=True) if one == other]
    assert unchanged == []


def test_a_pass_that_was_typed_in_changes_in_the_middle_of_a_session(tmp_path: Path) -> None:
    code = source("LIMIT = 4", body="LIMIT")
    assert len(set(keys([(tmp_path, f"{code}{KEY}MyPass.limit = 5{KEY}LIMIT = 5{KEY}")]))) == 3


FILES = {
    "my_pass.py": source("import helper\nfrom tools_of_mine import inner", body="import lazy"),
    "helper.py": "import json\n",
    "lazy.py": "from unknown import nothing\n",
    "tools_of_mine/__init__.py": "",
    "tools_of_mine/inner.py": "from . import sibling\n",
    "tools_of_mine/sibling.py": "from . import inner\n",
}
TYPED_ON_TOP = source("import my_pass as other", attribute="y = 1", body="other.MyPass").replace("my-pass", "yours")


def folder_with(where: Path, changed: str) -> Path:
    """A folder with the user's files, one of which is changed."""
    folder = where / changed.replace("/", "_")
    for name, text in {**FILES, "unrelated.py": ""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + ("\nchanged = True\n" if name == changed else ""))
    return folder


STARTS = {"a file": f"import my_pass{KEY}", "typed in": TYPED_ON_TOP + KEY.replace("my-pass", "yours")}


@pytest.mark.parametrize("start", STARTS)
def test_the_users_own_files_count(start: str, tmp_path: Path) -> None:
    folders = [folder_with(tmp_path, changed) for changed in ("nothing", "unrelated.py", *FILES)]
    plain, unrelated, *others = keys([(folder, STARTS[start]) for folder in folders])
    assert plain == unrelated
    assert len({plain, *others}) == 1 + len(FILES)
