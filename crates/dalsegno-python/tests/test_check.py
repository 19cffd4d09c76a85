"""Questions and their answers."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pandas as pd
import pytest

import dalsegno as ds


@pytest.fixture(scope="module")
def phils() -> ds.Model:
    return ds.generate("philosophers", 5)


def test_a_property_that_fails_has_a_run(phils: ds.Model) -> None:
    r = phils.check('G("Fork_1 >= 1" -> F "Eat_1 >= 1")')
    assert (r.holds, bool(r), r.verdict, r.logic) == (False, False, "fails", "ltl")
    run = r.run
    assert run is not None and r.run is run and len(run) == len(run.steps) == len(list(run))
    assert run.stem == [] and [s.transition for s in run.cycle] == ["FF1a_2", "FF2a_2", "End_2"]
    assert run.steps[0].state["Fork_1"] == 1 and run.steps[0].changes["Fork_1"] == (1, 0)
    assert [row["Fork_1 >= 1"] for row in run.word()] == [True, False, False]
    assert set(run.word(subformulas=True)[0]) > set(run.word()[0])
    assert run.table()[1]["Catch1_2"] == 1 and run.table()[0]["Catch1_2"] == 0
    assert run.reasons[-1] == '"Eat_1 >= 1" never holds from state 0 on'
    assert str(r).startswith("fails: G(") and "a cycle of 3 steps" in str(r) and repr(run).startswith("<Run")
    assert r.to_dict()["certified"] is True and r.method and r.seconds >= 0
    assert "FF1a_2" in r._repr_html_() and "<script" not in r._repr_html_()


def test_a_safety_violation_has_a_path(phils: ds.Model) -> None:
    r = phils.check("G !deadlock")
    assert r.run is not None and r.run.cycle_start is None and r.run.cycle == []
    assert r.run.steps[-1].transition is None and r.run.steps[-1].truth == {"deadlock": True}
    whole = phils.check("G !deadlock", lasso=True).run
    assert whole is not None and whole.cycle


def test_formulas_of_branching_time_have_explanations(phils: ds.Model) -> None:
    r = phils.check("AG EF Eat_1")
    assert r.holds is False and r.logic == "ctl"
    assert r.explanation is not None and r.run is not None and r.run.steps[-1].truth == {"Eat_1": False}
    assert "EF Eat_1" in r._repr_html_()
    found = phils.check("EF deadlock")
    assert found.run is not None and found.run.cycle_start is None and len(found.run) == 6
    assert [step.transition for step in found.run][-2:] == ["FF1a_5", None] and found.run.steps[-1].truth == {"deadlock": True}
    globally = phils.check(ctl="EG !Eat_1").run
    assert globally is not None and globally.steps[0].state["Fork_1"] == 1
    assert phils.check(ctl="EF Eat_1 & EF Eat_2").explanation is not None
    assert phils.check(ctl_star="A(G F Eat_1 -> F Eat_1)").holds
    with pytest.raises(ds.DalsegnoError, match="ctl= or ctl_star="):
        phils.check(ltl="A G E F Eat_1")
    with pytest.raises(ds.DalsegnoError, match="ctl_star="):
        phils.check(ctl="A(G F Eat_1)")


def test_several_questions_have_results_in_order(phils: ds.Model) -> None:
    results = phils.check(["G Fork_1", ds.formula("F true")], ctl=["EF deadlock"])
    assert [r.holds for r in results] == [False, True, True]
    assert [row["verdict"] for row in results.table()] == ["fails", "holds", "holds"]
    assert "EF deadlock" in results._repr_html_() and str(results).count(": ") >= 3
    assert isinstance(phils.check(["true"]), ds.Results) and phils.check([]) == []
    assert isinstance(results[1:], ds.Results) and results[1:][0] is results[1] is results[-2]


def test_tables_are_for_pandas(phils: ds.Model) -> None:
    run = phils.check("G(Fork_1 -> F Eat_1)").run
    assert run is not None
    word = pd.DataFrame(run.word())
    assert list(word.columns) == ["step", "cycle", "transition", "Fork_1", "Eat_1"]
    assert word["Fork_1"].tolist() == [True, False, False] and not word["Eat_1"].any()
    assert pd.DataFrame(run.table())["Eat_2"].tolist() == [0, 0, 1]
    stats = phils.check("G !(Eat_1 & Eat_2)", engine="explicit", automaton="tgta").stats()
    assert (stats["engine"], stats["automaton"], stats["automaton_states"]) == ("explicit", "tgta", 2)
    # Stubborn sets may leave some of the 243 states out.
    assert 200 < stats["explored_states"] <= 243
    assert stats["explored_transitions"] > stats["explored_states"] and stats["peak_bytes"] > 0
    results = phils.check(pd.Series(["G Fork_1", "F true"]))
    assert pd.DataFrame(results.table())["holds"].tolist() == [False, True]


def test_options_lead_to_the_same_verdict(phils: ds.Model) -> None:
    for text, expected in [("G(Catch1_1 -> F Eat_1)", False), ("G !(Eat_1 & Eat_2)", True)]:
        for engine in ("auto", "explicit", "symbolic"):
            for kind in ("tgba", "ba", "tgta"):
                assert phils.check(text, engine=engine, automaton=kind).holds is expected
        assert phils.check(text, automaton="ta", propositions="raw", threads=2).holds is expected
        assert phils.check(text, evidence=False, shortest=True).holds is expected
    assert phils.check("G(Catch1_1 -> F(Eat_1 | deadlock))", fair="strong").holds
    assert phils.check("G !deadlock", dead_ends="ignore").holds
    with pytest.raises(ds.ParseError, match="no transition"):
        phils.check("F Eat_1", fair=["weak:nobody_*"])


def test_automata_are_questions(phils: ds.Model) -> None:
    assert phils.check(never=ds.translate("F(Eat_1 & Eat_2)")).holds
    bad = phils.check(never=ds.translate("G F Eat_1"))
    assert bad.holds is False and bad.run is not None
    assert phils.check(always=ds.translate("G !(Eat_1 & Eat_2)", "tgta")).holds


def test_questions_about_the_whole_net(phils: ds.Model) -> None:
    found = {q: phils.ask(q).holds for q in ("deadlock", "one-safe", "stable-marking", "quasi-liveness", "liveness")}
    assert found == {
        "deadlock": True, "one-safe": True, "stable-marking": False, "quasi-liveness": True, "liveness": False,
    }


def test_files_of_properties(phils: ds.Model, tmp_path: Path) -> None:
    path = tmp_path / "safe.ltl"
    path.write_text("# two\nsafe: G !(Eat_1 & Eat_2)\nG Fork_1\n")
    safe, other = phils.check_file(path)
    assert (safe.name, safe.holds, other.holds) == ("safe", True, False)
    path.write_text("G !(Eat_1 &\n")
    with pytest.raises(ds.ParseError, match="line 1"):
        phils.check_file(path)


def test_what_is_unknown_has_no_truth_value() -> None:
    r = ds.generate("philosophers", 20).check('G "Eat_1 + Eat_7 <= 3"', engine="explicit", max_states=100, automaton="tgba")
    assert (r.holds, r.reason, r.verdict) == (None, "states", "unknown")
    with pytest.raises(ds.UndecidedError, match="states"):
        bool(r)
    none = ds.generate("philosophers", 20).check("G F Eat_1", timeout=0)
    assert (none.holds, none.reason) == (None, "time")


def test_errors_are_raised_or_returned(phils: ds.Model) -> None:
    with pytest.raises(ds.ParseError) as raised:
        phils.check("G Eat_l")
    assert "Eat_1" in str(raised.value)
    with pytest.raises(ds.ParseError, match="\\^"):
        phils.check(["G Eat_1", 'G "Eat_1 >="'])
    good, bad = phils.check(["G Fork_1", "G("], errors="return")
    assert good.error is None and isinstance(bad.error, ds.ParseError) and "^" in str(bad)
    assert bad.verdict == "error" and "<pre>" in bad._repr_html_()
    with pytest.raises(ds.ParseError):
        bool(bad)


def test_reports_and_witnesses(phils: ds.Model, tmp_path: Path) -> None:
    r = phils.check("G(Catch1_1 -> F Eat_1)", details=True)
    page = tmp_path / "out.html"
    r.report(page)
    assert "Catch1_1" in page.read_text(encoding="utf-8") and "</html>" in page.read_text(encoding="utf-8")
    phils.check(["G Fork_1", "AG EF Eat_1"]).report(page)
    assert "AG EF Eat_1" in page.read_text(encoding="utf-8")
    other = ds.generate("philosophers", 3).check("G Fork_1")
    with pytest.raises(ValueError, match="one model"):
        ds.Results([r, other]).report(page)
    with pytest.raises(ValueError, match="nothing"):
        ds.Results().report(page)
    witness = tmp_path / "w.json"
    r.save_witness(witness)
    assert json.loads(witness.read_text())["schema"].startswith("dalsegno.witness")
    with pytest.raises(ds.DalsegnoError, match="nothing shows"):
        phils.check("true").save_witness(witness)


def test_parts_of_results_are_pickled(phils: ds.Model) -> None:
    r = phils.check("G Fork_1")
    assert pickle.loads(pickle.dumps((r.holds, r.run, r.stats(), r.to_dict())))[1] == r.run
    with pytest.raises(TypeError, match="to_dict"):
        pickle.dumps(r)


def test_html_is_escaped() -> None:
    m = ds.net({"<script>alert(1)</script>": 1}, [], [("<script>alert(1)</script>", "t")])
    shown = m.check(ds.G(m.place("<script>alert(1)</script>") >= 1))
    assert "<script" not in shown._repr_html_() and "&lt;script" in shown._repr_html_()
    assert "<script" not in ds.Results([shown])._repr_html_()
    assert "<script" not in m.show().svg


@pytest.mark.parametrize("page", ["README.md", "../../README.md"])
def test_the_examples_of_the_readme_are_true(page: str) -> None:
    text = (Path(__file__).parents[1] / page).read_text(encoding="utf-8")
    ((_, code),) = re.findall(r"(```python\n)(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    shown = re.findall(r"^(\S.*?) *# (.*?)(?:: .*)?$", code, re.MULTILINE)
    assert shown
    for expression, value in shown:
        assert repr(eval(expression, names)) == value
