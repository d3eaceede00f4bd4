"""Command lines whose long flags take one dash or two, as those of LLVM's tools do."""

from __future__ import annotations

import argparse
import sys
from typing import Any


class FlagParser(argparse.ArgumentParser):
    """argparse's parser; `-use-hw-view` is `--use-hw-view`.

    `--option=--` is a mistake: argparse takes it for an option without a value and stores a list.
    """

    def add_argument(self, *names: str, **keywords: Any) -> argparse.Action:  # pyright: ignore[reportIncompatibleMethodOverride]  # as in typeshed, shorter
        self.__dict__.setdefault("long_flags", set[str]()).update(name for name in names if name.startswith("--"))
        if keywords.get("nargs") == argparse.REMAINDER:
            self.__dict__.setdefault("last_flags", set[str]()).update(names)
        return super().add_argument(*names, **keywords)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]  # overloads
        words = list(sys.argv[1:] if args is None else args)
        end = self._end(words)
        words[:end] = map(self._with_two_dashes, words[:end])
        for word in words[:end]:
            if word.startswith("-") and word.endswith("=--"):
                self.error(f"argument {word.partition('=')[0]}: '--' is no value")
        return super().parse_known_args(words, namespace)

    def _end(self, words: list[str]) -> int:
        """How many words are the parser's own: those up to `--`, or to a flag that takes all that follow."""
        last = {"--", *self.__dict__.get("last_flags", ())}
        return next((n + 1 for n, word in enumerate(words) if self._with_two_dashes(word) in last), len(words))

    def _with_two_dashes(self, word: str) -> str:
        flag = f"-{word.partition('=')[0]}"
        return f"-{word}" if flag in self.__dict__["long_flags"] else word
