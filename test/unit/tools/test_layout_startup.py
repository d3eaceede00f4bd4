"""dotload-layout is quick to answer: start-up and a 256x256 tensor within half a second.

Processor time is what is bounded: one process, no waiting, so on an idle machine it is the time on the clock as well,
and tests that run beside this one do not make it fail.
"""

import resource
import subprocess
import sys

LAYOUT = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
LIMIT_SECONDS = 0.5
TRIES = 6


def test_a_256x256_tensor_takes_half_a_second() -> None:
    command = [sys.executable, "-m", "dotload.tools.dotload_layout", "-l", LAYOUT, "-t", "tensor<256x256xf16>"]
    seconds: list[float] = []
    for _ in range(TRIES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        assert done.stdout.count("T127:") >= 256 * 2
        if seconds[-1] <= LIMIT_SECONDS:
            break
    assert min(seconds) <= LIMIT_SECONDS, f"{TRIES} tries took {seconds} s"


def test_help_needs_no_numpy() -> None:
    code = "import sys, dotload.tools.dotload_layout; assert not {'numpy', 'xdsl'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
