"""The command line: flags as in MLIR's tools, one or two dashes, passes in the order given."""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import dataclass
from typing import Any

from dotload.passes import registry
from dotload.tools.compile_options import refusal
from dotload.tools.opt import cpp_passes, pipeline, splitting
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.pipeline import PassElement

USAGE = """\
usage: dotload-opt [FILE|-] [--PASS[='option=value ...']]... [-o FILE]

Runs passes over an MLIR file: Triton's own C++ passes, by their triton-opt flags, from the installed triton wheel, and
dotload's Python passes, mixed in the order given.

  dotload-opt kernel.ttir --convert-triton-to-tritongpu='target=cuda:90 num-warps=4' --tritongpu-coalesce
  dotload-opt gemm.ttgir --lower-to-2d-block-load --remarks -o lowered.ttgir
  dotload-opt kernel.ttir --stage=ptx --target=cuda:90 --num-warps=4 --diff
"""


@dataclass(frozen=True)
class Flag:
    """A flag that is not a pass. `field` is the field of `Command` that it sets; `kind` says how its value is read.

    kinds: `set` (no value, or `=true`/`=false`), `text` (a value, after `=` or as the next word), `number`, `append` (a
    value, repeatable), `option` (an option that every pass having it gets), `diagnostics`, `marker`, `llvm` and
    `llvm-text` (handed to LLVM's command line as they are).
    """

    name: str
    field: str
    kind: str
    help: str


# Kinds whose value may be the next word.
_WITH_VALUE = ("text", "number", "append", "llvm-text", "ignored-text")

FLAGS: tuple[Flag, ...] = (
    Flag("o", "output", "text", "write the result to this file (default: standard output)"),
    Flag("pass-pipeline", "pass_pipeline", "text", "the passes as 'builtin.module(...)'"),
    Flag("p", "pass_pipeline", "text", "short for --pass-pipeline; `builtin.module(...)` may be left out"),
    Flag("example", "example", "text", "print a module to try things on; an unknown name lists them"),
    Flag("list-passes", "list_passes", "set", "list every pass with its engine, wheel and options"),
    Flag("load-pass", "load_passes", "append", "a Python file with passes of your own (@dotload.register_pass)"),
    Flag("split-input-file", "split_marker", "marker", "process the parts between `// -----` markers one by one"),
    Flag("output-split-marker", "output_split_marker", "text", "what stands between their results"),
    Flag("verify-diagnostics", "verify_diagnostics", "diagnostics", "check `expected-error {{...}}` comments"),
    Flag("verify-each", "verify_each", "set", "verify the module after each pass (default: true)"),
    Flag("remarks", "remarks", "set", "print what each Python pass did and did not do, and why"),
    Flag("print-block-load-layout", "pass_options", "option", "have passes print the layouts of block loads"),
    Flag("stage", "stage", "text", "run Triton's pipeline up to ttir, ttgir, llir, ptx, cubin or sass"),
    Flag("target", "target", "text", "target of --stage, as cuda:90 (default: the module's ttg.target)"),
    Flag("num-warps", "num_warps", "number", "warps of --stage (default: the module's, else 4)"),
    Flag("num-stages", "num_stages", "number", "software pipeline stages of --stage (default: 3)"),
    Flag("num-ctas", "num_ctas", "number", "CTAs of a cluster of --stage (default: the module's, else 1)"),
    Flag("no-dotload", "no_dotload", "set", "run --stage without dotload's passes"),
    Flag("diff", "diff", "set", "with --stage: show what dotload's passes changed"),
    Flag("run-reproducer", "run_reproducer", "set", "run the passes of the input's `mlir_reproducer` resource"),
    Flag("mlir-generate-reproducer", "generate_reproducer", "text", "write the input and the passes to this file"),
    Flag("mlir-pass-pipeline-crash-reproducer", "crash_reproducer", "text", "where to write the module of a crash"),
    Flag("mlir-pass-pipeline-local-reproducer", "ignored", "set", "accepted: a crash's module is that of its pass"),
    Flag("allow-unregistered-dialect", "allow_unregistered", "set", "accept operations of unknown dialects"),
    Flag("mlir-print-ir-before-all", "print_before_all", "set", "print the IR before each pass to standard error"),
    Flag("mlir-print-ir-after-all", "print_after_all", "set", "print the IR after each pass to standard error"),
    Flag("mlir-print-ir-before", "print_before", "append", "print the IR before this pass"),
    Flag("mlir-print-ir-after", "print_after", "append", "print the IR after this pass"),
    Flag("mlir-print-ir-after-change", "print_after_change", "set", "print the IR after each pass that changed it"),
    Flag("mlir-print-ir-after-failure", "print_after_failure", "set", "print the IR after a pass that failed"),
    Flag("mlir-print-ir-module-scope", "ignored", "set", "accepted: dumps show the whole module anyway"),
    Flag("mlir-print-op-on-diagnostic", "print_op_on_diagnostic", "set", "show the op of an error (default: true)"),
    Flag("dump-pass-pipeline", "dump_pipeline", "set", "print the passes as pipeline text to standard error"),
    Flag("mlir-print-op-generic", "print_generic", "set", "print operations in generic form"),
    Flag("mlir-timing", "timing", "set", "report where the time went, to standard error"),
    Flag("mlir-timing-display", "ignored", "ignored-text", "accepted: there is one report"),
    Flag("mlir-print-local-scope", "llvm_flags", "llvm", "print attributes, types and locations without aliases"),
    Flag("mlir-print-debuginfo", "llvm_flags", "llvm", "print locations"),
    Flag("mlir-pretty-debuginfo", "llvm_flags", "llvm", "print locations in a shorter, unparsable form"),
    Flag("mlir-use-nameloc-as-prefix", "llvm_flags", "llvm", "name values after their name locations"),
    Flag("mlir-print-value-users", "llvm_flags", "llvm", "print the users of each value"),
    Flag("mlir-print-unique-ssa-ids", "llvm_flags", "llvm", "never reuse a value's number"),
    Flag("mlir-print-skip-regions", "llvm_flags", "llvm", "print no regions"),
    Flag("mlir-print-assume-verified", "llvm_flags", "llvm", "print without verifying"),
    Flag("mlir-elide-elementsattrs-if-larger", "llvm_flags", "llvm-text", "shorten constants with more elements"),
    Flag("mlir-elide-resource-strings-if-larger", "llvm_flags", "llvm-text", "shorten longer resource strings"),
    Flag("debug", "llvm_flags", "llvm", "LLVM's debug output"),
    Flag("debug-only", "llvm_flags", "llvm-text", "LLVM's debug output of these components"),
    Flag("mlir-disable-threading", "ignored", "set", "accepted for triton-opt's sake: dotload-opt is single-threaded"),
    Flag("no-exported-symbols", "no_exported_symbols", "set", "use libtriton's Python bindings only"),
    Flag("traceback", "traceback", "set", "show the Python traceback of an error"),
    Flag("help", "help", "set", "show this text"),
    Flag("h", "help", "set", "short for --help"),
    Flag("version", "version", "set", "show the versions of dotload and of the triton wheel"),
)


@dataclass(frozen=True)
class Command:
    """The parsed command line."""

    input: str = "-"
    output: str = "-"
    passes: tuple[PassElement, ...] = ()
    example: str = ""
    list_passes: bool = False
    load_passes: tuple[str, ...] = ()
    split_marker: str = ""
    """Empty when the input is one chunk."""
    output_split_marker: str = splitting.MARKER
    verify_diagnostics: str = ""
    """Empty, `all` or `only-expected`."""
    verify_each: bool = True
    remarks: bool = False
    pass_options: tuple[str, ...] = ()
    stage: str = ""
    target: str = ""
    num_warps: int | None = None
    num_stages: int | None = None
    num_ctas: int | None = None
    no_dotload: bool = False
    diff: bool = False
    run_reproducer: bool = False
    generate_reproducer: str = ""
    crash_reproducer: str = ""
    allow_unregistered: bool = False
    print_before_all: bool = False
    print_after_all: bool = False
    print_before: tuple[str, ...] = ()
    print_after: tuple[str, ...] = ()
    print_after_change: bool = False
    print_after_failure: bool = False
    print_op_on_diagnostic: bool = True
    dump_pipeline: bool = False
    print_generic: bool = False
    timing: bool = False
    llvm_flags: tuple[str, ...] = ()
    no_exported_symbols: bool = False
    traceback: bool = False
    help: bool = False
    version: bool = False

    @property
    def pipeline(self) -> str:
        """The passes as pipeline text."""
        return pipeline.join(self.passes)


def parse(arguments: list[str]) -> Command:
    """Read the command line; DriverError for an unknown flag, with the nearest flags."""
    return _Parser(arguments).parse()


class _Parser:
    def __init__(self, arguments: list[str]) -> None:
        self._words = list(arguments)
        self._values: dict[str, Any] = {}
        self._passes: list[tuple[str, str | None]] = []  # flag and options; `None` for a pipeline text
        self._inputs: list[str] = []
        self._flags = {flag.name: flag for flag in FLAGS}

    def parse(self) -> Command:
        while self._words:
            word = self._words.pop(0)
            if word == "--":
                self._inputs += self._words
                break
            if word.startswith("-") and word != "-":
                self._flag(word)
            else:
                self._inputs.append(word)
        if len(self._inputs) > 1:
            raise DriverError(f"one input file at most, not {len(self._inputs)}: {' '.join(self._inputs)}")
        command = dataclasses.replace(Command(), **self._values)
        if not command.stage and (command.diff or command.no_dotload):
            raise DriverError(f"--{'diff' if command.diff else 'no-dotload'} is for --stage, which is not given")
        # From here on, the user's own passes are registered.
        if command.load_passes:
            from dotload.tools.opt.user_passes import load_files

            load_files(command.load_passes)
        return dataclasses.replace(command, input=(self._inputs or ["-"])[0], passes=tuple(self._elements(command)))

    def _flag(self, word: str) -> None:
        name, equals, value = word.lstrip("-").partition("=")
        flag = self._flags.get(name)
        if flag is None:
            self._passes.append((name, _unquoted(value)))
            return
        if flag.kind in _WITH_VALUE and not equals:
            if not self._words:
                raise DriverError(f"'{word}' needs a value: {flag.help}")
            value, equals = self._words.pop(0), "="
        self._store(flag, word, value, bool(equals))

    def _store(self, flag: Flag, word: str, value: str, has_value: bool) -> None:
        if flag.field == "pass_pipeline":
            self._passes.append((value, None))
        elif flag.field == "ignored":
            return
        elif flag.kind == "set":
            self._values[flag.field] = _truth(word, value) if has_value else True
        elif flag.kind == "diagnostics":
            if value not in ("", "all", "only-expected"):
                raise DriverError(f"'{word}': the value is all or only-expected")
            self._values[flag.field] = value or "all"
        elif flag.kind == "marker":
            self._values[flag.field] = value or splitting.MARKER
        elif flag.kind == "number":
            if not value.isdecimal() or len(value) > 18:  # Python itself reads no number of 4301 digits
                raise DriverError(f"'{word}': '{value}' is not a number from 0 to 10^18")
            if (problem := refusal(flag.field, int(value))) is not None:
                raise DriverError(problem)
            self._values[flag.field] = int(value)
        elif flag.kind == "text":
            self._values[flag.field] = value
        else:
            as_given = f"-{flag.name}" + (f"={value}" if has_value else "")
            text = {"append": value, "option": flag.name}.get(flag.kind, as_given)
            self._values[flag.field] = (*self._values.get(flag.field, ()), text)

    def _elements(self, command: Command) -> list[PassElement]:
        elements: list[PassElement] = []
        for name, options in self._passes:
            if options is None:
                elements += pipeline.parse(name)
            else:
                # A flag nests its pass as the pass requires; a pipeline text gives the nesting itself.
                row = cpp_passes.table().get(name)
                elements.append(PassElement(name, options, row.anchors if row else ()))
        for name in (*(element.name for element in elements), *command.print_before, *command.print_after):
            _check(name)
        return elements


def passes_of(text: str) -> tuple[PassElement, ...]:
    """The passes of a pipeline text; DriverError for an unknown pass."""
    elements = pipeline.parse(text)
    for element in elements:
        _check(element.name)
    return elements


def help_text() -> str:
    """The text of `--help`."""
    values = dict.fromkeys(("text", "append", "llvm-text", "ignored-text"), "=<value>") | {"number": "=<number>"}
    rows = [(f"-{'-' * (len(flag.name) > 1)}{flag.name}{values.get(flag.kind, '')}", flag.help) for flag in FLAGS]
    width = max(len(name) for name, _ in rows)
    lines = [f"  {name:{width}}  {text}" for name, text in rows]
    return USAGE + "\nflags:\n" + "\n".join(lines) + "\n"


def _unquoted(value: str) -> str:
    """Options as MLIR's flags take them: in the shell's quotes, in braces, or bare."""
    value = value.strip()
    if len(value) > 1 and value[0] + value[-1] in ("{}", "''", '""'):
        value = value[1:-1]
    return value.strip()


def _truth(word: str, value: str) -> bool:
    if value.lower() not in ("true", "false", "1", "0"):
        raise DriverError(f"'{word}': the value is true or false")
    return value.lower() in ("true", "1")


def _check(name: str) -> None:
    """Raise DriverError, with the nearest flags, for a name that no pass has."""
    if name in _known_passes():
        return
    # Loading other packages' passes takes longer than most commands, so it is done only for an unknown name.
    from dotload.tools.opt.user_passes import load_entry_points

    load_entry_points()
    known = _known_passes()
    if name in known:
        return
    from dotload.tools.opt.listing import installed_flags

    there = [*installed_flags(), *_python_passes(), *(flag.name for flag in FLAGS)]
    near = difflib.get_close_matches(name, there, n=3)
    hint = f"did you mean {' or '.join('--' + word for word in near)}?" if near else "--help lists the flags,"
    if name.startswith("test-"):
        hint = "Triton's test passes are in no wheel;"
    raise DriverError(f"unknown flag or pass '--{name}'; {hint} --list-passes lists the passes")


def _known_passes() -> set[str]:
    return {*cpp_passes.table(), *_python_passes()}


def _python_passes() -> set[str]:
    return {name for entry in registry.entries() for name in (entry.name, *entry.aliases)}
