"""dotload-opt: the triton-opt that the wheels lack, with dotload's passes in it."""

from __future__ import annotations

import sys

from dotload.tools import short_lived
from dotload.tools.failures import guarded
from dotload.tools.opt import command_line
from dotload.tools.opt.child import located
from dotload.tools.opt.errors import DriverError


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 1 after an error."""
    if arguments is None:
        short_lived.prepare()
    words = sys.argv[1:] if arguments is None else arguments
    return guarded(lambda: run_command(words), "dotload-opt: ")


def run_command(words: list[str]) -> int:
    try:
        from dotload.tools.opt.driver import run

        return run(command_line.parse(words))
    except DriverError as error:
        if str(error):
            print(located(str(error)), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
