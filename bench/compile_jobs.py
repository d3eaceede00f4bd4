"""Kernels compiled to Triton's cache in several processes, with and without dotload, before anything is timed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, Protocol, TypeVar

import dotload


class Compiles(Protocol):
    """A kernel that compiles itself for the present GPU, with its own options."""

    def compile(self) -> Any:
        """The compiled kernel, from Triton's cache if it is there."""
        ...


Job = TypeVar("Job", bound=Compiles)


def compiled(kernel: Compiles, flavour: str) -> Any:
    """The kernel compiled by stock Triton or with dotload; `flavour`: "stock" or "dotload"."""
    if flavour == "stock":
        return kernel.compile()
    with dotload.enabled():
        return kernel.compile()


def to_cache(compile_job: Callable[[Any, str], Any], job: tuple[Any, str]) -> str:
    """Fill Triton's cache, in a worker process; returns the error, if any."""
    try:
        compile_job(*job)
    except Exception as error:
        return f"{job[0]} {job[1]}: {error!r}"[:300]
    return ""


def worker_count() -> int:
    """How many processes work at a time: `JOBS` of the environment, or one less than there are cores."""
    return int(os.environ.get("JOBS", 0)) or max(1, (os.cpu_count() or 2) - 1)


def compile_all(
    jobs: Sequence[tuple[Job, str]], compile_job: Callable[[Any, str], Any] = compiled
) -> set[tuple[Job, str]]:
    """Compile (kernel, flavour) jobs in parallel, `JOBS` of the environment at a time; returns those that compiled."""
    start = time.time()
    with ProcessPoolExecutor(worker_count(), mp_context=get_context("spawn")) as pool:
        failures = list(pool.map(partial(to_cache, compile_job), jobs, chunksize=2))
    for failure in filter(None, failures):
        print(failure, file=sys.stderr)
    good = {job for job, failure in zip(jobs, failures, strict=True) if not failure}
    print(f"{len(good)} of {len(jobs)} kernels compiled in {time.time() - start:.0f} s", flush=True)
    return good
