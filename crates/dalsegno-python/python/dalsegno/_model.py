"""Models and what can be asked of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union, overload

from . import _native, _options
from ._errors import DalsegnoError
from ._native import Automaton, Formula, Sum
from ._net import Arc, ArcLike, Place, PlaceLike, Transition, TransitionLike, listed_arcs, listed_places, listed_transitions, name_of
from ._options import CheckOptions, Engine, Progress, file, iterable, limits, listener, number, text, wishes
from ._picture import Picture
from ._result import Result, Results

if TYPE_CHECKING:
    from typing_extensions import Unpack

FormulaLike = Union[Formula, str]
"""A formula or its text."""

Question = Literal["deadlock", "one-safe", "stable-marking", "quasi-liveness", "liveness"]
"""What can be asked of a whole net."""


@dataclass(frozen=True)
class StateSpace:
    """What is known of all reachable states. Counts are ``None`` where they are not known, and ``inf`` if there is no end."""

    result: Literal["complete", "unbounded", "unknown"]
    reason: str | None
    states: int | float | None
    transitions: int | float | None
    dead_ends: int | float | None
    max_tokens_in_place: int | float | None
    max_tokens_per_marking: int | float | None
    seconds: float | None
    engine: str | None
    document: dict[str, Any] = field(repr=False)
    """All that is known, as an object of the JSON schema ``dalsegno.states/1``."""

    def _repr_html_(self) -> str:
        shown = ("states", "transitions", "dead_ends", "max_tokens_in_place", "max_tokens_per_marking")
        rows = "".join(f"<tr><td>{name.replace('_', ' ')}</td><td>{getattr(self, name)}</td></tr>" for name in shown)
        return f"<table><tbody><tr><td>result</td><td>{self.result}</td></tr>{rows}</tbody></table>"


def _count(value: str | None) -> int | float | None:
    if value is None:
        return None
    return float("inf") if value == "+inf" else int(value)


class Model:
    """A model: a Petri net, coloured or not, a program or tables. Get one from ``load``, ``net`` or ``generate``."""

    def __init__(self, source: _native.Source, text: tuple[bytes, str] | None = None) -> None:
        if not isinstance(source, _native.Source):
            raise TypeError("a Model is made by dalsegno.load, dalsegno.net or dalsegno.generate")
        self._source = source
        # Programs and tables are copied by their texts: there is no writer for them.
        self._text = text if self.kind in ("program", "tables") else None

    @property
    def name(self) -> str:
        """The name."""
        return self._source.name

    @property
    def kind(self) -> str:
        """``net``, ``coloured net``, ``program`` or ``tables``."""
        return self._source.kind

    @property
    def places(self) -> list[Place]:
        """The places of a net, or the variables of a program or of tables."""
        return [Place(*entry) for entry in self._source.variables()]

    @property
    def transitions(self) -> list[Transition]:
        """The transitions."""
        return [Transition(*entry) for entry in self._source.transitions()]

    @property
    def arcs(self) -> list[Arc]:
        """The arcs of a place/transition net."""
        return [Arc(*entry) for entry in self._source.arcs()]

    def place(self, name: str, /) -> Sum:
        """A place or variable, to be compared: ``m.place("a") + m.place("b") >= 2`` is a formula."""
        return self._source.place(text("name", name))

    def enabled(self, *transitions: str) -> Formula:
        """The atom that tells that one of these transitions can fire."""
        return self._steps("fireable", transitions)

    def fires(self, *transitions: str) -> Formula:
        """The atom that tells that the step that is taken next is one of these transitions."""
        return self._steps("fires", transitions)

    def _steps(self, word: str, transitions: tuple[str, ...]) -> Formula:
        if not transitions:
            raise TypeError("give at least one transition")
        for name in transitions:
            self._source.find_transition(text("transitions", name))
        return _native.atom(f"{word}({', '.join(_native.quoted(name) for name in transitions)})")

    def formula(self, text: str, /) -> Formula:
        """A formula over the names of this model, which come before operators: ``G Fork_1`` speaks of the place ``Fork_1``."""
        return self._source.formula(_options.text("text", text))

    @overload
    def check(self, formula: FormulaLike, /, **options: Unpack[CheckOptions]) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def check(self, formula: tuple[()] = (), /, *, ltl: FormulaLike, **options: Unpack[CheckOptions]) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def check(self, formula: tuple[()] = (), /, *, ctl: FormulaLike, **options: Unpack[CheckOptions]) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def check(self, formula: tuple[()] = (), /, *, ctl_star: FormulaLike, **options: Unpack[CheckOptions]) -> Result: ...  # type: ignore[overload-overlap]
    @overload
    def check(self, formula: tuple[()] = (), /, *, never: Automaton, **options: Unpack[CheckOptions]) -> Result: ...
    @overload
    def check(self, formula: tuple[()] = (), /, *, always: Automaton, **options: Unpack[CheckOptions]) -> Result: ...
    @overload
    def check(
        self,
        formula: Iterable[FormulaLike] = (),
        /,
        *,
        ltl: Iterable[FormulaLike] = (),
        ctl: Iterable[FormulaLike] = (),
        ctl_star: Iterable[FormulaLike] = (),
        never: Iterable[Automaton] = (),
        always: Iterable[Automaton] = (),
        **options: Unpack[CheckOptions],
    ) -> Results: ...
    def check(
        self,
        formula: Any = (),
        /,
        *,
        ltl: Any = (),
        ctl: Any = (),
        ctl_star: Any = (),
        never: Any = (),
        always: Any = (),
        **options: Any,
    ) -> Result | Results:
        """Checks formulas: one gives a ``Result``, lists give ``Results`` and share what is found out.

        ``formula`` is taken for what it is: LTL without path quantifiers, otherwise CTL or CTL*. ``ltl``, ``ctl`` and
        ``ctl_star`` say what it should be. Of an automaton, no run should be accepted (``never``), or all
        (``always``). Options:

        - ``engine``: ``auto``, ``explicit`` (states one by one) or ``symbolic`` (decision diagrams);
        - ``automaton``: ``tgba``, ``ba``, ``ta`` or ``tgta``; what fits, if there is none;
        - ``propositions``: what automata observe, ``raw`` atoms or ``boolean`` subformulas where those are fewer;
        - ``dead_ends``: ``stutter`` (a dead end repeats), ``finite`` (it ends a path) or ``ignore`` (such paths do not
          count); by default ``finite`` for CTL and ``stutter`` for LTL and CTL*;
        - ``fair``: ``weak`` or ``strong``, or for transitions of a name ``weak:NAME``; several in a list;
        - ``evidence``: whether runs and explanations are wanted; ``shortest``: whether the shortest is looked for;
          ``lasso``: whether a whole run is shown where its beginning is enough;
        - ``details``: whether the automaton along a run is kept, for ``report``;
        - ``timeout`` in seconds, ``max_states``, ``memory`` in bytes (three quarters of the machine's by default):
          when a limit is hit, ``holds`` is ``None``;
        - ``threads``: how many may work at the same time;
        - ``progress``: a function that is called with a ``Progress`` some times a second; what it raises ends the check;
        - ``errors``: ``raise``, or ``return`` for results that have an ``error`` each.
        """
        questions: list[tuple[str, Any]] = []
        several = False
        for kind, given in (
            ("formula", formula),
            ("ltl", ltl),
            ("ctl", ctl),
            ("ctl_star", ctl_star),
            ("never", never),
            ("always", always),
        ):
            if isinstance(given, (str, Formula, Automaton)):
                questions.append((kind, given))
                continue
            if isinstance(given, (Sum, bytes)) or not isinstance(given, Iterable):
                raise TypeError(f"{kind}: expected a Formula, a text or a list of them, not {type(given).__name__}")
            several = several or not isinstance(given, tuple) or len(given) > 0
            questions.extend((kind, one) for one in given)
        if not questions and not several:
            raise TypeError("nothing to check: give a formula, or ltl=, ctl=, ctl_star=, never= or always=")
        results = self._ask(questions, options)
        return results if several or len(questions) > 1 else results[0]

    def ask(self, question: Question, **options: Unpack[CheckOptions]) -> Result:
        """Asks something about the whole net: ``deadlock``, ``one-safe``, ``stable-marking``, ``quasi-liveness``, ``liveness``."""
        return self._ask([("question", question)], dict(options))[0]

    def check_file(self, path: str | os.PathLike[str], **options: Unpack[CheckOptions]) -> Results:
        """Checks the properties of a file: in the format of the Model Checking Contest, or a formula per line."""
        found = file(path)
        return self._ask([("file", (found.name, found.read_bytes()))], dict(options))

    def _ask(self, questions: list[tuple[str, Any]], options: dict[str, Any]) -> Results:
        wanted = wishes(options)
        answers = _native.check(self._source, questions, wanted, listener(wanted["progress"]))
        results = Results(Result(answer) for answer in answers)
        if wanted["errors"] == "raise":
            for result in results:
                if result.error is not None:
                    raise result.error
        return results

    def states(
        self,
        *,
        engine: Engine = "auto",
        threads: int = 1,
        timeout: float | None = None,
        max_states: int | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> StateSpace:
        """Counts the reachable states and transitions. Options are as for ``check``."""
        seconds, most, granted = limits(timeout, max_states, memory)
        text("engine", engine)
        workers = number("threads", threads, least=1, most=1024)
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: expected a function, not {type(progress).__name__}")
        found = json.loads(_native.states(self._source, engine, workers, seconds, most, granted, listener(progress)))
        return StateSpace(
            result=found["result"],
            reason=found["reason"],
            states=_count(found["states"]),
            transitions=_count(found["transitions"]),
            dead_ends=_count(found["dead_ends"]),
            max_tokens_in_place=_count(found["max_tokens_in_place"]),
            max_tokens_per_marking=_count(found["max_tokens_per_marking"]),
            seconds=found["seconds"],
            engine=found["engine"],
            document=found,
        )

    def unfold(self, *, timeout: float | None = None, memory: int | None = None) -> Model:
        """The place/transition net that a coloured net stands for; other models stay as they are."""
        seconds, _, granted = limits(timeout, None, memory)
        return Model(self._source.unfold(timeout=seconds, memory=granted))

    def show(
        self,
        *,
        around: str | Iterable[str] | None = None,
        most: int = 60,
        marking: Mapping[str, Any] | None = None,
        arrangement: Literal["auto", "stress", "layered", "file"] = "auto",
    ) -> Picture:
        """A picture of the net; with ``around``, of these nodes and at most ``most`` of those around them.

        ``marking`` may be the ``state`` of a step of a run.
        """
        text("arrangement", arrangement)
        names = [around] if isinstance(around, str) else None if around is None else list(iterable("around", around))
        tokens = None
        if marking is not None:
            if not isinstance(marking, Mapping):
                raise TypeError(f"marking: expected a dict, not {type(marking).__name__}")
            tokens = [
                (name_of("marking", name), number(f"marking: tokens of {name!r}", n, most=2**32 - 1))
                for name, n in marking.items()
            ]
        for name in names or ():
            name_of("around", name)
        return Picture(_native.net_svg(self._source, names, number("most", most), tokens, arrangement))

    def _repr_svg_(self) -> str | None:
        try:
            return self.show().svg
        except DalsegnoError:
            return None

    def to_pnml(self) -> str:
        """The net in PNML."""
        return self._source.to_pnml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the net to a file in PNML."""
        file(path).write_text(self.to_pnml(), encoding="utf-8")

    def __reduce__(self) -> tuple[Callable[[bytes, str], Model], tuple[bytes, str]]:
        return loads, self._text or (self.to_pnml().encode(), "model.pnml")

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {self.kind}, {len(self.places)} places, {len(self.transitions)} transitions>"


def loads(data: bytes | str, name: str = "model", *, timeout: float | None = None) -> Model:
    """A model from its text; the ending of ``name`` or the contents tell the format: PNML, ETF or DVE, maybe packed."""
    if isinstance(data, str):
        data = data.encode()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data: expected bytes or a text, not {type(data).__name__}")
    text("name", name)
    data = bytes(data)
    return Model(_native.load_bytes(data, name, timeout=limits(timeout, None, None)[0]), (data, name))


def load(path: str | os.PathLike[str], *, timeout: float | None = None) -> Model:
    """Reads a model from a file: a Petri net in PNML, a program in DVE or tables in ETF, maybe packed by gzip."""
    found = file(path)
    return loads(found.read_bytes(), found.name, timeout=timeout)


def net(
    places: Mapping[str, int] | Iterable[PlaceLike],
    transitions: Iterable[TransitionLike] = (),
    arcs: Iterable[ArcLike] = (),
    *,
    name: str = "net",
) -> Model:
    """A Petri net.

    Places are names with their tokens in the beginning, or names alone. An arc is ``(source, target)``, and may have a
    weight and a kind: ``arc``, ``test`` (the tokens stay) or ``inhibitor`` (there must be fewer). Transitions that only
    arcs name need not be listed. Parts of another net may be given as well: ``net(m.places, m.transitions, m.arcs)``.
    """
    text("name", name)
    made, listed, joined = listed_places(places), listed_transitions(transitions), listed_arcs(arcs)
    known = {part[0] for part in [*made, *listed]}
    for arc in joined:
        for end in arc[:2]:
            if end not in known:
                known.add(end)
                listed.append((end, end))
    return Model(_native.net(name, made, listed, joined))


def generate(family: str, n: int, *, coloured: bool = False) -> Model:
    """A net of a family of the literature: ``families()`` names them."""
    text("family", family)
    return Model(_native.generate(family, number("n", n, most=2**32 - 1), coloured=bool(coloured)))


def families() -> list[str]:
    """The families of nets that ``generate`` knows."""
    return _native.families()
