"""Formulas: read, written, combined, compared."""

from __future__ import annotations

import copy
import doctest
import pickle
from collections.abc import Callable

import pytest

import dalsegno as ds


def test_a_formula_is_read_and_written() -> None:
    f = ds.formula("[](req -> <> ack)")
    assert str(f) == "G(req -> Fack)"
    assert repr(f) == "Formula('G(req -> Fack)')"
    assert f.to_str("spin") == "[](req -> <>ack)"
    assert f.to_str("lbt") == 'G i "req" F "ack"'
    assert ds.formula(f.to_str("lbt"), lbt=True) == f
    assert f._repr_latex_() == r"$\mathsf{G}(\mathit{req} \rightarrow \mathsf{F}\mathit{ack})$"
    assert f.atoms() == ["req", "ack"]
    assert (f.operator, [str(g) for g in f.operands()], f.size()) == ("G", ["req -> Fack"], 5)
    assert ds.formula(f) is f


def test_operators_make_formulas() -> None:
    a, b = ds.formula("a"), ds.formula("b")
    assert str(~a) == "!a" and ~~a == a
    assert str(a & b) == "a & b" and str(a | "c") == "a | c" and str("c" | a) == "c | a"
    assert str(a >> b) == "a -> b" == str(a.implies(b)) and str("b" >> a) == "b -> a"
    assert str(a ^ b) == "a xor b" and str(a.iff(b)) == "a <-> b"
    assert a & True == a and a & False == ds.formula("false") and (True >> a) == a
    assert str(ds.G(ds.F(a))) == "GFa" and str(ds.U(a, "b")) == "a U b" and str(ds.A(ds.X(a))) == "AXa"
    assert [str(op("a", "b")) for op in (ds.R, ds.W, ds.M)] == ["a R b", "a W b", "a M b"]
    assert ds.E("F a").is_ctl and not ds.E("F a").is_ltl


def test_what_is_printed_does_not_depend_on_formulas_before() -> None:
    ds.formula("z & y & x")
    assert str(ds.formula("x & y & z")) == "x & y & z"
    assert ds.translate("x & G y").propositions() == ["x", "y"]


def test_equality_is_up_to_the_order_of_operands() -> None:
    pairs = [("a & b", "b & a"), ("a xor (b | c)", "(c | b) xor a"), ("a <-> X b", "Xb <-> a")]
    for one, other in pairs:
        assert ds.formula(one) == ds.formula(other) and hash(ds.formula(one)) == hash(ds.formula(other))
    for one, other in [("a U b", "b U a"), ("a -> b", "b -> a"), ("a", "b"), ("X a", "F a"), ('"a b"', "a & b")]:
        assert ds.formula(one) != ds.formula(other)
    assert len({ds.formula(t) for t in ("a & b", "b & a", "a | b")}) == 2
    assert ds.formula("a") != "a" and ds.formula("a") is not None


def test_formulas_are_copied_and_pickled() -> None:
    for f in ds.random_formulas(50, seed=3, size=(1, 30)):
        assert pickle.loads(pickle.dumps(f)) == f == copy.deepcopy(f)


def test_simplification_keeps_the_meaning() -> None:
    assert str(ds.formula("G X F a").simplify()) == "GFa"
    assert str(ds.formula("!(a U b)").nnf()) == "!a R !b"
    for f in ds.random_formulas(60, seed=5, size=12):
        assert ds.equivalent(f, f.simplify()) and ds.equivalent(f, f.nnf())


def test_classes() -> None:
    f = ds.formula("G(a -> F b)")
    assert f.is_stutter_invariant() and not ds.formula("X a").is_stutter_invariant()
    assert f.syntactic_class == "recurrence" and f.is_in("recurrence") and not f.is_in("safety")
    assert ds.formula("G a | G !a").is_in("obligation")
    assert ds.formula("a & b").is_boolean and f.is_x_free and f.is_ltl


def test_atoms_have_any_name() -> None:
    for name in ("", "G", "a b", 'say "hi"', "\\", "p=1", "é\0\n", "true"):
        f = ds.atom(name)
        assert f.atoms() == [name] and ds.formula(str(f)) == f


def test_a_formula_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(ds.formula("a"))


def test_deep_and_long_formulas() -> None:
    deep = ds.formula("X " * 30_000 + "a")
    assert deep.size() == 30_001 and (~deep).nnf().simplify().size() >= 30_001
    assert hash(deep) == hash(ds.formula(str(deep))) and deep == ds.formula(str(deep))
    wide = ds.formula(" & ".join(f"F p{i}" for i in range(3000)))
    assert len(wide.atoms()) == 3000 and wide.simplify().size() == wide.size()
    grown = ds.formula("a")
    for _ in range(300):
        grown = ds.X(grown) | "b"
    assert grown.size() == 901


def test_a_text_that_would_be_endless_is_refused() -> None:
    f = ds.formula("a")
    for _ in range(100):
        f = ds.X(f) & ds.F(f)
    assert f.size() == 2**64 - 1 and f.atoms() == ["a"] and f == f.operands()[0] & f.operands()[1]
    assert repr(f) == "<Formula of 18446744073709551615 operators and atoms>" and f._repr_latex_() is None
    m = ds.net({"a": 1})
    refused: list[Callable[[], object]] = [
        lambda: str(f), lambda: f.to_str("spin"), lambda: pickle.dumps(f), lambda: ds.translate(f), lambda: m.check(f),
    ]
    for write in refused:
        with pytest.raises(ds.DalsegnoError, match="more than [0-9]+ characters"):
            write()
    # Spin has no W: its operand is written twice.
    nested = ds.formula("a W (" * 60 + "b" + ")" * 60)
    assert nested.size() == 121 and len(str(nested)) < 1000
    with pytest.raises(ds.DalsegnoError, match="more than"):
        nested.to_str("spin")


def test_a_text_that_is_no_formula_has_its_place() -> None:
    with pytest.raises(ds.ParseError) as raised:
        ds.formula("G(req -> F")
    assert str(raised.value) == "column 11: expected an operand after 'F'\n  G(req -> F\n            ^"
    for text in ("", "a b", "(", "a U", '"open', "a &" * 20_000):
        with pytest.raises(ds.ParseError, match="column|expected|empty"):
            ds.formula(text)


def test_random_formulas_depend_on_their_arguments_alone() -> None:
    first = ds.random_formulas(20, seed=1, size=(5, 9), propositions=2)
    assert first == ds.random_formulas(20, seed=1, size=(5, 9), propositions=2)
    assert first != ds.random_formulas(20, seed=2, size=(5, 9), propositions=2)
    assert set().union(*(f.atoms() for f in first)) == {"p0", "p1"}
    assert all(f.is_x_free for f in ds.random_formulas(50, x_free=True))
    assert all(f.is_ctl for f in ds.random_formulas(20, logic="ctl"))
    assert len(set(ds.random_formulas(50, unique=True, size=4))) == 50
    assert "U" not in " ".join(map(str, ds.random_formulas(50, weights={"U": 0, "W": 0, "R": 0, "M": 0})))
    assert all(str(f).startswith("(") for f in ds.random_formulas(5, fair=2, seed=4))
    assert len(ds.random_formulas(100_000, size=5)) == 100_000
    with pytest.raises(ds.DalsegnoError, match="no more than 3 different"):
        ds.random_formulas(9, size=1, propositions=["a"], unique=True)


def test_families_of_formulas() -> None:
    name, shape = next(iter(ds.formula_families().items()))
    assert shape and ds.formula_of_family(name, 2).size() > 1


def test_the_example_of_the_package_is_true() -> None:
    assert doctest.testmod(ds) == (0, 5)
