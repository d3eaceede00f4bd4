"""The text-handling parts of the driver: pipelines, chunks, diagnostics, the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotload.tools.opt import command_line, diagnostics, driver, pipeline, splitting
from dotload.tools.opt.diagnostics import Diagnostic
from dotload.tools.opt.errors import DriverError
from dotload.tools.opt.pipeline import PassElement
from dotload.tools.opt.user_passes import load_files

NAMES = st.from_regex(r"[a-z][a-z0-9]*(-[a-z0-9]+){0,3}", fullmatch=True)
VALUES = st.from_regex(r"[a-z0-9:.]+|\{[a-z]+,[a-z]+\}", fullmatch=True)
OPTIONS = st.lists(st.tuples(NAMES, VALUES), max_size=3).map(lambda pairs: " ".join(f"{n}={v}" for n, v in pairs))
ANCHORS = st.sampled_from([(), ("tt.func",), ("llvm.func",), ("any", "scf.for")])
ELEMENTS = st.builds(PassElement, NAMES, OPTIONS, ANCHORS)


@given(st.lists(ELEMENTS, max_size=5))
def test_a_pipeline_reads_back_as_it_was_written(elements: list[PassElement]) -> None:
    assert pipeline.parse(pipeline.join(tuple(elements))) == tuple(elements)


def test_nested_passes_know_their_anchors() -> None:
    parsed = pipeline.parse("builtin.module(cse, tt.func(a{x=1},any(b)),c{p={d,e} q='f g'})")
    assert [(e.name, e.options, e.anchors) for e in parsed] == [
        ("cse", "", ()),
        ("a", "x=1", ("tt.func",)),
        ("b", "", ("tt.func", "any")),
        ("c", "p={d,e} q='f g'", ()),
    ]
    assert parsed[3].option_list() == [("p", "{d,e}"), ("q", "'f g'")]


@pytest.mark.parametrize("text", ["a{", "a}", "builtin.module(a", "a b", "tt.func(a{x=1)"])
def test_malformed_pipelines_are_told(text: str) -> None:
    with pytest.raises(DriverError, match="malformed pass pipeline"):
        pipeline.parse(text)


@given(
    st.lists(st.sampled_from(["a\n", "// -----\n", "  // -----\n", "// ------\n", "\n", "x // -----\n"]), max_size=12)
)
def test_chunks_keep_their_lines(lines: list[str]) -> None:
    text = "".join(lines)
    chunks = splitting.split(text, "f")
    markers = sum(line.endswith("// -----\n") for line in lines)
    assert len(chunks) == markers + 1
    for chunk in chunks:
        padded = chunk.padded.splitlines()
        original = text.splitlines()
        for number, line in enumerate(padded[chunk.first_line - 1 :], chunk.first_line):
            assert original[number - 1].startswith(line)


LOG = """\
// IR Dump
f.mlir:3:5: error: first
line of a message
  %0 = "x"() // expected-error {{first}}
    ^
another dump
f.mlir:4:1: note: see here
<unknown>:0: warning: nowhere
loc("f.mlir":7:2): remark: plain
"""


def test_diagnostics_are_read_without_the_lines_they_quote() -> None:
    found, rest = diagnostics.parse(LOG)
    assert rest == "// IR Dump\nanother dump\n"
    assert found == [
        Diagnostic("f.mlir", 3, 5, "error", "first\nline of a message"),
        Diagnostic("f.mlir", 4, 1, "note", "see here"),
        Diagnostic("<unknown>", 0, 0, "warning", "nowhere"),
        Diagnostic("f.mlir", 7, 2, "remark", "plain"),
    ]


def test_expectations_find_their_lines() -> None:
    text = "\n".join(
        [
            "// expected-error@+2 {{a}}",
            "// expected-note@below {{b}}",
            "// expected-remark@below {{c}}",
            "op",
            "// expected-warning@above {{d}}",
            "// expected-error-re@above {{e{{[0-9]+}}f}}",
            "op // expected-error {{g}}",
            "// expected-error@unknown {{h}}",
        ]
    )
    found = {e.text: (e.line, e.severity, e.is_regex) for e in diagnostics.expectations(text, 10)}
    assert found == {
        "a": (12, "error", False),
        "b": (13, "note", False),
        "c": (13, "remark", False),
        "d": (13, "warning", False),
        "e{{[0-9]+}}f": (13, "error", True),
        "g": (16, "error", False),
        "h": (0, "error", False),
    }


def test_lines_are_split_as_in_mlir() -> None:
    text = "// a\fb\vc\x1cd\x85e\u2028f\n// expected-error@below {{a}}\nop\n"
    (expectation,) = diagnostics.expectations(text)
    assert (expectation.comment_line, expectation.line) == (2, 3)
    (diagnostic,), rest = diagnostics.parse("f.mlir:3:1: error: a\fb\nop\n^\n")
    assert (diagnostic.message, rest) == ("a\fb", "")


def test_a_malformed_regular_expression_is_reported_at_its_place() -> None:
    with pytest.raises(DriverError, match=r"^f:7:29: error: malformed regular expression in 'a{{\[}}b': unterminated"):
        diagnostics.expectations("\n  // expected-error-re@+1 {{a{{[}}b}}", 6, "f")


def test_verification_says_what_is_missing_and_what_is_too_much() -> None:
    expected = diagnostics.expectations("op // expected-error {{one}}\nop // expected-error {{two}}")
    got = [Diagnostic("f", 1, 1, "error", "has one here"), Diagnostic("f", 1, 1, "error", "has another here")]
    wrong = [str(d) for d in diagnostics.verify(got, expected, "f")]
    assert wrong == [
        "f:1:1: error: unexpected error: has another here",
        'f:2:1: error: expected error "two" was not produced',
    ]
    expected = diagnostics.expectations("op // expected-error {{one}}")
    assert not diagnostics.verify(got, expected, "f", only_expected=True)


def test_a_comment_stands_for_every_diagnostic_that_it_matches() -> None:
    expected = diagnostics.expectations("op // expected-error {{one}}")
    assert not diagnostics.verify([Diagnostic("f", 1, column, "error", "one") for column in (1, 5)], expected, "f")


def test_chunks_follow_code_and_precede_comments_on_the_line_of_their_marker() -> None:
    text = "a // -----\nb\n// -----// c\n//// -----\n// CHECK: // -----\nd"
    chunks = splitting.split(text, "f")
    assert [chunk.text for chunk in chunks] == ["a ", "b\n", "// c\n", "// CHECK: // -----\nd"]
    assert [chunk.first_line for chunk in chunks] == [1, 2, 3, 5]
    assert [chunk.text for chunk in splitting.split("a\n// ===\nb", "f", "// ===")] == ["a\n", "b"]


def test_a_regular_expectation_is_literal_outside_its_braces() -> None:
    (expectation,) = diagnostics.expectations("// expected-error-re {{'a.b' has {{[0-9]+}} (of 4)}}")
    assert expectation.matches(Diagnostic("f", 1, 1, "error", "'a.b' has 12 (of 4)"))
    assert not expectation.matches(Diagnostic("f", 1, 1, "error", "'axb' has 12 (of 4)"))
    assert not expectation.matches(Diagnostic("f", 2, 1, "error", "'a.b' has 12 (of 4)"))


def test_flags_take_one_dash_or_two_and_passes_keep_their_order() -> None:
    command = command_line.parse(
        [
            "-cse",
            "f.mlir",
            "--tritongpu-pipeline=num-stages=3",
            "-split-input-file",
            "-p",
            "canonicalize{top-down=false}",
        ]
        + ["--convert-triton-to-tritongpu='target=cuda:90 num-warps=4'", "-o", "out"]
    )
    assert [str(element) for element in command.passes] == [
        "cse",
        "tritongpu-pipeline{num-stages=3}",
        "canonicalize{top-down=false}",
        "convert-triton-to-tritongpu{target=cuda:90 num-warps=4}",
    ]
    assert (command.input, command.output, command.split_marker) == ("f.mlir", "out", "// -----")
    assert command.pipeline.startswith("builtin.module(cse,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--csee"], "unknown flag or pass '--csee'; did you mean --cse"),
        (["a", "b"], "one input file at most, not 2: a b"),
        (["--num-warps=four"], "'four' is not a number from 0 to 10^18"),
        (["--num-warps=-3"], "'-3' is not a number from 0 to 10^18"),
        (["--verify-diagnostics=some"], "the value is all or only-expected"),
        (["--remarks=maybe"], "the value is true or false"),
        (["-o"], "'-o' needs a value"),
    ],
)
def test_mistakes_on_the_command_line(words: list[str], message: str) -> None:
    with pytest.raises(DriverError, match=re.escape(message)):
        command_line.parse(words)


def test_the_reproducer_of_a_crash_has_every_flag_of_the_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--stage=ttgir", "--target=cuda:90", "--num-warps=8", "--num-stages=2", "--num-ctas=2", "--no-dotload"]
    file = tmp_path / "a crash.mlir"
    command = command_line.parse(["k.ttir", *flags, f"--mlir-pass-pipeline-crash-reproducer={file}"])
    assert driver._report_crash(command, "module {}", -6) == 1
    line = f"dotload-opt '{file}' {' '.join(flags)}"
    assert file.read_text() == f"// {line}\nmodule {{}}"
    assert f"reproduce with: {line}\n" in capsys.readouterr().err


def test_help_names_every_flag() -> None:
    text = command_line.help_text()
    for flag in command_line.FLAGS:
        assert re.search(rf"^  --?{flag.name}[= ]", text, re.MULTILINE), flag.name


def test_a_pass_that_does_not_load_is_told_at_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "typo.py").write_text("import os\n\nimport dotlod\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DriverError, match=r"^typo\.py:3:1: error: cannot load the pass: No module named 'dotlod'$"):
        load_files(("typo.py",))
