"""Answers to questions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from html import escape
from typing import Any, NoReturn, SupportsIndex, Union, overload

from . import _native
from ._errors import DalsegnoError, UndecidedError
from ._options import file
from ._run import Run, run_of

MOST_ROWS = 40
"""Rows of a run that a notebook shows."""


class Result:
    """The answer to a question.

    ``bool(result)`` is ``result.holds`` if that is known, and raises ``UndecidedError`` otherwise.
    """

    def __init__(self, answer: _native.Answer) -> None:
        self._answer = answer

    @property
    def holds(self) -> bool | None:
        """Whether the property holds; ``None`` if a limit was hit first, or if something else was asked."""
        return self._answer.holds

    @property
    def formula(self) -> str:
        """The text of the formula; empty if something else was asked."""
        return self._answer.formula

    @property
    def name(self) -> str:
        """The name of the property, if it has one."""
        return self._answer.name

    @property
    def title(self) -> str:
        """What to call the question."""
        return self._answer.title

    @property
    def logic(self) -> str | None:
        """``ltl``, ``ctl``, ``ctl*``, ``automaton``, ``reachability``, ``bound`` or ``global``, if that is known."""
        return self._answer.logic

    @property
    def verdict(self) -> str:
        """``holds``, ``fails``, ``bound``, ``unknown`` or ``error``."""
        return str(self.to_dict()["verdict"])

    @property
    def reason(self) -> str | None:
        """Why nothing is known: ``time``, ``memory``, ``states`` or ``cancelled``."""
        return self._answer.reason

    @property
    def seconds(self) -> float:
        """The time that the answer took."""
        return self._answer.seconds

    @property
    def method(self) -> str | None:
        """The method that answered."""
        return self._answer.method

    @property
    def bound(self) -> int | float | None:
        """The least upper bound that was asked for; ``inf`` if there is none, ``None`` if something else was asked."""
        found = self.to_dict()["bound"]
        if found is None:
            return None
        return float("inf") if found == "+inf" else int(found)

    @cached_property
    def error(self) -> DalsegnoError | None:
        """What is wrong with the question; questions with errors are returned only with ``errors="return"``."""
        found = self._answer.error()
        assert found is None or isinstance(found, DalsegnoError)
        return found

    @cached_property
    def run(self) -> Run | None:
        """The run or path that shows the answer, if one does. It was replayed on the model before.

        Of an explanation, it is the path that begins in the initial state.
        """
        return run_of(self.to_dict(), self._answer.labels())

    @property
    def explanation(self) -> dict[str, Any] | None:
        """The tree of paths that shows the answer to a formula of CTL or CTL*, if one does."""
        witness = self.to_dict()["witness"]
        return witness if isinstance(witness, dict) and "stem" not in witness else None

    @cached_property
    def _dict(self) -> dict[str, Any]:
        found = json.loads(self._answer.to_json())
        assert isinstance(found, dict)
        return found

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as an object of the JSON schema ``dalsegno.check/1``."""
        return self._dict

    def stats(self) -> dict[str, Any]:
        """What the answer took: the method, its time and memory, and the sizes of the automaton and of what was explored.

        Sizes are ``None`` where there is nothing of the kind.
        """
        found = self.to_dict()
        automaton, explored = found["automaton"] or {}, found["explored"] or {}

        def size(of: dict[str, Any], name: str) -> int | None:
            return int(of[name]) if of.get(name) is not None else None

        return {
            "engine": found["engine"],
            "method": self.method,
            "seconds": self.seconds,
            "peak_bytes": found["peak_bytes"],
            "automaton": automaton.get("kind"),
            "automaton_states": size(automaton, "states"),
            "automaton_transitions": size(automaton, "transitions"),
            "explored_states": size(explored, "states"),
            "explored_transitions": size(explored, "transitions"),
        }

    def to_text(self, *, stats: bool = False, full: bool = False) -> str:
        """The answer for a reader; with ``stats``, what it took, and with ``full`` all steps and values."""
        return self._answer.to_text(stats=stats, full=full)

    def save_witness(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes what shows the answer to a file, for ``dalsegno replay``."""
        text = self._answer.witness_json()
        if text is None:
            raise DalsegnoError(f"{self.title}: nothing shows this answer")
        file(path).write_text(text + "\n", encoding="utf-8")

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a page of HTML with the answer and its run, which needs nothing else.

        The automaton along the run is on it if the question was asked with ``details=True``.
        """
        Results([self]).report(path)

    def __bool__(self) -> bool:
        if self.holds is None:
            if self.error is not None:
                raise self.error
            why = f"a limit was hit ({self.reason})" if self.reason else f"it is {self.verdict}"
            raise UndecidedError(f"the answer is neither yes nor no: {why}; look at .holds")
        return self.holds

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Result stays in its process: send .holds, .stats(), .run or .to_dict() to another one")

    def __str__(self) -> str:
        if self.error is not None:
            return f"error: {self.error}"
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Result {self.verdict}: {self.title}>"

    def _repr_html_(self) -> str:
        colour = {"holds": "#1a7f37", "fails": "#cf222e"}.get(self.verdict, "#9a6700")
        parts = [f'<div><b style="color:{colour}">{escape(self.verdict)}</b>: <code>{escape(self.title)}</code></div>']
        if self.error is not None:
            parts.append(f"<pre>{escape(str(self.error))}</pre>")
        elif self.reason is not None:
            parts.append(f"<div>a limit was hit: {escape(self.reason)}</div>")
        if self.explanation is not None:
            parts.append(f"<pre>{escape(self.to_text())}</pre>")
        elif self.run is not None:
            parts.append(_run_to_html(self.run))
        return "".join(parts)


def _run_to_html(run: Run) -> str:
    atoms = list(run.steps[0].truth) if run.steps else []
    heads = "".join(f"<th><code>{escape(text)}</code></th>" for text in atoms)
    rows = []
    for step in run.steps[:MOST_ROWS]:
        marks = {True: "●", False: "·", None: "?"}
        truth = "".join(f"<td>{marks[step.truth.get(text)]}</td>" for text in atoms)
        changes = ", ".join(f"{name}: {before} → {after}" for name, (before, after) in step.changes.items())
        style = ' style="background:rgba(9,105,218,.10)"' if step.in_cycle else ""
        rows.append(
            f"<tr{style}><td>{step.index}</td>{truth}<td>{escape(step.label or '')}</td>"
            f'<td style="text-align:left">{escape(changes)}</td></tr>'
        )
    if len(run.steps) > MOST_ROWS:
        rows.append(f'<tr><td colspan="{3 + len(atoms)}">and {len(run.steps) - MOST_ROWS} more</td></tr>')
    what = "a path" if run.cycle_start is None else f"a run; it repeats from step {run.cycle_start} on"
    reasons = "".join(f"<li>{escape(reason)}</li>" for reason in run.reasons)
    return (
        f"<div>{what}</div><table><thead><tr><th>step</th>{heads}<th>fires</th><th>changes</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>" + (f"<ul>{reasons}</ul>" if reasons else "")
    )


class Results(list[Result]):
    """Answers to several questions, in their order."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        super().__init__(results)

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> Result: ...
    @overload
    def __getitem__(self, at: slice, /) -> Results: ...
    def __getitem__(self, at: SupportsIndex | slice, /) -> Result | Results:
        return Results(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    def table(self) -> list[dict[str, Any]]:
        """A row per question, with its ``stats``. ``pandas.DataFrame`` takes it."""
        return [
            {
                "name": result.name,
                "formula": result.formula,
                "logic": result.logic,
                "holds": result.holds,
                "verdict": result.verdict,
                "reason": result.reason,
                **result.stats(),
            }
            for result in self
        ]

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a page of HTML with all answers, which must be about one model."""
        file(path).write_text(_native.report_html([result._answer for result in self]), encoding="utf-8")

    def __str__(self) -> str:
        return "\n".join(str(result) for result in self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'><code>{escape(result.title)}</code></td><td>{escape(result.verdict)}</td>"
            f"<td>{escape(result.method or result.reason or '')}</td><td>{result.seconds:.3f} s</td></tr>"
            for result in self
        )
        return f"<table><thead><tr><th>question</th><th>verdict</th><th>by</th><th>time</th></tr></thead><tbody>{rows}</tbody></table>"
