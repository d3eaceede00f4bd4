"""dotload-layout imports no more than it needs."""

import subprocess
import sys


def test_help_needs_no_numpy() -> None:
    code = "import sys, dotload.tools.dotload_layout; assert not {'numpy', 'xdsl'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
