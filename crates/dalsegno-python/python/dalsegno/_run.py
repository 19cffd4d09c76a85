"""Runs that show an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from ._errors import ParseError
from ._native import Formula

Value = Union[int, str]
"""A number, or the name of a value such as a location of a process."""


@dataclass(frozen=True)
class Step:
    """A state of a run and what leaves it."""

    index: int
    """Its position in the run, from 0."""
    state: dict[str, Value]
    """The values of places and variables; those that are left out are 0."""
    transition: str | None
    """What is fired, by its identifier; ``None`` where a dead end repeats, and at the end of a path."""
    label: str | None
    """The name of what is fired: the identifier, unless the net has another name for it."""
    changes: dict[str, tuple[Value, Value]]
    """What the step changes: from which value, to which."""
    truth: dict[str, bool | None]
    """The atoms of the formula in this state; ``None`` where what comes next decides."""
    in_cycle: bool
    """Whether it belongs to the part that repeats."""
    binding: dict[str, str] | None = None
    """The colours of the variables of a coloured net's transition."""


@dataclass(frozen=True)
class Run:
    """A run: steps that come once, and steps that repeat for ever; a path if nothing repeats."""

    steps: list[Step]
    """All steps: the stem, then the cycle."""
    cycle_start: int | None
    """Where the cycle begins; ``None`` for a path."""
    reasons: list[str] = field(default_factory=list)
    """Why the formula is violated, from the whole formula down to atoms."""
    subformulas: dict[str, list[bool | None]] = field(default_factory=dict)
    """The truth of each subformula at each step."""

    @property
    def stem(self) -> list[Step]:
        """The steps that come once."""
        return self.steps[: self.cycle_start]

    @property
    def cycle(self) -> list[Step]:
        """The steps that repeat; none for a path."""
        return [] if self.cycle_start is None else self.steps[self.cycle_start :]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def word(self, *, subformulas: bool = False) -> list[dict[str, Any]]:
        """The word that the automaton reads: a row per state with its step, whether it repeats, and the truth of the atoms.

        With ``subformulas``, the truth of all other subformulas as well. ``pandas.DataFrame`` takes it.
        """
        rows = []
        for step in self.steps:
            row: dict[str, Any] = {"step": step.index, "cycle": step.in_cycle, "transition": step.label}
            row.update(step.truth)
            if subformulas:
                row.update((text, values[step.index]) for text, values in self.subformulas.items())
            rows.append(row)
        return rows

    def table(self) -> list[dict[str, Any]]:
        """A row per state with its step and the values of all places and variables that are ever other than 0."""
        names = list(dict.fromkeys(name for step in self.steps for name in step.state))
        rows = []
        for step in self.steps:
            row: dict[str, Any] = {"step": step.index, "cycle": step.in_cycle, "transition": step.label}
            row.update((name, step.state.get(name, 0)) for name in names)
            rows.append(row)
        return rows

    def __repr__(self) -> str:
        if self.cycle_start is None:
            return f"<Run: a path of {len(self.steps)} states>"
        return f"<Run: {self.cycle_start} steps, then a cycle of {len(self.steps) - self.cycle_start}>"


def run_of(answer: dict[str, Any], labels: dict[str, str]) -> Run | None:
    """The run of an object of ``dalsegno.check/1``, if it has one; of an explanation, the path that it begins with."""
    witness = answer.get("witness")
    if not isinstance(witness, dict):
        return None
    truth = answer.get("truth") or {}
    if isinstance(witness.get("path"), dict):
        truth = witness = witness["path"]
    if "stem" not in witness or "cycle" not in witness:
        return None
    atoms = {_name(entry["formula"]): entry["values"] for entry in truth.get("atoms", ())}
    stem, cycle = witness["stem"], witness["cycle"]
    if not cycle and isinstance(witness.get("end"), dict):
        stem = [*stem, {"state": witness["end"], "transition": None, "changes": {}, "binding": None}]
    steps = [
        Step(
            index=index,
            state=step["state"],
            transition=step["transition"],
            label=labels.get(step["transition"], step["transition"]),
            changes={name: (before, after) for name, (before, after) in step["changes"].items()},
            truth={text: values[index] for text, values in atoms.items() if index < len(values)},
            in_cycle=index >= len(stem),
            binding=step["binding"],
        )
        for index, step in enumerate(stem + cycle)
    ]
    return Run(
        steps=steps,
        cycle_start=len(stem) if cycle else None,
        reasons=[reason["text"] for reason in truth.get("reasons", ())],
        subformulas={entry["formula"]: entry["values"] for entry in truth.get("subformulas", ())},
    )


def _name(atom: str) -> str:
    """The name of an atom, as ``Formula.atoms`` tells it: without the quotes that it has in the text of a formula."""
    try:
        read = Formula(atom)
    except ParseError:
        return atom
    return read.atoms()[0] if read.operator == "atom" else atom
