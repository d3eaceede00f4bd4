"""The driver's documentation agrees with the driver."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from dotload.tools.opt import command_line

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_tutorial_shows_the_pass_and_the_test_that_are_run() -> None:
    blocks = FENCE.findall((DOCS / "tutorials" / "your-first-pass.md").read_text())
    python = next(text for language, text in blocks if language == "python")
    mlir = next(text for language, text in blocks if language == "mlir")
    assert python == (DOCS / "tutorials" / "exact_reciprocal.py").read_text()
    assert mlir in (ROOT / "test" / "lit" / "tutorial" / "exact_reciprocal.mlir").read_text()
    code = [line for line in python.splitlines() if line.strip() and not line.startswith(("import", "from", '"""'))]
    assert len(code) <= 40


def test_the_flags_of_the_documentation_exist() -> None:
    text = (DOCS / "dotload-opt.md").read_text()
    known = {flag.name for flag in command_line.FLAGS}
    table = [line for line in text.splitlines() if line.startswith("| `--")]
    named = {name for line in table for name in re.findall(r"`--?([a-z][\w-]*)", line.split("|")[1])}
    assert named - known == set()


def test_a_pass_of_an_installed_package_needs_no_flag(tmp_path: Path) -> None:
    """The flag of a pass finds an entry point of group `dotload.passes`."""
    (tmp_path / "their_pass.py").write_text((ROOT / "test" / "lit" / "driver" / "Inputs" / "count_ops.py").read_text())
    info = tmp_path / "their_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dotload.passes]\ncount-ops = their_pass\n")
    result = subprocess.run(
        [sys.executable, "-c", "import sys; from dotload.tools.dotload_opt import main; sys.exit(main())"]
        + ["-", "--count-ops=label=test.count"],
        input="tt.func @f() { tt.return }",
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "test.count = 2" in result.stdout
