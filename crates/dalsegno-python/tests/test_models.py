"""Models: loaded, built, converted, counted and drawn."""

from __future__ import annotations

import gzip
import pickle
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import dalsegno as ds

EXAMPLES = Path(__file__).parents[3] / "examples"


def two_states() -> ds.Model:
    return ds.net({"p": 1, "q": 0}, ["t"], [("p", "t"), ("t", "q"), ("q", "u"), ("u", "p")], name="two")


def test_files_are_loaded(tmp_path: Path) -> None:
    m = ds.load(EXAMPLES / "philosophers-5.pnml")
    assert (m.kind, len(m.places), len(m.transitions)) == ("net", 25, 25)
    assert ds.load(str(EXAMPLES / "peterson.dve")).kind == "program"
    assert ds.load(EXAMPLES / "light.etf").kind == "tables"
    packed = tmp_path / "m.pnml.gz"
    packed.write_bytes(gzip.compress(m.to_pnml().encode()))
    assert ds.load(packed).states().states == 243
    assert ds.loads(m.to_pnml()).name == m.name


def test_a_file_that_is_no_model_says_why(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ds.load(tmp_path / "none.pnml")
    texts: list[tuple[str | bytes, str]] = [("", "a.pnml"), ("just words", "a"), ("<pnml><net", "a.pnml"), (b"\xff\xfe\0", "a.dve")]
    for data, name in texts:
        with pytest.raises(ds.ParseError, match=name):
            ds.loads(data, name)
    damaged = Path(__file__).parents[3] / "corpus" / "damaged"
    files = sorted(path for path in damaged.rglob("*") if path.is_file())
    assert files
    for path in files:
        try:
            ds.load(path, timeout=20)
        except (ds.ParseError, ds.LimitError) as error:
            assert path.name in str(error)


def test_nets_are_built() -> None:
    m = two_states()
    assert [(p.id, p.tokens) for p in m.places] == [("p", 1), ("q", 0)]
    assert [t.id for t in m.transitions] == ["t", "u"]
    assert ds.Arc("q", "u") in m.arcs
    assert m.check("G F q").holds and not m.check("F G q").holds
    weighted = ds.net({"p": 3}, (), [("p", "t", 2), ("p", "t2", 2, "test"), ds.Arc("p", "t3", 3, "inhibitor"), ("t3", "p")])
    assert weighted.check(ctl='EF "p = 1"').holds
    assert weighted.check(ctl=ds.A(ds.G(weighted.place("p") <= 3))).holds
    assert [(arc.kind, arc.weight) for arc in weighted.arcs] == [("arc", 2), ("test", 2), ("inhibitor", 3), ("arc", 1)]
    assert pickle.loads(pickle.dumps(m)).states().states == 2


def test_nets_are_built_from_parts_of_others() -> None:
    m = two_states()
    copy = ds.net(m.places, m.transitions, m.arcs, name="copy")
    assert (copy.places, copy.transitions, copy.arcs) == (m.places, m.transitions, m.arcs)
    named = ds.net([ds.Place("p", "start", 1)], [ds.Transition("t", "leave")], [*copy.arcs[:1]])
    assert named.check(ds.G((named.place("start") == 0) | named.enabled("leave"))).holds
    assert named.check("F !start").holds
    run = named.check("G start").run
    assert run is not None and (run.steps[0].transition, run.steps[0].label) == ("t", "leave")
    assert run.word()[0]["transition"] == "leave" == run.table()[0]["transition"]


def test_models_are_pickled() -> None:
    for path in ("philosophers-5.pnml", "peterson.dve", "light.etf"):
        m = ds.load(EXAMPLES / path)
        again = pickle.loads(pickle.dumps(m))
        assert (again.kind, again.places, again.transitions) == (m.kind, m.places, m.transitions)
        assert again.states().states == m.states().states


def test_states_are_counted() -> None:
    found = ds.generate("philosophers", 5).states()
    assert (found.result, found.states, found.transitions, found.dead_ends) == ("complete", 243, 945, 2)
    kanban = ds.generate("kanban", 200).states()
    assert kanban.states == 31731714717364931267341
    endless = ds.net({"p": 1, "q": 0}, [], [("p", "t"), ("t", "p"), ("t", "q")]).states()
    assert (endless.result, endless.states) == ("unbounded", float("inf"))
    few = ds.generate("philosophers", 20).states(engine="explicit", max_states=1000)
    assert (few.result, few.reason, few.states) == ("unknown", "states", None)
    assert "243" in ds.generate("philosophers", 5).states()._repr_html_()


def test_coloured_nets() -> None:
    m = ds.generate("philosophers", 3, coloured=True)
    assert m.kind == "coloured net" and m.places[0].tokens is None
    with pytest.raises(ds.DalsegnoError, match="unfold"):
        m.arcs
    assert m._repr_svg_() is None
    assert m.states().states == 27 and m.unfold().states().states == 27
    assert m.unfold().kind == "net" and m.check("G F true").holds
    assert ds.loads(m.to_pnml(), "c.pnml").kind == "coloured net"


def test_places_make_atoms() -> None:
    m = ds.generate("philosophers", 3)
    eat = m.place("Eat_1")
    assert str(eat >= 1) == '"Eat_1 >= 1"'
    assert str(2 * eat - m.place("Fork_1") + 3 < 4) == '"2*Eat_1 - Fork_1 + 3 < 4"'
    assert str(1 <= eat) == '"Eat_1 >= 1"' and str(-eat == 0) == '"-Eat_1 = 0"'
    assert str(eat - eat >= 1) == '"0 >= 1"'
    assert m.check(ds.G((eat + m.place("Eat_2")) <= 1)).holds
    assert not m.check(ctl=ds.A(ds.G(eat != 1))).holds
    with pytest.raises(TypeError):
        0 <= eat <= 1
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(eat)
    with pytest.raises(OverflowError):
        eat * 2**62 * 4
    with pytest.raises(TypeError):
        eat * eat  # type: ignore[operator]
    with pytest.raises(ds.UnknownNameError, match="Eat_1"):
        m.place("Eat_l")
    with pytest.raises(ds.UnknownNameError):
        m.enabled("nothing")
    assert m.check(ctl=ds.E(ds.F(m.enabled("FF1a_1")))).holds
    assert m.check(ds.G(m.fires("FF1a_1") >> ds.X("Catch1_1"))).holds
    odd = ds.net({"a b": 1, "it's": 0, "deadlock": 0}, [], [("a b", "t"), ("t", "it's")])
    assert odd.check(ds.F(odd.place("it's") >= 1)).holds and odd.check(ds.G(odd.place("deadlock") == 0)).holds
    program = ds.load(EXAMPLES / "peterson.dve")
    assert program.check(ds.G(~((program.place("P_0") == "CS") & (program.place("P_1") == "CS")))).holds


def test_names_of_a_model_come_before_operators() -> None:
    m = ds.net({"Fork": 1, "ork": 0}, [], [("Fork", "t"), ("t", "Fork")])
    assert m.check(ds.F("ork")).holds is False  # the operator F and the place ork
    assert m.check(ds.atom("Fork")).holds is True
    assert m.formula('G "Fork"').atoms() == ["Fork"]
    with pytest.raises(ds.ParseError):
        m.check("Fork")  # which of the two?
    with pytest.raises(ds.ParseError, match="\\^"):
        m.formula("G nothing")


def test_pictures_of_nets() -> None:
    m = two_states()
    assert xml.fromstring(m.show().svg).tag.endswith("svg") and m._repr_svg_() == m.show().svg
    assert m.show(marking={"q": 2}).svg != m.show().svg
    big = ds.generate("philosophers", 40)
    assert len(big.show(around="Eat_1", most=8).svg) < len(big.show(around=["Eat_1", "FF1a_2"], most=40).svg)
    with pytest.raises(ds.UnknownNameError, match="nowhere"):
        m.show(around="nowhere")


def test_networkx_there_and_back() -> None:
    m = ds.generate("philosophers", 3)
    graph = ds.to_networkx(m)
    assert graph.nodes["Fork_1"] == {"kind": "place", "name": "Fork_1", "tokens": 1}
    again = ds.from_networkx(graph)
    assert (again.name, again.places, again.transitions) == (m.name, m.places, m.transitions)
    assert sorted(again.arcs, key=repr) == sorted(m.arcs, key=repr)
    graph.add_node("odd")
    with pytest.raises(ds.DalsegnoError, match="odd"):
        ds.from_networkx(graph)


@dataclass(eq=False)
class Node:
    name: str


@dataclass(eq=False)
class Arc:
    source: Node
    target: Node
    weight: int = 1
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class ResetArc(Arc):
    pass


@dataclass
class Net:
    places: list[Node]
    transitions: list[Node]
    arcs: list[Arc]
    name: str = ""


def test_nets_of_pm4py_are_taken_without_it() -> None:
    p, q, t = Node("p"), Node("q"), Node("t")
    m = ds.from_pm4py(Net([p, q], [t], [Arc(p, t, 2), Arc(t, q)]), {p: 2}, name="n")
    assert m.name == "n" and m.check("F G q").holds
    with pytest.raises(ds.DalsegnoError, match="reset"):
        ds.from_pm4py(Net([p, q], [t], [ResetArc(p, t)]), {p: 2})


def test_pm4py_there_and_back() -> None:
    m = ds.net(
        {"p": 2, "q": 0, "r": 0, "s": 1},
        [ds.Transition("u", "look")],
        [("p", "t"), ("t", "q", 2), ("p", "u", 1, "test"), ("s", "u"), ("u", "r"), ("r", "v"), ("v", "s")],
    )
    made: Any = ds.to_pm4py(m)
    assert {t.label for t in made[0].transitions} == {"t", "look", "v"}
    again = ds.from_pm4py(*made)
    assert again.places == sorted(m.places, key=lambda place: place.id) and ds.Transition("u", "look") in again.transitions
    for text in ("F q", "EF r", "AG r", "AG EF q", "AG EF r", 'EF "fireable(look)"'):
        assert again.check(text).holds == m.check(text).holds, text
    inhibited = ds.net({"p": 1, "q": 1}, [], [("p", "t", 1, "inhibitor"), ("q", "t"), ("p", "u")])
    assert ds.from_pm4py(*ds.to_pm4py(inhibited)).states().states == inhibited.states().states == 3


def test_other_packages_are_named_if_they_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("pm4py.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "networkx", None)
    monkeypatch.setitem(sys.modules, "pm4py", None)
    for convert, package in ((ds.to_networkx, "networkx"), (ds.to_pm4py, "pm4py")):
        with pytest.raises(ModuleNotFoundError, match=f"pip install {package}"):
            convert(two_states())
