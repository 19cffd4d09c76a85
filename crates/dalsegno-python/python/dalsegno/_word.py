"""Words, and languages that are compared by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from . import _native
from ._native import Automaton, Formula
from ._options import limits

Language = Union[Formula, Automaton, str]
"""A formula, its text, or an automaton."""


@dataclass(frozen=True)
class Word:
    """An infinite word: letters that come once, and letters that repeat for ever."""

    text: str
    """The word in the syntax of Spot, as ``a; cycle{!a; b}``."""
    propositions: tuple[str, ...]
    """What letters tell the truth of."""
    stem: tuple[dict[str, bool], ...]
    """The letters that come once."""
    cycle: tuple[dict[str, bool], ...]
    """The letters that repeat."""

    def __str__(self) -> str:
        return self.text

    def table(self) -> list[dict[str, Any]]:
        """A row per letter: its position, whether it repeats, and its propositions. ``pandas.DataFrame`` takes it."""
        letters = [(False, letter) for letter in self.stem] + [(True, letter) for letter in self.cycle]
        return [{"position": i, "cycle": cycle, **letter} for i, (cycle, letter) in enumerate(letters)]


@dataclass(frozen=True)
class Comparison:
    """Whether two languages are related as asked; ``bool()`` of it tells."""

    holds: bool
    """Whether they are."""
    word: Word | None = None
    """A word that shows that they are not."""
    accepted_by: str | None = None
    """Which of the two has the word."""
    rejected_by: str | None = None
    """Which of the two does not have it."""

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        if self.word is None:
            return "<Comparison: yes>"
        return f"<Comparison: no, {self.word} is accepted by {self.accepted_by} and not by {self.rejected_by}>"

    def __str__(self) -> str:
        if self.word is None:
            return "yes"
        return f"no\n  {self.word}\n    accepted by {self.accepted_by}\n    rejected by {self.rejected_by}"


def word_of(found: tuple[str, list[str], list[list[bool]], list[list[bool]]]) -> Word:
    """The word that the Rust part tells."""
    text, names, stem, cycle = found

    def letters(rows: list[list[bool]]) -> tuple[dict[str, bool], ...]:
        return tuple(dict(zip(names, row)) for row in rows)

    return Word(text, tuple(names), letters(stem), letters(cycle))


def _name(language: Language) -> str:
    return language.name if isinstance(language, Automaton) else str(language)


def equivalent(a: Language, b: Language, *, timeout: float | None = None) -> Comparison:
    """Whether two formulas or automata have the same words; if not, with a word that only one of them has."""
    found = _native.separating_word(a, b, timeout=limits(timeout, None, None)[0])
    if found is None:
        return Comparison(True)
    which, word = found
    names = [_name(a), _name(b)]
    return Comparison(False, word_of(word), names[which], names[1 - which])


def included(a: Language, b: Language, *, timeout: float | None = None) -> Comparison:
    """Whether each word of ``a`` is one of ``b``; if not, with a word of ``a`` that ``b`` does not have."""
    found = _native.missing_word(a, b, timeout=limits(timeout, None, None)[0])
    if found is None:
        return Comparison(True)
    return Comparison(False, word_of(found), _name(a), _name(b))


def some_word(language: Language, *, timeout: float | None = None) -> Word | None:
    """A word that satisfies a formula, or that an automaton accepts; ``None`` if there is none."""
    found = _native.some_word(language, timeout=limits(timeout, None, None)[0])
    return None if found is None else word_of(found)


def accepts(language: Language, word: Word | str, *, timeout: float | None = None) -> bool:
    """Whether a formula or automaton has a word, as ``a; cycle{!a; b}``; of several that fit the text, whether it has one."""
    if not isinstance(word, (Word, str)):
        raise TypeError(f"word: expected a Word or a text, not {type(word).__name__}")
    return _native.some_word(language, str(word), timeout=limits(timeout, None, None)[0]) is not None


def intersection(*languages: Language, timeout: float | None = None) -> Automaton:
    """The automaton of the words that all of the languages have."""
    return _native.combine(list(languages), timeout=limits(timeout, None, None)[0])


def union(*languages: Language, timeout: float | None = None) -> Automaton:
    """The automaton of the words that one of the languages has."""
    return _native.combine(list(languages), union=True, timeout=limits(timeout, None, None)[0])


def complement(language: Language, *, timeout: float | None = None) -> Automaton:
    """The automaton of the words that the language does not have."""
    return _native.complement(language, timeout=limits(timeout, None, None)[0])
