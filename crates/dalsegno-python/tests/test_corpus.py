"""The corpus: the verdicts and numbers that all engines agree on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import dalsegno as ds

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).parents[3] / "corpus"
ENTRIES = [e for path in sorted(CORPUS.glob("*.toml")) for e in tomllib.loads(path.read_text(encoding="utf-8"))["entry"]]

NUMBERS = ("states", "transitions", "dead_ends")
LOGICS = ("ltl", "ctl", "ctl_star")
KNOWN = {"name", "source", "model", "holds", "dead_end_paths", *NUMBERS, *LOGICS}


def model(given: dict[str, Any]) -> ds.Model:
    if "family" in given:
        return ds.generate(given["family"], given["n"])
    ((kind, text),) = given.items()
    return ds.loads(text, f"entry.{kind}")


def test_there_is_a_corpus() -> None:
    assert len(ENTRIES) > 20


@pytest.mark.parametrize("entry", ENTRIES, ids=[e["name"] for e in ENTRIES])
def test_an_entry_is_as_it_says(entry: dict[str, Any]) -> None:
    assert set(entry) <= KNOWN, "this test does not know what is expected"
    m = model(entry["model"])
    for key in NUMBERS:
        if key in entry:
            assert getattr(m.states(), key) == entry[key]
    for logic in LOGICS:
        if logic not in entry:
            continue
        options: dict[str, Any] = {"dead_ends": entry.get("dead_end_paths")}
        assert m.check(**{logic: entry[logic], **options}).holds is entry["holds"]
        # A formula that was read without the model means the same.
        formula = m.formula(entry[logic])
        assert m.check(**{logic: formula, **options}).holds is entry["holds"]
