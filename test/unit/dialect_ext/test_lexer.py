"""The lexer returns the same tokens as xDSL's, and stops at the same errors."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind

from dotload.dialect_ext.lexer import Lexer

PIECES = [
    *KIND_BY_PUNCTUATION_SPELLING,
    *("tt.load", "x", "_a$.b", "f16", "%0", "%acc_1", "%", "#blocked1", "#0", "!tt.ptr", "!", "^bb0", "@f", "@"),
    *("0", "7", "128x64xf16", "0x1F", "0xi32", "0x", "00", "1.5", "2.", "1.e5", "1.5e-3", "1e5", "1..."),
    *('@"g"', '"text"', '"a\\0Ab"', '"\\FF"', '""'),
    *("// a %0 comment 6\n", "// the last 6", " ", "\n", "\t  \n", "é", ";"),
]


def tokens(lexer: MLIRLexer) -> list[tuple[object, ...]]:
    """Kind, start and end of every token; for an error, its text and location."""
    found: list[tuple[object, ...]] = []
    while not found or found[-1][0] is not MLIRTokenKind.EOF:
        try:
            token = lexer.lex()
        except ParseError as error:
            return [*found, (error.msg, error.span.start, error.span.end)]
        found.append((token.kind, token.span.start, token.span.end))
    return found


@given(st.lists(st.sampled_from(PIECES) | st.text(alphabet="01ax.-+eE_$%#!^@/ \n{}<>", max_size=4)).map("".join))
def test_the_tokens_are_those_of_xdsl(text: str) -> None:
    assert tokens(Lexer(Input(text, "-"))) == tokens(MLIRLexer(Input(text, "-")))


@pytest.mark.parametrize("name", ["gemm_fp16-90-ttgir", "gemm_fp16-80-ttir"])
def test_a_module_has_the_tokens_of_xdsl(name: str, compiled: Callable[[str], str]) -> None:
    text = compiled(name)
    assert tokens(Lexer(Input(text, "-"))) == tokens(MLIRLexer(Input(text, "-")))


@pytest.mark.parametrize("text", ['"' + "a" * 200, " " * 20_000 + '"', "// " * 20_000 + '"', "\n//" * 20_000 + "é"])
def test_no_text_takes_long(text: str) -> None:
    tokens(Lexer(Input(text, "-")))
