"""Run random cases of every target in turn, for a number of seconds.

    python test/fuzz/run.py --seconds 60 --seed 1
    python test/fuzz/run.py --target opt --seed 4711 --cases 1

A target is a file `fuzz_NAME.py` in this folder with two functions: `prepare()` runs once, and `check(seed)` makes a
case from the seed alone and returns None, or the fault and how to reproduce it. Case i of a run has the seed of the run
plus i. An optional third function, `summary()`, gives a text to print at the end.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
TARGETS = tuple(sorted(path.stem.removeprefix("fuzz_") for path in FOLDER.glob("fuzz_*.py")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of all targets together (default 60)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first case (default: the clock)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be given several times")
    parser.add_argument("--cases", type=int, help="so many of each target, however long they take")
    options = parser.parse_args()
    sys.path.insert(0, str(FOLDER))
    spent = dict.fromkeys(options.target or TARGETS, 0.0)
    tried = dict.fromkeys(spent, 0)
    failures = 0
    print(f"seed {options.seed}", flush=True)
    loaded: dict[str, Any] = {}
    while options.cases is not None or sum(spent.values()) < options.seconds:
        waiting = [name for name in spent if options.cases is None or tried[name] < options.cases]
        if not waiting:
            break
        name = min(waiting, key=lambda one: spent[one])
        begin = time.monotonic()
        if name not in loaded:
            loaded[name] = importlib.import_module(f"fuzz_{name}")
            loaded[name].prepare()
        seed = options.seed + tried[name]
        tried[name] += 1
        if fault := loaded[name].check(seed):
            failures += 1
            print(f"FAILED make fuzz TARGET={name} SEED={seed} CASES=1: {fault}", flush=True)
        spent[name] += time.monotonic() - begin
    for name, count in tried.items():
        said = f": {loaded[name].summary()}" if hasattr(loaded.get(name), "summary") else ""
        print(f"{name}: {count} cases in {spent[name]:.0f} s{said}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
