"""Sizes of the tests: a sample by default, all cases with `--hypothesis-profile=full -m ''` (`make check-all`)."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # for sampling, which tests in all folders import

# No deadline: the time of an example depends on the machine more than on the code.
QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=20, **QUIET)
settings.register_profile("full", max_examples=200, **QUIET)
settings.load_profile("quick")
