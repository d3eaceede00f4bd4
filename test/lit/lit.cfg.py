"""lit configuration: runs every .mlir test below this folder with the installed tools and LLVM's FileCheck.

By default commands are forks (test/forkserver); `lit --param processes=new` starts a new process for each.
"""

import importlib.util
import os
import sys
from pathlib import Path

import lit.formats

config.name = "dotload"  # noqa: F821  (lit defines config and lit_config)
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821
config.test_exec_root = str(Path(__file__).parents[2] / "build" / "lit")  # noqa: F821
config.maxIndividualTestTime = 600  # noqa: F821  (a hang: a hundred times what the slowest takes)

# Paths in RUN lines are quoted, since the path of the repository may contain a space.
config.substitutions += [(f"%{letter}", f'"%{{{letter}:real}}"') for letter in "sSt"]  # noqa: F821

# FileCheck comes with the triton wheel, built from the same LLVM that printed the IR.
triton = importlib.util.find_spec("triton")
tools = [str(Path(sys.executable).parent)]
if triton is not None and triton.origin is not None:
    tools.append(str(Path(triton.origin).parent))
if lit_config.params.get("processes") != "new":  # noqa: F821
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import forkserver

    folder = Path(config.test_exec_root) / "bin"  # noqa: F821
    config.environment.update(forkserver.start(folder))  # noqa: F821
    tools.insert(0, str(folder))
config.environment["PATH"] = os.pathsep.join([*tools, os.environ["PATH"]])  # noqa: F821
