"""Names of dialects up to Triton 3.2, which are read as those of today.

`#triton_gpu.blocked` is `#ttg.blocked` since Triton 3.3, `triton_gpu.convert_layout` is `ttg.convert_layout`. What has
changed in more than its name is refused as an unknown op or attribute. `triton_intel_gpu` is no such name: that
dialect is kept apart from `ttig`, since Intel's wheels of Triton 3.3 want it back (dialect_ext/ttig.py).
"""

from __future__ import annotations

import re

DIALECTS = {"triton_gpu": "ttg", "triton_nvidia_gpu": "ttng"}
# Those of which more than the dialect has changed.
_RENAMED = {"triton_gpu.shared": "ttg.swizzled_shared"}
_USED = re.compile(rf"(?<![\w.$/-])(?:{'|'.join(DIALECTS)})[.<]")


def present(name: str) -> str:
    """The name since Triton 3.3 of a dialect, or of an op, an attribute or a type with its dialect."""
    dialect, dot, rest = name.partition(".")
    return _RENAMED.get(name, f"{DIALECTS.get(dialect, dialect)}{dot}{rest}")


def are_used(text: str) -> bool:
    """Whether a module's text, without comments, has former names."""
    return _USED.search(text) is not None
