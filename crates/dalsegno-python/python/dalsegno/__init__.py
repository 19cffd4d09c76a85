"""Model checking of LTL, CTL and CTL* with testing automata, on Petri nets, programs and tables.

>>> import dalsegno as ds
>>> m = ds.generate("philosophers", 3)
>>> result = m.check("G(Catch1_1 -> F Eat_1)")
>>> result.holds
False
>>> [step.transition for step in result.run.cycle]
['FF1b_2', 'FF2b_2', 'End_2']
"""

from __future__ import annotations

from . import _native
from ._convert import from_networkx, from_pm4py, to_networkx, to_pm4py
from ._errors import DalsegnoError, InternalError, LimitError, ParseError, UndecidedError, UnknownNameError
from ._formulas import automata, automaton, formula, formula_families, formula_of_family, random_formulas, translate
from ._model import Model, StateSpace, families, generate, load, loads, net
from ._native import A, Automaton, E, F, Formula, G, M, R, Sum, U, W, X, atom
from ._net import Arc, Place, Transition
from ._options import CheckOptions, Progress
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
