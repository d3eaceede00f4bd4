"""dotload-layout is quick to answer: start-up and a 256x256 tensor within half a second."""

import subprocess
import sys
import time

LAYOUT = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
LIMIT_SECONDS = 0.5
TRIES = 6


def test_a_256x256_tensor_takes_half_a_second() -> None:
    command = [sys.executable, "-m", "dotload.tools.dotload_layout", "-l", LAYOUT, "-t", "tensor<256x256xf16>"]
    seconds: list[float] = []
    for _ in range(TRIES):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds.append(time.perf_counter() - start)
        assert done.stdout.count("T127:") >= 256 * 2
        if seconds[-1] <= LIMIT_SECONDS:
            break
    assert min(seconds) <= LIMIT_SECONDS, f"{TRIES} tries took {seconds} s"


def test_help_needs_no_numpy() -> None:
    code = "import sys, dotload.tools.dotload_layout; assert not {'numpy', 'xdsl'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
