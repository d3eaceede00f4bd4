"""Command lines whose long flags take one dash or two, as in LLVM's tools, with suggestions for mistyped ones."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn


@dataclass
class _Flags:
    """The flags of a parser: all, those that take a value, those that take all remaining words."""

    names: set[str] = field(default_factory=set[str])
    valued: set[str] = field(default_factory=set[str])
    last: set[str] = field(default_factory=lambda: {"--"})
    is_program: bool = False
    """Whether the first word that is not a flag begins another program's command line."""

    def add(self, action: argparse.Action) -> None:
        names = set(action.option_strings)
        takes_rest = action.nargs == argparse.REMAINDER
        self.names |= names
        self.valued |= names if action.nargs != 0 else set()
        self.last |= names if takes_rest else set()
        self.is_program |= takes_rest and not names


class FlagParser(argparse.ArgumentParser):
    """argparse's parser; `-use-hw-view` is `--use-hw-view`, and a mistyped flag names its neighbour.

    `--option=--` is an error: argparse would take it as an option without a value and store a list.
    """

    def add_argument(self, *names: str, **keywords: Any) -> argparse.Action:  # pyright: ignore[reportIncompatibleMethodOverride]  # as in typeshed, shorter
        action = super().add_argument(*names, **keywords)
        self._flags.add(action)
        return action

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]  # overloads
        words = list(sys.argv[1:] if args is None else args)
        end = self._end(words)
        words[:end] = map(self._with_two_dashes, words[:end])
        for word in words[:end]:
            self._check(word)
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        """Print one line, with the command that shows all flags; argparse's usage would hide it."""
        self.exit(2, f"{self.prog}: error: {message} (try {self.prog} --help)\n")

    @property
    def _flags(self) -> _Flags:
        return self.__dict__.setdefault("flags", _Flags())  # argparse's constructor adds --help before ours runs

    def _end(self, words: Sequence[str]) -> int:
        """The number of words of this parser: up to `--`, or up to a flag or program that takes all remaining words."""
        is_value = False
        for number, word in enumerate(map(self._with_two_dashes, words)):
            if word in self._flags.last:
                return number + 1
            if self._flags.is_program and not is_value and not word.startswith("-"):
                return number
            is_value = word in self._flags.valued
        return len(words)

    def _check(self, word: str) -> None:
        """Report errors that argparse would report badly, or not at all."""
        flag, equals, value = word.partition("=")
        if not flag.startswith("-") or " " in word or not flag.strip("-")[:1].isalpha():
            return
        if equals and value == "--":
            self.error(f"argument {flag}: '--' is not a value")
        is_long = flag.startswith("--")
        if not any(name.startswith(flag) if is_long else name == flag[:2] for name in self._flags.names):
            near = difflib.get_close_matches(flag, self._flags.names, n=1)
            self.error(f"unknown flag '{flag}'" + (f"; did you mean {near[0]}?" if near else ""))

    def _with_two_dashes(self, word: str) -> str:
        flag = f"-{word.partition('=')[0]}"
        return f"-{word}" if flag.startswith("--") and flag in self._flags.names else word
