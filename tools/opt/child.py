"""Runs a command in a child process: a C++ abort ends the child, and becomes an error with a reproducer."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable

from dotload.plugin import processes
from dotload.tools.failures import message_of
from dotload.tools.opt.errors import DriverError

PROGRAM = "dotload-opt"


def call(work: Callable[[], int], program: str = PROGRAM) -> int:
    """The exit status of `work`, run in a child; minus the signal's number if one killed it.

    The child ends without destructors: MLIR holds functions of the Python interpreter.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            processes.die_with(parent)
            status = work()
        except DriverError as error:
            if str(error):
                print(located(str(error), program), file=sys.stderr)
        except KeyboardInterrupt:
            status = 130
        except BrokenPipeError:  # the reader of our output has closed it
            status = 1
        except BaseException as error:
            message = message_of(error)
            if message is None:
                traceback.print_exc()
            else:
                print(located(message, program), file=sys.stderr)
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            except BrokenPipeError:
                status = status or 1
            except OSError as error:
                status = _report(error, program)
            os._exit(status)
    _, wait_status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(wait_status)


def _report(error: OSError, program: str) -> int:
    print(located(str(message_of(error)), program), file=sys.stderr)
    return 1


def call_for_text(work: Callable[[], str], program: str = PROGRAM) -> str:
    """The text that `work` returns, computed in a child; DriverError, with its message already printed, on failure."""
    with tempfile.TemporaryFile("w+") as result:

        def write() -> int:
            result.write(work())
            result.flush()
            return 0

        status = call(write, program)
        if status:
            raise DriverError(f"crashed ({signal_name(status)})" if status < 0 else "")
        result.seek(0)
        return result.read()


def located(message: str, program: str = PROGRAM) -> str:
    """The message, after the program's name unless the message names a place in a file."""
    return message if ": error: " in message else f"{program}: error: {message}"


def signal_name(status: int) -> str:
    """The name of the signal that a negative status of `call` stands for."""
    return signal.Signals(-status).name
