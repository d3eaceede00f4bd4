"""A kernel compiled for this machine: rewritten IR through llvmlite's JIT."""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import struct
import threading
from ctypes import POINTER, c_void_p, cast
from dataclasses import dataclass
from typing import Any

from dotload.emulator.errors import EmulatorError
from dotload.emulator.library import JIT_HELPERS, JIT_SYMBOLS, RUNTIME_LIBRARY, NativeSite, address_of
from dotload.emulator.rewrite import ENTRY, Rewritten, rewrite

_lock = threading.Lock()  # LLVM's symbol table and targets are shared by the process
_KEPT_PROGRAMS = 32


@dataclass(frozen=True)
class Program:
    """Machine code and the data that a launch needs. `engine` owns the code."""

    rewritten: Rewritten
    entry: int
    native_sites: Any  # ctypes array of NativeSite
    constants: tuple[tuple[int, int], ...]  # address, bytes of the module's global variables
    engine: Any


def _llvm() -> Any:
    """llvmlite, which has no type stubs."""
    try:
        return importlib.import_module("llvmlite.binding")
    except ImportError as error:
        raise EmulatorError(
            "the emulator compiles kernels with llvmlite, which is not installed (pip install 'dotload[emulator]')"
        ) from error


@functools.cache
def _prepare_llvm() -> None:
    """Initialise once per process: the host's code generator, and the functions that compiled kernels call."""
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in JIT_SYMBOLS:
        llvm.add_symbol(name, address_of(name))
    for name, answer in JIT_HELPERS.items():
        address = address_of(answer)
        if address is not None and llvm.address_of_symbol(name) is None:
            llvm.add_symbol(name, address)
    for name in RUNTIME_LIBRARY:
        if not _is_defined(name):
            llvm.add_symbol(name, address_of("xe_missing"))


def _target_machine() -> Any:
    """The host, with all its vector instructions. Each engine takes ownership of one and frees it."""
    llvm = _llvm()
    _prepare_llvm()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, jit=True
    )


def _is_defined(name: str) -> bool:
    """Whether the JIT will find this function: it searches the process; LLVM does so only after the first JIT."""
    return _llvm().address_of_symbol(name) is not None or hasattr(ctypes.CDLL(None), name)


def _undefined_symbols(module: Any) -> list[str]:
    """Functions that the module calls but that are not defined."""
    declared = [function.name for function in module.functions if function.is_declaration]
    return [name for name in declared if not name.startswith("llvm.") and not _is_defined(name)]


# LLVM 23 prints infinities and NaNs by name. Older versions read only digits, and those of a double for a float.
_NAMED_NUMBER = re.compile(r"\b(half|bfloat|float|double) ([+-])(inf|qnan)\b")
_BITS = {
    "half": ("0xH", "7C00", "7E00"),
    "bfloat": ("0xR", "7F80", "7FC0"),
    **dict.fromkeys(("float", "double"), ("0x", "7FF0000000000000", "7FF8000000000000")),
}


def _bits(match: re.Match[str]) -> str:
    """Infinity or NaN as digits."""
    type_, sign, name = match.groups()
    prefix, infinity, quiet = _BITS[type_]
    digits = infinity if name == "inf" else quiet
    return f"{type_} {prefix}{'F' + digits[1:] if sign == '-' else digits}"


# LLVM 23 prints the bits of other numbers as `f0x`, with as many digits as the type has; an operand without a type
# before it has the instruction's type.
_NUMBER_IN_BITS = re.compile(r"\bf0x([0-9A-F]+)\b")
_16_BITS = re.compile(r"\b(half|bfloat)\b")


def _older_digits(match: re.Match[str]) -> str:
    """The number in the form that older LLVM reads."""
    digits = match[1]
    if len(digits) == len("3FB8AA3B"):
        (number,) = struct.unpack(">f", bytes.fromhex(digits))
        return f"0x{struct.pack('>d', number).hex().upper()}"
    if len(digits) > len("3FB8AA3B"):
        return f"0x{digits}"
    line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
    return f"{_BITS[_16_BITS.findall(line)[-1]][0]}{digits}"


def _as_older(text: str) -> str:
    """LLVM IR with its numbers in the form that the LLVM of llvmlite reads."""
    return _NUMBER_IN_BITS.sub(_older_digits, _NAMED_NUMBER.sub(_bits, text))


UNSOUND = "this is not sound LLVM IR"


@functools.lru_cache(maxsize=_KEPT_PROGRAMS)
def compile_program(text: str, lanes: int | None, kernel: str | None) -> Program:
    """Machine code for a kernel's LLVM IR; EmulatorError if the IR is invalid or calls unknown functions."""
    llvm = _llvm()
    with _lock:
        try:
            parsed = llvm.parse_assembly(_as_older(text))
            parsed.verify()
            printed = str(parsed)  # in LLVM's own formatting
        except RuntimeError as error:
            raise EmulatorError(f"{UNSOUND}: {str(error).strip()}") from error
    rewritten = rewrite(printed, lanes, kernel)
    with _lock:
        machine = _target_machine()
        try:
            module = llvm.parse_assembly(rewritten.text)
            module.verify()
        except RuntimeError as error:
            raise EmulatorError(f"this LLVM IR does not compile: {str(error).strip()}") from error
        if missing := _undefined_symbols(module):
            raise EmulatorError(f"the kernel calls functions that nobody defines: {', '.join(missing)}")
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        entry = engine.get_function_address(ENTRY)
        constants = tuple((engine.get_global_value_address(name), size) for name, size in rewritten.constants)
    native = (NativeSite * max(1, len(rewritten.sites)))(*(site.to_native() for site in rewritten.sites))
    return Program(rewritten, entry, native, constants, engine)


def sites_pointer(program: Program) -> Any:
    return cast(program.native_sites, POINTER(NativeSite))


def entry_pointer(program: Program) -> c_void_p:
    return c_void_p(program.entry)
