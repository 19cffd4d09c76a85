"""Formulas and their automata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from . import _native, _options
from ._errors import ParseError
from ._native import Automaton, Formula
from ._options import Kind, number


def formula(text: Formula | str, /, *, lbt: bool = False) -> Formula:
    """The formula of a text, in Spot's infix syntax or with ``lbt`` in LBT's prefix syntax; a formula stays what it is."""
    return text if isinstance(text, Formula) else Formula(text, lbt=lbt)


def translate(
    formula: Formula | str,
    kind: Kind = "tgba",
    *,
    propositions: Literal["raw", "boolean"] = "raw",
    single_pass: bool = False,
    timeout: float | None = None,
    memory: int | None = None,
) -> Automaton:
    """The automaton of a formula of LTL: a ``tgba``, ``ba``, ``ta`` or ``tgta``.

    ``propositions`` is ``raw`` for the atoms, or ``boolean`` for the maximal Boolean subformulas where those are fewer.
    With ``single_pass``, a TA gets an artificial livelock state. A limit that is hit raises ``LimitError``.
    """
    _options.text("kind", kind)
    _options.text("propositions", propositions)
    seconds, _, granted = _options.limits(timeout, None, memory)
    return _native.translate(
        formula, kind, propositions=propositions, single_pass=bool(single_pass), timeout=seconds, memory=granted
    )


def automata(text: str, /) -> list[Automaton]:
    """The automata of a text in the HOA format."""
    return _native.automata(_options.text("text", text))


def automaton(text: str, /) -> Automaton:
    """The automaton of a text in the HOA format, which must have one."""
    found = automata(text)
    if len(found) != 1:
        raise ParseError(f"the text has {len(found)} automata: dalsegno.automata reads several")
    return found[0]


def random_formulas(
    count: int,
    *,
    size: int | tuple[int, int] = 15,
    seed: int = 0,
    propositions: int | Iterable[str] = ("a", "b", "c"),
    logic: Literal["ltl", "ctl", "ctl*"] = "ltl",
    x_free: bool = False,
    weights: Mapping[str, int] | None = None,
    fair: int | None = None,
    unique: bool = False,
) -> list[Formula]:
    """Random formulas. The same arguments give the same formulas on every machine.

    ``size`` is the number of nodes of the syntax tree, or the least and the greatest; ``propositions`` are names, or a
    number n for p0 to p(n-1); ``weights`` tell how often operators are drawn: ``atoms``, ``constants``, ``not``, ``and``,
    ``or``, ``xor``, ``implies``, ``iff`` and the letters ``XFGURWMEA``. With ``fair``, formulas hold under weak fairness
    to so many propositions.
    """
    if isinstance(size, tuple):
        if len(size) != 2:
            raise ValueError(f"size: expected a number or two, not {size!r}")
        least, most = number("size", size[0]), number("size", size[1])
    else:
        least = most = number("size", size)
    if isinstance(propositions, str):
        raise TypeError("propositions: expected a list of names or a number, not one text")
    if isinstance(propositions, Iterable):
        names = [_options.text("propositions", name) for name in propositions]
    else:
        names = [f"p{i}" for i in range(number("propositions", propositions, least=1, most=10_000))]
    _options.text("logic", logic)
    if weights is not None and not isinstance(weights, Mapping):
        raise TypeError(f"weights: expected a dict, not {type(weights).__name__}")
    drawn = [(str(name), number(f"weights: {name}", n, most=2**32 - 1)) for name, n in (weights or {}).items()]
    return _native.random(
        number("count", count),
        least,
        most,
        number("seed", seed),
        names,
        logic,
        bool(x_free),
        drawn,
        None if fair is None else number("fair", fair),
        bool(unique),
    )


def formula_of_family(family: str, n: int, /) -> Formula:
    """A formula of a family of the literature: ``formula_families()`` names them."""
    return _native.formula_of_family(_options.text("family", family), number("n", n))


def formula_families() -> dict[str, str]:
    """The families of formulas, with their shapes."""
    return dict(_native.formula_families())
