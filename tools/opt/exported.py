"""MLIR's C++ functions that the wheel exports, called through ctypes.

Triton 3.7 and newer export most of MLIR from libtriton.so; 3.6 hides it. These features need this module: passes and
options without a Python binding, nested pipelines, unregistered dialects, printing flags.

The calls follow the Itanium C++ ABI on x86-64 with libstdc++: a `StringRef` travels as pointer and length, a
`std::unique_ptr` is returned through a hidden pointer, a `std::function` is 16 bytes of data, a manager and an invoker.
"""

from __future__ import annotations

import ctypes
import platform
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotload.tools.opt.diagnostics import Capture
from dotload.tools.opt.errors import DriverError

_POINTER = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_INVOKER = ctypes.CFUNCTYPE(_POINTER, _POINTER, _POINTER)
_MANAGER = ctypes.CFUNCTYPE(ctypes.c_bool, _POINTER, _POINTER, ctypes.c_int)
_CLONE_FUNCTOR = 2  # std::_Manager_operation::__clone_functor
_PASS_MANAGER_BYTES = 4096  # sizeof(mlir::PassManager) is about 400
_IMPLICIT_NESTING = 0  # mlir::OpPassManager::Nesting::Implicit, as in mlir-opt and triton-opt

_ALLOW_UNREGISTERED = "_ZN4mlir11MLIRContext25allowUnregisteredDialectsEb"
_REGISTER_PASS = "_ZN4mlir12registerPassERKSt8functionIFSt10unique_ptrINS_4PassESt14default_deleteIS2_EEvEE"
_NEW_PASS_MANAGER = "_ZN4mlir11PassManagerC1EPNS_11MLIRContextEN4llvm9StringRefENS_13OpPassManager7NestingE"
_PARSE_PIPELINE = "_ZN4mlir17parsePassPipelineEN4llvm9StringRefERNS_13OpPassManagerERNS0_11raw_ostreamE"
_FIRST_PASS = "_ZN4mlir13OpPassManager5beginEv"
_ENABLE_VERIFIER = "_ZN4mlir11PassManager14enableVerifierEb"
_DUMP = "_ZN4mlir13OpPassManager4dumpEv"
_RUN = "_ZN4mlir11PassManager3runEPNS_9OperationE"
_ERRS = "_ZN4llvm4errsEv"
_REGISTER_PRINTER_FLAGS = "_ZN4mlir27registerAsmPrinterCLOptionsEv"
_RESET_COMMAND_LINE = "_ZN4llvm2cl25ResetAllOptionOccurrencesEv"
_PARSE_COMMAND_LINE = (
    "_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamEPNS_3vfs10FileSystemES2_b"
)
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    _ALLOW_UNREGISTERED: (None, (_POINTER, ctypes.c_bool)),
    _REGISTER_PASS: (None, (_POINTER,)),
    _NEW_PASS_MANAGER: (None, (_POINTER, _POINTER, ctypes.c_char_p, _SIZE, ctypes.c_int)),
    _PARSE_PIPELINE: (ctypes.c_bool, (ctypes.c_char_p, _SIZE, _POINTER, _POINTER)),
    _FIRST_PASS: (_POINTER, (_POINTER,)),
    _ENABLE_VERIFIER: (None, (_POINTER, ctypes.c_bool)),
    _DUMP: (None, (_POINTER,)),
    _RUN: (ctypes.c_bool, (_POINTER, _POINTER)),
    _ERRS: (_POINTER, ()),
    _REGISTER_PRINTER_FLAGS: (None, ()),
    _RESET_COMMAND_LINE: (None, ()),
    _PARSE_COMMAND_LINE: (
        ctypes.c_bool,
        (ctypes.c_int, _POINTER, ctypes.c_char_p, _SIZE, _POINTER, _POINTER, _POINTER, ctypes.c_bool),
    ),
}


def mangled(qualified: str) -> str:
    """The symbol of a function without arguments: `mlir::createCSEPass` -> `_ZN4mlir13createCSEPassEv`."""
    return "_ZN" + "".join(f"{len(part)}{part}" for part in qualified.split("::")) + "Ev"


class Exported:
    """The exported functions of one libtriton."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._functions = {
            symbol: self._bind(symbol, result, arguments) for symbol, (result, arguments) in _SIGNATURES.items()
        }
        self._allocators: list[Callable[[int], None]] = []
        self._has_printer_flags = False
        # C++ keeps these two until the process ends.
        self._invoker = _INVOKER(self._invoke)
        self._manager = _MANAGER(_manage)

    @staticmethod
    def load(path: Path) -> Exported | None:
        """The functions of the library at `path`; None if it hides one of them or the ABI is another."""
        if platform.machine() not in ("x86_64", "AMD64"):
            return None
        try:
            return Exported(path)
        except AttributeError:
            return None

    def has(self, symbol: str) -> bool:
        """Whether the library exports `symbol`."""
        return hasattr(self._library, symbol)

    def allow_unregistered_dialects(self, context: Any) -> None:
        """Let `context` parse operations of dialects it does not know."""
        self._functions[_ALLOW_UNREGISTERED](_wrapped(context), True)

    def register_creator(self, creator: str) -> None:
        """Register the pass that the exported function `creator` makes, under the name it has in C++."""
        function = self._bind(mangled(creator), _POINTER, (_POINTER,))
        self._register(function)

    def register_bound(self, new_manager: Callable[[], Any]) -> None:
        """Register the first pass of the (bound) pass manager that `new_manager` returns.

        The pass is taken out of that manager, which is never destroyed, so the pass is not freed twice.
        """
        kept: list[Any] = []

        def allocate(out: int) -> None:
            manager = new_manager()
            kept.append(manager)
            slot = _POINTER.from_address(self._functions[_FIRST_PASS](_wrapped(manager)))
            _POINTER.from_address(out).value = slot.value
            slot.value = None

        self._register(allocate)

    def run(self, context: Any, module: Any, pipeline: str, *, verify_each: bool = True) -> bool:
        """Run a textual pipeline (without its anchor) over `module`; diagnostics go to standard error."""
        manager = self._new_manager(context, pipeline)
        if not verify_each:
            self._functions[_ENABLE_VERIFIER](manager, False)
        # A ModuleOp is one pointer to its operation.
        operation = _POINTER.from_address(_wrapped(module)).value
        return self._functions[_RUN](manager, operation)

    def dump(self, context: Any, pipeline: str) -> None:
        """Print a textual pipeline with every option it has to standard error."""
        self._functions[_DUMP](self._new_manager(context, pipeline))

    def _new_manager(self, context: Any, pipeline: str) -> int:
        # Zeroed storage that is never freed: the pass manager lives in a child process that ends without destructors.
        storage = ctypes.create_string_buffer(_PASS_MANAGER_BYTES)
        _STORAGES.append(storage)
        manager = ctypes.addressof(storage)
        anchor = b"builtin.module"
        self._functions[_NEW_PASS_MANAGER](manager, _wrapped(context), anchor, len(anchor), _IMPLICIT_NESTING)
        text = pipeline.encode()
        with Capture().collect() as said:
            fits = self._functions[_PARSE_PIPELINE](text, len(text), manager, self._functions[_ERRS]())
        if fits:
            sys.stderr.write(said[0])
        else:
            raise DriverError(f"MLIR does not accept the passes '{pipeline}' or their options{_reason(said[0])}")
        return manager

    def parse_flags(self, flags: Sequence[str]) -> None:
        """Hand `flags` to LLVM's command line: MLIR's printing flags, `-debug-only`, ..."""
        if not self._has_printer_flags:
            self._functions[_REGISTER_PRINTER_FLAGS]()
            self._has_printer_flags = True
        words = [b"dotload-opt", *(flag.encode() for flag in flags)]
        argv = (ctypes.c_char_p * len(words))(*words)
        parsed = self._functions[_PARSE_COMMAND_LINE](
            len(words), argv, b"", 0, self._functions[_ERRS](), None, None, False
        )
        if not parsed:
            raise DriverError("")

    def reset_flags(self) -> None:
        """Reset every flag of LLVM's command line to its default."""
        self._functions[_RESET_COMMAND_LINE]()

    def _bind(self, symbol: str, result: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        function = self._library[symbol]
        function.restype, function.argtypes = result, arguments
        return function

    def _register(self, allocate: Callable[[int], Any]) -> None:
        self._allocators.append(allocate)
        functor = (ctypes.c_uint64 * 4)(
            len(self._allocators) - 1,
            0,
            ctypes.cast(self._manager, _POINTER).value or 0,
            ctypes.cast(self._invoker, _POINTER).value or 0,
        )
        self._functions[_REGISTER_PASS](ctypes.addressof(functor))

    def _invoke(self, out: int, data: int) -> int:
        self._allocators[ctypes.c_uint64.from_address(data).value](out)
        return out


_BAD_VALUE = re.compile(r"for the --(\S+) option: (.*)")
_UNKNOWN_PLACE = re.compile(r"(?:loc\(unknown\)|<unknown>:0): error: ")
_BAD_OPTION = re.compile(r"no such option \S+")


def _reason(said: str) -> str:
    """MLIR's message on a pipeline that it rejects: for an option the one relevant line, else all of it."""
    if found := _BAD_VALUE.search(said):
        return f": option {found[1]}: {found[2].rstrip('!')}"
    found = _BAD_OPTION.search(said)
    whole = " ".join(_UNKNOWN_PLACE.sub("", said).split())
    return f": {found[0] if found else whole}" if whole else ""


_STORAGES: list[Any] = []


def _manage(target: int, source: int, operation: int) -> bool:
    """The manager of our std::function: its data is an index, so a copy is a copy and nothing is destroyed."""
    if operation == _CLONE_FUNCTOR:
        ctypes.memmove(target, source, 16)
    return False


def _wrapped(instance: object) -> int:
    """Address of the C++ object that a Python object of libtriton wraps.

    nanobind (3.9) puts an offset and flags after the object's header, pybind11 (before) a pointer.
    """
    header = object.__basicsize__
    address = id(instance) + header
    if not type(type(instance)).__name__.startswith("nb_type"):
        return _POINTER.from_address(address).value or 0
    offset = ctypes.c_int32.from_address(address).value
    is_direct = ctypes.c_uint32.from_address(address + 4).value & 0b100
    place = id(instance) + offset
    return place if is_direct else (_POINTER.from_address(place).value or 0)
