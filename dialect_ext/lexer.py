"""xDSL's MLIR lexer, with one regular expression for the most frequent tokens."""

from __future__ import annotations

import re

from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRToken, MLIRTokenKind

from dotload.dialect_ext.xdsl_private import OpenLexer

# White space and comments, then the token. The pattern cannot backtrack within a comment or within white space.
_TOKEN = re.compile(
    r"\s*(?://[^\n]*(?:\n|\Z)\s*)*(?:([A-Za-z_][\w$.]*)|([,:=()<>\[\]}+*?|]|/(?!/)|->|-(?!>)|\{(?!-#))"
    r"|([%#!^])(?:[0-9]+|[A-Za-z$._][\w$.-]*)|((?!0x)[0-9]+(?![0-9.])))",
    re.ASCII,
)
_WORD, _PUNCTUATION, _PREFIX, _NUMBER = range(1, 5)
_KINDS = {
    "%": MLIRTokenKind.PERCENT_IDENT,
    "#": MLIRTokenKind.HASH_IDENT,
    "!": MLIRTokenKind.EXCLAMATION_IDENT,
    "^": MLIRTokenKind.CARET_IDENT,
    **KIND_BY_PUNCTUATION_SPELLING,
}


class Lexer(OpenLexer):
    """The same tokens as `MLIRLexer`, which reads the rare ones: strings, floats, symbols, errors."""

    def lex(self) -> MLIRToken:
        """The next token; raises ParseError if there is none."""
        match = _TOKEN.match(self.input.content, self.pos)
        if match is None:
            return super().lex()
        self.pos = match.end()
        group = match.lastindex
        if group == _WORD:
            return Token(MLIRTokenKind.BARE_IDENT, Span(match.start(_WORD), self.pos, self.input))
        if group == _NUMBER:
            return Token(MLIRTokenKind.INTEGER_LIT, Span(match.start(_NUMBER), self.pos, self.input))
        assert group is not None
        return Token(_KINDS[match[group]], Span(match.start(group), self.pos, self.input))
