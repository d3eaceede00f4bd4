"""A fork server for the command lines under test: each is a fork of one process that has imported everything.

Importing libtriton, xDSL and numpy is nine tenths of what a small test costs. `client.py`, under a tool's name, passes
its arguments, environment, folder and standard streams on; `server.py` forks and runs the tool's `main`. Whatever the
tool is told, reads and prints is as without it. What start-up itself does is for test/install.py and for
`make check-all`, whose lit tests start a new process for every command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import client

TOOLS = ("dotload-inspect", "dotload-layout", "dotload-opt", "dotload-reduce")
"""Not dotload-run-xe, whose compiler lives in another environment."""


def start(folder: Path) -> dict[str, str]:
    """Start a server that ends with this process; the variables with which a command finds its tools in `folder`.

    The names of the tools in `folder` are links to the client. `PATH` has to name it first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for tool in TOOLS:
        link = folder / tool
        link.unlink(missing_ok=True)
        link.symlink_to(client.__file__)
    address = f"dotload-forkserver-{os.getpid()}-{len(_started)}"
    server = [sys.executable, str(Path(__file__).parent / "server.py"), address, *TOOLS]
    # The server ends when no process holds the other end of its input.
    process = subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("the fork server did not start")
    _started.append(process)
    return {client.ADDRESS: address}


_started: list[subprocess.Popen[str]] = []
