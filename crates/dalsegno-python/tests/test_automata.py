"""Automata, and languages compared by words."""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as xml

import pytest

import dalsegno as ds


def test_sizes_are_those_of_the_book() -> None:
    sizes = {kind: ds.translate("G(req -> F ack)", kind).num_states() for kind in ("tgba", "ba", "ta", "tgta")}
    assert sizes == {"tgba": 2, "ba": 2, "ta": 6, "tgta": 5}
    a = ds.translate("G F a & G F b")
    assert (a.num_states(), a.num_sets(), a.is_deterministic, a.propositions()) == (1, 2, True, ["a", "b"])
    assert a.num_edges() >= 1 and a.num_transitions() == 4 and a.kind == "tgba"


def test_automata_are_written_and_read() -> None:
    for kind in ("tgba", "ba", "ta", "tgta"):
        made = ds.translate("G(req -> F ack)", kind)
        text = made.to_str("hoa")
        assert text.startswith("HOA: v1") and ds.automaton(text).to_str() == text == str(made)
        again = pickle.loads(pickle.dumps(made))
        assert (again.kind, again.num_states()) == (kind, made.num_states())
        assert made.to_str("dot").startswith("digraph") and made.to_dict()["schema"] == "dalsegno.automaton/1"
        assert ds.equivalent(again, "G(req -> F ack)")
    both = ds.translate("a").to_str() + ds.translate("F b").to_str()
    assert [a.num_states() for a in ds.automata(both)] == [2, 2]
    with pytest.raises(ds.ParseError, match="2 automata"):
        ds.automaton(both)


def test_pictures_are_svg() -> None:
    a = ds.translate("G(req -> F ack)", "tgta")
    picture = a.show()
    assert picture.svg == a._repr_svg_() == a.to_str("svg")
    assert xml.fromstring(picture.svg).tag.endswith("svg")


def test_a_formula_without_an_automaton_says_why() -> None:
    with pytest.raises(ds.DalsegnoError, match="not stutter-invariant"):
        ds.translate("X a", "ta")
    with pytest.raises(ds.DalsegnoError, match="path quantifiers"):
        ds.translate("E F a")
    with pytest.raises(ds.DalsegnoError, match="65 propositions"):
        ds.translate(" | ".join(f"p{i}" for i in range(65)))
    with pytest.raises(ds.LimitError) as raised:
        ds.translate(ds.formula_of_family("rv-counter", 8), "ba", timeout=0)
    assert raised.value.reason == "time"


def test_languages_are_compared_by_words() -> None:
    found = ds.equivalent("G F a", "F G a")
    assert not found and found.word is not None
    assert (found.accepted_by, found.rejected_by) == ("G F a", "F G a")
    assert str(found.word) == "cycle{a; !a}" and found.word.cycle == ({"a": True}, {"a": False})
    assert ds.accepts("G F a", found.word) and not ds.accepts("F G a", found.word)
    assert [row["a"] for row in found.word.table()] == [True, False]
    assert repr(found) == "<Comparison: no, cycle{a; !a} is accepted by G F a and not by F G a>"
    assert repr(ds.included("G a", "F a")) == "<Comparison: yes>"
    assert ds.included("G F a", "F a") and not ds.included("F a", "G F a")
    assert ds.included("F a", "G F a").accepted_by == "F a"
    assert ds.equivalent(ds.translate("F G a", "tgta"), ds.formula("F G a"))
    assert ds.some_word("a & G !a") is None and str(ds.some_word("G a")) == "cycle{a}"
    with pytest.raises(ds.ParseError, match="cycle"):
        ds.accepts("a", "a; b")


def test_languages_are_combined() -> None:
    assert ds.equivalent(ds.intersection("G F a", "G F b"), "G F a & G F b")
    assert ds.equivalent(ds.union("F G a", ds.translate("b")), "F G a | b")
    assert ds.equivalent(ds.complement(ds.translate("G F a")), "F G !a")
