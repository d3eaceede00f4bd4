"""Modules are imported only when they are needed."""

import subprocess
import sys


def test_importing_the_package_does_not_import_xdsl() -> None:
    check = "import sys, dotload.dialect_ext; print('xdsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_dialect_is_loaded_when_it_is_met() -> None:
    check = (
        "import sys; from dotload.dialect_ext import parse_module; parse_module('module {}'); "
        "print([name for name in sys.modules if name.startswith('dotload.dialect_ext.tt')])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
