"""Every wrong argument is an exception that names it."""

from __future__ import annotations

import inspect
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

import dalsegno as ds

M: Any = ds.generate("philosophers", 3)
D: Any = ds
F: Any = ds.formula("a")
NAN = float("nan")

CASES: list[tuple[Callable[[], Any], type[BaseException], str]] = [
    (lambda: D.formula(3), TypeError, "text"),
    (lambda: D.formula(None), TypeError, "text"),
    (lambda: D.Formula(b"a"), TypeError, "text"),
    (lambda: D.Formula(), TypeError, "text"),
    (lambda: F & 3, TypeError, "&"),
    (lambda: F & "(", ds.ParseError, "column"),
    (lambda: F.implies(3), TypeError, "other"),
    (lambda: F < F, TypeError, "<"),
    (lambda: F.to_str("tex"), ValueError, "syntax"),
    (lambda: F.is_in("safe"), ValueError, "name"),
    (lambda: F.is_stutter_invariant(timeout=-1), ValueError, "timeout"),
    (lambda: D.G(3), TypeError, "f: "),
    (lambda: D.atom(3), TypeError, "name"),
    (lambda: D.translate(3), TypeError, "formula"),
    (lambda: D.translate("a", 3), TypeError, "kind"),
    (lambda: D.translate("a", "nfa"), ValueError, "kind"),
    (lambda: D.translate("a", propositions="x"), ValueError, "propositions"),
    (lambda: D.translate("a", timeout="soon"), TypeError, "timeout"),
    (lambda: D.translate("a", timeout=NAN), ValueError, "timeout"),
    (lambda: D.translate("a", memory=-1), ValueError, "memory"),
    (lambda: D.translate("a").to_str("pdf"), ValueError, "format"),
    (lambda: D.automaton(3), TypeError, "text"),
    (lambda: D.automaton("nothing"), ds.ParseError, "column"),
    (lambda: D.equivalent("a", 3), TypeError, "b: "),
    (lambda: D.equivalent("a", "E F a"), ds.DalsegnoError, "path quantifiers"),
    (lambda: D.included("a", "b", timeout="x"), TypeError, "timeout"),
    (lambda: D.accepts("a", 3), TypeError, "word"),
    (lambda: D.intersection(), ValueError, "languages"),
    (lambda: D.load(3), TypeError, "path"),
    (lambda: D.load("nowhere.pnml"), FileNotFoundError, "nowhere"),
    (lambda: D.load("."), OSError, "."),
    (lambda: D.loads(3), TypeError, "data"),
    (lambda: D.loads("<pnml/>", 3), TypeError, "name"),
    (lambda: D.loads("<pnml/>", timeout=-1), ValueError, "timeout"),
    (lambda: D.Model(3), TypeError, "Model"),
    (lambda: D.net({"p": -1}), ValueError, "p"),
    (lambda: D.net({"p": 2**32}), ValueError, "p"),
    (lambda: D.net({"p": "x"}), TypeError, "p"),
    (lambda: D.net({"p": True}), TypeError, "p"),
    (lambda: D.net({3: 1}), TypeError, "places"),
    (lambda: D.net([("p", 1, 2)]), TypeError, "places"),
    (lambda: D.net([""]), ValueError, "empty"),
    (lambda: D.net(["p", "p"]), ValueError, "p"),
    (lambda: D.net(["p"], ["p"]), ValueError, "p"),
    (lambda: D.net(["p"], "tu"), TypeError, "transitions"),
    (lambda: D.net(["p"], [3]), TypeError, "transitions"),
    (lambda: D.net(["p"], [], ["pt"]), TypeError, "arcs"),
    (lambda: D.net(["p"], [], [("p",)]), TypeError, "arcs"),
    (lambda: D.net(["p"], [], [("p", "t", 1, "arc", 3)]), TypeError, "arcs"),
    (lambda: D.net(["p"], [], [("p", 3)]), TypeError, "arcs"),
    (lambda: D.net(["p"], [], [("p", "t", 0)]), ValueError, "weight 0"),
    (lambda: D.net(["p"], [], [("p", "t", -1)]), ValueError, "weight"),
    (lambda: D.net(["p"], [], [("p", "t", 1, "magic")]), ValueError, "kind"),
    (lambda: D.net(["p"], [], [("p", "t", 1, 1)]), TypeError, "kind"),
    (lambda: D.net(["p", "q"], [], [("p", "q")]), ValueError, "place and a transition"),
    (lambda: D.net(["p"], [], [("t", "p", 1, "test")]), ValueError, "from a place"),
    (lambda: D.net(["p"], [], [("p", "t", 2**31), ("p", "t", 2**31)]), ValueError, "too much"),
    (lambda: D.net(["p"], name=3), TypeError, "name"),
    (lambda: D.generate("nobody", 3), ValueError, "family"),
    (lambda: D.generate("philosophers", -1), ValueError, "n"),
    (lambda: D.generate("philosophers", 0), ValueError, "n"),
    (lambda: D.generate("kanban", 2, coloured=True), ValueError, "n"),
    (lambda: D.generate(3, 3), TypeError, "family"),
    (lambda: M.place(3), TypeError, "name"),
    (lambda: M.place("x"), ds.UnknownNameError, "x"),
    (lambda: M.place("Eat_1") + "x", TypeError, "Sum"),
    (lambda: M.place("Eat_1") < "x", TypeError, "<"),
    (lambda: M.place("Eat_1") * 2.5, TypeError, "float"),
    (lambda: M.enabled(), TypeError, "transition"),
    (lambda: M.fires("x"), ds.UnknownNameError, "x"),
    (lambda: M.formula("G("), ds.ParseError, "column"),
    (lambda: M.check(), TypeError, "nothing to check"),
    (lambda: M.check(3), TypeError, "formula"),
    (lambda: M.check(None), TypeError, "formula"),
    (lambda: M.check([3]), TypeError, "formula"),
    (lambda: M.check(M.place("Eat_1")), TypeError, "Sum"),
    (lambda: M.check(ctl=3), TypeError, "ctl"),
    (lambda: M.check(never="F a"), TypeError, "never"),
    (lambda: M.check("G(", timeout=1), ds.ParseError, "column"),
    (lambda: M.check("G nobody"), ds.ParseError, "nobody"),
    (lambda: M.check('G "Eat_1 >"'), ds.ParseError, "expected"),
    (lambda: M.check("F Eat_1", enigne="auto"), TypeError, "enigne"),
    (lambda: M.check("F Eat_1", engine="fast"), ValueError, "engine"),
    (lambda: M.check("F Eat_1", engine=3), TypeError, "engine"),
    (lambda: M.check("F Eat_1", automaton="nfa"), ValueError, "automaton"),
    (lambda: M.check("F Eat_1", automaton=3), TypeError, "automaton"),
    (lambda: M.check("F Eat_1", propositions="x"), ValueError, "propositions"),
    (lambda: M.check("F Eat_1", dead_ends="x"), ValueError, "dead_ends"),
    (lambda: M.check("F Eat_1", dead_ends="finite"), ds.DalsegnoError, "finite"),
    (lambda: M.check("F Eat_1", fair="fairly"), ValueError, "fair"),
    (lambda: M.check("F Eat_1", fair=[3]), TypeError, "fair"),
    (lambda: M.check("F Eat_1", threads=0), ValueError, "threads"),
    (lambda: M.check("F Eat_1", threads=1.5), TypeError, "threads"),
    (lambda: M.check("F Eat_1", timeout="x"), TypeError, "timeout"),
    (lambda: M.check("F Eat_1", timeout=-0.1), ValueError, "timeout"),
    (lambda: M.check("F Eat_1", max_states=-1), ValueError, "max_states"),
    (lambda: M.check("F Eat_1", max_states="x"), TypeError, "max_states"),
    (lambda: M.check("F Eat_1", memory=2**70), ValueError, "memory"),
    (lambda: M.check("F Eat_1", progress=3), TypeError, "progress"),
    (lambda: M.check("F Eat_1", errors="keep"), ValueError, "errors"),
    (lambda: M.check("X Eat_1", automaton="ta"), ds.DalsegnoError, "stutter-invariant"),
    (lambda: M.check("F Eat_1", automaton="ta", engine="symbolic"), ds.DalsegnoError, "engine="),
    (lambda: M.ask("everything"), ValueError, "question"),
    (lambda: M.ask(3), TypeError, "question"),
    (lambda: M.check_file("nowhere.xml"), FileNotFoundError, "nowhere"),
    (lambda: M.states(engine="x"), ValueError, "engine"),
    (lambda: M.states(engine=3), TypeError, "engine"),
    (lambda: M.states(threads=0), ValueError, "threads"),
    (lambda: M.states(memory="x"), TypeError, "memory"),
    (lambda: M.states(progress="x"), TypeError, "progress"),
    (lambda: M.show(around=3), TypeError, "around"),
    (lambda: M.show(around=[3]), TypeError, "around"),
    (lambda: M.show(marking={"x": 1}), ds.UnknownNameError, "x"),
    (lambda: M.show(marking={"Eat_1": -1}), ValueError, "marking"),
    (lambda: M.show(arrangement="x"), ValueError, "arrangement"),
    (lambda: M.show(most=-1), ValueError, "most"),
    (lambda: D.random_formulas(-1), ValueError, "count"),
    (lambda: D.random_formulas(1, size=0), ValueError, "size"),
    (lambda: D.random_formulas(1, size=(3, 2)), ValueError, "size"),
    (lambda: D.random_formulas(1, size=(1, 2, 3)), ValueError, "size"),
    (lambda: D.random_formulas(1, seed=-1), ValueError, "seed"),
    (lambda: D.random_formulas(1, propositions="ab"), TypeError, "propositions"),
    (lambda: D.random_formulas(1, propositions=[]), ValueError, "propositions"),
    (lambda: D.random_formulas(1, propositions=[1]), TypeError, "propositions"),
    (lambda: D.random_formulas(1, logic="fol"), ValueError, "logic"),
    (lambda: D.random_formulas(1, weights={"Z": 1}), ValueError, "weights"),
    (lambda: D.random_formulas(1, weights={"U": -1}), ValueError, "weights"),
    (lambda: D.random_formulas(1, fair=1, logic="ctl"), ValueError, "fair"),
    (lambda: D.formula("\ud800"), ValueError, "surrogates"),
    (lambda: F.to_str(3), TypeError, "syntax"),
    (lambda: F.is_in(3), TypeError, "name"),
    (lambda: F.is_in("safety", timeout="x"), TypeError, "timeout"),
    (lambda: D.U("a", 3), TypeError, "g: "),
    (lambda: D.translate("a").to_str(3), TypeError, "format"),
    (lambda: D.included(3, "a"), TypeError, "a: "),
    (lambda: D.union("a", 3), TypeError, "languages: "),
    (lambda: D.complement(3), TypeError, "language: "),
    (lambda: D.some_word(3), TypeError, "language: "),
    (lambda: D.accepts(3, "cycle{a}"), TypeError, "language: "),
    (lambda: D.load(None), TypeError, "path"),
    (lambda: D.net(3), TypeError, "places"),
    (lambda: D.net("p"), TypeError, "places"),
    (lambda: D.net({"p": 1}, 3), TypeError, "transitions"),
    (lambda: D.net({"p": 1}, [], 3), TypeError, "arcs"),
    (lambda: D.net([ds.Place("p", "p", None)]), TypeError, "places"),
    (lambda: D.from_networkx(3), TypeError, "graph"),
    (lambda: D.to_networkx(3), TypeError, "model"),
    (lambda: D.from_pm4py(3, {}), TypeError, "petri_net"),
    (lambda: D.from_pm4py(*[M.places] * 2), TypeError, "petri_net"),
    (lambda: D.to_pm4py("x"), TypeError, "model"),
    (lambda: M.formula(3), TypeError, "text"),
    (lambda: M.enabled(3), TypeError, "transitions"),
    (lambda: M.check(b"F Eat_1"), TypeError, "formula"),
    (lambda: M.check("F Eat_1", fair=3), TypeError, "fair"),
    (lambda: M.check_file(3), TypeError, "path"),
    (lambda: M.check("G Eat_1").report(3), TypeError, "path"),
    (lambda: M.check("G Eat_1").save_witness(3), TypeError, "path"),
    (lambda: M.save(3), TypeError, "path"),
    (lambda: M.show().save(3), TypeError, "path"),
    (lambda: M.unfold(timeout="x"), TypeError, "timeout"),
    (lambda: M.show(marking=3), TypeError, "marking"),
    (lambda: D.random_formulas("x"), TypeError, "count"),
    (lambda: D.random_formulas(1, propositions=2.5), TypeError, "propositions"),
    (lambda: D.random_formulas(1, weights=3), TypeError, "weights"),
    (lambda: D.formula_of_family(3, 1), TypeError, "family"),
    (lambda: D.formula_of_family("nobody", 1), ValueError, "family"),
    (lambda: D.formula_of_family("rv-counter", 0), ValueError, "n"),
]


@pytest.mark.parametrize(("call", "kind", "named"), CASES, ids=range(len(CASES)))
def test_a_wrong_argument_is_named(call: Callable[[], Any], kind: type[BaseException], named: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert isinstance(raised.value, Exception), "a panic"
    assert not isinstance(raised.value, ds.InternalError)
    assert named in str(raised.value)


NONSENSE: list[Any] = [
    None, 3, -1, 2**70, 1.5, NAN, float("inf"), "", "a", "\ud800", "(", "\0", "x" * 100_000, b"a", [], [None], {}, {"a": object()},
    {1, 2}, object(), F, ds.translate("a"), M, M.place("Eat_1"), M.check("G Fork_1"), True, range(3), (1, 2, 3, 4, 5), lambda *_: 1 / 0,
]  # fmt: skip
FILES = ("save", "report", "save_witness")


def callables() -> list[tuple[str, Callable[..., Any]]]:
    """The functions of the package, and the methods of its objects that write no files."""
    found = [(name, getattr(ds, name)) for name in ds.__all__]
    found = [(name, function) for name, function in found if callable(function) and not inspect.isclass(function)]
    result = M.check("G Fork_1")
    for thing in (M, F, ds.translate("a U b"), M.place("Eat_1"), result, result.run, ds.Results([result])):
        for name in dir(type(thing)):
            if callable(getattr(thing, name, None)) and not name.startswith("__") and name not in FILES:
                found.append((f"{type(thing).__name__}.{name}", getattr(thing, name)))
    return found


def test_nonsense_is_no_defect() -> None:
    """DALSEGNO_CALLS makes it a campaign."""
    draw = random.Random(7)
    known = callables()
    assert len(known) > 80
    for _ in range(int(os.environ.get("DALSEGNO_CALLS", "3000"))):
        name, function = draw.choice(known)
        options = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        named = {option: draw.choice(NONSENSE) for option in options if draw.random() < 0.2}
        given = [draw.choice(NONSENSE) for _ in range(draw.choice((0, 1, 1, 1, 2, 2, 3)))]
        try:
            function(*given, **named)
        except (ds.InternalError, AssertionError, SystemError) as error:
            raise AssertionError(f"{name}(*{given!r:.200}, **{named!r:.200})") from error
        except Exception:
            pass
