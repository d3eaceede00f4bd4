"""The native library: its path, and its structures restated field by field (emulator/native/abi.hpp)."""

from __future__ import annotations

import ctypes
import functools
import os
import site
import sys
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_char, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path

from dotload.emulator.errors import EmulatorError

VARIABLE = "DOTLOAD_XE_LIBRARY"
LIBRARY = "libdotload_xe.dylib" if sys.platform == "darwin" else "libdotload_xe.so"

# Functions that compiled kernels call, by their names in the rewritten IR.
JIT_SYMBOLS = (
    "xe_bfloat_to_float",
    "xe_check",
    "xe_collective",
    "xe_float_to_bfloat",
    "xe_float_to_half",
    "xe_half_to_float",
    "xe_instructions",
    "xe_local",
    "xe_private",
    "xe_private_mark",
    "xe_private_release",
    "xe_query",
    "xe_round_to_tf32",
    "xe_tick",
    "xe_touch_bytes",
    "xe_touch_global",
    "xe_touch_local",
    "xe_touch_masked",
    "xe_trap",
)
# Functions that LLVM calls for conversions without a host instruction -> the library's implementations.
JIT_HELPERS = {
    "__extendhfsf2": "xe_extendhfsf2",
    "__gnu_f2h_ieee": "xe_truncsfhf2",
    "__gnu_h2f_ieee": "xe_extendhfsf2",
    "__truncdfbf2": "xe_truncdfbf2",
    "__truncdfhf2": "xe_truncdfhf2",
    "__truncsfbf2": "xe_truncsfbf2",
    "__truncsfhf2": "xe_truncsfhf2",
}
# Functions that LLVM calls for arithmetic without a host instruction. Their library may be missing, and the JIT would
# abort; so a kernel that calls one stops with an error instead.
RUNTIME_LIBRARY = tuple(
    """__divti3 __modti3 __udivti3 __umodti3 __multi3 __muloti4 __mulodi4 __ashlti3 __lshrti3 __ashrti3 __fixhfti
    __fixsfti __fixdfti __fixunshfti __fixunssfti __fixunsdfti __floattihf __floattisf __floattidf __floatuntihf
    __floatuntisf __floatuntidf __powisf2 __powidf2 exp10 exp10f roundeven roundevenf""".split()
)


class NativeSite(Structure):
    _fields_ = [
        ("kind", c_int32),
        ("operation", c_int32),
        ("element_bytes", c_int32),
        ("rows", c_int32),
        ("columns", c_int32),
        ("blocks", c_int32),
        ("result_bytes", c_int32),
        ("type", c_int32),
    ]


class NativeCounter(Structure):
    _fields_ = [("messages", c_uint64), ("bytes_asked", c_uint64), ("bytes_used", c_uint64)]


class NativeRange(Structure):
    _fields_ = [("begin", c_uint64), ("bytes", c_uint64), ("writable", c_int32), ("argument", c_int32)]


class NativeLaunch(Structure):
    _fields_ = [
        ("entry", c_void_p),
        ("arguments", c_void_p),
        ("grid", c_int32 * 3),
        ("subgroups", c_int32),
        ("lanes", c_int32),
        ("threads", c_int32),
        ("sites", POINTER(NativeSite)),
        ("counters", POINTER(NativeCounter)),
        ("site_count", c_int64),
        ("ranges", POINTER(NativeRange)),
        ("range_count", c_int64),
        ("local_bytes", c_int64),
        ("stack_bytes", c_int64),
        ("groups_done", c_uint64),
        ("stop", c_int32),
        ("failed", c_int32),
        ("lane_instructions", c_uint64),
        ("error_site", c_int32),
        ("error", c_char * 1012),
    ]


def _candidates() -> Iterator[Path]:
    """Candidate paths of the library: named by the user, installed beside this package, or built in the source tree."""
    if named := os.environ.get(VARIABLE):
        if not Path(named).is_file():
            raise EmulatorError(f"{VARIABLE}={named}: no such file")
        yield Path(named)
    import dotload.emulator

    for folder in dict.fromkeys([*dotload.emulator.__path__, str(Path(__file__).parent)]):
        yield Path(folder) / LIBRARY
    # An editable install maps the package to the sources, and leaves CMake's output among the installed packages.
    for folder in (*site.getsitepackages(), site.getusersitepackages()):
        yield Path(folder) / "dotload" / "emulator" / LIBRARY
    yield from sorted((Path(__file__).resolve().parents[1] / "build").glob(f"*/emulator/native/{LIBRARY}"))


@functools.cache
def library() -> ctypes.CDLL:
    """The loaded library; EmulatorError if it was never built."""
    for path in _candidates():
        if path.is_file():
            return _load(path)
    raise EmulatorError(
        f"{LIBRARY} is missing: this dotload was installed where there was no C++17 compiler; "
        "install one, then `pip install --force-reinstall --no-cache-dir --no-deps dotload`, "
        f"or let {VARIABLE} name the library"
    )


def _load(path: Path) -> ctypes.CDLL:
    try:
        native = ctypes.CDLL(str(path))
        launch = native.xe_launch
    except (OSError, AttributeError) as error:  # built for another machine, or a different library
        raise EmulatorError(f"{path} is not the emulator's library: {error}") from error
    launch.argtypes = [POINTER(NativeLaunch)]
    launch.restype = c_int32
    return native


def address_of(name: str) -> int | None:
    """Address of a function of the library; None if this platform's build lacks it."""
    try:
        function = getattr(library(), name)
    except AttributeError:
        return None
    return ctypes.cast(function, c_void_p).value
