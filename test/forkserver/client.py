#!/usr/bin/env -S python3 -IS
"""The tool of this file's name, run by the fork server that DOTLOAD_FORKSERVER names."""

import array
import json
import os
import signal
import socket
import sys

ADDRESS = "DOTLOAD_FORKSERVER"


def main() -> None:
    request = {
        "words": [os.path.basename(sys.argv[0]), *sys.argv[1:]],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + os.environ[ADDRESS])
        streams = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
        connection.sendmsg([b"."], streams)
        connection.sendall(json.dumps(request).encode() + b"\n")
        status = int(connection.makefile().read())
    if status < 0:
        if -status in (signal.SIGPIPE, signal.SIGINT):  # the signals that Python handles
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)  # nothing is open, so the interpreter need not clean up


if __name__ == "__main__":
    main()
