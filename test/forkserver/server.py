"""Serves command lines from forks of this process: `server.py ADDRESS TOOL...` prints `ready`, ends with its input."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PRELOADED = ("dialect_ext", "layout", "passes", "plugin", "tools")


@dataclass(frozen=True)
class Running:
    """A command of a client's: its process, and the file descriptor that is readable once it has ended."""

    process: int
    ended: int
    client: socket.socket


def preload(package: str) -> None:
    """Import every module of a package except programs and modules whose libraries are not installed."""
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, package + "."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)


def main_of(tool: str) -> Callable[[], int]:
    return importlib.import_module(f"dotload.tools.{tool.replace('-', '_')}").main


def serve(listener: socket.socket, tools: dict[str, Callable[[], int]]) -> None:
    """Fork for each client, and tell it the exit status; end a command whose client has gone."""
    events = selectors.DefaultSelector()
    events.register(0, selectors.EVENT_READ)
    events.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in events.select():
            if key.fileobj == 0:
                return
            if key.fileobj is listener:
                try:
                    running = begin(listener, tools)
                except (OSError, ValueError):  # the client was killed before it had sent everything
                    continue
                events.register(running.ended, selectors.EVENT_READ, running)
                events.register(running.client, selectors.EVENT_READ, running)
            elif key.fd == key.data.ended:
                events.unregister(key.data.ended)
                with contextlib.suppress(KeyError):
                    events.unregister(key.data.client)
                finish(key.data)
            else:  # the client has gone
                os.kill(key.data.process, signal.SIGKILL)
                events.unregister(key.data.client)


def begin(listener: socket.socket, tools: dict[str, Callable[[], int]]) -> Running:
    client, _ = listener.accept()
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    request = json.loads(client.makefile("rb").readline())
    process = os.fork()
    if process == 0:
        run(request, streams, tools)
    for stream in streams:
        os.close(stream)
    return Running(process, os.pidfd_open(process), client)


def finish(running: Running) -> None:
    _, status = os.waitpid(running.process, 0)
    os.close(running.ended)
    with contextlib.suppress(BrokenPipeError), running.client:
        running.client.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def run(request: dict[str, Any], streams: list[int], tools: dict[str, Callable[[], int]]) -> None:
    """Run the command in this process, and exit."""
    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 1)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = request["words"]
        status = tools[sys.argv[0]]()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def main() -> None:
    address, *names = sys.argv[1:]
    for name in PRELOADED:
        preload(f"dotload.{name}")
    tools = {name: main_of(name) for name in names}
    gc.freeze()  # so that a fork's first collection does not copy every page
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + address)
        listener.listen(64)
        print("ready", flush=True)
        serve(listener, tools)
    os._exit(0)  # nanobind would list what MLIR still holds


if __name__ == "__main__":
    main()
