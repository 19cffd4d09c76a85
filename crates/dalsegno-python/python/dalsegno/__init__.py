"""Model checking of LTL, CTL and CTL* with testing automata, on Petri nets, programs and tables.

>>> import dalsegno as ds
>>> m = ds.generate("philosophers", 3)
>>> result = m.check("G(Catch1_1 -> F Eat_1)")
>>> result.holds
False
>>> [step.transition for step in result.run.cycle]
[None]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from . import _native
from ._convert import from_networkx, from_pm4py, to_networkx, to_pm4py
from ._errors import DalsegnoError, InternalError, LimitError, ParseError, UndecidedError, UnknownNameError
from ._model import Arc, Model, Place, StateSpace, Transition, families, generate, load, loads, net
from ._native import A, Automaton, E, F, Formula, G, M, R, Sum, U, W, X, atom
from ._options import CheckOptions, Kind, Progress, limits, number
from ._picture import Picture
from ._result import Result, Results
from ._run import Run, Step
from ._word import Comparison, Word, accepts, complement, equivalent, included, intersection, some_word, union

__version__ = _native.version()

__all__ = [
    "A",
    "Arc",
    "Automaton",
    "CheckOptions",
    "Comparison",
    "DalsegnoError",
    "E",
    "F",
    "Formula",
    "G",
    "InternalError",
    "LimitError",
    "M",
    "Model",
    "ParseError",
    "Picture",
    "Place",
    "Progress",
    "R",
    "Result",
    "Results",
    "Run",
    "StateSpace",
    "Step",
    "Sum",
    "Transition",
    "U",
    "UndecidedError",
    "UnknownNameError",
    "W",
    "Word",
    "X",
    "accepts",
    "atom",
    "automata",
    "automaton",
    "complement",
    "equivalent",
    "families",
    "formula",
    "formula_families",
    "formula_of_family",
    "from_networkx",
    "from_pm4py",
    "generate",
    "included",
    "intersection",
    "load",
    "loads",
    "net",
    "random_formulas",
    "some_word",
    "to_networkx",
    "to_pm4py",
    "translate",
    "union",
]


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
    for name, value in (("kind", kind), ("propositions", propositions)):
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected a text, not {type(value).__name__}")
    seconds, _, granted = limits(timeout, None, memory)
    return _native.translate(
        formula, kind, propositions=propositions, single_pass=bool(single_pass), timeout=seconds, memory=granted
    )


def automata(text: str, /) -> list[Automaton]:
    """The automata of a text in the HOA format."""
    return _native.automata(text)


def automaton(text: str, /) -> Automaton:
    """The automaton of a text in the HOA format, which must have one."""
    found = _native.automata(text)
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
        names = list(propositions)
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"propositions: expected names, not {name!r}")
    else:
        names = [f"p{i}" for i in range(number("propositions", propositions, least=1, most=10_000))]
    if not isinstance(logic, str):
        raise TypeError(f"logic: expected a text, not {type(logic).__name__}")
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
    return _native.formula_of_family(family, number("n", n))


def formula_families() -> dict[str, str]:
    """The families of formulas, with their shapes."""
    return dict(_native.formula_families())
