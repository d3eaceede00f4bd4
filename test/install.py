"""Install dotload as a user would, in a fresh environment of each CPython from 3.10 to 3.14 that is found.

    python test/install.py dist/*.whl dist/*.tar.gz        (`make check-install`)

A wheel must contain the emulator and compile nothing. A source distribution is installed without a compiler: the
installation must succeed, and the emulator must report what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
COMMANDS = ("dotload-inspect", "dotload-layout", "dotload-opt", "dotload-reduce", "dotload-run-xe")
WITHOUT_COMPILER = ("sh", "env", "tar", "gzip", "uname", "ldconfig")
"""The programs that an installation without a compiler finds on its path."""

LOAD = "from dotload.emulator import library; library.library()"
MISSING = "installed where there was no C++17 compiler"


def pythons() -> Iterator[tuple[str, str]]:
    """Version and path of each Python, from the path or from pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        found = [*(str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))), f"python{version}"]
        path = next(filter(None, map(shutil.which, found)), None)
        if path:
            yield version, path


def install(python: str, package: Path, folder: Path, *, with_compiler: bool) -> Path:
    """The scripts' folder of a new environment in which `package` is installed."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    paths = os.environ["PATH"] if with_compiler else str(bare_path(folder / "few-programs"))
    # Without pip's cache, which may hold a wheel of this source distribution that was built with a compiler.
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-cache-dir", str(package)]
    environment = {name: text for name, text in os.environ.items() if name not in ("CC", "CXX", "PYTHONPATH")}
    subprocess.run(command, check=True, env=environment | {"PATH": paths})
    return folder / "bin"


def bare_path(folder: Path) -> Path:
    """A folder of links to a few programs, without a compiler."""
    folder.mkdir()
    for name in WITHOUT_COMPILER:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return folder


def check(scripts: Path, *, has_emulator: bool) -> None:
    """Each command answers `--version`, and the emulator either has its library or says why not."""
    for name in COMMANDS:
        subprocess.run([scripts / name, "--version"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([scripts / "python", "-c", LOAD], capture_output=True, text=True, check=False)
    if has_emulator:
        assert done.returncode == 0, done.stderr
    else:
        assert MISSING in done.stderr, f"{done.stdout}{done.stderr}"


def main() -> int:
    packages = [Path(name).resolve() for name in sys.argv[1:]]
    if not packages:
        print(__doc__)
        return 2
    for version, python in pythons():
        for package in packages:
            is_wheel = package.suffix == ".whl"
            with tempfile.TemporaryDirectory() as folder:
                started = time.perf_counter()
                scripts = install(python, package, Path(folder) / "environment", with_compiler=is_wheel)
                seconds = time.perf_counter() - started
                check(scripts, has_emulator=is_wheel)
            how = "" if is_wheel else " without a compiler"
            print(f"Python {version}: {package.name}{how}: installed in {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
